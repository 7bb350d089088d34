"""What a page can be: the axes of the lattice, their values, and which of them go together.

A kind of page says which values each axis may take on it (``Kind.traits``); an axis it does not name is free where it
is in ``FREE``, and else off. ``RULES`` says what holds beside that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proofpress.generators.content.languages import LANGUAGES
from proofpress.generators.wear.profiles import CLEAN, PROFILES

if TYPE_CHECKING:
    from proofpress.generators.kinds.page import Page

SCRIPTS = tuple(dict.fromkeys(script for script, _ in LANGUAGES.values()))
ABSENT = "absent"
YES_NO = ("no", "yes")
FORMULAS = (
    *("inline", "line", "aligned", "cases", "matrix", "integral", "fractions", "accents", "text", "long"),
    "chemistry",
)
MATH_FONTS = {"katex": "", "stix": "STIX Two Math", "noto": "Noto Sans Math"}

#: Every axis but kind, with its values; the first is what it is where a page does not have it.
AXES: dict[str, tuple[str, ...]] = {
    "script": SCRIPTS,
    "language": tuple(LANGUAGES),
    "columns": ("1", "2", "3", "4"),
    "density": ("normal", "loose", "tight"),
    "face": ("serif", "sans", "mono"),
    "size": ("medium", "small", "large"),
    "table.heads": (ABSENT, "0", "1", "2", "3"),
    "table.size": (ABSENT, "small", "medium", "large"),
    "table.spans": (ABSENT, "none", "row", "column", "both"),
    "table.style": (ABSENT, "grid", "rules", "striped", "borderless"),
    "table.cells": (ABSENT, "words", "formulas", "lists"),
    "table.empty": (ABSENT, *YES_NO),
    "table.turned": (ABSENT, *YES_NO),
    "table.numbers": (ABSENT, "plain", "grouped", "signed", "brackets", "percent", "money", "spread"),
    "table.continued": (ABSENT, *YES_NO),
    "formula": (ABSENT, *FORMULAS),
    "formula.number": (ABSENT, *YES_NO),
    "formula.font": (ABSENT, *MATH_FONTS),
    "list": ("none", "bullets", "numbers", "nested"),
    "notes": YES_NO,
    "figure": YES_NO,
    "sidebar": YES_NO,
    "quote": YES_NO,
    "head": YES_NO,
    "number": YES_NO,
    "margin": YES_NO,
    "code": YES_NO,
    "box": YES_NO,
    "wear": (CLEAN, *PROFILES),
}
#: Axes that any kind takes any value of, unless it says otherwise.
FREE = ("script", "language", "density", "face", "size", "head", "number", "wear")
#: Axes of how a content is set; on the others variants of one content are alike.
SETTING = ("columns", "density", "face", "size", "table.style", "formula.font", "wear")
#: Axes that hold only where a piece on the page shows them.
SHOWN = tuple(
    axis
    for axis in AXES
    if axis.startswith(("table.", "formula"))
    or axis in ("list", "notes", "figure", "sidebar", "quote", "head", "number", "margin", "code", "box")
)
OFF = {axis: AXES[axis][0] for axis in SHOWN}

_TABLE_AXES = tuple(axis for axis in AXES if axis.startswith("table."))
_TABLE = {axis: AXES[axis] for axis in _TABLE_AXES}
#: A kind with or without a table, always with one; with or without formulas, always with one.
TABLE = _TABLE
WITH_TABLE = {axis: values[1:] for axis, values in _TABLE.items()}
FORMULA = {axis: AXES[axis] for axis in ("formula", "formula.number", "formula.font")}
WITH_FORMULA = {axis: values[1:] for axis, values in FORMULA.items()}

Values = frozenset[str]
#: ``(axis, values, other axis, its values)``: where the axis has one of the values, the other has one of its values.
RULES: list[tuple[str, Values, str, Values]] = [
    *(("language", frozenset((code,)), "script", frozenset((script,))) for code, (script, _) in LANGUAGES.items()),
    ("face", frozenset(("mono",)), "script", frozenset(("latin", "cyrillic"))),
    *(("table.heads", frozenset((ABSENT,)), axis, frozenset((ABSENT,))) for axis in _TABLE_AXES),
    *(
        (axis, frozenset((ABSENT,)), "table.heads", frozenset((ABSENT,)))
        for axis in _TABLE_AXES
        if axis != "table.heads"
    ),
    ("table.heads", frozenset(("0",)), "table.turned", frozenset(("no",))),
    ("table.heads", frozenset(("2", "3")), "table.spans", frozenset(("column", "both"))),
    ("table.turned", frozenset(("yes",)), "table.size", frozenset(("medium", "large"))),
    ("formula", frozenset((ABSENT,)), "formula.font", frozenset((ABSENT,))),
    ("formula", frozenset((ABSENT, "inline")), "formula.number", frozenset((ABSENT,))),
    ("formula.font", frozenset((ABSENT,)), "formula", frozenset((ABSENT,))),
    ("formula.number", frozenset((ABSENT,)), "formula", frozenset((ABSENT, "inline"))),
    ("columns", frozenset(("3", "4")), "table.size", frozenset((ABSENT, "small"))),
    ("columns", frozenset(("3", "4")), "table.cells", frozenset((ABSENT, "words"))),
    ("columns", frozenset(("3", "4")), "table.numbers", frozenset((ABSENT, "plain", "grouped", "signed", "percent"))),
    ("columns", frozenset(("3", "4")), "table.heads", frozenset((ABSENT, "0", "1", "2"))),
    ("columns", frozenset(("2",)), "table.size", frozenset((ABSENT, "small", "medium"))),
    ("columns", frozenset(("3", "4")), "formula", frozenset((ABSENT, "inline", "line", "fractions", "accents"))),
    ("columns", frozenset(("2",)), "formula", frozenset(AXES["formula"]) - {"long"}),
    ("columns", frozenset(("2", "3", "4")), "margin", frozenset(("no",))),
    ("columns", frozenset(("3", "4")), "sidebar", frozenset(("no",))),
    ("columns", frozenset(("3", "4")), "code", frozenset(("no",))),
    ("columns", frozenset(("3", "4")), "size", frozenset(("small", "medium"))),
    ("margin", frozenset(("yes",)), "sidebar", frozenset(("no",))),
    ("sidebar", frozenset(("yes",)), "table.size", frozenset((ABSENT, "small", "medium"))),
    ("size", frozenset(("large",)), "table.size", frozenset((ABSENT, "small", "medium"))),
]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page. build: writes its pieces. traits: axis -> the values it may take on this kind.

    papers: names in ``style.PAPERS`` it is printed on.
    """

    build: Callable[["Page"], None]
    traits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    papers: tuple[str, ...] = ("a4", "letter")

    def allows(self, axis: str) -> tuple[str, ...]:
        """The values of an axis this kind may take."""
        if axis in self.traits:
            return self.traits[axis]
        return AXES[axis] if axis in FREE else AXES[axis][:1]
