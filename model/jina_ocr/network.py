"""Jina-OCR: a page's views through two encoders into the prompt of a language model with a mixture of experts.

    network = JinaOCR(named("nano"))
    output = network(processor.batch([image], ["E = mc^2"]))
    loss = cross_entropy(output.logits.flatten(0, 1), batch.labels.flatten(), ignore_index=-100)

One network for every size; its ``state_dict`` has the names and shapes of the published checkpoints
(deepseek-ai/DeepSeek-OCR, jinaai/jina-ocr-v1), so that those load as they are.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from proofpress.model.jina_ocr.attention import Cache, rotations
from proofpress.model.jina_ocr.config import ModelConfig
from proofpress.model.jina_ocr.decoder import DecoderLayer, RootMeanSquareNorm, Routing, Stacked
from proofpress.model.jina_ocr.mtp import MultiTokenModule
from proofpress.model.jina_ocr.processor import Batch, Views
from proofpress.model.jina_ocr.vision import ClipEmbeddings, ClipEncoder, SamEncoder


class Output(NamedTuple):
    """What a teacher-forced pass gives.

    logits: (B, A, vocabulary), at each answer position for the label there. routings: one per mixture layer. vision:
    (B, h, w, width), the page view's tokens before newlines are put in.
    """

    logits: Tensor
    routings: tuple[Routing, ...]
    vision: Tensor

    @property
    def balance(self) -> Tensor:
        """The load-balance loss summed over the mixture layers; 0 without any."""
        return sum((routing.balance for routing in self.routings), self.logits.new_zeros(()).float())

    @property
    def loads(self) -> tuple[Tensor, ...]:
        """Assignments per expert, one tensor per mixture layer."""
        return tuple(routing.load for routing in self.routings)


class Projector(nn.Module):
    """Both encoders' features of a token to the decoder's width."""

    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.layers = nn.Linear(features, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class Trunk(nn.Module):
    """All that the checkpoint calls ``model``: encoders, projector, embedding and decoder layers."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        decoder = config.decoder
        self.rope_base, self.head_width = decoder.rope_base, decoder.width // decoder.heads
        self.embed_tokens = nn.Embedding(decoder.vocabulary, decoder.width)
        self.layers = nn.ModuleList(DecoderLayer(decoder, layer) for layer in range(decoder.layers))
        self.norm = RootMeanSquareNorm(decoder.width)
        self.sam_model = SamEncoder(config.sam, config.positions)
        self.vision_model = ClipEncoder(config.clip, config.sam.channels, config.positions)
        self.projector = Projector(config.clip.width + config.sam.compressor[1], decoder.width)
        self.image_newline = nn.Parameter(torch.zeros(decoder.width))
        self.view_seperator = nn.Parameter(torch.zeros(decoder.width))

    def look(self, views: Tensor) -> Tensor:
        """(B, C, H, W) as vision tokens, (B, h, w, width)."""
        tokens = self.sam_model(views.to(self.image_newline.dtype))
        related = self.vision_model(tokens)
        return self.projector(torch.cat((related, tokens.flatten(2).mT), -1)).unflatten(1, tokens.shape[2:])

    def see(self, views: Views) -> tuple[Tensor, Tensor]:
        """The image's part of the prompt, (B, slots, width), and the page view's tokens, (B, h, w, width).

        Tiles come first, put together to one large map, then the page view, then the separator.
        """
        page = self.look(views.pages)
        maps = [page]
        if views.tiles is not None:
            batch, down, across = views.tiles.shape[:3]
            tiles = self.look(views.tiles.flatten(0, 2)).unflatten(0, (batch, down, across))
            maps.insert(0, tiles.transpose(2, 3).flatten(3, 4).flatten(1, 2))
        lines = [self._with_newlines(tokens) for tokens in maps]
        end = self.view_seperator.to(page.dtype).expand(page.shape[0], 1, -1)
        return torch.cat((*lines, end), 1), page

    def _with_newlines(self, tokens: Tensor) -> Tensor:
        newline = self.image_newline.to(tokens.dtype).expand(*tokens.shape[:2], 1, -1)
        return torch.cat((tokens, newline), 2).flatten(1, 2)

    def think(self, x: Tensor, cache: Cache | None = None) -> tuple[Tensor, tuple[Routing, ...]]:
        """Embedded positions (B, N, width), after those in the cache, to normed hidden states of the same shape."""
        rotation = self.rotation(x.shape[1], cache)
        routings = []
        for layer in self.layers:
            x, routing = layer(x, rotation, cache)
            if routing is not None:
                routings.append(routing)
        return self.norm(x), tuple(routings)

    def rotation(self, count: int, cache: Cache | None = None) -> Tensor:
        """The rotary positions of ``count`` places, from the beginning or after those in the cache."""
        if cache is None:
            return rotations(torch.arange(count, device=self.image_newline.device), self.head_width, self.rope_base)
        places = cache.begin(count)
        if cache.rotations is None:
            cache.rotations = rotations(cache.every, self.head_width, self.rope_base)
        return cache.rotations[:, places]


class JinaOCR(nn.Module):
    """The model of one configuration, freshly initialised from torch's generator."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.model = Trunk(config)
        if not config.decoder.tied:
            self.lm_head = nn.Linear(config.decoder.width, config.decoder.vocabulary, bias=False)
        if config.draft_heads:
            self.mtp_module = MultiTokenModule(config.decoder, config.draft_heads)
        initialise(self)

    def add_draft_head(self) -> None:
        """Put a fresh multi-token head beside a decoder that has none."""
        weight = self.model.embed_tokens.weight
        self.mtp_module = MultiTokenModule(self.config.decoder, heads=1).to(weight.device, weight.dtype)
        initialise(self.mtp_module)
        self.config = replace(self.config, draft_heads=1)

    def forward(self, batch: Batch) -> Output:
        """Teacher forcing: one pass over prompts and answers, logits for the answers only."""
        embedded, page = self.embed(batch)
        hidden, routings = self.model.think(embedded)
        return Output(self.logits(hidden[:, batch.prompt_length - 1 :]), routings, page)

    def embed(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Prompts and answers as the decoder's input, (B, L, width), and the page views' tokens."""
        image, page = self.model.see(batch.views)
        words = self.model.embed_tokens(batch.ids).to(image.dtype)
        start, end = batch.image_start, batch.image_start + image.shape[1]
        return torch.cat((words[:, :start], image, words[:, end:]), 1), page

    def logits(self, hidden: Tensor) -> Tensor:
        """Hidden states (..., width) as logits (..., vocabulary)."""
        return F.linear(hidden, self.model.embed_tokens.weight) if self.config.decoder.tied else self.lm_head(hidden)

    def cache(self, rows: int, capacity: int, layers: int | None = None) -> Cache:
        """An empty cache for so many rows and positions; layers: of the decoder by default, 1 for the draft head."""
        config, weight = self.config.decoder, self.model.embed_tokens.weight
        return Cache.empty(
            layers or config.layers, rows, config.heads, capacity, config.width // config.heads,
            dtype=weight.dtype, device=weight.device,
        )  # fmt: skip

    def draft(self, embedded: Tensor, hidden: Tensor, cache: Cache | None = None) -> Tensor:
        """One step of the multi-token head over (B, N, width): normed hidden states that say one token further ahead.

        hidden: of each position, from ``think`` or from the step before; always after the final norm. embedded: what
        the decoder is fed one position later, or one more for each step before.
        """
        rotation = self.model.rotation(hidden.shape[1], cache)
        return self.model.norm(self.mtp_module.heads[0](embedded, hidden, rotation, cache))

    def unroll(self, embedded: Tensor, hidden: Tensor, steps: int, start: int = 0) -> Iterator[Tensor]:
        """The multi-token head taught: for each step its logits at the positions from ``start``, (B, N - start, V).

        embedded, hidden: (B, N, width), what ``embed`` and ``think`` give for the same positions. The logits of step
        k = 1, 2 ... at position i are for the token at i + 1 + k, so the decoder's labels rolled k places to the left;
        the last k positions have no such token and are to be ignored. FastMTP, section 3.
        """
        for _ in range(steps):
            embedded = F.pad(embedded[:, 1:], (0, 0, 0, 1))
            hidden = self.draft(embedded, hidden)
            yield self.logits(hidden[:, start:])


def initialise(network: nn.Module) -> None:
    """Draw fresh weights. What writes into a residual stream starts small, so that depth does not drown the input."""
    into_stream = ("attn.proj", "mlp.lin2", "self_attn.out_proj", "mlp.fc2", "o_proj", "down_proj")
    for name, module in network.named_modules():
        if name.endswith("mlp.gate"):
            nn.init.normal_(module.weight, std=0.02)
        elif isinstance(module, nn.Linear):
            gain = 0.3 * 0.7 if name.endswith(into_stream) else 0.7
            nn.init.normal_(module.weight, std=gain * module.in_features**-0.5)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif name.endswith("position_embedding"):
            # Places no view has shown yet add nothing, instead of noise.
            nn.init.zeros_(module.weight)
        elif isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        elif isinstance(module, Stacked):
            for stacked in module.published:
                weight = module.get_parameter(stacked)
                gain = 0.3 * 0.7 if stacked in into_stream else 0.7
                nn.init.normal_(weight, std=gain * weight.shape[-1] ** -0.5)
        elif isinstance(module, Trunk):
            for vector in (module.image_newline, module.view_seperator, module.sam_model.pos_embed):
                nn.init.normal_(vector, std=0.02)
        elif isinstance(module, ClipEmbeddings):
            # The normalisation that follows would divide a zero vector: its gradient would drown all others.
            nn.init.normal_(module.class_embedding, std=module.class_embedding.numel() ** -0.5)
