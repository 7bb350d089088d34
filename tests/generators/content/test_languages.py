import random
import unicodedata

import pytest

from proofpress.generators.content.languages import LANGUAGES, RTL, Language

PHRASES = ("clause", "instruction", "question", "definition", "letter", "headline", "thing", "measure", "item",
           "heading", "title", "caption")  # fmt: skip
LETTERS = {
    "latin": "LATIN", "greek": "GREEK", "cyrillic": "CYRILLIC", "chinese": "CJK",
    "japanese": ("CJK", "HIRAGANA", "KATAKANA"),
    "korean": "HANGUL", "arabic": "ARABIC", "hebrew": "HEBREW", "devanagari": "DEVANAGARI",
}  # fmt: skip


def written(code, seed=0):
    """A page's worth of everything a language writes."""
    rng = random.Random(seed)
    language = Language(code, rng)
    texts = [language.phrase(rng, symbol) for symbol in PHRASES for _ in range(6)]
    texts += ["".join(run.text for run in language.paragraph(rng, 3)) for _ in range(8)]
    texts += [language.name(rng), language.city(rng), language.company(rng), language.date(rng), language.phone(rng)]
    texts += [*language.address(rng), language.money(123456), language.number(-98765, 2), language.percent(125)]
    return texts


@pytest.mark.parametrize("code", LANGUAGES)
def test_texts_are_clean_and_in_the_languages_script(code):
    texts = written(code)
    for text in texts:
        assert text and text == text.strip() and "  " not in text and "\n" not in text
        assert text == unicodedata.normalize("NFC", text)
        assert not set(text) & set("\u00a0\u202f\u200e\u200f\u061c\u2066\u2069<>")
    letters = [character for text in texts for character in text if character.isalpha()]
    own = sum(unicodedata.name(character).startswith(LETTERS[LANGUAGES[code][0]]) for character in letters)
    assert own > 0.7 * len(letters)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_same_stream_writes_the_same_text(code):
    assert written(code, 5) == written(code, 5) != written(code, 6)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_every_term(code):
    english = Language("en")
    keys = ("table", "figure", "invoice", "total", "tax", "chapter", "article", "signature", "blank", "gazette", "yes")
    assert all(Language(code).term(key) for key in keys) and english.term("table") == "Table"
    with pytest.raises(KeyError):
        Language(code).term("no such term")


@pytest.mark.parametrize("code", LANGUAGES)
def test_formulas_stand_in_paragraphs_as_runs_of_their_own(code):
    rng = random.Random(2)
    runs = [run for _ in range(12) for run in Language(code).paragraph(rng, 3, lambda stream: "x^2")]
    assert {run.text for run in runs if run.kind == "math"} == {"x^2"}
    assert not any("⟦" in run.text or "⟧" in run.text for run in runs)


@pytest.mark.parametrize(
    ("code", "money", "number", "percent"),
    [
        ("de", "1.234,56 €", "98.765,43", "12,5 %"),
        ("en", "$1,234.56", "98,765.43", "12.5%"),
        ("fr", "1 234,56 €", "98 765,43", "12,5 %"),
        ("pl", "1 234,56 zł", "98 765,43", "12,5%"),
        ("tr", "₺1.234,56", "98.765,43", "%12,5"),
        ("ja", "￥123,456", "98,765.43", "12.5%"),
        ("hi", "₹1,234.56", "98,765.43", "12.5%"),
        ("he", "1,234.56 ₪", "98,765.43", "12.5%"),
    ],
)
def test_numbers_are_written_as_the_locale_writes_them(code, money, number, percent):
    language = Language(code)
    assert (language.money(123456), language.number(9876543, 2), language.percent(125)) == (money, number, percent)


def test_a_page_keeps_to_one_kind_of_digits():
    seen = set()
    for seed in range(20):
        language = Language("ar", random.Random(seed))
        texts = language.number(1234567) + language.localised("89") + language.percent(125)
        digits = {unicodedata.name(character).split()[0] for character in texts if character.isdigit()}
        assert len(digits) == 1
        seen |= digits
    assert seen == {"DIGIT", "ARABIC-INDIC"}


def test_twelve_locales_and_nine_scripts_are_there():
    assert len({locale for _, locales in LANGUAGES.values() for locale in locales}) >= 12
    assert len({script for script, _ in LANGUAGES.values()}) == 9
    assert {code for code, (script, _) in LANGUAGES.items() if script in RTL} == {"ar", "he"}
