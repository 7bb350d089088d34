"""Says what is there, what is missing and how to mend it: Python, browser, fonts, KaTeX, torch, weights, disk.

    proofpress doctor

Each check tries the thing itself (the browser is asked its version, KaTeX sets a formula), so that what it calls good
works. Nothing is changed.
"""

import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from proofpress.generators.browser_path import FIXES, browser_version, find_browser
from proofpress.generators.fonts import catalogue
from proofpress.pages.errors import RequestError
from proofpress.pages.latex import LatexError, render_html
from proofpress.templates.assets import katex_js, package_version

KATEX = "0.16.21"  # what most scorers carry, and what every formula is held to
MIN_FREE = 2 * 2**30  # bytes


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. found: what is there, or what went wrong. fix: how to mend it; empty when it is ok."""

    name: str
    ok: bool
    found: str
    fix: str = ""


def diagnose() -> list[Finding]:
    """All findings, always in the same order; never raises for what is missing."""
    return [check() for check in CHECKS]


def render(findings: list[Finding]) -> str:
    """The findings as lines for a terminal, each fix below its finding."""
    width = max((len(finding.name) for finding in findings), default=0)
    lines = []
    for finding in findings:
        lines.append(f"{'ok     ' if finding.ok else 'MISSING'} {finding.name:<{width}}  {finding.found}")
        lines += [f"{'':8}{line}" for line in finding.fix.splitlines()]
    return "\n".join(lines)


def check_python() -> Finding:
    """Python 3.11 or newer."""
    ok = sys.version_info >= (3, 11)
    return Finding("python", ok, platform.python_version(), "" if ok else "install Python 3.11 or newer")


def check_browser() -> Finding:
    """A browser that starts and answers."""
    try:
        binary = find_browser()
        return Finding("browser", True, f"{browser_version(binary)}, {binary.path} ({binary.origin})")
    except RequestError as error:
        return Finding("browser", False, str(error).partition("\n")[0], FIXES)


def check_fonts() -> Finding:
    """Font families to print with."""
    try:
        families = catalogue()
    except RequestError as error:
        return Finding("fonts", False, str(error), "make setup")
    kinds = ", ".join(f"{sum(f.kind == kind for f in families)} {kind}" for kind in ("serif", "sans", "mono"))
    return Finding("fonts", bool(families), f"{len(families)} families: {kinds}", "" if families else "make setup")


def check_katex() -> Finding:
    """KaTeX at our version, setting a formula in V8."""
    try:
        version = package_version(katex_js().parent.parent)
        render_html(r"\frac{1}{2}")
    except (RequestError, LatexError) as error:
        return Finding("katex", False, str(error), "make setup")
    ok = version == KATEX
    return Finding("katex", ok, f"{version} in V8", "" if ok else f"KaTeX {KATEX} is needed: make setup")


def check_torch() -> Finding:
    """torch, and what it computes on."""
    try:
        import torch
    except ImportError as error:
        return Finding("torch", False, str(error), "pip install 'torch>=2.6,<2.14'")
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} threads"
    return Finding("torch", True, f"{torch.__version__} on {device}")


def check_weights() -> Finding:
    """The weights that come with the package."""
    folder = resources.files("proofpress.model.weights")
    files = sorted(Path(str(path)) for path in folder.iterdir() if path.name.endswith(".safetensors"))
    if not files:
        return Finding("weights", False, f"none in {folder}", "install proofpress again: its weights are incomplete")
    return Finding("weights", True, ", ".join(f"{path.name} {path.stat().st_size / 2**20:.1f} MiB" for path in files))


def check_disk() -> Finding:
    """Room for a dataset where the command runs."""
    free = shutil.disk_usage(Path.cwd()).free
    ok = free >= MIN_FREE
    found = f"{free / 2**30:.1f} GiB free in {Path.cwd()}"
    return Finding("disk", ok, found, "" if ok else f"free {MIN_FREE / 2**30:.0f} GiB, or work in another folder")


CHECKS: tuple[Callable[[], Finding], ...] = (
    check_python,
    check_browser,
    check_fonts,
    check_katex,
    check_torch,
    check_weights,
    check_disk,
)
