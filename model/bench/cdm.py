r"""Character Detection Matching: how much of a formula's picture was read right (UniMERNet, arXiv 2409.03643).

Tokens with their boxes are paired by the best assignment over what they are (1), where they are (0.05) and in which
order (0.15); pairs that do not lie as one shift and one scale put them are struck out, pairs of different tokens too,
and the value is the F1 of what is left. Upstream paints LaTeX's tokens in colours with pdflatex; here a token is a
glyph that KaTeX lays out in Chromium (``Typesetter``), so nothing needs a TeX system, a formula in CJK has boxes like
any other, and a colour in a formula is no error. A stretched sign that is drawn is known by its kind alone.

    >>> a, b = (tuple(Glyph(c, 20.0 * i, 0, 10, 20) for i, c in enumerate(text)) for text in ("y=2x", "y=2z"))
    >>> cdm(b, a).value
    0.75
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from proofpress.model.rewards.scoring import f1
from proofpress.model.rewards.unit_tests.glyphs import Glyph, Typeset

TOKEN, POSITION, ORDER = 1.0, 0.05, 0.15
SAME_LOOK = 0.005  # the token cost of two signs that look alike
MAX_TOKENS = 2_000  # of a formula; a longer one has no value

RESIDUAL = 30.0  # pixels a pair may lie off
ROUNDS, TRIALS, SAMPLES, SEED = 5, 500, 2, 2026
#: Pixels per em of upstream's picture (TeX's 12 pt at 200 dpi) over those of a ``Typeset`` (1.21 times 24 px).
SCALE = (12 / 72.27 * 200) / (1.21 * 24)
MARGIN = 8.0  # pixels of white around upstream's picture

_ALIKE = {
    "⋅": ".", "˙": ".", "·": ".", "∣": "|", "→": "⟶", "⊤": "T", "′": "'", "∗": "*", "∥": "‖",
    "ϕ": "φ", "ϑ": "θ", "ϵ": "ε", "ϱ": "ρ", "ς": "σ", "ϖ": "π", "∖": "\\", "˜": "~", "∼": "~",
    "ˉ": "‾", "ˆ": "^", "ϰ": "κ",
}  # fmt: skip
STROKE = "\ue020"
_CHARACTER, _DOTS = re.compile(r"[^\s\u200b]"), re.compile("[…⋯]")  # dots are three tokens, as upstream has it
_DRAWN_ALIKE = {"\\hat": "^", "\\tilde": "~"}


@dataclass(frozen=True, slots=True)
class Cdm:
    """value: F1. matched: pairs of tokens; predicted, gold: tokens on each side."""

    value: float
    matched: int
    predicted: int
    gold: int


def cdm(prediction: Typeset | None, gold: Typeset | None) -> Cdm | None:
    """CDM of two layouts; 0 for a prediction that KaTeX does not take; None where the gold is none or too long."""
    expected = tokens(gold or ())
    if not expected or len(expected) > MAX_TOKENS:
        return None
    found = tokens(prediction or ())
    if not found or len(found) > MAX_TOKENS:
        return Cdm(0.0, 0, len(found), len(expected))
    cost, token_cost = _costs(expected, found)
    rows, columns = linear_sum_assignment(cost)
    centres = (np.array([_centre(side[i]) for i in order]) for side, order in ((expected, rows), (found, columns)))
    matched = int((_in_place(*centres) & (token_cost[rows, columns] < 1)).sum())
    return Cdm(f1(matched, len(found), len(expected)), matched, len(found), len(expected))


def tokens(layout: Typeset) -> list[Glyph]:
    """What is seen of a layout, one token a character, in upstream's pixels."""
    return list(_split(layout))


def look(token: str) -> str:
    """The one of the tokens that look like this one that stands for them all."""
    if token in _DRAWN_ALIKE:
        return _DRAWN_ALIKE[token]
    return "".join(_ALIKE.get(character, character) for character in token)


def _split(layout: Typeset) -> Iterator[Glyph]:
    struck = ""  # KaTeX's stroke through a relation, before it; the two are one token
    for glyph in layout:
        if glyph.text == STROKE:
            struck = STROKE
            continue
        pieces = [glyph.text] if glyph.drawn else _CHARACTER.findall(_DOTS.sub("...", glyph.text))
        if not pieces or (glyph.width <= 0 and glyph.height <= 0):
            continue
        width = glyph.width * SCALE / len(pieces)
        for place, piece in enumerate(pieces):
            x = glyph.x * SCALE + width * place
            yield Glyph(struck + piece, x, glyph.y * SCALE, width, glyph.height * SCALE, glyph.drawn)
            struck = ""


def _costs(gold: Sequence[Glyph], found: Sequence[Glyph]) -> tuple[np.ndarray, np.ndarray]:
    """(gold, found) the cost of each pair, and what of it is the token's."""
    same = np.array([[one.text == other.text for other in found] for one in gold])
    alike = np.array([[look(one.text) == look(other.text) for other in found] for one in gold])
    token = np.where(same, 0.0, np.where(alike, SAME_LOOK, 1.0))
    position = cdist(_boxes(gold), _boxes(found), "cityblock") / 4
    longer = max(len(gold), len(found))
    order = np.abs(np.arange(len(gold))[:, None] - np.arange(len(found))[None, :]) / longer
    return TOKEN * token + POSITION * position + ORDER * order, token


def _boxes(glyphs: Sequence[Glyph]) -> np.ndarray:
    """(tokens, 4) left, top, right and bottom as shares of the formula's picture."""
    boxes = np.array([(g.x, g.y, g.x + g.width, g.y + g.height) for g in glyphs])
    low, high = boxes[:, :2].min(0), boxes[:, 2:].max(0)
    return (boxes - np.tile(low - MARGIN, 2)) / np.tile(high - low + 2 * MARGIN, 2)


def _centre(glyph: Glyph) -> tuple[float, float]:
    return glyph.x + glyph.width / 2, glyph.y + glyph.height / 2


def _in_place(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """(pairs,) which pairs a shift and a scale put within ``RESIDUAL``, tried ``ROUNDS`` times on those left over."""
    if len(source) <= SAMPLES:
        return np.ones(len(source), dtype=bool)
    inside = np.zeros(len(source), dtype=bool)
    for _ in range(ROUNDS):
        left = np.flatnonzero(~inside)
        if len(left) <= SAMPLES:
            break
        found = _consensus(source[left], target[left])
        if not found.any():
            break
        inside[left[found]] = True
    return inside


def _consensus(source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The largest set of pairs that one transform of two of them explains; of equal sets the one it fits best."""
    middle = source.mean(0)
    best, best_count, best_residual = np.zeros(len(source), dtype=bool), 0, np.inf
    random = np.random.default_rng(SEED)
    tried: set[tuple[int, ...]] = set()
    for _ in range(TRIALS):
        chosen = random.choice(len(source), size=SAMPLES, replace=False)
        if (pair := tuple(sorted(map(int, chosen)))) in tried:
            continue
        tried.add(pair)
        from_, to = source[chosen].mean(0), target[chosen].mean(0)
        spread = np.linalg.norm(source[chosen] - from_, axis=1).mean()
        scale = np.linalg.norm(target[chosen] - to, axis=1).mean() / (spread + 1e-10)
        residuals = np.linalg.norm(scale * (source - middle) + middle + (to - from_) - target, axis=1)
        inside = residuals < RESIDUAL
        count, residual = int(inside.sum()), float(residuals[inside].sum())
        if count > best_count or (count == best_count and residual < best_residual):
            best, best_count, best_residual = inside, count, residual
    return best
