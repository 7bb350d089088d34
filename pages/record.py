"""The page record: the one contract between all stages.

A record is one training page or crop: its image, its label in the dialect of ``markdown.py``, where everything stands
on it, where it comes from, how to make it again and what was checked. On disk it is one Parquet row with the explicit
Arrow schema below, which ``datasets.load_dataset`` reads with nothing else. A page that failed is a ``Reject``.

    record = PageRecord(id=record_id("press", "press/7/42", GENERATOR), image=png, width=1024, height=1448, ...)
    row = record.to_row();  PageRecord.from_row(row) == record
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any

import pyarrow as pa

TASKS = ("page", "text", "table", "formula", "form", "layout")

#: Types an element can have. Those in ``UNLABELLED`` are on the page and in ``elements``, never in ``text``.
ELEMENT_TYPES = (
    "title", "heading", "paragraph", "list_item", "formula", "table", "caption", "note", "code",
    "figure", "running_head", "running_foot", "page_number", "formula_number",
)  # fmt: skip
UNLABELLED = frozenset({"figure", "running_head", "running_foot", "page_number", "formula_number"})


@dataclass(frozen=True, slots=True)
class Element:
    """One block of a page. Elements stand in reading order.

    id: unique in its record, ``e0``, ``e1`` ... type: one of ``ELEMENT_TYPES``. text: in the dialect, without the
    block's own marks (a heading without ``#``, a formula as bare LaTeX, a table as HTML). polygons: each a flat
    ``(x0, y0, x1, y1, ...)`` in pixels of the image, clockwise from top left; a paragraph split over two columns has
    two. parent: id of the element it belongs to (a caption's figure), or None. attributes: e.g. ``{"level": "2"}``.
    """

    id: str
    type: str
    text: str
    polygons: tuple[tuple[float, ...], ...]
    parent: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Word:
    """One printed word as painted, its quad ``(x0, y0, ... x3, y3)`` in pixels clockwise from top left, its element."""

    text: str
    quad: tuple[float, ...]
    element: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a record comes from. licence: an SPDX id where there is one. id: the source's own name for the page."""

    name: str
    id: str
    revision: str
    licence: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """What one rule said. outcome: ``passed``, ``fixed`` (evidence: what was there before) or ``failed``."""

    rule: str
    outcome: str
    reason: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """The judge's word; None for what was not measured.

    likelihood: mean log-probability per label token. reward: 0..1, of the model's own reading. verdict: ``keep``,
    ``drop``, or ``unread`` for a record the model cannot see.
    """

    model: str
    likelihood: float | None
    reward: float | None
    verdict: str
    parts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageRecord:
    """One training page or crop; ``../docs/record.md`` describes each field for readers of a dataset."""

    id: str
    image: bytes
    width: int
    height: int
    text: str
    task: str
    source: Source
    elements: tuple[Element, ...] = ()
    words: tuple[Word, ...] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict)
    features: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    tests: tuple[Mapping[str, Any], ...] = ()
    scores: Scores | None = None
    language: str = ""
    split: str = "train"
    content_id: str = ""
    cluster_id: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)

    def to_row(self) -> dict[str, Any]:
        """The record as a Parquet row of ``SCHEMA``. Open-ended mappings are JSON text with sorted keys."""
        return {
            "id": self.id,
            "image": {"bytes": self.image, "path": f"{self.id}.{image_suffix(self.image)}"},
            "width": self.width,
            "height": self.height,
            "text": self.text,
            "task": self.task,
            "elements": [
                {
                    "id": e.id,
                    "type": e.type,
                    "text": e.text,
                    "polygons": [list(p) for p in e.polygons],
                    "parent": e.parent,
                    "attributes": to_json(e.attributes),
                }
                for e in self.elements
            ],
            "words": [{"text": w.text, "quad": list(w.quad), "element": w.element} for w in self.words],
            "source": _plain(self.source),
            "recipe": to_json(self.recipe),
            "features": to_json(self.features),
            "checks": [_plain(c) for c in self.checks],
            "tests": [to_json(t) for t in self.tests],
            "scores": None if self.scores is None else {**_plain(self.scores), "parts": to_json(self.scores.parts)},
            "language": self.language,
            "split": self.split,
            "content_id": self.content_id,
            "cluster_id": self.cluster_id,
            "hashes": to_json(self.hashes),
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "PageRecord":
        """The record a row holds; ``ValueError`` or ``KeyError`` where the row is not of ``SCHEMA``."""
        scores = row["scores"]
        return cls(
            id=row["id"],
            image=row["image"]["bytes"],
            width=row["width"],
            height=row["height"],
            text=row["text"],
            task=row["task"],
            source=Source(**row["source"]),
            elements=tuple(
                Element(
                    id=e["id"],
                    type=e["type"],
                    text=e["text"],
                    polygons=tuple(tuple(p) for p in e["polygons"]),
                    parent=e["parent"],
                    attributes=json.loads(e["attributes"]),
                )
                for e in row["elements"]
            ),
            words=tuple(Word(w["text"], tuple(w["quad"]), w["element"]) for w in row["words"]),
            recipe=json.loads(row["recipe"]),
            features=json.loads(row["features"]),
            checks=tuple(Check(**c) for c in row["checks"]),
            tests=tuple(json.loads(t) for t in row["tests"]),
            scores=None if scores is None else Scores(**{**scores, "parts": json.loads(scores["parts"])}),
            language=row["language"],
            split=row["split"],
            content_id=row["content_id"],
            cluster_id=row["cluster_id"],
            hashes=json.loads(row["hashes"]),
        )

    def with_checks(self, *checks: Check) -> "PageRecord":
        """The same record with these checks added at the end."""
        return replace(self, checks=(*self.checks, *checks))


@dataclass(frozen=True, slots=True)
class Reject:
    """A page that failed, with enough to look at it and to restore it.

    stage: where it failed (``press``, ``proof``, ``clean``, ``judge`` ...). reason: a dotted code that reports count,
    e.g. ``table.ragged``. evidence: what was seen. original: the source's own row or the address, as JSON text.
    image: encoded, or empty where there is none.
    """

    id: str
    stage: str
    reason: str
    evidence: str
    source: Source
    text: str = ""
    image: bytes = b""
    original: str = "{}"

    def to_row(self) -> dict[str, Any]:
        """The reject as a Parquet row of ``REJECT_SCHEMA``."""
        image = {"bytes": self.image, "path": f"{self.id}.{image_suffix(self.image)}"} if self.image else None
        return {**_plain(self), "source": _plain(self.source), "image": image}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Reject":
        """The reject a row holds."""
        image = row["image"]["bytes"] if row["image"] else b""
        return cls(**{**row, "source": Source(**row["source"]), "image": image})


def record_id(source: str, source_id: str, version: str) -> str:
    """The 32-digit hex id of a page: the same source, source id and maker's version give the same id."""
    return blake2b(f"{source}\x00{source_id}\x00{version}".encode(), digest_size=16).hexdigest()


def image_suffix(image: bytes) -> str:
    """``jpg`` for a JPEG's bytes, else ``png``: a record holds no other kind."""
    return "jpg" if image[:3] == b"\xff\xd8\xff" else "png"


def to_json(value: Any) -> str:
    """Canonical JSON: sorted keys, no spaces, no ASCII escapes; equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=dict)


def _plain(value: Any) -> dict[str, Any]:
    return {f.name: getattr(value, f.name) for f in fields(value)}


IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_SOURCE = pa.struct([(name, pa.string()) for name in ("name", "id", "revision", "licence", "url")])
_ELEMENT = pa.struct(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("text", pa.string()),
        ("polygons", pa.list_(pa.list_(pa.float64()))),
        ("parent", pa.string()),
        ("attributes", pa.string()),
    ]
)
_WORD = pa.struct([("text", pa.string()), ("quad", pa.list_(pa.float64())), ("element", pa.string())])
_CHECK = pa.struct([(name, pa.string()) for name in ("rule", "outcome", "reason", "evidence")])
_SCORES = pa.struct(
    [
        ("model", pa.string()),
        ("likelihood", pa.float64()),
        ("reward", pa.float64()),
        ("verdict", pa.string()),
        ("parts", pa.string()),
    ]
)


def _hugging_face(kind: pa.DataType) -> Any:
    """The description ``datasets`` wants of an Arrow type, so that an image column is decoded as one."""
    if kind == IMAGE:
        return {"mode": "RGB", "_type": "Image"}  # pages without colours are stored in grey
    if pa.types.is_struct(kind):
        return {f.name: _hugging_face(f.type) for f in kind}
    if pa.types.is_list(kind):
        return {"feature": _hugging_face(kind.value_type), "_type": "List"}
    return {"dtype": {"double": "float64"}.get(str(kind), str(kind)), "_type": "Value"}


def schema_of(columns: list[tuple[str, pa.DataType]]) -> pa.Schema:
    """A schema of these columns that ``datasets`` reads as it is meant, images as images."""
    features = {name: _hugging_face(kind) for name, kind in columns}
    return pa.schema(columns, metadata={"huggingface": json.dumps({"info": {"features": features}})})


SCHEMA = schema_of(
    [
        ("id", pa.string()),
        ("image", IMAGE),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("text", pa.string()),
        ("task", pa.string()),
        ("elements", pa.list_(_ELEMENT)),
        ("words", pa.list_(_WORD)),
        ("source", _SOURCE),
        ("recipe", pa.string()),
        ("features", pa.string()),
        ("checks", pa.list_(_CHECK)),
        ("tests", pa.list_(pa.string())),
        ("scores", _SCORES),
        ("language", pa.string()),
        ("split", pa.string()),
        ("content_id", pa.string()),
        ("cluster_id", pa.string()),
        ("hashes", pa.string()),
    ]
)

REJECT_SCHEMA = schema_of(
    [
        ("id", pa.string()),
        ("stage", pa.string()),
        ("reason", pa.string()),
        ("evidence", pa.string()),
        ("source", _SOURCE),
        ("text", pa.string()),
        ("image", IMAGE),
        ("original", pa.string()),
    ]
)
