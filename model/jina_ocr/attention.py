"""Attention for both encoders and the decoder, its rotary positions and its cache of keys and values.

    mixed = attend(query, key, value, scale=head_width**-0.5, causal=True)

Everything is (B, heads, N, head width). Rotary positions: Su et al. 2021, arXiv 2104.09864.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

#: In training, up to this many keys two plain products are faster on a CPU than the fused kernel with its slow backward
#: pass (measured in bfloat16: 26 against 58 ms at 1024 keys, 250 against 687 ms at 3072); beyond it the matrix of
#: weights would fill the memory. Without a backward pass the fused kernel is never slower, and twice as fast at 1024.
PLAIN_LIMIT = 3072

#: So few queries gain nothing from the fused kernel, and of plain products the result does not depend, not even in its
#: last bit, on how many keys follow that the mask hides.
FEW_QUERIES = 16

#: Causal attention goes over blocks of so many queries, each with the keys up to its end: half the products are never
#: made, and the weights of a block are small enough for memory that is used again (a pass and its gradients over 989
#: positions in bfloat16: 70 against 177 ms).
CAUSAL_BLOCK = 256

#: A cache is attended to in whole blocks of this many positions.
EXTENT_STEP = 64


def attend(
    query: Tensor, key: Tensor, value: Tensor, *, scale: float, causal: bool = False, mask: Tensor | None = None
) -> Tensor:
    """Attention of N queries over M keys: (B, heads, N, width of value).

    causal: as many queries as keys, and none sees a later one. mask: added to the logits, broadcast to (B, heads, N,
    M). The value may be narrower than query and key, which carry further features where positions are part of them.
    """
    queries, keys = query.shape[-2], key.shape[-2]
    if keys > PLAIN_LIMIT or (queries > FEW_QUERIES and not torch.is_grad_enabled()):
        missing = key.shape[-1] - value.shape[-1]
        mixed = F.scaled_dot_product_attention(
            query, key, F.pad(value, (0, missing)), mask, is_causal=causal, scale=scale
        )
        return mixed[..., : value.shape[-1]]
    if not causal:
        return _attend_plainly(query * scale, key, value, mask)
    blocks = []
    for start in range(0, keys, CAUSAL_BLOCK):
        end = min(start + CAUSAL_BLOCK, keys)
        block = query[..., start:end, :] * scale
        blocks.append(_attend_plainly(block, key[..., :end, :], value[..., :end, :], causal=True))
    return torch.cat(blocks, -2) if len(blocks) > 1 else blocks[0]


def _attend_plainly(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """Attention of scaled queries; causal: they are the last of the keys' positions."""
    logits = query @ key.mT
    if causal:
        # Adding is quicker than filling, forward and backward.
        later = torch.full(logits.shape[-2:], float("-inf"), dtype=logits.dtype, device=logits.device)
        logits = logits + later.triu_(1 + logits.shape[-1] - logits.shape[-2])
    elif mask is not None:
        logits = logits + mask
    # Autocast would widen the logits to float32 here, which costs more than the rest of the attention.
    with without_autocast(logits.device.type):
        weights = logits.softmax(-1)
    return weights @ value


def without_autocast(device: str) -> AbstractContextManager[Any]:
    """Products in the types of their operands. Where autocast is off already, switching it off would only take time."""
    return torch.autocast(device, enabled=False) if torch.is_autocast_enabled(device) else nullcontext()


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, N, heads * width) as (B, heads, N, width)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x: Tensor) -> Tensor:
    """(B, heads, N, width) as (B, N, heads * width)."""
    return x.transpose(1, 2).flatten(2)


def rotations(places: Tensor, width: int, base: float) -> Tensor:
    """What ``rotate`` multiplies with at these places (..., N): (2, ..., N, width) in float32.

    Of each dimension the cosine of its rotary angle, and the sine with the sign it has there.
    """
    frequencies = base ** (-torch.arange(0, width, 2, device=places.device, dtype=torch.float32) / width)
    angles = places[..., None].float() * frequencies
    cosine, sine = angles.cos(), angles.sin()
    return torch.stack((torch.cat((cosine, cosine), -1), torch.cat((-sine, sine), -1)))


def rotate(x: Tensor, rotation: Tensor) -> Tensor:
    """Rotary positions of (..., B, heads, N, width), split-half: dimension ``i`` turns with ``i + width / 2``.

    rotation: as of ``rotations``, (2, N, width) or one a row, (2, B, N, width).
    """
    cosine, sine = rotation.to(x.dtype).unsqueeze(-3)
    return torch.addcmul(x * cosine, x.roll(x.shape[-1] // 2, -1), sine)


@dataclass(slots=True)
class Cache:
    """Keys and values of the positions read so far, each (layers, B, heads, capacity, head width).

    lengths: (B,), the positions of each row, which may differ: a row is taken back by setting a smaller length. extent:
    positions that are attended to, at least the longest row's with what is added to it, in whole steps of ``step``; 0
    while all rows are empty.
    """

    keys: Tensor
    values: Tensor
    lengths: Tensor
    extent: int = 0
    step: int = EXTENT_STEP
    #: What turns queries and keys at each of its places, (2, capacity, width), once a pass has needed it.
    rotations: Tensor | None = None
    #: All places of a row, (capacity,).
    every: Tensor = field(init=False)
    #: Where the heads of each row begin, (B, heads, 1), and what hides a place and what does not.
    _first: Tensor = field(init=False)
    _hiding: Tensor = field(init=False)
    #: Of the pass that goes on: where its positions are written, and what hides later positions from each of them.
    _slots: Tensor | None = None
    mask: Tensor | None = None

    def __post_init__(self) -> None:
        _, rows, heads, capacity, _ = self.keys.shape
        self.every = torch.arange(capacity, device=self.keys.device)
        self._first = torch.arange(rows * heads, device=self.keys.device).view(rows, heads, 1) * capacity
        self._hiding = self.keys.new_tensor((float("-inf"), 0.0))

    @classmethod
    def empty(
        cls, layers: int, rows: int, heads: int, capacity: int, width: int, *, dtype: torch.dtype, device: torch.device
    ) -> "Cache":
        """Room for ``capacity`` positions of ``rows`` sequences."""
        shape = (layers, rows, heads, -(-capacity // EXTENT_STEP) * EXTENT_STEP, width)
        # Zeros, not what the memory happens to hold: a row nobody fills must not make a NaN.
        keys, values = (torch.zeros(shape, dtype=dtype, device=device) for _ in range(2))
        return cls(keys, values, torch.zeros(rows, dtype=torch.long, device=device))

    def row(self, index: int) -> "Cache":
        """One sequence of this cache from its beginning; what is written to it stands in this cache too."""
        keys, values = self.keys[:, index : index + 1], self.values[:, index : index + 1]
        return Cache(keys, values, torch.zeros_like(self.lengths[:1]))

    def copy_row(self, source: int, target: int, length: int) -> None:
        """Give a row the first positions of another."""
        for kept in (self.keys, self.values):
            kept[:, target, :, :length] = kept[:, source, :, :length]

    def set_lengths(self, lengths: Sequence[int], room: int) -> None:
        """How many positions of each row stand; the next pass adds at most ``room`` to each."""
        self.lengths.copy_(torch.tensor(lengths))
        # In whole steps, and never less than one: fewer shapes, and a row attends over the same blocks in all batches.
        self.extent = min(-(-(max(lengths) + room) // self.step) * self.step, self.keys.shape[3])

    def begin(self, count: int) -> Tensor:
        """Make ready for a pass over the next ``count`` positions of each row; their places, (B, count)."""
        places = self.lengths[:, None] + self.every[:count]
        self._slots = (self._first + places[:, None]).flatten()
        if self.extent:
            later = self.every[: self.extent] > places[:, None, :, None]
            hidden, seen = self._hiding
            self.mask = torch.where(later, hidden, seen)  # (B, 1, count, extent)
        return places

    def extend(self, layer: int, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keep (B, heads, N, width) of the pass's positions; all keys and values of this layer that they attend to."""
        assert self._slots is not None
        for kept, new in ((self.keys, key), (self.values, value)):
            kept[layer].view(-1, new.shape[-1]).index_copy_(
                0, self._slots, new.reshape(-1, new.shape[-1]).to(kept.dtype)
            )
        if not self.extent:
            return key, value
        return self.keys[layer, :, :, : self.extent], self.values[layer, :, :, : self.extent]
