r"""Page Markdown: the label's dialect, between blocks in reading order and text, and between runs and inline text.

``write`` and ``read`` are exact inverses: ``read(write(blocks)) == blocks`` for all blocks that ``write`` accepts, and
it refuses the others. ``read`` takes any text, a model's output too, in time linear in its length.

    >>> print(write([Block("heading", "Mass", level=1), Block("paragraph", r"It costs \$5, or $x^2$.")]))
    # Mass
    <BLANKLINE>
    It costs \$5, or $x^2$.

The dialect has headings ``#`` to ``######``, paragraphs, lists ``-`` and ``1.`` (four spaces a level), formulas in
``$$``, tables as HTML on one line, fenced code and notes ``[^1]:``. There is no emphasis, and there are two escapes:
``\$`` is a dollar, and a backslash keeps a paragraph that begins like a block from being one (``\# 5``, ``1\. May``).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list_item", "formula", "table", "code", "note"]

_INDENT = 4
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_LIST_ITEM = re.compile(r"(\s*)(-|[0-9]{1,9}\.)\s+(.*)")
_NOTE = re.compile(r"\[\^([^\s\[\]]+)\]:\s+(.*)")
_FENCE = re.compile(r"(`{3,})([^`]*)")
_TABLE = re.compile(r"<table(?![^\s/>])", re.IGNORECASE)
_TABLE_TAG = re.compile(r"<(/?)table(?![^\s/>])[^<>]*>?", re.IGNORECASE)

# Where a paragraph's escape stands: before the mark of a block, or before the point of a list number; in front of the
# backslashes that stand there already, so that these are kept.
_ESCAPE_AT = re.compile(
    r"""[0-9]{1,9} (?=(?P<number>\\*) \.[^\S\n])
      | (?=(?P<mark>\\*) (?: \#{1,6}[^\S\n] | -[^\S\n] | `{3,}[^`\n]*(?:\n|\Z) | \[\^[^\s\[\]]+\]:[^\S\n]
                         | <table(?![^\s/>]) ))""",
    re.VERBOSE | re.IGNORECASE,
)

# ``display`` is no part of the dialect in a line of text, but models write it.
_INLINE = re.compile(
    r"""(?<!\\)(?P<dollar>(?:\\\\)*+\\\$)
      | (?<!\\)(?P<slashes>(?:\\\\)++)(?=\$)
      | \$\$(?P<display>(?:[^$\\]|\\.)++)\$\$
      | \$(?P<math>(?:[^$\\]|\\.)++)\$""",
    re.VERBOSE | re.DOTALL,
)
_LATEX = re.compile(r"(?:[^$\\]|\\.)+", re.DOTALL)


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
    for index, (block, back) in enumerate(zip_longest(blocks, read(markdown))):
        if block != back:
            raise ValueError(f"block {index} has no Markdown that reads as it: {block!r}")
    return markdown


def read(markdown: str) -> list[Block]:
    """The blocks of any text. What is not closed (code, formula, table) ends with the text."""
    return _Reader(markdown).read()


def inline(runs: Iterable[Run]) -> str:
    """The inline text of runs; ``ValueError`` on math that a dollar would end early, or that touches other math."""
    pieces: list[str] = []
    literal = ""
    for run in runs:
        if run.kind == "text":
            literal += run.text
            continue
        if not _LATEX.fullmatch(run.text):
            raise ValueError(f"not inline math, for it is empty or holds a bare dollar or last backslash: {run.text!r}")
        if pieces and not literal:
            raise ValueError(f"inline math touches other math, make them one or part them: {run.text!r}")
        before_dollar = len(literal) - len(literal.rstrip("\\"))
        pieces += [_escape_dollars(literal), "\\" * before_dollar, f"${run.text}$"]
        literal = ""
    return "".join([*pieces, _escape_dollars(literal)])


def runs(text: str) -> tuple[Run, ...]:
    """The runs of inline text; no two text runs touch. A dollar without a partner is text."""
    found: list[Run] = []
    literal: list[str] = []

    def end_text() -> None:
        if printed := "".join(literal):
            found.append(Run("text", printed))
        literal.clear()

    at = 0
    for match in _INLINE.finditer(text):
        literal.append(text[at : match.start()])
        at = match.end()
        if latex := match["display"] or match["math"]:
            end_text()
            found.append(Run("math", latex))
        elif match["dollar"]:
            literal.append("\\" * (len(match["dollar"]) // 2 - 1) + "$")
        else:
            literal.append("\\" * (len(match["slashes"]) // 2))
    literal.append(text[at:])
    end_text()
    return tuple(found)


def _escape_dollars(text: str) -> str:
    return re.sub(r"(?<!\\)(\\*)\$", r"\1\1\\$", text)


def _write_block(block: Block) -> str:
    match block.kind:
        case "heading":
            return f"{'#' * block.level} {block.text}"
        case "list_item":
            return f"{' ' * _INDENT * block.level}{block.marker} {block.text}"
        case "note":
            return f"[^{block.marker}]: {block.text}"
        case "code":
            longest = max(map(len, re.findall("`+", block.text)), default=0)
            fence = "`" * max(3, longest + 1)
            return f"{fence}{block.marker}\n{block.text}\n{fence}"
        case "formula":
            # On one line a dollar at either end of the LaTeX would run into the marks.
            gap = "\n" if "\n" in block.text or block.text[:1] == "$" or block.text[-1:] == "$" else ""
            return f"$${gap}{block.text}{gap}$$"
        case "paragraph":
            if escape := _ESCAPE_AT.match(block.text):
                return f"{block.text[: escape.end()]}\\{block.text[escape.end() :]}"
            return block.text
        case _:
            return block.text


class _Reader:
    """Takes lines one by one. Paragraphs, list items and notes stay ``pending`` for the lines that continue them."""

    def __init__(self, markdown: str) -> None:
        self.lines = iter(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        self.blocks: list[Block] = []
        self.pending: Block | None = None
        self.parts: list[str] = []
        self.indents: list[int] = []  # of the list being read, one per level that is open

    def read(self) -> list[Block]:
        for line in self.lines:
            self.line(line.rstrip())
        self.end_pending()
        return self.blocks

    def line(self, line: str) -> None:
        content = line.lstrip()
        if not content:
            self.end_pending()
        elif found := _HEADING.fullmatch(content):
            self.add(Block("heading", found[2], level=len(found[1])))
        elif found := _LIST_ITEM.fullmatch(line):
            self.begin(Block("list_item", "", self.list_level(found[1]), found[2]), found[3])
        elif found := _NOTE.fullmatch(content):
            self.begin(Block("note", "", marker=found[1]), found[2])
        elif found := _FENCE.fullmatch(content):
            self.code(len(found[1]), found[2].strip())
        elif _TABLE.match(content):
            self.table(content)
        elif content.startswith("$$"):
            self.formula(content)
        elif self.pending and (self.pending.kind == "paragraph" or content != line):
            self.parts.append(content)
        else:
            self.begin(Block("paragraph", ""), content)

    def begin(self, block: Block, first_part: str) -> None:
        self.end_pending()
        if block.kind != "list_item":
            self.indents = []
        self.pending, self.parts = block, [first_part]

    def end_pending(self) -> None:
        if self.pending is None:
            return
        if self.pending.kind == "paragraph":
            text = "\n".join(self.parts)
            escape = _ESCAPE_AT.match(text)
            if escape and (escape["number"] or escape["mark"]):
                text = text[: escape.end()] + text[escape.end() + 1 :]
        else:
            text = " ".join(self.parts)
        self.blocks.append(replace(self.pending, text=text))
        self.pending = None

    def add(self, block: Block) -> None:
        self.end_pending()
        self.indents = []
        if block.text or block.kind == "code":
            self.blocks.append(block)

    def list_level(self, space: str) -> int:
        indent = len(space.expandtabs(_INDENT))
        while self.indents and self.indents[-1] > indent:
            self.indents.pop()
        if not self.indents or self.indents[-1] < indent:
            self.indents.append(indent)
        return len(self.indents) - 1

    def code(self, fence: int, language: str) -> None:
        content = []
        for line in self.lines:
            mark = line.strip()
            if len(mark) >= fence and not mark.strip("`"):
                break
            content.append(line)
        self.add(Block("code", "\n".join(content), marker=language))

    def table(self, line: str) -> None:
        """A table, and those right behind it, from the line that begins it; HTML on several lines becomes one."""
        parts: list[str] = []
        depth = at = 0
        while True:
            for tag in _TABLE_TAG.finditer(line):
                if not depth and (tag[1] or line[at : tag.start()].strip()):
                    break
                depth += -1 if tag[1] else 1
                if not depth:
                    self.end_table([*parts, line[at : tag.end()]])
                    parts, at = [], tag.end()
            if not depth:
                return self.behind(line[at:])
            parts.append(line[at:])
            following = next(self.lines, None)
            if following is None:
                return self.end_table(parts)
            line, at = following, 0

    def end_table(self, parts: list[str]) -> None:
        self.add(Block("table", " ".join(filter(None, map(str.strip, parts)))))

    def formula(self, line: str) -> None:
        """A formula, and those right behind it, from the line that begins it."""
        at = 0
        while line.startswith("$$", at):
            content = []
            at += 2
            while (end := line.find("$$", at)) < 0:
                content.append(line[at:])
                following = next(self.lines, None)
                if following is None:
                    return self.add(Block("formula", "\n".join(content).strip()))
                line, at = following, 0
            content.append(line[at:end])
            self.add(Block("formula", "\n".join(content).strip()))
            at = end + 2
            while line[at : at + 1].isspace():
                at += 1
        self.behind(line[at:])

    def behind(self, rest: str) -> None:
        """What stands on the line of a formula or table behind it."""
        rest = rest.strip()
        if rest.startswith("$$"):
            self.formula(rest)
        elif rest:
            self.add(Block("paragraph", rest))
