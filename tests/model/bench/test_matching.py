import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.bench.matching import MAX_GROWN, Group, MatchTooLong, assign, distances, match

TEXTS = st.lists(st.text("abcd ", min_size=1, max_size=12), max_size=6)


def test_a_block_parted_in_two_is_grown_again():
    assert match(["the quick brown fox", "a lazy dog"], ["a lazy dog", "the quick", "brown fox"]) == [
        Group((0,), (1, 2)),
        Group((1,), (0,)),
    ]


def test_blocks_run_together_join_their_prediction():
    groups = match(["abcdefgh", "ijklmnopqrstuvwxyz012345"], ["abcdefgh ijklmnopqrstuvwxyz012345"])
    assert groups == [Group((0, 1), (0,))]


def test_leftovers_are_paired_as_well_as_it_goes():
    groups = match(["aaaaaaaa", "bbbbbbbb"], ["aaaaaaaa", "zzzzzzzz"])
    assert groups == [Group((0,), (0,)), Group((1,), (1,))]


def test_the_first_edition_counts_a_block_that_nobody_read_twice():
    gold, predicted = ["aaaaaaaa", "bbbbbbbb"], ["aaaaaaaa"]
    assert match(gold, predicted) == [Group((0,), (0,)), Group((1,), ())]
    assert match(gold, predicted, old=True) == [Group((0,), (0,)), Group((1,), ()), Group((1,), ())]


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_every_gold_block_is_in_one_group(gold, predicted):
    for groups in (match(gold, predicted), assign(gold, predicted)):
        assert sorted(i for group in groups for i in group.gold) == list(range(len(gold)))
        assert {j for group in groups for j in group.predicted} <= set(range(len(predicted)))


@given(st.lists(st.text("abcdefgh", min_size=4, max_size=9), min_size=1, max_size=6, unique=True))
def test_equal_pages_are_matched_block_by_block(texts):
    assert match(texts, texts) == [Group((i,), (i,)) for i in range(len(texts))]


def test_the_work_of_a_page_is_bounded():
    with pytest.raises(MatchTooLong):
        match(["abcdefghij" * 50] * 5, ["klm", "nop"] * 5, work=10_000)


def test_a_group_says_how_far_apart_it_was_matched():
    groups = match(["the quick brown fox", "zzzz"], ["the quick", "brown fax", "yyyyyy"])
    assert [group.edit for group in groups] == [pytest.approx(1 / 19), 1.0]


def test_a_lone_block_joins_no_prediction_that_holds_it():
    gold, predicted = ["abcdefgh", "ijklmnopqrstuvwxyz012345"], ["abcdefgh ijklmnopqrstuvwxyz012345"]
    assert match(gold, predicted, lone=[0]) == [Group((1,), (0,)), Group((0,), ())]


def test_a_block_grows_no_longer_than_upstreams():
    first, *_ = match(["a" * MAX_GROWN * 3, "z"], ["a"] * (MAX_GROWN + 5))
    assert len(first.predicted) == MAX_GROWN


def test_distances_are_over_the_longer_text():
    assert np.allclose(distances(["ab", ""], ["abcd", ""]), [[0.5, 1.0], [1.0, 0.0]])
