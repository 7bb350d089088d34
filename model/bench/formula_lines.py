r"""The lines a formula of several is matched by.

>>> [line for line, _ in formula_lines(r"\[\begin{array}{l} a \\ b \end{array}\]", "v1.5")]
['a', 'b']
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from proofpress.model.bench.blocks import INLINE, Block
from proofpress.model.bench.formula_rows import bare_columns, formula_rows
from proofpress.model.bench.normal_forms import Edition, formula_form

_ARRAY = re.compile(r"\\begin\{array\}\{(?P<columns>[^}]*)\}(?P<body>.*?)\\end\{array\}", re.DOTALL)


def formula_lines(latex: str, edition: Edition) -> list[tuple[str, int]] | None:
    """The lines a formula is matched by, with their places in it; None where it is matched whole.

    v1.5 parts arrays of one column; v1.6 goes by ``formula_rows``.
    """
    if edition == "v1.6":
        return formula_rows(latex)
    found = _ARRAY.search(latex)
    if not found or bare_columns(found["columns"]) not in ("l", "c", "r"):
        return None
    lines, at = [], latex.find(found["body"])
    for line in re.split(r"\\\\", found["body"]):
        if text := line.strip():
            lines.append((text, at + max(0, line.find(text))))
        at += len(line) + 2
    return lines


def gold_lines(block: Block, edition: Edition) -> Iterator[Block]:
    """A formula of several lines, line by line; others as they are. v1.0 keeps all as they are."""
    lines = formula_lines(block.text, edition) if block.kind == "formula" and edition != "v1.0" else None
    if not lines or block.at is None:
        yield block
        return
    step = 0.1 if edition == "v1.5" else 0.001
    for number, (line, _) in enumerate(lines, start=1):
        latex = rf"\[{line}\]"
        at = round(block.at + number * step, 3)
        yield replace(block, text=latex, norm=formula_form(latex, edition), at=at)


def predicted_lines(blocks: Sequence[Block], edition: Edition) -> list[Block]:
    """Predicted blocks as they are matched: formulas of text last, those of several lines line by line."""
    ordered = sorted(blocks, key=lambda block: (block.category == INLINE, block.at or 0))
    found = []
    for block in ordered:
        lines = formula_lines(block.text, edition) if block.kind == "formula" else None
        if not lines:
            found.append(block)
            continue
        for line, at in lines:
            latex = rf"\[{line}\]"
            found.append(replace(block, text=latex, norm=formula_form(latex, edition), at=(block.at or 0) + at))
    return found
