from pathlib import Path
from typing import Any

import pytest

from proofpress.flows.train import train_sft
from proofpress.pages.errors import RequestError


def test_the_trainer_gets_the_recipe_with_its_settings(tmp_path: Path, monkeypatch):
    called: list[Any] = []
    monkeypatch.setattr(
        "proofpress.model.train.sft.train_sft", lambda *arguments: called.append(arguments) or {"ok": 1}
    )
    (tmp_path / "r.yaml").write_text("init: scratch\nsteps: 5\n")
    assert train_sft(tmp_path / "r.yaml", [Path("data")], Path("run"), resume=True, sets=["steps=7"]) == {"ok": 1}
    recipe, datasets, out, resume, _ = called[0]
    assert (recipe.steps, recipe.init, datasets, out, resume) == (7, "scratch", [Path("data")], Path("run"), True)


def test_a_wrong_key_is_told_as_in_any_recipe(tmp_path: Path):
    (tmp_path / "r.yaml").write_text("stepz: 5\n")
    with pytest.raises(RequestError, match=r"r\.yaml: stepz: unknown key \(did you mean steps\?\)"):
        train_sft(tmp_path / "r.yaml", [], tmp_path)
