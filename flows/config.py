"""The recipe of a dataset: what to print, what to clean, how to judge and how to cut it into shards.

A recipe is YAML checked by the models below, which are also the parameter form of the Prefect flows. It says *what*
is made; runner, workers and output folder are no part of it, because they must not change a byte.

    recipe = load_recipe(Path("recipes/demo.yaml"), ["press.pages=40", "judge={model: nano}"])
"""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from proofpress.cleaners.licences import OPEN_LICENCES
from proofpress.flows.settings import check, parse_sets, read_yaml
from proofpress.generators.press import PressRecipe
from proofpress.pages.record import to_json

#: Keys of ``--set`` that are short for others.
SHORT_NAMES = {"pages": "press.pages"}

Share = Annotated[float, Field(gt=0, lt=1)]
SplitName = Annotated[str, Field(pattern=r"^[a-z]{1,40}$")]


class Recipe(BaseModel):
    """What every part of a recipe is: its keys are known ones, and it does not change once read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CorpusRecipe(Recipe):
    """One public corpus to clean."""

    name: str = Field(description="The corpus's adapter, one of those that `proofpress clean --help` lists.")
    path: Path = Field(description="Where the corpus lies, in its own layout.")
    limit: int | None = Field(None, ge=1, description="Clean only this many of its rows, spread over all of it.")


class JudgeRecipe(Recipe):
    """How the bundled model filters what was made."""

    model: str = Field("nano", description="nano (bundled), or a folder with a checkpoint.")
    read: bool = Field(False, description="Also read each page and reward the reading: better, and much slower.")
    drop: bool = Field(True, description="Reject what the judge would drop; false keeps it, with its scores.")


class DuplicatesRecipe(Recipe):
    """What becomes of pages that are one content, whatever corpora they are from."""

    keep: Literal["one", "all"] = Field(
        "one", description="Of each cluster keep one row a task, or all rows; either way it stands in one split."
    )


class BuildRecipe(Recipe):
    """A dataset: printed pages and cleaned corpora, in shards."""

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*$", description="The dataset's name, in its card and manifest.")
    seed: int = Field(0, ge=0, description="Everything random is drawn from it; another seed makes other pages.")
    press: PressRecipe | None = Field(None, description="The synthetic pages to print; none when absent.")
    corpora: tuple[CorpusRecipe, ...] = Field((), description="The public corpora to clean; none when absent.")
    judge: JudgeRecipe | None = Field(None, description="The model's filter; nothing is judged when absent.")
    duplicates: DuplicatesRecipe | None = Field(None, description="Find duplicates; nothing is compared when absent.")
    decontaminate: tuple[Path, ...] = Field((), description="Folders of benchmarks of which no page may be a part.")
    personal: Literal["keep", "mask", "drop"] = Field(
        "keep",
        description="Pages with e-mail addresses, telephone, card or account numbers: flagged, masked or dropped.",
    )
    splits: dict[SplitName, Share] = Field(
        {"validation": 0.05}, description="Share of each split beside train, which takes the rest."
    )
    rows_per_shard: int = Field(
        200, ge=1, le=10_000, description="Pages or corpus rows a shard is made from: the unit of parallel work."
    )
    licences: tuple[str, ...] = Field(
        OPEN_LICENCES,
        description="The licences (SPDX ids) a page may be under. Those that forbid commercial use or changes, allow "
        "research only or are unknown are accepted where they are named.",
    )

    @model_validator(mode="after")
    def _makes_something(self) -> Self:
        if self.press is None and not self.corpora:
            raise ValueError("nothing to make: give press, corpora or both")
        if "train" in self.splits or sum(self.splits.values()) >= 1:
            raise ValueError("splits: give only the splits beside train, with shares that leave some for it")
        if "all" in self.splits:
            raise ValueError("splits: all stands for every split where a dataset is loaded; choose another name")
        if len({corpus.name for corpus in self.corpora}) < len(self.corpora):
            raise ValueError("corpora: each corpus may stand in a recipe once")
        return self

    def contents(self) -> dict[str, Any]:
        """The recipe as JSON values, without where things lie on this machine: that must not change the dataset."""
        press = {"browser": True, "bank": {"path"}}
        here: Any = {"press": press, "corpora": {"__all__": {"path"}}, "decontaminate": True}
        against = [folder.name for folder in self.decontaminate]
        return {**self.model_dump(mode="json", exclude=here), "decontaminate": against}

    def digest(self) -> str:
        """16 hex digits that name the recipe: equal for equal contents."""
        return blake2b(to_json(self.contents()).encode(), digest_size=8).hexdigest()


def load_recipe(path: Path, sets: Sequence[str] = ()) -> BuildRecipe:
    """The recipe in a YAML file, with ``a.b=c`` settings over it (``pages=40`` is short for ``press.pages=40``).

    Raises ``RequestError`` naming the file or the setting, the key and what would be right.
    """
    return check(BuildRecipe, read_yaml(path), str(path), parse_sets(sets, SHORT_NAMES))


def corpus_recipe(corpus: str, path: Path, sets: Sequence[str] = ()) -> BuildRecipe:
    """The recipe that cleans one corpus, with settings over it such as ``corpora.0.limit=100``."""
    values = {"name": corpus, "corpora": [{"name": corpus, "path": str(path)}]}
    return check(BuildRecipe, values, f"clean {corpus}", parse_sets(sets, SHORT_NAMES))
