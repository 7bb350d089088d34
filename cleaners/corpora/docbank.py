"""DocBank: pages of arXiv papers, as words with boxes, fonts and labels.

A tab-separated file has one word a row, ``token x0 y0 x1 y1 R G B font label``, on a grid of 1,000 by 1,000; beside it
(or in ``DocBank_500K_ori_img``) lies the page as ``..._ori.jpg``. The pictures without ``_ori`` are coloured by label:
they show the answer, and are never read. Rows of ``##LTLine##`` and ``##LTFigure##`` are drawing, not words.

Words of an equation or a table are not the text of it, so that a page with either is a ``layout``; any other is a
``page``, whose paragraphs are the runs of one label, cut where the gap between lines is wide.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from proofpress.cleaners.corpus import Corpus, Frame, RawRow, Ref, RowError, none_here, parse_ref, quad
from proofpress.cleaners.elements import printed
from proofpress.cleaners.files import open_files
from proofpress.cleaners.pictures import find_picture
from proofpress.pages.record import Check, Element, Word

_COLUMNS = 10
_DRAWN = frozenset({"##LTLine##", "##LTFigure##"})
_TYPES = {
    "abstract": "paragraph", "author": "paragraph", "caption": "caption", "date": "paragraph", "equation": "formula",
    "figure": "figure", "footer": "running_foot", "list": "paragraph", "paragraph": "paragraph",
    "reference": "paragraph", "section": "heading", "table": "table", "title": "title",
}  # fmt: skip
_WIDE_GAP = 0.9  # of a line's height


class _Word(NamedTuple):
    text: str
    box: tuple[int, int, int, int]
    label: str


class DocBank(Corpus):
    """The adapter."""

    name = "docbank"
    about = "pages of arXiv papers, words with boxes and labels (DocBank)"
    licence = "Apache-2.0"
    terms = "corpus Apache-2.0; pages of arXiv papers, which keep their licence"
    revision = "7078c6e62a88898416893761563344ecce0a62aa"
    url = "https://github.com/doc-analysis/DocBank"
    coordinates = "thousandths of the page's width and height, origin top left, x0 y0 x1 y1"

    def items(self, path: Path) -> Iterator[str]:
        """One a page with its original picture."""
        files = open_files(Path(path))
        names = [
            name for name in files.names("**/*.txt") if PurePosixPath(name).name not in ("labels.txt", "LICENSE.txt")
        ]
        if not names:
            raise none_here(files.root, "DocBank", "**/*.txt")
        for name in names:
            yield str(Ref("train", name, PurePosixPath(name).stem))

    def load(self, path: Path, ref: str) -> RawRow:
        """The page behind a reference. Raises ``RowError``."""
        files, name = open_files(Path(path)), parse_ref(ref).place
        data = files.read(name)
        original = {"tsv": data.decode("utf-8", "replace")}
        rows = list(_rows(original))
        words = [word for word in rows if word.text not in _DRAWN]
        layout = any(word.label in ("equation", "table") for word in words)
        elements, parents = _elements(words, layout)
        dropped = f"{len(rows) - len(words)} of {len(rows)} rows are lines and figures"
        picture = find_picture(files, f"{PurePosixPath(name).stem}_ori", name, original)
        return RawRow(
            source=self.source(path, ref),
            image=files.read(picture, original),
            text="",
            task="layout" if layout else "page",
            original=original,
            split=self.split(ref),
            language="en",
            elements=tuple(elements),
            words=tuple(Word(w.text, quad(w.box), p) for w, p in zip(words, parents, strict=True)),
            frame=Frame(1000, 1000),
            findings=(Check("docbank.rows", "fixed", "docbank.drawn", dropped),) if len(rows) > len(words) else (),
        )


def _rows(original: dict[str, str]) -> Iterator[_Word]:
    for number, line in enumerate(original["tsv"].split("\n")):
        if not line.strip():
            continue
        fields = line.rstrip("\r").split("\t")
        box = fields[1:5]
        if len(fields) != _COLUMNS or not all(side.lstrip("-").isdecimal() and len(side) < 7 for side in box):
            raise RowError(
                "row.malformed", f"row {number} is not token, box, colour, font, label: {line[:100]!r}", original
            )
        if fields[9] not in _TYPES:
            raise RowError("layout.category", f"row {number} is labelled {fields[9]!r}", original)
        x0, y0, x1, y1 = map(int, box)
        yield _Word(fields[0], (x0, y0, x1, y1), fields[9])


def _elements(words: list[_Word], layout: bool) -> tuple[list[Element], list[str]]:
    """The runs of one label, and for each word the run it is in."""
    runs: list[list[_Word]] = []
    parents = []
    for word in words:
        last = runs[-1][-1] if runs else None
        if last is None or last.label != word.label or _is_apart(last, word):
            runs.append([])
        runs[-1].append(word)
        parents.append(f"e{len(runs) - 1}")
    elements = []
    for number, run in enumerate(runs):
        text = "" if layout else printed(" ".join(word.text for word in run))
        elements.append(Element(f"e{number}", _TYPES[run[0].label], text, tuple(_columns(run))))
    return elements, parents


def _is_apart(last: _Word, word: _Word) -> bool:
    height = last.box[3] - last.box[1]
    return word.box[1] - last.box[3] > _WIDE_GAP * max(height, 1)


def _columns(run: list[_Word]) -> Iterator[tuple[float, ...]]:
    """A polygon for each column that a run goes through: a new one begins where the words jump up."""
    part = [run[0].box]
    for last, word in pairwise(run):
        if word.box[3] < last.box[1]:
            yield _around(part)
            part = []
        part.append(word.box)
    yield _around(part)


def _around(boxes: list[tuple[int, int, int, int]]) -> tuple[float, ...]:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return quad([min(lefts), min(tops), max(rights), max(bottoms)])
