"""The recipes of the loop: what to mine for, how a refresh goes, and when what runs by itself.

recipe = load_refresh(Path("recipes/refresh.yaml"), ["mine.rows=200", "schedules.refresh='0 3 * * 0'"])
"""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from proofpress.flows.config import BuildRecipe, Recipe
from proofpress.flows.settings import check, parse_sets, read_yaml
from proofpress.model.train.recipe import SFTRecipe
from proofpress.pages.record import to_json

Measure = Literal["reward", "likelihood", "disagreement"]
Weight = Annotated[float, Field(ge=0)]
Cron = Annotated[str, Field(pattern=r"^\s*\S+(\s+\S+){4}\s*$")]


class MineRecipe(Recipe):
    """Which examples are hard, how many of them to take, and what to print for them."""

    split: str = Field("train", pattern=r"^[a-z]{1,40}$", description="The split that is read.")
    limit: int | None = Field(None, ge=1, description="Read only so many records, the first; all when absent.")
    rows: int = Field(500, ge=1, description="Rows of the mix of hard and ordinary examples, at most.")
    hard: float = Field(0.5, gt=0, le=1, description="Share of hard ones in it.")
    read_right: float = Field(0.95, gt=0, le=1, description="A reading with less reward than this makes a record hard.")
    measures: dict[Measure, Weight] = Field(
        {"reward": 2.0, "likelihood": 1.0, "disagreement": 1.0},
        description="How much each measure says about how hard a record is among those of its task.",
    )
    per_content: int = Field(1, ge=1, description="Rows of one content or cluster that are taken, of each task.")
    read_twice: bool = Field(
        True,
        description="Read each image a second time, with paler ink, to see whether the model disagrees with itself.",
    )
    pages: int = Field(500, ge=1, description="Pages that the reweighted recipe prints.")
    strength: float = Field(
        1.0, ge=0, le=4, description="Power of a failing feature's weight; 0 leaves printing as it was."
    )
    most: float = Field(4.0, ge=1, le=100, description="The greatest weight a feature may get.")
    seed: int = Field(0, ge=0, description="Decides which of the ordinary examples are taken.")

    def digest(self) -> str:
        """16 hex digits that name the recipe."""
        return blake2b(to_json(self.model_dump(mode="json")).encode(), digest_size=8).hexdigest()


class FrozenBenchmark(Recipe):
    """Records that every model is measured on, never trained on."""

    dataset: Path = Field(description="A complete dataset folder; when its manifest changes, so does the benchmark.")
    split: str = Field("validation", pattern=r"^[a-z]{1,40}$", description="The split that is read.")
    limit: int | None = Field(None, ge=1, description="Only so many records, the first.")


class PromoteRecipe(Recipe):
    """When a new model takes the place of the old one."""

    tolerance: float = Field(0.0, ge=0, le=1, description="How far the mean reward of a task may fall.")
    level: float = Field(0.95, gt=0.5, lt=1, description="Of the paired interval that must lie above 0.")


class Schedules(Recipe):
    """Cron expressions of what runs by itself under `proofpress serve`; absent ones do not."""

    build: Cron | None = Field(None, description="Bring the dataset up to date: print, clean, screen, judge.")
    clean: Cron | None = Field(None, description="The same, of the corpora alone.")
    mine: Cron | None = Field(None, description="Mine the dataset of the latest version with its model.")
    refresh: Cron | None = Field(None, description="The whole loop.")
    timezone: str = Field("UTC", description="Of the expressions, such as Europe/Berlin.")


class RefreshRecipe(Recipe):
    """The loop: a dataset kept up to date, mined, printed for, trained on; a model promoted where it is better."""

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*$", description="What is kept up to date.")
    build: BuildRecipe = Field(description="The dataset that is kept up to date.")
    mine: MineRecipe = Field(
        default=MineRecipe.model_validate({}), description="What is hard, and what to print for it."
    )
    train: SFTRecipe | None = Field(None, description="How to train; nothing is trained when absent. `init` is ours.")
    model: str = Field("nano", description="The model to start from: nano (bundled) or a folder.")
    benchmarks: tuple[FrozenBenchmark, ...] = Field((), description="What decides about a new model.")
    promote: PromoteRecipe = Field(
        default=PromoteRecipe.model_validate({}), description="What decides, and how sure it must be."
    )
    schedules: Schedules = Field(
        default=Schedules.model_validate({}), description="What runs by itself under `proofpress serve`."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.train is not None and not self.benchmarks:
            raise ValueError("benchmarks: a model is only promoted by what it reads there; give at least one")
        if self.mine.split not in ("train", *self.build.splits):
            raise ValueError(f"mine.split: {self.mine.split!r} is no split of the build")
        return self

    def contents(self) -> dict[str, Any]:
        """The recipe as JSON values, without when it runs and where things lie on this machine."""
        values = self.model_dump(mode="json", exclude={"schedules", "build", "model", "benchmarks"})
        benchmarks = [
            {**one.model_dump(mode="json", exclude={"dataset"}), "dataset": one.dataset.name} for one in self.benchmarks
        ]
        return {**values, "build": self.build.contents(), "benchmarks": benchmarks}


def load_refresh(path: Path, sets: Sequence[str] = ()) -> RefreshRecipe:
    """The recipe in a YAML file, with ``a.b=c`` settings over it.

    Raises ``RequestError`` naming the file or the setting, the key and what would be right.
    """
    return check(RefreshRecipe, read_yaml(path), str(path), parse_sets(sets))
