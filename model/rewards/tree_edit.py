"""The edit distance of two ordered trees, exact and compiled; made for trees with many equal parts, as tables are.

The distance is Zhang and Shasha's (SIAM J. Comput. 18(6), 1989): deleting and inserting a node cost 1, renaming one at
most 1. Their recurrence is filled once for each pair of *different* subtrees, since equal ones share a number, and it
is cut short where the answer is known. Each short cut is exact, for a mapping that does otherwise can be exchanged for
one that does and costs no more:

- equal roots are matched, and leave the forests below them: two rows are two sequences of cells;
- equal first and equal last trees of two forests are matched: only the stretch of a table in which the sides differ is
  compared at all, and only its labels are;
- a leaf takes the node of the other subtree that it costs least to rename to.

The kernels (``tree_edit_kernel``) are compiled by numba at first use and kept on disk for the next process.

    tree_edit_distance(Tree(sizes, labels), Tree(other_sizes, other_labels), costs)
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

Label = TypeVar("Label", bound=Hashable)

#: Table entries to fill, some nanoseconds each, and at most as many costs: two tables of 60 rows and 10 columns of
#: different cells are four million.
MAX_WORK = 60_000_000


class TooLargeError(ValueError):
    """The trees would take too long to compare."""


@dataclass(frozen=True, slots=True)
class Tree(Generic[Label]):
    """A tree in post-order. sizes: the number of nodes at and below each node. labels: what each node is."""

    sizes: list[int]
    labels: list[Label]


Costs = Callable[[Sequence[Label], Sequence[Label]], np.ndarray]


def tree_edit_distance(first: Tree[Label], second: Tree[Label], costs: Costs[Label]) -> float:
    """The least total cost that turns the first tree into the second.

    costs(labels, other_labels): the (len(labels), len(other_labels)) costs of renaming, in 0..1, 0 between equal
    labels and no others. Raises ``TooLargeError`` where it would take more than a second or so.
    """
    from proofpress.model.rewards import tree_edit_kernel as kernel  # numba takes half a second to import

    numbers: tuple[dict[Label, int], dict[tuple[int, ...], int]] = ({}, {})
    sizes, labels, subtrees = _numbered(first, *numbers)
    other_sizes, other_labels, other_subtrees = _numbered(second, *numbers)
    start, end, other_start, other_end = kernel.differing(
        sizes, labels, subtrees, other_sizes, other_labels, other_subtrees
    )
    if start == end or other_start == other_end:
        return float(end - start + other_end - other_start)
    part, other_part = slice(start, end), slice(other_start, other_end)
    if _weight(sizes[part], subtrees[part]) * _weight(other_sizes[other_part], other_subtrees[other_part]) > MAX_WORK:
        raise TooLargeError(f"trees of {len(sizes)} and {len(other_sizes)} nodes are too large to compare")
    _, places, labels = np.unique(labels[part], return_index=True, return_inverse=True)
    _, other_places, other_labels = np.unique(other_labels[other_part], return_index=True, return_inverse=True)
    rename = costs(
        [first.labels[start + place] for place in places],
        [second.labels[other_start + place] for place in other_places],
    )
    return float(
        kernel.forest_distance(
            *(sizes[part], labels, subtrees[part]),
            *(other_sizes[other_part], other_labels, other_subtrees[other_part]),
            np.ascontiguousarray(rename, dtype=np.float64),
        )
    )


def _numbered(
    tree: Tree[Label], labels: dict[Label, int], subtrees: dict[tuple[int, ...], int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sizes, and for each node the number of its label and of its subtree; equal ones have equal numbers.

    labels, subtrees: the numbers given so far, to which new ones are added; a leaf's subtree has the number -1 - label.
    """
    numbers = [labels.setdefault(label, len(labels)) for label in tree.labels]
    found: list[int] = []
    leaves = 0  # that stand side by side before the node
    for node, (size, number) in enumerate(zip(tree.sizes, numbers, strict=True)):
        if size == 1:
            leaves += 1
            found.append(-1 - number)
            continue
        if size - 1 <= leaves:
            below = found[node - size + 1 : node]
        else:
            below, child = [], node - 1
            while child > node - size:
                below.append(found[child])
                child -= tree.sizes[child]
            below.reverse()
        leaves = 0
        found.append(subtrees.setdefault((number, *below), len(subtrees)))
    return np.array(tree.sizes), np.array(numbers), np.array(found)


def _weight(sizes: np.ndarray, subtrees: np.ndarray) -> int:
    """The rows that a forest's different subtrees fill in the tables of ``forest_distance``."""
    return len(sizes) + int(sizes[np.unique(subtrees, return_index=True)[1]].sum())
