"""What the bytes of a dataset depend on besides its recipe: versions, browser, fonts. It stands in every manifest.

made_with(recipe)    # {"versions": {"proofpress": "0.1.0", "python": ...}, "browser": {...}, "fonts": [...]}
"""

import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from proofpress.flows.config import BuildRecipe, JudgeRecipe
from proofpress.generators.fonts import catalogue
from proofpress.generators.press import machine

PACKAGES = ("proofpress", "numpy", "pillow", "pyarrow", "mini-racer", "lxml")
PRESS_PACKAGES = ("jinja2", "playwright", "sympy", "fonttools", "faker", "babel", "opencv-python-headless")
MODEL_PACKAGES = ("torch", "safetensors")


def versions(*groups: tuple[str, ...]) -> dict[str, str]:
    """Versions of Python and of the packages a dataset was made with."""
    return {"python": platform.python_version()} | {name: version(name) for group in groups for name in group}


def judged_with(judge: JudgeRecipe) -> dict[str, Any]:
    """The judging model, by what it is and not by where it lies, and the thresholds that it judges by.

    thresholds: ``tasks``, what each task's records must reach; ``false_rejects``, the share of proofed records that was
    below them when they were calibrated.
    """
    from proofpress.model.jina_ocr import checkpoint  # a build without a judge does not wait for torch
    from proofpress.model.judge import THRESHOLDS, Thresholds

    thresholds = Thresholds.read(checkpoint.folder_of(judge.model) / THRESHOLDS)
    return {"model": {"sha256": checkpoint.digest(judge.model), "thresholds": asdict(thresholds)}}


def made_with(recipe: BuildRecipe) -> dict[str, Any]:
    """Versions, and browser and fonts where pages are printed. Starts the browser once, to ask it.

    fonts: family -> {version, sha256 of its files}.
    """
    press, judge = recipe.press, recipe.judge
    made = {"versions": versions(PACKAGES, PRESS_PACKAGES if press else (), MODEL_PACKAGES if judge else ())}
    if judge is not None:
        made |= judged_with(judge)
    if press is None:
        return made
    fonts = {family.name: {"version": family.version, "sha256": family.sha256()} for family in catalogue()}
    return {**made, **machine(press), "fonts": fonts}
