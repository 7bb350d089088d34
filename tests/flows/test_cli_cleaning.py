import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofpress.flows.build import build
from proofpress.flows.cli import app
from proofpress.flows.config import BuildRecipe
from proofpress.pages.shards import read_manifest, read_records

run = CliRunner().invoke


@pytest.fixture
def dataset(tmp_path, quick_press, recipe: BuildRecipe) -> Path:
    return build(recipe, tmp_path / "made").folder


def test_dedup_makes_one_dataset_of_some(tmp_path, dataset):
    out = tmp_path / "unique"
    result = run(app, ["dedup", str(dataset), "--out", str(out), "--json", "--quiet"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["dataset"] == str(out)
    assert read_manifest(out)["duplicates"]["rows"] >= read_manifest(out)["duplicates"]["dropped"]
    again = run(app, ["dedup", str(dataset), "--out", str(out)])
    assert again.exit_code == 0 and "already holds" in again.stdout


def test_decontaminate_takes_a_benchmarks_pages_out(tmp_path, dataset):
    victim = next(read_records(dataset))
    bench = tmp_path / "bench"
    bench.mkdir()
    (bench / "page.png").write_bytes(victim.image)
    out = tmp_path / "clean"
    result = run(app, ["decontaminate", str(dataset), "--against", str(bench), "--out", str(out), "--quiet"])
    assert result.exit_code == 0, result.output
    assert victim.id not in {record.id for record in read_records(out)}
    assert read_manifest(out)["benchmarks"]["pages"] == {"bench": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dedup", "nowhere"], "not a complete dataset"),
        (["decontaminate", "nowhere", "--against", "."], "not a complete dataset"),
    ],
)
def test_wrong_requests_are_one_message(tmp_path, arguments, message):
    result = run(app, [*arguments, "--out", str(tmp_path / "out")])
    assert result.exit_code != 0 and message in str(result.exception)


@pytest.mark.parametrize("command", ["dedup", "decontaminate"])
def test_help_teaches_by_examples(command):
    result = run(app, [command, "--help"])
    assert result.exit_code == 0 and f"proofpress {command}" in result.stdout
