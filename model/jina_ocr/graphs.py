"""Passes over a cache as CUDA graphs: the launches of a pass are recorded once and played back.

    run = Graphed(function, cache)
    hidden, logits = run(block)         # recorded at the first call of each shape, played at the next

A step over few tokens launches hundreds of small kernels, and launching takes longer than computing. What a graph gives
stands in the same place at each call: use it before the next.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from proofpress.model.jina_ocr.attention import Cache

#: Positions a graph's extent is rounded up to: each extent is a graph of its own.
GRAPH_STEP = 1024

Pass = Callable[..., tuple[Tensor, ...]]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A pass that was recorded: where its inputs and results stand, and what plays it."""

    inputs: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    play: Callable[[], None]


def record(function: Pass, inputs: tuple[Tensor, ...]) -> Recorded:
    """Record a pass on a CUDA device, after running it so that nothing is set up while it is recorded."""
    held = tuple(tensor.clone() for tensor in inputs)
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(2):
            function(*held)
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = function(*held)
    return Recorded(held, results, graph.replay)


class Graphed:
    """A pass that reads ``cache`` and its own inputs and nothing else that changes: one graph a shape and extent."""

    def __init__(self, function: Pass, cache: Cache) -> None:
        self.function, self.cache = function, cache
        self.recorded: dict[tuple[Any, ...], Recorded] = {}

    def __call__(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        key = (self.cache.extent, *(tuple(tensor.shape) for tensor in inputs))
        if key not in self.recorded:
            self.recorded[key] = record(self.function, inputs)
        found = self.recorded[key]
        for place, tensor in zip(found.inputs, inputs, strict=True):
            place.copy_(tensor)
        found.play()
        return found.results
