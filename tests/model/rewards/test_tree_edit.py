from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards.tree_edit import Shape, postorder, tree_edit_distance, work

Tree = tuple[str, tuple[Any, ...]]
COSTS = {"ab": 0.25, "ac": 0.5, "bc": 1.0}

trees = st.recursive(
    st.builds(lambda label: (label, ()), st.sampled_from("abc")),
    lambda inner: st.tuples(st.sampled_from("abc"), st.lists(inner, max_size=3).map(tuple)),
    max_leaves=7,
)


def cost(one: str, other: str) -> float:
    return 0.0 if one == other else COSTS["".join(sorted(one + other))]


def children(tree: Tree) -> tuple[Tree, ...]:
    return tree[1]


def size(tree: Tree) -> int:
    return 1 + sum(map(size, tree[1]))


def distance(one: Tree, other: Tree) -> float:
    rows, columns = postorder(one, children), postorder(other, children)
    rename = np.array([[cost(row[0], column[0]) for column in columns] for row in rows])
    return tree_edit_distance(Shape.of(one, children), Shape.of(other, children), rename)


def by_definition(one: Tree, other: Tree) -> float:
    """The recursion over the forests' last trees, as a textbook has it."""

    @cache
    def forests(first: tuple[Tree, ...], second: tuple[Tree, ...]) -> float:
        if not first or not second:
            return sum(map(size, first + second))
        (a, below_a), (b, below_b) = first[-1], second[-1]
        return min(
            forests(first[:-1] + below_a, second) + 1,
            forests(first, second[:-1] + below_b) + 1,
            forests(first[:-1], second[:-1]) + forests(below_a, below_b) + cost(a, b),
        )

    return forests((one,), (other,))


@settings(max_examples=100, deadline=None)
@given(trees, trees)
def test_the_distance_is_the_recursion_s(one: Tree, other: Tree) -> None:
    assert distance(one, other) == pytest.approx(by_definition(one, other), abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(trees, trees)
def test_the_distance_is_symmetric_and_zero_only_between_equal_trees(one: Tree, other: Tree) -> None:
    assert distance(one, other) == pytest.approx(distance(other, one), abs=1e-9)
    assert (distance(one, other) == 0) == (one == other)


def test_nodes_come_after_their_children_and_in_order() -> None:
    tree = ("a", (("b", (("c", ()), ("d", ()))), ("e", ())))
    assert [label for label, _ in postorder(tree, children)] == ["c", "d", "b", "e", "a"]
    assert Shape.of(tree, children).sizes.tolist() == [1, 1, 3, 1, 5]


def test_a_deep_tree_needs_no_recursion() -> None:
    tree: Tree = ("a", ())
    for _ in range(2_000):
        tree = ("a", (tree,))
    shape = Shape.of(tree, children)
    assert tree_edit_distance(shape, shape, np.zeros((2_001, 2_001))) == 0


def test_work_grows_with_both_trees() -> None:
    row = ("row", tuple(("cell", ()) for _ in range(5)))
    small, large = (Shape.of(("table", (row,) * rows), children) for rows in (2, 20))
    assert work(small, small) < work(small, large) < work(large, large)
