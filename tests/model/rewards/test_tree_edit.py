from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards.tree_edit import TooLargeError, Tree, tree_edit_distance

Nested = tuple[str, tuple[Any, ...]]
COSTS = {"ab": 0.25, "ac": 0.5, "bc": 1.0}

trees = st.recursive(
    st.builds(lambda label: (label, ()), st.sampled_from("abc")),
    lambda inner: st.tuples(st.sampled_from("abc"), st.lists(inner, max_size=3).map(tuple)),
    max_leaves=7,
)


def cost(one: str, other: str) -> float:
    return 0.0 if one == other else COSTS["".join(sorted(one + other))]


def costs(labels: list[str], other_labels: list[str]) -> np.ndarray:
    return np.array([[cost(one, other) for other in other_labels] for one in labels])


def flat(tree: Nested) -> Tree[str]:
    """The tree in post-order, without recursion."""
    mirrored, waiting = [], [tree]
    while waiting:
        mirrored.append(waiting.pop())
        waiting.extend(mirrored[-1][1])
    sizes: list[int] = []
    finished: list[int] = []
    for _, below in reversed(mirrored):
        sizes.append(1 + sum(finished.pop() for _ in below))
        finished.append(sizes[-1])
    return Tree(sizes, [label for label, _ in reversed(mirrored)])


def distance(one: Nested, other: Nested) -> float:
    return tree_edit_distance(flat(one), flat(other), costs)


def by_definition(one: Nested, other: Nested) -> float:
    """The recursion over the forests' last trees, as a textbook has it."""

    def size(tree: Nested) -> int:
        return 1 + sum(map(size, tree[1]))

    @cache
    def forests(first: tuple[Nested, ...], second: tuple[Nested, ...]) -> float:
        if not first or not second:
            return sum(map(size, first + second))
        (a, below_a), (b, below_b) = first[-1], second[-1]
        return min(
            forests(first[:-1] + below_a, second) + 1,
            forests(first, second[:-1] + below_b) + 1,
            forests(first[:-1], second[:-1]) + forests(below_a, below_b) + cost(a, b),
        )

    return forests((one,), (other,))


@settings(max_examples=200, deadline=None)
@given(trees, trees)
def test_the_distance_is_the_recursion_s(one: Nested, other: Nested) -> None:
    assert distance(one, other) == pytest.approx(by_definition(one, other), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(trees, trees, st.lists(trees, max_size=2), st.lists(trees, max_size=2))
def test_equal_trees_at_either_end_are_matched_without_loss(
    one: Nested, other: Nested, before: list[Nested], after: list[Nested]
) -> None:
    first, second = (("a", (*before, tree, *after)) for tree in (one, other))
    assert distance(first, second) == pytest.approx(by_definition(first, second), abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(trees, trees)
def test_the_distance_is_symmetric_and_zero_only_between_equal_trees(one: Nested, other: Nested) -> None:
    assert distance(one, other) == pytest.approx(distance(other, one), abs=1e-9)
    assert (distance(one, other) == 0) == (one == other)


def test_the_tests_trees_are_in_postorder() -> None:
    tree = ("a", (("b", (("c", ()), ("d", ()))), ("e", ())))
    assert flat(tree) == Tree([1, 1, 3, 1, 5], ["c", "d", "b", "e", "a"])


def test_a_deep_tree_needs_no_recursion() -> None:
    one: Nested = ("a", ())
    other: Nested = ("b", ())
    for _ in range(2_000):
        one, other = ("a", (one,)), ("a", (other,))
    assert distance(one, one) == 0
    assert distance(one, other) == 0.25


def test_trees_that_would_take_long_are_refused() -> None:
    one, other = (Tree([*[1] * 20_000, 20_001], [*map(str, range(start, start + 20_000)), "a"]) for start in (0, 9))
    with pytest.raises(TooLargeError, match="20001"):
        tree_edit_distance(one, other, costs)
