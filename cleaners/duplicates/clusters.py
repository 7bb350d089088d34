"""Clusters of rows with one content, found among their fingerprints.

Rows meet where a key of theirs is equal: the pixels, the normal form of the label, a band of its shingles, a sample of
a perceptual hash. In each such bucket the first row is compared with all others, then the first of those that were not
like it, and so on, ``LEADERS`` times: the cost grows with the rows, whatever the buckets hold. Rows that are alike are
joined, and clusters are what hangs together.

    found = find_clusters(Fingerprints.read(paths, scratch))
    found.labels          # (N,) int32: of each row, the first one that it is the same as
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from proofpress.cleaners.duplicates import minhash, near_image
from proofpress.cleaners.duplicates.fingerprint import Fingerprints

Array = np.ndarray[Any, Any]

#: Jaccard similarity of the shingles from which two labels are one text.
NEAR_TEXT = 0.8
#: Of two labels whose pictures look alike already: this similarity, or this share of the shorter in the longer.
NEAR_ENOUGH, HELD = 0.5, 0.7
#: Shingles a label needs so that its likeness says something: a line of a dozen words.
MIN_SHINGLES = 64
#: Characters of a normal form from which two equal ones are no coincidence.
MIN_FORM = {"formula": 24, "table": 32}
#: Rows of a bucket that all others in it are compared with.
LEADERS = 6

_PAIRS = 1 << 16  # compared at a time


@dataclass(frozen=True, slots=True)
class Link:
    """Why two rows were joined. kind: ``id``, ``pixels``, ``label``, ``text`` or ``image``; likeness: 0..1."""

    row: int
    of: int
    kind: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Found:
    """labels: (N,), the first row of each row's cluster. links: what joined them, one fewer than rows in a cluster."""

    labels: Array
    links: list[Link]


#: From two (n,) arrays of rows to their likeness, (n,) float32, 0 where they are not alike.
Likeness = Callable[[Array, Array], Array]


def find_clusters(prints: Fingerprints) -> Found:
    """The clusters of all rows, from the surest evidence to the weakest; the same whatever the files' number."""
    links: list[Link] = []
    labels = np.arange(prints.rows, dtype=np.int32)
    contents = prints.column("content_id")
    for kind, keys, likeness in _evidence(prints):
        # Rows of one content, a page and its crops, are no duplicates of each other, unless they are one row twice.
        apart = np.arange(prints.rows) if kind == "id" else contents
        rows, leaders, values = _alike_in_buckets(keys, likeness, labels, apart)
        if len(rows):
            labels, new = _join(labels, rows, leaders)
            links += [Link(int(rows[i]), int(leaders[i]), kind, round(float(values[i]), 4)) for i in new]
    return Found(labels, links)


def _evidence(prints: Fingerprints) -> Iterator[tuple[str, Array, Likeness]]:
    """Each kind of evidence: its name, the keys of all rows (0 for none), and how alike rows with one key are."""
    tasks = np.array(prints.strings("task"))
    form, form_size, size = prints.column("form"), prints.column("form_size"), prints.column("size")
    yield "id", prints.column("id").astype(np.uint64) + np.uint64(1), _certain
    yield "pixels", prints.column("pixels"), _certain

    least = np.full(prints.rows, MIN_SHINGLES + minhash.SHINGLE)
    for task, characters in MIN_FORM.items():
        least[tasks == task] = characters
    yield "label", np.where(form_size >= least, form, np.uint64(0)), _certain

    # Formulas are alike when they look the same and not when they share their shingles: an index is all the difference.
    by_shingles = (size >= MIN_SHINGLES) & (tasks != "formula")

    def texts(rows: Array, others: Array) -> Array:
        found = minhash.similarity(prints.signatures(rows), prints.signatures(others))
        return np.where((found >= NEAR_TEXT) & (tasks[rows] == tasks[others]), found, np.float32(0))

    for keys in prints.bands():
        yield "text", np.where(by_shingles, keys, np.uint64(0)), texts

    raw, trimmed = prints.column("phash"), prints.column("trimmed")

    def pictures(rows: Array, others: Array) -> Array:
        of_whole = near_image.bits_apart(raw[rows], raw[others])
        of_trimmed = near_image.bits_apart(trimmed[rows], trimmed[others])
        apart = np.minimum(of_whole, of_trimmed)
        near = np.flatnonzero(apart <= near_image.NEAR)
        found = np.zeros(len(rows), np.float32)
        wordless = (form[rows] == 0) & (form[others] == 0) & (of_whole + of_trimmed <= near_image.SAME)
        found[near] = (same_words(rows[near], others[near]) | wordless[near]) * (1 - apart[near] / 64)
        return found

    def same_words(rows: Array, others: Array) -> Array:
        jaccard = minhash.similarity(prints.signatures(rows), prints.signatures(others))
        shorter, both = np.minimum(size[rows], size[others]), size[rows] + size[others]
        held = jaccard * both / ((1 + jaccard) * np.maximum(shorter, 1))
        readable = (shorter > 0) & (tasks[rows] != "formula") & (tasks[others] != "formula")
        return ((form[rows] == form[others]) & (form[rows] != 0)) | (
            readable & ((jaccard >= NEAR_ENOUGH) | (held >= HELD))
        )

    for hashes in (raw, trimmed):
        for which in range(near_image.KEYS):
            yield "image", near_image.keys_of(hashes, which), pictures


def _certain(rows: Array, others: Array) -> Array:
    return np.ones(len(rows), np.float32)


def _alike_in_buckets(keys: Array, likeness: Likeness, labels: Array, contents: Array) -> tuple[Array, Array, Array]:
    """The rows that are like a leader of their bucket, these leaders, and how alike they are."""
    rows = np.flatnonzero(keys)
    rows = rows[np.argsort(keys[rows], kind="stable")]
    found: list[tuple[Array, Array, Array]] = []
    for _ in range(LEADERS):
        begins = np.concatenate([[True], keys[rows[1:]] != keys[rows[:-1]]]) if len(rows) else np.zeros(0, bool)
        bucket = np.cumsum(begins) - 1
        leaders = rows[begins][bucket] if len(rows) else rows
        others = np.flatnonzero(~begins)
        if not len(others):
            break
        pairs = rows[others], leaders[others]
        joined = labels[pairs[0]] == labels[pairs[1]]
        asked = np.flatnonzero(~joined & (contents[pairs[0]] != contents[pairs[1]]))
        values = np.zeros(len(others), np.float32)
        for start in range(0, len(asked), _PAIRS):
            some = asked[start : start + _PAIRS]
            values[some] = likeness(pairs[0][some], pairs[1][some])
        alike = values > 0
        found.append((pairs[0][alike], pairs[1][alike], values[alike]))
        rows = pairs[0][~alike & ~joined]
    if not found:
        empty = np.zeros(0, np.int64)
        return empty, empty, np.zeros(0, np.float32)
    return tuple(np.concatenate(part) for part in zip(*found, strict=True))  # type: ignore[return-value]


def _join(labels: Array, rows: Array, others: Array) -> tuple[Array, list[int]]:
    """The labels after joining these pairs, and which of the pairs joined what was apart (union-find)."""
    parent: dict[int, int] = {}

    def root(label: int) -> int:
        while (above := parent.get(label, label)) != label:
            parent[label] = parent.get(above, above)
            label = above
        return label

    joining = []
    for place, (left, right) in enumerate(zip(labels[rows].tolist(), labels[others].tolist(), strict=True)):
        low, high = sorted((root(left), root(right)))
        if low != high:
            parent[high] = low
            joining.append(place)
    renamed = np.arange(len(labels), dtype=labels.dtype)
    for label in parent:
        renamed[label] = root(label)
    return renamed[labels], joining
