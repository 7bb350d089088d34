"""One Chromium with one page that every sheet is printed on: content is swapped, never navigated to.

Swapping the body of a ``file://`` shell page that has the style sheets, fonts and measuring script loaded is several
times quicker than a page or context for each sheet; the shell must be a file, for a page without an address loads no
font and says nothing. The browser has no network, and is started anew when it grows old or breaks. Its driver lives in
a thread of its own, because it keeps an event loop running in whichever thread it is used from, and V8 (``latex.py``)
and Prefect will not work beside one.

    with Browser(find_browser(), shell_page(css, script), width=1024, height=1448) as browser:
        sheet = browser.print(html, height=1448)
"""

import base64
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from proofpress.generators.browser_path import BrowserBinary
from proofpress.pages.errors import WorkError

#: Flags that make pixels and rectangles the same from run to run; they are part of every manifest.
FLAGS = (
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--disable-font-subpixel-positioning",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
SHEETS_PER_BROWSER = 1000  # the driver's memory grows with every sheet; a start costs a third of a second
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Sheet:
    """What came off the press: the PNG, and what ``templates/press.js`` measured on it."""

    png: bytes
    measured: dict[str, Any]


class Browser:
    """A Chromium that prints sheets one after the other; not shared between processes.

    binary: the browser to start. shell: the HTML of the shell page. width, height: CSS pixels of the largest sheet,
    which are pixels of the image.
    """

    def __init__(self, binary: BrowserBinary, shell: str, width: int, height: int) -> None:
        self._binary, self._width, self._height = binary, width, height
        self._folder = tempfile.TemporaryDirectory(prefix="proofpress-")
        self._shell = Path(self._folder.name, "shell.html")
        self._shell.write_text(shell, encoding="utf-8")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="browser")
        self._driver = self._thread.submit(sync_playwright().start).result()
        try:
            self._thread.submit(self._start).result()
        except WorkError:
            self._thread.submit(self._driver.stop).result()
            raise

    @property
    def version(self) -> str:
        """The browser's own version, e.g. ``156.0.8078.114``."""
        return self._browser.version

    def print(self, html: str, height: int) -> Sheet:
        """Print one sheet of the given height from the body's HTML.

        Raises ``WorkError`` when the browser breaks three times over the same sheet.
        """
        return self._thread.submit(self._print, html, height).result()

    def close(self) -> None:
        """End the browser and its driver."""
        self._thread.submit(self._stop).result()
        self._thread.submit(self._driver.stop).result()
        self._thread.shutdown()
        self._folder.cleanup()

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _print(self, html: str, height: int) -> Sheet:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                if self._sheets >= SHEETS_PER_BROWSER:
                    self._restart()
                self._sheets += 1
                return self._print_once(html, height)
            except PlaywrightError as error:
                if attempt == ATTEMPTS:
                    raise WorkError(f"{self._binary.path}: the browser failed {ATTEMPTS} times: {error}") from error
                self._restart()
        raise AssertionError("unreachable")

    def _print_once(self, html: str, height: int) -> Sheet:
        measured = json.loads(self._page.evaluate("html => press.print(html)", html))
        shot = self._cdp.send(
            "Page.captureScreenshot",
            {
                "format": "png",
                "optimizeForSpeed": True,
                "clip": {"x": 0, "y": 0, "width": self._width, "height": height, "scale": 1},
            },
        )
        return Sheet(base64.b64decode(shot["data"]), measured)

    def _start(self) -> None:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        try:
            self._browser = self._driver.chromium.launch(
                executable_path=self._binary.path, args=[*FLAGS, *sandbox], handle_sigint=False, handle_sigterm=False
            )
            context = self._browser.new_context(
                viewport={"width": self._width, "height": self._height}, device_scale_factor=1, offline=True
            )
            self._page = context.new_page()
            self._page.goto(self._shell.as_uri())
            self._cdp = context.new_cdp_session(self._page)
        except PlaywrightError as error:
            raise WorkError(f"{self._binary.path}: the browser does not start: {error}") from error
        self._sheets = 0

    def _stop(self) -> None:
        try:
            self._browser.close()
        except PlaywrightError:
            return  # it is gone already, which is what was wanted

    def _restart(self) -> None:
        self._stop()
        self._start()
