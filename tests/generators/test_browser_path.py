import pytest

from proofpress.generators import browser_path
from proofpress.generators.browser_path import BrowserBinary, browser_version, find_browser
from proofpress.pages.errors import RequestError


def program(path, text="#!/bin/sh\necho Chromium 1.2.3\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without any browser; gives the one folder of its path."""
    for variable in (*browser_path.VARIABLES, "PLAYWRIGHT_BROWSERS_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    commands = tuple(command for command in browser_path.COMMANDS if "/" not in command)
    monkeypatch.setattr(browser_path, "COMMANDS", commands)
    return tmp_path / "bin"


def test_without_a_browser_the_error_lists_all_that_was_tried_and_the_ways_to_mend_it(bare):
    with pytest.raises(RequestError) as caught:
        find_browser()
    for tried in (*browser_path.COMMANDS, "ms-playwright/chromium-", "make setup", "PROOFPRESS_CHROMIUM"):
        assert tried in str(caught.value)


def test_the_order_is_recipe_then_variables_then_playwright_then_path(bare, monkeypatch, tmp_path):
    shell = program(bare / "chromium-headless-shell")
    program(bare / "google-chrome")
    assert find_browser() == BrowserBinary(shell, "chromium-headless-shell", "on the path")
    own = find_revision(monkeypatch, tmp_path)
    assert find_browser() == BrowserBinary(own, "chromium-headless-shell", "Playwright's own")
    for variable in reversed(browser_path.VARIABLES):
        monkeypatch.setenv(variable, program(tmp_path / variable / "chromium"))
        assert find_browser() == BrowserBinary(str(tmp_path / variable / "chromium"), "chromium", f"${variable}")
    assert find_browser("google-chrome").kind == "chrome"


def find_revision(monkeypatch, tmp_path):
    """Put a headless shell where Playwright would have installed its own."""
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "browsers"))
    revision = browser_path._playwright_browsers()[0].rpartition("-")[2]
    return program(tmp_path / f"browsers/chromium_headless_shell-{revision}/chrome-linux/headless_shell")


@pytest.mark.parametrize("by", ["recipe", "variable"])
def test_a_browser_chosen_by_name_is_never_passed_over(bare, monkeypatch, by):
    program(bare / "chromium")
    if by == "variable":
        monkeypatch.setenv("CHROME_BIN", "/no/such/browser")
    with pytest.raises(RequestError, match="/no/such/browser"):
        find_browser("/no/such/browser" if by == "recipe" else None)


def test_a_file_that_cannot_run_is_no_browser(bare):
    program(bare / "chromium")
    (bare / "chromium").chmod(0o644)
    with pytest.raises(RequestError):
        find_browser()


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 3\n", "not a program"])
def test_a_browser_that_does_not_start_is_an_error_that_names_it(tmp_path, text):
    binary = BrowserBinary(program(tmp_path / "chromium", text), "chromium", "test")
    with pytest.raises(RequestError, match=binary.path):
        browser_version(binary)


def test_a_browser_tells_its_version(tmp_path):
    binary = BrowserBinary(program(tmp_path / "chromium"), "chromium", "test")
    assert browser_version(binary) == "Chromium 1.2.3"
