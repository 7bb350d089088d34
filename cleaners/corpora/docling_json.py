"""A page of a DoclingDocument: the items of its body tree in reading order, as elements.

https://docling-project.github.io/docling/concepts/docling_document/ describes the format.
"""

from collections.abc import Iterator
from typing import Any

from proofpress.cleaners.corpus import Frame, RowError, quad, wanted
from proofpress.cleaners.elements import printed
from proofpress.pages.record import Element
from proofpress.pages.table import Cell, TableError, TableGrid, one_line
from proofpress.pages.table_html import to_html

_TYPES = {
    "title": "title", "section_header": "heading", "paragraph": "paragraph", "text": "paragraph", "caption": "caption",
    "footnote": "note", "formula": "formula", "code": "code", "list_item": "list_item", "reference": "paragraph",
    "page_header": "running_head", "page_footer": "running_foot", "picture": "figure", "chart": "figure",
    "table": "table", "document_index": "table", "checkbox_selected": "paragraph", "checkbox_unselected": "paragraph",
    "handwritten_text": "paragraph", "field_key": "paragraph", "field_value": "paragraph",
}  # fmt: skip
MAX_DEPTH = 50


def page_numbers(document: dict[str, Any]) -> tuple[int, ...]:
    """The pages of a document."""
    (pages,) = wanted(document, pages=dict)
    return tuple(sorted(int(number) for number in pages if number.isdecimal()))


def document_elements(document: dict[str, Any], page: int, original: dict[str, Any]) -> tuple[list[Element], Frame]:
    """One page's elements in reading order, and its sheet. Raises ``RowError``."""
    (pages,) = wanted(document, original, pages=dict)
    (size,) = wanted(pages.get(str(page)), original, size=dict)
    width, height = wanted(size, original, width=(int, float), height=(int, float))
    elements = []
    for number, (item, depth) in enumerate(_walk(document, document.get("body"), 0, original)):
        boxes = [prov["bbox"] for prov in item.get("prov") or () if prov.get("page_no") == page]
        if boxes and item.get("label") in _TYPES:
            polygons = tuple(_polygon(box, height) for box in boxes)
            elements.append(_element(f"e{number}", item, depth, polygons, original))
    return elements, Frame(max(width, 1), max(height, 1))


def _walk(document: Any, node: Any, depth: int, original: dict[str, Any]) -> Iterator[tuple[dict[str, Any], int]]:
    """The items below a node, each with the lists it is in. What is within a picture or table is part of it."""
    if depth > MAX_DEPTH:
        raise RowError("row.malformed", f"items nested over {MAX_DEPTH} deep", original)
    for child in (node or {}).get("children") or ():
        item = _resolve(document, child, original)
        if "prov" in item and item.get("label") not in ("list", "group"):
            yield item, depth
        if item.get("label") not in ("picture", "chart", "table", "document_index"):
            inner = depth + (item.get("label") in ("list", "ordered_list") or item.get("label") == "list_item")
            yield from _walk(document, item, inner if item.get("label") != "list_item" else depth, original)
        else:
            yield from _captions(document, item, depth, original)


def _captions(document: Any, item: Any, depth: int, original: dict[str, Any]) -> Iterator[tuple[dict[str, Any], int]]:
    for child in item.get("captions") or ():
        yield _resolve(document, child, original), depth


def _resolve(document: Any, child: Any, original: dict[str, Any]) -> dict[str, Any]:
    """What ``{"$ref": "#/texts/3"}`` names."""
    named = child if isinstance(child, dict) else {}
    (ref,) = wanted({"ref": named.get("$ref", named.get("cref"))}, original, ref=str)
    found = document
    for part in ref.removeprefix("#/").split("/"):
        try:
            found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            raise RowError("row.malformed", f"nothing at {ref}", original) from error
    if not isinstance(found, dict):
        raise RowError("row.malformed", f"no item at {ref}", original)
    return found


def _element(name: str, item: dict[str, Any], depth: int, polygons: Any, original: dict[str, Any]) -> Element:
    kind = _TYPES[item["label"]]
    attributes: dict[str, str] = {}
    if kind == "table":
        return Element(name, kind, _table(item, original), polygons)
    if kind == "figure":
        return Element(name, kind, "", polygons)
    (text,) = wanted(item, original, text=str)
    if kind == "formula" and not text.strip():
        raise RowError("docling.formula", f"a formula that was not read: {item.get('orig', '')!r:.100}", original)
    if kind == "heading":
        attributes["level"] = str(min(6, max(1, int(item.get("level") or 1)) + 1))
    if kind == "list_item":
        marker = str(item.get("marker") or "-")
        attributes = {"level": str(max(0, depth - 1)), "marker": marker if marker[:-1].isdecimal() else "-"}
    plain = text if kind in ("formula", "code") else printed(text)
    return Element(name, kind, plain, polygons, None, attributes)


def _table(item: dict[str, Any], original: dict[str, Any]) -> str:
    (data,) = wanted(item, original, data=dict)
    cells, rows, columns = wanted(data, original, table_cells=list, num_rows=int, num_cols=int)
    laid = []
    for cell in cells:
        top, bottom, left, right, text = wanted(
            cell, original, start_row_offset_idx=int, end_row_offset_idx=int, start_col_offset_idx=int,
            end_col_offset_idx=int, text=str,
        )  # fmt: skip
        head = bool(cell.get("column_header") or cell.get("row_header"))
        laid.append(Cell(top, left, bottom - top, right - left, one_line(printed(text)), head))
    taken = {(r, c) for cell in laid for r in range(cell.row, cell.row + cell.rowspan)
             for c in range(cell.column, cell.column + cell.colspan)}  # fmt: skip
    try:
        # A slot that no cell has is an empty cell: so docling builds its own grid.
        empty = [Cell(r, c) for r in range(min(rows, 1000)) for c in range(min(columns, 1000)) if (r, c) not in taken]
        return to_html(TableGrid(rows, columns, (*laid, *empty)))
    except TableError as error:
        reason = {"overlap": "table.overlap", "hole": "table.ragged"}.get(error.reason, "table.structure")
        raise RowError(reason, str(error), original) from error


def _polygon(box: dict[str, Any], height: float) -> tuple[float, ...]:
    """A box with the origin at the top left, whichever it had."""
    sides = [box.get(side) for side in "ltrb"]
    corners = quad(sides)
    if corners and box.get("coord_origin") == "BOTTOMLEFT":
        left, top, right, bottom = corners[0], corners[1], corners[4], corners[5]
        return quad([left, height - top, right, height - bottom])
    return corners
