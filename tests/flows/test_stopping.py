"""Whatever a command is at, Ctrl-C and SIGTERM end it soon, with one clear line and no process left behind.

And what is killed with no chance to act, the command, a worker of it or a browser, costs no shard and no byte.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import typer
import yaml

from proofpress.flows.build import build
from proofpress.flows.cli.stopping import stoppable
from proofpress.flows.config import BuildRecipe

ROOT = Path(__file__).parents[2]
IM2LATEX = str(ROOT / "tests/fixtures/im2latex")
PAGES = {"name": "pages", "press": {"pages": 200, "rows": "pages"}, "rows_per_shard": 4}
LOOP = {
    "name": "loop",
    "build": {"name": "formulas", "corpora": [{"name": "im2latex", "path": IM2LATEX}], "rows_per_shard": 6},
    "mine": {"rows": 6, "read_twice": False},
    "train": {
        "steps": 1000, "threads": 1, "batch_pixels": 32768, "batch_tokens": 1024, "evaluation_rows": 0,
        "kinds": {"all": {"max_width": 512, "max_height": 256}}, "tensorboard": False,
    },
    "benchmarks": [{"dataset": "formulas", "split": "train", "limit": 3}],
    "schedules": {"build": "0 0 1 1 *"},
}  # fmt: skip
SECONDS = 20  # for an end that takes five at most: other work on the machine makes this one slow
AGAIN = "Stopped. Run the same command again to go on where it was."


def test_an_interrupt_that_no_signal_brought_leaves_nothing_watching() -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with pytest.raises(typer.Exit), stoppable():
        raise KeyboardInterrupt
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    assert before == -1


class Command:
    """A command at work in a folder. mark: stands in the environment of every process it starts."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.folder, self.mark = folder, f"PROOFPRESS_TEST={uuid.uuid4().hex}"
        name, value = self.mark.split("=")
        self.told = folder / f"{value}.log"
        with self.told.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "proofpress.flows.cli", *arguments],
                cwd=folder,
                env={**os.environ, "PREFECT_HOME": str(folder / "prefect"), **environment, name: value},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_for(self, ready: Callable[[], object], seconds: float = 400) -> None:
        """Wait until the command is at what is wanted."""
        end = time.monotonic() + seconds
        while not ready():
            assert self.process.poll() is None, f"it has ended: {self.said()}"
            assert time.monotonic() < end, f"did not come to it: {self.said()}"
            time.sleep(0.05)

    def said(self) -> str:
        return self.told.read_text()

    def stop(self, how: signal.Signals) -> int:
        """Send a signal, and the exit code; a Ctrl-C reaches all processes of a terminal."""
        (os.killpg if how == signal.SIGINT else os.kill)(self.process.pid, how)
        return self.process.wait(SECONDS)

    def kill(self, what: str) -> None:
        """Kill -9 the first of its processes with this in its command line."""
        os.kill(min(process for process, line in self._processes() if what in line), signal.SIGKILL)

    def alive(self) -> list[str]:
        """What it has started and left."""
        return [line for _, line in self._processes()]

    def _processes(self) -> list[tuple[int, str]]:
        found = []
        for environment in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in environment.read_bytes().split(b"\0"):
                    line = (environment.parent / "cmdline").read_text().replace("\0", " ")
                    found.append((int(environment.parent.name), line))
            except OSError:
                continue
        return [one for one in found if one[1]]  # a zombie has no command line

    def leaves_nothing(self) -> bool:
        end = time.monotonic() + SECONDS
        while self.alive() and time.monotonic() < end:
            time.sleep(0.1)
        return not self.alive()


@contextmanager
def started(folder: Path, *arguments: str, **environment: str) -> Iterator[Command]:
    command = Command(folder, *arguments, **environment)
    try:
        yield command
    finally:
        command.process.kill()
        command.process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with recipes in it."""
    recipes = {"pages": PAGES, "loop": LOOP, "train": {**LOOP["train"], "init": "nano"}}  # type: ignore[dict-item]
    for name, values in recipes.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(values))
    return tmp_path


def clean_formulas(folder: Path) -> None:
    line = [sys.executable, "-m", "proofpress.flows.cli", "clean", "im2latex", IM2LATEX, "--out", "formulas", "--quiet"]
    subprocess.run(line, cwd=folder, check=True)


def first(folder: Path, pattern: str) -> Callable[[], object]:
    return lambda: next(folder.glob(pattern), None)


both = pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])


@both
@pytest.mark.slow
@pytest.mark.parametrize("runner", ["inline", "threads", "processes", "dask", "ray"])
def test_a_build(folder: Path, runner: str, how: signal.Signals) -> None:
    if runner in ("dask", "ray"):
        pytest.importorskip(f"prefect_{runner}")
    with started(folder, "build", "pages.yaml", "--out", "out", "--runner", runner) as command:
        command.wait_for(first(folder, "out/work/train-*.json"))
        assert command.stop(how) == 1
        assert command.said().count(AGAIN) == 1 and "Traceback" not in command.said()
        assert command.leaves_nothing(), command.alive()
    assert not (folder / "out/manifest.json").exists()


#: Where it stands in the command line of what is killed.
VICTIMS = {"command": "build", "worker": "spawn_main", "browser": "--headless"}


@pytest.mark.slow
@pytest.mark.parametrize("victim", VICTIMS)
def test_a_build_of_which_something_is_killed(folder: Path, victim: str, whole: Path, bytes_of: Callable) -> None:
    line = ["build", "pages.yaml", "--out", "out", "--set", "press.pages=24", "--runner", "processes"]
    with started(folder, *line) as command:
        command.wait_for(first(folder, "out/work/train-*.json"))
        command.kill(VICTIMS[victim])
        command.process.wait(300)
        assert command.leaves_nothing(), command.alive()
        assert victim == "command" or command.process.returncode == 0, command.said()
    with started(folder, *line) as again:
        assert again.process.wait(300) == 0, again.said()
    assert bytes_of(folder / "out") == bytes_of(whole)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an undisturbed build comes to."""
    recipe = BuildRecipe.model_validate({**PAGES, "press": {"pages": 24, "rows": "pages"}})
    return Path(build(recipe, tmp_path_factory.mktemp("whole") / "out").folder)


@both
@pytest.mark.slow
def test_a_cleaning(folder: Path, how: signal.Signals) -> None:
    sets = ["--set", "judge.model=nano", "--set", "judge.read=true", "--set", "rows_per_shard=4"]
    with started(folder, "clean", "im2latex", IM2LATEX, "--out", "out", *sets) as command:
        command.wait_for(first(folder, "out/work/train-*.json"))
        assert command.stop(how) == 1 and command.said().count(AGAIN) == 1 and "Traceback" not in command.said()
        assert command.leaves_nothing(), command.alive()


@both
@pytest.mark.slow
def test_a_mining(folder: Path, how: signal.Signals) -> None:
    clean_formulas(folder)
    with started(folder, "mine", "formulas", "--model", "nano", "--out", "out") as command:
        command.wait_for(first(folder, "out/work/job.json"))
        time.sleep(3)  # the model is loaded, and reads
        assert command.stop(how) == 1 and command.said().count(AGAIN) == 1 and "Traceback" not in command.said()
        assert command.leaves_nothing(), command.alive()


@both
@pytest.mark.slow
@pytest.mark.parametrize("stage", ["dataset/work/job.json", "dataset/manifest.json", "run/log.jsonl"])
def test_a_refresh(folder: Path, stage: str, how: signal.Signals) -> None:
    clean_formulas(folder)
    with started(folder, "refresh", "loop.yaml", "--out", "out") as command:
        command.wait_for(first(folder, f"out/versions/0001/{stage}"))
        assert command.stop(how) == 1 and "Traceback" not in command.said()
        assert "un the same command again" in command.said()
        assert command.leaves_nothing(), command.alive()


@both
@pytest.mark.slow
def test_a_training(folder: Path, how: signal.Signals) -> None:
    clean_formulas(folder)
    with started(folder, "train", "sft", "train.yaml", "--data", "formulas", "--out", "run") as command:
        command.wait_for(first(folder, "run/log.jsonl"))
        assert command.stop(how) == 1
        assert "Stopping when this step is done" in command.said() and "--resume" in command.said()
        assert list(folder.glob("run/checkpoints/*")) and command.leaves_nothing(), command.alive()


@both
@pytest.mark.slow
def test_the_viewer(folder: Path, how: signal.Signals) -> None:
    clean_formulas(folder)
    with started(folder, "view", "formulas", "--no-browser") as command:
        command.wait_for(lambda: "Ctrl-C ends" in command.said())
        assert command.stop(how) == 0
        assert "0 rows decided" in command.said() and "Traceback" not in command.said()
        assert command.leaves_nothing(), command.alive()


@both
@pytest.mark.slow
@pytest.mark.parametrize("server", ["of its own", "beside it", "gone"])
def test_serving(folder: Path, server: str, how: signal.Signals) -> None:
    with prefect_server(folder) as (api, process):
        environment = {} if server == "of its own" else {"PREFECT_API_URL": api}
        with started(folder, "serve", "loop.yaml", "--out", "out", **environment) as command:
            command.wait_for(lambda: "loop-build" in command.said())
            time.sleep(3)
            if server == "gone":
                os.killpg(process.pid, signal.SIGKILL)
                time.sleep(8)  # it asks for work, and nobody answers
            assert command.stop(how) == 0
            assert command.said().count("Serving has ended") == 1 and "Traceback" not in command.said()
            assert command.leaves_nothing(), command.alive()


@contextmanager
def prefect_server(folder: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """A server that the user has started: its API's URL, and the leader of its process group."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PREFECT_HOME": str(folder / "server"), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    line = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(line, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        end = time.monotonic() + 180
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert time.monotonic() < end, (folder / "server.log").read_text()
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/api", process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
