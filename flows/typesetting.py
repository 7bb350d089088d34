"""Formulas laid out by Chromium, for what compares where glyphs lie: CDM, and olmOCR-bench's formula tests.

    with Typesetting() as typeset:
        [layout] = typeset([r"\\frac{a}{b}"])

KaTeX's HTML is made in process (``pages.latex``), so the page holds no script but the measuring one. Layouts are kept:
a benchmark's gold formulas come again and again.
"""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from proofpress import templates
from proofpress.generators.browser import Browser
from proofpress.generators.browser_path import find_browser
from proofpress.model.rewards.unit_tests.glyphs import Glyph, Typeset
from proofpress.pages.latex import LatexError, render_html
from proofpress.templates.assets import katex_css

#: As olmOCR's renderer lays formulas out.
FONT_SIZE, WIDTH, HEIGHT = 24, 800, 400
BATCH = 50  # formulas on one sheet
KEPT = 20_000  # layouts


class Typesetting:
    """A ``Typesetter`` with a browser of its own, started at the first formula that needs it; not shared by threads.

    fonts: KaTeX's own, as CDM needs them; without, a font of the machine's, as olmOCR-bench measures.
    """

    def __init__(self, fonts: bool = True) -> None:
        self._fonts = fonts
        self._browser: Browser | None = None
        self._layouts: dict[str, Typeset | None] = {}

    def __call__(self, latex: Sequence[str]) -> list[Typeset | None]:
        """The layout of each formula in display mode; None where KaTeX does not take it."""
        if len(self._layouts) > KEPT:
            self._layouts.clear()
        new = [formula for formula in dict.fromkeys(latex) if formula not in self._layouts]
        for start in range(0, len(new), BATCH):
            self._lay_out(new[start : start + BATCH])
        return [self._layouts[formula] for formula in latex]

    def close(self) -> None:
        """End the browser."""
        if self._browser is not None:
            self._browser.close()
            self._browser = None

    def __enter__(self) -> "Typesetting":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lay_out(self, formulas: Sequence[str]) -> None:
        taken, sheets = [], []
        for formula in formulas:
            try:
                sheets.append(f"<div class='formula'>{render_html(formula, display=True)}</div>")
                taken.append(formula)
            except LatexError:
                self._layouts[formula] = None
        if not taken:
            return
        if self._browser is None:
            self._browser = Browser(find_browser(), _shell(self._fonts), WIDTH, HEIGHT)
        measured: Any = self._browser.print("".join(sheets), HEIGHT).measured  # a list for a list of formulas
        for formula, glyphs in zip(taken, measured, strict=True):
            self._layouts[formula] = tuple(
                Glyph(text, x, y, width, height, drawn) for text, drawn, x, y, width, height in glyphs
            )


def _shell(fonts: bool) -> str:
    # Inside the page, KaTeX's style sheet finds none of its fonts.
    css = katex_css()
    style = f"<link rel='stylesheet' href='{css.as_uri()}'>" if fonts else f"<style>{css.read_text('utf-8')}</style>"
    script = Path(templates.__file__).with_name("typeset.js").read_text(encoding="utf-8")
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>formulas</title>"
        f"{style}<style>body {{ margin: 0; font-size: {FONT_SIZE}px }}</style>"
        f"<script>{script}</script><body></body></html>"
    )
