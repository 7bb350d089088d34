"""A table grid in HTML: a tolerant reader and one canonical spelling.

``from_html`` reads what corpora and models write (any case, unquoted or broken attributes, missing end tags, ``thead``
or not, tables inside cells); ``to_html`` writes the dialect: ``tr``, ``th`` and ``td``, ``rowspan`` and ``colspan``
where they are not 1, and nothing else, so that equal grids are equal bytes and ``from_html(to_html(grid)) == grid``.

    >>> to_html(from_html("<TABLE><tr><TH colspan=2>Mass<tr><td>3<td>kg"))
    '<table><tr><th colspan="2">Mass</th></tr><tr><td>3</td><td>kg</td></tr></table>'
"""

import re
from html import escape, unescape

from proofpress.pages.table import Cell, LooseCell, TableError, TableGrid, lay_out, one_line

#: The most that a span counts for, as in browsers: https://html.spec.whatwg.org/multipage/tables.html
MAX_SPAN = 1_000

# Text on either side of one of these is not one word; around an inline tag it is.
_BREAKING_TAGS = frozenset({
    "blockquote", "body", "br", "caption", "center", "col", "colgroup", "dd", "div", "dl", "dt", "figcaption",
    "figure", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "html", "li", "ol", "p", "pre", "section",
    "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul",
})  # fmt: skip
_INLINE_TAGS = frozenset({
    "a", "abbr", "b", "big", "cite", "code", "del", "dfn", "em", "font", "i", "img", "input", "ins", "kbd",
    "label", "link", "mark", "meta", "nobr", "q", "s", "samp", "script", "small", "span", "strike", "strong",
    "style", "sub", "sup", "tt", "u", "var",
})  # fmt: skip

# No alternative but the comment runs past a "<", so that a broken tag costs no more than its own length.
_MARKUP = re.compile(
    r"""<!--.*?(?:-->|\Z)
      | <(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9]*)
        (?P<attributes>(?:[\s/](?:[^<>"']|"[^<"]*"|'[^<']*')*+)?|[\s/][^<>]*)>
      | (?:</?|</?[A-Za-z][^<>]*)\Z""",
    re.VERBOSE | re.DOTALL,
)
_SPANS = {
    name: re.compile(rf"""(?:^|[\s/"']){name}\s*=\s*["']?\s*\+?([0-9]+)""", re.IGNORECASE)
    for name in ("rowspan", "colspan")
}

# One spelling of each tag: rows of cells, whose text has no markup but raised and lowered words.
_PLAIN_CELL = (
    r"""t[dh](?: rowspan="[0-9]{1,3}")?(?: colspan="[0-9]{1,3}")?>"""
    r"[^<]*+(?:<(su[bp])>[^<]*+</\1>[^<]*+)*+</t[dh]>"
)
_PLAIN = re.compile(rf"<table>(?:<thead>|</thead>|<tbody>|</tbody>|<tr>(?:<{_PLAIN_CELL})*+</tr>)++</table>")
_PLAIN_PIECE = re.compile(
    r"""<(/thead|thead|tr|t[dh])(?: rowspan="([0-9]+)")?(?: colspan="([0-9]+)")?>((?:[^<]|</?su[bp]>)*)"""
)

_SCRIPTS = {"sup": "^", "sub": "_"}
_LATEX_ESCAPES = str.maketrans({c: f"\\{c}" for c in "%#&_{}"} | {"^": r"\wedge ", "~": r"\sim "})
# Stands for the dollars of a script until the cell is complete. As white space it is in no cell's text.
_DOLLAR = "\x1f"


def to_html(grid: TableGrid) -> str:
    """The grid in the canonical spelling, on one line; of the text only ``&``, ``<`` and ``>`` are escaped."""
    rows = ("".join(map(_cell_html, cells)) for cells in grid.by_row())
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def from_html(html: str, fill: bool = False) -> TableGrid:
    """The first table of the markup.

    Cells are headings in ``th`` or in ``thead``. ``br`` and block tags are white space, ``sup`` and ``sub`` become
    math (``10<sup>2</sup>`` is ``10$^{2}$``), other tags of HTML go, tags that HTML has not are text (``<eos>``).
    A table inside a cell is that cell's text. A span that is no number counts as 1, one above ``MAX_SPAN`` as that,
    ``rowspan=0`` reaches to the last row. fill: mend what does not tile, see ``lay_out``; without it ``TableError``.
    """
    return lay_out(_read_plain(html) or _RowReader().read(html), fill)


def tables_in(text: str) -> list[str]:
    """The outer tables in a text, in order, each as it stands there; one that is not closed ends with the text."""
    tables, depth, start = [], 0, 0
    for tag in _MARKUP.finditer(text):
        if (tag["name"] or "").lower() != "table":
            continue
        if not tag["end"]:
            start = start if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                tables.append(text[start : tag.end()])
    if depth:
        tables.append(text[start:])
    return tables


def _cell_html(cell: Cell) -> str:
    tag = "th" if cell.heading else "td"
    spans = [("rowspan", cell.rowspan), ("colspan", cell.colspan)]
    attributes = "".join(f' {name}="{span}"' for name, span in spans if span != 1)
    return f"<{tag}{attributes}>{escape(cell.text, quote=False)}</{tag}>"


def _read_plain(html: str) -> list[list[LooseCell]] | None:
    """The rows of markup in which every tag is spelled and closed as ``to_html`` does, with ``thead`` or not.

    What the reader below would give, in a third of its time: this is how corpora and we ourselves write tables. None
    for any other markup.
    """
    if not _PLAIN.fullmatch(html):
        return None
    rows: list[list[LooseCell]] = []
    in_head = False
    for piece in _PLAIN_PIECE.finditer(html):
        tag, rowspan, colspan, raw = piece.groups()
        if tag == "tr":
            rows.append([])
        elif tag[0] != "t" or tag == "thead":
            in_head = tag == "thead"
        elif "<" in raw:
            ((cell,),) = _RowReader().read(f"<table><tr><td>{raw}</table>")
            rows[-1].append(LooseCell(cell.text, *_plain_spans(rowspan, colspan), in_head or tag == "th"))
        else:
            text = one_line(unescape(raw) if "&" in raw else raw)
            rows[-1].append(LooseCell(text, *_plain_spans(rowspan, colspan), in_head or tag == "th"))
    return rows


def _plain_spans(rowspan: str | None, colspan: str | None) -> tuple[int, int]:
    return int(rowspan or 1), max(1, int(colspan or 1))


class _RowReader:
    """Turns tags and text into rows of loose cells. Tables inside the open cell only count towards ``depth``."""

    def __init__(self) -> None:
        self.rows: list[list[LooseCell]] = []
        self.depth = 0
        self.in_head = False
        self.row_open = False
        self.cell: LooseCell | None = None  # the open cell, its text still in ``pieces``
        self.pieces: list[str] = []
        self.scripts: list[tuple[str, int]] = []  # open sup and sub: name, index in ``pieces``
        self.hidden = ""  # the open script or style: what is in it is not text

    def read(self, html: str) -> list[list[LooseCell]]:
        at = 0
        for markup in _MARKUP.finditer(html):
            self.text(html[at : markup.start()])
            at = markup.end()
            name = (markup["name"] or "").lower()
            if name in _BREAKING_TAGS or name in _INLINE_TAGS:
                self.tag(name, bool(markup["end"]), markup["attributes"])
                if name == "table" and not self.depth and markup["end"] and self.rows:
                    return self.rows
            elif name:
                self.text(markup.group())
        self.text(html[at:])
        self.close_cell()
        if not self.rows:
            raise TableError("markup", f"no table with a row in the markup: {html[:80]!r}")
        return self.rows

    def text(self, raw: str) -> None:
        if self.cell is None or self.hidden or not raw:
            return
        text = unescape(raw).replace(_DOLLAR, " ")
        self.pieces.append(_in_script(text) if self.scripts else text)

    def tag(self, name: str, end: bool, attributes: str) -> None:
        if name in ("script", "style"):
            self.hidden = "" if end else self.hidden or name
        elif self.hidden:
            pass
        elif name in _SCRIPTS:
            self.script(name, end)
        elif name == "table":
            self.table(end)
        elif name in _BREAKING_TAGS:
            self.pieces.append(" ")
            if self.depth == 1:
                self.structure(name, end, attributes)

    def table(self, end: bool) -> None:
        self.pieces.append(" ")
        if not end:
            # Where no cell is open no table can stand: what looks like a second one is the first, begun again.
            self.depth = self.depth + 1 if self.cell or not self.depth else self.depth
        elif self.depth:
            self.depth -= 1
            if not self.depth:
                self.close_row()

    def structure(self, name: str, end: bool, attributes: str) -> None:
        if name in ("thead", "tbody", "tfoot"):
            self.close_row()
            self.in_head = name == "thead" and not end
        elif name == "tr":
            self.close_row()
            if not end:
                self.open_row()
        elif name in ("td", "th"):
            self.close_cell()
            if not end:
                if not self.row_open:
                    self.open_row()
                rowspan, colspan = _span("rowspan", attributes), max(1, _span("colspan", attributes))
                self.cell = LooseCell("", rowspan, colspan, heading=name == "th" or self.in_head)

    def open_row(self) -> None:
        self.row_open = True
        self.rows.append([])

    def close_row(self) -> None:
        self.close_cell()
        self.row_open = False

    def close_cell(self) -> None:
        if self.cell:
            text = re.sub(rf"{_DOLLAR}{_DOLLAR}|(?<!\\)\${_DOLLAR}|{_DOLLAR}\$", "", "".join(self.pieces))
            text = one_line(text.replace(_DOLLAR, "$"))
            self.rows[-1].append(LooseCell(text, self.cell.rowspan, self.cell.colspan, self.cell.heading))
        self.cell = None
        self.pieces, self.scripts = [], []

    def script(self, name: str, end: bool) -> None:
        if not end:
            self.scripts.append((name, len(self.pieces)))
        elif self.scripts and self.scripts[-1][0] == name:
            _, start = self.scripts.pop()
            content = one_line("".join(self.pieces[start:]))
            dollar = "" if self.scripts else _DOLLAR
            self.pieces[start:] = [f"{dollar}{_SCRIPTS[name]}{{{content}}}{dollar}"] if content else []


def _in_script(text: str) -> str:
    """Text as LaTeX; what holds a dollar or a backslash is LaTeX already."""
    return text.replace("$", "") if "$" in text or "\\" in text else text.translate(_LATEX_ESCAPES)


def _span(name: str, attributes: str) -> int:
    found = _SPANS[name].search(attributes)
    return min(int(found[1].lstrip("0")[:6] or "0"), MAX_SPAN) if found else 1
