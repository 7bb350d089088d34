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
from collections.abc import Sequence
from dataclasses import dataclass, field

from rapidfuzz.distance import LCSseq

from proofpress.model.rewards.scoring import GoldError, Score, f1
from proofpress.pages.latex import LatexError, Node, trees

_DELIMITERS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
_TOKEN = re.compile(r"\\[A-Za-z]+|\\?\S")


@dataclass(slots=True)
class _Listing:
    """Formulas as two lists of numbers: of each node with its place in the tree, and of each alone."""

    numbers: dict[object, int]  # of all that is compared, shared by both sides
    structure: list[int] = field(default_factory=list)
    symbols: list[int] = field(default_factory=list)

    def add(self, root: Node) -> None:
        """List a formula behind those that are there; where one formula ends is read too."""
        if self.symbols:
            end = self._number("next formula")
            self.structure.append(end)
            self.symbols.append(end)
        self._add_below(root, self._number("root"))

    def _add_below(self, parent: Node, path: int) -> None:
        for child in parent.children:
            symbol = self._number((child.kind, child.value, child.font))
            self.symbols.append(symbol)
            self.structure.append(self._number((symbol, child.slot, path)))
            if child.children:
                self._add_below(child, self._number((child.kind, child.slot, path, "path")))

    def _number(self, thing: object) -> int:
        return self.numbers.setdefault(thing, len(self.numbers))


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
    if not gold:
        raise GoldError("no formula to compare with")
    parsed = trees([*prediction, *gold])
    found, expected = _Listing(numbers := {}), _Listing(numbers)
    for latex, root in zip(gold, parsed[len(prediction) :], strict=True):
        if isinstance(root, LatexError):
            raise GoldError(f"KaTeX does not take the gold formula: {root}: {latex[:120]}") from root
        if not root.children:
            raise GoldError(f"the gold formula shows nothing: {latex[:120]!r}")
        expected.add(root)
    errors = []
    for latex, root in zip(prediction, parsed, strict=False):
        if isinstance(root, LatexError):
            errors.append(f"{root}: {latex[:120]}")
            root = Node("unparseable", children=tuple(Node("token") for _ in _TOKEN.finditer(latex)))
        found.add(root)
    parts = {
        "structure": _in_order(found.structure, expected.structure),
        "symbols": _in_order(found.symbols, expected.symbols),
        "validity": 1 - len(errors) / len(prediction) if prediction else 0.0,
    }
    value = (parts["structure"] + parts["symbols"]) / 2
    if errors:
        return Score(value, parts, "unparseable", errors[0])
    return Score(value, parts) if found.structure else Score(0.0, parts, "empty", "the prediction shows nothing")


def _in_order(one: list[int], other: list[int]) -> float:
    return f1(LCSseq.similarity(one, other), len(one), len(other))
