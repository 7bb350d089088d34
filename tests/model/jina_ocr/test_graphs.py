"""Without a CUDA device a recorded pass is stood in for by one that runs the function over the same held tensors."""

import pytest
import torch
from torch import Tensor

from proofpress.model.jina_ocr import graphs
from proofpress.model.jina_ocr.graphs import Graphed, Recorded

from .conftest import lively
from .test_decoding import greedy, sized


def record(function: graphs.Pass, inputs: tuple[Tensor, ...]) -> Recorded:
    """As a graph: inputs are read and results written where they stand, and what was computed on the way is gone."""
    held = tuple(tensor.clone() for tensor in inputs)
    results = tuple(torch.zeros_like(result) for result in function(*held))

    def play() -> None:
        for place, result in zip(results, function(*held), strict=True):
            place.copy_(result)

    return Recorded(held, results, play)


@pytest.mark.parametrize("drafts", [0, 3])
def test_played_passes_read_the_same(nano, drafts: int, monkeypatch) -> None:
    network, processor = nano
    network.add_draft_head()
    lively(network)
    images = [sized(number) for number in range(5)]
    plain = greedy(network, processor, images, rows=2, max_tokens=15, drafts=drafts)
    recordings: list[Recorded] = []
    monkeypatch.setattr(graphs, "record", lambda *pass_: (recordings.append(record(*pass_)), recordings[-1])[1])
    played = greedy(network, processor, images, rows=2, max_tokens=15, drafts=drafts, graphs=True)
    assert [one.chosen for one in played] == [one.chosen for one in plain]
    assert len(recordings) == 1 + bool(drafts)  # a pass; a guess, of which a fresh head has none taken


def test_each_shape_and_extent_is_recorded_once(nano, monkeypatch) -> None:
    network, _ = nano
    monkeypatch.setattr(graphs, "record", record)
    cache = network.cache(1, 500)
    run = Graphed(lambda x: (x + 1,), cache)
    for extent in (64, 128, 64):
        for count in (1, 4, 1):
            cache.extent = extent
            assert run(torch.full((1, count), 3.0))[0].tolist() == [[4.0] * count]
    assert len(run.recorded) == 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_cuda_graph_reads_the_same(nano) -> None:
    network, processor = nano
    lively(network).to("cuda")
    images = [sized(number) for number in range(3)]
    plain = greedy(network, processor, images, rows=2, max_tokens=15)
    assert [one.chosen for one in greedy(network, processor, images, rows=2, max_tokens=15, graphs=True)] == [
        one.chosen for one in plain
    ]
