from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

from proofpress.cleaners.personal import CannotMask, find, luhn, mask, mod97, summary
from proofpress.pages.image import encode_png, open_image
from proofpress.pages.record import Element, PageRecord, Source, Word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write to a.b+c@uni-x.example.", [("email", "a.b+c@uni-x.example")]),
        ("no. 4111 1111 1111 1111 x", [("card", "4111 1111 1111 1111")]),
        ("5555-5555-5555-4444", [("card", "5555-5555-5555-4444")]),
        ("IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFF", [("iban", "DE89 3704 0044 0532 0130 00")]),
        ("GB82WEST12345698765432", [("iban", "GB82WEST12345698765432")]),
        ("Tel: 03-7981 4567", [("phone", "03-7981 4567")]),
        ("+49 (0)89 1234567, +1 415-555-0132", [("phone", "+49 (0)89 1234567"), ("phone", "+1 415-555-0132")]),
        ("call (415) 555-0132 now", [("phone", "(415) 555-0132")]),
    ],
)  # fmt: skip
def test_personal_data_is_found(text, expected):
    assert [(one.kind, one.text) for one in find(text)] == expected
    assert all(text[one.start : one.end] == one.text for one in find(text))


@pytest.mark.parametrize(
    "text",
    [
        "4111 1111 1111 1112", "0000 0000 0000 0000", "DE89 3704 0044 0532 0130 01", "invoice 0012345678",
        "10.1016/j.physletb.2004.06.101", "PMC3519711", "pages 123-456 of 2001-2005", "0.1234567890123456",
        "5.00 +12 345 678", r"$x^2 + 12345678901$", "x@y", "total 1,234,567,890.00", "2024-01-15 10:30:00", "AB12",
        "1 2 3 4 5 6 7 8 9 10 11 12 13", "", "@" * 5000, "+1 " * 3000,
    ],
)  # fmt: skip
def test_other_numbers_are_not(text):
    assert find(text) == []


def test_check_digits():
    assert luhn("79927398713") and not luhn("79927398710")
    assert mod97("GB82WEST12345698765432") and not mod97("GB82WEST12345698765433") and not mod97("GB82")


def letter(words: list[str]) -> PageRecord:
    """A page with one word a line, each in its box."""
    image = Image.new("RGB", (300, 30 * len(words) + 10), "#eeeedd")
    boxes = []
    for number, word in enumerate(words):
        top = 5 + 30 * number
        ImageDraw.Draw(image).text((10, top + 5), word, fill="black")
        boxes.append(Word(word, (8, top, 250, top, 250, top + 25, 8, top + 25), "e0"))
    text = " ".join(words)
    element = Element("e0", "paragraph", text, ((0, 0, 300, 0, 300, 100, 0, 100),))
    source = Source("test", "1", "1", "MIT")
    return PageRecord(
        "1" * 32, encode_png(image), *image.size, text, "page", source, elements=(element,), words=tuple(boxes),
        tests=({"type": "present", "text": "to a.b@uni.example"}, {"type": "present", "text": "Please"}),
    )  # fmt: skip


def test_masking_takes_a_word_from_label_words_tests_and_picture_alike():
    page = letter(["Please", "write", "to", "a.b@uni.example,", "or", "wait"])
    masked = mask(page, find(page.text))
    assert masked.text == "Please write to or wait" == masked.elements[0].text
    assert [word.text for word in masked.words] == ["Please", "write", "to", "or", "wait"]
    assert [test["text"] for test in masked.tests] == ["Please"]
    before, after = np.asarray(open_image(page.image)), np.asarray(open_image(masked.image))
    assert (after[95:120, 8:250] == after[0, 0]).all() and (before[95:120, 8:250] != before[0, 0]).any()
    assert (before[:93] == after[:93]).all() and (before[123:] == after[123:]).all()
    assert masked.checks[-1].reason == "personal.masked" and "uni" not in masked.checks[-1].evidence
    assert find(masked.text) == []


def test_a_number_of_several_words_goes_whole():
    page = letter(["card", "4111", "1111", "1111", "1111", "valid"])
    assert mask(page, find(page.text)).text == "card valid"
    with pytest.raises(CannotMask, match="as often"):
        mask(replace(page, words=page.words[:2] + page.words[3:]), find(page.text))


@pytest.mark.parametrize("words", [[], ["Please", "write", "to"], ["a.b@uni.example", "a.b@uni.example"]])
def test_what_has_no_box_of_its_own_cannot_be_masked(words):
    page = letter(["Please", "write", "to", "a.b@uni.example"])
    fewer = tuple(Word(word, page.words[0].quad, "e0") for word in words)
    with pytest.raises(CannotMask):
        mask(replace(page, words=fewer), find(page.text))


def test_a_summary_says_how_many_and_never_what():
    assert summary(find("a@b.example, c@d.example, 4111 1111 1111 1111")) == "card 1, email 2"
