r"""How much of a formula was read right: F1 over the nodes of its syntax tree, in reading order.

The trees are ``pages.latex.tree``'s, so spellings that look the same are the same (``\le`` and ``\leq``). Each becomes
its nodes in pre-order, and the matched nodes are the longest common subsequence of the two lists, which the
bit-parallel algorithm finds in about n^2/64 steps. It is counted twice:

- ``structure``: a node is its kind, value, font and slot, and the kinds and slots of *all* nodes above it. Pre-order
  with that path determines the tree, so this is 1 for equal trees and for no others: x^2, x_2 and x2 differ, as do
  \sqrt{a}b and \sqrt{ab}, \mathbb{R} and R.
- ``symbols``: a node is its kind, value and font, and where it is raised, lowered, over or under, that. One wrong frame
  around a formula (a missed \overline, an ``aligned``) changes every path below it, and this part says how much was
  right all the same.

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
from proofpress.pages.latex_write import write

#: Slots that say where a node stands on the paper, and not only what it belongs to.
PLACES = frozenset({"sub", "sup", "over", "under", "index"})

MAX_TREES = 2_000
_trees: dict[str, Node] = {}

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
            symbol = self._number((child.kind, child.value, child.font, child.slot if child.slot in PLACES else ""))
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


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it is spelt and as KaTeX reads it, or why it does not."""

    latex: str
    tree: Node | LatexError


def read(formulas: Sequence[str]) -> list[Formula]:
    """Formulas, each LaTeX without delimiters, read together, which is several times quicker than one by one.

    Trees are kept: what a model reads right is what the gold says, and both are read again and again.
    """
    if len(_trees) > MAX_TREES:
        _trees.clear()
    new = [latex for latex in dict.fromkeys(formulas) if latex not in _trees]
    found = dict(zip(new, trees(new), strict=True))
    _trees.update((latex, tree) for latex, tree in found.items() if isinstance(tree, Node))
    return [Formula(latex, found[latex] if latex in found else _trees[latex]) for latex in formulas]


def compare(prediction: Sequence[str], gold: Sequence[str]) -> Score:
    """The reward of formulas, each LaTeX without delimiters, against the gold's; both in reading order."""
    formulas = read([*prediction, *gold])
    return compare_read(formulas[: len(prediction)], formulas[len(prediction) :])


def compare_read(prediction: Sequence[Formula], gold: Sequence[Formula]) -> Score:
    """The reward of formulas against the gold's; both in reading order.

    All are compared at once, so a formula that is missing, invented or out of place costs its own nodes. Parts:
    ``structure``, ``symbols`` and ``validity``, the share of the predicted formulas that KaTeX takes; one that it does
    not take matches nothing. Raises ``GoldError`` for a gold that KaTeX does not take or that shows nothing.
    """
    if not gold:
        raise GoldError("no formula to compare with")
    numbers: dict[object, int] = {}
    found, expected = _Listing(numbers), _Listing(numbers)
    for formula in gold:
        if isinstance(formula.tree, LatexError):
            raise GoldError(f"KaTeX does not take the gold formula: {formula.tree}: {formula.latex[:120]}")
        if not formula.tree.children:
            raise GoldError(f"the gold formula shows nothing: {formula.latex[:120]!r}")
        expected.add(formula.tree)
    errors = []
    for formula in prediction:
        if isinstance(formula.tree, LatexError):
            errors.append(f"{formula.tree}: {formula.latex[:120]}")
        found.add(_shown(formula))
    parts = {
        "structure": _in_order(found.structure, expected.structure),
        "symbols": _in_order(found.symbols, expected.symbols),
        "validity": 1 - len(errors) / len(prediction) if prediction else 0.0,
    }
    value = (parts["structure"] + parts["symbols"]) / 2
    if errors:
        return Score(value, parts, "unparseable", errors[0])
    return Score(value, parts) if found.structure else Score(0.0, parts, "empty", "the prediction shows nothing")


def spelling(formula: Formula) -> str:
    """The normal form, or the formula as it stands where KaTeX does not take it."""
    return formula.latex if isinstance(formula.tree, LatexError) else write(formula.tree)


def size(formula: Formula) -> int:
    """How many nodes a formula has, or tokens where KaTeX does not take it."""
    waiting, count = [_shown(formula)], 0
    while waiting:
        below = waiting.pop().children
        count += len(below)
        waiting.extend(below)
    return count


def _shown(formula: Formula) -> Node:
    """The tree, or for want of one its tokens, which match nothing."""
    if isinstance(formula.tree, LatexError):
        return Node("unparseable", children=tuple(Node("token") for _ in _TOKEN.finditer(formula.latex)))
    return formula.tree


def _in_order(one: list[int], other: list[int]) -> float:
    return f1(LCSseq.similarity(one, other), len(one), len(other))
