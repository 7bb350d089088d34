"""FUNSD and XFUND: forms whose pieces of text are questions, answers, headers or others, with links between them.

FUNSD: ``{training,testing}_data/annotations/*.json`` (``form[].{id, text, box, linking[[a, b]], label, words[]}``) with
``images/``. XFUND: ``LANG.{train,val}.json`` (``documents[].{id, document[] as form, img{fname, width, height}}``) with
pictures in a folder of that name or beside it. A link may point either way.

A question with the answers linked to it is a field (``cleaners/forms.py``); a header is a heading, anything else a
paragraph; all stand from top to bottom and left to right.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from proofpress.cleaners.corpus import Corpus, Frame, RawRow, Ref, RowError, none_here, parse_ref, quad, reading, wanted
from proofpress.cleaners.elements import printed
from proofpress.cleaners.files import open_files
from proofpress.cleaners.forms import Field, field_blocks
from proofpress.cleaners.json_stream import list_items
from proofpress.cleaners.jsonl import parse_object, read_item
from proofpress.cleaners.pictures import find_picture
from proofpress.pages import markdown
from proofpress.pages.markdown import Block
from proofpress.pages.record import Word

_FUNSD, _XFUND = "**/annotations/*.json", "**/*.json"
_LABELS = frozenset({"question", "answer", "header", "other"})


class Funsd(Corpus):
    """The adapter of FUNSD."""

    name = "funsd"
    about = "scanned forms of the tobacco archive, questions and answers (FUNSD)"
    licence = "LicenseRef-non-commercial"
    terms = "for non-commercial research; scans of the UCSF Industry Documents Library, a part of RVL-CDIP"
    revision = "1.0"
    url = "https://guillaumejaume.github.io/FUNSD/"
    coordinates = "pixels of the picture, origin top left, [x0, y0, x1, y1]"

    def items(self, path: Path) -> Iterator[str]:
        """One an annotation file."""
        files = open_files(Path(path))
        if not (names := files.names(_FUNSD)):
            raise none_here(files.root, "FUNSD", _FUNSD)
        for name in names:
            yield str(Ref("test" if "test" in name.lower() else "train", name, PurePosixPath(name).stem))

    def load(self, path: Path, ref: str) -> RawRow:
        """The form behind a reference. Raises ``RowError``."""
        files, name = open_files(Path(path)), parse_ref(ref).place
        original = parse_object(files.read(name))
        with reading(original):
            (form,) = wanted(original, form=list)
            picture = find_picture(files, PurePosixPath(name).stem, name.replace("annotations", "images"), original)
            return RawRow(
                source=self.source(path, ref),
                image=files.read(picture, original),
                text=form_label(form, original),
                task="form",
                original=original,
                split=self.split(ref),
                language="en",
                words=tuple(_words(form, original)),
            )


class Xfund(Corpus):
    """The adapter of XFUND."""

    name = "xfund"
    about = "forms in seven languages, questions and answers (XFUND)"
    licence = "CC-BY-NC-SA-4.0"
    terms = "CC-BY-NC-SA-4.0"
    revision = "1.0"
    url = "https://github.com/doc-analysis/XFUND"
    coordinates = "pixels of the picture as the file gives its size, origin top left, [x0, y0, x1, y1]"

    def items(self, path: Path) -> Iterator[str]:
        """One a document of each file."""
        files = open_files(Path(path))
        found = False
        for name in files.names(_XFUND):
            split = "validation" if ".val" in name else "train"
            for key, start, end, row in list_items(files, name, "XFUND documents"):
                if key == "documents":
                    found = True
                    yield str(Ref(split, f"{name}#{start}#{end}", _told_id(row)))
        if not found:
            raise none_here(files.root, "XFUND", "LANG.train.json, LANG.val.json")

    def load(self, path: Path, ref: str) -> RawRow:
        """The form behind a reference. Raises ``RowError``."""
        files = open_files(Path(path))
        place = parse_ref(ref).place
        original, name = read_item(files, place), place.rsplit("#", 2)[0]
        with reading(original):
            form, told = wanted(original, document=list, img=dict)
            file, width, height = wanted(told, original, fname=str, width=int, height=int)
            picture = find_picture(files, PurePosixPath(file).stem, f"{name.removesuffix('.json')}/{file}", original)
            return RawRow(
                source=self.source(path, ref),
                image=files.read(picture, original),
                text=form_label(form, original),
                task="form",
                original=original,
                split=self.split(ref),
                language=PurePosixPath(name).name.split(".")[0],
                words=tuple(_words(form, original)),
                frame=Frame(max(width, 1), max(height, 1)),
            )


def _told_id(document: Any) -> str:
    told = document.get("id") if isinstance(document, dict) else None
    return told if isinstance(told, str) else ""


def form_label(form: list[Any], original: dict[str, Any]) -> str:
    """The label of a form's pieces. Raises ``RowError``."""
    pieces = {}
    links: dict[Any, list[Any]] = defaultdict(list)
    for piece in form:
        number, _, label, _ = wanted(piece, original, id=int, text=str, label=str, box=list)
        if label.lower() not in _LABELS:
            raise RowError("form.label", f"piece {number} is labelled {label!r}", original)
        pieces[number] = piece
        for pair in piece.get("linking") or ():
            if isinstance(pair, list) and len(pair) == 2:
                links[pair[0]].append(pair[1])
                links[pair[1]].append(pair[0])
    order = _reading_order(pieces)
    answered = {
        n for q in pieces if _is(pieces[q], "question") for n in links[q] if n in pieces and _is(pieces[n], "answer")
    }
    blocks: list[Block] = []
    for number in order:
        piece = pieces[number]
        if not piece["text"].strip() or number in answered:
            continue
        if _is(piece, "question"):
            answers = [n for n in order if n in links[number] and n in answered]
            value = " ".join(pieces[n]["text"] for n in answers)
            blocks += field_blocks([Field(piece["text"], value)])
        elif _is(piece, "header"):
            blocks.append(Block("heading", printed(piece["text"]), level=2))
        else:
            blocks.append(Block("paragraph", printed(piece["text"])))
    return "\n\n".join(markdown.write([block]) for block in blocks) if blocks else ""


def _is(piece: dict[str, Any], label: str) -> bool:
    return piece["label"].lower() == label


def _reading_order(pieces: dict[Any, Any]) -> list[Any]:
    """Line by line: a line is what overlaps its first piece by half of the lower one's height."""
    boxes = {number: quad(piece["box"]) or (0.0,) * 8 for number, piece in pieces.items()}
    waiting = sorted(boxes, key=lambda number: (boxes[number][1], boxes[number][0]))
    order: list[Any] = []
    while waiting:
        first = boxes[waiting[0]]
        line = [n for n in waiting if boxes[n][1] < (first[1] + first[5]) / 2]
        line = line or waiting[:1]
        order += sorted(line, key=lambda number: boxes[number][0])
        waiting = [number for number in waiting if number not in line]
    return order


def _words(form: list[Any], original: dict[str, Any]) -> Iterator[Word]:
    for piece in form:
        listed = piece.get("words") or [piece]
        for word in listed:
            text, box = wanted(word, original, text=str, box=list)
            yield Word(text, quad(box), "")
