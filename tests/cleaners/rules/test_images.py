"""What a picture must be for its label, on pictures drawn here."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from proofpress.cleaners.print import Print
from proofpress.cleaners.rule import KEEP, Drop, Keep
from proofpress.cleaners.rules.images import IMAGE_RULES, Sample
from proofpress.pages.image import trim
from proofpress.pages.record import Element

RULES = {rule.name: rule for rule in IMAGE_RULES}
TEXT = "The sun warms the sea and the wind carries water inland."


def paper(lines=(TEXT,) * 3, size=(640, 160), font=20, ink="black", ground="white"):
    image = Image.new("RGB", size, ground)
    pen = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        pen.text((20, 16 + 2 * font * number), line, fill=ink, font=ImageFont.load_default(size=font))
    return image


def said(name, image, text=TEXT * 3, task="text", **more):
    return RULES[name].judge(Sample(image, text, task, **more))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    "image",
    [paper(), paper(ink="white", ground="black"), paper(ink="#224", ground="#fda"), paper(ink="#888", ground="#fff")],
    ids=["black on white", "white on black", "on colour", "grey"],
)
def test_print_of_any_colour_is_kept(name, image):
    assert said(name, image) == KEEP


@pytest.mark.parametrize(
    ("name", "image", "reason"),
    [
        ("image.size", Image.new("RGB", (20_000, 90)), "image.size"),
        ("image.size", Image.new("RGB", (90, 5)), "image.tiny"),
        ("image.blank", paper(()), "image.blank"),
        ("image.blank", paper((), ground="#876"), "image.blank"),
        ("image.small", paper().resize((80, 20)), "image.small"),
        ("image.cut", paper().crop((27, 0, 640, 160)), "image.cut"),
        ("image.cut", paper().crop((0, 0, 640, 66)), "image.cut"),
        ("image.mismatch", paper((TEXT,) * 8, size=(640, 360)), "image.mismatch"),
    ],
)
def test_what_cannot_show_its_label_is_dropped(name, image, reason):
    verdict = said(name, image, text="The sun" if name == "image.mismatch" else TEXT * 3)
    assert isinstance(verdict, Drop) and verdict.reason == reason


def test_a_blank_page_with_an_empty_label_is_kept_and_a_printed_one_is_not():
    assert said("image.blank", paper(()), text="", task="page") == KEEP
    assert said("image.blank", paper(), text="", task="page").reason == "image.unlabelled"
    assert said("image.blank", paper(), text="", task="page", partial=True) == KEEP


def test_a_book_read_from_an_empty_page_is_dropped():
    assert said("image.mismatch", paper(("1",)), text=TEXT * 40, task="page").reason == "image.mismatch"


@pytest.mark.parametrize("angle", [-8, -3, -1.5, 0, 1.5, 3, 8])
def test_skew_is_told_to_half_a_degree(angle):
    page = paper((TEXT,) * 12, size=(700, 560)).rotate(angle, expand=True, fillcolor="white", resample=Image.BICUBIC)
    assert Print.of(page).skew() == pytest.approx(angle, abs=0.5)
    verdict = said("image.skew", page, task="page")
    assert isinstance(verdict, Drop if abs(angle) >= 5 else Keep)
    assert isinstance(said("image.skew", page, task="form"), Keep)


def test_rules_of_a_table_may_touch_the_edge():
    image = paper()
    for y in (0, 60, 159):
        image.paste("black", (0, y, 640, y + 1))
    image.paste("black", (300, 0, 301, 160))
    assert said("image.cut", image, task="table") == KEEP


def shaded(image, light):
    """The picture where light falls off to one side: light is what is left of it there."""
    across = np.linspace(1.0, light, image.width)[None, :, None]
    return Image.fromarray((np.asarray(image) * across).astype(np.uint8))


@pytest.mark.parametrize("name", ["image.blank", "image.cut", "image.mismatch", "image.small", "image.skew"])
@pytest.mark.parametrize("light", [0.8, 0.6, 0.45])
def test_shade_is_no_ink(name, light):
    assert said(name, shaded(paper(), light)) == KEEP
    assert len(Print.of(shaded(paper(), light)).marks) == pytest.approx(len(Print.of(paper()).marks), rel=0.1)


@pytest.mark.parametrize("box", [(0, 0, 5, 160), (635, 0, 640, 160), (0, 0, 640, 6), (0, 155, 640, 160)])
def test_a_copiers_dark_edge_cuts_nothing(box):
    image = paper()
    image.paste("black", box)
    assert said("image.cut", image) == KEEP


def test_a_letter_cut_in_two_is_seen_where_it_touches_a_rule():
    image = paper()
    for y in (10, 44, 84):
        image.paste("black", (0, y, 640, y + 1))
    image.paste("black", (30, 10, 31, 84))
    assert said("image.cut", image.crop((27, 0, 640, 160)), task="table").reason == "image.cut"


def test_ink_at_all_four_edges_tells_nothing():
    assert said("image.cut", trim(paper((TEXT,) * 3))[0]) == KEEP


@pytest.mark.parametrize("angle", [90, 180])
def test_a_sheet_of_cut_letters_is_cut_however_it_is_turned(angle):
    cut = paper().crop((27, 0, 640, 160)).rotate(angle, expand=True)
    assert said("image.cut", cut).reason == "image.cut"


@pytest.mark.parametrize(("letters", "marks"), [("한글" * 30, 126), ("सूर्य" * 10, 17), ("sea" * 20, 60)])
def test_a_label_has_as_many_marks_as_its_script_prints(letters, marks):
    assert Sample(paper(), letters, "text").expected_marks == pytest.approx(marks, abs=2)


def test_a_line_with_thirty_lines_as_its_label_is_dropped_whatever_its_script():
    lines = paper(("o o o o o o o o o o o o o o o o",), size=(640, 60))  # as many marks as eight syllables have
    assert said("image.mismatch", lines, text="마을사람들은강에서" * 30).reason == "image.mismatch"


def test_a_ruled_table_outside_of_every_region_is_found():
    image = paper((TEXT,) * 3, size=(640, 500))
    for n in range(5):
        image.paste("black", (100, 200 + 40 * n, 500, 202 + 40 * n))
        image.paste("black", (100 + 100 * n, 200, 102 + 100 * n, 362))
    table = Element("e0", "table", "", ((90.0, 190.0, 520.0, 190.0, 520.0, 380.0, 90.0, 380.0),))
    rule = "layout.unlabelled_table"
    assert said(rule, image, task="layout").reason == rule
    assert said(rule, image, task="layout", elements=(table,)) == KEEP
    assert said(rule, paper(), task="layout") == KEEP
