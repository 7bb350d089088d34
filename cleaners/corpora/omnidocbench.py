"""OmniDocBench: pages of nine kinds with every block's text, LaTeX or HTML. A benchmark: never for training.

A JSON list of pages, ``layout_dets[].{category_type, poly[8], ignore, order, anno_id, text | latex | html}``,
``extra.relation[]`` and ``page_info.{width, height, image_path, page_attribute}``; pictures in ``images/``. Blocks
stand by ``order``; those without one are headers, footers and page numbers. A paragraph cut in two (``truncated``)
is one. Boxes are in pixels of the picture; the page's own width and height are the wrong way round in 10 of the
sample's 18 pages.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpus import Corpus, RawRow, Ref, RowError, none_here, parse_ref, quad, reading, wanted
from proofpress.cleaners.elements import read_into
from proofpress.cleaners.files import open_files
from proofpress.cleaners.json_stream import list_items
from proofpress.cleaners.jsonl import read_item
from proofpress.cleaners.pictures import find_picture
from proofpress.pages.record import Check, Element

_TYPES = {
    "title": "heading", "text_block": "paragraph", "equation_isolated": "formula", "table": "table",
    "code_txt": "code", "reference": "paragraph", "list_group": "paragraph",
    "table_caption": "caption", "figure_caption": "caption", "code_txt_caption": "caption", "code_algorithm_caption":
    "caption", "code_algorithm": "code", "table_footnote": "note", "figure_footnote": "note", "page_footnote": "note",
    "equation_caption": "formula_number", "equation_explanation": "paragraph", "header": "running_head",
    "footer": "running_foot", "page_number": "page_number", "figure": "figure", "abandon": "figure",
}  # fmt: skip
_LANGUAGES = {"english": "en", "simplified_chinese": "zh", "traditional_chinese": "zh"}


class OmniDocBench(Corpus):
    """The adapter."""

    name = "omnidocbench"
    about = "benchmark: pages of nine kinds, every block labelled (OmniDocBench)"
    licence = "LicenseRef-research-only"
    terms = "code Apache-2.0; data for research only, not commercial"
    revision = "v1.5"
    url = "https://github.com/opendatalab/OmniDocBench"
    coordinates = "pixels of the picture, origin top left, [x0, y0 ... x3, y3]"
    benchmark = True

    def items(self, path: Path) -> Iterator[str]:
        """One a page."""
        files = open_files(Path(path))
        if not (names := files.names("OmniDocBench*.json")):
            raise none_here(files.root, "OmniDocBench", "OmniDocBench*.json")
        for name in names:
            for _, start, end, page in list_items(files, name, "list of OmniDocBench pages"):
                yield str(Ref("test", f"{name}#{start}#{end}", _picture(page)))

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference. Raises ``RowError``."""
        files = open_files(Path(path))
        original = read_item(files, parse_ref(ref).place)
        with reading(original):
            blocks, info = wanted(original, original, layout_dets=list, page_info=dict)
            (picture,) = wanted(info, original, image_path=str)
            shown = find_picture(files, PurePosixPath(picture).stem, f"images/{picture}", original)
            told = info.get("page_attribute") or {}
            return RawRow(
                source=self.source(path, ref),
                image=files.read(shown, original),
                text="",
                task="page",
                original=original,
                split="test",
                language=_LANGUAGES.get(str(told.get("language")), ""),
                elements=tuple(_elements(blocks, original)),
                findings=_unordered(blocks),
            )


def _picture(page: Any) -> str:
    """The name of a page's picture, as the file's UTF-8 has it; empty where the page tells none."""
    try:
        return page["page_info"]["image_path"].encode("latin-1").decode("utf-8")
    except (LookupError, TypeError, AttributeError, UnicodeError):
        return ""


def _elements(blocks: list[Any], original: dict[str, Any]) -> Iterator[Element]:
    """The blocks in reading order, those without an order last. Raises ``RowError``."""
    pieces = {}
    for number, block in enumerate(blocks):
        kind, box = wanted(block, original, category_type=str, poly=list)
        if "mask" in kind or block.get("ignore"):
            continue
        if kind not in _TYPES:
            raise RowError("layout.category", f"block {block.get('anno_id')} is a {kind!r}", original)
        order = block.get("order")
        place = (order is None, order if isinstance(order, int) else 0, number)
        text = block.get("html" if kind == "table" else "latex" if kind == "equation_isolated" else "text")
        level = {"level": "1"} if kind == "title" else {}
        element = Element(f"e{block.get('anno_id', number)}", _TYPES[kind], str(text or ""), (quad(box),), None, level)
        pieces[block.get("anno_id", f"n{number}")] = (place, element)
    for relation in (original.get("extra") or {}).get("relation") or ():
        _join(pieces, relation)
    for _, element in sorted(pieces.values(), key=lambda piece: piece[0]):
        plain = element.type in ("paragraph", "caption", "note", "heading") and element.text
        yield from read_into(element) if plain else [element]


def _join(pieces: dict[Any, Any], relation: Any) -> None:
    """Make the two halves of a paragraph that a column or page cut one element with two polygons."""
    if not isinstance(relation, dict) or relation.get("relation_type") != "truncated":
        return
    first, second = relation.get("source_anno_id"), relation.get("target_anno_id")
    if first not in pieces or second not in pieces or first == second:
        return
    (place, one), (_, two) = pieces[first], pieces.pop(second)
    gap = "" if one.text[-1:] > "\u2e80" or two.text[:1] > "\u2e80" else " "
    joined = Element(one.id, one.type, one.text + gap + two.text, one.polygons + two.polygons, None, one.attributes)
    pieces[first] = pieces[second] = (place, joined)
    del pieces[second]


def _unordered(blocks: list[Any]) -> tuple[Check, ...]:
    """The blocks without a place in the reading order, which are in no label."""
    without = [b for b in blocks if isinstance(b, dict) and b.get("order") is None and not b.get("ignore")]
    kinds = ", ".join(f"{block.get('anno_id')} {block.get('category_type')}" for block in without)
    return (Check("omnidocbench.order", "passed", "layout.unordered", kinds),) if without else ()
