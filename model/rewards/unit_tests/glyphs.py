"""How a formula lies on the page, glyph by glyph, and upstream's comparison of two such layouts.

A model cannot open a browser (the layers forbid it), so whoever needs geometry is given a ``Typesetter``;
``flows.typesetting`` makes one with Chromium.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

TOLERANCE = 5.0  # CSS px by which centres may differ and still be in one row or column
MAX_STEPS = 100_000  # of the search; a formula that needs more has no verdict


@dataclass(frozen=True, slots=True)
class Glyph:
    """One thing painted. text: the characters of one innermost element; what is drawn and not written (a fraction bar,
    a radical) has a command for a name, ``\\frac``, and is ``drawn``. x, y: its top left corner; CSS px at 24 px."""

    text: str
    x: float
    y: float
    width: float
    height: float
    drawn: bool = False


Typeset = tuple[Glyph, ...]


class Typesetter(Protocol):
    """Lays out formulas in display mode with KaTeX, at a font size of 24 px; None for one that it does not take.

    olmOCR measures without KaTeX's fonts (its page has no address, so none of them loads), in whatever font the machine
    has instead; CDM measures with them.
    """

    def __call__(self, latex: Sequence[str]) -> Sequence[Typeset | None]: ...


class SearchTooLong(RuntimeError):
    """The comparison gave up: too many ways to pair the glyphs."""


def contains(found: Typeset, wanted: Typeset) -> bool:
    """Whether each character of one layout has one of its own in the other, with the same neighbours on all sides.

    As olmOCR's ``compare_rendered_equations``: what else is in ``found`` costs nothing, and where no neighbour stands
    within ``TOLERANCE`` nothing is asked, so scripts, radicals and bars go unseen. Raises ``SearchTooLong``.
    """
    targets, pool = _characters(wanted), _characters(found)
    candidates = [[j for j, other in enumerate(pool) if other.text == one.text] for one in targets]
    if not all(candidates):
        return False
    around, around_found = _neighbours(targets), _neighbours(pool)
    chosen: list[int] = []
    tried = [0] * len(targets)  # how many candidates of each target were tried on this path
    for _ in range(MAX_STEPS):
        target = len(chosen)
        if target == len(targets):
            return True
        while tried[target] < len(candidates[target]):
            candidate = candidates[target][tried[target]]
            tried[target] += 1
            if candidate not in chosen and _fits(target, candidate, chosen, targets, pool, around, around_found):
                chosen.append(candidate)
                break
        else:
            tried[target] = 0
            if not chosen:
                return False
            chosen.pop()
    raise SearchTooLong(f"no end of the search after {MAX_STEPS} steps")


def _fits(
    target: int,
    candidate: int,
    chosen: Sequence[int],
    targets: Sequence[Glyph],
    pool: Sequence[Glyph],
    around: Sequence[Sequence[int | None]],
    around_found: Sequence[Sequence[int | None]],
) -> bool:
    for neighbour, other in zip(around[target], around_found[candidate], strict=True):
        if neighbour is None:
            continue
        if other is None:
            return False
        if neighbour < len(chosen):
            if chosen[neighbour] != other:
                return False
        elif pool[other].text != targets[neighbour].text:
            return False
    return True


def _characters(glyphs: Typeset) -> list[Glyph]:
    """One glyph a character, its element's width divided evenly; spaces of any width and drawn marks left out."""
    return [
        Glyph(character, glyph.x + width * place, glyph.y, width, glyph.height)
        for glyph in glyphs
        if not glyph.drawn
        for width in (glyph.width / len(glyph.text),)
        for place, character in enumerate(glyph.text)
        if not character.isspace() and character != "\u200b"
    ]


def _neighbours(glyphs: Sequence[Glyph]) -> list[tuple[int | None, ...]]:
    """Of each glyph, the nearest above, below, left and right whose centre is within tolerance on the other axis."""
    centres = [(glyph.x + glyph.width / 2, glyph.y + glyph.height / 2) for glyph in glyphs]
    found = []
    for x, y in centres:
        best: list[tuple[float, int] | None] = [None] * 4
        for j, (other_x, other_y) in enumerate(centres):
            distances = (
                y - other_y if abs(other_x - x) <= TOLERANCE else 0.0,
                other_y - y if abs(other_x - x) <= TOLERANCE else 0.0,
                x - other_x if abs(other_y - y) <= TOLERANCE else 0.0,
                other_x - x if abs(other_y - y) <= TOLERANCE else 0.0,
            )
            for side, distance in enumerate(distances):
                if distance > 0 and ((nearest := best[side]) is None or distance < nearest[0]):
                    best[side] = (distance, j)
        found.append(tuple(one[1] if one else None for one in best))
    return found
