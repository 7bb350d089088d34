import pytest
import torch
from PIL import Image, ImageDraw
from torch.nn import functional as F

from proofpress.model import reader as reader_module
from proofpress.model.jina_ocr.choosing import Decoded
from proofpress.model.reader import Reader, _Text
from proofpress.pages.errors import RequestError

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
    together = reader.believe(IMAGES, TEXTS, batch_size)
    backwards = reader.believe(IMAGES[::-1], TEXTS[::-1], batch_size)[::-1]
    alone = [reader.believe([image], [text], batch_size)[0] for image, text in zip(IMAGES, TEXTS, strict=True)]
    assert together == backwards == alone


def test_a_likelihood_is_the_mean_log_probability_of_the_label_with_its_end(reader: Reader) -> None:
    batch = reader.processor.batch([IMAGES[0]], ["ab"])
    with torch.inference_mode():
        logits = reader.network(batch).logits[0, :3]
    expected = -F.cross_entropy(logits, batch.labels[0, :3])
    (belief,) = reader.believe([IMAGES[0]], ["ab"])
    assert belief.likelihood == pytest.approx(float(expected), abs=1e-5)


def test_a_doubt_is_how_much_likelier_another_token_is_where_the_label_surprises_most(reader: Reader) -> None:
    batch = reader.processor.batch([IMAGES[0]], ["ab"])
    with torch.inference_mode():
        logits = reader.network(batch).logits[0, :3]
    behind = [float(row.max() - row[label]) for row, label in zip(logits, batch.labels[0, :3], strict=True)]
    (belief,) = reader.believe([IMAGES[0]], ["ab"])
    assert belief.doubt == pytest.approx(max(behind), abs=1e-5)


def test_what_is_told_while_reading_is_the_reading(reader: Reader) -> None:
    told: dict[int, list[str]] = {index: [] for index in range(len(IMAGES))}
    finished: list[int] = []

    def listener(index: int, piece: str, last: bool) -> None:
        told[index].append(piece)
        if last:
            finished.append(index)

    readings = reader.read(IMAGES, batch_size=2, max_tokens=9, listener=listener)
    assert ["".join(pieces) for pieces in told.values()] == [reading.text for reading in readings]
    assert sorted(finished) == list(range(len(IMAGES)))


def test_characters_of_several_bytes_are_told_whole(reader: Reader) -> None:
    text = _Text(reader.processor)
    ids = reader.processor.tokenizer.encode("a\N{CJK UNIFIED IDEOGRAPH-4E00}b")
    assert len(ids) == 5
    assert [text.add([token]) for token in ids] == ["a", "", "", "", "\N{CJK UNIFIED IDEOGRAPH-4E00}b"]
    assert text.add(ids[1:3]) == ""
    assert text.rest() == "\N{REPLACEMENT CHARACTER}" * 2


def test_likelihoods_of_a_reading_stand_beside_its_tokens(reader: Reader) -> None:
    one = reader.read([IMAGES[0]], max_tokens=7)[0]
    assert len(one.likelihoods) == one.tokens + (one.finish == "eos")
    assert one.likelihood == pytest.approx(sum(one.likelihoods) / len(one.likelihoods))


def test_speculative_reading_reads_the_same(reader: Reader) -> None:
    with pytest.raises(RequestError, match="no multi-token head"):
        reader.read(IMAGES, decoding="speculative")
    reader.network.add_draft_head()
    plain = reader.read(IMAGES, batch_size=2, max_tokens=9)
    drafted = reader.read(IMAGES, batch_size=2, max_tokens=9, decoding="speculative")
    assert [(one.text, one.finish) for one in drafted] == [(one.text, one.finish) for one in plain]


def liking(reader: Reader, likelihoods: dict[tuple[int, int], list[float]], monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that finds an image whose four corners are these likely as told, by the darkest corner."""

    def decode(network, processor, images, **options):
        for index, image in enumerate(images):
            grey = image.convert("L")
            corners = [grey.getpixel(place) for place in ((0, 0), (image.width - 1, 0))]
            left_top_is_dark, right_top_is_dark = (corner < 128 for corner in corners)
            value = likelihoods[(int(left_top_is_dark), int(right_top_is_dark))]
            yield index, Decoded((5,), (value[0],), 1, 1, "eos", 0.0)

    monkeypatch.setattr(reader_module, "decode", decode)


def marked(turn: int) -> Image.Image:
    """Upright it has its top left corner black; turned by so many degrees."""
    image = Image.new("L", (60, 40), 255)
    image.paste(0, (0, 0, 10, 10))
    return image.rotate(turn, expand=True)


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_turned_image_is_turned_back(reader: Reader, turned: int, monkeypatch: pytest.MonkeyPatch) -> None:
    liking(reader, {(1, 0): [-0.1], (0, 1): [-2.0], (0, 0): [-2.0]}, monkeypatch)
    assert reader.turns([marked(turned)]) == [-turned % 360]
    assert reader.read([marked(turned)], upright=True)[0].turned == -turned % 360
    assert reader.read([marked(turned)])[0].turned == 0


def test_an_image_is_not_turned_for_little(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    liking(reader, {(1, 0): [-0.45], (0, 1): [-0.5], (0, 0): [-0.5]}, monkeypatch)
    assert reader.turns([marked(180)]) == [0]


def test_nothing_to_read_is_read(reader: Reader) -> None:
    assert reader.read([]) == []
    assert reader.believe([], []) == []


def test_a_network_in_training_and_the_threads_are_left_as_they_were(reader: Reader) -> None:
    threads = torch.get_num_threads()
    reader.network.train()
    reader.read([IMAGES[0]], max_tokens=2)
    reader.believe([IMAGES[0]], ["a"])
    assert reader.network.training
    assert torch.get_num_threads() == threads
