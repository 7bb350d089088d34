"""The font families the press may set: what each covers, where its files lie, and under which licence.

The catalogue is what ``templates.assets`` finds installed, so it is the same wherever the same packages are. A family
is cut into files by script; a character counts as covered only if a file's declared range offers it *and* that file
has a glyph for it, in every face, so that bold or italic text never turns to tofu.

    >>> [family.name for family in catalogue() if family.covers("Ωmega ﷽")]
    []
"""

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from fontTools.ttLib import TTFont

from proofpress.templates.assets import font_packages, package_version

KINDS = {"serif": "serif", "sans-serif": "sans", "monospace": "mono"}
WEIGHTS = (400, 700)


@dataclass(frozen=True, slots=True)
class FontFile:
    """One woff2 file: some scripts of one face. ``ranges`` is its CSS ``unicode-range``; ``style`` normal or italic."""

    path: Path
    weight: int
    style: str
    ranges: str

    def characters(self) -> frozenset[int]:
        """The code points that a browser takes from this file: offered by its range and drawn by its glyphs."""
        with TTFont(self.path, lazy=True) as font:
            return frozenset(font.getBestCmap()) & _code_points(self.ranges)


@dataclass(frozen=True, slots=True)
class FontFamily:
    """A family at regular and bold, upright and italic where it has them. ``kind`` is serif, sans or mono."""

    name: str
    kind: str
    files: tuple[FontFile, ...]
    licence: str
    version: str

    def covers(self, text: str) -> bool:
        """Whether every face of the family has a glyph for every character of ``text``; line breaks need none."""
        return {ord(character) for character in text if character not in "\n\r\t"} <= _covered(self)

    def sha256(self) -> str:
        """Hex digest over the files' bytes, in order of their names: what a rebuilt page depends on."""
        digest = sha256()
        for file in sorted(self.files, key=lambda file: file.path.name):
            digest.update(file.path.read_bytes())
        return digest.hexdigest()


@cache
def catalogue() -> tuple[FontFamily, ...]:
    """All installed families, sorted by name. Raises ``RequestError`` where none are installed."""
    return tuple(sorted(map(_family, font_packages()), key=lambda family: family.name))


def face_css(family: FontFamily) -> str:
    """The family's ``@font-face`` rules, with absolute ``file://`` addresses: they load in a ``file://`` page only."""
    return "\n".join(
        f"@font-face{{font-family:'{family.name}';font-style:{file.style};font-weight:{file.weight};"
        f"src:url('{file.path.as_uri()}') format('woff2');unicode-range:{file.ranges}}}"
        for file in family.files
    )


def _family(package: Path) -> FontFamily:
    about = json.loads((package / "metadata.json").read_text(encoding="utf-8"))
    ranges = json.loads((package / "unicode.json").read_text(encoding="utf-8"))
    files = []
    for weight in WEIGHTS:
        for style in ("normal", "italic"):
            for subset in sorted(ranges):
                path = package / "files" / f"{about['id']}-{subset}-{weight}-{style}.woff2"
                if path.is_file():
                    files.append(FontFile(path, weight, style, ranges[subset]))
    kind, licence = KINDS[about["category"]], about["license"]["type"]
    return FontFamily(about["family"], kind, tuple(files), licence, package_version(package))


@cache
def _covered(family: FontFamily) -> frozenset[int]:
    faces: dict[tuple[int, str], set[int]] = {}
    for file in family.files:
        faces.setdefault((file.weight, file.style), set()).update(file.characters())
    return frozenset(set.intersection(*faces.values()))


def _code_points(ranges: str) -> frozenset[int]:
    """The code points of a CSS ``unicode-range`` list such as ``U+0000-00FF,U+0131``."""
    points: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.strip().removeprefix("U+").partition("-")
        points.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(points)
