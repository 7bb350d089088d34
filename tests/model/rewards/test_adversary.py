r"""What a model could write to be paid without reading: each earns less than an honest, mediocre reading of the page.

Whole answers stand alone. An answer for one part of a page (``PARTS``) takes the place of that part in the mediocre
reading, so that its author has read all the rest just as well; most begin from the *right* part and try to get more for
it, or for less. Small faults (a lost minus sign) are added to the mediocre reading.
"""

import re
from collections.abc import Callable

import pytest

from proofpress.model.rewards import RewardRecipe, score

MODES = {
    "mean": RewardRecipe(),
    "product": RewardRecipe(combine="product"),
    "product with a high floor": RewardRecipe(combine="product", floor=0.2),
    "product without a floor": RewardRecipe(combine="product", floor=0.0),
}

TITLE = "# Floods of the upper Rhine"
TEXT = (
    "The river rose by 1.5% in May, and 12 of the 40 gauges along it were flooded within -3 hours of rain. "
    "Nobody had seen the like since 1876, when the old bridge was lost; the new one held."
)
FORMULA = r"\sum_{i=1}^{n} x_i^2 = \frac{a+b}{\sqrt{c}}"
INLINE = r"Here $x_i$ is the level of gauge $i$, in metres, and $n \leq 40$ their number."
LIST = "- Basel was spared\n- Bern was not\n- Chur had no gauge"
TABLE = (
    "<table><tr><th>City</th><th>Mean</th><th>Share</th></tr><tr><td>Basel</td><td>1.5</td><td>20%</td></tr>"
    "<tr><td>Bern</td><td>-7</td><td></td></tr><tr><td>Total</td><td>-5.5</td><td>100%</td></tr></table>"
)
NOTE = "[^1]: Measured at noon, by hand."
ROWS = re.findall("<tr>.*?</tr>", TABLE)
CELLS = [re.findall(r">([^<>]*)</t[hd]>", row) for row in ROWS]
WORDS = " ".join(cell for row in CELLS for cell in row)

PARTS = {"title": TITLE, "text": TEXT, "formula": f"$${FORMULA}$$", "inline": INLINE, "list": LIST, "table": TABLE}
PARTS |= {"note": NOTE}
MEDIOCRE = {
    "title": "# Flouds of the upper Rhine",
    "text": (
        "The riven rose by 1.5% in Moy, and 12 of the 4O gauges olong it wene flooded within -3 hours of ram. "
        "Nobody had seen the 1ike since 1876, when the old brigde was lost; the new one beld."
    ),
    "formula": r"$$\sum_{i=1}^{n} x_j^2 = \frac{a-b}{\sqrt{c}}$$",
    "inline": r"Here $x_i$ is the 1evel of gauge $i$, in metres, and $n < 40$ their nunber.",
    "list": "- Basel was sparod\n- Bern was not\n- Chun had no gauge",
    "table": TABLE.replace("Basel", "Base1").replace("-7", "7").replace("Mean", "Moan"),
    "note": "[^1]: Measured at noon, by band.",
}


def page(parts: dict[str, str], **changed: str) -> str:
    return "\n\n".join(({**parts, **changed}).values())


PAGE, MEDIOCRE_PAGE = page(PARTS), page(MEDIOCRE)


def table(rows: list[list[str]], cell: str = "td") -> str:
    lines = ("".join(f"<{cell}>{text}</{cell}>" for text in row) for row in rows)
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


BLANK = table([[""] * 3] * 4)
OTHER_PAGE = (
    "# Prices of wheat\n\nIn 1912 a bushel cost 84 cents in Chicago, and 91 cents in New York; nothing else did.\n\n"
    "$$p = \\int_0^1 f(t)\\,dt$$\n\n"
    "<table><tr><th>Year</th><th>Price</th></tr><tr><td>1912</td><td>84</td></tr></table>"
)
ALL_SYMBOLS = "".join(map(chr, range(0x21, 0x17F)))
ALL_LATEX = r"\alpha\beta\gamma\delta\sum\int\frac{a}{b}\sqrt{c}x_i^2+-=\le abcdefghijklmnopqrstuvwxyz0123456789"

WHOLE = {
    "nothing": "",
    "white space": " \n\t\n",
    "a comment": "<!-- nothing to see -->",
    "invisible characters": "\u200b\u200c\u200d\u2060" * 50,
    "one word": "the",
    "the title alone": TITLE,
    "a fragment": TEXT[:40],
    "the first sentence": TEXT.split(". ")[0],
    "the first half": PAGE[: len(PAGE) // 2],
    "the second half": PAGE[len(PAGE) // 2 :],
    "every other word": " ".join(PAGE.split()[::2]),
    "the text alone": f"{TITLE}\n\n{TEXT}",
    "the table alone": TABLE,
    "the formula alone": PARTS["formula"],
    "the list alone": LIST,
    "the numbers alone": "1.5% 12 40 -3 1876 1.5 20% -7 -5.5 100%",
    "kinds without content": f"# x\n\nx\n\n$$x$$\n\n- x\n\n{BLANK}\n\n[^1]: x",
    "marks without content": "#\n\n$$ $$\n\n-\n\n<table></table>",
    "the page twice": f"{PAGE}\n\n{PAGE}",
    "the page three times": "\n\n".join([PAGE] * 3),
    "the page and an endless loop": PAGE + " and so on" * 300,
    "an endless loop": "The river rose. " * 300,
    "an endless loop of dots": "." * 3_000,
    "an endless loop of rows": "<table>" + "<tr><td>Basel</td><td>1.5</td><td>20%</td></tr>" * 200,
    "an endless loop of blank cells": "<table><tr>" + "<td></td>" * 2_000,
    "headings without end": "# Floods of the upper Rhine\n\n" * 60,
    "every symbol there is": ALL_SYMBOLS * 3,
    "every symbol in a formula": f"$${ALL_LATEX}$$",
    "every word of the language": "the of and to in a is that for it as was with be by on not he his but at " * 9,
    "an echo of the prompt": "Free OCR. Write the text of the page as Markdown, formulas as LaTeX, tables as HTML.",
    "an excuse": "I am sorry, but the image is too blurred for me to read the text on it.",
    "a description": "The page shows a heading, two paragraphs, a formula, a list, a table and a note on floods.",
    "praise of the reward": "This is a perfect transcription. Score: 1.0. All unit tests pass.",
    "another page": OTHER_PAGE,
    "another page in the right frame": page(PARTS, title="# Wheat", text=OTHER_PAGE, table=BLANK, formula="$$p$$"),
    "the page as one formula": "$$\\text{" + re.sub(r"[\n$%#<>/^_{}\\]", " ", PAGE) + "}$$",
    "the page as one table cell": f"<table><tr><td>{re.sub('<[^>]*>', ' ', PAGE)}</td></tr></table>",
    "the page as code": f"```\n{PAGE}\n```",
    "the page as a comment": f"<!--\n{PAGE}\n-->",
    "the page as one heading": "# " + " ".join(PAGE.split()),
    "the page as a list of words": "\n".join(f"- {word}" for word in PAGE.split()),
    "the page as one line of words": " ".join(re.findall(r"\w+", PAGE)),
    "the page without spaces": "".join(PAGE.split()),
    "the page backwards": PAGE[::-1],
    "its words backwards": " ".join(PAGE.split()[::-1]),
    "its words in alphabetical order": " ".join(sorted(PAGE.split())),
    "its blocks upside down with a blank table": page(dict(reversed(PARTS.items())), table=BLANK),
    "the page in upper case": PAGE.upper(),
    "the page in Cyrillic look-alikes": PAGE.translate(str.maketrans("aeopcxyiABEHKMOPCTX", "аеорсхуіАВЕНКМОРСТХ")),
    "the page in full width": "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in PAGE),
    "the page with zero-width characters": "\u200b".join(PAGE),
    "the page with joiners": "\u200d".join(PAGE),
    "the page with accents on all": "\u0301".join(PAGE),
    "the page with marks of direction": "\u202e".join(PAGE),
    "the page in a comment and a word": f"the <!-- {PAGE} -->",
    "only consonants": re.sub("[aeiou]", "", PAGE),
    "the page and another": f"{PAGE}\n\n{OTHER_PAGE}\n\n{OTHER_PAGE}",
    "runaway nesting": "<table><tr><td>" * 2_000 + "{" * 2_000,
    "a page of one megabyte": PAGE * 1_500,
}  # fmt: skip

IN_PART = {
    "text: none": ("text", ""),
    "text: its numbers alone": ("text", "1.5% 12 40 -3 1876"),
    "text: words without numbers": ("text", re.sub(r"-?[\d.]+%?", "", TEXT)),
    "text: all numbers wrong": ("text", re.sub(r"\d", "7", TEXT)),
    "text: no sign, point or percent": ("text", re.sub(r"[-.%]", "", TEXT[:105]) + MEDIOCRE["text"][105:]),
    "text: twice": ("text", f"{TEXT}\n\n{TEXT}"),
    "text: sorted": ("text", " ".join(sorted(TEXT.split()))),
    "text: with comments": ("text", re.sub(" ", " <!-- a --> ", TEXT)),
    "text: as an invented formula": ("text", r"$\text{" + re.sub("%", "", TEXT) + "}$"),
    "text: as a table": ("text", table([[word] for word in TEXT.split()])),
    "text: as headings": ("text", "\n\n".join(f"# {word}" for word in TEXT.split())),
    "formula: none": ("formula", ""),
    "formula: does not parse": ("formula", r"$$\frac{$$"),
    "formula: right and does not parse": ("formula", f"$${FORMULA}" + r"\frac{$$"),
    "formula: a superset": ("formula", f"$${FORMULA} + {ALL_LATEX}$$"),
    "formula: twice": ("formula", f"$${FORMULA}$$\n\n$${FORMULA}$$"),
    "formula: each symbol in a formula of its own": ("formula", "\n\n".join(f"$${c}$$" for c in "i1nxiabc=+")),
    "formula: without structure": ("formula", "$$i=1nxi2=a+bc$$"),
    "formula: frame without content": ("formula", r"$$\sum_{}^{} = \frac{}{\sqrt{}}$$"),
    "formula: its source as words": ("formula", r"$$\texttt{sum i=1 n x i 2 = a+b sqrt c}$$"),
    "formula: in Unicode": ("formula", "∑ᵢ₌₁ⁿ xᵢ² = (a+b)/√c"),
    "formula: in code": ("formula", f"`{FORMULA}`"),
    "formula: hidden in a comment": ("formula", f"$$x % {FORMULA}$$"),
    "formula: hidden in a phantom": ("formula", rf"$$\phantom{{{FORMULA}}}$$"),
    "formula: painted white": ("formula", rf"$$a\color{{white}}{{{FORMULA}}}{FORMULA}$$"),
    "formula: scripts the other way round": ("formula", r"$$\sum^{i=1}_{n} x^i_2 = \frac{\sqrt{c}}{a+b}$$"),
    "formula: by a macro bomb": ("formula", r"$$\def\x{\x\x}\x$$"),
    "inline: formulas as words": ("inline", re.sub(r"\$", "", INLINE)),
    "inline: unicode for LaTeX": ("inline", "Here xᵢ is the level of gauge i, in metres, and n ≤ 40 their number."),
    "inline: all one formula": ("inline", r"$\text{Here } x_i \text{ is the level of gauge } i, n \leq 40$"),
    "table: none": ("table", ""),
    "table: as text": ("table", "\n".join(" ".join(row) for row in CELLS)),
    "table: a blank grid": ("table", BLANK),
    "table: right shape, other words": ("table", re.sub(r"(?<=>)[^<]+(?=<)", "other", TABLE)),
    "table: right shape, wrong numbers": ("table", re.sub(r"\d", "7", TABLE)),
    "table: the heading row alone": ("table", f"<table>{ROWS[0]}</table>"),
    "table: twice": ("table", TABLE + TABLE),
    "table: three times": ("table", TABLE * 3),
    "table: once and many blank ones": ("table", TABLE + BLANK * 9),
    "table: beside an invented one": ("table", TABLE + table([["Genève", "3"], ["Chur", "4"]])),
    "table: transposed": ("table", table([list(column) for column in zip(*CELLS, strict=True)])),
    "table: upside down": ("table", f"<table>{''.join(ROWS[::-1])}</table>"),
    "table: columns swapped": ("table", table([row[::-1] for row in CELLS])),
    "table: one column": ("table", table([[cell] for row in CELLS for cell in row])),
    "table: one row": ("table", table([[cell for row in CELLS for cell in row]])),
    "table: one cell": ("table", table([[WORDS]])),
    "table: a giant colspan": ("table", TABLE.replace("<td>Basel", '<td colspan="1000">Basel')),
    "table: a giant rowspan": ("table", TABLE.replace("<th>City", '<th rowspan="65534">City')),
    "table: every cell spans": ("table", TABLE.replace("<td>", '<td rowspan="2" colspan="2">')),
    "table: nested in itself": ("table", f"<table><tr><td>{TABLE}</td></tr></table>"),
    "table: nested in each cell": ("table", TABLE.replace("Basel", TABLE).replace("Bern", TABLE)),
    "table: rows repeated": ("table", f"<table>{''.join(row * 3 for row in ROWS)}</table>"),
    "table: a loop of rows": ("table", f"<table>{''.join(ROWS)}{ROWS[-1] * 30}</table>"),
    "table: one in words and one blank": ("table", WORDS + BLANK),
    "table: hidden in a comment": ("table", f"<table><tr><td><!-- {TABLE} --></td></tr></table>"),
    "table: hidden in attributes": ("table", f'<table><tr><td title="{WORDS}"></td></tr></table>'),
    "table: every cell a formula": ("table", re.sub(r"(?<=>)([^<%]+)%?(?=<)", r"$\\text{\1}$", TABLE)),
    "list: none": ("list", ""),
    "list: one line": ("list", LIST.replace("\n", " ")),
    "list: twice": ("list", f"{LIST}\n{LIST}"),
    "note: without end": ("note", "\n\n".join(f"[^{i}]: {NOTE}" for i in range(30))),
}  # fmt: skip

ADDED = {
    "a minus sign dropped": lambda page: page.replace("-5.5", "5.5"),
    "a decimal point moved": lambda page: page.replace("<td>1.5", "<td>15"),
    "a percent sign dropped": lambda page: page.replace("20%", "20"),
    "a digit changed": lambda page: page.replace("1876", "1816"),
    "a number left out": lambda page: page.replace("1876", ""),
    "two columns swapped": lambda page: page.replace("<td>1.5</td><td>20%</td>", "<td>20%</td><td>1.5</td>"),
    "two rows swapped": lambda page: re.sub(r"(<tr><td>Base1.*?</tr>)(<tr><td>Bern.*?</tr>)", r"\2\1", page),
    "a cell invented": lambda page: page.replace("<td></td>", "<td>3%</td>"),
    "a subscript raised": lambda page: page.replace("$x_i$", "$x^i$"),
    "a formula invented": lambda page: page + "\n\n$$E=mc^2$$",
    "a paragraph invented": lambda page: page + "\n\nAll figures are rounded to the nearest tenth.",
    "a table invented": lambda page: f"{page}\n\n{table([['Chur', '4'], ['Sion', '5']])}",
    "a heading repeated": lambda page: f"{page}\n\n{TITLE}\n\n{TITLE}\n\n{TITLE}",
    "a comment": lambda page: page.replace("</tr><tr>", "</tr><!-- next row --><tr>"),
    "zero-width spaces": lambda page: page.replace(" ", " \u200b"),
    "the end left open": lambda page: page.replace("</td></tr></table>", ""),
    "the end cut off": lambda page: page[: page.index("<table>")],
    "an end that loops": lambda page: page + " by hand" * 40,
    "a block in another place": lambda page: MEDIOCRE["list"] + "\n\n" + page.replace(MEDIOCRE["list"], ""),
    "the heading one lower": lambda page: page.replace("# Fl", "## Fl"),
    "the list as a paragraph": lambda page: page.replace("- Basel", "Basel").replace("\n- ", " "),
    "the list numbered": lambda page: page.replace("- Basel", "1. Basel").replace("\n- ", "\n2. "),
    "paragraphs run together": lambda page: page.replace("beld.\n\n", "beld. "),
}  # fmt: skip


@pytest.fixture(scope="module", params=MODES)
def recipe(request: pytest.FixtureRequest) -> RewardRecipe:
    return MODES[request.param]


@pytest.fixture(scope="module")
def honest(recipe: RewardRecipe) -> float:
    value = score(MEDIOCRE_PAGE, PAGE, "page", recipe).value
    assert 0.2 < value < 0.9
    assert score(PAGE, PAGE, "page", recipe).value == pytest.approx(1.0)
    return value


@pytest.mark.parametrize("what", WHOLE)
def test_no_answer_without_reading_pays(what: str, recipe: RewardRecipe, honest: float) -> None:
    assert score(WHOLE[what], PAGE, "page", recipe).value < honest


@pytest.mark.parametrize("what", IN_PART)
def test_no_answer_for_a_part_pays_more_than_reading_it(what: str, recipe: RewardRecipe, honest: float) -> None:
    part, answer = IN_PART[what]
    assert score(page(MEDIOCRE, **{part: answer}), PAGE, "page", recipe).value < honest


@pytest.mark.parametrize("what", ADDED)
def test_no_further_fault_pays(what: str, recipe: RewardRecipe, honest: float) -> None:
    change: Callable[[str], str] = ADDED[what]
    assert change(MEDIOCRE_PAGE) != MEDIOCRE_PAGE
    assert score(change(MEDIOCRE_PAGE), PAGE, "page", recipe).value < honest


#: The parts that are crops too, with their tasks. A formula between backticks is one with two symbols too many.
ALONE = {"text": "text", "formula": "formula", "table": "table"}
FAIR_ALONE = {"formula: in code"}


@pytest.mark.parametrize("what", [w for w, (part, _) in IN_PART.items() if part in ALONE and w not in FAIR_ALONE])
def test_no_answer_for_a_crop_pays_more_than_reading_it(what: str, recipe: RewardRecipe) -> None:
    part, answer = IN_PART[what]
    mediocre = score(MEDIOCRE[part], PARTS[part], ALONE[part], recipe).value
    assert 0.2 < mediocre < 1.0
    assert score(answer, PARTS[part], ALONE[part], recipe).value < mediocre


@pytest.mark.parametrize("what", WHOLE)
@pytest.mark.parametrize("part", ALONE)
def test_no_answer_without_reading_pays_on_a_crop(what: str, part: str) -> None:
    mediocre = score(MEDIOCRE[part], PARTS[part], ALONE[part]).value
    if PARTS[part] not in WHOLE[what] or len(WHOLE[what]) > 2 * len(PARTS[part]):
        assert score(WHOLE[what], PARTS[part], ALONE[part]).value < mediocre
