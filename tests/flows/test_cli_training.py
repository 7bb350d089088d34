"""The commands that train, from the command line at toy size."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from proofpress.flows.cli import app

RECIPES = Path(__file__).parents[2] / "recipes/train"
SUMMARY: dict[str, Any] = {
    "finished": True, "steps": 2, "seconds": 1.0, "characters": 40, "rows": 3, "refused": {}, "before": {},
    "model": "out/run/model",
    "after": {
        "reward": 0.5, "drafts": {"tokens_per_pass": 2.5, "same": True, "rows": 4},
        "tasks": {"text": {"cer": 0.1, "reward": 0.5, "rows": 4}},
    },
}  # fmt: skip
LINES: dict[str, dict[str, Any]] = {
    "mtp": {"step": 1, "seconds": 1.0, "accepted_1": 0.8, "accepted_2": 0.5},
    "grpo": {
        "step": 1, "seconds": 1.0, "reward": 0.4, "reward_deviation": 0.1, "truncated": 0.25, "length": {"mean": 9.0},
        "policy": {"entropy": 1.5, "kl": 0.01},
    },
}  # fmt: skip


@pytest.mark.parametrize(("stage", "shown"), [("mtp", "80% 50%"), ("grpo", "reward 0.400 ± 0.100")])
def test_a_stage_is_shown_while_it_runs_and_when_it_ends(
    monkeypatch: pytest.MonkeyPatch, stage: str, shown: str
) -> None:
    called: list[Any] = []

    def trained(recipe: Path, data: list[Path], out: Path, resume: bool, sets: list[str], progress: Any) -> Any:
        called.append((recipe, data, out, resume, sets))
        if progress:
            progress(LINES[stage])
            progress({"step": 2, "held_out": SUMMARY["after"]})
        return SUMMARY

    monkeypatch.setattr(f"proofpress.flows.train.train_{stage}", trained)
    line = ["train", stage, "r.yaml", "--data", "a", "--data", "b", "--out", "out/run", "--resume", "--set", "seed=1"]
    result = CliRunner().invoke(app, line)
    assert result.exit_code == 0, result.output
    assert shown in result.output and "held out: " in result.output and "out/run/model" in result.output
    assert called == [(Path("r.yaml"), [Path("a"), Path("b")], Path("out/run"), True, ["seed=1"])]
    quiet = CliRunner().invoke(app, [*line, "--json", "--quiet"])
    assert json.loads(quiet.output) == SUMMARY


def test_models_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "proofpress.flows.train.merge", lambda *_: {"models": ["a"], "rewards": [0.5, 0.25], "reward": 0.5}
    )
    result = CliRunner().invoke(app, ["merge", "a", "b", "--out", "soup", "--greedy", "--data", "d"])
    assert result.exit_code == 0, result.output
    assert "b: reward 0.2500, left out" in result.output and "soup, reward 0.5000" in result.output


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_recipe_says_its_command(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert f"recipes/train/{path.name}" in text.split("init:")[0]
    assert isinstance(yaml.safe_load(text), dict)
