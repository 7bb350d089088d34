"""One Chromium with one page that every sheet is printed on: content is swapped, never navigated to.

Swapping the body of a ``file://`` shell page that has the style sheets, fonts and measuring script loaded is several
times quicker than a page or context for each sheet; the shell must be a file, for a page without an address loads no
font and says nothing. Where the browser can (``chromium-headless-shell``) it draws a frame only when it is asked for
one, and so one for each sheet; where it can also draw a document on a canvas, and the shell asks for it
(``templates/picture.js``), that frame is shown to nobody and the picture is read from the canvas. The browser has no
network. It is started anew, with its driver, when it grows old, breaks, or hangs. The driver lives in a thread of its
own, because it keeps an event loop running in whichever thread it is used from, and V8 (``latex.py``) and Prefect will
not work beside one.

    with Browser(find_browser(), shell_page(css, script), width=1024, height=1448) as browser:
        sheet = browser.print(html, height=1448)
"""

import base64
import json
import os
import signal
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Any

import numpy as np
from playwright.sync_api import BrowserContext, Page, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from proofpress.generators.browser_path import BrowserBinary
from proofpress.generators.picture import PNG, encode, unpack
from proofpress.pages.errors import WorkError

#: Flags that make pixels and rectangles the same from run to run; they are part of every manifest.
FLAGS = (
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--disable-font-subpixel-positioning",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--disable-gpu",
    "--in-process-gpu",
    "--enable-begin-frame-control",
    "--run-all-compositor-stages-before-draw",
    "--disable-dev-shm-usage",
    "--enable-blink-features=CanvasDrawElement",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
SHEETS_PER_BROWSER = 1000  # its memory and the driver's grow with every sheet; a start costs half a second
SHEETS_PER_COLLECTION = 50  # left to itself the browser keeps hundreds of megabytes of old sheets
SECONDS_PER_SHEET = 60.0  # a browser that takes longer hangs
ATTEMPTS = 3
FRAMES = 10  # asked for before giving up: the first of a new page may be none
PICTURE = {"format": "png", "optimizeForSpeed": True}


@dataclass(frozen=True, slots=True)
class Sheet:
    """What came off the press: the picture as the browser gave it, and what ``templates/press.js`` measured on it."""

    drawn: bytes
    width: int
    measured: dict[str, Any]

    def picture(self) -> np.ndarray:
        """The pixels of uint8: RGB, ``(height, width, 3)``, or where it has no colours ``(height, width)``."""
        return unpack(self.drawn, self.width)

    @property
    def png(self) -> bytes:
        return self.drawn if self.drawn.startswith(PNG) else encode(self.picture())


class Browser:
    """A Chromium that prints sheets one after the other; not shared between processes.

    binary: the browser to start. shell: the HTML of the shell page. width, height: CSS pixels of the largest sheet,
    which are pixels of the image.
    """

    def __init__(self, binary: BrowserBinary, shell: str, width: int, height: int) -> None:
        self._binary, self._width, self._height = binary, width, height
        self._folder = tempfile.TemporaryDirectory(prefix="proofpress-", ignore_cleanup_errors=True)
        self._shell = Path(self._folder.name, "shell.html")
        self._shell.write_text(shell, encoding="utf-8")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="browser")
        self._thread.submit(self._start).result()

    @property
    def version(self) -> str:
        """The browser's own version, e.g. ``156.0.8078.114``."""
        return self._browser.version

    def print(self, html: str, height: int) -> Sheet:
        """Print one sheet of the given height from the body's HTML.

        Raises ``WorkError`` when the browser breaks three times over the same sheet.
        """
        return self.submit(html, height).result()

    def submit(self, html: str, height: int) -> Future[Sheet]:
        """``print`` while the caller does something else; sheets are printed in the order they are submitted in."""
        return self._thread.submit(self._print, html, height)

    def close(self) -> None:
        """End the browser and its driver."""
        self._thread.submit(self._stop).result()
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
                with self._killed_if_it_hangs():
                    if self._sheets % SHEETS_PER_COLLECTION == 0:
                        self._cdp.send("HeapProfiler.collectGarbage")
                    return self._print_once(html, height)
            except PlaywrightError as error:
                if attempt == ATTEMPTS:
                    raise WorkError(f"{self._binary.path}: the browser failed {ATTEMPTS} times: {error}") from error
                self._restart()
        raise AssertionError("unreachable")

    def _print_once(self, html: str, height: int) -> Sheet:
        if height != self._height and not self._on_canvas:
            self._page.set_viewport_size({"width": self._width, "height": height})
            self._height = height
        measured = json.loads(self._page.evaluate("html => press.print(html)", html))
        drawn = self._read(height) if self._on_canvas else self._picture()
        return Sheet(base64.b64decode(drawn), self._width, measured)

    def _read(self, height: int) -> str:
        """The sheet's pixels in base64, packed: a frame paints it, and shows it to nobody."""
        for _ in range(FRAMES):
            self._cdp.send("HeadlessExperimental.beginFrame", {"noDisplayUpdates": True})
            if drawn := self._page.evaluate("height => picture.read(height)", height):
                return str(drawn)
        raise PlaywrightError(f"not painted in {FRAMES} frames")

    def _picture(self) -> str:
        """The page's PNG in base64."""
        if not self._draws_on_demand:
            return self._cdp.send("Page.captureScreenshot", PICTURE)["data"]
        for _ in range(FRAMES):
            frame = self._cdp.send("HeadlessExperimental.beginFrame", {"screenshot": PICTURE})
            if "screenshotData" in frame:
                return frame["screenshotData"]
        raise PlaywrightError(f"no picture in {FRAMES} frames")

    @contextmanager
    def _killed_if_it_hangs(self) -> Iterator[None]:
        """Have the browser killed, and so the call to it fail, when the sheet takes too long."""
        timer = Timer(SECONDS_PER_SHEET, os.kill, (self._pid, signal.SIGKILL))
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _start(self) -> None:
        """Start it; one that is killed before it can print is tried again, as one is that breaks over a sheet."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._start_once()
            except PlaywrightError as error:
                if attempt == ATTEMPTS:
                    raise WorkError(f"{self._binary.path}: the browser does not start: {error}") from error

    def _start_once(self) -> None:
        self._driver = sync_playwright().start()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        try:
            self._browser = self._driver.chromium.launch(
                executable_path=self._binary.path, args=[*FLAGS, *sandbox], handle_sigint=False, handle_sigterm=False
            )
            context = self._browser.new_context(
                viewport={"width": self._width, "height": self._height}, device_scale_factor=1, offline=True
            )
            self._page = self._new_page(context)
            self._page.goto(self._shell.as_uri())
            self._cdp = context.new_cdp_session(self._page)
            self._on_canvas = self._draws_on_demand and self._page.evaluate(
                "([width, height]) => typeof picture !== 'undefined' && picture.begin(width, height)",
                [self._width, self._height],
            )
            if self._on_canvas:
                self._picture()  # a page's first frame must be shown
        except PlaywrightError:
            self._driver.stop()
            raise
        self._sheets = 0

    def _new_page(self, context: BrowserContext) -> Page:
        """A page in the context, which draws on demand where the browser can."""
        whole = self._browser.new_browser_cdp_session()
        processes = whole.send("SystemInfo.getProcessInfo")["processInfo"]
        self._pid = next(process["id"] for process in processes if process["type"] == "browser")
        self._draws_on_demand = self._binary.kind == "chromium-headless-shell"
        if not self._draws_on_demand:
            return context.new_page()
        (mine,) = whole.send("Target.getBrowserContexts")["browserContextIds"]
        wanted = {"url": "about:blank", "width": self._width, "height": self._height, "browserContextId": mine}
        with context.expect_page() as page:
            whole.send("Target.createTarget", {**wanted, "enableBeginFrameControl": True})
        return page.value

    def _stop(self) -> None:
        with suppress(PlaywrightError):  # it is gone already, which is what was wanted
            self._browser.close()
        self._driver.stop()

    def _restart(self) -> None:
        self._stop()
        self._start()
