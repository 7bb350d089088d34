"""Pages with a text in some Markdown: Nougat's, Infinity-Doc's, and any folder of pictures with Markdown beside them.

Nougat: ``NN.mmd`` beside a picture or PDF of the page, or JSONL of ``image, markdown``. Infinity-Doc: Parquet of a
picture and its Markdown, or JSONL that names the pictures. A folder: every ``.md`` or ``.txt`` with the picture, or
the PDF of one page, of its name; in ``train``, ``validation`` or ``test``, or all for training. Markdown of any
kind is made the dialect by ``rules.pages``: Nougat's ``\\(``, ``\\[`` and ``tabular``, other people's tables of
``|`` and emphasis.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpus import Corpus, RawRow, Ref, RowError, as_json, none_here, parse_ref, split_name
from proofpress.cleaners.files import Files, open_files
from proofpress.cleaners.jsonl import list_rows as list_lines
from proofpress.cleaners.jsonl import read_row as read_line
from proofpress.cleaners.parquet import list_rows, read_row
from proofpress.cleaners.pictures import find_picture, open_picture
from proofpress.pages.record import Check

_PARQUET, _LINES = "**/*.parquet", "**/*.jsonl"
_TEXTS = ("markdown", "text", "ground_truth", "gt", "answer", "response")
_IMAGES = ("image", "images", "image_path", "file_name")


class MarkdownPages(Corpus):
    """What they share. suffixes: of the files that hold a page's text."""

    suffixes: tuple[str, ...] = ()
    rows = True  # whether it also comes as Parquet or JSONL

    def items(self, path: Path) -> Iterator[str]:
        """One a Parquet row, a JSONL line, or a text file."""
        files = open_files(Path(path))
        if self.rows and files.names(_PARQUET):
            for place, row in list_rows(files, _PARQUET, ["id"]):
                yield str(Ref(_split(place), place, str(row.get("id") or place)))
            return
        if self.rows and (names := files.names(_LINES)):
            for name in names:
                for place, _ in list_lines(files, name):
                    yield str(Ref(_split(name), place, place))
            return
        texts = sorted(name for suffix in self.suffixes for name in files.names(f"**/*{suffix}"))
        if not texts:
            raise none_here(files.root, self.name, *(f"**/*{suffix}" for suffix in self.suffixes or (_PARQUET, _LINES)))
        for name in texts:
            yield str(Ref(_split(name), name, name))

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference. Raises ``RowError``."""
        files, place = open_files(Path(path)), parse_ref(ref).place
        if ".parquet#" in place or ".jsonl#" in place:
            row = read_row(files, place) if ".parquet#" in place else read_line(files, place)
            text, image, original = _fields(files, place, row)
            findings: tuple[Check, ...] = ()
        else:
            data = files.read(place)
            try:
                text = data.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise RowError("row.encoding", str(error), {"bytes": data.hex()}) from error
            original = {"text": text}
            shown = open_picture(files, find_picture(files, PurePosixPath(place).stem, place, original), 1, original)
            image, findings = shown.image, shown.findings
        return RawRow(
            source=self.source(path, ref),
            image=image,
            text=text,
            task="page",
            original=original,
            split=self.split(ref),
            findings=findings,
        )


class Nougat(MarkdownPages):
    """The adapter of pages in Nougat's Markdown."""

    name = "nougat"
    about = "pages of papers in Nougat's Markdown (.mmd)"
    licence = "NOASSERTION"
    terms = "the corpus is not released; pages of arXiv papers keep their licence"
    revision = "0.1"
    url = "https://github.com/facebookresearch/nougat"
    suffixes = (".mmd",)


class InfinityDoc(MarkdownPages):
    """The adapter of Infinity-Doc."""

    name = "infinity-doc"
    about = "pages printed from HTML, and pages read by several models (Infinity-Doc-55K, -400K)"
    licence = "Apache-2.0"
    terms = "Apache-2.0 by its card"
    revision = "400K"
    url = "https://huggingface.co/datasets/infly/Infinity-Doc-400K"


class Folder(MarkdownPages):
    """The adapter of a plain folder."""

    name = "folder"
    about = "any folder of pictures or PDF pages, each with Markdown of its name beside it"
    licence = "NOASSERTION"
    terms = "unknown: whoever has the folder knows them"
    revision = ""
    url = ""
    suffixes = (".md", ".txt")
    rows = False


def _split(name: str) -> str:
    """The split that a folder or the begin of the file's name tells."""
    parts = [*PurePosixPath(name).parts[:-1], PurePosixPath(name).name.split("-")[0].split(".")[0]]
    return next((split_name(part) for part in parts if split_name(part, "")), "train")


def _fields(files: Files, place: str, row: dict[str, Any]) -> tuple[str, Any, dict[str, Any]]:
    """Text, picture and the row itself, however the release calls its columns. Raises ``RowError``."""
    original = as_json(
        {key: value for key, value in row.items() if not isinstance(value, dict) or "bytes" not in value}
    )
    text = next((row[name] for name in _TEXTS if isinstance(row.get(name), str)), None)
    image = next((row[name] for name in _IMAGES if row.get(name)), None)
    image = image[0] if isinstance(image, list) else image
    if text is None or image is None:
        raise RowError("row.malformed", f"no text or no picture among {', '.join(row)}", original)
    if isinstance(image, dict):
        if not isinstance(image.get("bytes"), bytes):
            raise RowError("row.malformed", "a picture without bytes", original)
        return text, image["bytes"], original
    folder = place.rpartition("/")[0]
    return text, open_picture(files, f"{folder}/{image}".lstrip("/"), 1, original).image, original
