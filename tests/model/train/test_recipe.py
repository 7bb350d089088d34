"""The recipe of a supervised run."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from proofpress.model.train.recipe import GRPORecipe, MTPRecipe, RunRecipe, SFTRecipe

RECIPES = sorted((Path(__file__).parents[3] / "recipes/train").glob("*.yaml"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "exactly one of steps and minutes"),
        ({"steps": 1, "minutes": 1}, "exactly one of steps and minutes"),
        ({"steps": 1, "levels": [{"mix": {"word": 1}}]}, "levels.0.mix: word is not one of the kinds"),
        ({"steps": 1, "levels": [{"mix": {"all": 1}}, {"mix": {"all": 1}}]}, "levels.0.below"),
        ({"steps": 1, "learning_rat": 1}, "learning_rat"),
        ({"steps": 1, "learning_rate": float("inf")}, "learning_rate"),
        ({"steps": 1, "weights": {"demo": 0}}, "weights.demo"),
        ({"steps": 1, "weights": {"demo": float("nan")}}, "weights.demo"),
        ({"steps": 1, "levels": [{"mix": {"all": -1}}]}, "levels.0.mix.all"),
        ({"steps": 1, "freeze": ["("]}, "not a regular expression"),
        ({"steps": 1, "sharded": True, "optimizer": "muon"}, "sharded: muon needs whole matrices"),
    ],
)
def test_a_wrong_recipe_is_refused_with_the_field_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        SFTRecipe(**fields)


@pytest.mark.parametrize("kind", [SFTRecipe, MTPRecipe, GRPORecipe])
def test_every_field_is_described(kind: type[RunRecipe]) -> None:
    assert all(field.description for field in kind.model_fields.values())


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_the_recipes_that_come_with_the_project_are_valid(path: Path) -> None:
    kind = {"grpo": GRPORecipe, "mtp": MTPRecipe}.get(path.stem, SFTRecipe)
    kind.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mix": {"word": 1}}, "mix: word is not one of the kinds"),
        ({"pages": 3, "processes": 2}, "pages: 3 cannot be dealt to 2 processes"),
        ({"completions": 1}, "completions"),
        ({"rewards": {"combine": "sum"}}, "rewards.combine"),
    ],
)
def test_a_wrong_recipe_of_grpo_is_refused_with_the_field_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        GRPORecipe(steps=1, **fields)
