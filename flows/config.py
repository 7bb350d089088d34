"""The recipe of a dataset: what to print, what to clean, how to judge and how to cut it into shards.

A recipe is YAML checked by the models below, which are also the parameter form of the Prefect flows. It says *what*
is made; runner, workers and output folder are no part of it, because they must not change a byte.

    recipe = load_recipe(Path("recipes/demo.yaml"), ["press.pages=40", "judge={model: nano}"])
"""

import difflib
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Self

import annotated_types
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proofpress.generators.press import PressRecipe
from proofpress.pages.errors import RequestError
from proofpress.pages.record import to_json

#: What ``--set NAME=`` may leave out of the most used keys.
SHORT_NAMES = {"pages": "press.pages"}

#: Licences that allow training, changing and passing on.
OPEN_LICENCES = (
    "Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "CC0-1.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0", "MIT", "OFL-1.1",
)  # fmt: skip

Share = Annotated[float, Field(gt=0, lt=1)]
SplitName = Annotated[str, Field(pattern=r"^[a-z]+$")]


class Recipe(BaseModel):
    """What every part of a recipe is: its keys are known ones, and it does not change once read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class CorpusRecipe(Recipe):
    """One public corpus to clean."""

    name: str = Field(description="The corpus's adapter: pubtabnet, im2latex.")
    path: Path = Field(description="Where the corpus lies, in its own layout.")
    limit: int | None = Field(None, ge=1, description="Clean only this many of its rows, spread over all of it.")


class JudgeRecipe(Recipe):
    """How the bundled model filters what was made."""

    model: str = Field("nano", description="nano (bundled), or a folder with a checkpoint.")
    read: bool = Field(False, description="Also read each page and reward the reading: better, and much slower.")
    drop: bool = Field(True, description="Reject what the judge would drop; false keeps it, with its scores.")


class BuildRecipe(Recipe):
    """A dataset: printed pages and cleaned corpora, in shards."""

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*$", description="The dataset's name, in its card and manifest.")
    seed: int = Field(0, ge=0, description="Everything random is drawn from it; another seed makes other pages.")
    press: PressRecipe | None = Field(None, description="The synthetic pages to print; none when absent.")
    corpora: tuple[CorpusRecipe, ...] = Field((), description="The public corpora to clean; none when absent.")
    judge: JudgeRecipe | None = Field(None, description="The model's filter; nothing is judged when absent.")
    splits: dict[SplitName, Share] = Field(
        {"validation": 0.05}, description="Share of each split beside train, which takes the rest."
    )
    rows_per_shard: int = Field(
        200, ge=1, le=10_000, description="Pages or corpus rows a shard is made from: the unit of parallel work."
    )
    licences: tuple[str, ...] = Field(OPEN_LICENCES, description="The licences (SPDX ids) a page may be under.")

    @model_validator(mode="after")
    def _makes_something(self) -> Self:
        if self.press is None and not self.corpora:
            raise ValueError("nothing to make: give press, corpora or both")
        if "train" in self.splits or sum(self.splits.values()) >= 1:
            raise ValueError("splits: give only the splits beside train, with shares that leave some for it")
        if len({corpus.name for corpus in self.corpora}) < len(self.corpora):
            raise ValueError("corpora: each corpus may stand in a recipe once")
        return self

    def contents(self) -> dict[str, Any]:
        """The recipe as JSON values, without where things lie on this machine: that must not change the dataset."""
        here = {"press": {"browser"}, "corpora": {"__all__": {"path"}}}
        return self.model_dump(mode="json", exclude=here)

    def digest(self) -> str:
        """16 hex digits that name the recipe: equal for equal contents."""
        return blake2b(to_json(self.contents()).encode(), digest_size=8).hexdigest()


def load_recipe(path: Path, sets: Sequence[str] = ()) -> BuildRecipe:
    """The recipe in a YAML file, with ``a.b=c`` settings over it (``c`` is YAML; ``pages`` is short for ``press.pages``).

    Raises ``RequestError`` naming the file (or the setting), the key and what would be right.
    """
    settings = dict(_setting(text) for text in sets)
    values = _read_yaml(path)
    for key, value in settings.items():
        _put(values, key, value)
    try:
        return BuildRecipe.model_validate(values)
    except ValidationError as error:
        raise RequestError("\n".join(_explain(error, path, settings))) from error


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RequestError(f"{path}: not YAML: {error}") from error
    if not isinstance(values, dict):
        raise RequestError(f"{path}: not a recipe: the file must hold keys and values, such as `name: demo`")
    return values


def _setting(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise RequestError(f"--set {text}: not a setting; write --set press.pages=40")
    try:
        return SHORT_NAMES.get(key.strip(), key.strip()), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise RequestError(f"--set {text}: the value is not YAML: {error}") from error


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    """Set a dotted key, making the mappings on the way; a number steps into a list."""
    *parents, last = key.split(".")
    place: Any = values
    for depth, name in enumerate([*parents, last]):
        at_end = depth == len(parents)
        if isinstance(place, list):
            if not name.isdecimal() or int(name) >= len(place):
                raise RequestError(f"--set {key}: {name} is not in 0..{len(place) - 1}, the entries of that list")
            step: Any = int(name)
        elif isinstance(place, dict):
            step = name
            if not at_end and place.get(name) is None:
                place[name] = {}
        else:
            raise RequestError(f"--set {key}: {'.'.join(parents[:depth])} is a value, it has no keys")
        if at_end:
            place[step] = value
        else:
            place = place[step]


def _explain(error: ValidationError, path: Path, settings: dict[str, Any]) -> Iterator[str]:
    for fault in error.errors():
        key = ".".join(str(step) for step in fault["loc"])
        given = any(key == name or key.startswith(f"{name}.") for name in settings)
        where = f"{path}: {key}" if not given else f"--set {key}"
        yield f"{where if key else path}: {_what_is_wrong(fault)}"


def _what_is_wrong(fault: Any) -> str:
    loc, kind, value = fault["loc"], fault["type"], fault["input"]
    if kind == "extra_forbidden":
        prefix = ".".join(str(step) for step in loc[:-1])
        known = [f"{prefix}.{name}" if prefix else name for name in _model_at(loc[:-1]).model_fields]
        near = difflib.get_close_matches(".".join(map(str, loc)), known, n=1)
        return f"unknown key (did you mean {near[0]}?)" if near else f"unknown key (known: {', '.join(known)})"
    if kind == "missing":
        return f"is missing: {_model_at(loc[:-1]).model_fields[str(loc[-1])].description}"
    if kind in ("greater_than_equal", "less_than_equal"):
        low, high = _bounds(loc)
        return f"{value} is not in {low}..{high}" if high is not None else f"{value} is not {low} or more"
    if kind == "value_error":
        return str(fault["ctx"]["error"])
    return f"{value!r}: {fault['msg'][0].lower()}{fault['msg'][1:]}"


def _model_at(loc: tuple[int | str, ...]) -> type[BaseModel]:
    """The model that a place in a recipe holds: the recipe itself, or one of its parts."""
    parts: dict[str, type[BaseModel]] = {"press": PressRecipe, "corpora": CorpusRecipe, "judge": JudgeRecipe}
    return parts[str(loc[0])] if loc else BuildRecipe


def _bounds(loc: tuple[int | str, ...]) -> tuple[Any, Any]:
    limits = _model_at(loc[:-1]).model_fields[str(loc[-1])].metadata
    low = next((limit.ge for limit in limits if isinstance(limit, annotated_types.Ge)), None)
    high = next((limit.le for limit in limits if isinstance(limit, annotated_types.Le)), None)
    return low, high
