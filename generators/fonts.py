"""The font families the press may set: what each covers, where its files lie, and under which licence.

The catalogue is what ``templates.assets`` finds installed, so it is the same wherever the same packages are. A family
is cut into files by script; a character counts as covered only if a file's declared range offers it *and* that file
has a glyph for it, in every face, so that bold or italic text never turns to tofu. A Chinese family has hundreds of
files, so a file is opened when the first character of its range is asked for.

    >>> [family.name for family in catalogue() if family.covers("Ωmega ﷽")]
    []
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path

from fontTools.ttLib import TTFont

from proofpress.templates.assets import font_packages, package_version

KINDS = {"serif": "serif", "sans-serif": "sans", "monospace": "mono"}
WEIGHTS = (400, 700)

#: The subset by which a family made for one script is known; the first that fits counts.
HOMES = {
    "japanese": "japanese",
    "korean": "korean",
    "chinese-simplified": "chinese",
    "arabic": "arabic",
    "hebrew": "hebrew",
    "devanagari": "devanagari",
}
GENERAL = "cyrillic"  # a family with this subset that is not East Asian is made for more than one script
MATH = "-math"  # how the packages of OpenType math fonts end


@dataclass(frozen=True, slots=True)
class FontFile:
    """One woff2 file: some scripts of one face. ``ranges`` is its CSS ``unicode-range``; ``style`` normal or italic."""

    path: Path
    weight: int
    style: str
    ranges: str

    def offers(self, point: int) -> bool:
        """Whether a browser looks for a code point in this file."""
        return not self.ranges or point in _code_points(self.ranges)

    def characters(self) -> frozenset[int]:
        """The code points that a browser takes from this file: offered by its range and drawn by its glyphs."""
        return _characters(self)


@dataclass(frozen=True)
class FontFamily:
    """A family at regular and bold, upright and italic where it has them. ``kind`` is serif, sans, mono or math.

    home: the script it is made for, e.g. ``japanese``, or empty for one that serves several.
    """

    name: str
    kind: str
    files: tuple[FontFile, ...]
    licence: str
    version: str
    home: str = ""

    def covers(self, text: str) -> bool:
        """Whether every face of the family has a glyph for every character of ``text``; line breaks need none."""
        return not self.missing(text)

    def missing(self, text: str) -> str:
        """The characters of ``text`` that some face of the family has no glyph for, sorted."""
        asked = set(text) - self._drawn
        lacking = {character for character in asked if not self._has(ord(character))}
        self._drawn.update(asked - lacking)
        return "".join(sorted(lacking))

    def _has(self, point: int) -> bool:
        return all(any(file.offers(point) and point in file.characters() for file in face) for face in self._faces)

    @cached_property
    def _drawn(self) -> set[str]:
        """Characters known to need no glyph or to have one in every face."""
        return set("\n\r\t")

    @cached_property
    def _faces(self) -> tuple[list[FontFile], ...]:
        """The files of each face."""
        faces: dict[tuple[int, str], list[FontFile]] = {}
        for file in self.files:
            faces.setdefault((file.weight, file.style), []).append(file)
        return tuple(faces.values())

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


def families(script: str, kind: str | None = None) -> tuple[FontFamily, ...]:
    """The families to set a script in: those made for it, or where there are none those that serve several.

    kind: serif, sans or mono; without it all but math. Whether one covers a text is for ``covers`` to say.
    """
    texts = [family for family in catalogue() if family.kind != "math"]
    own = [family for family in texts if family.home == script] or [family for family in texts if not family.home]
    return tuple(family for family in own if kind is None or family.kind == kind)


def find_family(name: str) -> FontFamily:
    """The installed family of this name. ``KeyError`` if there is none."""
    return _by_name()[name]


def face_css(family: FontFamily) -> str:
    """The family's ``@font-face`` rules, with absolute ``file://`` addresses: they load in a ``file://`` page only."""
    return "\n".join(
        f"@font-face{{font-family:'{family.name}';font-style:{file.style};font-weight:{file.weight};"
        f"src:url('{file.path.as_uri()}') format('woff2'){f';unicode-range:{file.ranges}' if file.ranges else ''}}}"
        for file in family.files
    )


def _family(package: Path) -> FontFamily:
    about = json.loads((package / "metadata.json").read_text(encoding="utf-8"))
    ranges = json.loads((package / "unicode.json").read_text(encoding="utf-8"))
    math = about["id"].endswith(MATH)
    files = []
    for weight in WEIGHTS:
        for style in ("normal", "italic"):
            for subset in sorted(ranges):
                path = package / "files" / f"{about['id']}-{subset.strip('[]')}-{weight}-{style}.woff2"
                if path.is_file():
                    # A math font is one whole file, whatever range its package states.
                    files.append(FontFile(path, weight, style, "" if math else ranges[subset]))
    kind = "math" if math else KINDS[about["category"]]
    home = "" if math else _home(about["subsets"])
    licence = about["license"]["type"]
    return FontFamily(about["family"], kind, tuple(files), licence, package_version(package), home)


def _home(subsets: Iterable[str]) -> str:
    for subset, script in HOMES.items():
        if subset in subsets and (script in ("japanese", "korean", "chinese") or GENERAL not in subsets):
            return script
    return ""


@cache
def _by_name() -> dict[str, FontFamily]:
    return {family.name: family for family in catalogue()}


@cache
def _characters(file: FontFile) -> frozenset[int]:
    with TTFont(file.path, lazy=True) as font:
        font.setGlyphOrder(list(range(font["maxp"].numGlyphs)))  # numbers will do: names take most of the time
        drawn = frozenset(font.getBestCmap())
    return drawn & _code_points(file.ranges) if file.ranges else drawn


@cache
def _code_points(ranges: str) -> frozenset[int]:
    """The code points of a CSS ``unicode-range`` list such as ``U+0000-00FF,U+0131``."""
    points: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.strip().removeprefix("U+").partition("-")
        points.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(points)
