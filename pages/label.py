"""The label a model is taught and judged by: the record's own, with each formula in its normal form.

Authors write one picture in many ways (``\\left( x \\right)``, ``(x)``); which of them stood in the source is not on
the page, so a model cannot read it and must not be asked to. The record keeps what was printed.

    >>> normal_label(r"Let $\\left( x^2 \\right)$ be", "text")
    'Let $(x^{2})$ be'
"""

from dataclasses import replace
from functools import lru_cache

from proofpress.pages import latex, markdown
from proofpress.pages.latex import LatexError
from proofpress.pages.markdown import Block
from proofpress.pages.table import TableError
from proofpress.pages.table_html import from_html, to_html


def normal_label(text: str, task: str) -> str:
    """The label with its formulas in normal form; what KaTeX or the grid does not take stays as it is.

    task: of ``record.TASKS``; it says whether the text is one formula, one table, or Markdown.
    """
    if task == "formula":
        return _formula(text)
    if task == "table":
        return _table(text)
    if task == "text":
        return _line(text)
    return markdown.write([_block(block) for block in markdown.read(text)])


def _block(block: Block) -> Block:
    match block.kind:
        case "formula":
            return replace(block, text=_formula(block.text))
        case "table":
            return replace(block, text=_table(block.text))
        case "code":
            return block
        case _:
            return replace(block, text=_line(block.text))


def _line(text: str) -> str:
    if "$" not in text:
        return text
    return markdown.inline(
        tuple(replace(run, text=_formula(run.text)) if run.kind == "math" else run for run in markdown.runs(text))
    )


def _table(text: str) -> str:
    try:
        grid = from_html(text)
    except TableError:
        return text
    return to_html(replace(grid, cells=tuple(replace(cell, text=_line(cell.text)) for cell in grid.cells)))


@lru_cache(maxsize=4096)
def _formula(text: str) -> str:
    try:
        return latex.normal_form(text)
    except LatexError:
        return text
