"""How fast a CUDA machine reads: greedy and by drafts, with and without CUDA graphs, at several batch sizes.

    python benchmarks/gpu_decode.py                                # jina-ocr-v1 with random bfloat16 weights, and nano
    python benchmarks/gpu_decode.py --model /models/jina-ocr-v1    # a checkpoint instead of random weights
    python benchmarks/gpu_decode.py --toy --device cpu             # the same lines at toy size: does it run?

With random weights no draft is ever taken, so of drafting only the cost of a round is told, and from how many tokens a
pass it would pay; with a trained head what it gives.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from decoding import endless, page, pass_costs, peer_config

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.decoding import decode
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import Tokenizer, nano_tokenizer
from proofpress.model.reader import DRAFTS


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one way to read so many pages. steps: passes in all. seconds: seeing the pages included."""

    pages: int
    tokens: int
    steps: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.tokens / self.seconds:8.0f} tokens/s {self.pages / self.seconds:7.2f} pages/s "
            f"{self.tokens / self.steps:5.2f} tokens a row's pass"
        )


def random_network(device: str, toy: bool) -> tuple[JinaOCR, Processor]:
    """jina-ocr-v1, or a toy of its kind, with random weights made where they are used."""
    config = replace(peer_config(), draft_heads=1) if toy else endless(named("jina-ocr-v1"))
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device(device):
            network = JinaOCR(config).eval()
    finally:
        torch.set_default_dtype(before)
    return network, Processor(config, Tokenizer(nano_tokenizer().library, config))


def measure(network: JinaOCR, processor: Processor, rows: int, tokens: int, size: tuple[int, int], **how) -> Figures:
    """Read two pages a row, after one such reading that warms up."""
    images = [page(*size) for _ in range(2 * rows)]

    def read() -> tuple[int, int]:
        answers = [one for _, one in decode(network, processor, images, rows=rows, max_tokens=tokens, **how)]
        return sum(len(one.chosen) for one in answers), sum(one.steps for one in answers)

    read()
    started = time.perf_counter()
    chosen, steps = read()
    return Figures(len(images), chosen, steps, time.perf_counter() - started)


def ways(network: JinaOCR) -> Iterator[tuple[str, dict]]:
    """The ways to read that this network and device have."""
    drafts = (0, DRAFTS) if network.config.draft_heads else (0,)
    graphs = (False, True) if network.model.image_newline.is_cuda else (False,)
    for count in drafts:
        for graph in graphs:
            name = ("speculative" if count else "greedy") + (", graphs" if graph else "")
            yield name, {"drafts": count, "graphs": graph}


def report(
    name: str, network: JinaOCR, processor: Processor, batches: list[int], tokens: int, size: tuple[int, int]
) -> None:
    """All ways at all batch sizes, and what a round of drafts costs."""
    for rows in batches:
        for way, how in ways(network):
            print(
                f"{name:<12} batch {rows:<3} {way:<20} {measure(network, processor, rows, tokens, size, **how)}",
                flush=True,
            )
    if network.config.draft_heads:
        step, verify, draft = pass_costs(network, processor.prompt_length(processor.shape(*size)), turns=20)
        print(
            f"{name:<12} without graphs a step {step * 1e3:.2f} ms, a verify pass {verify * 1e3:.2f} ms, its drafts "
            f"{draft * 1e3:.2f} ms: drafting pays from {(verify + draft) / step:.2f} tokens a pass"
        )


def main() -> None:
    """Measure and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="A checkpoint's folder instead of random weights.")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--tokens", type=int, default=512, help="Of each page.")
    parser.add_argument("--page", default="1240x1754", help="In pixels.")
    parser.add_argument("--toy", action="store_true", help="Tiny sizes, to see that it runs.")
    arguments = parser.parse_args()
    width, height = (int(side) for side in arguments.page.split("x"))
    if arguments.model:
        network, processor = checkpoint.load(arguments.model, arguments.device, "bfloat16")
    else:
        network, processor = random_network(arguments.device, arguments.toy)
    name = "toy" if arguments.toy else network.config.name
    size = (180, 150) if arguments.toy else (width, height)
    report(name, network, processor, arguments.batches, arguments.tokens, size)
    del network
    nano, its_processor = checkpoint.load("nano", arguments.device, "float32")
    report("nano", nano, its_processor, arguments.batches, arguments.tokens, (512, 200))


if __name__ == "__main__":
    main()
