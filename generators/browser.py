"""One Chromium with one page that every sheet is printed on: content is swapped, never navigated to.

Swapping the body of a ``file://`` shell page that has the style sheets, fonts and measuring script loaded is several
times quicker than a page or context for each sheet; the shell must be a file, for a page without an address loads no
font and says nothing. Where the browser can (``chromium-headless-shell``) it draws a frame only when it is asked for
one, and so one for each sheet, which is its picture. The browser has no network. It is started anew when it grows old,
breaks, or hangs. It is spoken to in a thread of its own, so that sheets are printed while the caller does other work.

    with Browser(find_browser(), shell_page(css, script), width=1024, height=1448) as browser:
        sheet = browser.print(html, height=1448)
"""

import base64
import json
import os
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from proofpress.generators.browser_path import BrowserBinary
from proofpress.generators.devtools import Devtools, DevtoolsError
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
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
#: What keeps Chromium from doing anything else than it is told to.
QUIET = (
    "--headless",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-features=OptimizationHints,MediaRouter,PaintHolding,NetworkTimeServiceQuerying",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-renderer-backgrounding",
    "--disable-sync",
)
SHEETS_PER_BROWSER = 1000  # its memory and the driver's grow with every sheet; a start costs half a second
SHEETS_PER_COLLECTION = 50  # left to itself the browser keeps hundreds of megabytes of old sheets
SECONDS_PER_SHEET = 60.0  # a browser that takes longer hangs
ATTEMPTS = 3
FRAMES = 10  # asked for before giving up: the first of a new page may be none
OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
PICTURE = {"format": "png", "optimizeForSpeed": True}


@dataclass(frozen=True, slots=True)
class Sheet:
    """What came off the press: the PNG, and what ``templates/press.js`` measured on it."""

    png: bytes
    measured: dict[str, Any]


class Browser:
    """A Chromium that prints sheets one after the other; not shared between processes.

    binary: the browser to start. shell: the HTML of the shell page. width, height: CSS pixels of the largest sheet,
    which are pixels of the image. ``version`` is the browser's own, e.g. ``156.0.8078.114``.
    """

    version: str

    def __init__(self, binary: BrowserBinary, shell: str, width: int, height: int) -> None:
        self._binary, self._width, self._height = binary, width, height
        self._folder = tempfile.TemporaryDirectory(prefix="proofpress-", ignore_cleanup_errors=True)
        self._shell = Path(self._folder.name, "shell.html")
        self._shell.write_text(shell, encoding="utf-8")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="browser")
        self._thread.submit(self._start).result()

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
        self._thread.submit(self._devtools.close).result()
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
                if self._sheets % SHEETS_PER_COLLECTION == 0:
                    self._ask("HeapProfiler.collectGarbage")
                return self._print_once(html, height)
            except DevtoolsError as error:
                if attempt == ATTEMPTS:
                    raise WorkError(f"{self._binary.path}: the browser failed {ATTEMPTS} times: {error}") from error
                self._restart()
        raise AssertionError("unreachable")

    def _print_once(self, html: str, height: int) -> Sheet:
        if height != self._height:
            self._set_height(height)
        measured = json.loads(self._call("async function(html) { return press.print(html) }", html))
        return Sheet(base64.b64decode(self._picture()), measured)

    def _picture(self) -> str:
        """The page's PNG in base64."""
        if not self._draws_on_demand:
            return str(self._ask("Page.captureScreenshot", PICTURE)["data"])
        for _ in range(FRAMES):
            frame = self._ask("HeadlessExperimental.beginFrame", {"screenshot": PICTURE})
            if "screenshotData" in frame:
                return str(frame["screenshotData"])
        raise DevtoolsError(f"no picture in {FRAMES} frames")

    def _call(self, function: str, *arguments: object) -> Any:
        """What a function of JavaScript returns in the page."""
        answer = self._ask(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "arguments": [{"value": argument} for argument in arguments],
                "objectId": self._window,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        if "exceptionDetails" in answer:
            raise DevtoolsError(str(answer["exceptionDetails"].get("exception", answer["exceptionDetails"])))
        return answer["result"].get("value")

    def _ask(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._devtools.ask(method, parameters, self._session, SECONDS_PER_SHEET)

    def _set_height(self, height: int) -> None:
        size = {"width": self._width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", size)
        self._height = height

    def _start(self) -> None:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        profile = tempfile.mkdtemp(prefix="profile-", dir=self._folder.name)
        self._devtools = Devtools([self._binary.path, *QUIET, *FLAGS, *sandbox], Path(profile))
        try:
            self._open_shell()
        except DevtoolsError as error:
            self._devtools.close()
            raise WorkError(f"{self._binary.path}: the browser does not start: {error}") from error
        self._sheets = 0

    def _open_shell(self) -> None:
        """Open the shell page, which draws on demand where the browser can."""
        ask = self._devtools.ask
        self.version = ask("Browser.getVersion")["product"].partition("/")[2]
        self._draws_on_demand = self._binary.kind == "chromium-headless-shell"
        page: dict[str, Any] = {"url": "about:blank", "width": self._width, "height": self._height}
        if self._draws_on_demand:
            page["enableBeginFrameControl"] = True
        context = ask("Target.createBrowserContext")["browserContextId"]
        target = ask("Target.createTarget", {**page, "browserContextId": context})["targetId"]
        self._session = ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        self._set_height(self._height)
        self._ask("Network.enable")
        self._ask("Network.emulateNetworkConditions", OFFLINE)
        self._ask("Page.enable")
        self._ask("Page.navigate", {"url": self._shell.as_uri()})
        self._devtools.wait_for("Page.loadEventFired")
        self._window = self._ask("Runtime.evaluate", {"expression": "window"})["result"]["objectId"]

    def _restart(self) -> None:
        self._devtools.close()
        self._start()
