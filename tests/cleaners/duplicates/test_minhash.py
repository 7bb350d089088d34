import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.cleaners.duplicates.minhash import BANDS, BINS, SHINGLE, hash_shingles, similarity, sketch

GOLDEN = ([22977, 22977, 34347, 24510], "0xb8a2deec5d393de4")
LETTERS = "abcdefghijklmnopqrstuvwxyzäß中文字"


def random_text(seed: int, length: int) -> str:
    return "".join(np.random.default_rng(seed).choice(list(LETTERS), length))


def jaccard(one: str, other: str) -> float:
    a, b = ({text[at : at + SHINGLE] for at in range(len(text) - SHINGLE + 1)} for text in (one, other))
    return len(a & b) / len(a | b)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(LETTERS, max_size=60), max_size=8))
def test_a_text_has_one_sketch_whatever_stands_beside_it(texts):
    together = sketch(texts)
    assert together.signatures.shape == (len(texts), BINS) and together.bands.shape == (len(texts), BANDS)
    for row, text in enumerate(texts):
        alone = sketch([text])
        assert (alone.signatures[0] == together.signatures[row]).all()
        assert (alone.bands[0] == together.bands[row]).all()
        assert alone.sizes[0] == max(0, len(text) - SHINGLE + 1) == len(hash_shingles(text))


@pytest.mark.parametrize("changed", [0, 2, 10, 40, 400])
def test_equal_bins_estimate_the_jaccard_similarity(changed):
    errors = []
    for seed in range(40):
        text = random_text(seed, 1000)
        places = np.random.default_rng(seed).integers(0, 1000, changed)
        other = "".join("#" if place in places else character for place, character in enumerate(text))
        found = sketch([text, other])
        errors.append(float(similarity(found.signatures[0], found.signatures[1])) - jaccard(text, other))
    assert abs(np.mean(errors)) < 0.02 and np.std(errors) < 0.06


def test_near_texts_share_a_band_and_unrelated_ones_do_not():
    texts = [random_text(seed, 500) for seed in range(200)]
    near = [text[:250] + "#" + text[251:] for text in texts]
    one, other = sketch(texts), sketch(near)
    assert (one.bands == other.bands).any(axis=1).all()
    shuffled = np.roll(one.bands, 1, axis=0)
    assert not (one.bands == shuffled).any()


def test_a_text_too_short_for_a_shingle_shares_no_band():
    assert (sketch(["", "short", "eightchr"]).bands == 0).all()
    assert (sketch(["ninechars"]).bands != 0).all()


def test_sketches_are_what_they_were():
    """Fingerprints on disk outlive a version of NumPy."""
    found = sketch(["the quick brown fox jumps over the lazy dog".replace(" ", "")])
    assert found.sizes.tolist() == [27]
    assert (found.signatures[0][:4].tolist(), hex(int(found.bands[0][0]))) == GOLDEN
