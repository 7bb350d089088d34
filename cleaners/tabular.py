r"""LaTeX's ``tabular`` as a table grid: rows, ``\multicolumn``, ``\multirow``, rules; cells as inline Markdown.

>>> to_html_table(r"\begin{tabular}{ll}\hline a & \multicolumn{1}{c}{b} \\ \hline 1 & $x$\end{tabular}")
'<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>$x$</td></tr></table>'
"""

import re
from collections.abc import Iterator

from proofpress.cleaners.tex import group_end, rewrite, skip_space, split, tokens
from proofpress.pages.table import LooseCell, TableError, TableGrid, lay_out, one_line
from proofpress.pages.table_html import to_html

_BEGIN = re.compile(r"\\begin\{tabular[x*]?\}")
_END = re.compile(r"\\end\{tabular[x*]?\}")
_WRAPPER = re.compile(r"\\(?:begin|end)\{(?:table|center)\*?\}(?:\[[^\]]*\])?\s*|\\centering\b\s*")
_RULES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|(?:cline|cmidrule)(?:\([lr]+\))?\{[^{}]*\})")
_STYLES = {rf"\{name}": str for name in ("textbf", "textit", "emph", "textrm", "textsc", "underline", "text", "mbox")}
_ESCAPED = re.compile(r"\\([%&#_{}])")


class TabularError(ValueError):
    """A ``tabular`` that cannot be read as a sound grid."""


def tabulars(text: str) -> Iterator[tuple[int, int, str]]:
    """Begin, end and source of each ``tabular``, with the ``table`` around it. Raises ``TabularError``."""
    for begin in _BEGIN.finditer(text):
        end = _END.search(text, begin.end())
        if not end or _BEGIN.search(text, begin.end(), end.start()):
            raise TabularError("a tabular that is not closed, or holds another one")
        yield begin.start(), end.end(), text[begin.start() : end.end()]


def to_html_table(source: str) -> str:
    """The dialect's HTML of one ``tabular``. Raises ``TabularError``."""
    return to_html(read_tabular(source))


def without_wrappers(text: str) -> str:
    r"""The text without ``\begin{table}`` and its like, which only say where a table floats."""
    return _WRAPPER.sub("", text)


def read_tabular(source: str) -> TableGrid:
    """The grid of one ``tabular``. Raises ``TabularError``."""
    begin, end = _BEGIN.match(source), _END.search(source)
    if not begin or not end:
        raise TabularError(f"no tabular: {source[:80]!r}")
    stream = tokens(source[begin.end() : end.start()])
    after = group_end(stream, skip_space(stream, 0))
    while after is not None and (another := group_end(stream, skip_space(stream, after))) is not None:
        after = another  # tabularx and tabular* have a width first
    if after is None:
        raise TabularError("a tabular without its columns")
    body = _RULES.sub("", "".join(stream[after:]))
    rows = [row for row in split(body, (r"\\", r"\tabularnewline")) if row.strip()]
    try:
        return lay_out(_without_covered([[_cell(text) for text in split(row, ("&",))] for row in rows]))
    except TableError as error:
        raise TabularError(str(error)) from error


def cell_text(latex: str) -> str:
    """A cell's LaTeX as inline Markdown."""
    styled = rewrite(latex, _STYLES).text
    pieces = re.split(r"(\$(?:[^$\\]|\\.)*\$)", styled)
    return one_line("".join(p if p.startswith("$") else _ESCAPED.sub(r"\1", p).replace("~", " ") for p in pieces))


def _cell(latex: str) -> LooseCell:
    """A cell with the spans that its commands give it."""
    spans = {"multicolumn": 1, "multirow": 1}
    stream = tokens(latex.strip())
    while stream and stream[0][1:] in spans:
        arguments, at = [], 1
        for _ in range(3):
            start = skip_space(stream, at)
            end = group_end(stream, start)
            if end is None:  # \multirow{2}*{text}
                end = start + 1
                arguments.append("")
            else:
                arguments.append("".join(stream[start + 1 : end - 1]))
            at = end
        if not arguments[0].strip().isdecimal():
            raise TabularError(f"{stream[0]} of {arguments[0]!r}")
        spans[stream[0][1:]] = min(int(arguments[0]), 1000)
        stream = tokens((arguments[2] + "".join(stream[at:])).strip())
    return LooseCell(cell_text("".join(stream)), max(1, spans["multirow"]), max(1, spans["multicolumn"]))


def _without_covered(rows: list[list[LooseCell]]) -> list[list[LooseCell]]:
    r"""LaTeX leaves empty cells under a ``\multirow``; HTML has none there."""
    covered: set[tuple[int, int]] = set()
    kept: list[list[LooseCell]] = []
    for row, cells in enumerate(rows):
        kept.append([])
        column = 0
        for cell in cells:
            if (row, column) in covered and not cell.text:
                column += cell.colspan
                continue
            covered |= {(row + r, column + c) for r in range(1, cell.rowspan) for c in range(cell.colspan)}
            kept[-1].append(cell)
            column += cell.colspan
    return kept
