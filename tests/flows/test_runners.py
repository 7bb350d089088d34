import importlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe
from proofpress.flows.runners import run, set_prefect_defaults
from proofpress.pages.errors import RequestError, WorkError


@dataclass(frozen=True)
class Numbered:
    name: str


def double(item: Numbered) -> str:
    if item.name == "3":
        raise WorkError("three")
    return item.name * 2


ITEMS = [Numbered(str(number)) for number in range(5)]
EXPECTED = {"0": "00", "1": "11", "2": "22", "3": "three", "4": "44"}


def outcomes(runner: str, workers: int | None = None) -> dict[str, str]:
    return {one.item.name: str(one.error or one.result) for one in run(double, ITEMS, runner, workers)}


def test_inline_does_all_items_though_one_fails():
    assert outcomes("inline") == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize("server", ["", "named"])
@pytest.mark.parametrize("runner", ["threads", "processes", "dask", "ray"])
def test_every_runner_does_the_same(runner, server, monkeypatch, request):
    if server:
        monkeypatch.setenv("PREFECT_API_URL", request.getfixturevalue("api"))
    if runner in ("dask", "ray"):
        pytest.importorskip(f"prefect_{runner}")
    # The test's module is no package: workers in other processes find it by its folder.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.syspath_prepend(Path(__file__).parent)
    here = importlib.import_module("test_runners")
    found = {one.item.name: str(one.error or one.result) for one in run(here.double, here.ITEMS, runner, 2)}
    assert found == EXPECTED


#: Kills the process it runs in, the first time or always.
FRAGILE = """
import os, signal, sys
from dataclasses import dataclass
from pathlib import Path
from proofpress.flows.runners import run

@dataclass(frozen=True)
class Numbered:
    name: str

def fragile(item):
    mark = Path(sys.argv[0]).with_name(f"{item.name}.tried")
    if item.name == "always" or (item.name == "once" and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item.name * 2

if __name__ == "__main__":
    for one in run(fragile, [Numbered(name) for name in sys.argv[1:]], "processes", 1):
        print(one.item.name, one.error or one.result)
"""


@pytest.mark.parametrize(
    ("items", "told"),
    [
        (["a", "once", "b"], {"a aa", "once onceonce", "b bb"}),
        (["always"], {"always 3 workers at it were lost; were they killed, or is memory short?"}),
    ],
)
def test_a_lost_worker_is_replaced_and_a_shard_that_takes_each_down_is_told(tmp_path, items, told):
    (tmp_path / "fragile.py").write_text(FRAGILE)
    line = [sys.executable, str(tmp_path / "fragile.py"), *items]
    ended = subprocess.run(line, check=True, capture_output=True, text=True)
    assert set(ended.stdout.splitlines()) == told and not ended.stderr


def test_a_prefect_server_that_is_named_and_gone_is_told(monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    program = (
        "from proofpress.flows.runners import run\n"
        "from pathlib import Path\n"
        "try: list(run(str, [Path('a')], 'threads', 1))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    ended = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert "RequestError PREFECT_API_URL: no Prefect server answers at http://127.0.0.1:9/api" in ended.stdout


@pytest.mark.parametrize("runner", ["threads", "processes"])
def test_a_pool_of_this_machine_asks_nothing_of_prefect(runner):
    program = (
        "import sys\nfrom pathlib import Path\nfrom proofpress.flows.runners import run\n"
        "if __name__ == '__main__':\n"
        f"    assert sorted(one.result for one in run(str, [Path('a'), Path('b')], '{runner}', 2)) == ['a', 'b']\n"
        "    assert 'prefect' not in sys.modules"
    )
    clean = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
    subprocess.run([sys.executable, "-c", program], check=True, env=clean)


def test_who_stops_asking_for_outcomes_gets_no_more_work_done():
    started: list[str] = []

    def slowly(item: Numbered) -> None:
        started.append(item.name)
        time.sleep(0.05)

    asked = run(slowly, [Numbered(str(number)) for number in range(50)], "threads", 1)
    next(asked)
    asked.close()  # type: ignore[attr-defined]
    assert len(started) <= 3


@pytest.fixture(scope="module")
def recipe() -> BuildRecipe:
    """Real pages, worn, and rows of a corpus, judged by the model: all that a worker needs to find."""
    corpora = [{"name": "im2latex", "path": str(Path(__file__).parents[1] / "fixtures/im2latex"), "limit": 6}]
    press = {"pages": 6, "crops": 2, "rows": "both", "wear": {"scan": 1}}
    values = {"press": press, "corpora": corpora, "judge": {"model": "nano"}, "rows_per_shard": 4}
    return BuildRecipe.model_validate({"name": "same", **values})


@pytest.fixture(scope="module")
def inline(recipe: BuildRecipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(build(recipe, tmp_path_factory.mktemp("inline") / "out").folder)


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["threads", "processes", "dask", "ray"])
def test_every_runner_gives_the_same_bytes(runner, recipe: BuildRecipe, inline: Path, tmp_path, bytes_of):
    if runner in ("dask", "ray"):
        pytest.importorskip(f"prefect_{runner}")
    build(recipe, tmp_path / "out", runner=runner, workers=2)
    assert bytes_of(tmp_path / "out") == bytes_of(inline)


@pytest.fixture(scope="module")
def api() -> Iterator[str]:
    """The URL of a Prefect server."""
    set_prefect_defaults()
    from prefect.server.api.server import SubprocessASGIServer

    with SubprocessASGIServer() as server:
        yield server.api_url


@pytest.mark.parametrize(
    ("runner", "workers", "message"),
    [
        ("fastest", None, "--runner fastest: is not one of inline, threads, processes, dask, ray"),
        ("inline", 2, "--workers 2: the inline runner has one; add --runner processes"),
        ("threads", 0, "--workers 0: is not 1 or more"),
    ],
)
def test_a_runner_that_cannot_be_is_refused(runner, workers, message):
    with pytest.raises(RequestError) as raised:
        run(double, ITEMS, runner, workers)
    assert str(raised.value) == message


@pytest.mark.parametrize(("runner", "extra"), [("dask", "proofpress[dask]"), ("ray", "proofpress[ray]")])
def test_a_runner_that_is_not_installed_says_how_to_install_it(runner, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, f"prefect_{runner}", None)
    with pytest.raises(RequestError) as raised:
        run(double, ITEMS, runner)
    assert f"pip install '{extra}'" in str(raised.value)


def test_inline_work_and_help_do_not_wait_for_prefect():
    program = (
        "import sys; from proofpress.flows import build, cli, console\n"
        "from proofpress.flows.runners import run\n"
        "list(run(str, [1])); assert 'prefect' not in sys.modules and 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_the_user_has_set_stays_set(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PREFECT_LOGGING_LEVEL", "DEBUG")
    monkeypatch.setenv("PREFECT_HOME", "/somewhere")
    set_prefect_defaults()
    assert os.environ["PREFECT_LOGGING_LEVEL"] == "DEBUG" and os.environ["PREFECT_HOME"] == "/somewhere"
    assert os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"


@pytest.mark.parametrize("profile", [False, True])
def test_prefect_keeps_its_home_only_where_the_user_has_one(monkeypatch, tmp_path, profile):
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    if profile:
        (tmp_path / ".prefect").mkdir()
        (tmp_path / ".prefect/profiles.toml").touch()
    set_prefect_defaults()
    assert ("PREFECT_HOME" in os.environ) is not profile
