"""Train the model on datasets: a recipe with settings over it, handed to the trainer.

summary = train_sft(Path("recipes/train/nano.yaml"), [Path("out/demo")], Path("out/run"), sets=["steps=50"])
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from proofpress.flows.settings import check, parse_sets, read_yaml
from proofpress.model.train import sft
from proofpress.model.train.recipe import SFTRecipe


def train_sft(
    recipe: Path,
    datasets: Sequence[Path],
    out: Path,
    resume: bool = False,
    sets: Sequence[str] = (),
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> dict[str, Any]:
    """Supervised training, and its summary. progress: called with each line of the run's log."""
    checked = check(SFTRecipe, read_yaml(recipe), str(recipe), parse_sets(sets))
    return sft.train_sft(checked, list(datasets), out, resume, progress)
