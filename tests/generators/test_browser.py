"""A browser that breaks in whatever way is started again, and prints the same sheet; what it needs does not grow."""

import os
import signal
import time
from importlib import resources
from pathlib import Path

import pytest

from proofpress import templates
from proofpress.generators.browser import Browser
from proofpress.generators.browser_path import find_browser

PAGE = """<!doctype html><meta charset="utf-8"><style>body { margin: 0 }</style><script>%s
const press = { async print(html) {
  %s
  return JSON.stringify({ n: %s.childElementCount });
} };
</script><body></body>"""
SHELL = PAGE % ("", "document.body.innerHTML = html;", "document.body")
DRAWING = resources.files(templates).joinpath("picture.js").read_text(encoding="utf-8")
SHELLS = {
    "screenshots": SHELL,
    "canvas": PAGE % (DRAWING, "picture.lay(html);", "(picture.canvas?.firstElementChild ?? document.body)"),
}
SHEET = "<p>One</p><p>Two</p>"
OTHER = "<h1>Another</h1>"


@pytest.fixture(params=SHELLS)
def browser(request):
    with Browser(find_browser(), SHELLS[request.param], 640, 480) as browser:
        yield browser


def _evaluate(browser, script):
    browser._thread.submit(browser._page.evaluate, script).result()


def _processes(browser):
    """Process ids by type: of the browser itself, its renderer ..."""
    ask = lambda: browser._browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")  # noqa: E731
    return {process["type"]: process["id"] for process in browser._thread.submit(ask).result()["processInfo"]}


FAULTS = {
    "the browser is killed": lambda browser: os.kill(browser._pid, signal.SIGKILL),
    "the browser is stopped": lambda browser: os.kill(browser._pid, signal.SIGSTOP),
    "the page's process is killed": lambda browser: os.kill(_processes(browser)["renderer"], signal.SIGKILL),
    "the browser is closed": lambda browser: browser._thread.submit(browser._browser.close).result(),
    "the page is closed": lambda browser: browser._thread.submit(browser._page.close).result(),
    "the page loops for ever": lambda browser: _evaluate(browser, "() => { press.print = () => { for (;;); } }"),
    "the page never answers": lambda browser: _evaluate(browser, "() => { press.print = () => new Promise(() => 0) }"),
    "the script is gone": lambda browser: _evaluate(browser, "() => { press.print = null }"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_browser_is_started_again_and_prints_the_same(browser, monkeypatch, fault):
    before = browser.print(SHEET, 480)
    monkeypatch.setattr("proofpress.generators.browser.SECONDS_PER_SHEET", 3.0)
    FAULTS[fault](browser)
    assert browser.print(SHEET, 480) == before


def test_a_sheet_is_the_same_whatever_was_printed_before(browser):
    first, other = browser.print(SHEET, 480), browser.print(OTHER, 300)
    assert browser.print(OTHER, 300) == other == browser.print(OTHER, 300)
    assert browser.print(SHEET, 480) == first
    assert first.png != other.png


def test_a_picture_has_the_height_of_its_sheet(browser):
    heights = [int.from_bytes(browser.print(SHEET, height).png[20:24], "big") for height in (480, 200, 480, 333)]
    assert heights == [480, 200, 480, 333]


def test_sheets_are_printed_in_the_order_they_are_given(browser):
    printing = [browser.submit("<p></p>" * count, 100) for count in (1, 2, 3)]
    assert [future.result().measured["n"] for future in printing] == [1, 2, 3]


def test_an_old_browser_is_started_anew(browser, monkeypatch):
    monkeypatch.setattr("proofpress.generators.browser.SHEETS_PER_BROWSER", 2)
    first, pid = browser.print(SHEET, 480), browser._pid
    assert [browser.print(SHEET, 480) for _ in range(3)] == [first] * 3
    assert browser._pid != pid


def test_nothing_is_left_of_a_browser_that_is_closed():
    with Browser(find_browser(), SHELL, 640, 480) as browser:
        browser.print(SHEET, 480)
        processes, folder = _processes(browser), Path(browser._folder.name)
        assert folder.is_dir()
    end = time.monotonic() + 5
    while (left := [kind for kind, pid in processes.items() if _runs(pid)]) and time.monotonic() < end:
        time.sleep(0.05)
    assert left == []
    assert not folder.exists()


def _runs(pid):
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_memory_does_not_grow_over_two_thousand_sheets(browser):
    sheet = "<p>" + "word <b>bold</b> " * 600 + "</p>"

    def megabytes():
        status = [Path(f"/proc/{pid}/status").read_text() for pid in (os.getpid(), *_processes(browser).values())]
        return sum(int(text.partition("VmRSS:")[2].split()[0]) for text in status) / 1024

    seen = []
    for number in range(2001):
        browser.print(sheet + str(number), 480)
        if number % 250 == 249:
            seen.append(megabytes())
    assert max(seen[1:]) < 1.15 * seen[0], seen
