"""Any benchmark as what pages are decontaminated against: the pictures, texts, formulas, tables and ids in its folder.

No adapter is needed, so that a benchmark of tomorrow works too: pictures and PDF pages, Markdown and text files, and
the strings of JSON and JSONL files under the names that benchmarks use for labels. What belongs to one page is put
together by the page's name: ``images/x.pdf_3.jpg``, ``mds/x.pdf_3.md`` and the JSON item with
``"image_path": "x.pdf_3.jpg"``; a PDF with a page number likewise.

    for page in read_benchmark(Path("OmniDocBench")):
        page.name, page.looks, page.texts
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import pypdfium2

from proofpress.cleaners.corpus import RowError
from proofpress.cleaners.duplicates.near_image import Look, look_of
from proofpress.cleaners.pdf import render_page
from proofpress.pages import markdown
from proofpress.pages.errors import RequestError
from proofpress.pages.image import ImageError, open_image
from proofpress.pages.shards import MANIFEST, read_records

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".gif"})
TEXTS = frozenset({".md", ".mmd", ".txt", ".tex"})
#: Files about a benchmark, which say nothing of its pages.
ABOUT = re.compile(r"(readme|licen[cs]e|changelog|contributing|requirements|citation)", re.IGNORECASE)

MAX_FILE = 512 * 2**20  # bytes
MAX_PDF_PAGES = 2_000

#: Names under which benchmarks keep what stands on a page, and what page it is.
LABEL_KEYS = frozenset(
    {"text", "latex", "html", "markdown", "md", "math", "before", "after", "cell", "content", "answer", "gt",
     "ground_truth", "natural_text", "formula", "table", "caption", "transcription", "reference"}
)  # fmt: skip
PAGE_KEYS = ("image_path", "image_name", "img_path", "image", "img_id", "file_name", "filename", "pdf", "page_id")
ID_KEYS = ("url", "source", "source_url", "arxiv_id", "pmcid", "doi", "id", "docId", "ucsf_document_id")

#: Names of documents that mean the same wherever they stand.
_DOCUMENT = re.compile(
    r"(?i)(?P<pmc>PMC\d{5,9})|(?<![\d.])(?P<arxiv>\d{4}\.\d{4,5})(?![\d.])|(?P<doi>10\.\d{4,9}/[^\s\"<>?#]{4,80})"
)


@dataclass(slots=True)
class BenchmarkPage:
    """What is known of one page of a benchmark. name: as it is cited in evidence."""

    name: str
    looks: list[Look] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    formulas: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    documents: set[str] = field(default_factory=set)


def read_benchmark(folder: Path) -> list[BenchmarkPage]:
    """All pages that a folder tells of, in the order of their names.

    Raises ``RequestError`` where the folder is none, or holds neither picture nor text. A file that cannot be read is
    passed over: half of a benchmark still protects that half.
    """
    if not folder.is_dir():
        raise RequestError(f"{folder}: no such folder of a benchmark")
    pages: dict[str, BenchmarkPage] = {}
    for name, facts in _facts(folder):
        page = pages.setdefault(name, BenchmarkPage(f"{folder.name}/{name}"))
        page.looks += facts.looks
        page.texts += facts.texts
        page.formulas += facts.formulas
        page.tables += facts.tables
        page.documents |= facts.documents
    if not pages:
        raise RequestError(f"{folder}: no pictures, PDFs, Markdown or JSON to decontaminate against")
    return [pages[name] for name in sorted(pages)]


def documents_in(text: str) -> set[str]:
    """The documents that a name or an address names: ``pmc3519711``, ``arxiv:2503.05390``, ``doi:10.1016/...``."""
    found = set()
    for match in _DOCUMENT.finditer(text):
        kind = str(match.lastgroup)
        value = match.group().lower().rstrip(".,;)")
        found.add(value if kind == "pmc" else f"{kind}:{value}")
    return found


def page_name(path: str, number: int | None = None) -> str:
    """The name of a page: that of its file without folders and suffix, and its number in a PDF."""
    stem = PurePosixPath(path.replace("\\", "/"))
    known = {*PICTURES, *TEXTS, ".pdf", ".json"}
    bare = stem.stem if stem.suffix.lower() in known else stem.name
    return bare if number is None else f"{bare}#{number}"


def _facts(folder: Path) -> Iterator[tuple[str, BenchmarkPage]]:
    if (folder / MANIFEST).is_file():
        for record in read_records(folder):
            page = BenchmarkPage("", [look_of(open_image(record.image))])
            _add_label(page, record.task if record.task in ("formula", "table") else "text", record.text)
            page.documents |= documents_in(f"{record.source.id} {record.source.url}")
            yield record.id, page
        return
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or ABOUT.match(path.name) or path.stat().st_size > MAX_FILE:
            continue
        suffix = path.suffix.lower()
        if suffix in PICTURES:
            yield from _picture(path)
        elif suffix == ".pdf":
            yield from _pdf(path)
        elif suffix in TEXTS:
            page = BenchmarkPage("", documents=documents_in(path.stem))
            _add_label(page, "text", path.read_text(encoding="utf-8", errors="replace"))
            yield page_name(path.name), page
        elif suffix in (".json", ".jsonl"):
            yield from _json(path)


def _picture(path: Path) -> Iterator[tuple[str, BenchmarkPage]]:
    try:
        look = look_of(open_image(path.read_bytes()))
    except ImageError:
        return
    yield page_name(path.name), BenchmarkPage("", [look], documents=documents_in(path.stem))


def _pdf(path: Path) -> Iterator[tuple[str, BenchmarkPage]]:
    data = path.read_bytes()
    for number, text in enumerate(_text_layers(data), start=1):
        page = BenchmarkPage("", texts=[text], documents=documents_in(path.stem))
        try:
            page.looks.append(look_of(render_page(data, number).image))
        except RowError:
            continue
        yield page_name(path.name, number), page


def _text_layers(data: bytes) -> Iterator[str]:
    """The text that each page of a PDF carries; of a scan it is empty."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        return
    try:
        for number in range(min(len(document), MAX_PDF_PAGES)):
            yield document[number].get_textpage().get_text_bounded()
    except pypdfium2.PdfiumError:
        return
    finally:
        document.close()


def _json(path: Path) -> Iterator[tuple[str, BenchmarkPage]]:
    text = path.read_text(encoding="utf-8", errors="replace")
    pieces = text.splitlines() if path.suffix.lower() == ".jsonl" else [text]
    rows: list[Any] = []
    for piece in pieces:
        try:
            value = json.loads(piece)
        except (ValueError, RecursionError):
            continue
        rows += value if isinstance(value, list) else [value]
    for number, row in enumerate(rows):
        page = BenchmarkPage("")
        _collect(row, page)
        if page.texts or page.formulas or page.tables:
            yield _name_of(row) or f"{page_name(path.name)}[{number}]", page


def _collect(value: Any, page: BenchmarkPage, depth: int = 0) -> None:
    """Add the labels and ids anywhere in a JSON value."""
    if depth > 40:
        return
    if isinstance(value, list):
        for item in value:
            _collect(item, page, depth + 1)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if isinstance(item, str):
                if key in LABEL_KEYS:
                    kind = {"latex": "formula", "math": "formula", "formula": "formula", "html": "table"}
                    _add_label(page, kind.get(key, "text"), item)
                elif key in ID_KEYS or key in PAGE_KEYS:
                    page.documents |= documents_in(item)
            else:
                _collect(item, page, depth + 1)


def _name_of(row: Any, depth: int = 0) -> str:
    """The name of the page that a JSON row is about, wherever in it that stands; empty where it is not told."""
    if not isinstance(row, Mapping) or depth > 3:
        return ""
    for key in PAGE_KEYS:
        if isinstance(row.get(key), str) and row[key]:
            number = row.get("page", row.get("page_number"))
            return page_name(row[key], number if isinstance(number, int) and key == "pdf" else None)
    return next((name for item in row.values() if (name := _name_of(item, depth + 1))), "")


def _add_label(page: BenchmarkPage, kind: str, text: str) -> None:
    if kind == "formula":
        page.formulas.append(text.strip().strip("$").strip())
        return
    page.texts.append(text)
    if kind == "table":
        page.tables.append(text)
        return
    for block in markdown.read(text):
        if block.kind == "table":
            page.tables.append(block.text)
        elif block.kind == "formula":
            page.formulas.append(block.text)
