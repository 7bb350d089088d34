"""Training rows of dataset folders: a small index in memory, images and labels read by row group when drawn.

Rows are filed in buckets of one kind, one padded image shape and one class of label length, so that a batch wastes
little and a run meets few distinct tensor shapes. A row that the model would see too small to read, or whose label
would be cut, is refused and counted, never truncated.

    rows = TrainingRows([Path("data/crops")], "train", recipe, processor)
    rows.refused["label.long"], len(rows.buckets), rows.read(rows.buckets[0].rows[:4])
"""

import json
import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from proofpress.model.jina_ocr.processor import Processor, ViewShape
from proofpress.model.train.recipe import RunRecipe
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.image import ImageError, open_image
from proofpress.pages.label import normal_label
from proofpress.pages.record import SCHEMA

# Row groups kept decoded. Batches draw from everywhere, so a corpus of crops smaller than this is read once.
CACHE_BYTES = 1 << 30
# Labels of which typeset lines are cut.
PROSE = 5_000
PLAIN = re.compile(r"[^$<>\\|#*_`\n]{8,2000}")
ROW_COLUMNS = ["id", "image.bytes", "text", "task", "tests"]
INDEX_COLUMNS = ["id", "text", "task", "width", "height", "features"]


class BucketKey(NamedTuple):
    """What all rows of a bucket share. length: label tokens with EOS, rounded up to its class."""

    kind: str
    shape: ViewShape
    length: int


@dataclass(frozen=True, slots=True)
class Bucket:
    """Rows that can share a batch. rows: their numbers. weights: how often each is drawn, on any positive scale."""

    key: BucketKey
    rows: np.ndarray
    weights: np.ndarray


class Sample(NamedTuple):
    """One row: the encoded image, its label with formulas in normal form, its task, its unit tests as JSON, its id."""

    image: bytes
    text: str
    task: str
    tests: tuple[str, ...] = ()
    id: str = ""

    def picture(self) -> Image.Image:
        """The decoded image; ``WorkError`` naming the row where it is broken."""
        try:
            return open_image(self.image)
        except ImageError as error:
            raise WorkError(f"row {self.id}: its image is broken ({error}); build the dataset again") from error


class TrainingRows:
    """The rows of one split of several dataset folders that a recipe admits.

    ``buckets`` stand in the order of their keys, ``refused`` counts reasons. Raises ``RequestError`` for a folder
    without Parquet files or with others' columns, ``WorkError`` for a file that cannot be read.
    """

    def __init__(self, folders: Sequence[Path], split: str, recipe: RunRecipe, processor: Processor) -> None:
        self.refused: Counter[str] = Counter()
        self._files: list[pq.ParquetFile] = []
        self._paths: list[Path] = []
        self._cache: OrderedDict[tuple[int, int], pa.Table] = OrderedDict()
        self._cached_bytes = 0
        self._lock = Lock()
        self._texts: dict[tuple[int, int, int], str] = {}
        self.prose: list[str] = []  # some labels of plain words
        places: list[tuple[int, int, int]] = []  # row number -> file, row group, offset in it
        filed: dict[BucketKey, list[tuple[int, float]]] = {}
        unknown = sorted(recipe.weights.keys() - {folder.name for folder in folders})
        if unknown:
            raise RequestError(
                f"weights.{unknown[0]}: no dataset folder has this name; given: {', '.join(f.name for f in folders)}"
            )
        for folder in folders:
            weight = recipe.weights.get(folder.name, 1.0)
            for place, row in self._scan(folder, split):
                if len(self.prose) < PROSE and PLAIN.fullmatch(row["text"]):
                    self.prose.append(row["text"])
                key = file_row(row, recipe, processor)
                if isinstance(key, str):
                    self.refused[key] += 1
                    continue
                filed.setdefault(key, []).append((len(places), weight))
                places.append(place)
        self._places = np.array(places, dtype=np.int32).reshape(-1, 3)
        self.buckets = _buckets(filed)

    def __len__(self) -> int:
        return len(self._places)

    def read(self, rows: Iterable[int]) -> list[Sample]:
        """The images and labels of these rows, in this order."""
        return [self._read(*self._places[row].tolist()) for row in rows]

    def relabelled(self, texts: Mapping[int, str], processor: Processor) -> "TrainingRows":
        """The rows of these numbers alone, each with another label; buckets are made anew, the numbers stay."""
        rows = copy(self)
        rows._texts = {(f, g, o): texts[row] for row in texts for f, g, o in (self._places[row].tolist(),)}
        filed: dict[BucketKey, list[tuple[int, float]]] = {}
        for bucket in self.buckets:
            for row, weight in zip(bucket.rows.tolist(), bucket.weights.tolist(), strict=True):
                if row in texts:
                    tokens = len(processor.tokenizer.encode(texts[row])) + 1
                    filed.setdefault(bucket.key._replace(length=length_class(tokens)), []).append((row, weight))
        rows.buckets = _buckets(filed)
        return rows

    def _read(self, file: int, group: int, offset: int) -> Sample:
        row = self._group(file, group).slice(offset, 1).to_pylist()[0]
        text = self._texts.get((file, group, offset)) or normal_label(row["text"], row["task"])
        return Sample(row["image"]["bytes"], text, row["task"], tuple(row["tests"] or ()), row["id"])

    def _group(self, file: int, group: int) -> pa.Table:
        """A row group, decoded once as long as the cache holds it; called from several threads."""
        place = (file, group)
        with self._lock:
            if place not in self._cache:
                self._cache[place] = self._table(file, group, ROW_COLUMNS)
                self._cached_bytes += self._cache[place].nbytes
            while self._cached_bytes > CACHE_BYTES and len(self._cache) > 1:
                _, oldest = self._cache.popitem(last=False)
                self._cached_bytes -= oldest.nbytes
            return self._cache[place]

    def _table(self, file: int, group: int, columns: list[str]) -> pa.Table:
        try:
            return self._files[file].read_row_group(group, columns=columns)
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self._paths[file], error) from error

    def _scan(self, folder: Path, split: str) -> Iterator[tuple[tuple[int, int, int], dict[str, Any]]]:
        if not any(folder.glob("data/*.parquet")):
            raise RequestError(f"{folder}: no dataset: it has no data/*.parquet")
        for path in sorted(folder.glob(f"data/{split}-*.parquet")):
            try:
                file = pq.ParquetFile(path)
            except (pa.ArrowException, OSError) as error:
                raise _unreadable(path, error) from error
            if not file.schema_arrow.equals(SCHEMA):
                raise RequestError(f"{path}: its columns are not those of a Proofpress dataset")
            number = len(self._files)
            self._files.append(file)
            self._paths.append(path)
            for group in range(file.num_row_groups):
                for offset, row in enumerate(self._table(number, group, INDEX_COLUMNS).to_pylist()):
                    yield (number, group, offset), row


def _unreadable(path: Path, error: Exception) -> WorkError:
    return WorkError(f"{path}: cannot be read as a dataset ({error}); build the dataset again")


def _buckets(filed: Mapping[BucketKey, list[tuple[int, float]]]) -> list[Bucket]:
    return [
        Bucket(key, np.array([row for row, _ in filed[key]]), np.array([weight for _, weight in filed[key]]))
        for key in sorted(filed)
    ]


def file_row(row: dict[str, Any], recipe: RunRecipe, processor: Processor) -> BucketKey | str:
    """The bucket a row belongs to, or the reason why it is refused. row: the columns ``INDEX_COLUMNS``.

    Raises ``RequestError`` for a token that the network has no place for.
    """
    text, width, height = normal_label(row["text"], row["task"]), row["width"], row["height"]
    if not text:
        return "label.empty"
    crop = json.loads(row["features"]).get("crop", row["task"])
    kind = next((name for name, k in recipe.kinds.items() if k.admits(crop, width, height, len(text))), None)
    if kind is None:
        return "no kind admits it"
    if processor.scale(width, height) < recipe.min_scale:
        return "image.small"
    ids, known = processor.tokenizer.encode(text), processor.config.decoder.vocabulary
    if (highest := max(ids)) >= known:
        token = processor.tokenizer.decode([highest])
        raise RequestError(
            f"row {row['id']}: its label has the token {token!r} with id {highest}, but the model has {known} tokens: "
            f"the tokenizer.json in its folder is of another model"
        )
    tokens = len(ids) + 1
    if tokens > min(recipe.max_label, processor.config.generation.max_tokens):
        return "label.long"
    return BucketKey(kind, processor.shape(width, height), length_class(tokens))


def length_class(tokens: int) -> int:
    """The padded length of a label, in whole 16s: classes widen with the length, so that there are few."""
    step = max(16, 1 << max(0, (tokens - 1).bit_length() - 3))
    return -(-tokens // step) * step
