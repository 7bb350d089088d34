"""Mining of a dataset with stored predictions, its weaknesses and label faults planted."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proofpress.flows.cli import app
from proofpress.flows.config import BuildRecipe, load_recipe
from proofpress.flows.loop_recipe import MineRecipe
from proofpress.flows.mine import mine
from proofpress.flows.observing import LIKELIHOODS, ByPredictions
from proofpress.generators.coverage import plan
from proofpress.generators.recipe import lattice_of
from proofpress.pages.errors import RequestError
from proofpress.pages.image import encode_png
from proofpress.pages.record import Check, PageRecord, Source
from proofpress.pages.shards import read_manifest, read_records, write_manifest, write_shard
from proofpress.pages.shards import read_rows as rows_at

PAGES, FAULTY, FAILED = 240, {7, 111, 200}, {3}
WEAKNESS = "script=cyrillic"
RECIPE = BuildRecipe(
    name="planted", seed=5, press={"pages": PAGES, "features": {"script": ["latin", "cyrillic"]}, "width": 800}
)


def record(index: int) -> PageRecord:
    from PIL import Image

    assert RECIPE.press is not None
    text = f"line number {index} of a page with some words on it"
    checks = (Check("proof.text", "failed" if index in FAILED else "passed", "differs" if index in FAILED else ""),)
    return PageRecord(
        id=f"{index:032x}",
        image=encode_png(Image.new("RGB", (60, 20), "white")),
        width=60,
        height=20,
        text=text,
        task="text",
        source=Source("press", f"press/5/{index}", "1", "CC0-1.0"),
        features={**plan(lattice_of(RECIPE.press), 5, index), "crop": "line"},
        checks=checks,
        content_id=f"{index:032x}",
    )


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A dataset and what was read of it: wrong where the script is Cyrillic, and sure and right but for the label
    where that is at fault."""
    folder, read = tmp_path / "data", tmp_path / "read"
    read.mkdir()
    records = [record(index) for index in range(PAGES)]
    files = {}
    for number in range(2):
        name = f"data/train-{number:05d}-of-00002.parquet"
        info = write_shard(folder / name, records[number * 120 : (number + 1) * 120])
        files[name] = {"rows": info.rows, "sha256": info.sha256}
    write_manifest(
        folder,
        {
            "name": "planted", "recipe": RECIPE.contents(), "recipe_hash": RECIPE.digest(), "items": "0",
            "files": files, "versions": {}, "splits": {"train": PAGES}, "sources": {}, "rejected": {},
        },
    )  # fmt: skip
    likelihoods = []
    for index, one in enumerate(records):
        weak = one.features["script"] == "cyrillic"
        text, likelihood, confidence = one.text, -0.05 - index / 1e4, -0.05
        if weak:
            text, likelihood, confidence = one.text[: 12 + index % 9], -2.0, -1.5
        if index in FAULTY:
            text, likelihood, confidence = f"what stands there is another thing {index}", -4.0, -0.04
        (read / f"{one.id}.md").write_text(text)
        likelihoods.append(json.dumps({"id": one.id, "likelihood": likelihood, "confidence": confidence}))
    (read / LIKELIHOODS).write_text("\n".join(likelihoods))
    return tmp_path


def mined(folder: Path, out: str = "hard", **values: Any) -> Path:
    recipe = MineRecipe(**{"rows": 40, "pages": 30, **values})
    mine(folder / "data", folder / out, recipe, ByPredictions((folder / "read",)))
    return folder / out


def test_the_planted_weakness_is_found_and_printed_more_often(planted: Path) -> None:
    out = mined(planted)
    profile = json.loads((out / "profile.json").read_text())
    assert list(profile["weights"]) == [WEAKNESS] and profile["weights"][WEAKNESS] > 1.5
    recipe = load_recipe(out / "recipe.yaml")
    assert recipe.press is not None and recipe.press.pages == 30 and recipe.press.weights == profile["weights"]
    share = {
        name: sum(plan(lattice_of(r.press), 1, index)["script"] == "cyrillic" for index in range(400)) / 400
        for name, r in (("before", RECIPE), ("after", recipe))
        if r.press is not None
    }
    assert share["after"] > share["before"] + 0.1


def test_planted_label_faults_go_to_review_and_nothing_else(planted: Path) -> None:
    out = mined(planted)
    listed = [json.loads(line) for line in (out / "review.jsonl").read_text().splitlines()]
    assert {int(row["id"], 16): row["reason"] for row in listed} == {
        **dict.fromkeys(FAULTY, "confident"), **dict.fromkeys(FAILED, "known"),
    }  # fmt: skip
    assert listed[0]["reason"] == "known"
    page = (out / "review.html").read_text()
    assert page.count("<article>") == 4 and "what stands there is another thing 7" in page
    for row in listed:
        (again,) = rows_at(planted / row["shard"].replace("data/", "data/data/", 1), [row["row"]])
        assert again.id == row["id"]


def test_the_mix_is_a_dataset_with_half_of_its_rows_hard(planted: Path) -> None:
    out = mined(planted)
    roles = [r.scores.parts["mined"]["role"] for r in read_records(out, "train") if r.scores is not None]
    assert roles.count("hard") == roles.count("ordinary") == 20
    hard = [r for r in read_records(out) if r.scores and r.scores.parts["mined"]["role"] == "hard"]
    assert all(r.features["script"] == "cyrillic" and r.scores.reward < 0.95 for r in hard if r.scores)
    manifest = read_manifest(out)
    assert manifest["mined"]["mix"] == {"hard": 20, "ordinary": 20, "share": 0.5}
    assert {"profile.json", "recipe.yaml", "review.jsonl", "review.html", "observations.jsonl"} <= set(
        manifest["files"]
    )


def test_it_is_the_same_again_and_after_a_stop(planted: Path, bytes_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from proofpress.flows import mine as module

    first = bytes_of(mined(planted))
    calls = []
    real = module._observe_shard

    def stopping(readers: Any, folder: Path, shard: Any) -> int:
        calls.append(shard.name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(readers, folder, shard)

    monkeypatch.setattr(module, "_observe_shard", stopping)
    with pytest.raises(KeyboardInterrupt):
        mined(planted, "again")
    mined(planted, "again")
    assert len(calls) == 3, "the shard that was read is not read again"
    assert bytes_of(planted / "again") == first


def test_where_all_is_read_right_the_mix_is_empty_and_printing_stays_as_it_was(planted: Path) -> None:
    for index in range(PAGES):
        (planted / "read" / f"{index:032x}.md").write_text(record(index).text)
    out = mined(planted)
    assert list(read_records(out)) == [] and read_manifest(out)["splits"] == {"train": 0}
    press = load_recipe(out / "recipe.yaml").press
    assert press is not None and press.weights == {}


def test_the_command_says_what_it_found(planted: Path) -> None:
    line = ["mine", str(planted / "data"), "--predictions", str(planted / "read"), "--out", str(planted / "hard")]
    result = CliRunner().invoke(app, [*line, "--set", "rows=40"])
    assert result.exit_code == 0, result.output
    assert WEAKNESS in result.output and "20 hard, 20 ordinary" in result.output and "confident 3" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --model M or --predictions DIR"),
        (["--model", "nano", "--predictions", "read"], "one of them"),
        (["--predictions", "nowhere"], "--predictions nowhere: no such folder"),
        (["--predictions", "empty"], "has no 00000000000000000000000000000000.md; every record needs its reading"),
        (["--predictions", "read", "--set", "hard=2"], "--set hard: 2"),
        (["--predictions", "read", "--set", "split=test"], "has no records in split 'test'; it has train"),
        (["--predictions", "broken"], "broken/likelihoods.jsonl: line 1: not {id, likelihood, confidence}"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(
    planted: Path, arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(planted)
    (planted / "empty").mkdir()
    (planted / "broken").mkdir()
    (planted / "broken" / LIKELIHOODS).write_text('{"id": 3, "likelihood": "low"}\n')
    with pytest.raises(RequestError) as caught:
        app(["mine", "data", "--out", "hard", *arguments], standalone_mode=False)
    assert message in str(caught.value)
    assert not (planted / "hard" / "manifest.json").exists()


def test_a_mined_folder_is_mined_again_by_the_recipe_of_its_first_dataset(planted: Path) -> None:
    out = mined(planted)
    recipe = MineRecipe(rows=10)
    mine(out, planted / "twice", recipe, ByPredictions((planted / "read",)))
    press = load_recipe(planted / "twice" / "recipe.yaml").press
    assert press is not None and press.features == {"script": ("latin", "cyrillic")}
