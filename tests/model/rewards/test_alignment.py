from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards.alignment import align

values = st.sampled_from([0.0, 0.25, 0.5, 1.0])
matrices = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(values, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
        lambda entries: np.array(entries).reshape(shape)
    )
)


@settings(max_examples=100, deadline=None)
@given(matrices)
def test_no_order_preserving_pairing_is_worth_more(similarity: np.ndarray) -> None:
    rows, columns = similarity.shape
    best = max(
        sum(similarity[i, j] for i, j in zip(some, others, strict=True))
        for count in range(min(rows, columns) + 1)
        for some in combinations(range(rows), count)
        for others in combinations(range(columns), count)
    )
    pairs = align(similarity)
    assert sum(similarity[i, j] for i, j in pairs) == pytest.approx(best)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))


def test_equal_sequences_are_paired_one_to_one_even_where_lines_repeat() -> None:
    assert align(np.ones((3, 3))) == [(0, 0), (1, 1), (2, 2)]
