r"""The formulas OmniDocBench gives to CDM: without delimiters and numbers; in v1.6 also with matrices written plainly.

v1.6 counts the better of two forms of a prediction where a matrix is in it or in the gold, and mends an array of the
gold that names no columns.

>>> plain_matrices(r"\mathbf{A} = \begin{pmatrix} {a} & {b} \\ \end{pmatrix}")
'A = \\begin{pmatrix}a&b\\end{pmatrix}'
"""

import re

from proofpress.model.bench.formula_rows import rows
from proofpress.model.bench.normal_forms import Edition, strip_delimiters, strip_tags
from proofpress.model.bench.results import Pair
from proofpress.pages.latex import LatexError, trees

_MATRIX = r"(?:small|b|p|v|V)?matrix"
_STYLE = re.compile(r"\\(?:boldsymbol|mathbf|mathrm|mathit|mathsf|mathtt|textbf)\s*\{([^{}]+)\}")
_DET = re.compile(r"\\operatorname\s*\{\s*det\s*\}")
_NO_COLUMNS = re.compile(r"\\begin\{array\}\s*\{\s*\}")
_DOUBLE_SUB = re.compile(r"_\{_\{([^{}]+)\}\}")
_ARRAY = re.compile(r"(\\begin\{array\}\s*\{[^}]*\})(.*?)(\\end\{array\})", re.DOTALL)
_GRID = re.compile(rf"(\\begin\{{({_MATRIX})\}})(.*?)(\\end\{{\2\}})", re.DOTALL)
_BREAK_BEFORE = re.compile(rf"(\\begin\{{{_MATRIX}\}})\s*\\\\")
_BREAK_BEHIND = re.compile(rf"\\\\\s*(\\end\{{{_MATRIX}\}})")
_ALIGNED = re.compile(
    rf"\s*\\begin\{{aligned\*?\}}\s*&?\s*(\\begin\{{{_MATRIX}\}}.*?\\end\{{{_MATRIX}\}})\s*(?:\\\\\s*)?"
    r"\\end\{aligned\*?\}\s*",
    re.DOTALL,
)
_ONE_COLUMN = re.compile(r"\s*\\begin\{array\}\s*\{\s*l\s*\}(.*)\\end\{array\}\s*", re.DOTALL)
MAX_CHARACTERS = 20_000  # of a formula whose matrices are written anew

#: KaTeX's errors behind which LaTeX goes on: what it has no use for, or a second script, and its place.
_USELESS = re.compile(
    r"(?:Undefined control sequence: |Extra |Can't use function '|Expected '(?:EOF|[^']{1,9}(?=', got '&))', got ')"
    r"(\\[A-Za-z]+|\\.|[}&])'?(?: in math mode)? \(at character (\d+)\)"
)
_SCRIPT = re.compile(r"Double (?:superscript|subscript) \(at character (\d+)\)")
#: Commands of LaTeX that KaTeX does not know, in its own words; others are nothing to either.
_LATEX = {r"\mbox": r"\text", r"\hbox": r"\text", r"\sp": "^", r"\sb": "_", r"\slash": "/", r"\/": ""}
MAX_MENDINGS = 20  # errors in a formula behind which LaTeX goes on


def cdm_forms(pair: Pair, edition: Edition) -> tuple[str, list[str]]:
    """The gold's form and those of the prediction, of which the best counts."""
    gold, predicted = (
        as_latex_goes_on(strip_tags(strip_delimiters(text)).strip()) for text in (pair.gold, pair.predicted)
    )
    if edition != "v1.6" or not (_has_matrix(gold) or _has_matrix(predicted)):
        return gold, [predicted]
    forms = [predicted]
    if (plain := plain_matrices(predicted)) and plain != predicted:
        forms.append(plain)
    return plain_matrices(gold) if _NO_COLUMNS.search(gold) else gold, forms


def as_latex_goes_on(latex: str) -> str:
    r"""The formula as pdflatex reads it where KaTeX gives up: upstream lets it go on behind errors, so a command that
    there is none of shows nothing, and two scripts of a kind stand one after the other."""
    for _ in range(MAX_MENDINGS):
        [tree] = trees([latex])
        error = str(tree) if isinstance(tree, LatexError) else ""
        if found := _USELESS.search(error):
            at, end = int(found[2]), int(found[2]) + len(found[1])
            mended = f"{latex[:at]}{_LATEX.get(found[1], '')} {latex[end:]}"
        elif found := _SCRIPT.search(error):
            mended = f"{latex[: int(found[1])]}{{}}{latex[int(found[1]) :]}"
        else:
            break
        if mended == latex:
            break
        latex = mended
    return latex


def plain_matrices(latex: str) -> str:
    """A formula without fonts, with the cells of its matrices without braces; rows of one column with matrices in them
    side by side."""
    if len(latex) > MAX_CHARACTERS:
        return latex
    latex = _plain(latex)
    if found := _ONE_COLUMN.fullmatch(latex):
        parts = [_plain(row) for row in rows(found[1])]
        if any(map(_has_matrix, parts)):
            latex = r" \qquad ".join(parts)
    return _plain(latex)


def _has_matrix(latex: str) -> bool:
    if re.search(rf"\\begin\{{{_MATRIX}\}}", latex):
        return True
    return r"\begin{array}" in latex and any(mark in latex for mark in (r"\left[", r"\right]", "&"))


def _plain(latex: str) -> str:
    latex = _NO_COLUMNS.sub(r"\\begin{array}{l}", _without_braces(latex)).replace(r"\dfrac", r"\frac")
    latex = _DOUBLE_SUB.sub(r"_{\1}", latex)
    before = None
    while latex != before:
        before, latex = latex, _STYLE.sub(r"\1", latex)
    latex = _DET.sub(r"\\det", latex)
    latex = _ARRAY.sub(lambda found: f"{found[1]}{_plain_cells(found[2])}{found[3]}", latex)
    latex = _GRID.sub(lambda found: f"{found[1]}{_plain_cells(found[3])}{found[4]}", latex)
    latex = _BREAK_BEHIND.sub(r" \1", _BREAK_BEFORE.sub(r"\1 ", latex))
    if aligned := _ALIGNED.match(latex):
        latex = aligned[1]
    return latex.strip()


def _plain_cells(body: str) -> str:
    lines = (_split(row, "&") for row in _split(body, r"\\"))
    return r"\\".join("&".join(map(_without_braces, cells)) for cells in lines)


def _split(text: str, separator: str) -> list[str]:
    """The pieces between separators outside braces and environments; an empty last one left out."""
    pieces, start, index = [], 0, 0
    braces = environments = 0
    while index < len(text):
        if text.startswith(("\\begin{", "\\end{"), index) and (end := text.find("}", index)) > 0:
            environments = environments + 1 if text.startswith("\\begin", index) else max(0, environments - 1)
            index = end + 1
        elif text.startswith(separator, index) and not braces and not environments:
            pieces.append(text[start:index].strip())
            index = start = index + len(separator)
        else:
            braces = max(0, braces + {"{": 1, "}": -1}.get(text[index], 0))
            index += 1
    last = text[start:].strip()
    return [*pieces, last] if last else pieces


def _without_braces(text: str) -> str:
    text = text.strip()
    while text.startswith("{") and text.endswith("}") and _is_one_group(text) and text[1:-1].strip():
        text = text[1:-1].strip()
    return text


def _is_one_group(text: str) -> bool:
    depth = 0
    for place, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if not depth:
            return place == len(text) - 1
    return False
