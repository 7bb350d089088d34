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
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

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


class _Label(NamedTuple):
    """What a node is. spans and content are of ``td`` alone; content has one character a token."""

    tag: str
    colspan: int = 0
    rowspan: int = 0
    content: str = ""


_Frame = tuple[str, int, int]


def teds(prediction: str, gold: str) -> Teds | None:
    """Both metrics of a pair of HTML texts; None where the tables are too large. 0 where one side has no table."""
    first, second = _table(prediction), _table(gold)
    if first is None or second is None:
        return Teds(0.0, 0.0)
    nodes = max(sum(1 for _ in table.iterdescendants()) for table in (first, second))
    try:
        one, other = _trees(first, second)
        distances = (
            tree_edit_distance(one, other, _content_costs),
            tree_edit_distance(one.relabelled(_frame), other.relabelled(_frame), _structure_costs),
        )
    except TooLargeError:
        return None
    return Teds(*(1.0 - distance / nodes if nodes else 1.0 for distance in distances))


def _table(text: str) -> etree._Element | None:
    if "<table" not in text.lower():
        return None
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        document = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.ParseError:  # nothing but comments
        return None
    return None if document is None else next(document.iter("table"), None)


def _trees(*tables: etree._Element) -> list[Tree[_Label]]:
    """The trees of tables whose tokens are to be compared with each other."""
    tags: dict[str, str] = {}
    trees = [Tree.of(table, _children, lambda node: _label(node, tags)) for table in tables]
    if any(sum(len(label.content) for label in tree.labels) > MAX_TOKENS for tree in trees):
        raise TooLargeError(f"more than {MAX_TOKENS} tokens")
    return trees


def _children(node: etree._Element) -> Sequence[etree._Element]:
    return () if node.tag == "td" else list(node)


def _label(node: etree._Element, tags: dict[str, str]) -> _Label:
    if node.tag != "td":
        return _Label(node.tag)
    content = node.text or ""
    if len(node):
        pieces = [content]
        for child in node:
            _add_tokens(child, tags, pieces)
        content = "".join(pieces)
    return _Label("td", _span(node.get("colspan")), _span(node.get("rowspan")), content)


def _span(attribute: str | None) -> int:
    with suppress(ValueError):
        return int(attribute or 1)
    return 1


def _add_tokens(node: etree._Element, tags: dict[str, str], content: list[str]) -> None:
    content += (_token(f"<{node.tag}>", tags), node.text or "")
    for child in node:
        _add_tokens(child, tags, content)
    content.append(_token(f"</{node.tag}>", tags))
    if node.tag != "td":
        content.append(node.tail or "")


def _token(tag: str, tags: dict[str, str]) -> str:
    if tag not in tags:
        if len(tags) == len(_TAG_CHARACTERS):
            raise TooLargeError(f"more than {len(tags)} different tags in cells")
        tags[tag] = chr(_TAG_CHARACTERS[len(tags)])
    return tags[tag]


def _frame(label: _Label) -> _Frame:
    return label[:3]


def _structure_costs(frames: Sequence[_Frame], other_frames: Sequence[_Frame]) -> np.ndarray:
    numbers = {frame: number for number, frame in enumerate(dict.fromkeys([*frames, *other_frames]))}
    rows, columns = (np.array([numbers[frame] for frame in side]) for side in (frames, other_frames))
    return (rows[:, None] != columns[None, :]).astype(np.float64)


def _content_costs(labels: Sequence[_Label], other_labels: Sequence[_Label]) -> np.ndarray:
    contents = [[label.content for label in side] for side in (labels, other_labels)]
    costs = cdist(*contents, scorer=Levenshtein.normalized_distance, dtype=np.float64)
    return np.maximum(costs, _structure_costs(*([_frame(label) for label in side] for side in (labels, other_labels))))
