"""The two encoders of a view: SAM looks closely in windows and joins patches into tokens, CLIP relates the tokens.

    tokens = SamEncoder(config.sam, config.positions)(view)           # (B, C, H, W) -> (B, width, h, w)
    related = ClipEncoder(config.clip, config.positions)(tokens)      # -> (B, h * w, width)

SAM: Kirillov et al. 2023, arXiv 2304.02643, with the relative positions of Li et al. 2022, arXiv 2112.01526. CLIP:
Radford et al. 2021, arXiv 2103.00020. Their chaining: DeepSeek-OCR, arXiv 2510.18234. Module names are those of the
published checkpoint, its spelling included.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from proofpress.model.jina_ocr.attention import attend, join_heads, split_heads
from proofpress.model.jina_ocr.config import ClipConfig, SamConfig
from proofpress.model.jina_ocr.positions import Placing, absolute, relative

#: Queries that would make a bias of more numbers than this are taken in parts.
BIAS_LIMIT = 1 << 25


class PatchConvolution(nn.Module):
    """Square patches of an image to vectors, (B, C, H, W) -> (B, H / patch, W / patch, width)."""

    def __init__(self, channels: int, width: int, patch: int) -> None:
        super().__init__()
        self.proj = nn.Conv2d(channels, width, patch, stride=patch)

    def forward(self, view: Tensor) -> Tensor:
        # In the order of its axes, which all that follows keeps: sums and norms of strided memory are slow.
        return self.proj(view).permute(0, 2, 3, 1).contiguous()


class ChannelNorm(nn.Module):
    """Layer normalisation over the channels of (B, C, h, w)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        normed = F.layer_norm(x.permute(0, 2, 3, 1), self.weight.shape, self.weight, self.bias, eps=1e-6)
        return normed.permute(0, 3, 1, 2)


class SamAttention(nn.Module):
    """Attention over a rectangle of patches with decomposed relative positions, (B, H, W, width) -> the same."""

    def __init__(self, width: int, heads: int, span: int, placing: Placing) -> None:
        super().__init__()
        self.heads, self.placing = heads, placing
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.rel_pos_h = nn.Parameter(torch.zeros(2 * span - 1, width // heads))
        self.rel_pos_w = nn.Parameter(torch.zeros(2 * span - 1, width // heads))

    def forward(self, x: Tensor) -> Tensor:
        _, rows, columns, _ = x.shape
        query, key, value = (split_heads(part, self.heads) for part in self.qkv(x.flatten(1, 2)).chunk(3, -1))
        place = query.unflatten(2, (rows, columns))
        vertical = relative(self.rel_pos_h, rows, self.placing).to(query.dtype)
        horizontal = relative(self.rel_pos_w, columns, self.placing).to(query.dtype)
        # The bias of a key is the unscaled query's product with the vector of its row distance plus that of its column
        # distance.
        to_rows = torch.einsum("bnhwd,hkd->bnhwk", place, vertical).flatten(2, 3)
        to_columns = torch.einsum("bnhwd,wkd->bnhwk", place, horizontal).flatten(2, 3)
        scale = query.shape[-1] ** -0.5
        if torch.is_grad_enabled():
            # Written as further features, the query's products against the key's one-hot row and column, it needs no
            # (N, N) bias to be kept for the backward pass.
            query = torch.cat((query * scale, to_rows, to_columns), -1)
            key = torch.cat((key, _row_and_column(rows, columns, key).expand(*key.shape[:2], -1, -1)), -1)
            mixed = attend(query, key, value, scale=1.0)
        else:
            step = max(1, BIAS_LIMIT // (key[..., 0].numel()))
            mixed = torch.cat(
                [
                    attend(
                        query[:, :, i : i + step], key, value, scale=scale,
                        mask=(to_rows[:, :, i : i + step, :, None] + to_columns[:, :, i : i + step, None]).flatten(-2),
                    )
                    for i in range(0, rows * columns, step)
                ],
                2,
            )  # fmt: skip
        return self.proj(join_heads(mixed)).unflatten(1, (rows, columns))


def _row_and_column(rows: int, columns: int, like: Tensor) -> Tensor:
    """One-hot row and column of each patch, row by row: (rows * columns, rows + columns)."""
    row = torch.eye(rows, dtype=like.dtype, device=like.device).repeat_interleave(columns, 0)
    column = torch.eye(columns, dtype=like.dtype, device=like.device).repeat(rows, 1)
    return torch.cat((row, column), -1)


class SamMlp(nn.Module):
    """The feed-forward net of a SAM block."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.lin1 = nn.Linear(width, hidden)
        self.lin2 = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.lin2(F.gelu(self.lin1(x)))


class SamBlock(nn.Module):
    """One block over (B, H, W, width); ``window`` 0 attends over the whole view."""

    def __init__(self, config: SamConfig, window: int, placing: Placing) -> None:
        super().__init__()
        self.window = window
        self.norm1 = nn.LayerNorm(config.width, eps=1e-6)
        self.attn = SamAttention(config.width, config.heads, window or config.span, placing)
        self.norm2 = nn.LayerNorm(config.width, eps=1e-6)
        self.mlp = SamMlp(config.width, config.mlp_width)

    def forward(self, x: Tensor) -> Tensor:
        normed = self.norm1(x)
        x = x + (self._in_windows(normed) if self.window else self.attn(normed))
        return x + self.mlp(self.norm2(x))

    def _in_windows(self, x: Tensor) -> Tensor:
        """Attention inside each window. Windows over the edge are filled with zeros, which are attended to.

        A view smaller than a window, which no public view is, has windows of its own height or width.
        """
        batch, rows, columns, _ = x.shape
        high, wide = min(self.window, rows), min(self.window, columns)
        x = F.pad(x, (0, 0, 0, -columns % wide, 0, -rows % high))
        down, across = x.shape[1] // high, x.shape[2] // wide
        windows = x.unflatten(2, (across, wide)).unflatten(1, (down, high)).transpose(2, 3).flatten(0, 2)
        mixed = self.attn(windows).unflatten(0, (batch, down, across)).transpose(2, 3)
        return mixed.flatten(3, 4).flatten(1, 2)[:, :rows, :columns]


class SamEncoder(nn.Module):
    """A view to joined tokens, (B, C, H, W) -> (B, compressor[1], h, w)."""

    def __init__(self, config: SamConfig, placing: Placing) -> None:
        super().__init__()
        self.placing = placing
        self.patch_embed = PatchConvolution(config.channels, config.width, config.patch)
        self.pos_embed = nn.Parameter(torch.zeros(1, config.grid, config.grid, config.width))
        self.blocks = nn.ModuleList(
            SamBlock(config, 0 if layer in config.global_layers else config.window, placing)
            for layer in range(config.layers)
        )
        self.neck = nn.Sequential(
            nn.Conv2d(config.width, config.neck, 1, bias=False),
            ChannelNorm(config.neck),
            nn.Conv2d(config.neck, config.neck, 3, padding=1, bias=False),
            ChannelNorm(config.neck),
        )
        first, second = config.compressor
        self.net_2 = nn.Conv2d(config.neck, first, 3, stride=config.strides[0], padding=1, bias=False)
        self.net_3 = nn.Conv2d(first, second, 3, stride=config.strides[1], padding=1, bias=False)

    def forward(self, view: Tensor) -> Tensor:
        x = self.patch_embed(view)
        x = x + absolute(self.pos_embed, x.shape[1], x.shape[2], self.placing).to(x.dtype)
        for block in self.blocks:
            x = block(x)
        return self.net_3(self.net_2(self.neck(x.permute(0, 3, 1, 2))))


class ClipEmbeddings(nn.Module):
    """SAM's tokens with the class token before them and positions added, (B, D, h, w) -> (B, 1 + h * w, D)."""

    def __init__(self, config: ClipConfig, channels: int, placing: Placing) -> None:
        super().__init__()
        self.placing, self.grid = placing, config.grid
        self.class_embedding = nn.Parameter(torch.zeros(config.width))
        # Published but never run: SAM's tokens stand where its output would.
        self.patch_embedding = nn.Conv2d(channels, config.width, config.patch, stride=config.patch, bias=False)
        self.patch_embedding.requires_grad_(False)
        self.position_embedding = nn.Embedding(1 + config.grid**2, config.width)

    def forward(self, tokens: Tensor) -> Tensor:
        rows, columns = tokens.shape[2:]
        table = self.position_embedding.weight
        grid = table[1:].view(1, self.grid, self.grid, -1)
        positions = torch.cat((table[:1], absolute(grid, rows, columns, self.placing).flatten(0, 2)))
        tokens = tokens.flatten(2).mT
        first = self.class_embedding.to(tokens.dtype).expand(tokens.shape[0], 1, -1)
        return torch.cat((first, tokens), 1) + positions.to(tokens.dtype)


class ClipAttention(nn.Module):
    """Full attention over the tokens."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv_proj = nn.Linear(width, 3 * width)
        self.out_proj = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (split_heads(part, self.heads) for part in self.qkv_proj(x).chunk(3, -1))
        return self.out_proj(join_heads(attend(query, key, value, scale=query.shape[-1] ** -0.5)))


class ClipMlp(nn.Module):
    """The feed-forward net of a CLIP block, with CLIP's own approximation of GELU."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.fc2 = nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        x = self.fc1(x)
        return self.fc2(x * torch.sigmoid(1.702 * x))


class ClipBlock(nn.Module):
    """One block over (B, N, width)."""

    def __init__(self, config: ClipConfig) -> None:
        super().__init__()
        self.layer_norm1 = nn.LayerNorm(config.width, eps=1e-5)
        self.self_attn = ClipAttention(config.width, config.heads)
        self.layer_norm2 = nn.LayerNorm(config.width, eps=1e-5)
        self.mlp = ClipMlp(config.width, config.mlp_width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.self_attn(self.layer_norm1(x))
        return x + self.mlp(self.layer_norm2(x))


class ClipTransformer(nn.Module):
    """The stack of blocks."""

    def __init__(self, config: ClipConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(ClipBlock(config) for _ in range(config.layers))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class ClipEncoder(nn.Module):
    """SAM's tokens related to each other, (B, width, h, w) -> (B, h * w, width); the class token is dropped."""

    def __init__(self, config: ClipConfig, channels: int, placing: Placing) -> None:
        super().__init__()
        self.embeddings = ClipEmbeddings(config, channels, placing)
        self.pre_layrnorm = nn.LayerNorm(config.width, eps=1e-5)
        self.transformer = ClipTransformer(config)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.transformer(self.pre_layrnorm(self.embeddings(tokens)))[:, 1:]
