import pytest
import torch
from torch.nn import functional as F

from proofpress.model.jina_ocr import attention
from proofpress.model.jina_ocr.attention import Cache, attend, rotate, rotations


def vectors(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(len(shape)), dtype=torch.float64)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_the_fused_kernels(causal: bool) -> None:
    query, key, value = vectors(3, 2, 4, 9, 8).unbind()
    expected = F.scaled_dot_product_attention(query, key, value, is_causal=causal, scale=0.3)
    torch.testing.assert_close(attend(query, key, value, scale=0.3, causal=causal), expected)


@pytest.mark.parametrize("causal", [False, True])
def test_long_sequences_give_the_same_as_short_ones_would(causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    query, key, value = vectors(2, 4, 9, 8), vectors(2, 4, 9, 8), vectors(2, 4, 9, 5)
    plain = attend(query, key, value, scale=0.3, causal=causal)
    monkeypatch.setattr(attention, "PLAIN_LIMIT", 4)
    torch.testing.assert_close(attend(query, key, value, scale=0.3, causal=causal), plain)


def test_causal_queries_are_the_last_positions() -> None:
    query, key, value = vectors(3, 2, 4, 9, 8).unbind()
    whole = attend(query, key, value, scale=0.3, causal=True)
    torch.testing.assert_close(attend(query[:, :, 6:], key, value, scale=0.3, causal=True), whole[:, :, 6:])


def test_rotary_positions_are_split_half() -> None:
    """Dimension i turns with dimension i + width/2 by position * base^(-2i/width)."""
    x = vectors(1, 1, 5, 8)
    turned = rotate(x, rotations(3, 5, 8, 100.0, x.device))
    position, dimension = 2, 1
    angle = (3 + position) * 100.0 ** (-2 * dimension / 8)
    a, b = x[0, 0, position, dimension], x[0, 0, position, dimension + 4]
    rotated = a + 1j * b
    rotated = rotated * torch.polar(torch.tensor(1.0, dtype=torch.float64), torch.tensor(angle, dtype=torch.float64))
    torch.testing.assert_close(turned[0, 0, position, dimension], rotated.real, rtol=1e-6, atol=1e-6)
    torch.testing.assert_close(turned[0, 0, position, dimension + 4], rotated.imag, rtol=1e-6, atol=1e-6)


def test_products_of_rotated_vectors_depend_on_the_distance_only() -> None:
    x, y = vectors(1, 1, 1, 8), vectors(1, 1, 1, 8) + 1
    products = [
        (rotate(x, rotations(start, 1, 8, 1e4, x.device)) * rotate(y, rotations(start + 3, 1, 8, 1e4, x.device))).sum()
        for start in (0, 7, 100)
    ]
    torch.testing.assert_close(products[0], products[1], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(products[0], products[2], rtol=1e-5, atol=1e-5)


def test_a_row_of_a_cache_is_written_into_the_cache() -> None:
    cache = Cache.empty(2, 3, 1, 5, 4, dtype=torch.float64, device=torch.device("cpu"))
    key, value = vectors(1, 1, 2, 4), vectors(1, 1, 2, 4)
    cache.row(1).extend(0, key, value)
    cache.length = 2
    keys, values = cache.extend(0, vectors(3, 1, 1, 4), vectors(3, 1, 1, 4))
    assert torch.equal(keys[1:2, :, :2], key)
    assert torch.equal(values[1:2, :, :2], value)
    assert not keys[0, :, :2].any()
