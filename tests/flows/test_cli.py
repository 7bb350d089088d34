import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofpress.flows.cli import app, main
from proofpress.flows.cli.training import train_app
from proofpress.flows.settings import check, parse_sets, read_yaml
from proofpress.model.train.recipe import SFTRecipe

CHECKOUT = Path(__file__).parents[2]
COMMANDS = ["doctor", "build", "clean", "judge", "read", "reward", "train", "report"]
SMALL = """
name: small
seed: 3
press: {pages: 30}
splits: {validation: 0.2}
rows_per_shard: 8
"""


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Ended]:
    """Runs the command line as a shell in an empty folder would."""

    def run(*arguments: object) -> Ended:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.argv", ["proofpress", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, *capsys.readouterr())

    return run


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def in_process(quick_press, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """Commands in this process, where the press is the quick one and signals stay with pytest."""
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("proofpress.flows.orphans.leave_none_behind", lambda: None)
    return CliRunner()


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS), ["train", "sft"]])
def test_every_command_explains_itself_with_an_example(arguments):
    result = CliRunner().invoke(app, [*arguments, "--help"])
    assert result.exit_code == 0
    assert "proofpress" in result.output or arguments == ["train"]


def test_the_examples_of_training_are_whole_recipes():
    examples = re.findall(r"train sft (\S+)(.*)", train_app.registered_commands[0].epilog or "")
    assert examples
    for recipe, rest in examples:
        check(SFTRecipe, read_yaml(CHECKOUT / recipe), recipe, parse_sets(re.findall(r"--set (\S+)", rest)))


def test_help_lists_all_commands_at_once():
    program = [sys.executable, "-X", "importtime", "-m", "proofpress.flows.cli", "--help"]
    result = subprocess.run(program, capture_output=True, text=True, check=True)
    assert all(name in result.stdout for name in COMMANDS)
    imported = set(re.findall(r"\| +([\w.]+)$", result.stderr, re.MULTILINE))
    assert "typer" in imported
    assert not imported & {"torch", "prefect", "transformers", "datasets", "numba", "sympy"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["build", "absent.yaml", "--out", "x"], "absent.yaml: cannot be read"),
        (["build", "{small}", "--out", "x", "--set", "press.pagez=3"], "did you mean press.pages?"),
        (["build", "{small}", "--out", "x", "--runner", "fastest"], "--runner fastest"),
        (["build", "{small}"], "--out"),
        (["clean", "nonesuch", ".", "--out", "x"], "'nonesuch' is not a known corpus"),
        (["judge", "absent", "--out", "x"], "not a complete dataset"),
        (["report", "absent"], "not a complete dataset"),
        (["reward", "only-one.md"], "give two files"),
        (["read", "absent.png"], "absent.png: cannot be read"),
        (["brew"], "brew"),
    ],
)
def test_a_wrong_request_is_one_message_and_exit_code_2(command, small, in_process, arguments, message):
    ended = command(*[text.format(small=small) for text in arguments])
    assert ended.code == 2
    assert message in re.sub(r"\s+", " ", ended.err)
    assert "Traceback" not in ended.err and ended.out == ""


def test_failed_work_is_one_message_and_exit_code_1(tmp_path, command, small, in_process):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/manifest.json").write_text("{")
    ended = command("build", small, "--out", "out")
    assert ended.code == 1 and "not valid JSON" in ended.err and "Traceback" not in ended.err


def test_a_file_that_cannot_be_written_is_one_message_and_exit_code_1(tmp_path, command, small, in_process):
    command("build", small, "--out", "out", "--quiet")
    (tmp_path / "out/report.html").unlink()
    (tmp_path / "out/report.html").mkdir()
    ended = command("report", "out")
    assert ended.code == 1 and ended.err.startswith("The work failed: out/") and "Traceback" not in ended.err


def test_what_broke_a_shard_unexpectedly_is_traced(command, small, in_process, monkeypatch):
    def broken(*_: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr("proofpress.flows.shard.print_pages", broken)
    ended = command("build", small, "--out", "out")
    assert ended.code == 1 and "in broken" in ended.err and re.search(r"(\d+) of \1 shards failed", ended.err)


def test_a_build_tells_what_was_made_and_where(tmp_path, small, in_process):
    result = in_process.invoke(app, ["build", str(small), "--out", str(tmp_path / "out")], catch_exceptions=False)
    assert "kept 26 of 30 (train 23, validation 3)" in result.output
    assert "proof: text.differs" in result.output
    for path in (tmp_path / "out", tmp_path / "out/report.html", tmp_path / "out/manifest.json"):
        assert str(path) in result.output and path.exists()
    again = in_process.invoke(app, ["build", str(small), "--out", str(tmp_path / "out")], catch_exceptions=False)
    assert again.exit_code == 0 and "nothing was touched" in again.output


def test_json_is_one_object_and_nothing_else(tmp_path, small, in_process):
    result = in_process.invoke(app, ["build", str(small), "--out", str(tmp_path / "out"), "--json"])
    told = json.loads(result.stdout)
    assert told["splits"] == {"train": 23, "validation": 3} and told["was_there"] is False
    assert Path(told["report"]).exists()


def test_quiet_is_quiet(tmp_path, small, in_process):
    assert in_process.invoke(app, ["build", str(small), "--out", str(tmp_path / "out"), "--quiet"]).output == ""


def test_settings_reach_the_recipe(tmp_path, small, in_process):
    out = str(tmp_path / "out")
    result = in_process.invoke(app, ["build", str(small), "--out", out, "--set", "pages=3", "--json"])
    assert json.loads(result.stdout)["sources"]["press"]["made"] == 3


def test_the_report_is_written_again(tmp_path, small, in_process):
    out = tmp_path / "out"
    in_process.invoke(app, ["build", str(small), "--out", str(out), "--quiet"])
    before = (out / "report.html").read_bytes()
    (out / "report.html").unlink()
    in_process.invoke(app, ["report", str(out)], catch_exceptions=False)
    assert (out / "report.html").read_bytes() == before


@pytest.mark.parametrize(("ok", "code"), [(True, 0), (False, 1)])
def test_doctor_says_by_its_exit_code_whether_all_is_there(monkeypatch, ok, code):
    from proofpress.flows.doctor import Finding

    found = [Finding("browser", ok, "none", "apt-get install chromium")]
    monkeypatch.setattr("proofpress.flows.doctor.diagnose", lambda: found)
    assert CliRunner().invoke(app, ["doctor"]).exit_code == code
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == code and json.loads(result.stdout)["findings"][0]["name"] == "browser"


def test_a_reward_has_value_parts_status_and_evidence(tmp_path):
    (tmp_path / "a.md").write_text("$x^2$")
    (tmp_path / "b.md").write_text("$x^3$")
    right = CliRunner().invoke(app, ["reward", str(tmp_path / "a.md"), str(tmp_path / "a.md"), "--json"])
    assert json.loads(right.stdout)["value"] == 1.0
    wrong = CliRunner().invoke(app, ["reward", str(tmp_path / "a.md"), str(tmp_path / "b.md"), "--json"])
    assert set(json.loads(wrong.stdout)) == {"value", "parts", "status", "evidence"}
    assert json.loads(wrong.stdout)["value"] < 1.0
    assert "repetition" in CliRunner().invoke(app, ["reward", str(tmp_path / "a.md"), str(tmp_path / "b.md")]).stdout


def test_pairs_are_scored_line_by_line_and_a_wrong_gold_scores_nothing(tmp_path):
    table = "<table><tr><td>1</td></tr></table>"
    rows = [
        {"pred": "x", "gold": "x", "task": "formula"},
        {"pred": table, "gold": table, "task": "table"},
        {"pred": "x", "gold": "", "task": "formula"},
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    result = CliRunner().invoke(app, ["reward", "--pairs", str(tmp_path / "pairs.jsonl")])
    formula, grid, empty = map(json.loads, result.stdout.splitlines())
    assert formula["value"] == 1.0 and grid["parts"]["teds"] == 1.0 == grid["parts"]["teds_s"]
    assert empty["value"] is None and empty["status"] == "gold"


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "line 1: not a row"), ('{"pred": "x"}', "line 1"), ('{"pred": "x", "gold": "x", "task": "poem"}', "poem")],
)
def test_a_row_that_is_no_pair_is_named(tmp_path, command, line, message):
    (tmp_path / "pairs.jsonl").write_text(line)
    ended = command("reward", "--pairs", "pairs.jsonl")
    assert ended.code == 2 and message in ended.err


#: The command line with a press that prints slowly, in a process of its own that can be killed.
SLOW = """
import sys, time
sys.path.insert(0, {tests!r})
import conftest
from proofpress.flows import cli, provenance, shard
def slowly(press, seed, indices):
    for page in conftest._quick_pages(press, seed, indices):
        time.sleep(0.03)
        yield page
shard.print_pages = slowly
none = {{"kind": "none", "version": "1", "flags": []}}
provenance.machine = lambda recipe: {{"browser": none}}
provenance.catalogue = lambda: conftest.catalogue()[:1]
cli.main()
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_stopped_build_goes_on_to_the_same_bytes(tmp_path, small, in_process, bytes_of, how):
    def start() -> subprocess.Popen[str]:
        program = SLOW.format(tests=str(Path(__file__).parent))
        arguments = [sys.executable, "-c", program, "build", str(small), "--out", str(tmp_path / "out")]
        return subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True)

    stopped = start()
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("out/work/train-*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(stopped.pid, how)
    _, message = stopped.communicate()
    assert stopped.returncode == (-how if how == signal.SIGKILL else 1)
    assert how == signal.SIGKILL or "Stopped. Run the same command again" in message
    assert "Traceback" not in message and not (tmp_path / "out/manifest.json").exists()
    start().communicate()
    in_process.invoke(app, ["build", str(small), "--out", str(tmp_path / "whole")])
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")
