"""How fast tokens are read: against transformers, by drafts against one by one, and at the full size.

    python benchmarks/decoding.py                              # the peer, the bundled model, its orientation test
    python benchmarks/decoding.py --model my-model             # a model whose multi-token head is trained
    python benchmarks/decoding.py --full /scratch              # jina-ocr-v1 with random weights too: 7 GB of disk

Everything is on one thread but the full size, and all that is compared is measured in one run, in turns.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path

import torch
from heldout import printed
from PIL import Image, ImageDraw
from torch import Tensor

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.choosing import Decoded
from proofpress.model.jina_ocr.config import ModelConfig, TiledViews, named, to_json
from proofpress.model.jina_ocr.decoding import decode
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.model.jina_ocr.weights import write_weights
from proofpress.model.reader import DRAFTS, ORIENTATION_TOKENS, TURNS, Reader

GIB = 1 << 30


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock of one call, what it left to a GPU included."""
    started = time.perf_counter()
    work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - started


def best(turns: int, *works: Callable[[], object]) -> list[float]:
    """The shortest time of each, taken in turns so that what else the machine does meets all alike."""
    for work in works:
        work()
    rounds = [[seconds(work) for work in works] for _ in range(turns)]
    return [min(times) for times in zip(*rounds, strict=True)]


def page(width: int, height: int) -> Image.Image:
    """A page full of marks."""
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for top in range(40, height - 40, 24):
        draw.text((40, top), "the quick brown fox jumps over the lazy dog " * (width // 300), fill="black")
    return image


def endless(config: ModelConfig) -> ModelConfig:
    """The same without an end: an end token that the vocabulary's last place is, which nothing is trained to say."""
    return replace(config, eos_id=config.decoder.vocabulary - 1)


# ---- against transformers --------------------------------------------------------------------------------------------


def peer_config() -> ModelConfig:
    """Of the public kind, small enough that the overhead of a step counts as much as its products."""
    public, ids = named("deepseek-ocr"), named("nano")
    config = replace(
        public,
        sam=replace(
            public.sam, width=48, layers=2, heads=4, mlp_width=96, window=7, global_layers=(1,), grid=16, span=16,
            neck=32, compressor=(48, 64),
        ),
        clip=replace(public.clip, width=64, layers=2, heads=4, mlp_width=128, grid=4),
        decoder=replace(
            public.decoder, vocabulary=4096, width=256, heads=4, layers=6, dense_width=512, experts=32, expert_width=64,
        ),
        views=TiledViews(page_side=256, tile_side=192, min_tiles=2, max_tiles=4),
        pad_id=ids.pad_id, bos_id=ids.bos_id, image_id=ids.image_id,
    )  # fmt: skip
    return endless(config)


def against_transformers(tokens: int) -> None:
    """Greedy reading against ``generate`` of transformers' Unlimited-OCR with the same weights."""
    from safetensors.torch import save_file
    from transformers.models import unlimited_ocr as reference

    torch.manual_seed(0)
    network = JinaOCR(peer_config()).eval()
    network.model.embed_tokens.weight.data.normal_()
    processor = Processor(network.config, nano_tokenizer())
    image = page(180, 150)
    batch = processor.batch([image])
    sam, clip, decoder = network.config.sam, network.config.clip, network.config.decoder
    config = reference.UnlimitedOcrConfig(
        vision_config={
            "sam_config": {
                "hidden_size": sam.width, "output_channels": sam.neck, "num_hidden_layers": sam.layers,
                "num_attention_heads": sam.heads, "image_size": sam.grid * sam.patch, "window_size": sam.window,
                "global_attn_indexes": sam.global_layers, "mlp_dim": sam.mlp_width,
                "downsample_channels": sam.compressor,
            },
            "encoder_config": {
                "hidden_size": clip.width, "intermediate_size": clip.mlp_width, "num_hidden_layers": clip.layers,
                "num_attention_heads": clip.heads, "image_size": clip.grid * clip.patch, "patch_size": clip.patch,
            },
        },
        text_config={
            "vocab_size": decoder.vocabulary, "hidden_size": decoder.width, "intermediate_size": decoder.dense_width,
            "num_hidden_layers": decoder.layers, "num_attention_heads": decoder.heads, "num_key_value_heads": None,
            "n_routed_experts": decoder.experts, "num_experts_per_tok": decoder.experts_per_token,
            "n_shared_experts": decoder.shared_experts, "moe_intermediate_size": decoder.expert_width,
            "rope_parameters": {"rope_type": "default", "rope_theta": decoder.rope_base}, "sliding_window": 4096,
        },
        image_token_id=network.config.image_id,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        save_file(state, f"{folder}/model.safetensors", metadata={"format": "pt"})
        config.save_pretrained(folder)
        peer = reference.UnlimitedOcrForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()

    def ours() -> tuple[int, ...]:
        return next(iter(decode(network, processor, [image], rows=1, max_tokens=tokens)))[1].chosen

    def theirs() -> Tensor:
        with torch.inference_mode():
            return peer.generate(
                input_ids=batch.ids, pixel_values=batch.views.pages, max_new_tokens=tokens, min_new_tokens=tokens,
                do_sample=False, eos_token_id=None, pad_token_id=network.config.pad_id,
            )[0, batch.prompt_length :]  # fmt: skip

    same = list(ours()[:32]) == theirs().tolist()[:32]
    our_time, their_time = best(3, ours, theirs)
    print(
        f"greedy, {tokens} tokens: ours {tokens / our_time:.0f} tokens/s, transformers' generate "
        f"{tokens / their_time:.0f} tokens/s: {their_time / our_time:.2f}x (first tokens equal: {same})"
    )


# ---- drafts ----------------------------------------------------------------------------------------------------------


def crops(count: int) -> list[Image.Image]:
    """Held-out paragraphs, printed for this."""
    return [crop.image for crop in printed(count) if crop.kind == "paragraph"]


def read_all(reader: Reader, images: list[Image.Image], rows: int, drafts: int) -> list[Decoded]:
    """The answers to all images."""
    decoded = decode(reader.network, reader.processor, images, rows=rows, drafts=drafts)
    return [one for _, one in sorted(decoded, key=lambda pair: pair[0])]


def drafts_against_steps(reader: Reader, images: list[Image.Image]) -> None:
    """Speculative against greedy reading, wall-clock, at one row and at eight."""
    if not reader.network.config.draft_heads:
        print(f"speculative: {reader.name} has no multi-token head")
        return
    for rows in (1, 8):
        results: dict[int, list[Decoded]] = {0: [], DRAFTS: []}
        plain = drafted = 0.0
        for start in range(0, len(images), rows):  # few at a time, so that both meet the machine as it is just then
            read = partial(read_all, reader, images[start : start + rows], rows)
            times = best(4, partial(read, 0), partial(read, DRAFTS))
            plain, drafted = plain + times[0], drafted + times[1]
            for drafts, answers in results.items():
                answers += read(drafts)
        tokens = sum(len(one.chosen) for one in results[0])
        passes = sum(one.steps - 1 for one in results[DRAFTS])
        equal = sum(a.chosen == b.chosen for a, b in zip(results[0], results[DRAFTS], strict=True))
        print(
            f"batch {rows}: greedy {tokens / plain:.0f} tokens/s, speculative {tokens / drafted:.0f} tokens/s: "
            f"{plain / drafted:.2f}x with {(tokens - len(images)) / passes:.2f} tokens a verify pass "
            f"({equal} of {len(images)} readings equal)"
        )


def orientation(reader: Reader, images: list[Image.Image]) -> None:
    """How often a turned crop is turned back, and an upright one left alone."""
    for turn in (0, *TURNS):
        turned = [image.transpose(TURNS[turn]) if turn else image for image in images]
        right = sum(found == -turn % 360 for found in reader.turns(turned))
        print(
            f"orientation: {right} of {len(images)} crops turned by {turn} degrees, {ORIENTATION_TOKENS} tokens a way"
        )


# ---- the full size ---------------------------------------------------------------------------------------------------


def full_size(folder: Path, size: tuple[int, int], tokens: int) -> None:
    """Write jina-ocr-v1 with random weights, then load and run it in a process of its own."""
    config = named("jina-ocr-v1")
    if not (folder / checkpoint.CONFIG).exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_weights(folder, noise(config), torch.bfloat16, shard_bytes=GIB)
        (folder / checkpoint.TOKENIZER).write_text(nano_tokenizer().to_json())
        (folder / checkpoint.CONFIG).write_text(json.dumps(to_json(config)))
    width, height = size
    command = [
        sys.executable,
        __file__,
        "--run-full",
        str(folder),
        "--page",
        f"{width}x{height}",
        "--tokens",
        str(tokens),
    ]
    subprocess.run(command, check=True)


def noise(config: ModelConfig) -> Iterator[tuple[str, Tensor]]:
    """Tensors of the configuration's names and shapes, all cut from one block of numbers, so that they need no room."""
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in JinaOCR(config).state_dict().items()}
    generator = torch.Generator().manual_seed(0)
    block = torch.empty(max(map(prod, shapes.values())) + 10_000_000, dtype=torch.bfloat16)
    block.normal_(std=0.02, generator=generator)
    for name, shape in shapes.items():
        start = int(torch.randint(10_000_000, (1,), generator=generator))
        cut = block[start : start + prod(shape)].view(shape)
        yield name, torch.ones(shape) if "norm" in name and name.endswith("weight") else cut


def peak() -> float:
    """The most memory this process has held, in GiB, the mapped parts of files included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def run_full(folder: Path, size: tuple[int, int], tokens: int) -> None:
    """Load the full size and measure one page, a step and a verify pass."""
    started = time.perf_counter()
    network, processor = checkpoint.load(folder, dtype="auto")
    print(f"full size: loaded in {time.perf_counter() - started:.0f} s, peak {peak():.2f} GiB")
    network.config = endless(network.config)
    answers: list[Decoded] = []

    def read() -> None:
        for _, one in decode(network, processor, [page(*size)], rows=1, max_tokens=tokens):
            answers.append(one)

    whole = seconds(read)
    prompt = processor.prompt_length(processor.shape(*size))
    print(f"full size: a page of {size[0]} x {size[1]} pixels, {prompt} prompt tokens, {tokens} read: {whole:.0f} s")
    step, verify, draft = pass_costs(network, prompt)
    per_round = verify + draft
    print(
        f"full size: a step {step * 1e3:.0f} ms ({1 / step:.1f} tokens/s), a verify pass over {DRAFTS + 1} tokens "
        f"{verify * 1e3:.0f} ms, its {DRAFTS} drafts {draft * 1e3:.0f} ms: drafting pays from "
        f"{per_round / step:.2f} tokens a pass, an acceptance of {(per_round / step - 1) / DRAFTS:.0%}; "
        f"peak {peak():.2f} GiB"
    )


@torch.inference_mode()
def pass_costs(network: JinaOCR, length: int, turns: int = 3) -> tuple[float, float, float]:
    """Seconds of one step, of one verify pass, and of all its drafts, after so many positions."""
    capacity = length + 64
    cache, drafted = network.cache(1, capacity), network.cache(1, capacity, layers=1)
    weight = network.model.embed_tokens.weight

    def ids(count: int) -> Tensor:
        # Other tokens each time: the experts they choose are other weights.
        return torch.randint(network.config.decoder.vocabulary, (1, count), device=weight.device)

    def through(count: int) -> Tensor:
        cache.set_lengths([length], room=count)
        hidden, _ = network.model.think(network.model.embed_tokens(ids(count)), cache)
        network.logits(hidden).argmax(-1)
        return hidden

    hidden = through(DRAFTS + 1)

    def drafts() -> None:
        for step in range(DRAFTS):
            count = DRAFTS + 1 if step == 0 else 1
            drafted.set_lengths([length], room=count)
            state = network.draft(network.model.embed_tokens(ids(count)), hidden[:, :count], drafted)
            network.logits(state[:, -1:]).argmax(-1)

    step, verify, draft = best(turns, lambda: through(1), lambda: through(DRAFTS + 1), drafts)
    return step, verify, draft


def main() -> None:
    """Measure and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="nano")
    parser.add_argument("--crops", type=int, default=16, help="Held-out paragraphs to read.")
    parser.add_argument("--full", type=Path, metavar="DIR", help="Where the full size is written, or lies already.")
    parser.add_argument("--page", default="800x1000", help="Of the full size, in pixels.")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--run-full", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    size = tuple(int(side) for side in arguments.page.split("x"))
    torch.set_num_threads(os.cpu_count() or 1)
    if arguments.run_full:
        run_full(arguments.run_full, size, arguments.tokens)
        return
    if arguments.full:
        full_size(arguments.full, size, arguments.tokens)
        return
    torch.set_num_threads(1)
    against_transformers(arguments.tokens)
    reader = Reader.load(arguments.model)
    images = crops(arguments.crops)
    drafts_against_steps(reader, images)
    orientation(reader, images)


if __name__ == "__main__":
    main()
