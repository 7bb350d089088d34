r"""Formulas by their typography: the constructs of ``latex.txt``, nested and mixed without regard to truth.

What the rules write is LaTeX that KaTeX takes as it stands. Statements that are true come from ``sympy_atoms``.

    >>> display(random.Random(5))
    '\\begin{cases} \\mathbf{w} > 1 - \\xi^{5} \\\\ 4x - 8y + z = 19 \\end{cases}'
"""

from functools import cache
from random import Random

from proofpress.generators.content.rules import Maker, Rules

INLINE_DEPTH = 6
DISPLAY_DEPTH = 8


def inline(rng: Random) -> str:
    """LaTeX of a short formula for a line of text."""
    return _rules().write(rng, "inline", depth=INLINE_DEPTH)


def display(rng: Random) -> str:
    """LaTeX of a formula that stands by itself, of one line or several."""
    return _rules().write(rng, "display", depth=DISPLAY_DEPTH)


def display_form(rng: Random, form: str) -> str:
    """LaTeX of a displayed formula of the form with this name in ``latex.txt``."""
    return _rules().write(rng, f"form_{form}", depth=DISPLAY_DEPTH)


def part(rng: Random, symbol: str) -> str:
    """LaTeX of any construct of the grammar by name, e.g. ``symbol``, ``matrix``, ``measured``."""
    return _rules().write(rng, symbol, depth=INLINE_DEPTH)


def _digit(rng: Random) -> str:
    return str(rng.randrange(2, 10))


def _integer(rng: Random) -> str:
    return str(rng.randrange(10, 100) if rng.random() < 0.7 else rng.randrange(100, 3000))


def _decimal(rng: Random) -> str:
    return f"{rng.uniform(0.1, 20):.{rng.choice((1, 2, 2, 3))}f}"


MAKERS: dict[str, Maker] = {"integer": _integer, "digit": _digit, "decimal": _decimal}


@cache
def _rules() -> Rules:
    return Rules.read("latex.txt", makers=MAKERS)
