import pytest
import torch
from PIL import Image

from proofpress.model.jina_ocr.config import TiledViews, named
from proofpress.model.jina_ocr.processor import IGNORED, Processor, ViewShape, _tile_grid
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer

from .conftest import tiled_config

NANO = Processor(named("nano"), nano_tokenizer())
TILED = Processor(tiled_config(), nano_tokenizer())
TOKENIZER = NANO.tokenizer


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (1, 1, (32, 32)),
        (64, 32, (32, 64)),
        (65, 33, (64, 96)),
        (700, 30, (32, 704)),
        (512, 768, (768, 512)),
        (1536, 100, (64, 768)),  # too wide: half the size
        (768, 768, (640, 640)),  # too many pixels
        (10_000, 1, (32, 768)),
    ],
)
def test_a_crop_is_filled_up_to_whole_steps_and_scaled_only_beyond_the_limits(width, height, expected) -> None:
    assert NANO.shape(width, height) == ViewShape(*expected)


def test_paper_and_padding_are_zero_and_ink_is_where_it_was() -> None:
    image = Image.new("RGB", (70, 30), "white")
    image.putpixel((69, 29), (0, 0, 0))
    pages = NANO.views([image]).pages
    assert pages.shape == (1, 1, 32, 96)
    assert torch.nonzero(pages).tolist() == [[0, 0, 29, 69]]


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (640, 640, (0, 0)),
        (641, 100, (1, 6)),
        (1000, 1414, (3, 2)),  # a page: 2 / 3 is nearest to its proportions
        (900, 450, (1, 2)),
        (2000, 1000, (2, 4)),  # the same proportions with pixels enough for more
        (900, 900, (1, 1)),
        (1000, 1000, (2, 2)),
        (3000, 3000, (3, 3)),
    ],
)
def test_tiles_have_the_proportions_of_the_page(width, height, expected) -> None:
    views = TiledViews(page_side=1024, tile_side=640, min_tiles=1, max_tiles=9)
    assert _tile_grid(width, height, views) == expected


def test_public_views_take_the_published_number_of_positions() -> None:
    processor = Processor(named("jina-ocr-v1"), nano_tokenizer())
    assert processor.slots(ViewShape(1024, 1024)) == 273
    assert processor.slots(ViewShape(1024, 1024, 3, 2)) == 903
    assert processor.slots(ViewShape(1024, 1024, 3, 3)) == 1203


def test_tiles_are_cut_row_by_row() -> None:
    image = Image.new("L", (256, 256))
    for x in range(256):
        for y in range(256):
            image.putpixel((x, y), 100 * (y // 128) + 50 * (x // 128))
    tiles = TILED.views([image]).tiles
    assert tiles.shape == (1, 2, 2, 3, 128, 128)
    greys = (tiles.mean((0, 3, 4, 5)) * 0.5 + 0.5) * 255
    torch.testing.assert_close(greys, torch.tensor([[0.0, 50.0], [100.0, 150.0]]), rtol=0, atol=2)


def test_a_page_is_letterboxed_with_grey() -> None:
    page = TILED.views([Image.new("RGB", (100, 50), "white")]).pages[0]
    assert page.shape == (3, 192, 192)
    assert page[:, 96].min() == 1
    assert page[:, :40].abs().max() < 0.01


def test_images_of_different_shapes_cannot_share_a_batch() -> None:
    with pytest.raises(ValueError, match="2 shapes"):
        NANO.batch([Image.new("L", (64, 64)), Image.new("L", (65, 64))])


def test_each_image_has_its_text() -> None:
    with pytest.raises(ValueError, match="1 texts for 2 images"):
        NANO.batch([Image.new("L", (64, 64))] * 2, ["a"])


def test_answers_follow_the_prompt_and_are_labelled_one_ahead() -> None:
    batch = NANO.batch([Image.new("L", (64, 64), 255)] * 2, ["abc", "d"])
    slots = NANO.slots(ViewShape(64, 64))
    assert slots == 4 * 5 + 1
    assert (batch.image_start, batch.prompt_length) == (0, slots + 1)
    assert batch.ids.shape == (2, slots + 1 + 15)
    assert batch.ids[0, : slots + 1].tolist() == [TOKENIZER.image_id] * slots + [TOKENIZER.bos_id]
    a, b, c = TOKENIZER.encode("abc")
    assert batch.ids[0, slots + 1 : slots + 6].tolist() == [a, b, c, TOKENIZER.pad_id, TOKENIZER.pad_id]
    assert batch.labels[0].tolist() == [a, b, c, TOKENIZER.eos_id] + [IGNORED] * 12
    assert batch.labels[1].tolist() == [*TOKENIZER.encode("d"), TOKENIZER.eos_id] + [IGNORED] * 14


def test_without_answers_a_batch_is_the_prompt() -> None:
    batch = NANO.batch([Image.new("L", (64, 64), 255)])
    assert batch.ids.shape[1] == batch.prompt_length
    assert batch.labels.tolist() == [[IGNORED]]


def test_the_public_prompt_stands_around_the_image() -> None:
    batch = TILED.batch([Image.new("RGB", (100, 50))])
    before, after = TILED.config.prompt.before, TILED.config.prompt.after
    assert TOKENIZER.decode(batch.ids[0].tolist()) == before + after
    assert TOKENIZER.decode(batch.ids[0, : batch.image_start].tolist()) == before


def test_deepseeks_prompt_begins_with_the_start_token() -> None:
    config = named("deepseek-ocr")
    batch = Processor(config, nano_tokenizer()).batch([Image.new("RGB", (100, 50))])
    assert batch.ids[0, 0] == TOKENIZER.bos_id
    assert batch.image_start == 1
