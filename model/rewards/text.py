"""How much of a text was read right: characters, words and numbers, each against the longer or both sides.

Signs, decimal points and percent are part of a number, and a number is right or wrong: ``1.5`` is not nearly ``15``.
Every part is symmetric and counts what is there too much as well as what is missing, so a fragment scores by its share
of the text and an empty page scores 0 (``partial_ratio``, which many scorers use, passes both).

    >>> compare("gains of 15%", "gains of 1.5%").parts["numbers"]
    0.0
"""

from rapidfuzz.distance import Levenshtein

from proofpress.model.rewards.scoring import GoldError, Score, f1, mean, overlap
from proofpress.pages.latex import LatexError, normal_form
from proofpress.pages.markdown import Run, inline, runs
from proofpress.pages.text import normalise, numbers, words


def canonical(line: str) -> str:
    """Inline Markdown with its text normalised and each formula that KaTeX takes in normal form."""
    if "$" not in line:
        return normalise(line)
    return normalise(inline(tuple(Run("math", _spell(run.text)) if run.kind == "math" else run for run in runs(line))))


def compare(prediction: str, gold: str) -> Score:
    """The reward of a text: the mean of its parts, 1 for texts of one normal form and no others.

    Parts: ``characters`` (1 - Levenshtein distance / length of the longer), ``words`` and, where either side has any,
    ``numbers`` (F1 of what both have). Raises ``GoldError`` for an empty gold.
    """
    prediction, gold = normalise(prediction).strip(), normalise(gold).strip()
    if not gold:
        raise GoldError("no text to compare with")
    parts = {
        "characters": Levenshtein.normalized_similarity(prediction, gold),
        "words": f1(*overlap(words(prediction), words(gold))),
    }
    found, expected = numbers(prediction), numbers(gold)
    if found or expected:
        parts["numbers"] = f1(*overlap(found, expected))
    if not prediction:
        return Score(0.0, parts, "empty", "the prediction is empty")
    return Score(mean(parts.values()), parts)


def cell_similarity(prediction: str, gold: str) -> float:
    """0..1 for two short texts in canonical form; equal texts only are 1, and two different numbers are 0."""
    if prediction == gold:
        return 1.0
    found, expected = numbers(prediction), numbers(gold)
    return Levenshtein.normalized_similarity(prediction, gold) * f1(*overlap(found, expected))


def _spell(latex: str) -> str:
    try:
        return normal_form(latex)
    except LatexError:
        return latex
