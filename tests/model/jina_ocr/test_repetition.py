import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.jina_ocr.repetition import LOOP_BLOCKS, LOOP_TOKENS, LoopGuard, RepetitionBan

texts = st.lists(st.integers(0, 2), max_size=30)


def naive(history: list[int], ngram: int, window: int) -> set[int]:
    sequences = [history[i : i + ngram] for i in range(max(0, len(history) - window), len(history) - ngram + 1)]
    return {s[-1] for s in sequences if s[:-1] == history[len(history) - ngram + 1 :]}


@settings(max_examples=100)
@given(texts, st.integers(2, 5), st.integers(5, 20))
def test_what_would_complete_a_repeated_sequence_is_found(history: list[int], ngram: int, window: int) -> None:
    assert RepetitionBan(history, ngram, window, frozenset()).banned() == naive(history, ngram, window)


def test_exempt_ids_are_never_banned() -> None:
    assert RepetitionBan([1, 2, 3, 1, 2, 4, 1, 2], 3, 100, frozenset({3})).banned() == {4}


def watch(tokens: list[int]) -> tuple[int, int | None]:
    """How many tokens were taken, and what is kept if that was a loop."""
    guard = LoopGuard()
    for count, token in enumerate(tokens, 1):
        if (kept := guard.add(token)) is not None:
            return count, kept
    return len(tokens), None


@pytest.mark.parametrize("block", [[7], [7, 8], [7, 8, 9, 10, 11], list(range(10, 74))])
def test_a_loop_is_cut_to_its_first_block(block: list[int]) -> None:
    start = list(range(100, 200))
    taken, kept = watch(start + block * 100)
    assert taken == len(start) + LOOP_BLOCKS * len(block)
    assert kept == len(start) + len(block)


def test_short_texts_may_repeat() -> None:
    assert watch([7] * (LOOP_TOKENS - 1)) == (LOOP_TOKENS - 1, None)
    assert watch([7] * 200) == (LOOP_TOKENS, 1)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_fewer_blocks_are_no_loop(block: list[int]) -> None:
    ending = list(range(100, 200)) + block * (LOOP_BLOCKS - 1)
    if len(set(block)) > 1 and (block * 2).index(block[0], 1) == len(block):
        assert watch(ending)[1] is None
