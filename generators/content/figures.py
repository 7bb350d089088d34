"""Figures: charts and diagrams drawn as SVG, with their lettering as ``<text>``.

A figure is a picture to the page's label, yet a reader must be able to tell it from a table or a paragraph; so it has
titles, axes, ticks, legends and names like the ones in print. There are no scripts, links or styles from outside, and
``figure_canvas`` keeps lettering and marks within the frame.

    >>> content = figure(random.Random(4), width=480, height=320)
    >>> content.kind, content.texts[:2]
    ('lines', ('Maximum penalty (years)', '0'))
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from proofpress.generators.content import charts, diagrams, prose
from proofpress.generators.content.figure_canvas import Canvas

KINDS = {
    "bars": (3, charts.bars),
    "lines": (3, charts.lines),
    "scatter": (2, charts.scatter),
    "shares": (1, charts.shares),
    "flow": (2, diagrams.flow),
    "tree": (1, diagrams.tree),
    "geometry": (1, diagrams.geometry),
}
LEAST_WIDTH, LEAST_HEIGHT = 160, 120


@dataclass(frozen=True, slots=True)
class FigureContent:
    """A figure and what is said below it. svg: one ``<svg>`` element of the asked size in pixels. caption: plain text.
    texts: the lettering, in the order drawn. kind: ``bars``, ``lines``, ``scatter``, ``shares``, ``flow``, ``tree`` or
    ``geometry``."""

    svg: str
    caption: str
    texts: tuple[str, ...]
    kind: str


def figure(
    rng: Random, width: int, height: int, translate: Callable[[], str] | None = None, caption: str = ""
) -> FigureContent:
    """A figure of ``width`` x ``height`` CSS pixels; ``ValueError`` below 160 x 120, where no lettering fits.

    translate: gives the words of another language for each lettering of ours. caption: one to use instead of ours.
    """
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        raise ValueError(f"{width} x {height}: a figure needs {LEAST_WIDTH} x {LEAST_HEIGHT} pixels")
    names = list(KINDS)
    kind = rng.choices(names, [KINDS[name][0] for name in names])[0]
    canvas = Canvas(width, height, rng.choice(("sans-serif", "serif")), rng.choice((10, 11, 12)), translate)
    KINDS[kind][1](rng, canvas)
    return FigureContent(canvas.svg(), caption or prose.caption(rng), tuple(canvas.texts), kind)
