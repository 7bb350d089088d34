"""All that is known of a printed page: what every rule of the proof is given."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from proofpress.generators.layout import PageSpec, Piece
from proofpress.generators.sheet import Layout
from proofpress.pages.markdown import Block


@dataclass(frozen=True, slots=True)
class Printed:
    """A printed page. label: its Markdown; blocks: what is read back from it.

    kept: the pieces that are on the page, in reading order; labelled: those of them that are in the label. pixels:
    ``(height, width)`` grey levels, uint8.
    """

    spec: PageSpec
    label: str
    kept: tuple[Piece, ...]
    labelled: tuple[Piece, ...]
    blocks: tuple[Block, ...]
    layout: Layout
    pixels: np.ndarray


#: Tells the faults of one kind that a page has, as evidence; only the first is asked for.
Rule = Callable[[Printed], Iterator[str]]
