"""Personal data in labels: e-mail addresses, telephone, card and bank account numbers, checked as far as they can be.

What looks like one and fails its own check digits is none: of numbers on invoices most are neither cards nor accounts.
A record is kept and flagged, dropped, or masked. Masking takes the words from the label and paints them over in the
picture, both or neither: a picture that still shows what its label has lost would be a wrong label. So it needs a box
for each word, and a record without them is dropped.

    >>> [(one.kind, one.text) for one in find("a.b@uni.example, card 4111 1111 1111 1111, not 4111 1111 1111 1112")]
    [('email', 'a.b@uni.example'), ('card', '4111 1111 1111 1111')]
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from PIL import Image, ImageDraw

from proofpress.pages.image import encode_png, open_image
from proofpress.pages.record import Check, PageRecord, Word

Policy = Literal["keep", "mask", "drop"]

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){2,8}(?![A-Za-z0-9])")
_CARD = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-]|[.,]\d)")
# A country's code, or a word that says so, and grouped digits: a bare run of digits is any number.
_PHONE = re.compile(
    r"""(?<![\w.+])(?<!\d[ ])(?:\+|00(?=[1-9]\d{0,2}[\s./-]))[1-9]\d{0,2}[\s./-]?
        (?:\(0?\d{1,5}\)[\s./-]?)?\d{1,5}(?:[\s./-]?\d{2,5}){1,4}(?!\w|[.,]\d)
      | (?i:\b(?:tel|telephone|phone|fax|mobile|cell|call|whatsapp|tél|telefon)\b[.:\s]{1,4})
        (?P<number>\(?0?\d{1,5}\)?(?:[\s./-]?\d{2,5}){1,4})(?!\w|[.,]\d)
      | (?<![\w.(])\(\d{3}\)\s?\d{3}[-.\s]\d{4}(?!\d)""",
    re.VERBOSE,
)
_IBAN_LENGTH = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24,
    "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
}  # fmt: skip
_CARD_LENGTHS = range(13, 20)
_CARD_BEGINS = ("4", "5", "2", "34", "37", "6", "35", "30", "36", "38")


@dataclass(frozen=True, slots=True)
class Finding:
    """Personal data in a text, at ``text[start:end]``. kind: ``email``, ``phone``, ``card`` or ``iban``."""

    kind: str
    text: str
    start: int
    end: int


class CannotMask(Exception):
    """What was found has no place of its own in the picture."""


def find(text: str) -> list[Finding]:
    """All personal data in a text, in order; none within another."""
    found: list[Finding] = []
    for finding in sorted(_candidates(text), key=lambda one: (one.start, -one.end)):
        if not found or finding.start >= found[-1].end:
            found.append(finding)
    return found


def summary(findings: list[Finding]) -> str:
    """How many of each kind there are, without saying what: evidence must not carry what it warns of."""
    kinds = [finding.kind for finding in findings]
    return ", ".join(f"{kind} {kinds.count(kind)}" for kind in sorted(set(kinds)))


def mask(record: PageRecord, findings: list[Finding]) -> PageRecord:
    """The record without what was found: gone from label, elements, words and tests, and painted over in the picture.

    What is gone cannot be brought back from the record, only from its source. Raises ``CannotMask``.
    """
    gone = {_tight(token) for finding in findings for token in _tokens(record.text, finding)}
    if any(len(token) < 3 for token in gone):
        raise CannotMask("a part of it is too short to be found again")
    hidden = [word for word in record.words if _tight(word.text) in gone]
    if {_tight(word.text) for word in hidden} != gone:
        raise CannotMask("it has no words with boxes")
    elements = tuple(replace(element, text=_without(element.text, gone)) for element in record.elements)
    if not all(element.text for element in elements) and all(element.text for element in record.elements):
        raise CannotMask("nothing else stands in its element")
    if len([word for word in _split(record.text) if _tight(word) in gone]) != len(hidden):
        raise CannotMask("label and words do not have it as often as each other")
    return replace(
        record,
        text=_without(record.text, gone),
        image=_painted(record, hidden),
        elements=elements,
        words=tuple(word for word in record.words if word not in hidden),
        tests=tuple(test for test in record.tests if not any(token in _tight(str(test)) for token in gone)),
        hashes={},
        checks=(*record.checks, Check("personal", "fixed", "personal.masked", summary(findings))),
    )


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1)."""
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def mod97(iban: str) -> bool:
    """Whether an account number without spaces checks itself and is as long as its country's are (ISO 13616)."""
    if len(iban) != _IBAN_LENGTH.get(iban[:2]) or not (iban.isascii() and iban.isalnum()):
        return False
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


def _candidates(text: str) -> Iterator[Finding]:
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield Finding("email", match.group(), *match.span())
    for match in _IBAN.finditer(text):
        # Words in capitals may follow it, so the number is as long as its country says.
        end = _after(text, match.start(), _IBAN_LENGTH.get(match.group()[:2], 0))
        candidate = text[match.start() : end]
        if mod97("".join(candidate.split())):
            yield Finding("iban", candidate, match.start(), end)
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if len(digits) in _CARD_LENGTHS and digits.startswith(_CARD_BEGINS) and len(set(digits)) > 1 and luhn(digits):
            yield Finding("card", match.group(), *match.span())
    for match in _PHONE.finditer(text):
        number, span = (match["number"], match.span("number")) if match["number"] else (match.group(), match.span())
        if (7 if match["number"] else 9) <= len(re.sub(r"\D", "", number)) <= 15:
            yield Finding("phone", number, *span)


def _after(text: str, start: int, length: int) -> int:
    """The position after so many characters that are no space."""
    for place in range(start, len(text)):
        length -= not text[place].isspace()
        if length == 0:
            return place + 1
    return len(text)


_TOKEN = re.compile(r"[^\s<>]+")


def _split(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _tokens(text: str, finding: Finding) -> list[str]:
    """The whole words that a finding is in: a picture is painted word by word."""
    return [
        match.group() for match in _TOKEN.finditer(text) if match.start() < finding.end and match.end() > finding.start
    ]


def _tight(word: str) -> str:
    return word.strip(".,;:()[]<>\"'")


def _without(text: str, gone: set[str]) -> str:
    """The text without the words that are gone, and without the space that stood before each."""
    return re.sub(
        r"[^\S\n]?([^\s<>]+)", lambda match: "" if _tight(match.group(1)) in gone else match.group(), text
    ).strip()


def _painted(record: PageRecord, hidden: list[Word]) -> bytes:
    """The picture with these words painted over in the colour of the paper around each."""
    image = open_image(record.image)
    drawing = ImageDraw.Draw(image)
    for word in hidden:
        xs, ys = word.quad[::2], word.quad[1::2]
        box = (int(min(xs)) - 1, int(min(ys)) - 1, int(max(xs)) + 1, int(max(ys)) + 1)
        drawing.polygon([(x, y) for x, y in zip(xs, ys, strict=True)], fill=_paper(image, box))
        drawing.rectangle(box, fill=_paper(image, box))
    return encode_png(image)


def _paper(image: Image.Image, box: tuple[int, int, int, int]) -> tuple[int, int, int]:
    """The median colour of the line around a box."""
    left, top, right, bottom = (
        max(0, box[0]), max(0, box[1]), min(image.width - 1, box[2]), min(image.height - 1, box[3]),
    )  # fmt: skip
    edge = [image.getpixel((x, y)) for x in range(left, right + 1) for y in (top, bottom)]
    edge += [image.getpixel((x, y)) for y in range(top, bottom + 1) for x in (left, right)]
    return tuple(int(median(pixel[channel] for pixel in edge)) for channel in range(3))  # type: ignore
