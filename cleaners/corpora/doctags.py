"""A page of DocTags: docling's markup, one tag a block, ``<loc_x>`` in 500ths of the page, tables in OTSL.

<doctag><title><loc_58><loc_40><loc_442><loc_52>Mass</title>
<otsl><loc_82><loc_85><loc_417><loc_204><ched>kg<nl><fcel>3<nl><caption>...</caption></otsl></doctag>
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from proofpress.cleaners.corpus import RowError, quad
from proofpress.cleaners.elements import printed
from proofpress.pages.record import Element
from proofpress.pages.table import TableError
from proofpress.pages.table_html import to_html
from proofpress.pages.table_otsl import from_otsl

_TYPES = {
    "title": "title", "text": "paragraph", "paragraph": "paragraph", "caption": "caption", "footnote": "note",
    "formula": "formula", "code": "code", "list_item": "list_item", "page_header": "running_head",
    "page_footer": "running_foot", "picture": "figure", "chart": "figure", "otsl": "table", "reference": "paragraph",
    "document_index": "table", "checkbox_selected": "paragraph", "checkbox_unselected": "paragraph",
}  # fmt: skip
_LISTS = ("unordered_list", "ordered_list")
_TAG = re.compile(r"<(/?)([a-z_]+?)(?:_level_([1-6]))?>")
_PLACE = re.compile(r"\s*<loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})><loc_(\d{1,3})>")
_LANGUAGE = re.compile(r"^\s*<_([^<>]*)_>")
_INNER = re.compile(r"<[a-z_]+>")


def pages_in(doctags: str) -> list[str]:
    """The markup of each page."""
    return re.split(r"<page_break>", doctags)


def page_elements(markup: str, original: dict[str, Any]) -> list[Element]:
    """One page's elements, in reading order. Raises ``RowError``."""
    elements: list[Element] = []
    for number, (name, level, depth, marker, content) in enumerate(_blocks(markup, original)):
        place = _PLACE.match(content)
        polygons = (quad([float(side) for side in place.groups()]),) if place else ()
        body = content[place.end() :] if place else content
        kind = "heading" if name == "section_header" else _TYPES[name]
        attributes = {"level": str(min(6, int(level) + 1))} if kind == "heading" else {}
        if kind == "list_item":
            attributes = {"level": str(depth), "marker": marker}
        caption = re.search(r"<caption>(.*?)</caption>", body, re.DOTALL)
        body = body.replace(caption.group(), "") if caption else body
        elements.append(Element(f"e{number}", kind, _text(kind, body, original), polygons, None, attributes))
        if caption:
            at = _PLACE.match(caption[1])
            where = (quad([float(side) for side in at.groups()]),) if at else ()
            text = printed(unescape(caption[1][at.end() :] if at else caption[1]))
            elements.append(Element(f"e{number}.1", "caption", text, where))
    return elements


def _blocks(markup: str, original: dict[str, Any]) -> Iterator[tuple[str, str, int, str, str]]:
    """Name, level, depth in lists, marker and content of each block."""
    lists: list[list[Any]] = []  # kind, items so far
    at = 0
    while tag := _TAG.search(markup, at):
        end, name, level = tag.groups()
        at = tag.end()
        if name in _LISTS:
            if end:
                lists = lists[:-1]
            else:
                lists.append([name, 0])
        elif not end and (name in _TYPES or name == "section_header"):
            close = markup.find(f"</{name}{f'_level_{level}' if level else ''}>", at)
            if close < 0:
                raise RowError("row.doctags", f"<{name}> is not closed", original)
            marker = "-"
            if name == "list_item" and lists:
                lists[-1][1] += 1
                marker = f"{lists[-1][1]}." if lists[-1][0] == "ordered_list" else "-"
            yield name, level or "1", max(0, len(lists) - 1), marker, markup[at:close]
            at = close


def _text(kind: str, body: str, original: dict[str, Any]) -> str:
    if kind == "figure":
        return ""
    if kind == "table":
        try:
            return to_html(from_otsl(body))
        except TableError as error:
            raise RowError("table.otsl", str(error), original) from error
    if kind == "code":
        return unescape(_LANGUAGE.sub("", body)).strip("\n")
    if kind == "formula":
        if not body.strip():
            raise RowError("docling.formula", "a formula that was not read", original)
        return unescape(body).strip()
    return printed(unescape(_INNER.sub(" ", body)))
