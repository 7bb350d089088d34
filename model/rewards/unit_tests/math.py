r"""A formula on the page.

Where the modes part: upstream finds formulas between dollars, ``\(`` and ``\[`` alone, and asks whether the test's
formula is *contained* in one of them: in its MathML, or by the places of its glyphs. So what is added is free, scripts
and radicals are not told apart, a formula that KaTeX does not take passes against any other, and a dollar of money or
of code opens a formula. Strict also finds bare environments and fenced formulas, and asks for the same normal form
(``pages.latex``), of the formula or of one of the lines it is set in; a full stop or comma at its end is no part of it.
"""

import re
from collections.abc import Iterator
from itertools import islice

from rapidfuzz import fuzz

from proofpress.model.rewards.scoring import Score
from proofpress.model.rewards.unit_tests.glyphs import SearchTooLong, Typesetter, contains
from proofpress.model.rewards.unit_tests.kinds import MathTest, Mode, failed, passed
from proofpress.pages.latex import LatexError, Node, mathml, tree
from proofpress.pages.latex_write import write
from proofpress.pages.markdown import read

_DELIMITED = (
    (re.compile(r"\\\((.+?)\\\)", re.DOTALL), r"\)"),
    (re.compile(r"\\\[(.+?)\\\]", re.DOTALL), r"\]"),
    (re.compile(r"\$\$(.+?)\$\$", re.DOTALL), "$$"),
    (re.compile(r"\$(.+?)\$", re.DOTALL), "$"),
)
_DOLLARS = 2  # how many of them are dollars
_ENVIRONMENT = re.compile(
    r"\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|flalign)\*?)\}(.+?)\\end\{\1\}", re.DOTALL
)
_FENCES = {"math", "latex", "tex"}
_SEMANTICS = re.compile(r"<semantics>(.*)<annotation", re.DOTALL)
_NUMBERING = re.compile(r"\\(?:tag\*?|label)\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])")
_UNKNOWN_TO_KATEX = {"multline": "gather", "eqnarray": "align", "flalign": "align"}
_STOPS = {".", ",", ";"}
_CODE = re.compile(r"^(`{3,})[^`\n]*\n.*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_PRICE, _MASK = re.compile(r"(?<!\\)((?:\\\\)*)\\\$"), "\ue000"

#: Formulas of a page that are compared; no page has as many.
MAX_FORMULAS = 2_000


def check(test: MathTest, page: str, mode: Mode, typeset: Typesetter | None) -> Score:
    """``math``."""
    if mode == "strict":
        return _check_strict(test, page)
    formulas = list(islice(dict.fromkeys(delimited(page, not test.ignore_dollar_delimited)), MAX_FORMULAS))
    if test.math in formulas:
        return passed()
    if not formulas:
        return failed("no formula on the page", empty=not page.strip())
    try:
        wanted = _semantics(test.math)
    except LatexError:
        return passed()  # upstream's fault: of nothing, all is found
    formulas.sort(key=lambda formula: -fuzz.ratio(formula, test.math))
    return _find(test.math, wanted, formulas, typeset)


def _find(math: str, wanted: str, formulas: list[str], typeset: Typesetter | None) -> Score:
    taken = []
    for formula in formulas:
        try:
            if wanted in _semantics(formula):
                return passed()
        except LatexError:
            continue
        taken.append(formula)
    if typeset is None:
        return Score(0.0, {}, "error", "upstream compares where the glyphs lie, and no typesetter is given")
    reference, *layouts = typeset([math, *taken])
    if reference is None:
        return Score(0.0, {}, "error", "KaTeX takes the formula and the browser does not paint it")
    try:
        if any(layout is not None and contains(layout, reference) for layout in layouts):
            return passed()
    except SearchTooLong as error:
        return Score(0.0, {}, "timeout", str(error))
    return failed(f"not on the page: {math[:80]}")


def _semantics(latex: str) -> str:
    """The MathML of a formula inside ``semantics``, without white space."""
    found = _SEMANTICS.search(mathml(latex))
    return re.sub(r"\s+", "", found[1]) if found else ""


def delimited(page: str, dollars: bool = True) -> Iterator[str]:
    """The formulas of a page between delimiters, kind by kind; each kind is taken out before the next is looked for."""
    for pattern, closing in _DELIMITED if dollars else _DELIMITED[:_DOLLARS]:
        end = page.rfind(closing) + len(closing)  # behind it nothing closes, and each opening would look to the end
        inside, behind = page[:end], page[end:]
        yield from (formula.strip() for formula in pattern.findall(inside))
        page = pattern.sub("", inside) + behind


def _check_strict(test: MathTest, page: str) -> Score:
    try:
        wanted = _forms(test.math)
    except LatexError as error:
        return Score(0.0, {}, "error", f"KaTeX does not take the test's formula: {error}")
    if not wanted or not wanted[0]:
        return Score(0.0, {}, "error", "the test's formula shows nothing")
    formulas = list(islice(dict.fromkeys(_strict_formulas(page, not test.ignore_dollar_delimited)), MAX_FORMULAS))
    for formula in formulas:
        try:
            if wanted[0] in _forms(formula):
                return passed()
        except LatexError:
            continue
    if not formulas:
        return failed("no formula on the page", empty=not page.strip())
    return failed(f"none of the {len(formulas)} formulas is {test.math[:80]}")


def _strict_formulas(page: str, dollars: bool) -> Iterator[str]:
    for environment, body in _ENVIRONMENT.findall(page[: page.rfind("\\end{") + 20]):
        name = environment.rstrip("*")
        if name == "equation":
            yield body
        else:
            known = _UNKNOWN_TO_KATEX.get(name, name)
            yield rf"\begin{{{known}*}}{body}\end{{{known}*}}"
    yield from (block.text for block in read(page) if block.kind == "code" and block.marker in _FENCES)
    masked = _PRICE.sub(rf"\1{_MASK}", _CODE.sub("", page))  # dollars of money and of a shell open no formula
    yield from (formula.replace(_MASK, r"\$") for formula in delimited(masked, dollars))


def _forms(latex: str) -> list[str]:
    """The normal form of a formula, and, where it is several lines, of each line; without a stop at the end."""
    root = tree(_NUMBERING.sub("", latex))
    lines = [row.children for grid in root.children if grid.kind == "grid" for row in grid.children]
    nodes = [root.children]
    if len(root.children) == 1 and len(lines) > 1:
        nodes += [tuple(piece for cell in cells for piece in cell.children) for cells in lines]
    return [write(Node("formula", children=_without_stop(line))) for line in nodes]


def _without_stop(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    return nodes[:-1] if nodes and nodes[-1].kind == "symbol" and nodes[-1].value in _STOPS else nodes
