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

from proofpress.cleaners.corpus import Corpus, RawRow, RowError, source_of
from proofpress.cleaners.rule import Drop, Fix
from proofpress.cleaners.rules import IMAGE_RULES, RULES
from proofpress.cleaners.rules.images import check_boxes, crop_to_ink
from proofpress.pages.image import ImageError, encode_png, open_image, pixel_hash
from proofpress.pages.record import Check, Element, PageRecord, Reject, record_id, to_json

#: Part of every id: raise it when the same row would give another record.
CLEANER_VERSION = "1"


def clean(corpus: Corpus, path: Path, refs: Iterable[str]) -> Iterator[PageRecord | Reject]:
    """One record or reject for each reference, in order. Raises ``RequestError`` where ``path`` is no such corpus."""
    for ref in refs:
        yield clean_row(corpus, path, ref)


def clean_row(corpus: Corpus, path: Path, ref: str) -> PageRecord | Reject:
    """The record of one row, or the reject that says why there is none."""
    try:
        row = corpus.load(path, ref)
    except RowError as error:
        return _reject(corpus, ref, error.reason, error.evidence, to_json(error.original))
    try:
        image = open_image(row.image)
    except ImageError as error:
        return _reject(corpus, ref, "image.corrupt", str(error), to_json(row.original), row.text)
    for rule in IMAGE_RULES:
        if isinstance(verdict := rule.judge(image), Drop):
            return _reject(corpus, ref, verdict.reason, verdict.evidence, to_json(row.original), row.text, image)

    text, checks = row.text, list(row.findings)
    if row.boxes:
        checks.append(check_boxes(row.boxes, image))
    for label_rule in RULES[row.task]:
        verdict = label_rule.judge(text)
        if isinstance(verdict, Drop):
            return _reject(corpus, ref, verdict.reason, verdict.evidence, to_json(row.original), row.text, image)
        if isinstance(verdict, Fix):
            text = verdict.text
        outcome = "fixed" if isinstance(verdict, Fix) else "passed"
        checks.append(Check(label_rule.name, outcome, verdict.reason, verdict.evidence))
    if corpus.sheets:
        image, cropped = crop_to_ink(image)
        checks.append(cropped)
    return _record(corpus, ref, row, image, text, checks)


def reject_repeat(corpus: Corpus, path: Path, ref: str) -> Reject:
    """The reject of a row whose id an earlier row of its corpus has: two records would be one to all who read them."""
    try:
        original = corpus.load(path, ref).original
    except RowError as error:
        original = error.original
    evidence = f"an earlier row is {corpus.source_id(ref)} too"
    return replace(_reject(corpus, ref, "row.repeated", evidence, to_json(original)), id=repeat_id(corpus, ref))


def repeat_id(corpus: Corpus, ref: str) -> str:
    """The id of a row whose own is taken."""
    return record_id(corpus.name, f"{corpus.source_id(ref)}@{ref}", CLEANER_VERSION)


def restore(reject: Reject) -> dict[str, Any]:
    """The corpus's own row, exactly as it was read."""
    return json.loads(reject.original)


def _record(corpus: Corpus, ref: str, row: RawRow, image: Image.Image, text: str, checks: list[Check]) -> PageRecord:
    width, height = image.size
    whole = (0.0, 0.0, float(width), 0.0, float(width), float(height), 0.0, float(height))
    identity = record_id(corpus.name, row.source.id, CLEANER_VERSION)
    return PageRecord(
        id=identity,
        image=encode_png(image),
        width=width,
        height=height,
        text=text,
        task=row.task,
        source=row.source,
        elements=(Element("e0", row.task, text, (whole,)),),
        recipe={"cleaner": CLEANER_VERSION, "corpus": corpus.name, "ref": ref, "terms": corpus.terms},
        checks=tuple(checks),
        language=row.language,
        split=row.split,
        content_id=identity,
        hashes={"pixels": pixel_hash(image)},
    )


def _reject(
    corpus: Corpus,
    ref: str,
    reason: str,
    evidence: str,
    original: str,
    text: str = "",
    image: Image.Image | None = None,
) -> Reject:
    source = source_of(corpus, ref)
    return Reject(
        id=record_id(corpus.name, source.id, CLEANER_VERSION),
        stage="clean",
        reason=reason,
        evidence=evidence,
        source=source,
        text=text,
        image=encode_png(image) if image else b"",
        original=original,
    )
