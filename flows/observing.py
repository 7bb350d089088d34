"""What a model, or stored predictions, made of the records of a dataset: rewards, likelihoods, disagreement.

    readers = ByModel("nano", read_twice=True)      # or ByPredictions((Path("out/read"), Path("out/other")))
    for seen in observe(readers, records): ...      # an Observation each; records the model cannot see are left out

A folder of predictions has ``<record's id>.md`` and may have ``likelihoods.jsonl``: rows with ``id``, ``confidence``
(of what was read) and ``likelihood`` (of the label), mean log-probabilities per token.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PIL import Image
from rapidfuzz.distance import Levenshtein

from proofpress.flows.page_readings import StoredReadings
from proofpress.generators.kinds.traits import AXES
from proofpress.model.bench import dataset
from proofpress.model.mining import Observation
from proofpress.pages.errors import RequestError
from proofpress.pages.image import open_image
from proofpress.pages.label import normal_label
from proofpress.pages.record import PageRecord

if TYPE_CHECKING:
    from proofpress.model.reader import Reader

LIKELIHOODS = "likelihoods.jsonl"
BATCH = 16  # pages whose images are in memory at once
PALER = 0.75  # how much of the ink the second reading sees
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of one record: the first reading, further ones, and how likely label and reading are."""

    texts: tuple[str, ...]
    likelihood: float | None = None
    confidence: float | None = None


class Readers(Protocol):
    """Who reads. identity: equal where the same is read."""

    @property
    def identity(self) -> str: ...

    def read(self, records: Sequence[PageRecord]) -> list[Read | None]: ...


@dataclass(frozen=True, slots=True)
class ByModel:
    """A model that reads now. read_twice: once more with paler ink."""

    model: str
    read_twice: bool = True

    @property
    def identity(self) -> str:
        """The model, by what it is and not by where it lies."""
        from proofpress.model.jina_ocr.checkpoint import digest

        return f"model {digest(self.model)} {self.read_twice}"

    def read(self, records: Sequence[PageRecord]) -> list[Read | None]:
        """What it reads of each record; None for one it cannot see whole."""
        reader = _reader(self.model)
        images = [open_image(record.image) for record in records]
        labels = [normal_label(record.text, record.task) for record in records]
        seen = [place for place, image in enumerate(images) if _fits(reader, image, labels[place])]
        shown = [images[place] for place in seen]
        first, beliefs = reader.read(shown), reader.believe(shown, [labels[place] for place in seen])
        again = reader.read([paler(image) for image in shown]) if self.read_twice else []
        found: list[Read | None] = [None] * len(records)
        for number, place in enumerate(seen):
            texts = (first[number].text, *(reading.text for reading in again[number : number + 1]))
            found[place] = Read(
                texts, round(beliefs[number].likelihood, DIGITS), round(first[number].likelihood, DIGITS)
            )
        return found


@dataclass(frozen=True, slots=True)
class ByPredictions:
    """Folders of what was read before; the first is mined, the others tell where it is disagreed with."""

    folders: tuple[Path, ...]

    @property
    def identity(self) -> str:
        """The files by what is in them."""
        digest = blake2b(digest_size=16)
        for folder in self.folders:
            stored = StoredReadings(folder)
            for name in stored.names():
                digest.update(f"{name}\x00{stored.read(name)}\x00".encode("utf-8", "replace"))
            digest.update(repr(sorted(_likelihoods(folder).items())).encode())
        return f"predictions {digest.hexdigest()}"

    def read(self, records: Sequence[PageRecord]) -> list[Read | None]:
        """What stands in the folders; ``RequestError`` where a record is in none of the first's files."""
        first, *others = (StoredReadings(folder) for folder in self.folders)
        names = [f"{record.id}.md" for record in records]
        if missing := next((name for name in names if not first.has(name)), None):
            raise RequestError(f"--predictions {first.folder}: has no {missing}; every record needs its reading")
        known = _likelihoods(first.folder)
        found: list[Read | None] = []
        for record, name in zip(records, names, strict=True):
            texts = (first.read(name), *(other.read(name) for other in others if other.has(name)))
            found.append(Read(texts, *known.get(record.id, (None, None))))
        return found


def observe(readers: Readers, records: Iterator[PageRecord], limit: int | None = None) -> Iterator[Observation | None]:
    """An observation of each record, in their order; None for one that was not read. limit: only the first so many."""
    wanted = islice(records, limit)
    while batch := list(islice(wanted, BATCH)):
        for record, read in zip(batch, readers.read(batch), strict=True):
            yield None if read is None else observation(record, read)


def observation(record: PageRecord, read: Read) -> Observation:
    """One record against what was read of it."""
    first, *others = read.texts
    (scored,) = dataset.evaluate([record], lambda _: first).records
    faults = [f"{check.rule}: {check.reason}" for check in record.checks if check.outcome == "failed"]
    if scored.status == "gold":
        faults.append(f"label: {scored.evidence}")
    return Observation(
        id=record.id,
        task=record.task,
        group=record.cluster_id or record.content_id or record.id,
        features=in_order(record.features),
        reward=scored.value,
        likelihood=read.likelihood,
        confidence=read.confidence,
        disagreement=round(_distance(first, others), DIGITS) if others else None,
        reading=first,
        faults=tuple(faults),
    )


def in_order(features: Mapping[str, str]) -> dict[str, str]:
    """The features in the order in which a page is drawn, so that of two that come together the earlier is named."""
    order = {axis: place for place, axis in enumerate(("kind", *AXES))}
    return dict(sorted(features.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def paler(image: Image.Image) -> Image.Image:
    """The image with less contrast: what stands on it stays the same."""
    return image.point(lambda value: round(255 - (255 - value) * PALER))


def _distance(first: str, others: Sequence[str]) -> float:
    """The mean normalised edit distance of readings from the first, 0..1."""
    return sum(Levenshtein.normalized_distance(first, other) for other in others) / len(others)


def _fits(reader: "Reader", image: Image.Image, label: str) -> bool:
    """Whether the model sees the image unscaled and can say the whole label."""
    processor = reader.processor
    tokens = len(processor.tokenizer.encode(label))
    return processor.scale(*image.size) >= 1 and 0 < tokens < processor.config.generation.max_tokens


@lru_cache(maxsize=1)
def _reader(model: str) -> "Reader":
    """The reader, loaded once in a process."""
    from proofpress.model.reader import Reader

    return Reader.load(model)


def _likelihoods(folder: Path) -> dict[str, tuple[float | None, float | None]]:
    """Record's id -> likelihood of its label, confidence of its reading; empty where the folder does not say."""
    path = folder / LIKELIHOODS
    if not path.is_file():
        return {}
    found: dict[str, tuple[float | None, float | None]] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row: Any = json.loads(line)
                found[str(row["id"])] = (float(row["likelihood"]), float(row["confidence"]))
            except (ValueError, TypeError, KeyError) as error:
                raise RequestError(
                    f"{path}: line {number}: not {{id, likelihood, confidence}} with numbers: {error!r}"
                ) from error
    return found
