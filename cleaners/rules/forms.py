"""Rules for the fields of forms (``cleaners/forms.py``): a value must be on the paper, and be what its key says.

>>> drop_bad_date("- date: 31/14/2018").reason
'form.date'
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date

from proofpress.cleaners.forms import Field, read_form
from proofpress.cleaners.rule import KEEP, Drop, Keep, Rule, Verdict
from proofpress.cleaners.rules.text import ANY_TEXT

_DATE_KEY = re.compile(r"(?:^|[ _])date(?:$|[ _]value$)", re.IGNORECASE)
_AMOUNT_KEY = re.compile(r"(?:^|[ _])(?:total|subtotal|tax|amount|price|total_price)$", re.IGNORECASE)
_DATE = re.compile(r"(\d{1,4})\s*[-/.\s]\s*(\d{1,2}|[A-Za-z]{3,9}\.?)\s*[-/.,\s]\s*(\d{1,4})")
_MONTH_FIRST = re.compile(r"([A-Za-z]{3,9})\.?\s*(\d{1,2})(?:st|nd|rd|th)?\s*[,\s]\s*(\d{2,4})")
_YEAR_LAST = re.compile(r"(\d{1,2})([A-Za-z]{3,9})\.?'?\s*(\d{2,4})")
_CJK_DATE = re.compile(r"(\d{4})\s*[年.]\s*(\d{1,2})\s*[月.]\s*(\d{1,2})\s*日?")
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})|(\d{2})(\d{2})(\d{4})")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_AMOUNT = re.compile(
    r"""[^\d\n]{0,6}\s*-?(?:\d{1,3}(?:[ ,.']?\d{3})*|\d+)(?:[.,]\d{1,3})?-?\s*[^\d\n]{0,6}""",
)


def drop_without_fields(text: str) -> Verdict:
    """Drop a form in which nothing is filled in and nothing is asked."""
    return KEEP if text.strip() else Drop("form.empty", "neither a field nor a line")


def note_valueless(text: str) -> Verdict:
    """Note keys without a value: an empty field is printed so, but a build may want filled ones only."""
    empty = [field.key for field in _all(read_form(text)) if not field.value and not field.fields]
    return Keep("form.valueless", ", ".join(empty)) if empty else KEEP


def drop_bad_date(text: str) -> Verdict:
    """Drop a form whose date is no day of any calendar."""
    for field in _all(read_form(text)):
        if field.value and _DATE_KEY.search(field.key) and not _is_date(field.value):
            return Drop("form.date", f"{field.key}: {field.value}")
    return KEEP


def drop_bad_amount(text: str) -> Verdict:
    """Drop a form whose total, tax or price is no amount."""
    for field in _all(read_form(text)):
        if field.value and _AMOUNT_KEY.search(field.key) and not _AMOUNT.fullmatch(field.value.strip()):
            return Drop("form.amount", f"{field.key}: {field.value}")
    return KEEP


def unsupported(text: str, lines: Iterable[str]) -> list[Field]:
    """The fields whose value is nowhere in the lines of the paper, white space and punctuation aside."""
    paper = _dense(" ".join(lines))
    return [field for field in _all(read_form(text)) if field.value and _dense(field.value) not in paper]


def _dense(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in folded if letter.isalnum())


def _all(fields: Iterable[Field]) -> Iterator[Field]:
    for field in fields:
        yield field
        yield from _all(field.fields)


def _is_date(value: str) -> bool:
    """Whether a text holds a day that there is, in any of the orders of the world."""
    for pattern in (_CJK_DATE, _DATE, _MONTH_FIRST, _YEAR_LAST, _COMPACT):
        for found in pattern.finditer(value):
            parts = [part for part in found.groups() if part]
            numbers = [_month(part) if part[0].isalpha() else int(part) for part in parts]
            if any(_is_day(numbers[y], numbers[m], numbers[d]) for y, m, d in ((0, 1, 2), (2, 1, 0), (2, 0, 1))):
                return True
    return False


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1 if name[:3].lower() in _MONTHS else 0


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return False
    return year < 100 or 1900 <= year <= 2100


FORM_RULES: tuple[Rule[str], ...] = (
    *ANY_TEXT,
    Rule("form.empty", "drops forms with nothing in them", " ", drop_without_fields),
    Rule("form.valueless", "notes keys without a value", "- name:", note_valueless),
    Rule("form.date", "drops forms whose date is no day", "- date: 31/14/2018", drop_bad_date),
    Rule("form.amount", "drops forms whose amount is none", "- total: SDN BHD", drop_bad_amount),
)
