r"""Exercises as textbooks and examinations set them: a statement in words with formulas in it, often in parts.

Sentences are in ``problems.txt``, formulas in them come from the rules of ``latex.txt`` and, where something is to be
shown, from true statements.

    >>> problem(random.Random(11))[:2]
    (Run(kind='text', text='A sequence is defined by '), Run(kind='math', text='a_{k+1} = \\sqrt{8 + a_k}'))
"""

from functools import cache
from random import Random

from proofpress.generators.content import grammar, prose, quantities
from proofpress.generators.content.rules import Rules
from proofpress.generators.content.sympy_atoms import Statement, statement
from proofpress.pages.markdown import Run

LONGEST = 90  # characters of LaTeX that still stand in a line of text
DEPTH = 8
WORDS = (
    "small",
    "money",
    "percent",
    "clock",
    "year",
    "change",
)  # of quantities; the rest would hide rules of latex.txt


def problem(rng: Random) -> tuple[Run, ...]:
    """One exercise, as runs that join without further space; its parts, (a), (b) ..., follow in the same paragraph."""
    while True:
        runs = prose.runs_of(prose.capitalised(_rules().write(rng, "problem", prose.voice(rng), DEPTH)))
        if all(run.kind == "text" or len(run.text) <= LONGEST for run in runs):
            return runs


@cache
def _rules() -> Rules:
    true = {"true": _equation, "true_side": lambda rng: low_statement(rng).left}
    makers = {**grammar.MAKERS, **{word: quantities.MAKERS[word] for word in WORDS}, **true}
    return Rules.read("problems.txt", "names.txt", "latex.txt", makers=makers, given=prose.GIVEN)


def _equation(rng: Random) -> str:
    said = low_statement(rng)
    return f"{said.left} = {said.right}"


def low_statement(rng: Random) -> Statement:
    """A true statement that fits into a line of text: no matrix, not too long."""
    said = statement(rng)
    while "matrix" in said.left or len(said.left) + len(said.right) > LONGEST:
        said = statement(rng)
    return said
