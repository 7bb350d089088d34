"""Charts over invented data: bars, lines, scatter and shares, each drawn onto a canvas.

Axes carry round ticks that span the data, and series a legend; one palette is grey, because many pages are printed in
black.

    >>> bars(random.Random(1), Canvas(400, 300, "serif", 11))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, cos, floor, log10, pi, sin
from random import Random

from proofpress.generators.content import prose
from proofpress.generators.content.figure_canvas import Canvas, Point

PALETTES = (
    ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b"),
    ("#222222", "#777777", "#bbbbbb", "#dddddd", "#444444", "#999999"),
    ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860"),
    ("#003f5c", "#bc5090", "#ffa600", "#58508d", "#ff6361", "#2f4b7c"),
)
Range = tuple[float, float]
DASHES = ("", "5 3", "2 2", "8 3 2 3")
TICKS = 5


@dataclass(frozen=True, slots=True)
class Axes:
    """The frame of a chart: its corners in pixels, and the values at its left, right, bottom and top edge."""

    left: float
    right: float
    bottom: float
    top: float
    low_x: float
    high_x: float
    low_y: float
    high_y: float

    def at(self, x: float, y: float) -> Point:
        """Where a value is drawn."""
        across = (x - self.low_x) / (self.high_x - self.low_x)
        up = (y - self.low_y) / (self.high_y - self.low_y)
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)


def ticks(low: float, high: float) -> list[float]:
    """Round values, 1, 2 or 5 times a power of ten apart, from at most ``low`` to at least ``high``."""
    rough = (high - low) / TICKS
    power = 10 ** floor(log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough * 0.999)
    first, last = floor(low / step), ceil(high / step)
    return [k * step for k in range(first, last + 1)]


def label(value: float, step: float) -> str:
    """A tick's value with the decimals its step needs."""
    return f"{value:,.{max(0, -floor(log10(step) + 1e-9))}f}"


def bars(rng: Random, canvas: Canvas) -> None:
    """Grouped bars over years or places."""
    own = prose.voice(rng)
    groups, series = rng.randrange(3, 7), rng.choice((1, 1, 2, 3))
    scale = 10 ** rng.uniform(0.5, 4)
    values = [[scale * rng.uniform(0.15, 1) for _ in range(series)] for _ in range(groups)]
    first = rng.randrange(1960, 2018)
    yearly = rng.random() < 0.6
    names = [str(first + k) if yearly else prose.phrase(rng, "town", own) for k in range(groups)]
    axes = _axes(rng, own, canvas, (0, groups), (0, max(map(max, values))), series, numbered=False)
    colours = rng.choice(PALETTES)
    slot = (axes.right - axes.left) / groups
    for k, group in enumerate(values):
        for s, value in enumerate(group):
            x, y = axes.at(k + 0.15 + 0.7 * s / series, value)
            canvas.box(x, y, slot * 0.7 / series, axes.bottom - y, colours[s])
        canvas.text(axes.at(k + 0.5, 0)[0], axes.bottom + canvas.size + 4, canvas.fit(names[k], slot * 0.95))
    _legend(rng, own, canvas, axes, [colours[s] for s in range(series)])


def lines(rng: Random, canvas: Canvas) -> None:
    """One to four curves that wander, with dashes so that they differ in print."""
    own = prose.voice(rng)
    series, steps = rng.randrange(1, 5), rng.randrange(8, 40)
    over_years = float(rng.randrange(1950, 2000)), float(rng.randrange(10, 26))
    start, width = over_years if rng.random() < 0.5 else (0.0, 10 ** rng.uniform(0, 3))
    scale = 10 ** rng.uniform(-1, 4)
    curves = [_walk(rng, steps, scale) for _ in range(series)]
    low, high = min(map(min, curves)), max(map(max, curves))
    if rng.random() < 0.5:
        low = min(low, 0.0)
    axes = _axes(rng, own, canvas, (start, start + width), (low, high), series)
    colours, marked = rng.choice(PALETTES), rng.random() < 0.4
    for s, curve in enumerate(curves):
        points = [axes.at(start + width * k / (steps - 1), value) for k, value in enumerate(curve)]
        canvas.line(points, colours[s], 1.5, DASHES[s])
        if marked:
            for x, y in points[:: max(1, steps // 8)]:
                canvas.circle(x, y, 2.5, "#fff" if s % 2 else colours[s], colours[s])
    _legend(rng, own, canvas, axes, list(colours[:series]))


def _walk(rng: Random, steps: int, scale: float) -> list[float]:
    value, drift = scale * rng.uniform(0.5, 1.5), rng.uniform(-0.05, 0.08)
    walked = []
    for _ in range(steps):
        walked.append(value)
        value += scale * (drift + rng.gauss(0, 0.08))
    return walked


def scatter(rng: Random, canvas: Canvas) -> None:
    """A cloud of points about a straight line, which is drawn now and then."""
    slope, spread = rng.uniform(-1, 1), rng.uniform(0.02, 0.3)
    scale_x, scale_y = 10 ** rng.uniform(0, 3), 10 ** rng.uniform(-1, 3)
    cloud = []
    for _ in range(rng.randrange(15, 80)):
        x = rng.random()
        cloud.append((scale_x * x, scale_y * (1.5 + slope * x + rng.gauss(0, spread))))
    xs, ys = zip(*cloud, strict=True)
    axes = _axes(rng, prose.voice(rng), canvas, (min(xs), max(xs)), (min(ys), max(ys)))
    colour = rng.choice(rng.choice(PALETTES))
    for x, y in cloud:
        canvas.circle(*axes.at(x, y), 2.2, colour, colour)
    if rng.random() < 0.4:
        ends = [axes.at(x, scale_y * (1.5 + slope * x / scale_x)) for x in (min(xs), max(xs))]
        canvas.line(ends, "#000", 1.2, rng.choice(DASHES))


def shares(rng: Random, canvas: Canvas) -> None:
    """A pie with percentages that add up to 100, named beside it."""
    parts = _whole_shares(rng, rng.randrange(3, 7))
    colours, own = rng.choice(PALETTES), prose.voice(rng)
    radius = min(canvas.height / 2 - 6, canvas.width / 4 - 6)
    centre = radius + 6, canvas.height / 2
    angle = -pi / 2
    for part, colour in zip(parts, colours, strict=False):
        steps = max(2, part)
        arc = [angle + 2 * pi * part / 100 * k / steps for k in range(steps + 1)]
        canvas.polygon(
            [centre, *((centre[0] + radius * cos(a), centre[1] + radius * sin(a)) for a in arc)], colour, "#fff"
        )
        angle = arc[-1]
    pitch = min(canvas.size * 1.8, canvas.height / len(parts))
    top, left = canvas.height / 2 - pitch * len(parts) / 2, 2 * radius + 20
    for k, (part, colour) in enumerate(zip(parts, colours, strict=False)):
        y = top + pitch * (k + 0.5)
        canvas.box(left, y - canvas.size * 0.4, canvas.size * 0.8, canvas.size * 0.8, colour)
        share = f" ({part} %)"
        room = canvas.width - left - canvas.size * 1.5 - canvas.text_width(share)
        name = canvas.fit(prose.capitalised(prose.phrase(rng, "things", own)), room)
        canvas.text(left + canvas.size * 1.4, y + canvas.size * 0.35, name + share, "start")


def _whole_shares(rng: Random, count: int) -> list[int]:
    cuts = sorted(rng.sample(range(4, 97), count - 1))
    return [high - low for low, high in zip([0, *cuts], [*cuts, 100], strict=True)]


def _axes(
    rng: Random, own: prose.Voice, canvas: Canvas, x: Range, y: Range, series: int = 1, numbered: bool = True
) -> Axes:
    """Draw the frame, its ticks and titles; ``numbered``: whether x is a scale. A legend has room above the frame."""
    ticks_x, ticks_y = ticks(*x), ticks(*y)
    step_y = ticks_y[1] - ticks_y[0]
    widest = max(canvas.text_width(label(tick, step_y)) for tick in ticks_y)
    left, bottom = canvas.size * 1.5 + widest + 8, canvas.height - canvas.size * (3.2 if numbered else 1.6) - 4
    top, right = canvas.size * (2.0 if series > 1 else 0.8), canvas.width - canvas.size
    low_x, high_x = (ticks_x[0], ticks_x[-1]) if numbered else x
    axes = Axes(left, right, bottom, top, low_x, high_x, ticks_y[0], ticks_y[-1])
    grid, closed = rng.random() < 0.4, rng.random() < 0.5
    title = f"{prose.capitalised(prose.phrase(rng, 'measure', own))} ({prose.phrase(rng, 'measured_in', own)})"
    canvas.text(canvas.size, (top + bottom) / 2, canvas.fit(title, bottom - top), upright=False)
    for tick in ticks_y:
        _, height = axes.at(low_x, tick)
        if grid:
            canvas.line(((left, height), (right, height)), "#ccc", 0.5)
        canvas.line(((left - 3, height), (left, height)))
        canvas.text(left - 5, height + canvas.size * 0.35, label(tick, step_y), "end")
    if numbered:
        _number_x(rng, own, canvas, axes, ticks_x)
    canvas.line(((left, top), (left, bottom), (right, bottom), *(((right, top), (left, top)) if closed else ())))
    return axes


def _number_x(rng: Random, own: prose.Voice, canvas: Canvas, axes: Axes, values: Sequence[float]) -> None:
    step = values[1] - values[0]
    years = step >= 1 and values[0] > 1900
    texts = [str(round(value)) if years else label(value, step) for value in values]
    room = (axes.right - axes.left) / (len(values) - 1)
    every = ceil(max(map(canvas.text_width, texts)) * 1.15 / room)
    for k, (value, text) in enumerate(zip(values, texts, strict=True)):
        x, _ = axes.at(value, axes.low_y)
        canvas.line(((x, axes.bottom), (x, axes.bottom + 3)))
        if k % every == 0:
            canvas.text(x, axes.bottom + canvas.size * 1.3 + 4, text)  # clear of the lowest number of y
    title = rng.choice(("Year", "Time")) if years else prose.capitalised(prose.phrase(rng, "measure", own))
    canvas.text((axes.left + axes.right) / 2, canvas.height - 3, canvas.fit(title, axes.right - axes.left))


def _legend(rng: Random, own: prose.Voice, canvas: Canvas, axes: Axes, colours: Sequence[str]) -> None:
    """Name the series above the frame, each in its share of the width."""
    if len(colours) < 2:
        return
    room = (axes.right - axes.left) / len(colours)
    for k, colour in enumerate(colours):
        x, y = axes.left + k * room, canvas.size * 0.5
        canvas.box(x, y, canvas.size * 0.8, canvas.size * 0.8, colour)
        name = canvas.fit(prose.capitalised(prose.phrase(rng, "things", own)), room - canvas.size * 1.6)
        canvas.text(x + canvas.size * 1.2, y + canvas.size * 0.75, name, "start")
