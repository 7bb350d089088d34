"""Which browser prints: the first usable one of a fixed order, or an error that lists all that was tried.

Kinds and versions of browsers paint different pixels, so what is found is recorded with every dataset. A choice that
was made by name (by the recipe or a variable) is never passed over: where it does not exist, that is the error.

    >>> find_browser().kind
    'chromium-headless-shell'
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import playwright

from proofpress.pages.errors import RequestError

VARIABLES = ("PROOFPRESS_CHROMIUM", "CHROME_BIN", "CHROMIUM_BIN")
UNPACKED = Path("~/.cache/proofpress/chromium/chromium-headless-shell").expanduser()  # npm's, put there by `make setup`
COMMANDS = (
    "chromium-headless-shell",
    "/usr/lib/chromium/chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    str(UNPACKED),
)
PLAYWRIGHT_LAYOUTS = (
    "chromium_headless_shell-{revision}/*/*headless*shell",
    "chromium-{revision}/chrome-linux*/chrome",
    "chromium-{revision}/chrome-mac*/*.app/Contents/MacOS/*",
)
FIXES = """\
Any one of these mends it:
  make setup                                       does the following for you
  playwright install --with-deps chromium          Playwright's own browser
  apt-get install chromium-headless-shell          Debian's
  PROOFPRESS_CHROMIUM=/path/to/chromium            one you have"""


@dataclass(frozen=True, slots=True)
class BrowserBinary:
    """A browser to start. kind: ``chromium-headless-shell``, ``chromium`` or ``chrome``. origin: where it was found."""

    path: str
    kind: str
    origin: str


def find_browser(explicit: str | None = None) -> BrowserBinary:
    """The browser the press starts.

    explicit: a path or command that the user named, e.g. in the recipe; then no other is looked for.
    Raises ``RequestError`` with everything tried and the ways to mend it.
    """
    tried = []
    for origin, command, by_name in _candidates(explicit):
        path = shutil.which(command)
        if path:
            return BrowserBinary(path, _kind(path), origin)
        tried.append(f"  {origin}: {command}")
        if by_name:
            break
    raise RequestError("\n".join(["no browser to print with; tried:", *tried, FIXES]))


def browser_version(binary: BrowserBinary) -> str:
    """What the browser answers to ``--version``, e.g. ``Chromium 156.0.8078.114``; ``RequestError`` if it does not."""
    try:
        done = subprocess.run([binary.path, "--version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise RequestError(f"{binary.path} ({binary.origin}) does not start: {error}\n{FIXES}") from error
    return done.stdout.strip()


def _candidates(explicit: str | None) -> Iterator[tuple[str, str, bool]]:
    """Origin, path or command, and whether the user named it."""
    if explicit:
        yield "named in the recipe", explicit, True
    for variable in VARIABLES:
        if os.environ.get(variable):
            yield f"${variable}", os.environ[variable], True
    for path in _playwright_browsers():
        yield "Playwright's own", path, False
    for command in COMMANDS:
        yield "on the path" if "/" not in command else "of the system", command, False


def _playwright_browsers() -> list[str]:
    """Where Playwright's own browsers of this version lie, the headless shell first: it is the quicker one.

    Read from its files, for its driver cannot be asked where another one runs already.
    """
    package = Path(playwright.__file__).parent / "driver" / "package"
    listed = json.loads((package / "browsers.json").read_text(encoding="utf-8"))["browsers"]
    revision = next(entry["revision"] for entry in listed if entry["name"] == "chromium")
    folder = _playwright_folder(package)
    found: list[str] = []
    for pattern in PLAYWRIGHT_LAYOUTS:
        found += sorted(str(path) for path in folder.glob(pattern.format(revision=revision)))
    return found or [str(folder / f"chromium-{revision}")]


def _playwright_folder(package: Path) -> Path:
    chosen = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if chosen == "0":
        return package / ".local-browsers"
    if chosen:
        return Path(chosen)
    return Path("~/Library/Caches" if sys.platform == "darwin" else "~/.cache").expanduser() / "ms-playwright"


def _kind(path: str) -> str:
    name = Path(path).name
    if "headless" in name:
        return "chromium-headless-shell"
    return "chrome" if "google" in name else "chromium"
