"""Diagrams: flow charts, trees and lettered geometry, each drawn onto a canvas.

>>> flow(random.Random(1), Canvas(400, 300, "serif", 11))
"""

from math import cos, pi, sin
from random import Random

from proofpress.generators.content import prose
from proofpress.generators.content.figure_canvas import Canvas, Point

FILLS = ("#fff", "#fff", "#eee", "#dbe9f6", "#fdebd0", "#e2f0d9")
DECISIONS = ("yes", "no")
VERTICES = "ABCDEFGH"


def flow(rng: Random, canvas: Canvas) -> None:
    """Boxes with arrows between them, in rows that are read from left to right, the last box with a way back."""
    columns = max(1, min(4, canvas.width // 140))
    rows = max(1, min(3, canvas.height // 70))
    fill, rounding, own = rng.choice(FILLS), rng.choice((0, 0, 4, 10)), prose.voice(rng)
    pitch_x, pitch_y = canvas.width / columns, canvas.height / rows
    width, height = pitch_x * 0.76, min(pitch_y * 0.6, canvas.size * 3.4)
    centres = [(pitch_x * (c + 0.5), pitch_y * (r + 0.5)) for r in range(rows) for c in range(columns)]
    centres = centres[: max(2, len(centres) - rng.randrange(2))]
    for k, (x, y) in enumerate(centres):
        canvas.box(x - width / 2, y - height / 2, width, height, fill, round=rounding)
        step = prose.capitalised(prose.phrase(rng, rng.choice(("act", "mass", "thing")), own))
        canvas.text(x, y + canvas.size * 0.35, canvas.fit(step, width * 0.94))
        if k and centres[k - 1][1] == y:
            canvas.arrow((centres[k - 1][0] + width / 2, y), (x - width / 2, y))
        elif k:
            _turn(canvas, (centres[k - 1][0], centres[k - 1][1] + height / 2), (x, y - height / 2))
    if rows > 1 and rng.random() < 0.5:
        x, y = centres[columns]
        canvas.text(x + 4, y - height / 2 - 4, rng.choice(DECISIONS), "start")


def _turn(canvas: Canvas, start: Point, end: Point) -> None:
    """An arrow down, across and down."""
    middle = (start[1] + end[1]) / 2
    canvas.line((start, (start[0], middle), (end[0], middle)))
    canvas.arrow((end[0], middle), end)


def tree(rng: Random, canvas: Canvas) -> None:
    """A root, its branches and some of their leaves, as in an organisation chart."""
    own, fill = prose.voice(rng), rng.choice(FILLS)
    branches = max(2, min(4, canvas.width // 110))
    levels = (canvas.height * 0.16, canvas.height * 0.5, canvas.height * 0.84)
    height, pitch = canvas.size * 1.9, canvas.width / branches
    root = canvas.width / 2, levels[0]

    def node(centre: Point, width: float) -> None:
        canvas.box(centre[0] - width / 2, centre[1] - height / 2, width, height, fill)
        name = prose.capitalised(prose.phrase(rng, rng.choice(("agent", "thing", "town")), own))
        canvas.text(centre[0], centre[1] + canvas.size * 0.35, canvas.fit(name, width * 0.94))

    for branch in range(branches):
        centre = pitch * (branch + 0.5), levels[1]
        _elbow(canvas, root, centre, height)
        leaves = rng.randrange(0, 3) if pitch > 100 else rng.randrange(0, 2)
        for leaf in range(leaves):
            spot = centre[0] + pitch * ((leaf + 0.5) / leaves - 0.5), levels[2]
            _elbow(canvas, centre, spot, height)
            node(spot, pitch / leaves * 0.86)
        node(centre, pitch * 0.8)
    node(root, min(canvas.width * 0.5, pitch * 1.2))


def _elbow(canvas: Canvas, above: Point, below: Point, height: float) -> None:
    start, end = above[1] + height / 2, below[1] - height / 2
    canvas.line(((above[0], start), (above[0], (start + end) / 2), (below[0], (start + end) / 2), (below[0], end)))


def geometry(rng: Random, canvas: Canvas) -> None:
    """A lettered polygon with a length and an angle, now and then in its circle or with its diagonals."""
    corners = rng.choice((3, 3, 4, 5, 6))
    radius = min(canvas.width, canvas.height) / 2 - canvas.size * 2.2
    centre = canvas.width / 2, canvas.height / 2
    on_circle, shift = rng.random() < 0.5, rng.uniform(0, 2 * pi)
    reach = [1.0 if on_circle else rng.uniform(0.65, 1.0) for _ in range(corners)]
    angles = [shift + 2 * pi * (k + rng.uniform(-0.25, 0.25)) / corners for k in range(corners)]
    points = [
        (centre[0] + radius * r * cos(a), centre[1] + radius * r * sin(a)) for r, a in zip(reach, angles, strict=True)
    ]
    if on_circle:
        canvas.circle(*centre, radius, "none", "#888")
    canvas.polygon(points, rng.choice(("none", "#f2f2f2", "#e8f0fa")))
    if corners > 3 and rng.random() < 0.5:
        for k in range(2, corners - 1):
            canvas.line((points[0], points[k]), "#555", 0.8, "4 3")
    for k, angle in enumerate(angles):
        away = radius * reach[k] + canvas.size * 0.9
        canvas.text(centre[0] + away * cos(angle), centre[1] + away * sin(angle) + canvas.size * 0.35, VERTICES[k])
    (x0, y0), (x1, y1) = points[:2]
    measured = rng.choice(
        (f"{rng.randrange(2, 40)} cm", f"{rng.uniform(1, 9):.1f} m", f"{rng.randrange(15, 150)}°", "a")
    )
    canvas.text((x0 + x1 + centre[0]) / 3, (y0 + y1 + centre[1]) / 3, measured)
