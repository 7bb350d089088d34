"""Images and texts as the network takes them: views, prompt ids and labels.

    processor = Processor(named("nano"), nano_tokenizer())
    batch = processor.batch([image], ["E = mc^2"])          # images of one shape, see Processor.shape

A public model sees a page as one letterboxed square and, when it is large, as tiles too. The nano model sees a crop at
the size it has, with paper added to the right and below.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image, ImageOps
from torch import Tensor

from proofpress.model.jina_ocr.config import CropViews, ModelConfig, TiledViews
from proofpress.model.jina_ocr.tokenizer import Tokenizer

#: Answers are filled up to a multiple of this many positions: fewer shapes, fewer kernels to build.
ANSWER_STEP = 16

#: What the loss leaves out.
IGNORED = -100


class ViewShape(NamedTuple):
    """Size of the page view in pixels and the grid of tiles, 0 x 0 without: equal shapes can share a batch."""

    height: int
    width: int
    tile_rows: int = 0
    tile_columns: int = 0


@dataclass(frozen=True, slots=True)
class Views:
    """Normalised pixels in float32: pages (B, C, H, W); tiles (B, rows, columns, C, side, side) or None."""

    pages: Tensor
    tiles: Tensor | None = None

    def to(self, device: torch.device | str) -> "Views":
        """The same on another device."""
        return Views(self.pages.to(device), None if self.tiles is None else self.tiles.to(device))


@dataclass(frozen=True, slots=True)
class Batch:
    """Pages of one shape with their prompts and, for teacher forcing, answers of at most A tokens.

    ids: (B, P + A - 1), the prompt with the image's slots and then the answer without its last token. labels: (B, A),
    the answer with its end token, then ``IGNORED``; A is 1 and all ignored when there is no answer. image_start: the
    first slot. prompt_length: P.
    """

    views: Views
    ids: Tensor
    labels: Tensor
    image_start: int
    prompt_length: int

    def to(self, device: torch.device | str) -> "Batch":
        """The same on another device."""
        return replace(self, views=self.views.to(device), ids=self.ids.to(device), labels=self.labels.to(device))


class Processor:
    """What one configuration and its tokenizer make of images and texts."""

    def __init__(self, config: ModelConfig, tokenizer: Tokenizer) -> None:
        self.config = config
        self.tokenizer = tokenizer
        start = [tokenizer.bos_id]
        self._before = (start if config.prompt.bos == "before" else []) + tokenizer.encode(config.prompt.before)
        self._after = (start if config.prompt.bos == "after" else []) + tokenizer.encode(config.prompt.after)

    def shape(self, width: int, height: int) -> ViewShape:
        """The shape of the views of an image of this size in pixels."""
        views = self.config.views
        if isinstance(views, CropViews):
            width, height = _fitted(width, height, views)
            return ViewShape(-(-height // views.step) * views.step, -(-width // views.step) * views.step)
        return ViewShape(views.page_side, views.page_side, *_tile_grid(width, height, views))

    def scale(self, width: int, height: int) -> float:
        """How much smaller the model sees an image of this size, 0..1; 1 for a model that draws all at one size."""
        return _scale(width, height, self.config.views) if isinstance(self.config.views, CropViews) else 1.0

    def grid(self, shape: ViewShape) -> tuple[int, int]:
        """Rows and columns of the page view's vision tokens."""
        side = self.config.sam.token_side
        return shape.height // side, shape.width // side

    def slots(self, shape: ViewShape) -> int:
        """Positions the image takes in the prompt: its tokens, a newline after each row, one separator."""
        rows, columns = self.grid(shape)
        slots = rows * (columns + 1) + 1
        if isinstance(self.config.views, TiledViews):
            side = self.config.views.tile_side // self.config.sam.token_side
            slots += shape.tile_rows * side * (shape.tile_columns * side + bool(shape.tile_rows))
        return slots

    def views(self, images: Sequence[Image.Image]) -> Views:
        """The views of images of one shape; ``ValueError`` if their shapes differ."""
        shape = self._common_shape(images)
        if isinstance(self.config.views, CropViews):
            return Views(torch.stack([self._crop(image, shape, self.config.views) for image in images]))
        sides = self.config.views
        pages = torch.stack([self._letterboxed(image, sides.page_side) for image in images])
        if not shape.tile_rows:
            return Views(pages)
        return Views(pages, torch.stack([self._tiles(image, shape, sides.tile_side) for image in images]))

    def batch(self, images: Sequence[Image.Image], texts: Sequence[str] | None = None) -> Batch:
        """Images of one shape with their texts as answers to be taught, or without for reading.

        Raises ``ValueError`` if the shapes differ or there are more or fewer texts than images.
        """
        if texts is not None and len(texts) != len(images):
            raise ValueError(f"{len(texts)} texts for {len(images)} images")
        prompt = self.prompt(self._common_shape(images))
        answers = [[*self.tokenizer.encode(text), self.tokenizer.eos_id] for text in texts or ()]
        length = max((_in_steps(len(answer)) for answer in answers), default=1)
        labels = torch.full((len(images), length), IGNORED)
        ids = torch.full((len(images), len(prompt) + length - 1), self.tokenizer.pad_id)
        ids[:, : len(prompt)] = torch.tensor(prompt)
        for row, answer in enumerate(answers):
            labels[row, : len(answer)] = torch.tensor(answer)
            ids[row, len(prompt) : len(prompt) + len(answer) - 1] = torch.tensor(answer[:-1])
        return Batch(self.views(images), ids, labels, len(self._before), len(prompt))

    def prompt(self, shape: ViewShape) -> list[int]:
        """The prompt's ids for an image of this shape, its slots included."""
        return [*self._before, *[self.tokenizer.image_id] * self.slots(shape), *self._after]

    def prompt_length(self, shape: ViewShape) -> int:
        """Positions of the prompt."""
        return len(self._before) + self.slots(shape) + len(self._after)

    def answer_length(self, text: str) -> int:
        """Positions a text takes as an answer, filled up as in a batch."""
        return _in_steps(len(self.tokenizer.encode(text)) + 1)

    def _common_shape(self, images: Sequence[Image.Image]) -> ViewShape:
        shapes = {self.shape(*image.size) for image in images}
        if len(shapes) != 1:
            raise ValueError(f"images of {len(shapes)} shapes cannot share a batch: {sorted(shapes)}")
        return shapes.pop()

    def _crop(self, image: Image.Image, shape: ViewShape, views: CropViews) -> Tensor:
        size = _fitted(*image.size, views)
        if size != image.size:
            image = image.resize(size, Image.Resampling.BICUBIC)
        pixels = self._pixels(image)
        return torch.nn.functional.pad(pixels, (0, shape.width - size[0], 0, shape.height - size[1]))

    def _letterboxed(self, image: Image.Image, side: int) -> Tensor:
        grey = tuple(int(self.config.pixel_mean * 255) for _ in range(3))
        return self._pixels(ImageOps.pad(image.convert("RGB"), (side, side), color=grey))

    def _tiles(self, image: Image.Image, shape: ViewShape, side: int) -> Tensor:
        """The image stretched to whole tiles, (rows, columns, C, side, side)."""
        stretched = image.convert("RGB").resize((shape.tile_columns * side, shape.tile_rows * side))
        pixels = self._pixels(stretched)
        return pixels.unflatten(2, (shape.tile_columns, side)).unflatten(1, (shape.tile_rows, side)).permute(
            1, 3, 0, 2, 4
        )  # fmt: skip

    def _pixels(self, image: Image.Image) -> Tensor:
        """Normalised pixels, (C, H, W)."""
        values = np.array(image.convert("L" if self.config.sam.channels == 1 else "RGB"), dtype=np.float32)
        pixels = torch.from_numpy(values.reshape(*values.shape[:2], -1)).permute(2, 0, 1)
        return (pixels / 255 - self.config.pixel_mean) / self.config.pixel_std


def _in_steps(length: int) -> int:
    return -(-length // ANSWER_STEP) * ANSWER_STEP


def _fitted(width: int, height: int, views: CropViews) -> tuple[int, int]:
    """The size, at most the given one, that keeps the proportions and both limits."""
    scale = _scale(width, height, views)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _scale(width: int, height: int, views: CropViews) -> float:
    return min(1.0, views.max_side / width, views.max_side / height, math.sqrt(views.max_pixels / (width * height)))


def _tile_grid(width: int, height: int, views: TiledViews) -> tuple[int, int]:
    """Rows and columns of tiles whose proportions come nearest to the image's; 0, 0 for one no larger than a tile.

    Among equally near grids the larger wins when the image has more than half its pixels.
    """
    if max(width, height) <= views.tile_side:
        return 0, 0
    counts = range(views.min_tiles, views.max_tiles + 1)
    grids = [(rows, count // rows) for count in counts for rows in range(count, 0, -1) if count % rows == 0]
    best, least = grids[0], math.inf
    for rows, columns in grids:
        difference = abs(width / height - columns / rows)
        enough = width * height > 0.5 * views.tile_side**2 * rows * columns
        if difference < least or (difference == least and enough):
            best, least = (rows, columns), difference
    return best
