"""The language model: DeepSeek-V2's layers with plain attention and, after the first, a mixture of experts.

    x, routing = DecoderLayer(config, layer=1)(x, rotation)       # x: (B, N, width)

DeepSeekMoE: Dai et al. 2024, arXiv 2401.06066. A token goes to the experts its router likes best, weighted with the
router's plain softmax (the weights of the chosen do not sum to one), and always to the shared net.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from proofpress.model.jina_ocr.attention import Cache, attend, join_heads, rotate, without_autocast
from proofpress.model.jina_ocr.config import DecoderConfig

#: In training an expert's rows are filled up to a multiple of this: each new number of rows makes the CPU's matrix
#: library build a new kernel, which costs more than the empty rows.
ROW_BLOCK = 128

#: With no more experts than this all of them are run on each row, weighted with 0 where they were not chosen. The
#: shapes then do not depend on the routing, so that a row's result does not depend, not even in its last bit, on the
#: rows beside it; and a few large products take less time than many small ones.
RUN_ALL_LIMIT = 16


class Routing(NamedTuple):
    """What a mixture did with one batch of T tokens.

    probabilities: of each expert, (T, experts), in float32. chosen: the experts of each token, (T, per token).
    """

    probabilities: Tensor
    chosen: Tensor

    @property
    def load(self) -> Tensor:
        """Assignments per expert, (experts,)."""
        experts = torch.arange(self.probabilities.shape[-1], device=self.chosen.device)
        # Unlike ``bincount`` this does not wait for a GPU.
        return (self.chosen.flatten()[:, None] == experts).sum(0)

    @property
    def balance(self) -> Tensor:
        """1.0 when the load is spread evenly, more when not; to be minimised with a small weight.

        experts * sum of (mean probability * share of assignments): Fedus et al. 2021, arXiv 2101.03961, equation 4.
        """
        share = self.load / self.chosen.numel()
        return self.probabilities.shape[-1] * (self.probabilities.mean(0) * share).sum()


class RootMeanSquareNorm(nn.Module):
    """RMSNorm, Zhang and Sennrich 2019, arXiv 1910.07467."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        # With a weight of another type than x the fused kernel is not used.
        return F.rms_norm(x, self.weight.shape, self.weight.to(x.dtype), eps=1e-6)


class Stacked(nn.Module):
    """Holds matrices of one shape as one parameter and saves them one by one under their published names.

    published: of each such parameter, the names of its matrices, after the module's own name.
    """

    published: Mapping[str, Sequence[str]]

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name, parts in self.published.items():
            stacked = destination.pop(prefix + name)
            destination.update(zip((prefix + part for part in parts), stacked, strict=True))

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        for name, parts in self.published.items():
            keys = [prefix + part for part in parts]
            if all(key in state_dict for key in keys):
                state_dict[prefix + name] = torch.stack([state_dict.pop(key) for key in keys])
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class DecoderAttention(Stacked):
    """Causal attention with rotary positions, (B, N, width) -> the same. qkv_proj: (3, width, width)."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.qkv_proj = nn.Parameter(torch.empty(3, config.width, config.width))
        self.published = {"qkv_proj": ("q_proj.weight", "k_proj.weight", "v_proj.weight")}
        self.o_proj = nn.Linear(config.width, config.width, bias=False)

    def forward(self, x: Tensor, rotation: Tensor, cache: Cache | None, layer: int) -> Tensor:
        projected = F.linear(x, self.qkv_proj.flatten(0, 1)).unflatten(-1, (3, self.heads, -1))
        parts = projected.permute(2, 0, 3, 1, 4)  # (3, B, heads, N, head width)
        query, key = rotate(parts[:2], rotation)
        value = parts[2]
        mask = None
        if cache is not None:
            key, value = cache.extend(layer, key, value)
            mask = cache.mask
        scale = query.shape[-1] ** -0.5
        return self.o_proj(join_heads(attend(query, key, value, scale=scale, causal=mask is None, mask=mask)))


class GatedMlp(Stacked):
    """SwiGLU, Shazeer 2020, arXiv 2002.05202. gate_up_proj: (2, hidden, width)."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate_up_proj = nn.Parameter(torch.empty(2, hidden, width))
        self.published = {"gate_up_proj": ("gate_proj.weight", "up_proj.weight")}
        self.down_proj = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = F.linear(x, self.gate_up_proj.flatten(0, 1)).chunk(2, -1)
        return self.down_proj(F.silu(gate) * up)


class Experts(Stacked):
    """SwiGLU nets side by side.

    gate_proj, up_proj: (experts, hidden, width). down_proj: (experts, width, hidden).
    """

    def __init__(self, experts: int, width: int, hidden: int) -> None:
        super().__init__()
        self.gate_proj = nn.Parameter(torch.empty(experts, hidden, width))
        self.up_proj = nn.Parameter(torch.empty(experts, hidden, width))
        self.down_proj = nn.Parameter(torch.empty(experts, width, hidden))
        self.published = {
            name: [f"{expert}.{name}.weight" for expert in range(experts)]
            for name in ("gate_proj", "up_proj", "down_proj")
        }

    def each(self, rows: Tensor, sizes: Tensor) -> Tensor:
        """Each expert's net on its own of the rows (T, width), which stand together: the first sizes[0] and so on."""
        gate, up, down = (w.to(rows.dtype).mT for w in (self.gate_proj, self.up_proj, self.down_proj))
        hidden = F.silu(_grouped_product(rows, gate, sizes)) * _grouped_product(rows, up, sizes)
        return _grouped_product(hidden, down, sizes)

    def every(self, x: Tensor, weights: Tensor) -> Tensor:
        """All experts' nets on all rows (T, width), summed with weights (T, experts)."""
        experts, hidden, width = self.gate_proj.shape
        gate = F.linear(x, self.gate_proj.view(-1, width))
        up = F.linear(x, self.up_proj.view(-1, width))
        weighted = (F.silu(gate) * up).unflatten(-1, (experts, hidden)) * weights.to(x.dtype)[..., None]
        return torch.bmm(weighted.transpose(0, 1), self.down_proj.to(weighted.dtype).mT).sum(0)


def _grouped_product(rows: Tensor, matrices: Tensor, sizes: Tensor) -> Tensor:
    """The first sizes[0] of the rows (T, a) times the first of the matrices (E, a, b), and so on: (T, b)."""
    # Not in every torch that we run on, nor for every type and device.
    if hasattr(F, "grouped_mm") and rows.device.type in ("cpu", "cuda") and rows.dtype != torch.float64:
        return F.grouped_mm(rows, matrices, offs=sizes.cumsum(0).to(torch.int32))
    groups = rows.split(sizes.tolist())
    return torch.cat([group @ matrix for group, matrix in zip(groups, matrices, strict=True)])


class Mixture(nn.Module):
    """A mixture of experts, (B, N, width) -> the same, and how it routed."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.chosen = config.experts_per_token
        self.gate = nn.Linear(config.width, config.experts, bias=False)
        self.experts = Experts(config.experts, config.width, config.expert_width)
        self.shared_experts = GatedMlp(config.width, config.shared_experts * config.expert_width)

    def forward(self, x: Tensor) -> tuple[Tensor, Routing]:
        shared = self.shared_experts(x)
        rows = x.flatten(0, 1).to(shared.dtype)  # (T, width)
        with without_autocast(x.device.type):
            probabilities = F.linear(rows.float(), self.gate.weight.float()).softmax(-1)  # (T, experts)
        weights, chosen = probabilities.topk(self.chosen, -1)  # (T, chosen), and they do not sum to one
        routing = Routing(probabilities, chosen)
        if probabilities.shape[-1] > RUN_ALL_LIMIT:
            routed = self._sorted(rows, weights, routing)
        else:
            routed = self.experts.every(rows, torch.zeros_like(probabilities).scatter(-1, chosen, weights))
        return shared + routed.view_as(shared), routing

    def _sorted(self, rows: Tensor, weights: Tensor, routing: Routing) -> Tensor:
        """Each expert's net on the rows that chose it, brought together by sorting: (T, width)."""
        load, expert_of = routing.load, routing.chosen.flatten()  # one entry per assignment, (T * chosen,)
        order = expert_of.argsort(stable=True)
        copies = rows.index_select(0, order // self.chosen)
        if not self.training:
            results = torch.empty_like(copies).index_copy_(0, order, self.experts.each(copies, load))
        else:
            room = -(-load // ROW_BLOCK) * ROW_BLOCK
            shift = (room.cumsum(0) - room) - (load.cumsum(0) - load)
            place = torch.arange(len(order), device=order.device) + shift[expert_of[order]]
            padded = rows.new_zeros(int(room.sum()), rows.shape[-1]).index_copy(0, place, copies)
            sorted_results = self.experts.each(padded, room).index_select(0, place)
            results = torch.zeros_like(sorted_results).index_copy(0, order, sorted_results)
        return (results.unflatten(0, weights.shape) * weights.to(results.dtype)[..., None]).sum(1)


class DecoderLayer(nn.Module):
    """Attention and a feed-forward net; ``layer`` is its place in the cache and decides whether it has experts."""

    def __init__(self, config: DecoderConfig, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.input_layernorm = RootMeanSquareNorm(config.width)
        self.self_attn = DecoderAttention(config)
        self.post_attention_layernorm = RootMeanSquareNorm(config.width)
        self.mlp = GatedMlp(config.width, config.dense_width) if layer < config.dense_layers else Mixture(config)

    def forward(self, x: Tensor, rotation: Tensor, cache: Cache | None = None) -> tuple[Tensor, Routing | None]:
        x = x + self.self_attn(self.input_layernorm(x), rotation, cache, self.layer)
        fed = self.mlp(self.post_attention_layernorm(x))
        mixed, routing = fed if isinstance(fed, tuple) else (fed, None)
        return x + mixed, routing
