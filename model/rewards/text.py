"""How much of a text was read right: characters, words and numbers, each against both sides.

Signs, decimal points and percent are part of a number, and a number is right or wrong: ``1.5`` is not nearly ``15``.
Every part is symmetric and counts what is there too much as well as what is missing, so a fragment scores by its share
of the text and an empty page scores 0 (``partial_ratio``, which many scorers use, passes both).

    >>> compare("gains of 15%", "gains of 1.5%").parts["numbers"]
    0.0
"""

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from proofpress.model.rewards import formula
from proofpress.model.rewards.formula import Formula
from proofpress.model.rewards.scoring import GoldError, Score, f1, in_order, mean
from proofpress.pages.markdown import Run, runs
from proofpress.pages.text import normalise, numbers, words

NUMBERS = 0.5  # of a text's value, lost where no number is right
NEAR = 15 / 16  # how like its gold most readings are, at least; a hint that makes these quick and changes none

#: Stands around a formula in canonical text, where a dollar may be a printed one.
_MATH = "\ue000"


def canonical(lines: Sequence[str]) -> list[str]:
    """Lines of inline Markdown as texts to compare: normalised, and each formula that KaTeX takes in normal form."""
    read = [runs(line) if "$" in line else (Run("text", line),) for line in (line.replace(_MATH, "") for line in lines)]
    latex = [run.text for line in read for run in line if run.kind == "math"]
    formulas = iter(formula.read(latex))
    return [
        normalise("".join(_spell(next(formulas)) if run.kind == "math" else run.text for run in line)) for line in read
    ]


def compare(prediction: str, gold: str) -> Score:
    """The reward of a text, 1 for texts of one normal form and no others.

    It is the mean of ``characters`` (1 - Levenshtein distance / length of the longer) and ``words`` (F1 of those in the
    same order), less up to ``NUMBERS`` of it by ``numbers`` (likewise, where either side has any): the right numbers
    alone are worth nothing. Raises ``GoldError`` for an empty gold.
    """
    if not normalise(gold).strip():
        raise GoldError("no text to compare with")
    parts = {
        "characters": Levenshtein.normalized_similarity(
            normalise(prediction).strip(), normalise(gold).strip(), score_hint=NEAR
        ),
        "words": f1(*in_order(words(prediction), words(gold))),
    }
    found, expected = numbers(prediction), numbers(gold)
    if found or expected:
        parts["numbers"] = f1(*in_order(found, expected))
    if not normalise(prediction).strip():
        return Score(0.0, parts, "empty", "the prediction is empty")
    value = mean((parts["characters"], parts["words"])) * (1 - NUMBERS * (1 - parts.get("numbers", 1.0)))
    return Score(value, parts)


def cell_similarity(prediction: str, gold: str) -> float:
    """0..1 for two short texts in canonical form; equal texts only are 1, and two different numbers are 0."""
    if prediction == gold:
        return 1.0
    found, expected = numbers(prediction), numbers(gold)
    return Levenshtein.normalized_similarity(prediction, gold) * f1(*in_order(found, expected))


def _spell(one: Formula) -> str:
    return f"{_MATH}{formula.spelling(one)}{_MATH}"
