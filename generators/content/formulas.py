r"""Formulas of every construct that KaTeX sets: some true, most only typical, in the spellings authors use.

Truth comes from ``sympy_atoms``, typography from ``grammar``. One formula can be spelt in several ways (``\left(`` or
``(``, ``\dfrac`` or ``\frac``, ``\leq`` or ``\le``), and the spelling is drawn, too. Every output is valid in KaTeX
0.16.21, inline in a line and display on a line of its own.

    >>> display(random.Random(3))
    '\\int_{0}^{3} (-6v + 6)\\,dv = -9'
"""

import re
from random import Random

from proofpress.generators.content import grammar
from proofpress.generators.content.sympy_atoms import derivation, statement

TRUE_INLINE_SHARE = 0.12
TRUE_DISPLAY_SHARE = 0.28
INLINE_LENGTH = 60
SPELLINGS = (
    ((r"\leq ", r"\le "), (r"\geq ", r"\ge ")),
    ((r"\neq ", r"\ne "),),
    ((r" \cdot ", r" \times "),),
    ((" + ", "+"), (" - ", "-"), (" = ", "=")),
    ((r"\to ", r"\rightarrow "),),
    (("^{2}", "^2"),),
)
SPELLING_SHARE = 0.35
ARGUMENT = re.compile(r"(\\(?:sin|cos|tan|cosh|sinh|ln)(?:\^{\d+})?){\\left\(([^()]*) \\right\)}")
TRUE_FRAMES = (
    (8, "{0} = {1}"),
    (2, r"{0} = {1}, \qquad {2} = {3}"),
    (2, r"\begin{{aligned}} {0} &= {1}, \\ {2} &= {3} \end{{aligned}}"),
    (1, r"\boxed{{{0} = {1}}}"),
    (1, r"{0} = {1} \quad \text{{and}} \quad {2} = {3}"),
    (1, r"\therefore \quad {0} = {1}"),
    (1, r"{0} \stackrel{{!}}{{=}} {1}"),
)
DERIVATION_SHARE = 0.2
KEPT_SPELLING = ("accents", "chemistry", "fractions")  # forms that respelling would change
ENDINGS = ("", "", "", "", "", "", ".", ",", r"\,.", r"\;,")


def inline(rng: Random) -> str:
    """LaTeX of a formula low and short enough for a line of text."""
    if rng.random() < TRUE_INLINE_SHARE:
        said = statement(rng)
        latex = f"{said.left} = {said.right}"
        if len(latex) <= INLINE_LENGTH and "matrix" not in latex:
            return _respell(rng, latex)
    latex = grammar.inline(rng)
    while len(latex) > INLINE_LENGTH:
        latex = grammar.inline(rng)
    return _respell(rng, latex)


def display(rng: Random) -> str:
    """LaTeX of a formula for a line of its own; ``aligned``, ``cases`` and matrices make it several lines high."""
    latex = _true(rng) if rng.random() < TRUE_DISPLAY_SHARE else grammar.display(rng)
    ending = "" if latex.endswith("}") else rng.choice(ENDINGS)
    return _respell(rng, latex) + ending


def of_form(rng: Random, form: str) -> str:
    """LaTeX of a displayed formula of one form: ``line``, ``aligned``, ``cases``, ``matrix``, ``integral``,
    ``fractions``, ``accents``, ``text``, ``long`` or ``chemistry``."""
    latex = grammar.display_form(rng, form)
    return latex if form in KEPT_SPELLING else _respell(rng, latex)


def _true(rng: Random) -> str:
    if rng.random() < DERIVATION_SHARE:
        start, step, end = derivation(rng)
        return rf"\begin{{aligned}} {start} &= {step} \\ &= {end} \end{{aligned}}"
    frame = rng.choices([text for _, text in TRUE_FRAMES], [weight for weight, _ in TRUE_FRAMES])[0]
    first, second = statement(rng), statement(rng)
    return frame.format(first.left, first.right, second.left, second.right)


def _respell(rng: Random, latex: str) -> str:
    """Swap spellings that mean the same; an array keeps its delimiters, which must grow with it, and an inner fraction
    its size."""
    if rng.random() < SPELLING_SHARE and "array" not in latex:
        latex = ARGUMENT.sub(r"\1(\2)", latex).replace(r"\left(", "(").replace(r"\right)", ")")
    if rng.random() < SPELLING_SHARE and r"{\frac" not in latex:
        latex = latex.replace(r"\frac", r"\dfrac")
    for swaps in SPELLINGS:
        if rng.random() < SPELLING_SHARE:
            for usual, other in swaps:
                latex = latex.replace(usual, other)
    return latex
