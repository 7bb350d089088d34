"""An SVG drawing under way: shapes and lettering, with text escaped and kept within the frame.

>>> canvas = Canvas(200, 120, "sans-serif", 11)
>>> canvas.text(100, 60, "R & D")
>>> canvas.svg().count("R &amp; D")
1
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from unicodedata import east_asian_width

Point = tuple[float, float]
GLYPH_WIDTH = 0.62  # em; wider than the mean glyph of the fonts, so that a text is rather short than cut


@dataclass(slots=True)
class Canvas:
    """width, height, size (of the lettering): CSS pixels. font: a generic family. texts: what was lettered so far.

    translate: gives words of another language, which stand in for all that ``fit`` is asked to letter.
    """

    width: int
    height: int
    font: str
    size: int
    translate: Callable[[], str] | None = None
    texts: list[str] = field(default_factory=list)
    _shapes: list[str] = field(default_factory=list)

    def text_width(self, text: str) -> float:
        """What a text takes at most, in pixels."""
        ems = sum(1.05 if east_asian_width(character) in "WF" else GLYPH_WIDTH for character in text)
        return ems * self.size

    def fit(self, text: str, room: float) -> str:
        """The leading words of a text that fit into ``room`` pixels, or its first letters and an abbreviation point."""
        if self.translate and any(character.isalpha() for character in text):
            text = self.translate()
        words = text.split(" ")
        while len(words) > 1 and self.text_width(" ".join(words)) > room:
            words.pop()
        fitting = " ".join(words).rstrip(" ,&")
        if self.text_width(fitting) <= room or len(fitting) == 1:
            return fitting
        while len(fitting) > 1 and self.text_width(fitting) > room - self.size * GLYPH_WIDTH:
            fitting = fitting[:-1]
        return fitting + "."

    def text(self, x: float, y: float, text: str, anchor: str = "middle", upright: bool = True) -> None:
        """Letter ``text`` with its baseline at ``y``, or reading upwards; it is moved as far as it must to be whole."""
        if not text:
            return
        half = self.text_width(text) / 2
        if upright:
            before = {"start": 0.0, "middle": half, "end": 2 * half}[anchor]
            x = min(max(x, before + 1), self.width - 2 * half + before - 1)
            turn = ""
        else:
            y = min(max(y, half + 1), self.height - half - 1)
            turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"'
        self.texts.append(text)
        self._shapes.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{escape(text)}</text>')

    def line(self, points: Sequence[Point], colour: str = "#000", width: float = 1.0, dashes: str = "") -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self._shapes.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>')

    def polygon(self, points: Sequence[Point], fill: str, stroke: str = "#000") -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._shapes.append(f'<polygon points="{path}" fill="{fill}" stroke="{stroke}"/>')

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = "#000", round: float = 0
    ) -> None:
        size = f'width="{width:.1f}" height="{height:.1f}" rx="{round:.1f}"'
        self._shapes.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{fill}" stroke="{stroke}"/>')

    def circle(self, x: float, y: float, radius: float, fill: str, stroke: str = "#000") -> None:
        self._shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{fill}" stroke="{stroke}"/>')

    def arrow(self, start: Point, end: Point, size: float = 5.0) -> None:
        """A straight arrow from ``start`` to ``end``."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = max((dx * dx + dy * dy) ** 0.5, 1e-6)
        ux, uy = dx / length, dy / length
        back = end[0] - ux * size, end[1] - uy * size
        self.line((start, back))
        wings = [(back[0] - uy * size / 2, back[1] + ux * size / 2), (back[0] + uy * size / 2, back[1] - ux * size / 2)]
        self.polygon((end, *wings), "#000")

    def svg(self) -> str:
        """The drawing as one ``<svg>`` element."""
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}"'
        head += f' viewBox="0 0 {self.width} {self.height}" font-family="{self.font}" font-size="{self.size}">'
        return head + "".join(self._shapes) + "</svg>"
