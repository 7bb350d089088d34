"""olmOCR-mix, pages of crawled PDFs with a model's reading, and olmOCR-bench, pages with tests of a reading.

The mix comes as Parquet, of 0225 (``id, url, page_number, response``: JSON text) or of 1025 (a column a field, and
``pdf_relpath``), with PDFs of one page beside it (tarballs unpacked); or on disk as Markdown with front matter, each
beside its PDF. Its labels are silver: they were read by GPT-4o and GPT-4.1, loop, stop short and refuse now and then.

The bench has a JSONL line a test (``pdf, page, id, type, ...``), and ``pdfs/``. Its rows are pages; a page's text
is what the tests say stands on it, one paragraph each, which is not all of it. A benchmark: never for training.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from PIL import Image

from proofpress.cleaners.corpora.front_matter import read_response, split_head
from proofpress.cleaners.corpus import Corpus, RawRow, Ref, RowError, as_json, none_here, parse_ref, reading, wanted
from proofpress.cleaners.elements import printed
from proofpress.cleaners.files import Files, open_files
from proofpress.cleaners.jsonl import list_rows as list_lines
from proofpress.cleaners.jsonl import parse_object
from proofpress.cleaners.parquet import list_rows, read_row
from proofpress.cleaners.pdf import page_count
from proofpress.cleaners.pictures import find_picture, open_picture
from proofpress.pages.record import Check, Element

_PARQUET, _MARKDOWN = "**/*.parquet", "**/*.md"


class OlmOcrMix(Corpus):
    """The adapter of olmOCR-mix."""

    name = "olmocr-mix"
    about = "pages of crawled PDFs, read by GPT-4o and GPT-4.1 (olmOCR-mix-0225, -1025)"
    licence = "ODC-By-1.0"
    terms = "ODC-By-1.0; pages of public PDFs, which keep their licence"
    revision = "1025"
    url = "https://huggingface.co/datasets/allenai/olmOCR-mix-1025"

    def items(self, path: Path) -> Iterator[str]:
        """One a Parquet row, or one a Markdown file."""
        files = open_files(Path(path))
        if files.names(_PARQUET):
            for place, row in list_rows(files, _PARQUET, ["id"]):
                split = "validation" if "eval" in place.lower() else "train"
                yield str(Ref(split, place, str(row.get("id") or place)))
        elif names := files.names(_MARKDOWN):
            for name in names:
                yield str(Ref("validation" if "eval" in name.lower() else "train", name, name.removesuffix(".md")))
        else:
            raise none_here(files.root, "olmOCR-mix", _PARQUET, _MARKDOWN)

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference, turned upright. Raises ``RowError``."""
        files, place = open_files(Path(path)), parse_ref(ref).place
        row, original, pdf = _row(files, place)
        with reading(original):
            response = read_response(row, original)
            page = _page(files, pdf, row, original)
            shown = open_picture(files, pdf, page, original)
            turned: tuple[Check, ...] = ()
            image = shown.image
            if response.turn and isinstance(image, Image.Image):
                image = image.rotate(-response.turn, expand=True)
                turned = (Check("olmocr.turn", "fixed", "image.turned", f"{response.turn} degrees clockwise"),)
            return RawRow(
                source=self.source(path, ref),
                image=image,
                text=response.text,
                task="page",
                original=original,
                split=self.split(ref),
                language=response.language,
                findings=(*response.findings, *shown.findings, *turned),
            )


class OlmOcrBench(Corpus):
    """The adapter of olmOCR-bench."""

    name = "olmocr-bench"
    about = "benchmark: pages of PDFs with unit tests (olmOCR-bench)"
    licence = "ODC-By-1.0"
    terms = "ODC-By-1.0; pages of public PDFs, which keep their licence"
    revision = "f7cfe4c22098b154c76b6ec950d1c0a464eecf8d"
    url = "https://huggingface.co/datasets/allenai/olmOCR-bench"
    benchmark = True

    def items(self, path: Path) -> Iterator[str]:
        """One a page that has a test."""
        files = open_files(Path(path))
        if not (pages := _tests(files)):
            raise none_here(files.root, "olmOCR-bench", "*.jsonl of tests")
        for pdf, page in pages:
            yield str(Ref("test", f"{pdf}#{page}", f"{pdf}#{page}"))

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference, with its tests. Raises ``RowError``."""
        files = open_files(Path(path))
        pdf, _, page = parse_ref(ref).place.rpartition("#")
        tests = _tests(files)[pdf, int(page)]
        original = {"tests": list(tests)}
        with reading(original):
            folder = files.names("**/pdfs/**/*.pdf") or files.names("**/*.pdf")
            name = next((name for name in folder if name.endswith(f"/{pdf}") or name == pdf), f"pdfs/{pdf}")
            shown = open_picture(files, name, int(page), original)
            elements = [Element(f"e{at}", kind, text, ()) for at, (kind, text) in enumerate(_stated(tests))]
            return RawRow(
                source=self.source(path, ref),
                image=shown.image,
                text="",
                task="page",
                original=original,
                split="test",
                elements=tuple(elements),
                findings=shown.findings,
                tests=tests,
            )


def _row(files: Files, place: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    """The fields of a page, the corpus's own row, and the name of its PDF. Raises ``RowError``."""
    if ".parquet#" not in place:
        data = files.read(place)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise RowError("row.encoding", str(error), {"bytes": data.hex()}) from error
        head, body = split_head(text)
        original = {"page": text}
        return head | {"natural_text": body}, original, find_picture(files, PurePosixPath(place).stem, place, original)
    row = read_row(files, place)
    original = as_json(row)
    if isinstance(row.get("response"), str):
        row = row | parse_object(row["response"].encode("utf-8", "surrogatepass"))
    listed = row.get("pdf_relpath")
    stem = PurePosixPath(listed.rpartition(":")[2]).stem if isinstance(listed, str) else str(row.get("id"))
    return row, original, find_picture(files, stem, listed if isinstance(listed, str) else place, original)


def _page(files: Files, pdf: str, row: dict[str, Any], original: dict[str, Any]) -> int:
    """The page to draw: the PDFs of the corpus are cut to the one page, whole documents are not."""
    number = row.get("page_number")
    if not isinstance(number, int) or not pdf.lower().endswith(".pdf"):
        return 1
    return number if page_count(files.read(pdf, original), original) > 1 else 1


@lru_cache(maxsize=4)
def _tests(files: Files) -> dict[tuple[str, int], tuple[dict[str, Any], ...]]:
    """The tests of each page, in the order of the files. A line that is none is left out: no page can be told of it."""
    pages: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    for name in files.names("**/*.jsonl"):
        for _, line in list_lines(files, name):
            try:
                test = parse_object(line)
                pdf, page, _ = wanted(test, pdf=str, page=int, type=str)
            except RowError:
                continue
            pages[pdf, page].append(test)
    return {page: tuple(tests) for page, tests in pages.items()}


def _stated(tests: tuple[dict[str, Any], ...]) -> Iterator[tuple[str, str]]:
    """What the tests say is on the page: passages, formulas, cells."""
    said = set()
    for test in tests:
        fields = {"present": ("text",), "order": ("before", "after"), "math": ("math",), "table": ("cell",)}
        for field in fields.get(test["type"], ()):
            text = test.get(field)
            if isinstance(text, str) and text.strip() and text not in said:
                said.add(text)
                yield ("formula", text) if field == "math" else ("paragraph", printed(text))
