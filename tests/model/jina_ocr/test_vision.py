import torch
from torch.nn import functional as F

from proofpress.model.jina_ocr.positions import relative
from proofpress.model.jina_ocr.vision import SamAttention, SamBlock

from .conftest import tiled_config


def sam_attention() -> SamAttention:
    torch.manual_seed(0)
    module = SamAttention(width=16, heads=2, span=8, placing="resize").double()
    torch.nn.init.normal_(module.rel_pos_h)
    torch.nn.init.normal_(module.rel_pos_w)
    return module


def test_relative_positions_are_a_bias_from_the_unscaled_query() -> None:
    """The published formula: softmax(q k / sqrt(d) + q R_rows + q R_columns)."""
    module, x = sam_attention(), torch.randn(3, 8, 6, 16, dtype=torch.float64)
    query, key, value = module.qkv(x).view(3, 48, 3, 2, 8).permute(2, 0, 3, 1, 4)
    to_rows = torch.einsum("bnhwd,hkd->bnhwk", query.view(3, 2, 8, 6, 8), relative(module.rel_pos_h, 8, "resize"))
    to_columns = torch.einsum("bnhwd,wkd->bnhwk", query.view(3, 2, 8, 6, 8), relative(module.rel_pos_w, 6, "resize"))
    bias = (to_rows[..., :, None] + to_columns[..., None, :]).reshape(3, 2, 48, 48)
    mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
    expected = module.proj(mixed.transpose(1, 2).reshape(3, 8, 6, 16))
    torch.testing.assert_close(module(x), expected)


def test_a_window_over_the_edge_attends_to_zeros() -> None:
    torch.manual_seed(0)
    block = SamBlock(tiled_config().sam, window=3, placing="resize").double()
    x = torch.randn(1, 4, 4, 16, dtype=torch.float64)
    mixed = block._in_windows(x)
    corner = torch.zeros(1, 3, 3, 16, dtype=torch.float64)
    corner[:, 0, 0] = x[:, 3, 3]
    torch.testing.assert_close(mixed[:, 3, 3], block.attn(corner)[:, 0, 0])


def test_a_view_lower_than_a_window_is_not_filled_up() -> None:
    torch.manual_seed(0)
    block = SamBlock(tiled_config().sam, window=3, placing="crop").double()
    x = torch.randn(1, 2, 6, 16, dtype=torch.float64)
    torch.testing.assert_close(block._in_windows(x)[:, :, :3], block.attn(x[:, :, :3]))


def test_windows_do_not_see_each_other() -> None:
    torch.manual_seed(0)
    block = SamBlock(tiled_config().sam, window=3, placing="resize").double()
    x = torch.randn(1, 6, 6, 16, dtype=torch.float64)
    other = x.clone()
    other[:, 3:, 3:] += 1
    changed = (block(x) != block(other)).any(-1)[0]
    assert changed[3:, 3:].all()
    assert not changed[:3].any() and not changed[:, :3].any()
