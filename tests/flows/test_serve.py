"""Schedules: what is deployed, and that a schedule fires. Prefect itself is imported here, which takes seconds."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofpress.flows.artifacts import publish
from proofpress.flows.cli import app
from proofpress.flows.loop_recipe import RefreshRecipe, load_refresh
from proofpress.flows.serve import deployments
from proofpress.pages.errors import RequestError
from proofpress.pages.shards import read_manifest

ROOT = Path(__file__).parents[2]


def loop(**values: Any) -> RefreshRecipe:
    build = {"name": "formulas", "corpora": [{"name": "im2latex", "path": str(ROOT / "tests/fixtures/im2latex")}]}
    return RefreshRecipe.model_validate({"name": "loop", "build": build, **values})


def test_the_recipe_that_comes_along_is_one() -> None:
    recipe = load_refresh(ROOT / "recipes/refresh.yaml")
    assert recipe.train is not None and recipe.schedules.refresh


def test_a_recipe_without_schedules_is_refused() -> None:
    with pytest.raises(RequestError, match="schedules: nothing is scheduled"):
        deployments(loop(), Path("out"))
    pages = loop(build={"name": "pages", "press": {}}, schedules={"clean": "0 1 * * *"})
    with pytest.raises(RequestError, match=r"schedules\.clean: the build has no corpora"):
        deployments(pages, Path("out"))


def test_without_a_run_nothing_is_published() -> None:
    assert publish("build", {"train": 3}) is False


def test_the_command_reads_the_recipe_before_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[Any] = []
    monkeypatch.setattr("proofpress.flows.serve.serve", lambda *values: served.append(values))
    line = ["serve", str(ROOT / "recipes/refresh.yaml"), "--set", "schedules.build=null"]
    app(line, standalone_mode=False)
    ((recipe, out, limit, runner),) = served
    assert recipe.schedules.build is None and (out, limit, runner) == (Path("out/loop"), 1, "processes")


@pytest.mark.slow
def test_every_entrypoint_of_the_work_pools_loads_and_takes_its_parameters() -> None:
    from prefect.flows import load_flow_from_entrypoint

    deployed = yaml.safe_load((ROOT / "prefect.yaml").read_text())["deployments"]
    assert [one["name"] for one in deployed] == ["build", "clean", "mine", "refresh"]
    for one in deployed:
        flow = load_flow_from_entrypoint(one["entrypoint"])
        assert flow.validate_parameters(one["parameters"]) and one["schedules"] and one["work_pool"]
        assert one["concurrency_limit"]["limit"] == 1


@pytest.mark.slow
def test_the_automations_that_come_along_are_ones() -> None:
    from prefect.events.schemas.automations import AutomationCore

    for one in yaml.safe_load((ROOT / "recipes/notify.yaml").read_text())["automations"]:
        assert AutomationCore.model_validate(one).actions


@pytest.mark.slow
def test_each_schedule_is_a_deployment_with_the_recipe_as_its_form() -> None:
    schedules = dict.fromkeys(("build", "clean", "mine", "refresh"), "0 3 * * *")
    made = deployments(loop(schedules=schedules), Path("out"))
    assert [one.name for one in made] == ["loop-build", "loop-clean", "loop-mine", "loop-refresh"]
    for one in made:
        form = one._parameter_openapi_schema.model_dump()
        assert "recipe" in form["properties"] and "corpora" in json.dumps(form["definitions"])
        assert one.schedules[0].schedule.cron == "0 3 * * *" and one.concurrency_limit == 1
        json.dumps(one.parameters)


@pytest.mark.slow
def test_schedules_fire_at_a_running_server_and_two_runs_at_once_do_not_hurt_each_other(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    api = f"http://127.0.0.1:{port}/api"
    environment = {**os.environ, "PREFECT_HOME": str(tmp_path / "prefect"), "PREFECT_API_URL": api, "DO_NOT_TRACK": "1"}
    environment["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
    recipe = loop(schedules={"build": "* * * * *", "clean": "* * * * *"})
    (tmp_path / "loop.yaml").write_text(yaml.safe_dump(recipe.model_dump(mode="json", exclude_unset=True)))
    serving = [sys.executable, "-m", "proofpress.flows.cli", "serve", "loop.yaml", "--out", "out", "--limit", "2"]
    server = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    started = []
    try:
        for command in (server, [*serving, "--runner", "inline"]):
            log = (tmp_path / f"{len(started)}.log").open("wb")
            started.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log))
            _wait(lambda: _ask(api, "health") is not None, 180)
        pointers = [tmp_path / "out" / name / "current.json" for name in ("build", "clean")]
        _wait(lambda: all(pointer.is_file() for pointer in pointers), 300)
        for pointer in pointers:
            folder = pointer.parent / json.loads(pointer.read_text())["dataset"]
            assert read_manifest(folder)["splits"]["train"] > 10
        _wait(
            lambda: (
                len(_ask(api, "flow_runs/filter", {"flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}}})) >= 2
            ),
            120,
        )
        artifacts = {one["key"] for one in _ask(api, "artifacts/filter", {})}
        assert {"update-figures", "update-report"} <= artifacts
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(ready: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(1)


def _ask(api: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{api}/{path}", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())
    except OSError:
        return None
