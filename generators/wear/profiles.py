"""What pages go through: named profiles, each the steps it may take and how far each may go.

A profile is drawn into a plan, which says all that is done to one page and can be written down. A plan can be made
milder: every amount goes towards what leaves the page as it is.

    plan = draw_plan("photo", address.stream("wear"), strength=1.0)
    plan.steps               # (("tilt", {"share": 0.031}), ("curl", {"height": 7.2}), ..., ("jpeg", {"quality": 71}))
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from proofpress.generators.wear.marks import MARKS

CLEAN = "clean"
#: What an amount is where nothing is done; 0 for those not named.
NOTHING = {"factor": 1.0, "quality": 95.0}
#: Amounts that only say of which kind a step is, and stay as they are drawn.
FIXED = frozenset(("quarters", "pitch"))


@dataclass(frozen=True, slots=True)
class Chance:
    """A step that is taken with a probability. amounts: name -> ``(low, high)``."""

    step: str
    amounts: Mapping[str, tuple[float, float]]
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Profile:
    """What a page goes through, in order. grey: whether colours are lost. beyond: what may lie round the paper.

    margin: pixels of it that are seen.
    """

    chances: tuple[Chance, ...]
    grey: bool = False
    beyond: tuple[tuple[int, int, int], ...] = ((255, 255, 255),)
    margin: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """All that is done to one page. steps: ``(name, amounts)`` in order. beyond: None for more of the paper's edge."""

    profile: str
    strength: float
    steps: tuple[tuple[str, Mapping[str, float]], ...]
    grey: bool
    beyond: tuple[int, int, int] | None
    margin: int


def _chance(step: str, probability: float = 1.0, **amounts: tuple[float, float]) -> Chance:
    return Chance(step, amounts, probability)


def _paper(probability: float) -> tuple[Chance, ...]:
    """What paper has seen."""
    return (
        _chance("show_through", probability, darkness=(0.04, 0.16)),
        _chance("stains", probability / 3, darkness=(0.06, 0.22)),
        _chance("folds", probability / 3, darkness=(0.08, 0.25)),
    )


PROFILES: dict[str, Profile] = {
    "scan": Profile(
        (
            *_paper(0.35),
            _chance("ink_spread", 0.3, amount=(0.1, 0.5)),
            _chance("skew", degrees=(-1.8, 1.8)),
            _chance("blur", sigma=(0.3, 0.75)),
            _chance("cast", 0.5, amount=(0.01, 0.06)),
            _chance("shade", 0.6, depth=(0.02, 0.1)),
            _chance("noise", level=(1.5, 6)),
            _chance("jpeg", quality=(60, 92)),
        ),
        beyond=((250, 250, 248), (228, 228, 226), (70, 70, 72)),
    ),
    "fax": Profile(
        (
            _chance("skew", degrees=(-1.2, 1.2)),
            _chance("scale", factor=(0.82, 1.0)),
            _chance("ink_spread", 0.4, amount=(0.2, 0.7)),
            _chance("ink_dropout", 0.4, amount=(0.05, 0.3)),
            _chance("blur", sigma=(0.3, 0.6)),
            _chance("threshold", harshness=(0.2, 1.0)),
            _chance("missed_lines", 0.5, count=(1, 12)),
            _chance("specks", 0.7, count=(10, 120)),
        ),
        grey=True,
    ),
    "copy": Profile(
        (
            _chance("skew", degrees=(-2.2, 2.2)),
            _chance("ink_spread", 0.7, amount=(0.3, 1.0)),
            _chance("ink_dropout", 0.5, amount=(0.1, 0.45)),
            _chance("blur", sigma=(0.4, 0.9)),
            _chance("contrast", gain=(0.1, 0.9), lift=(0.0, 0.25)),
            _chance("gutter", 0.5, depth=(0.3, 0.8)),
            _chance("streaks", 0.5, depth=(0.05, 0.3)),
            _chance("specks", count=(30, 250)),
            _chance("noise", level=(3, 10)),
            _chance("jpeg", quality=(55, 88)),
        ),
        grey=True,
        beyond=((255, 255, 255), (40, 40, 40)),
    ),
    "photo": Profile(
        (
            *_paper(0.15),
            _chance("tilt", share=(0.01, 0.05)),
            _chance("curl", 0.7, height=(2, 10)),
            _chance("skew", degrees=(-3, 3)),
            _chance("blur", sigma=(0.3, 0.8)),
            _chance("motion", 0.3, length=(0.5, 2.0)),
            _chance("shade", depth=(0.1, 0.4)),
            _chance("shadow", 0.6, depth=(0.15, 0.5)),
            _chance("cast", amount=(0.02, 0.16)),
            _chance("noise", level=(3, 11)),
            _chance("jpeg", quality=(45, 88)),
        ),
        beyond=((96, 72, 52), (60, 60, 64), (170, 160, 148), (38, 50, 66)),
        margin=14,
    ),
    "aged": Profile(
        (
            _chance("show_through", 0.8, darkness=(0.06, 0.2)),
            _chance("stains", 0.7, darkness=(0.1, 0.35)),
            _chance("folds", 0.7, darkness=(0.1, 0.4)),
            _chance("ink_dropout", 0.6, amount=(0.1, 0.45)),
            _chance("ink_spread", 0.4, amount=(0.1, 0.6)),
            _chance("curl", 0.5, height=(0.5, 4)),
            _chance("skew", degrees=(-2, 2)),
            _chance("cast", amount=(0.08, 0.28)),
            _chance("shade", depth=(0.05, 0.2)),
            _chance("blur", sigma=(0.3, 0.8)),
            _chance("noise", level=(2, 7)),
            _chance("jpeg", quality=(60, 92)),
        ),
        beyond=((240, 236, 226), (50, 46, 42)),
    ),
    "halftone": Profile(
        (
            _chance("halftone", amount=(0.25, 0.7), pitch=(3, 5)),
            _chance("skew", degrees=(-0.8, 0.8)),
            _chance("blur", sigma=(0.4, 0.8)),
            _chance("noise", level=(1, 5)),
            _chance("jpeg", quality=(65, 92)),
        ),
        grey=True,
    ),
    "low": Profile(
        (
            _chance("scale", factor=(0.62, 0.95)),
            _chance("coarse", 0.5, share=(0.05, 0.3)),
            _chance("jpeg", quality=(25, 70)),
        ),
    ),
    "marked": Profile(
        (
            _chance("highlighter", 0.5, darkness=(0.5, 1.0)),
            _chance("underline", 0.4, darkness=(0.5, 1.0)),
            _chance("stamp", 0.7, darkness=(0.45, 0.95)),
            _chance("scribble", 0.6, darkness=(0.6, 1.0)),
            _chance("skew", degrees=(-1.2, 1.2)),
            _chance("blur", sigma=(0.3, 0.6)),
            _chance("noise", level=(1, 5)),
            _chance("jpeg", quality=(65, 92)),
        ),
        beyond=((250, 250, 248), (228, 228, 226)),
    ),
    "turned": Profile(
        (
            _chance("turn", quarters=(1, 3)),
            _chance("skew", 0.6, degrees=(-1, 1)),
            _chance("blur", sigma=(0.2, 0.6)),
            _chance("noise", level=(1, 5)),
            _chance("jpeg", quality=(65, 92)),
        ),
        beyond=((250, 250, 248), (60, 60, 60)),
    ),
}


def draw_plan(profile: str, rng: random.Random, strength: float, paper: bool = True) -> Plan:
    """A plan of the profile. strength: 1 for what is drawn, towards 0 for a page that is left as it is.

    paper: False for a crop, which has no room for what people leave on paper. The same ``rng`` draws the same steps
    whatever the strength.
    """
    of = PROFILES[profile]
    steps: list[tuple[str, Mapping[str, float]]] = []
    for chance in of.chances:
        taken = rng.random() < chance.probability
        drawn = {name: rng.uniform(*bounds) for name, bounds in chance.amounts.items()}
        if taken and (paper or chance.step not in MARKS):
            steps.append((chance.step, {name: _milder(name, value, strength) for name, value in drawn.items()}))
    beyond = rng.choice(of.beyond) if paper else None
    return Plan(profile, strength, tuple(steps), of.grey, beyond, of.margin if paper else 0)


def _milder(name: str, value: float, strength: float) -> float:
    nothing = NOTHING.get(name, 0.0)
    return round(value if name in FIXED else nothing + (value - nothing) * strength, 4)
