"""The compiled half of ``tree_edit``, which says what it computes and why the short cuts are exact.

Trees are post-order arrays: sizes, and the numbers of labels and subtrees. A forest is a range ``start..end`` of nodes;
its last root is its last node, and the root before stands one size before it. Importing this module imports numba; each
function is compiled at its first call, and the machine code is kept on disk.
"""

# mypy: disallow-untyped-defs=False

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as machine code, kept on disk where some folder can be written, else for this process alone."""
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # numba found no place to keep it: a read-only installation without a home
        return njit(function)


@compiled
def differing(sizes, labels, subtrees, other_sizes, other_labels, other_subtrees):
    """What is left of two trees once equal roots and equal first and last trees are matched: two forests."""
    start, end, other_start, other_end = 0, len(sizes), 0, len(other_sizes)
    while True:
        while start < end and other_start < other_end and subtrees[end - 1] == other_subtrees[other_end - 1]:
            end, other_end = end - sizes[end - 1], other_end - other_sizes[other_end - 1]
        for i, j in zip(_roots(sizes, start, end), _roots(other_sizes, other_start, other_end)):  # noqa: B905 (numba has no strict)
            if subtrees[i] != other_subtrees[j]:
                break
            start, other_start = i + 1, j + 1
        if start == end or other_start == other_end:
            break
        single = sizes[end - 1] == end - start and other_sizes[other_end - 1] == other_end - other_start
        if not single or labels[end - 1] != other_labels[other_end - 1]:
            break
        end, other_end = end - 1, other_end - 1
    return start, end, other_start, other_end


@compiled
def forest_distance(sizes, labels, subtrees, other_sizes, other_labels, other_subtrees, rename):
    """The edit distance of two forests, neither empty; rename[labels[i], other_labels[j]] are costs in 0..1."""
    nodes, numbers = _distinct(subtrees)
    other_nodes, other_numbers = _distinct(other_subtrees)
    known = np.empty((len(nodes), len(other_nodes)))  # the distances of subtrees
    table = np.empty((len(sizes) + 1, len(other_sizes) + 1))
    for a, i in enumerate(nodes):
        size = sizes[i]
        first = i - size + 1
        for b, j in enumerate(other_nodes):
            other_size = other_sizes[j]
            other_first = j - other_size + 1
            roots = rename[labels[i], other_labels[j]]
            if subtrees[i] == other_subtrees[j]:
                known[a, b] = 0.0
            elif size == 1 or other_size == 1:
                least = roots
                for x in range(first, i + 1):
                    for y in range(other_first, j + 1):
                        least = min(least, rename[labels[x], other_labels[y]])
                known[a, b] = size + other_size - 2 + least
            elif roots == 0.0:
                _fill(sizes, numbers, first, i, other_sizes, other_numbers, other_first, j, known, table)
                known[a, b] = table[size - 1, other_size - 1]
            else:
                known[a, b] = np.inf  # unless the roots are matched, which the table cannot know yet
                _fill(sizes, numbers, first, i + 1, other_sizes, other_numbers, other_first, j + 1, known, table)
                known[a, b] = min(table[size, other_size], table[size - 1, other_size - 1] + roots)
    _fill(sizes, numbers, 0, len(sizes), other_sizes, other_numbers, 0, len(other_sizes), known, table)
    return table[len(sizes), len(other_sizes)]


@compiled
def _fill(sizes, numbers, start, end, other_sizes, other_numbers, other_start, other_end, known, table):
    """table[x, y]: the distance of the first x nodes of one forest and the first y of the other."""
    for y in range(other_end - other_start + 1):
        table[0, y] = y
    for x in range(1, end - start + 1):
        node = start + x - 1
        row, above, before = table[x], table[x - 1], table[x - sizes[node]]
        costs = known[numbers[node]]
        left = float(x)
        row[0] = left
        for y in range(1, other_end - other_start + 1):
            other = other_start + y - 1
            matched = before[y - other_sizes[other]] + costs[other_numbers[other]]
            left = min(matched, min(above[y], left) + 1.0)
            row[y] = left


@compiled
def _roots(sizes, start, end):
    """The roots of a forest, first to last."""
    roots = np.empty(end - start, dtype=np.int64)
    count = 0
    while end > start:
        roots[count] = end - 1
        count += 1
        end -= sizes[end - 1]
    return roots[:count][::-1]


@compiled
def _distinct(subtrees):
    """The first node of each different subtree, children before parents, and each node's place in that list."""
    lowest = subtrees.min()
    places = np.full(subtrees.max() - lowest + 1, -1)
    nodes = np.empty(len(subtrees), dtype=np.int64)
    numbers = np.empty(len(subtrees), dtype=np.int64)
    count = 0
    for node in range(len(subtrees)):
        place = subtrees[node] - lowest
        if places[place] < 0:
            places[place] = count
            nodes[count] = node
            count += 1
        numbers[node] = places[place]
    return nodes[:count], numbers
