r"""Formulas as MathML that Chromium paints with an OpenType math font: only what it sets as KaTeX does.

KaTeX parses the formula and writes the MathML, so both renderers read the same source. Chromium follows MathML Core:
letters of another alphabet must be characters of Unicode's mathematical block, and boxes, strikes and colours are not
painted; formulas with those are refused rather than set otherwise than they are labelled.

    >>> typeset(r"\mathbb{R}", display=False)
    '<math><mrow><mi mathvariant="normal">ℝ</mi></mrow></math>'
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from lxml import etree

from proofpress.generators import fonts
from proofpress.pages import latex
from proofpress.pages.latex import LatexError

#: What is painted in Chromium as KaTeX paints it.
TAGS = frozenset(
    (
        *("math", "mrow", "mi", "mo", "mn", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup"),
        *("munder", "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded"),
    )
)
ATTRIBUTES = frozenset(
    (
        *("display", "mathvariant", "stretchy", "fence", "separator", "accent", "accentunder", "lspace", "rspace"),
        *("width", "height", "depth", "linethickness", "displaystyle", "scriptlevel", "form", "largeop", "symmetric"),
        *("movablelimits", "minsize", "maxsize"),
    )
)
TABLE_ATTRIBUTES = frozenset(("rowspacing", "columnspacing", "columnalign", "scriptlevel", "displaystyle"))
VECTOR = "\u20d7"  # a combining arrow, which the browser sets beside its letter
INVISIBLE = "\u2061"  # function application: a space to the renderer, and no glyph
ALPHABETS = {
    "bold": "MATHEMATICAL BOLD",
    "italic": "MATHEMATICAL ITALIC",
    "bold-italic": "MATHEMATICAL BOLD ITALIC",
    "double-struck": "MATHEMATICAL DOUBLE-STRUCK",
    "script": "MATHEMATICAL SCRIPT",
    "fraktur": "MATHEMATICAL FRAKTUR",
    "sans-serif": "MATHEMATICAL SANS-SERIF",
    "monospace": "MATHEMATICAL MONOSPACE",
}
EXCEPTIONS = {
    "double-struck": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "script": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
    "fraktur": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
    "italic": {"h": "ℎ"},
}
DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
KEPT = 4096  # formulas whose MathML is kept

_kept: dict[tuple[str, bool], str | LatexError] = {}


def typeset(source: str, display: bool) -> str:
    """The formula's MathML, spelt as a browser spells it. Raises ``LatexError`` where KaTeX or Chromium will not."""
    prepare([(source, display)])
    made = _kept[source, display]
    if isinstance(made, LatexError):
        raise LatexError(made.message, made.position)
    return made


def prepare(formulas: Iterable[tuple[str, bool]]) -> None:
    """Make the MathML of these ``(source, display)`` ready, in one call for all of them: several times quicker."""
    wanted = dict.fromkeys(formulas)
    if all(formula in _kept for formula in wanted):
        return
    if len(_kept) > KEPT:
        _kept.clear()
    new = [formula for formula in wanted if formula not in _kept]
    _kept.update(zip(new, map(_spelt, latex.mathml_each(new)), strict=True))


def known(source: str, display: bool) -> bool:
    """Whether the formula's MathML is ready, so that ``accepted`` answers at once."""
    return (source, display) in _kept


def _spelt(written: str | LatexError) -> str | LatexError:
    """KaTeX's MathML as Chromium is to have it, spelt as it spells its document, or why it will not."""
    if isinstance(written, LatexError):
        return written
    try:
        return _mended(written)
    except LatexError as error:
        return error


def _mended(written: str) -> str:
    start, end = written.index("<math"), written.rindex("</math>") + len("</math>")
    root = etree.fromstring(written[start:end])
    semantics = root[0]
    row = semantics[0]
    root.remove(semantics)
    root.append(row)
    for element in root.iter():
        _mend(element)
    for table in root.iter(f"{NAMESPACE}mtable"):
        _align(table)
    text = etree.tostring(root, encoding="unicode").replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    return re.sub(r"<([a-z]+)([^<>]*)/>", r"<\1\2></\1>", text)


def accepted(source: str, display: bool, family: str) -> bool:
    """Whether a formula can be set in the math font of this name: Chromium paints it, the font has its characters."""
    try:
        text = typeset(source, display)
    except LatexError:
        return False
    return fonts.find_family(family).covers(re.sub(rf"<[^>]*>|&[a-z]+;|{INVISIBLE}", "", text))


def _mend(element: etree._Element) -> None:
    tag = str(element.tag).removeprefix(NAMESPACE)
    if tag not in TAGS:
        raise LatexError(f"<{tag}> is not painted by the browser")
    for name in list(element.attrib):
        if name not in (TABLE_ATTRIBUTES if tag == "mtable" else ATTRIBUTES):
            raise LatexError(f"{name} is not painted by the browser")
    if element.text == VECTOR:
        element.text = "→"
    variant = element.attrib.get("mathvariant")
    if variant is not None and variant != "normal":
        if len(element) or not element.text:
            raise LatexError(f"mathvariant {variant} of more than letters is not painted by the browser")
        element.text = "".join(_letter(character, variant) for character in element.text)
        element.attrib["mathvariant"] = "normal"


def _align(table: etree._Element) -> None:
    """Write a table's alignment and spacing as style: MathML Core has no attributes for them."""
    sides = str(table.attrib.pop("columnalign", "center")).split()
    spaces = str(table.attrib.pop("columnspacing", "1em")).split()
    table.attrib.pop("rowspacing", None)
    for row in table:
        for column, cell in enumerate(row):
            side = sides[min(column, len(sides) - 1)]
            space = spaces[min(column, len(spaces)) - 1] if column else "0em"
            cell.attrib["style"] = f"text-align: {side}; padding: 0.35ex 0 0.35ex {space}"


@cache
def _letter(character: str, variant: str) -> str:
    """The character of Unicode's mathematical alphabet. ``LatexError`` for one that the alphabet lacks."""
    if character in EXCEPTIONS.get(variant, {}):
        return EXCEPTIONS[variant][character]
    try:
        alphabet = ALPHABETS[variant]
        name = unicodedata.name(character)
        if character.isdecimal():
            return unicodedata.lookup(f"{alphabet} DIGIT {DIGITS[int(character)]}")
        size = "CAPITAL" if character.isupper() else "SMALL"
        return unicodedata.lookup(f"{alphabet} {size} {name.rpartition('LETTER ')[2]}")
    except (KeyError, ValueError) as error:
        raise LatexError(f"{character!r} has no {variant} form") from error
