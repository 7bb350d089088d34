"""The markup that formulas are painted from: a page's are made in one call, and kept for its proof to ask for again.

The press asks for the formulas of its pieces, the proof for those of the label; where the two differ, so does what
they get.

    paint([("x^2", False)], math_font="")
    markup("x^2", False, math_font="")          # '<span class="katex">...', spelt as a browser spells its document
"""

import re
from collections.abc import Iterable

from proofpress.generators.content import mathml
from proofpress.pages import latex
from proofpress.pages.latex import LatexError

KEPT = 4096  # formulas whose markup is kept

_EMPTY_TAG = re.compile(r"<([a-z]+)([^<>]*)/>")
_kept: dict[tuple[str, bool], str | LatexError] = {}


def paint(formulas: Iterable[tuple[str, bool]], math_font: str) -> None:
    """Make the markup of these ``(latex, display)`` ready, in one call for all of them."""
    if math_font:
        return  # MathML is made, and kept, when a formula is chosen for a page
    if len(_kept) > KEPT:
        _kept.clear()
    new = [formula for formula in dict.fromkeys(formulas) if formula not in _kept]
    _kept.update(zip(new, map(_spelt, latex.render_each(new)), strict=True))


def markup(source: str, display: bool, math_font: str) -> str:
    """The HTML a formula is painted from. Raises ``LatexError``.

    math_font: an OpenType math font to set MathML in, or empty for KaTeX's own.
    """
    if math_font:
        return mathml.typeset(source, display).replace("\u00a0", "&nbsp;")
    made = _kept.get((source, display)) or _spelt(latex.render_each([(source, display)])[0])
    if isinstance(made, LatexError):
        raise LatexError(made.message, made.position)
    return made


def _spelt(html: str | LatexError) -> str | LatexError:
    """KaTeX's HTML, spelt as a browser spells its document."""
    if isinstance(html, LatexError):
        return html
    html = _EMPTY_TAG.sub(r"<\1\2></\1>", html).replace("'", '"')
    return html.replace("&#x27;", "'").replace("&quot;", '"').replace("\u00a0", "&nbsp;")
