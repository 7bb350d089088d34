import pytest
import torch

from proofpress.model.jina_ocr.positions import absolute, relative


def table(side: int) -> torch.Tensor:
    return torch.randn(1, side, side, 3, generator=torch.Generator().manual_seed(0))


def test_a_cropped_table_means_the_same_place_in_every_view() -> None:
    small, large = absolute(table(8), 4, 6, "crop"), absolute(table(8), 20, 16, "crop")
    assert torch.equal(small, large[:, :4, :6])


def test_a_cropped_table_repeats_beyond_its_edge() -> None:
    laid = absolute(table(8), 20, 16, "crop")
    assert torch.equal(laid[:, 8:16, 8:16], table(8))


@pytest.mark.parametrize("placing", ["crop", "resize"])
def test_a_table_of_the_views_size_is_taken_as_it_is(placing: str) -> None:
    assert torch.equal(absolute(table(8), 8, 8, placing), table(8))


def test_a_resized_table_keeps_its_corners_apart() -> None:
    ramp = torch.arange(8.0).view(1, 1, 8, 1).expand(1, 8, 8, 1)
    resized = absolute(ramp, 4, 4, "resize")
    assert resized.shape == (1, 4, 4, 1)
    torch.testing.assert_close(resized.mean(), ramp.mean())
    assert (resized[0, 0, 1:, 0] > resized[0, 0, :-1, 0]).all()


@pytest.mark.parametrize("placing", ["crop", "resize"])
def test_relative_positions_are_looked_up_by_query_minus_key(placing: str) -> None:
    distances = torch.arange(-5.0, 6.0)[:, None]
    looked_up = relative(distances, 6, placing)
    query, key = torch.meshgrid(torch.arange(6), torch.arange(6), indexing="ij")
    assert torch.equal(looked_up[..., 0], (query - key).float())


def test_a_cropped_relative_table_keeps_a_pixels_distance() -> None:
    distances = torch.arange(-5.0, 6.0)[:, None]
    assert torch.equal(relative(distances, 3, "crop"), relative(distances, 6, "crop")[:3, :3])


def test_a_resized_relative_table_spans_the_view() -> None:
    distances = torch.arange(-5.0, 6.0)[:, None]
    resized = relative(distances, 3, "resize")[..., 0]
    assert resized[0, 2] < -3  # the farthest key is far whatever the size
    assert resized.diagonal().abs().max() < 1e-5
