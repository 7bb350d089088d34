"""The edit distance of two ordered trees (Zhang and Shasha, SIAM J. Comput. 18(6), 1989), a row of its table at a time.

Deleting and inserting a node cost 1, renaming one costs what the caller's matrix says. The published recurrence fills
one table for each pair of keyroots (a node that is not the leftmost child of its parent). Here the keyroots of the
second tree that do not contain each other share one table side by side, and each of its rows is a few numpy calls:
table trees are shallow and wide, so nearly all of the work is in such rows.

    first, second = Shape.of(tree_a, children), Shape.of(tree_b, children)
    tree_edit_distance(first, second, rename)    # rename[i, j]: cost for the i-th and j-th nodes in post-order
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def postorder(root: T, children: Callable[[T], Sequence[T]]) -> list[T]:
    """The nodes below and at ``root``, each after its children, without recursion."""
    mirrored, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        mirrored.append(node)
        waiting.extend(children(node))
    return mirrored[::-1]


@dataclass(frozen=True, slots=True)
class Shape:
    """A tree without its labels. sizes: (n,) nodes at and below each node, in post-order."""

    sizes: np.ndarray

    @classmethod
    def of(cls, root: T, children: Callable[[T], Sequence[T]]) -> "Shape":
        """The shape of a tree given by its root and the function that lists a node's children."""
        sizes: list[int] = []
        finished: list[int] = []  # sizes of the subtrees still without a parent
        for node in postorder(root, children):
            count = len(children(node))
            below = finished[len(finished) - count :]
            del finished[len(finished) - count :]
            finished.append(1 + sum(below))
            sizes.append(finished[-1])
        return cls(np.array(sizes, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def leftmost(self) -> np.ndarray:
        """(n,) post-order index of each node's leftmost leaf."""
        return np.arange(len(self)) - self.sizes + 1

    def keyroots(self) -> list[np.ndarray]:
        """The keyroots, ascending, by level: those of one level have disjoint subtrees, level 0 are leaves."""
        leftmost = self.leftmost
        last = {int(leaf): node for node, leaf in enumerate(leftmost)}  # the highest node above each leftmost leaf
        level = np.full(len(self), -1)
        for node in sorted(last.values()):
            level[node] = 1 + level[leftmost[node] : node].max(initial=0) if self.sizes[node] > 1 else 0
        return [np.flatnonzero(level == value) for value in range(level.max() + 1)]


def work(first: Shape, second: Shape) -> int:
    """How much ``tree_edit_distance`` has to do: entries of its tables, a row's fixed cost counted as 4,000 of them."""
    levels = [second.sizes[level] for level in second.keyroots()[1:]]
    rows = sum(int(first.sizes[level].sum()) for level in first.keyroots()[1:])
    return rows * sum(int(level.sum()) + 4_000 for level in levels)


def tree_edit_distance(first: Shape, second: Shape, rename: np.ndarray) -> float:
    """The least total cost that turns the first tree into the second.

    rename: (len(first), len(second)) costs in 0..1. Ask ``work`` before handing in trees of unknown size.
    """
    n, m = len(first), len(second)
    # One column more than nodes: the empty forest left of a keyroot has no subtree to match.
    distance = np.full((n, m + 1), np.inf)
    rename = np.hstack([rename, np.full((n, 1), np.inf)])
    _match_leaves(first, second, rename, distance)
    tables = [_Columns.side_by_side(second, level) for level in second.keyroots()[1:]]
    for root in sorted(int(node) for level in first.keyroots()[1:] for node in level):
        for columns in tables:
            _fill(first, root, columns, rename, distance)
    return float(distance[n - 1, m - 1])


def _match_leaves(first: Shape, second: Shape, rename: np.ndarray, distance: np.ndarray) -> None:
    """Closed form where one side is a leaf: it takes the best node of the other subtree, the rest is unmatched."""
    leaves = np.flatnonzero(first.sizes == 1)
    for j, (start, size) in enumerate(zip(second.leftmost, second.sizes, strict=True)):
        distance[leaves, j] = size - 1 + rename[leaves, start : j + 1].min(axis=1)
    leaves = np.flatnonzero(second.sizes == 1)
    for i, (start, size) in enumerate(zip(first.leftmost, first.sizes, strict=True)):
        distance[i, leaves] = size - 1 + rename[start : i + 1, leaves].min(axis=0)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of one table: for each keyroot the empty forest, then its nodes in post-order.

    nodes: (c,) the node of each column, -1 for an empty forest. before: (c,) the column of the forest left of that
    node's subtree. spine: (c,) whether the subtree begins where the keyroot's does. segment: (c,) the keyroot's number.
    """

    nodes: np.ndarray
    before: np.ndarray
    spine: np.ndarray
    segment: np.ndarray

    @classmethod
    def side_by_side(cls, shape: Shape, roots: np.ndarray) -> "_Columns":
        spans = [np.arange(shape.leftmost[root] - 1, root + 1) for root in roots]
        segment = np.repeat(np.arange(len(spans)), [len(span) for span in spans])
        nodes = np.concatenate(spans)
        nodes[np.flatnonzero(np.diff(segment, prepend=-1))] = -1
        sizes = np.where(nodes < 0, 0, shape.sizes[nodes])
        spine = (nodes >= 0) & (shape.leftmost[nodes] == shape.leftmost[roots][segment])
        return cls(nodes, np.arange(len(nodes)) - sizes, spine, segment)


def _fill(shape: Shape, root: int, columns: _Columns, rename: np.ndarray, distance: np.ndarray) -> None:
    """Fill the table of one keyroot of the first tree against ``columns``; write the subtree distances it finds."""
    rows = int(shape.sizes[root])
    leftmost = root - rows + 1
    width = len(columns.nodes)
    # Insertions run along a row: with the ramp taken off they are a running minimum, and the ramp's step of ``rows``
    # between keyroots is as much as any value there can be, so that none leaks into the next keyroot's columns.
    ramp = np.arange(width) + columns.segment * float(rows)
    starts = np.flatnonzero(columns.nodes < 0)
    forest = np.empty((rows + 1, width))
    forest[0] = np.arange(width) - starts[columns.segment]
    on_spine = np.flatnonzero(columns.spine)
    spine_nodes = columns.nodes[on_spine]
    for row in range(1, rows + 1):
        node = leftmost + row - 1
        size = int(shape.sizes[node])
        matched = forest[row - size].take(columns.before)
        matched += distance[node].take(columns.nodes, mode="wrap")
        if size == row:  # the subtree begins where the keyroot's does: on both spines the nodes themselves are matched
            matched[on_spine] = forest[row - 1].take(on_spine - 1) + rename[node].take(spine_nodes)
        np.minimum(matched, forest[row - 1] + 1.0, out=matched)
        matched -= ramp
        np.minimum.accumulate(matched, out=matched)
        np.add(matched, ramp, out=forest[row])
        if size == row:
            distance[node, spine_nodes] = forest[row].take(on_spine)
