"""Batches by number: the rows of a step are a pure function of the seed, the step and the mix, so a resumed run needs
no replay and no order is stored.

A step is drawn kind first, by the curriculum's mix; then a bucket of that kind, in proportion to the batches it
holds; then its rows. How many follows from a budget of pixels and label tokens, not from a number of rows; where the
recipe has ``draw_pixels`` the budget is filled by several such draws. The rows of a draw are dealt to the processes of
the run, and of each process to the parts it reads one after the other: all have equal shapes and nearly equal work.
Rows are changed a little, as scans differ in ink, sharpness and margin.

    with Batches(rows, recipe, processor) as batches:
        for part in batches.take(step=0, mix={"word": 1.0}):
            network(part.batch)
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from PIL import Image, ImageFilter
from torch.nn import functional

from proofpress.model.jina_ocr.processor import Batch, Processor
from proofpress.model.train.data import Bucket, BucketKey, TrainingRows, length_class
from proofpress.model.train.parallel import ALONE, Team
from proofpress.model.train.recipe import SFTRecipe
from proofpress.model.train.typeset import Typesetter
from proofpress.pages.errors import RequestError

MOST_SHIFT = 8  # pixels

#: A part has a power of two of rows, and all its positions together fill whole blocks of so many. The CPU's matrix
#: library builds a kernel for each new number of positions, which takes several times as long as to use it.
POSITION_BLOCK = 256


@dataclass(frozen=True, slots=True)
class Drawn:
    """A batch with what the log and the curriculum want to know of it. characters: of all its labels."""

    batch: Batch
    key: BucketKey
    characters: int


class Batches:
    """Draws, decodes and prepares this process's parts of each step; the next steps are prepared in threads meanwhile.

    Raises ``RequestError`` where a level of the recipe asks for a kind that no row is of.
    """

    def __init__(self, rows: TrainingRows, recipe: SFTRecipe, processor: Processor, team: Team = ALONE) -> None:
        self._rows, self._recipe, self._processor, self._team = rows, recipe, processor, team
        self._kinds: dict[str, list[Bucket]] = {}
        for bucket in rows.buckets:
            self._kinds.setdefault(bucket.key.kind, []).append(bucket)
        self._setters = {
            name: Typesetter(kind.typeset, rows.prose) for name, kind in recipe.kinds.items() if kind.typeset
        }
        for number, level in enumerate(recipe.levels):
            for kind in level.mix:
                if kind not in self._kinds and kind not in self._setters:
                    found = {name: sum(len(b.rows) for b in buckets) for name, buckets in self._kinds.items()}
                    raise RequestError(
                        f"levels.{number}.mix: no training row is of kind {kind} (rows found: {found or 'none'}, "
                        f"refused: {dict(rows.refused) or 'none'}); add data or take the kind out"
                    )
        self._threads = ThreadPoolExecutor(recipe.loaders, thread_name_prefix="batches")
        self._ahead: dict[int, Future[list[Drawn]]] = {}
        self._shares: dict[str, float] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)

    def take(self, step: int, mix: Mapping[str, float]) -> list[Drawn]:
        """This process's parts of a step under a mix of kinds."""
        shares = dict(mix)
        if shares != self._shares:
            self._ahead, self._shares = {}, shares
        ahead = range(step, step + self._recipe.loaders + 1)
        self._ahead = {
            number: self._ahead.get(number) or self._threads.submit(self._draw, number, shares) for number in ahead
        }
        return self._ahead[step].result()

    def _draw(self, step: int, shares: dict[str, float]) -> list[Drawn]:
        rng = np.random.default_rng([self._recipe.seed, step])
        pixels, tokens = self._recipe.batch_pixels, self._recipe.batch_tokens
        drawn: list[Drawn] = []
        while True:
            key, size, parts = self._draw_one(rng, shares, min(pixels, self._recipe.draw_pixels or pixels), tokens)
            drawn += parts
            pixels, tokens = pixels - size * key.shape.width * key.shape.height, tokens - size * key.length
            # What is left for less than half a draw is not worth one.
            if not self._recipe.draw_pixels or pixels < self._recipe.draw_pixels / 2 or tokens <= 0:
                return drawn

    def _draw_one(
        self, rng: np.random.Generator, shares: dict[str, float], pixels: int, tokens: int
    ) -> tuple[BucketKey, int, list[Drawn]]:
        """Rows of one bucket for so many pixels and label tokens: the bucket, how many, and this process's parts."""
        kinds = sorted(shares)
        kind = kinds[_weighted_index(rng, [shares[kind] for kind in kinds])]
        parts, own = self._parts(), self._team.rank * self._recipe.accumulate
        mine = range(own, own + self._recipe.accumulate)
        if kind in self._setters:
            key = self._set_key(kind)
            size = self._size(key, pixels, tokens)
            seeds = rng.integers(1 << 32, size=size)
            return key, size, [self._part(key, self._set(kind, seeds[n::parts]), seeds[n::parts]) for n in mine]
        buckets = self._kinds[kind]
        sizes = [self._size(bucket.key, pixels, tokens, len(bucket.rows)) for bucket in buckets]
        chosen = _weighted_index(rng, [b.weights.sum() / size for b, size in zip(buckets, sizes, strict=True)])
        bucket, size = buckets[chosen], sizes[chosen]
        key, members, weights = bucket.key, bucket.rows, bucket.weights
        rows = rng.choice(members, size, replace=size > len(members), p=weights / weights.sum())
        # Each row has its own seed: it is changed in the same way whichever process reads it.
        seeds = rng.integers(1 << 32, size=size)
        return key, size, [self._part(key, self._read(rows[n::parts]), seeds[n::parts]) for n in mine]

    def _read(self, rows: np.ndarray) -> list[tuple[Image.Image, str]]:
        return [(sample.picture(), sample.text) for sample in self._rows.read(rows)]

    def _set_key(self, kind: str) -> BucketKey:
        typeset = self._recipe.kinds[kind].typeset
        assert typeset is not None
        return BucketKey(kind, self._processor.shape(typeset.width, typeset.height), length_class(typeset.longest + 1))

    def _set(self, kind: str, seeds: np.ndarray) -> list[tuple[Image.Image, str]]:
        return [self._setters[kind].line(np.random.default_rng([int(seed), 1])) for seed in seeds]

    def _part(self, key: BucketKey, pairs: Sequence[tuple[Image.Image, str]], seeds: np.ndarray) -> Drawn:
        room = (key.shape.width, key.shape.height)
        images = [
            self._vary(image, room, np.random.default_rng(int(seed)))
            for (image, _), seed in zip(pairs, seeds, strict=True)
        ]
        batch = self._processor.batch(images, [text for _, text in pairs])
        return Drawn(_padded(batch, key.length), key, sum(len(text) for _, text in pairs))

    def _parts(self) -> int:
        return self._team.size * self._recipe.accumulate

    def _size(self, key: BucketKey, pixels: int, tokens: int, most: int | None = None) -> int:
        """Rows of a draw, a power of two for each part. most: rows there are."""
        parts = self._parts()
        by_pixels, by_tokens = pixels // (key.shape.width * key.shape.height), tokens // key.length
        size = min(by_pixels, by_tokens) if most is None else min(by_pixels, by_tokens, most)
        return (1 << max(0, (size // parts).bit_length() - 1)) * parts

    def _vary(self, image: Image.Image, room: tuple[int, int], rng: np.random.Generator) -> Image.Image:
        return vary(image, room, rng) if rng.random() < self._recipe.augment else image


def vary(image: Image.Image, room: tuple[int, int], rng: np.random.Generator) -> Image.Image:
    """A grey copy of a crop as another scan might show it: moved, other ink and paper, softer, noisy.

    room: (width, height) in pixels the copy may fill, so that it keeps its padded shape.
    """
    grey = image.convert("L")
    spare = [max(0, min(MOST_SHIFT, most - size)) for most, size in zip(room, grey.size, strict=True)]
    left, top = (int(rng.integers(most + 1)) for most in spare)
    moved = Image.new("L", (grey.width + left, grey.height + top), 255)
    moved.paste(grey, (left, top))
    if rng.random() < 0.3:
        moved = moved.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 0.7)))
    ink, paper = rng.uniform(0, 70), rng.uniform(225, 255)
    levels = ink + np.asarray(moved, dtype=np.float32) * ((paper - ink) / 255)
    if rng.random() < 0.3:
        levels += rng.normal(0, rng.uniform(1, 8), levels.shape)
    return Image.fromarray(levels.clip(0, 255).round().astype(np.uint8)).convert("RGB")


def _weighted_index(rng: np.random.Generator, weights: Sequence[float]) -> int:
    bounds = np.cumsum(weights)
    return int(np.searchsorted(bounds, rng.random() * bounds[-1], side="right"))


def _padded(batch: Batch, length: int) -> Batch:
    """The batch with its labels padded to their class, so that batches of a bucket have one tensor shape, and on to
    whole blocks of positions, so that most buckets share theirs."""
    rows, positions = batch.ids.shape
    missing = max(0, length - batch.labels.shape[1])
    missing += -(positions + missing) % max(1, POSITION_BLOCK // rows)
    labels = functional.pad(batch.labels, (0, missing), value=-100)
    # Padding stands behind every label position: nothing that counts attends to it, so the id is free.
    ids = functional.pad(batch.ids, (0, missing), value=int(batch.ids[0, -1]))
    return replace(batch, ids=ids, labels=labels)
