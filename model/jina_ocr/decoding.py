"""Greedy reading: at each position the likeliest token, for several pages at once over one cache.

    for reading in greedy(network, processor, images, rows=8):
        print(reading.finish, processor.tokenizer.decode(reading.ids))

Each page is seen and its prompt read by itself; then all pages of a batch go on together, one token a pass, always as
``rows`` rows. No page's result depends on the pages it shares a batch with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from PIL import Image
from torch import Tensor

from proofpress.model.jina_ocr.attention import Cache
from proofpress.model.jina_ocr.config import ModelConfig
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.repetition import LoopGuard, repeated

Finish = Literal["eos", "length", "loop"]


@dataclass(frozen=True, slots=True)
class Decoded:
    """One page's tokens without the end token.

    steps: passes of the network. log_probability: mean per chosen token, the end token included, before any ban.
    """

    ids: tuple[int, ...]
    steps: int
    finish: Finish
    log_probability: float


@dataclass(slots=True)
class _Row:
    """A page that is being read: its prompt and answer so far."""

    history: list[int]
    prompt_length: int
    guard: LoopGuard = field(default_factory=LoopGuard)
    log_probabilities: list[float] = field(default_factory=list)
    finish: Finish | None = None
    kept: int | None = None  # tokens of the answer that stay when the rest is a loop

    def choose(self, log_probabilities: Tensor, config: ModelConfig, exempt: set[int | None]) -> int:
        """Take the likeliest next token, of (vocabulary,), that no ban forbids; padding once finished."""
        if self.finish:
            return config.pad_id
        banned = repeated(self.history, config.generation.ngram, config.generation.window) - exempt
        allowed = log_probabilities.clone()
        allowed[list(banned)] = float("-inf")
        token = int(allowed.argmax())
        self.log_probabilities.append(float(log_probabilities[token]))
        if token == config.eos_id:
            self.finish = "eos"
            return token
        self.history.append(token)
        self.kept = self.guard.add(token)
        if self.kept is not None:
            self.finish = "loop"
        return token

    def decoded(self) -> Decoded:
        answer = self.history[self.prompt_length :][: self.kept]
        steps = len(self.log_probabilities)
        return Decoded(tuple(answer), steps, self.finish or "length", sum(self.log_probabilities) / steps)


@torch.inference_mode()
def greedy(
    network: JinaOCR,
    processor: Processor,
    images: Sequence[Image.Image],
    *,
    rows: int,
    max_tokens: int | None = None,
) -> list[Decoded]:
    """Read at most ``rows`` images of one shape; ``ValueError`` if there are more or their shapes differ.

    max_tokens: of an answer, its end token included; by default, and at most, what the configuration allows.
    """
    prompts = [processor.batch([image]) for image in images]
    lengths = {prompt.prompt_length for prompt in prompts}
    if len(images) > rows or len(lengths) != 1:
        raise ValueError(f"{len(images)} images of {len(lengths)} shapes cannot be read as {rows} rows of one")
    length = lengths.pop()
    config, generation = network.config.decoder, network.config.generation
    limit = min(max_tokens or generation.max_tokens, generation.max_tokens, config.max_positions - length)
    weight = network.model.embed_tokens.weight
    cache = Cache.empty(
        config.layers, rows, config.heads, length + limit, config.width // config.heads,
        dtype=weight.dtype, device=weight.device,
    )  # fmt: skip
    logits = weight.new_zeros(rows, config.vocabulary)
    reading = []
    for index, prompt in enumerate(prompts):
        hidden, _ = network.model.think(network.embed(prompt.to(weight.device))[0], cache.row(index))
        logits[index] = network.logits(hidden[:, -1])[0]
        reading.append(_Row(prompt.ids[0].tolist(), length))
    cache.length = length
    exempt = {processor.tokenizer.id_of(token) for token in generation.exempt}
    following = torch.full((rows, 1), network.config.pad_id)
    for step in range(1, limit + 1):
        likely = logits.float().log_softmax(-1).cpu()
        for index, row in enumerate(reading):
            following[index] = row.choose(likely[index], network.config, exempt)
        if step == limit or all(row.finish for row in reading):
            break
        hidden, _ = network.model.think(network.model.embed_tokens(following.to(weight.device)), cache)
        logits = network.logits(hidden[:, -1])
    return [row.decoded() for row in reading]
