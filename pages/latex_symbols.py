r"""Symbols, letters and their fonts: which spellings look the same.

KaTeX's own table says so: two commands that take the same character from the same font look the same, such as ``\le``,
``\leq`` and ``≤``. What differs is the space around them (``\mid`` and ``|``), which the normal form does not keep. The
one spelling kept is an ASCII character if there is one, else the shortest command.

    >>> spelling(r"\leq"), spelling("∗"), negated(r"\leq")
    ('\\le', '*', '\\nleq')
"""

import json
import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from proofpress.templates.assets import katex_symbols

_ENTRY = re.compile(
    r'^defineSymbol\((math|text), (main|ams), (\w+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"(, true)?\);', re.M
)
_NEGATION = "\u0338"
# What KaTeX builds from pieces has no entry in its table; these are the characters it gives for the whole.
_BUILT = {"≠": r"\ne", "∉": r"\notin", "∌": r"\notni", "ı": r"\imath", "ȷ": r"\jmath"}
# Unicode's letters in a style, by the words of their names: the font they stand for.
_STYLES = {
    "BOLD": "bf",
    "ITALIC": "",
    "BOLD ITALIC": "bi",
    "SCRIPT": "scr",
    "BOLD SCRIPT": "scr",
    "FRAKTUR": "frak",
    "BLACK-LETTER": "frak",
    "BOLD FRAKTUR": "frak",
    "DOUBLE-STRUCK": "bb",
    "SANS-SERIF": "sf",
    "SANS-SERIF BOLD": "sf",
    "SANS-SERIF ITALIC": "sf",
    "SANS-SERIF BOLD ITALIC": "sf",
    "MONOSPACE": "tt",
}
WORD_FONTS = frozenset({"rm", "bf", "it", "sf", "tt"})  # the fonts whose letters make words
_GREEK_CAPITALS = frozenset(r"\Gamma \Delta \Theta \Lambda \Xi \Pi \Sigma \Upsilon \Phi \Psi \Omega".split())  # noqa: SIM905
_PUNCTUATION = frozenset('!"()*+,-./:;<=>?@[]|')  # the ASCII marks that are the same in text and in math
_STYLED = re.compile(r"(?:MATHEMATICAL )?(.+?) (?:CAPITAL|SMALL|DIGIT) \w+$")


class Leaf(NamedTuple):
    """A symbol or a word's letter. font: rm, bf, it, sf, tt, bb, cal, scr, frak or bi; empty for the symbol's own."""

    kind: str
    value: str
    font: str = ""


@lru_cache(maxsize=4096)
def math_leaf(text: str, font: str = "") -> Leaf:
    """A symbol of math mode under a font command; the font is dropped where KaTeX draws the symbol as ever."""
    if text == _NEGATION:
        return Leaf("symbol", r"\not")
    styled = _unstyled(text)
    if styled:
        text, font = styled
    if text.isascii() and text.isalpha():
        font = "" if font == "it" else font  # the letters of \mathit are those of math, set closer
        return Leaf("word" if font in WORD_FONTS else "symbol", text, font)
    value = spelling(text)
    if value == text and text.isalpha():
        return Leaf("word", text, "rm")  # a letter that math italic lacks: Cyrillic, Chinese
    if value.isdigit():
        return Leaf("symbol", value, "" if font == "rm" else font)
    takes_font = font == "bi" or (value in _GREEK_CAPITALS and font in WORD_FONTS - {"rm"})
    return Leaf("symbol", value, font if takes_font else "")


@lru_cache(maxsize=4096)
def text_leaf(text: str, font: str = "rm") -> Leaf:
    """A character of text mode: a word's letter, the symbol of math that looks the same, or a mark of text alone.

    A mark that math does not have, such as a quotation mark, is a symbol in the font ``rm``.
    """
    styled = _unstyled(text)
    if styled:
        text, font = styled[0], styled[1] or "it"
    if text.isalpha():
        return Leaf("word", text, font)
    if text.isdigit():
        return Leaf("symbol", text, "" if font == "rm" else font)
    glyphs, kept = _table()
    glyph = glyphs["text"].get(text, ("main", text))
    if glyph in kept or text in _PUNCTUATION:
        return Leaf("symbol", kept.get(glyph, text))
    return Leaf("symbol", text if glyph[1].isascii() else glyph[1], "rm")


def spelling(text: str) -> str:
    """The one spelling of a symbol of math mode; one without twins is its own."""
    if text in _BUILT:
        return _BUILT[text]
    glyphs, kept = _table()
    glyph = glyphs["math"].get(text) or next(
        (drawn for drawn in (("main", text), ("ams", text)) if drawn in kept), None
    )
    return kept.get(glyph, text) if glyph else text


def negated(symbol: str) -> str:
    r"""The spelling of ``\not`` before a symbol: Unicode's composed character's, or ``\not`` and the symbol itself."""
    glyphs, _ = _table()
    _, drawn = glyphs["math"].get(symbol, ("main", symbol))
    composed = unicodedata.normalize("NFC", drawn + _NEGATION)
    if len(composed) == 1:
        return spelling(composed)
    return rf"\not {symbol}" if symbol[0].isalpha() else rf"\not{symbol}"


def _unstyled(character: str) -> tuple[str, str] | None:
    """A letter or digit and its font, for Unicode's styled ones such as ``ℝ`` and ``𝐱``; None for all others."""
    if len(character) != 1 or character.isascii() or character == "ℓ":
        return None
    letter = unicodedata.normalize("NFKC", character)
    named = _STYLED.match(unicodedata.name(character, ""))
    if not named or not (letter.isascii() and letter.isalnum()) or named[1] not in _STYLES:
        return None
    return letter, _STYLES[named[1]]


@cache
def _table() -> tuple[dict[str, dict[str, tuple[str, str]]], dict[tuple[str, str], str]]:
    """Per mode, the (font, character) that each spelling draws; and for each of these the spelling kept, of math."""
    glyphs: dict[str, dict[str, tuple[str, str]]] = {"math": {}, "text": {}}
    twins: dict[tuple[str, str], list[str]] = {}
    for mode, font, group, drawn, name, takes_character in _ENTRY.findall(katex_symbols().read_text(encoding="utf-8")):
        if group in ("accent", "spacing"):
            continue
        glyph = (font, json.loads(f'"{drawn}"'))
        spelt = json.loads(f'"{name}"')
        glyphs[mode][spelt] = glyph
        spellings = [spelt, glyph[1]] if takes_character or glyph[1] in _PUNCTUATION else [spelt]
        glyphs[mode].update(dict.fromkeys(spellings, glyph))
        if mode == "math" and group != "op" and not spelt.startswith(r"\@"):
            twins.setdefault(glyph, []).extend(spellings)
    return glyphs, {glyph: min(names, key=_preference) for glyph, names in twins.items()}


def _preference(name: str) -> tuple[bool, bool, int, str]:
    return (not name.isascii(), len(name) > 1, len(name), name)
