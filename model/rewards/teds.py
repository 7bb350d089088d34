"""TEDS and TEDS-S of two HTML tables, exactly as PubTabNet's metric defines them (Zhong et al., arXiv 1911.10683).

The tree is the first ``<table>``: every element below it down to the ``td``, which is a leaf with its content as a list
of tokens (its tags, and every character). A rename costs 1 where tag, colspan or rowspan differ, else the Levenshtein
distance of the token lists over the longer of them; TEDS = 1 - distance / nodes, with the larger count of *all*
elements below ``<table>``. TEDS-S ignores content. As published, ``tbody`` is a node and a ``th`` has no content. Where
the published code gives up and this does not: a table without ``<html><body>`` around it is read as if it had them, and
a span that is not a number is 1.

    >>> teds("<table><tr><td>a</td></tr></table>", "<table><tr><td>b</td></tr></table>")
    Teds(teds=0.5, teds_s=1.0)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lxml import etree
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from proofpress.model.rewards.tree_edit import TooLargeError, Tree, tree_edit_distance

MAX_TOKENS = 200_000

#: Half surrogates, which no parsed text holds, stand for the tags inside cells: a token is one character.
_TAG_CHARACTERS = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Teds:
    """Both values, each at most 1."""

    teds: float
    teds_s: float


_Frame = tuple[str, int, int]  # tag, colspan, rowspan; the spans of ``td`` alone
_Label = tuple[_Frame, str]  # with the content of a ``td``, one character a token


@dataclass(frozen=True, slots=True)
class _Table:
    """A table's nodes in post-order, down to ``td``. elements: how many there are below it, those inside cells too."""

    sizes: list[int]
    frames: list[_Frame]
    contents: list[str]
    elements: int

    def with_content(self) -> Tree[_Label]:
        return Tree(self.sizes, list(zip(self.frames, self.contents, strict=True)))

    def without_content(self) -> Tree[_Frame]:
        return Tree(self.sizes, self.frames)


def teds(prediction: str, gold: str) -> Teds | None:
    """Both metrics of a pair of HTML texts; None where the tables are too large. 0 where one side has no table."""
    tokens = _Tokens()
    try:
        one, other = (_read(text, tokens) for text in (prediction, gold))
        if one is None or other is None:
            return Teds(0.0, 0.0)
        distances = (
            tree_edit_distance(one.with_content(), other.with_content(), _content_costs),
            tree_edit_distance(one.without_content(), other.without_content(), _structure_costs),
        )
    except TooLargeError:
        return None
    nodes = max(one.elements, other.elements)
    return Teds(*(1.0 - distance / nodes if nodes else 1.0 for distance in distances))


def _read(text: str, tokens: "_Tokens") -> _Table | None:
    """The first table of a text; None where there is none."""
    if "<table" not in text.lower():
        return None
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        document = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.ParseError:  # nothing but comments
        return None
    root = None if document is None else next(document.iter("table"), None)
    if root is None:
        return None
    table = _Table([], [], [], sum(1 for _ in root.iterdescendants()))
    _add(root, table, tokens)
    if sum(map(len, table.contents)) > MAX_TOKENS:
        raise TooLargeError(f"more than {MAX_TOKENS} tokens")
    return table


def _add(node: etree._Element, table: _Table, tokens: "_Tokens") -> None:
    """Add a node behind those below it. The parser nests no deeper than Python does."""
    first = len(table.sizes)
    frame, content = (node.tag, 0, 0), ""
    if node.tag == "td":
        frame = ("td", _span(node.get("colspan")), _span(node.get("rowspan")))
        content = tokens.within(node) if len(node) else node.text or ""
    else:
        for child in node:
            _add(child, table, tokens)
    table.sizes.append(len(table.sizes) - first + 1)
    table.frames.append(frame)
    table.contents.append(content)


def _span(attribute: str | None) -> int:
    if attribute is None:
        return 1
    try:
        return int(attribute)
    except ValueError:
        return 1


class _Tokens:
    """Content as one character a token: a character of the text is itself, a tag one of ``_TAG_CHARACTERS``."""

    def __init__(self) -> None:
        self._characters: dict[str, str] = {}

    def within(self, node: etree._Element) -> str:
        """The content of an element without its own tags; as published, without what follows a ``td`` in it."""
        pieces = [node.text or ""]
        for child in node:
            pieces += (self._tag(f"<{child.tag}>"), self.within(child), self._tag(f"</{child.tag}>"))
            if child.tag != "td":
                pieces.append(child.tail or "")
        return "".join(pieces)

    def _tag(self, tag: str) -> str:
        if tag not in self._characters:
            if len(self._characters) == len(_TAG_CHARACTERS):
                raise TooLargeError(f"more than {len(_TAG_CHARACTERS)} different tags in cells")
            self._characters[tag] = chr(_TAG_CHARACTERS[len(self._characters)])
        return self._characters[tag]


def _structure_costs(frames: Sequence[_Frame], other_frames: Sequence[_Frame]) -> np.ndarray:
    numbers = {frame: number for number, frame in enumerate(dict.fromkeys([*frames, *other_frames]))}
    rows, columns = (np.array([numbers[frame] for frame in side]) for side in (frames, other_frames))
    return (rows[:, None] != columns[None, :]).astype(np.float64)


def _content_costs(labels: Sequence[_Label], other_labels: Sequence[_Label]) -> np.ndarray:
    frames, contents = zip(*labels, strict=True)
    other_frames, other_contents = zip(*other_labels, strict=True)
    costs = cdist(contents, other_contents, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    return np.maximum(costs, _structure_costs(frames, other_frames))
