"""When a run ends, how fast it learns at each step, and what it reads: budget, learning rate and curriculum.

A network that starts from nothing cannot align a paragraph: it first learns single words, then lines, and meets the
next level when the smoothed loss of the newest rows has fallen below the level's threshold.

    factor = learning_rate_factor(step, progress=0.9, warmup_steps=100, decay=0.25)   # 0.4
    curriculum.observe({"word": nats_per_character}, step)
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proofpress.model.train.recipe import Level

SMOOTHING = 0.97
# Steps a level keeps at least: below this the smoothed loss of its new rows is still that of its first batches.
PATIENCE = 100


def learning_rate_factor(
    step: int, progress: float, warmup_steps: int, decay: float, shape: Literal["linear", "cosine"] = "linear"
) -> float:
    """What the peak learning rate is multiplied by: linear warm-up, constant, then down to 0 over the last share.

    step: from 0. progress: 0..1, the share of the budget that is used up. decay: share of the budget that decays; 1
    with shape ``cosine`` is the usual cosine schedule.
    """
    warm = min(1.0, (step + 1) / warmup_steps) if warmup_steps else 1.0
    left = min(1.0, max(0.0, 1 - progress) / decay) if decay else 1.0
    return warm * (left if shape == "linear" else (1 - math.cos(math.pi * left)) / 2)


@dataclass(slots=True)
class Curriculum:
    """Which kinds of rows are read now, and the smoothed loss of each kind in nats per character.

    Mutable on purpose: it is a part of the training state, saved and restored with it.
    """

    levels: list[Level]
    level: int = 0
    opened_at: int = 0
    losses: dict[str, float] = field(default_factory=dict)

    @property
    def mix(self) -> dict[str, float]:
        """Kind -> share (any positive scale) of the steps at this level."""
        return self.levels[self.level].mix

    def observe(self, losses: Mapping[str, float], step: int) -> bool:
        """Note the loss of each kind in one step; True when that opened the next level."""
        for kind, loss in losses.items():
            self.losses[kind] = SMOOTHING * self.losses.get(kind, loss) + (1 - SMOOTHING) * loss
        current = self.levels[self.level]
        if current.below is None or self.level + 1 == len(self.levels) or step - self.opened_at < PATIENCE:
            return False
        older = self.levels[self.level - 1].mix if self.level else {}
        newest = [kind for kind in current.mix if kind not in older] or list(current.mix)
        if any(self.losses.get(kind, float("inf")) >= current.below for kind in newest):
            return False
        self.level, self.opened_at = self.level + 1, step
        return True

    def state(self) -> dict[str, Any]:
        """What ``restore`` needs, as JSON values."""
        return {"level": self.level, "opened_at": self.opened_at, "losses": dict(self.losses)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved ``state``."""
        self.level, self.opened_at, self.losses = state["level"], state["opened_at"], dict(state["losses"])
