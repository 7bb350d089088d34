import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

from proofpress.generators import wear as workshop
from proofpress.generators.address import Address
from proofpress.generators.wear import PROFILES, wear
from proofpress.generators.wear.legible import illegible
from proofpress.pages import image
from proofpress.pages.record import Element, PageRecord, Source, Word

SIZE = (520, 700)
ADDRESS = Address(7, "press", 3)


def quad(left, top, right, bottom):
    return (left, top, right, top, right, bottom, left, bottom)


@pytest.fixture(scope="module")
def page():
    """Thirty words as black bars with holes, in two elements."""
    picture = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(picture)
    words = []
    for number in range(30):
        left, top = 40 + number % 5 * 90, 60 + number // 5 * 60
        for stroke in range(8):
            draw.rectangle((left + 8 * stroke, top + 2, left + 8 * stroke + 2, top + 14), fill="black")
        words.append(Word(f"w{number}", quad(left - 1, top, left + 61, top + 17), f"e{number // 15}"))
    elements = tuple(Element(f"e{n}", "paragraph", "", (quad(39, 60 + 180 * n, 461, 200 + 180 * n),)) for n in range(2))
    return PageRecord(
        "0" * 32, image.encode_png(picture), *SIZE, "Text.", "page", Source("press", str(ADDRESS), "1", "CC0-1.0"),
        elements, tuple(words), features={"kind": "paper"},
    )  # fmt: skip


def grey(record):
    return np.asarray(Image.open(io.BytesIO(record.image)).convert("L"))


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_a_worn_page_has_its_truth_where_its_ink_is(page, profile):
    worn = wear(page, profile, ADDRESS)
    pixels = grey(worn)
    assert pixels.shape == (worn.height, worn.width)
    assert worn.text == page.text and [word.text for word in worn.words] == [word.text for word in page.words]
    for word in worn.words:
        x, y = np.array(word.quad[::2]), np.array(word.quad[1::2])
        assert x.min() >= 0 and y.min() >= 0 and x.max() <= worn.width and y.max() <= worn.height
        inside = pixels[int(y.min()) : int(y.max()) + 1, int(x.min()) : int(x.max()) + 1].astype(float)
        assert inside.std() > 18, word
    assert worn.features == {"kind": "paper", "wear": profile}
    assert worn.hashes["pixels"] == image.pixel_hash(image.open_image(worn.image))
    assert worn.recipe["wear"]["profile"] == profile and worn.recipe["wear"]["strength"] > 0


@pytest.mark.parametrize("profile", ["photo", "marked"])
def test_wear_is_a_function_of_the_address(page, profile):
    assert wear(page, profile, ADDRESS) == wear(page, profile, ADDRESS)
    assert wear(page, profile, ADDRESS).image != wear(page, profile, Address(7, "press", 4)).image


def test_every_profile_is_lossy_as_it_says(page):
    for profile in PROFILES:
        worn = wear(page, profile, ADDRESS)
        jpeg = any(name == "jpeg" for name, _ in worn.recipe["wear"]["steps"])
        assert (worn.image[:3] == b"\xff\xd8\xff") == jpeg


def test_what_is_left_on_a_page_is_an_element_and_stands_clear_of_words(page):
    marks = []
    for index in range(12):
        worn = wear(page, "marked", Address(7, "press", index))
        marks += [element for element in worn.elements if element.attributes.get("role") in ("stamp", "scribble")]
        assert len({element.id for element in worn.elements}) == len(worn.elements)
    assert {mark.attributes["role"] for mark in marks} == {"stamp", "scribble"}
    assert all(mark.type == "figure" and mark.polygons for mark in marks)
    assert all(mark.attributes["texts"] for mark in marks if mark.attributes["role"] == "stamp")


def test_what_cannot_be_read_is_worn_milder_until_it_can(page, monkeypatch):
    asked = []

    def strict(clean, worn, quads, heights):
        asked.append(worn)
        return "too far" if len(asked) < 3 else None

    monkeypatch.setattr(workshop, "illegible", strict)
    worn = wear(page, "photo", ADDRESS)
    assert worn.recipe["wear"]["strength"] == workshop.STRENGTHS[2]
    monkeypatch.setattr(workshop, "illegible", lambda *_: "never")
    spared = wear(page, "photo", ADDRESS)
    assert spared.recipe["wear"]["strength"] == 0.0 and spared.words == page.words
    assert np.array_equal(grey(spared), grey(page))


WORD = np.full((40, 120), 255, np.uint8)
WORD[12:28, 12:108:6] = 0
QUAD = np.array([quad(10.0, 10.0, 110.0, 30.0)])


@pytest.mark.parametrize(
    ("worn", "heights", "says"),
    [
        (WORD, [20.0], None),
        (255 - (255 - WORD) // 2, [20.0], None),
        (np.full_like(WORD, 255), [20.0], "contrast"),
        (255 - (255 - WORD) // 8, [20.0], "contrast"),
        (np.where(np.arange(120) % 40 < 20, WORD, 0).astype(np.uint8), [20.0], "like itself"),
        (np.random.default_rng(1).integers(0, 256, WORD.shape, dtype=np.uint8), [20.0], "word 0"),
    ],
)
def test_a_word_that_is_gone_is_seen(worn, heights, says):
    found = illegible(WORD, worn, QUAD, heights)
    assert (found is None) if says is None else says in found


def test_a_word_that_became_too_small_is_seen_and_one_that_was_small_is_not():
    small = QUAD * (1, 1, 1, 1, 1, 0.6, 1, 0.6)
    assert "pixels high" in illegible(WORD, WORD, small, [20.0])
    assert illegible(WORD, WORD, small, [8.0]) is None


def test_a_crop_has_no_edge_of_its_paper(page):
    crop = replace(page, task="text", id="1" * 32)
    for index in range(6):
        worn = grey(wear(crop, "turned", Address(7, "press", index)))
        assert worn[[0, -1]].min() > 150 and worn[:, [0, -1]].min() > 150
