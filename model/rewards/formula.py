r"""How much of a formula was read right: F1 over the nodes of its syntax tree, in reading order.

The trees are ``pages.latex.tree``'s, so spellings that look the same are the same (``\le`` and ``\leq``). Each becomes
its nodes in pre-order, and the matched nodes are the longest common subsequence of the two lists, which the
bit-parallel algorithm finds in about n^2/64 steps. It is counted twice:

- ``structure``: a node is its kind, value, font and slot, and the kinds and slots of *all* nodes above it. Pre-order
  with that path determines the tree, so this is 1 for equal trees and for no others: x^2, x_2 and x2 differ, as do
  \sqrt{a}b and \sqrt{ab}, \mathbb{R} and R.
- ``symbols``: a node is its kind, value and font alone. One wrong frame around a formula (a missed \overline, an
  ``aligned``) changes every path below it, and this part says how much was right all the same.

The value is their mean. Both are symmetric, and what is added costs precision as what is missing costs recall.

    >>> compare(["x_2"], ["x^2"]).value < compare(["x^2"], ["x^2"]).value == 1.0
    True
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from proofpress.model.rewards.scoring import GoldError, Score, f1, in_order
from proofpress.pages.latex import LatexError, Node, tree

_DELIMITERS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
_TOKEN = re.compile(r"\\[A-Za-z]+|\\?\S")


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Formulas as two lists of node identities: each with its place in the tree, and each alone."""

    structure: list[Hashable]
    symbols: list[Hashable]


def bare(text: str) -> str:
    """A formula without one pair of math delimiters around it."""
    text = text.strip()
    for opening, closing in _DELIMITERS:
        if text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening) + len(closing):
            return text[len(opening) : -len(closing)].strip()
    return text


def compare(prediction: Sequence[str], gold: Sequence[str]) -> Score:
    """The reward of formulas, each LaTeX without delimiters, against the gold's; both in reading order.

    All are compared at once, so a formula that is missing, invented or out of place costs its own nodes. Parts:
    ``structure``, ``symbols`` and ``validity``, the share of the predicted formulas that KaTeX takes; one that it does
    not take matches nothing. Raises ``GoldError`` for a gold that KaTeX does not take or that shows nothing.
    """
    expected = _gold_nodes(gold)
    trees, errors = [], []
    for latex in prediction:
        try:
            trees.append(tree(latex))
        except LatexError as error:
            trees.append(Node("unparseable", children=tuple(Node("token") for _ in _TOKEN.finditer(latex))))
            errors.append(f"{error}: {latex[:120]}")
    found = _list_nodes(trees)
    parts = {
        "structure": f1(*in_order(found.structure, expected.structure)),
        "symbols": f1(*in_order(found.symbols, expected.symbols)),
        "validity": 1 - len(errors) / len(prediction) if prediction else 0.0,
    }
    value = (parts["structure"] + parts["symbols"]) / 2
    if errors:
        return Score(value, parts, "unparseable", errors[0])
    return Score(value, parts) if found.structure else Score(0.0, parts, "empty", "the prediction shows nothing")


def _gold_nodes(gold: Sequence[str]) -> _Nodes:
    if not gold:
        raise GoldError("no formula to compare with")
    trees = []
    for latex in gold:
        try:
            trees.append(tree(latex))
        except LatexError as error:
            raise GoldError(f"KaTeX does not take the gold formula: {error}: {latex[:120]}") from error
        if not trees[-1].children:
            raise GoldError(f"the gold formula shows nothing: {latex[:120]!r}")
    return _list_nodes(trees)


def _list_nodes(trees: Sequence[Node]) -> _Nodes:
    nodes = _Nodes([], [])
    for number, root in enumerate(trees):
        if number:  # where one formula ends is read too
            nodes.structure.append("next formula")
            nodes.symbols.append("next formula")
        for node, path in _below(root, ()):
            symbol = (node.kind, node.value, node.font)
            nodes.structure.append((symbol, node.slot, path))
            nodes.symbols.append(symbol)
    return nodes


def _below(parent: Node, path: tuple[tuple[str, str], ...]) -> Iterator[tuple[Node, tuple[tuple[str, str], ...]]]:
    """The nodes below ``parent`` in pre-order, each with the (kind, slot) of all nodes between them."""
    for child in parent.children:
        yield child, path
        yield from _below(child, (*path, (child.kind, child.slot)))
