"""Clean one corpus: load each row, run the rules of its task, and make a record or a reject of it.

    for made in clean(CORPORA["pubtabnet"], path, CORPORA["pubtabnet"].items(path)):
        ...  # PageRecord or Reject

Every change is a check of the record that holds what stood there before; a reject holds the corpus's own row, and
``restore`` gives it back.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from proofpress.cleaners.corpus import Corpus, RawRow, RowError, as_json, reading, writable
from proofpress.cleaners.files import UNREADABLE
from proofpress.cleaners.label import judge_label
from proofpress.cleaners.layouts import layout_text
from proofpress.cleaners.rule import Drop
from proofpress.cleaners.rules import IMAGE_RULES
from proofpress.cleaners.rules.images import Sample, crop_to_ink
from proofpress.cleaners.rules.layout import move, place
from proofpress.pages.image import Decoded, ImageError, decode, encode_png, pixel_hash
from proofpress.pages.record import Check, Element, PageRecord, Reject, record_id, to_json

#: Part of every id: raise it when the same row would give another record.
CLEANER_VERSION = "3"

#: What the one thing on a crop is called among ``record.ELEMENT_TYPES``.
_ELEMENT = {"formula": "formula", "table": "table", "text": "paragraph"}


def clean(corpus: Corpus, path: Path, refs: Iterable[str]) -> Iterator[PageRecord | Reject]:
    """One record or reject for each reference, in order. Raises ``RequestError`` where ``path`` is no such corpus."""
    for ref in refs:
        yield clean_row(corpus, path, ref)


def load_row(corpus: Corpus, path: Path, ref: str) -> RawRow:
    """The row behind a reference. Raises ``RowError`` whatever is wrong with it: no row stops a run."""
    with reading({}):  # of what is wrong before the adapter knows the row
        try:
            return corpus.load(path, ref)
        except UNREADABLE as error:
            raise RowError("file.unreadable", str(error) or type(error).__name__) from error


def clean_row(corpus: Corpus, path: Path, ref: str) -> PageRecord | Reject:
    """The record of one row, or the reject that says why there is none."""
    try:
        row = load_row(corpus, path, ref)
    except RowError as error:
        return _reject(corpus, path, ref, Drop(error.reason, error.evidence), error.original)
    try:
        image, was = decode(row.image) if isinstance(row.image, bytes) else Decoded(row.image, ())
    except ImageError as error:
        return _reject(corpus, path, ref, Drop(f"image.{error.reason}", str(error)), row.original, row.text)
    checks = [*row.findings]
    if was:
        checks.append(Check("image.decode", "fixed", "image.mode", ", ".join(was)))

    judged = judge_label(row.task, row.text, row.elements)
    if judged.drop:
        return _reject(corpus, path, ref, judged.drop, row.original, row.text, image)
    placed = place(judged.elements, row.words, row.frame, image.size)
    text = layout_text(placed.elements, image.size) if row.task == "layout" else judged.text
    checks += [*judged.checks, *placed.checks]
    words = placed.words
    if corpus.sheets:
        image, (left, top), cropped = crop_to_ink(image)
        words = tuple(replace(word, quad=move(word.quad, -left, -top)) for word in words)
        checks.append(cropped)
    sample = Sample(image, text, row.task, words, placed.elements, partial=bool(row.tests))
    for rule in IMAGE_RULES:
        verdict = rule.judge(sample)
        if isinstance(verdict, Drop):
            return _reject(corpus, path, ref, verdict, row.original, row.text, image)
        checks.append(Check(rule.name, "passed", verdict.reason, verdict.evidence))
    return _record(corpus, ref, row, sample, checks)


def reject_repeat(corpus: Corpus, path: Path, ref: str) -> Reject:
    """The reject of a row whose id an earlier row of its corpus has: two records would be one to all who read them."""
    try:
        original = load_row(corpus, path, ref).original
    except RowError as error:
        original = error.original
    why = Drop("row.repeated", f"an earlier row is {corpus.source_id(ref)} too")
    return replace(_reject(corpus, path, ref, why, original), id=repeat_id(corpus, ref))


def repeat_id(corpus: Corpus, ref: str) -> str:
    """The id of a row whose own is taken."""
    return record_id(corpus.name, f"{corpus.source_id(ref)}@{ref}", CLEANER_VERSION)


def restore(reject: Reject) -> dict[str, Any]:
    """The corpus's own row, exactly as it was read."""
    return json.loads(reject.original)


def _record(corpus: Corpus, ref: str, row: RawRow, sample: Sample, checks: list[Check]) -> PageRecord:
    image, (width, height) = sample.image, sample.image.size
    elements = tuple(element for element in sample.elements if element.polygons)
    if row.task in _ELEMENT:
        whole = (0.0, 0.0, float(width), 0.0, float(width), float(height), 0.0, float(height))
        elements = (Element("e0", _ELEMENT[row.task], sample.text, (whole,)),)
    identity = record_id(corpus.name, row.source.id, CLEANER_VERSION)
    return PageRecord(
        id=identity,
        image=encode_png(image),
        width=width,
        height=height,
        text=sample.text,
        task=row.task,
        source=row.source,
        elements=elements,
        words=sample.words,
        recipe={
            "cleaner": CLEANER_VERSION,
            "corpus": corpus.name,
            "ref": ref,
            "terms": corpus.terms,
            "coordinates": corpus.coordinates,
            "split": row.split,
        },
        checks=tuple(checks),
        tests=row.tests,
        language=row.language,
        split=row.split,
        content_id=identity,
        hashes={"pixels": pixel_hash(image)},
    )


def _reject(
    corpus: Corpus,
    path: Path,
    ref: str,
    why: Drop,
    original: Any,
    text: str = "",
    image: Image.Image | None = None,
) -> Reject:
    source = corpus.source(path, ref)
    return Reject(
        id=record_id(corpus.name, source.id, CLEANER_VERSION),
        stage="clean",
        reason=why.reason,
        evidence=writable(why.evidence),
        source=source,
        text=writable(text),
        image=encode_png(image) if image else b"",
        original=to_json(as_json(original)),
    )
