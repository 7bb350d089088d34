"""The languages pages are written in: prose from each one's own rules, names from Faker, numbers and dates from CLDR.

A language is one file beside this module: fixed terms (``table = Tabelle``), then a line ``---``, then rules as in
``rules.py``. All of it is written for this project. English prose has rules of its own (``prose.py``). Every text is
NFC in logical order, without direction marks and with plain spaces.

    >>> Language("de").money(123456)
    '1.234,56 €'
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random

from babel import dates as cldr_dates
from babel import numbers as cldr_numbers
from faker import Faker

from proofpress.generators.content import prose
from proofpress.generators.content.rules import Maker, Rules
from proofpress.pages.markdown import Run

#: Code of a language -> its script and the locales its names, numbers and dates come from.
LANGUAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "en": ("latin", ("en_US", "en_GB")),
    "de": ("latin", ("de_DE", "de_AT", "de_CH")),
    "fr": ("latin", ("fr_FR", "fr_CH")),
    "es": ("latin", ("es_ES", "es_MX")),
    "pl": ("latin", ("pl_PL",)),
    "tr": ("latin", ("tr_TR",)),
    "el": ("greek", ("el_GR",)),
    "ru": ("cyrillic", ("ru_RU",)),
    "zh": ("chinese", ("zh_CN",)),
    "ja": ("japanese", ("ja_JP",)),
    "ko": ("korean", ("ko_KR",)),
    "ar": ("arabic", ("ar_EG", "ar_SA")),
    "he": ("hebrew", ("he_IL",)),
    "hi": ("devanagari", ("hi_IN",)),
}
RTL = frozenset(("arabic", "hebrew"))
UNSPACED = frozenset(("chinese", "japanese"))
NATIVE_DIGITS = {"ar": "arab", "hi": "deva"}  # numbering systems a page of the language may keep to
CURRENCIES = {
    "en_US": "USD", "en_GB": "GBP", "de_CH": "CHF", "fr_CH": "CHF", "es_MX": "MXN", "pl_PL": "PLN", "tr_TR": "TRY",
    "ru_RU": "RUB", "zh_CN": "CNY", "ja_JP": "JPY", "ko_KR": "KRW", "ar_EG": "EGP", "ar_SA": "SAR", "he_IL": "ILS",
    "hi_IN": "INR",
}  # fmt: skip
WHOLE = frozenset(("JPY", "KRW"))  # currencies without a smaller unit
TRIES = 8  # at a text that the page does not have yet
#: Locales that Faker does not have, and those that stand in for them.
STAND_INS = {"fr_CH": "fr_FR", "ar_EG": "ar_AA", "ar_SA": "ar_AA"}

_MARKS = re.compile("[\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]")
_SPACES = re.compile("[\u00a0\u2009\u202f\t\n ]+")
_TERM = re.compile(r"\s*([a-z]+) = ([^;]*?)\s*(?:;|$)")


class Language:
    """One language as a page writes it. code: a key of ``LANGUAGES``. rng: settles what one page keeps to (locale and
    digits); without it the first locale and Latin digits."""

    def __init__(self, code: str, rng: Random | None = None) -> None:
        self.code = code
        self.script, locales = LANGUAGES[code]
        self.locale = rng.choice(locales) if rng else locales[0]
        self.direction = "rtl" if self.script in RTL else "ltr"
        self.spaced = self.script not in UNSPACED
        self.digits = NATIVE_DIGITS.get(code, "latn") if rng and rng.random() < 0.4 else "latn"
        self.currency = CURRENCIES.get(self.locale, "EUR")
        self._written: set[str] = set()  # so that a page does not say a thing twice where it can say another
        self._given: dict[str, str | Maker] = {
            "number": lambda stream: self.number(stream.randrange(2, 10 ** stream.randrange(2, 6))),
            "percent": lambda stream: self.percent(stream.randrange(1, 990)),
            "money": lambda stream: self.money(stream.randrange(500, 10 ** stream.randrange(4, 9))),
            "date": self.date,
            "years": self._years,
            "year": lambda stream: self.localised(str(stream.randrange(1890, 2030))),
            "small": lambda stream: self.localised(str(stream.randrange(2, 25))),
            "name": self.name,
            "city": self.city,
            "company": self.company,
        }

    def paragraph(self, rng: Random, sentences: int, inline: Callable[[Random], str] | None = None) -> tuple[Run, ...]:
        """Sentences as runs that join without further space. inline: writes the LaTeX of a formula now and then."""
        if self.code == "en":
            return prose.paragraph(rng, sentences, inline)
        written = []
        for _ in range(sentences):
            if inline and rng.random() < prose.MATH_SHARE:
                own = {**self._given, "math": lambda stream: f"⟦{inline(stream)}⟧"}
                written.append(self._write(rng, "math_sentence", own))
            else:
                written.append(self._write(rng, "sentence"))
        return prose.runs_of((" " if self.spaced else "").join(written))

    def phrase(self, rng: Random, symbol: str) -> str:
        """Any rule of the language by name: ``clause``, ``instruction``, ``question``, ``definition``, ``letter``,
        ``headline``, ``thing``, ``measure``, ``item``, ``heading``, ``title``, ``caption``."""
        if self.code == "en":
            english = {"title": prose.title, "heading": prose.heading, "caption": prose.caption}
            if symbol in english:
                return english[symbol](rng)
            if symbol in ("thing", "measure"):
                return prose.phrase(rng, symbol)
            if symbol == "item":
                return prose.capitalised(prose.phrase(rng, "things"))
        return self._write(rng, symbol)

    def words(self, rng: Random, symbol: str) -> str:
        """The same as it stands within a sentence or as a word of a list: without a capital of its own."""
        if self.code == "en":
            return prose.phrase(rng, symbol)
        return self._clean(_rules(self.code).write(rng, symbol, self._given))

    def term(self, key: str) -> str:
        """A fixed word of forms, captions and headings, e.g. ``invoice``."""
        return _terms(self.code)[key]

    def name(self, rng: Random) -> str:
        """A person's name."""
        return prose.name(rng) if self.code == "en" else self._faked(rng, "name")

    def city(self, rng: Random) -> str:
        """A town's name."""
        if self.code == "en":
            return prose.phrase(rng, "town")
        return self._write(rng, "town") if "town" in _rules(self.code) else self._faked(rng, "city")

    def company(self, rng: Random) -> str:
        """A company's name."""
        return self._write(rng, "firm") if "firm" in _rules(self.code) else self._faked(rng, "company")

    def address(self, rng: Random) -> tuple[str, ...]:
        """The lines of a postal address."""
        if "street" in _rules(self.code):
            return self._write(rng, "street"), self.city(rng)
        faker = _faker(self.locale)
        faker.seed_instance(rng.getrandbits(32))
        lines = (self._clean(line) for line in faker.address().split("\n"))
        return tuple(line for line in lines if line)

    def phone(self, rng: Random) -> str:
        """A telephone number."""
        return self._faked(rng, "phone_number")

    def date(self, rng: Random) -> str:
        """A date as the locale writes it, long or short."""
        day = date(1985, 1, 1) + timedelta(days=rng.randrange(16_000))
        form = rng.choice(("short", "medium", "long", "long"))
        return self.localised(self._clean(cldr_dates.format_date(day, form, locale=self.locale)))

    def number(self, value: int, places: int = 0) -> str:
        """A number that counts its last decimal place: ``number(12345, 2)`` is 123.45."""
        text = cldr_numbers.format_decimal(
            value / 10**places if places else value, format=f"#,##0{'.' if places else ''}{'0' * places}",
            locale=self.locale, numbering_system="latn",
        )  # fmt: skip
        return self.localised(self._clean(text))

    def percent(self, tenths: int) -> str:
        """A share in tenths of a per cent."""
        sign = cldr_numbers.format_percent(0, locale=self.locale, numbering_system="latn")
        return self.localised(self._clean(sign.replace("0", self.number(tenths, 1))))

    def money(self, cents: int) -> str:
        """An amount in the locale's currency; ``cents`` counts its smallest unit."""
        places = 0 if self.currency in WHOLE else 2
        text = cldr_numbers.format_currency(
            cents / 10**places, self.currency, locale=self.locale, numbering_system="latn"
        )
        return self.localised(self._clean(text))

    def amount(self, cents: int) -> str:
        """The same without the currency's sign, for a column of amounts."""
        return self.number(cents, 0 if self.currency in WHOLE else 2)

    def _write(self, rng: Random, symbol: str, given: dict[str, str | Maker] | None = None) -> str:
        for _ in range(TRIES):
            text = self._clean(_rules(self.code).write(rng, symbol, given or self._given))
            if text not in self._written:
                break
        self._written.add(text)
        if self.code == "tr" and text.startswith("i"):
            return "İ" + text[1:]
        return text if text.startswith("⟦") else prose.capitalised(text)

    def _faked(self, rng: Random, what: str) -> str:
        faker = _faker(self.locale)
        faker.seed_instance(rng.getrandbits(32))
        return self._clean(str(getattr(faker, what)()))

    def _years(self, rng: Random) -> str:
        first = rng.randrange(1890, 2000)
        return self.localised(f"{first}–{first + rng.randrange(2, 30)}")

    def localised(self, text: str) -> str:
        """The text with the page's digits in place of Latin ones."""
        if self.digits == "latn":
            return text
        zero = {"arab": 0x0660, "deva": 0x0966}[self.digits]
        return text.translate({ord("0") + digit: zero + digit for digit in range(10)})

    @staticmethod
    def _clean(text: str) -> str:
        return _SPACES.sub(" ", _MARKS.sub("", unicodedata.normalize("NFC", text))).strip()


@cache
def _source(code: str) -> tuple[str, str]:
    text = unicodedata.normalize("NFC", (Path(__file__).parent / f"{code}.txt").read_text(encoding="utf-8"))
    terms, _, rules = text.partition("\n---\n")
    return terms, rules


@cache
def _terms(code: str) -> dict[str, str]:
    return {key: text for line in _source(code)[0].splitlines() for key, text in _TERM.findall(line)}


@cache
def _rules(code: str) -> Rules:
    given = ("number", "percent", "money", "date", "year", "years", "small", "name", "city", "company", "math")
    if code == "en":
        words = {"thing": lambda rng: prose.phrase(rng, "thing"), "measure": lambda rng: prose.phrase(rng, "measure")}
        return Rules(_source(code)[1], words, given)
    return Rules(_source(code)[1], {}, given)


@cache
def _faker(locale: str) -> Faker:
    return Faker(STAND_INS.get(locale, locale))
