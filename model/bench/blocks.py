"""A prediction's Markdown as OmniDocBench cuts it, into texts, formulas and tables; ``gold`` does so for a gold page.

Positions of predicted blocks are upstream's, its drift included: a text counts from the sum of the texts before it,
without what parts them. Where upstream looks for an end to the last character from each beginning, this looks once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from proofpress.model.bench import rescue
from proofpress.model.bench.normal_forms import Edition, formula_form, text_form

Kind = Literal["text", "formula", "table"]

#: Categories of gold blocks that are text; those of IGNORED are matched and then not scored.
TEXTS = (
    "text_block", "title", "code_txt", "code_txt_caption", "reference", "equation_caption", "figure_caption",
    "figure_footnote", "table_caption", "table_footnote", "code_algorithm", "code_algorithm_caption", "header",
    "footer", "page_footnote", "page_number",
)  # fmt: skip
IGNORED = frozenset(TEXTS) - {"text_block", "title", "code_txt", "code_txt_caption", "reference"}
FORMULA, TABLE = "equation_isolated", "table"
INLINE = "equation_inline"
#: What v1.6 takes for a formula without matching it: lines of text and the names of pictures.
RESCUED = frozenset({"text_formula", "image_formula"})

MAX_CHARACTERS = 200_000

_IMAGE = re.compile(r"!\[((?:(?!\]\()[^\n]){0,2000}?)\]\([^)\n]{0,2000}\)")
_FENCE = re.compile(r"^```(?:markdown|html|latex)\n?|```\n?$", re.MULTILINE)
_WRAPPER = re.compile(r"</?(?:html|body)>")
_MATH = re.compile(r"\$\$|\\\[|\$|\\\(")
_CLOSING = {"$$": "$$", r"\[": r"\]", "$": "$", r"\(": r"\)"}
_DOLLARS = re.compile(r"\$\$(.*?)\$\$|\$(.*?)\$|\\\((.*?)\\\)", re.DOTALL)
_CODE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
_LATEX_MARKS = (
    (re.compile(r"\\title\{(.*?)\}"), r"\1"),
    (re.compile(r"\\title\s*\{\s*(.*?)\s*\}", re.DOTALL), r"\1"),
    (re.compile(r"\\text\s*\{\s*(.*?)\s*\}", re.DOTALL), r"\1"),
    (re.compile(r"\\section\*?\{(.*?)\}"), r"\1"),
    (re.compile(r"\\section\*?\{\s*(.*?)\s*\}", re.DOTALL), r"\1"),
)
_BAR_LINE = re.compile(r"\|\s*.*?\s*\|\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One block. category: upstream's name of its kind, as finely as it says. text: as written; norm: its normal form.

    at: where it stands: a gold block's reading order (None where it has none), a prediction's character. attributes: of
    a gold block.
    """

    kind: Kind
    category: str
    text: str
    norm: str
    at: float | None
    attributes: tuple[tuple[str, str], ...] = ()


def predicted_blocks(markdown: str, edition: Edition) -> list[Block]:
    """The blocks of a prediction in the order of their positions; LaTeX tables are taken out and are none.

    Formulas in a line of text are blocks of category ``equation_inline`` and stand in their text too.
    """
    content = markdown[:MAX_CHARACTERS]
    blocks: list[Block] = []
    if "](" in content:
        if edition == "v1.6":
            pictures = ((found[1].strip(), found.start()) for found in _IMAGE.finditer(content))
            blocks += (block for name, at in pictures for block in _rescued(name, "image_formula", at))
        content = _IMAGE.sub(lambda found: " " * len(found[0]) if edition == "v1.6" else "", content)
    content = _FENCE.sub("", content)
    content = re.sub(r" {4,}", "    ", re.sub(r"_{4,}", "____", content))
    if edition != "v1.0":
        content = _WRAPPER.sub("", content)
    if edition == "v1.6":
        content = rescue.without_inline_marks(content)
    for start, end in _environments(content):
        content = _blank(content, start, end)
    for start, end in _outer_tables(content):
        blocks += _tables(content[start:end], start, edition)
        content = _blank(content, start, end)
    for start, end in _formulas(content):
        block = _formula(content[start:end], start, edition)
        blocks += _parted(block, end) if edition == "v1.6" else [block]
        if block.category != INLINE:
            content = _blank(content, start, end)
    if len(_BAR_LINE.findall(_to_last_bar(content + "\n"))) >= 2:
        content, tables = _bar_tables(content)
        blocks += [block for html, at in tables for block in _tables(html, at, edition)]
    for code in list(_CODE.finditer(content)):
        blocks.append(_text(code[2].strip(), "code", code.start(), edition))
        content = _blank(content, code.start(), code.end())
    for pattern, replacement in _LATEX_MARKS:
        end = content.rfind("}") + 1  # behind it nothing closes, and each mark would look to the end
        content = pattern.sub(replacement, content[:end]) + content[end:]
    blocks += _texts(content, edition)
    if edition == "v1.6":
        blocks = [block for block in blocks if block.category != INLINE or not rescue.is_name(block.text)]
    return sorted(blocks, key=lambda block: block.at or 0)


def _blank(content: str, start: int, end: int) -> str:
    return content[:start] + " " * (end - start) + content[end:]


def _environments(content: str) -> Iterator[tuple[int, int]]:
    """LaTeX tables, outermost."""
    for name in ("table", "tabular"):
        end = content.rfind(rf"\end{{{name}}}")
        for found in re.finditer(rf"\\begin\{{{name}\}}.*?\\end\{{{name}\}}", content[: end + 20], re.DOTALL):
            yield found.span()


def _outer_tables(content: str) -> Iterator[tuple[int, int]]:
    """HTML tables, outermost; a table that is not closed is passed over and those inside it are taken."""
    opened: list[int] = []
    closed: list[tuple[int, int, int]] = []  # depth, start, end
    for tag in re.finditer(r"<table[^>]*>|</table>", content):
        if not tag[0].startswith("</"):
            opened.append(tag.start())
        elif opened:
            closed.append((len(opened), opened.pop(), tag.end()))
    reach = -1
    for _, start, end in sorted(closed, key=lambda one: (one[1], -one[2])):
        if start > reach:
            yield start, end
            reach = end - 1


def _table(html: str, at: int) -> Block:
    return Block("table", "html_table", html, html, at)


def _tables(html: str, at: int, edition: Edition) -> Iterator[Block]:
    """A table, and in v1.6 its cells that look like formulas."""
    yield _table(html, at)
    if edition == "v1.6":
        for latex, place in rescue.formulas_in_cells(html):
            yield Block("formula", FORMULA, latex, formula_form(latex, edition), at + place)


def _rescued(text: str, category: str, at: int) -> Iterator[Block]:
    """The text as a formula, where it looks like one; a reaction is a displayed formula like any other."""
    if rescue.looks_like_formula(text) and (latex := rescue.as_formula(text)):
        kind = FORMULA if rescue.has_arrow(latex) else category
        yield Block("formula", kind, latex, formula_form(latex, "v1.6"), at)


def _parted(block: Block, end: int) -> Iterator[Block]:
    """A formula as v1.6 has it: its number and captions as text, sums that stand side by side one by one."""
    latex, margins = rescue.without_margins(block.text)
    parts, at = rescue.side_by_side(latex) or [latex], int(block.at or 0)
    step = max((end - at) // len(parts), 1)
    for number, part in enumerate(parts):
        yield replace(block, text=part, norm=formula_form(part, "v1.6"), at=at + number * step)
    for text in margins:
        yield _text(text, "equation_caption", at if text == margins[0] else max(at, end - len(text)), "v1.6")


def _text(text: str, category: str, at: int, edition: Edition) -> Block:
    return Block("text", category, text, text_form(text, edition), at)


def _formulas(content: str) -> Iterator[tuple[int, int]]:
    """Spans between delimiters, leftmost first; each kind of opening is given up once nothing closes it any more."""
    at = 0
    never_closed: set[str] = set()
    while opening := _MATH.search(content, at):
        mark = opening[0]
        end = -1 if mark in never_closed else content.find(_CLOSING[mark], opening.end())
        if end < 0 and mark == "$$":  # then two dollars are an empty formula
            end = opening.start() + 1
            mark = "$"
        if end < 0:
            never_closed.add(mark)
            at = opening.end()
            continue
        at = end + len(_CLOSING[mark])
        yield opening.start(), at


def _formula(source: str, at: int, edition: Edition) -> Block:
    """A formula in brackets; one between single dollars or round brackets is of category ``equation_inline``."""
    line = "".join(source.split()) if edition == "v1.0" else " ".join(source.strip().split("\n"))
    found = _DOLLARS.search(line)
    category = FORMULA
    if found and found[1]:
        line = _DOLLARS.sub(lambda one: rf"\[{one[1] or ''}\]", line)
    elif found:
        line = _DOLLARS.sub(lambda one: rf"\[{one[2] or ''}{one[3] or ''}\]", line)
        category = INLINE
    return Block("formula", category, line, formula_form(line, edition), at)


def _texts(content: str, edition: Edition) -> Iterator[Block]:
    paragraphs = content.split("\n\n")
    if len(paragraphs) == 1:
        paragraphs = content.split("\n")
    at = 0
    for paragraph in paragraphs:
        text = "\n".join(line.strip() for line in paragraph.strip().split("\n") if line.strip())
        if text.startswith("<table") and text.endswith("</table>"):
            yield _table(text, at)
        elif text.startswith("$") and text.endswith("$"):
            if text.replace("$", "").strip():
                yield Block("formula", FORMULA, text, formula_form(text, edition), at)
        elif text:
            text = rescue.text_of_div(text) if edition == "v1.6" else text
            yield _text(text, "text_block", at, edition)
            if edition == "v1.6":
                yield from _rescued(text, "text_formula", at)
        at += len(paragraph)


def _to_last_bar(content: str) -> str:
    return content[: content.rfind("|\n") + 2]


def _bar_tables(content: str) -> tuple[str, list[tuple[str, int]]]:
    """Markdown tables, as HTML with their places, taken out of a content, with upstream's losses: a cell that holds a
    colon or three dashes goes, and so does the line that stands right before the table."""
    content = content.replace("\r", "") + "\n"
    end = content.rfind("|\n") + 2
    marked = _BAR_LINE.sub(lambda row: f"\x00{_rows_html(row[0])}\x00\n", content[:end]) + content[end:]
    pieces: list[str] = []
    rows: list[str] = []
    for line in [*marked.split("\n"), ""]:
        if "\x00" in line:
            if not rows and pieces:
                pieces.pop()
            rows.append(line.split("\x00")[1])
            continue
        if rows:
            pieces.append(f"\n\n\x01{''.join(rows)}\x01\n\n")
            rows = []
        pieces.append(line)
    text = "\n".join(pieces[:-1])
    tables = []
    while (start := text.find("\x01")) >= 0:
        stop = text.index("\x01", start + 1)
        html = f'<table border="1" >\n{text[start + 1 : stop]}</table>'
        tables.append((html, start))
        text = text[:start] + " " * len(html) + text[stop + 1 :]
    return text, tables


def _rows_html(lines: str) -> str:
    """One match of ``_BAR_LINE``: a row (the rule is one without cells, and none), or, where lines end in spaces, a
    whole table with the rule in its second line."""
    rows = lines.strip().split("\n")
    html = []
    for row in [rows[0], *rows[2:]]:
        cells = [cell.strip() for cell in row.strip().split("|")[1:-1]]
        kept = (cell for cell in cells if ":" not in cell and "---" not in cell)
        html.append("<tr>" + "".join(f'<td colspan="1" rowspan="1">{cell}</td>' for cell in kept) + "</tr>")
    return "".join(html) if html != ["<tr></tr>"] else ""
