"""Page Markdown: the label's dialect, between blocks in reading order and text, and between runs and inline text.

``write`` and ``read`` are exact inverses: ``read(write(blocks)) == blocks`` for all blocks that ``write`` accepts, and
it refuses the others. ``read`` takes any text, a model's output too, in time linear in its length.

    >>> print(write([Block("heading", "Mass", level=1), Block("paragraph", "It costs \\\\$5, or $x^2$.")]))
    # Mass
    <BLANKLINE>
    It costs \\\\$5, or $x^2$.

The dialect has headings ``#`` to ``######``, paragraphs, lists ``-`` and ``1.`` (four spaces a level), ``$$`` formulas,
tables as HTML on one line, fenced code and notes ``[^1]:``. There is no emphasis, and there are two escapes: ``\\\\$`` is
a dollar, and a backslash keeps a paragraph that begins like a block from being one (``\\\\# 5``, ``1\\\\. May``).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list_item", "formula", "table", "code", "note"]

_INDENT = 4
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_LIST_ITEM = re.compile(r"(\s*)(-|[0-9]{1,9}\.)\s+(.*)")
_NOTE = re.compile(r"\[\^([^\s\[\]]+)\]:\s+(.*)")
_FENCE = re.compile(r"(`{3,})([^`]*)")
_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)
_TABLE_TAG = re.compile(r"<(/?)table(?=[\s/>])[^<>]*>?", re.IGNORECASE)

# Where a paragraph's escape stands: before the mark of a block, or before the point of a list number. In front of
# backslashes that stand there already, so that these are kept.
_ESCAPE_AT = re.compile(
    r"[0-9]{1,9}(?=(?P<number>\\*)\.\s)|(?=(?P<mark>\\*)(?:#{1,6}\s|-\s|`{3}|\[\^[^\s\[\]]+\]:\s|(?i:<table[\s>])))"
)

# ``display`` is no part of the dialect in a line of text, but models write it.
_INLINE = re.compile(
    r"""(?<!\\)(?P<dollar>(?:\\\\)*+\\\$)
      | (?<!\\)(?P<slashes>(?:\\\\)++)(?=\$)
      | \$\$(?P<display>(?:[^$\\]|\\.)++)\$\$
      | \$(?P<math>(?:[^$\\]|\\.)++)\$""",
    re.VERBOSE | re.DOTALL,
)
_MATH = re.compile(r"(?:[^$\\]|\\.)+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page, without its marks.

    text: inline Markdown on one line (a paragraph's may have several); LaTeX of a formula; HTML of a table; the lines
    of code. level: 1..6 of a heading, depth from 0 of a list item. marker: ``-`` or ``1.`` of a list item, the label
    of a note, the language of code.
    """

    kind: BlockKind
    text: str
    level: int = 0
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of inline text: ``text`` as printed, or ``math`` as LaTeX without its dollars."""

    kind: Literal["text", "math"]
    text: str


def write(blocks: Sequence[Block]) -> str:
    """The page's Markdown, without a newline at its end; ``ValueError`` naming a block that would read differently."""
    pieces: list[str] = []
    for index, block in enumerate(blocks):
        if index:
            pieces.append("\n" if block.kind == blocks[index - 1].kind == "list_item" else "\n\n")
        pieces.append(_write_block(block))
    markdown = "".join(pieces)
    back = read(markdown)
    if back != list(blocks):
        wrong = next((i for i, pair in enumerate(zip(blocks, back, strict=False)) if pair[0] != pair[1]), len(back))
        wrong = min(wrong, len(blocks) - 1)
        raise ValueError(f"block {wrong} has no Markdown that reads as it: {blocks[wrong]!r}")
    return markdown


def read(markdown: str) -> list[Block]:
    """The blocks of any text. What is not closed (code, formula, table) ends with the text."""
    return _Reader(markdown).read()


def inline(runs: Sequence[Run]) -> str:
    """The inline text of runs; ``ValueError`` on math that a dollar would end early, or that touches other math."""
    pieces: list[str] = []
    for run, following in zip(runs, [*runs[1:], None], strict=True):
        if run.kind == "text":
            text = re.sub(r"(?<!\\)(\\*)\$", r"\1\1\\$", run.text)
            if following and following.kind == "math":
                text += "\\" * (len(text) - len(text.rstrip("\\")))
            pieces.append(text)
        elif not _MATH.fullmatch(run.text):
            raise ValueError(f"no inline math, empty or with a bare dollar or backslash: {run.text!r}")
        elif following and following.kind == "math":
            raise ValueError(f"inline math touches: {run.text!r} and {following.text!r} are one formula or need a space")
        else:
            pieces.append(f"${run.text}$")
    return "".join(pieces)


def runs(inline: str) -> tuple[Run, ...]:
    """The runs of inline text, text and math in turn; a dollar without a partner is text."""
    found: list[Run] = []
    literal: list[str] = []

    def end_text() -> None:
        if text := "".join(literal):
            found.append(Run("text", text))
        literal.clear()

    at = 0
    for match in _INLINE.finditer(inline):
        literal.append(inline[at : match.start()])
        at = match.end()
        if latex := match["display"] or match["math"]:
            end_text()
            found.append(Run("math", latex))
        elif match["dollar"]:
            literal.append("\\" * (len(match["dollar"]) // 2 - 1) + "$")
        else:
            literal.append("\\" * (len(match["slashes"]) // 2))
    literal.append(inline[at:])
    end_text()
    return tuple(found)
