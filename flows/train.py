"""Train the model on datasets: a recipe with settings over it, handed to its trainer; and join what was trained.

summary = train_sft(Path("recipes/train/nano.yaml"), [Path("out/demo")], Path("out/run"), sets=["steps=50"])
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from proofpress.flows.settings import check, parse_sets, read_yaml
from proofpress.model.train import grpo, merging, mtp, sft
from proofpress.model.train.recipe import GRPORecipe, MTPRecipe, RunRecipe, SFTRecipe

Recipe = TypeVar("Recipe", bound=RunRecipe)
Progress = Callable[[dict[str, Any]], None]


def train_sft(
    recipe: Path,
    datasets: Sequence[Path],
    out: Path,
    resume: bool = False,
    sets: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Supervised training, and its summary. progress: called with each line of the run's log."""
    return sft.train_sft(_checked(SFTRecipe, recipe, sets), list(datasets), out, resume, progress)


def train_mtp(
    recipe: Path,
    datasets: Sequence[Path],
    out: Path,
    resume: bool = False,
    sets: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Training of the multi-token head on the frozen network, and its summary."""
    return mtp.train_mtp(_checked(MTPRecipe, recipe, sets), list(datasets), out, resume, progress)


def train_grpo(
    recipe: Path,
    datasets: Sequence[Path],
    out: Path,
    resume: bool = False,
    sets: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Training by reward, and its summary."""
    return grpo.train_grpo(_checked(GRPORecipe, recipe, sets), list(datasets), out, resume, progress)


def merge(
    models: Sequence[str], out: Path, greedy: bool = False, datasets: Sequence[Path] = (), rows: int = 32
) -> dict[str, Any]:
    """Average models of one configuration into a new one; see ``merging.py``."""
    return merging.merge(models, out, greedy, list(datasets), rows)


def _checked(kind: type[Recipe], recipe: Path, sets: Sequence[str]) -> Recipe:
    return check(kind, read_yaml(recipe), str(recipe), parse_sets(sets))
