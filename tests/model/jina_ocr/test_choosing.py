from collections import Counter

import numpy as np
import pytest
import torch

from proofpress.model.jina_ocr.choosing import GREEDY, Sampling
from proofpress.model.jina_ocr.decoding import decode

from .conftest import lively
from .test_decoding import drawing, greedy, sized

LOGITS = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
EVENLY = torch.arange(0.0005, 1, 0.001, dtype=torch.float64)


def frequencies(sampling: Sampling) -> list[float]:
    """How often each token is chosen over draws that lie evenly."""
    scores = sampling.scores(LOGITS).expand(len(EVENLY), -1)
    counts = Counter(sampling.choose(scores, EVENLY).tolist())
    return [counts[token] / len(EVENLY) for token in range(4)]


@pytest.mark.parametrize(
    ("sampling", "expected"),
    [
        (Sampling(), [0.5, 0.3, 0.15, 0.05]),
        (Sampling(top_p=0.8), [0.625, 0.375, 0, 0]),
        (Sampling(top_p=0.81), [0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0]),
        (Sampling(top_p=1e-9), [1, 0, 0, 0]),
        (Sampling(temperature=0.5), [0.25 / 0.365, 0.09 / 0.365, 0.0225 / 0.365, 0.0025 / 0.365]),
    ],
)
def test_tokens_are_drawn_as_often_as_they_are_likely(sampling: Sampling, expected: list[float]) -> None:
    assert frequencies(sampling) == pytest.approx(expected, abs=0.002)


def test_scores_are_log_probabilities_at_the_temperature() -> None:
    assert Sampling(temperature=0.5).scores(LOGITS).exp().tolist() == pytest.approx(
        [0.25 / 0.365, 0.09 / 0.365, 0.0225 / 0.365, 0.0025 / 0.365]
    )
    assert GREEDY.scores(LOGITS).exp().tolist() == pytest.approx([0.5, 0.3, 0.15, 0.05])


def test_a_banned_token_is_never_drawn() -> None:
    scores = LOGITS.index_fill(0, torch.tensor([0, 2]), float("-inf")).expand(len(EVENLY), -1)
    assert set(Sampling().choose(scores, EVENLY).tolist()) == {1, 3}


@pytest.mark.parametrize("draw", [0.0, np.nextafter(1.0, 0.0)])
def test_the_ends_of_the_draw_choose_tokens_that_are_likely(draw: float) -> None:
    draws = torch.tensor([draw], dtype=torch.float64)
    assert Sampling(top_p=0.8).choose(LOGITS[None], draws).item() in (0, 1)


@pytest.mark.parametrize("wrong", [{"temperature": 0.0}, {"top_p": 0.0}, {"top_p": 1.5}, {"temperature": -1.0}])
def test_a_sampling_that_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="top_p"):
        Sampling(**wrong)


def test_an_answer_depends_on_its_seed_and_stream_only(nano) -> None:
    network, processor = nano
    network = lively(network)
    images = [drawing(1), sized(2), drawing(3), drawing(4)]
    drawn = greedy(network, processor, images, rows=3, max_tokens=12, chooser=Sampling(2.0, 0.9, seed=5))
    assert drawn == greedy(network, processor, images, rows=3, max_tokens=12, chooser=Sampling(2.0, 0.9, seed=5))
    alone = greedy(
        network, processor, [images[2]], rows=3, max_tokens=12, chooser=Sampling(2.0, 0.9, seed=5), streams=[2]
    )
    assert alone == [drawn[2]]
    other = greedy(network, processor, images, rows=3, max_tokens=12, chooser=Sampling(2.0, 0.9, seed=6))
    assert {one.chosen for one in drawn}.isdisjoint(one.chosen for one in other)


def test_readings_of_one_image_differ_by_their_streams(nano) -> None:
    network, processor = nano
    image = drawing(1)
    drawn = greedy(lively(network), processor, [image] * 4, rows=2, max_tokens=12, chooser=Sampling(2.0))
    assert len({one.chosen for one in drawn}) == 4


def test_log_probabilities_stand_beside_all_chosen_tokens(nano) -> None:
    network, processor = nano
    for _, one in decode(lively(network), processor, [drawing(1), sized(2)], rows=2, max_tokens=12, chooser=Sampling()):
        assert len(one.log_probabilities) == len(one.chosen)
        assert max(one.log_probabilities) < 0
