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
from lxml import etree, html
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from proofpress.model.rewards.tree_edit import Shape, postorder, tree_edit_distance, work

#: About one second; two tables of 60 rows and 10 columns need a fifteenth of it.
MAX_WORK = 200_000_000
MAX_TOKENS = 200_000


@dataclass(frozen=True, slots=True)
class Teds:
    """Both values, each at most 1."""

    teds: float
    teds_s: float


_Contents = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """A parsed table. labels: (tag, colspan, rowspan) of each node in post-order. contents: its token list; for all but
    ``td`` empty. elements: how many elements there are below ``<table>``, those inside cells too."""

    shape: Shape
    labels: tuple[tuple[str, int, int], ...]
    contents: _Contents
    elements: int


def teds(prediction: str, gold: str) -> Teds | None:
    """Both metrics of a pair of HTML texts; None where the tables are too large. 0 where one side has no table."""
    first, second = _parse(prediction), _parse(gold)
    if first is None or second is None:
        return Teds(0.0, 0.0)
    tokens = max(sum(map(len, table.contents)) for table in (first, second))
    if tokens > MAX_TOKENS or work(first.shape, second.shape) > MAX_WORK:
        return None
    nodes = max(first.elements, second.elements)
    structure = _structure_costs(first, second)
    content = np.maximum(structure, _content_costs(first.contents, second.contents))
    values = [
        1.0 - tree_edit_distance(first.shape, second.shape, costs) / nodes if nodes else 1.0
        for costs in (content, structure)
    ]
    return Teds(*values)


def _parse(text: str) -> _Table | None:
    if "<table" not in text.lower():
        return None
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        document = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:  # nothing but comments
        return None
    root = next(document.iter("table"), None)
    if root is None:
        return None
    nodes = postorder(root, _children)
    return _Table(
        shape=Shape.of(root, _children),
        labels=tuple(_label(node) for node in nodes),
        contents=tuple(tuple(_tokens(node)[1:-1]) if node.tag == "td" else () for node in nodes),
        elements=sum(1 for _ in root.iterdescendants()),
    )


def _children(node: etree._Element) -> Sequence[etree._Element]:
    return () if node.tag == "td" else list(node)


def _label(node: etree._Element) -> tuple[str, int, int]:
    return (node.tag, _span(node, "colspan"), _span(node, "rowspan")) if node.tag == "td" else (node.tag, 0, 0)


def _span(node: etree._Element, name: str) -> int:
    try:
        return int(node.get(name, "1"))
    except ValueError:
        return 1


def _tokens(node: etree._Element) -> list[str]:
    tokens = [f"<{node.tag}>", *(node.text or "")]
    for child in node:
        tokens += _tokens(child)
    tokens.append(f"</{node.tag}>")
    if node.tag != "td":
        tokens += node.tail or ""
    return tokens


def _structure_costs(first: _Table, second: _Table) -> np.ndarray:
    numbers = {label: number for number, label in enumerate(dict.fromkeys(first.labels + second.labels))}
    rows, columns = (np.array([numbers[label] for label in table.labels]) for table in (first, second))
    return (rows[:, None] != columns[None, :]).astype(float)


def _content_costs(first: _Contents, second: _Contents) -> np.ndarray:
    """(len(first), len(second)) normalised Levenshtein distances of token lists, each different pair measured once."""
    characters = {
        token: chr(number) for number, token in enumerate(dict.fromkeys(t for c in first + second for t in c))
    }
    rows, row_of = _distinct(first)
    columns, column_of = _distinct(second)
    spelled = [["".join(characters[token] for token in content) for content in side] for side in (rows, columns)]
    edits = cdist(*spelled, scorer=Levenshtein.distance, dtype=np.int32)
    longest = np.maximum.outer([len(c) for c in rows], [len(c) for c in columns])
    return (edits / np.maximum(longest, 1))[np.ix_(row_of, column_of)]


def _distinct(contents: _Contents) -> tuple[list[tuple[str, ...]], np.ndarray]:
    numbers = {content: number for number, content in enumerate(dict.fromkeys(contents))}
    return list(numbers), np.array([numbers[content] for content in contents])
