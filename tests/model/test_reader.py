import pytest
import torch
from PIL import Image, ImageDraw
from torch.nn import functional as F

from proofpress.model.reader import Reader

from .jina_ocr.conftest import build, crop_config, lively


@pytest.fixture
def reader() -> Reader:
    network, processor = build(crop_config())
    return Reader(lively(network), processor)


def drawing(number: int, width: int = 100) -> Image.Image:
    image = Image.new("RGB", (width, 60), "white")
    ImageDraw.Draw(image).text((5, 5), f"page {number}", fill="black")
    return image


IMAGES = [drawing(0), drawing(1, 200), drawing(2), drawing(3, 40), drawing(4)]
TEXTS = ["a short one", "b", r"\frac{a}{b}", "x" * 40, "y" * 20]


def test_readings_stand_in_the_order_of_their_images(reader: Reader) -> None:
    readings = reader.read(IMAGES, batch_size=2, max_tokens=5)
    for image, reading in zip(IMAGES, readings, strict=True):
        alone = reader.read([image], batch_size=2, max_tokens=5)[0]
        assert (alone.text, alone.likelihood, alone.finish) == (reading.text, reading.likelihood, reading.finish)


@pytest.mark.parametrize("batch_size", [1, 3])
def test_likelihoods_do_not_depend_on_what_they_are_computed_with(reader: Reader, batch_size: int) -> None:
    together = reader.likelihood(IMAGES, TEXTS, batch_size)
    backwards = reader.likelihood(IMAGES[::-1], TEXTS[::-1], batch_size)[::-1]
    alone = [reader.likelihood([image], [text], batch_size)[0] for image, text in zip(IMAGES, TEXTS, strict=True)]
    assert together == backwards == alone


def test_a_likelihood_is_the_mean_log_probability_of_the_label_with_its_end(reader: Reader) -> None:
    batch = reader.processor.batch([IMAGES[0]], ["ab"])
    with torch.inference_mode():
        logits = reader.network(batch).logits[0, :3]
    expected = -F.cross_entropy(logits, batch.labels[0, :3])
    assert reader.likelihood([IMAGES[0]], ["ab"]) == [pytest.approx(float(expected), abs=1e-5)]


def test_nothing_to_read_is_read(reader: Reader) -> None:
    assert reader.read([]) == []
    assert reader.likelihood([], []) == []


def test_a_network_in_training_and_the_threads_are_left_as_they_were(reader: Reader) -> None:
    threads = torch.get_num_threads()
    reader.network.train()
    reader.read([IMAGES[0]], max_tokens=2)
    reader.likelihood([IMAGES[0]], ["a"])
    assert reader.network.training
    assert torch.get_num_threads() == threads
