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


@pytest.mark.parametrize("limit", [4, 100])
def test_a_query_sees_what_the_mask_shows(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    query, key, value = vectors(3, 2, 4, 9, 8).unbind()
    monkeypatch.setattr(attention, "PLAIN_LIMIT", limit)
    whole = attend(query, key, value, scale=0.3, causal=True)
    later = torch.arange(9) > torch.tensor([[6], [8]])
    mask = torch.zeros(2, 9, dtype=torch.float64).masked_fill(later, float("-inf"))
    part = attend(query[:, :, [6, 8]], key, value, scale=0.3, mask=mask)
    torch.testing.assert_close(part, whole[:, :, [6, 8]])


def test_rotary_positions_are_split_half() -> None:
    """Dimension i turns with dimension i + width/2 by position * base^(-2i/width)."""
    x = vectors(1, 1, 5, 8)
    turned = rotate(x, rotations(torch.arange(3, 8), 8, 100.0))
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
        (rotate(x, rotations(place, 8, 1e4)) * rotate(y, rotations(place + 3, 8, 1e4))).sum()
        for place in torch.tensor([[0], [7], [100]])
    ]
    torch.testing.assert_close(products[0], products[1], rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(products[0], products[2], rtol=1e-5, atol=1e-5)


def test_each_row_may_turn_by_places_of_its_own() -> None:
    x, places = vectors(2, 3, 4, 8), torch.tensor([[0, 1, 2, 3], [7, 8, 9, 10]])
    together = rotate(x, rotations(places, 8, 1e4))
    for row in range(2):
        torch.testing.assert_close(together[row : row + 1], rotate(x[row : row + 1], rotations(places[row], 8, 1e4)))


def empty_cache() -> Cache:
    return Cache.empty(2, 3, 1, 5, 4, dtype=torch.float64, device=torch.device("cpu"))


def test_a_row_of_a_cache_is_written_into_the_cache() -> None:
    cache = empty_cache()
    key, value = vectors(1, 1, 2, 4), vectors(1, 1, 2, 4)
    row = cache.row(1)
    assert row.begin(2).tolist() == [[0, 1]]
    row.extend(0, key, value)
    cache.set_lengths([0, 2, 0], room=1)
    assert cache.begin(1).tolist() == [[0], [2], [0]]
    keys, values = cache.extend(0, vectors(3, 1, 1, 4), vectors(3, 1, 1, 4))
    assert torch.equal(keys[1:2, :, :2], key)
    assert torch.equal(values[1:2, :, :2], value)
    assert torch.equal(keys[:, 0, [0, 2, 0]].diagonal().T, vectors(3, 1, 1, 4)[:, 0, 0])
    assert cache.mask is not None
    assert (cache.mask[:, 0, 0, :4] == 0).tolist() == [[True] + [False] * 3, [True] * 3 + [False], [True] + [False] * 3]
    assert not keys[1, :, 3:].any()


def test_a_row_taken_back_is_written_over() -> None:
    cache = empty_cache()
    first, second = vectors(3, 1, 3, 4), vectors(3, 1, 2, 4) + 1
    cache.set_lengths([0, 0, 0], room=3)
    cache.begin(3)
    cache.extend(0, first, first)
    cache.set_lengths([1, 2, 3], room=2)
    cache.begin(2)
    keys, _ = cache.extend(0, second, second)
    for row, length in enumerate((1, 2, 3)):
        assert torch.equal(keys[row, :, :length], first[row, :, :length])
        assert torch.equal(keys[row, :, length : length + 2], second[row])


def test_a_row_copied_stands_as_far_as_it_is_copied() -> None:
    cache = empty_cache()
    cache.set_lengths([0, 0, 0], room=3)
    cache.begin(3)
    keys, _ = cache.extend(1, vectors(3, 1, 3, 4), vectors(3, 1, 3, 4))
    before = keys.clone()
    cache.copy_row(0, 2, 2)
    assert torch.equal(keys[2, :, :2], before[0, :, :2])
    assert torch.equal(keys[2, :, 2:], before[2, :, 2:])
