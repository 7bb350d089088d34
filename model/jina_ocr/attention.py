"""Attention for both encoders and the decoder, its rotary positions and its cache of keys and values.

    mixed = attend(query, key, value, scale=head_width**-0.5, causal=True)

Everything is (B, heads, N, head width). Rotary positions: Su et al. 2021, arXiv 2104.09864.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

#: Up to this many keys two plain products are faster on a CPU than the fused kernel, whose backward pass is slow
#: (measured in bfloat16: 26 against 58 ms at 1024 keys, 177 against 295 ms at 2048); beyond it the matrix of weights
#: would fill the memory.
PLAIN_LIMIT = 2048


def attend(query: Tensor, key: Tensor, value: Tensor, *, scale: float, causal: bool = False) -> Tensor:
    """Attention of N queries over M keys: (B, heads, N, width of value).

    causal: the queries are the last N of the M positions and none sees a later one. The value may be narrower than
    query and key, which carry further features where positions are part of them.
    """
    queries, keys = query.shape[-2], key.shape[-2]
    if keys > PLAIN_LIMIT and (queries == keys or not causal):
        missing = key.shape[-1] - value.shape[-1]
        mixed = F.scaled_dot_product_attention(query, key, F.pad(value, (0, missing)), is_causal=causal, scale=scale)
        return mixed[..., : value.shape[-1]]
    logits = (query * scale) @ key.mT
    if causal and queries > 1:
        hidden = torch.full((queries, keys), float("-inf"), dtype=logits.dtype, device=logits.device)
        logits = logits + hidden.triu_(1 + keys - queries)
    # Autocast would widen the logits to float32 here, which costs more than the rest of the attention.
    with torch.autocast(logits.device.type, enabled=False):
        weights = logits.softmax(-1)
    return weights @ value


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, N, heads * width) as (B, heads, N, width)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """(B, heads, N, width) as (B, N, heads * width)."""
    return x.transpose(1, 2).flatten(2)


def rotations(start: int, count: int, width: int, base: float, device: torch.device) -> tuple[Tensor, Tensor]:
    """Cosine and sine, each (count, width / 2) in float32, of the rotary angles at ``start``, ``start + 1`` ..."""
    frequencies = base ** (-torch.arange(0, width, 2, device=device, dtype=torch.float32) / width)
    angles = torch.arange(start, start + count, device=device, dtype=torch.float32)[:, None] * frequencies
    return angles.cos(), angles.sin()


def rotate(x: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary positions, split-half: dimension ``i`` turns together with ``i + width / 2``, not with its neighbour."""
    cosine, sine = (part.to(x.dtype) for part in rotation)
    first, second = x.chunk(2, -1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), -1)


@dataclass(slots=True)
class Cache:
    """Keys and values of the positions read so far, each (layers, B, heads, capacity, head width)."""

    keys: Tensor
    values: Tensor
    length: int = 0

    @classmethod
    def empty(
        cls, layers: int, rows: int, heads: int, capacity: int, width: int, *, dtype: torch.dtype, device: torch.device
    ) -> "Cache":
        """Room for ``capacity`` positions of ``rows`` sequences."""
        shape = (layers, rows, heads, capacity, width)
        # Zeros, not what the memory happens to hold: a row nobody fills must not make a NaN.
        return cls(torch.zeros(shape, dtype=dtype, device=device), torch.zeros(shape, dtype=dtype, device=device))

    def row(self, index: int) -> "Cache":
        """One sequence of this cache from its beginning; what is written to it stands in this cache too."""
        return Cache(self.keys[:, index : index + 1], self.values[:, index : index + 1])

    def extend(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keep (B, heads, N, width) of the next N positions; all keys and values of this layer up to them."""
        end = self.length + key.shape[-2]
        self.keys[layer, :, :, self.length : end] = key
        self.values[layer, :, :, self.length : end] = value
        return self.keys[layer, :, :, :end], self.values[layer, :, :, :end]
