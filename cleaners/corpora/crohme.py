"""CROHME: formulas written by hand, as strokes in InkML (``trace``) with their truth in LaTeX.

A picture is drawn from the strokes: black, of one width, on white, so that the drawing is 1,000 pixels wide or 300
high at most. Truth is the ``annotation`` of type ``truth`` of the whole ink. It comes with ``$`` or without, and with
the letters of function names parted, which the label joins. Files of the tests without truth are rejects.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from PIL import Image, ImageDraw

from proofpress.cleaners.corpus import Corpus, RawRow, Ref, RowError, none_here, parse_ref
from proofpress.cleaners.files import open_files
from proofpress.cleaners.xml import Node, children, parse_xml
from proofpress.pages.record import Check

_FILES = "**/*.inkml"
_WIDEST, _HIGHEST = 1_000, 300
_MARGIN, _LINE = 16, 3
_OVERSAMPLED = 2
MAX_POINTS = 200_000

_NAMES = ("arcsin", "arccos", "arctan", "sin", "cos", "tan", "cot", "log", "exp", "lim", "max", "min", "ln")
_PARTED = re.compile("|".join(rf"(?<![A-Za-z\\]){' '.join(name)}(?![A-Za-z])" for name in _NAMES))

Stroke = list[tuple[float, float]]


class Crohme(Corpus):
    """The adapter."""

    name = "crohme"
    about = "formulas written by hand, strokes drawn (CROHME InkML)"
    licence = "LicenseRef-research-only"
    terms = "for research; ink copyright of those each file names (ISICAL, KAIST, LUNAM/IRCCyN ...)"
    revision = "DPRL/CROHME_2014 49d84c4eadfef4d236a35efa2e7e6a7758b90e4e"
    url = "https://www.isical.ac.in/~crohme/"
    coordinates = "strokes in units of the tablet, origin top left; no boxes"

    def items(self, path: Path) -> Iterator[str]:
        """One a file; what lies in a folder with ``test`` or ``val`` in its name is of that split."""
        files = open_files(Path(path))
        if not (names := files.names(_FILES)):
            raise none_here(files.root, "CROHME", _FILES)
        for name in names:
            folders = PurePosixPath(name).parent.as_posix().lower()
            split = "test" if re.search("test(?!s)", folders) else "validation" if "val" in folders else "train"
            yield str(Ref(split, name, name))

    def load(self, path: Path, ref: str) -> RawRow:
        """The formula behind a reference, with its strokes drawn. Raises ``RowError``."""
        data = open_files(Path(path)).read(parse_ref(ref).place)
        original = {"inkml": data.decode("utf-8", "replace")}
        root = parse_xml(data, original)
        truth = [node.text or "" for node in children(root, "annotation") if node.get("type") == "truth"]
        if not truth or not truth[0].strip():
            raise RowError("row.unlabelled", "no annotation of type truth", original)
        label = _PARTED.sub(lambda name: "\\" + name.group().replace(" ", "") + " ", truth[0].strip())
        joined = Check("crohme.names", "fixed", "formula.parted_name", truth[0])
        return RawRow(
            source=self.source(path, ref),
            image=draw(_strokes(root, original)),
            text=label,
            task="formula",
            original=original,
            split=self.split(ref),
            findings=(joined,) if label != truth[0].strip() else (),
        )


def draw(strokes: list[Stroke]) -> Image.Image:
    """Strokes as a picture."""
    xs, ys = [x for stroke in strokes for x, _ in stroke], [y for stroke in strokes for _, y in stroke]
    left, top = min(xs), min(ys)
    scale = min(_WIDEST / max(max(xs) - left, 1e-6), _HIGHEST / max(max(ys) - top, 1e-6))
    size = [round(scale * (max(side) - min(side))) + 2 * _MARGIN for side in (xs, ys)]
    picture = Image.new("L", (size[0] * _OVERSAMPLED, size[1] * _OVERSAMPLED), 255)
    pen = ImageDraw.Draw(picture)
    width = _LINE * _OVERSAMPLED
    for stroke in strokes:
        points = [
            ((scale * (x - left) + _MARGIN) * _OVERSAMPLED, (scale * (y - top) + _MARGIN) * _OVERSAMPLED)
            for x, y in stroke
        ]
        pen.line(points, fill=0, width=width, joint="curve")
        for x, y in (points[0], points[-1]):
            pen.ellipse((x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=0)
    return picture.resize((size[0], size[1]), Image.Resampling.BOX).convert("RGB")


def _strokes(root: Node, original: dict[str, str]) -> list[Stroke]:
    """The traces' points. Raises ``RowError``."""
    strokes, count = [], 0
    for trace in children(root, "trace"):
        stroke: Stroke = []
        for point in (trace.text or "").split(","):
            values = point.split()
            try:
                x, y = float(values[0]), float(values[1])
            except (IndexError, ValueError) as error:
                raise RowError("row.malformed", f"no point of a trace: {point.strip()!r}", original) from error
            if not abs(x) + abs(y) < 1e9:
                raise RowError("row.malformed", f"a point at {x}, {y}", original)
            stroke.append((x, y))
        strokes.append(stroke)
        count += len(stroke)
    if not strokes or count > MAX_POINTS:
        raise RowError("row.malformed", f"{len(strokes)} traces of {count} points", original)
    return strokes
