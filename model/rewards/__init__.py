r"""Verifiable rewards: a prediction against its gold, as a value with parts, never a silent 0 or 1.

    >>> score("x_2", "x^2", "formula").value < 1.0
    True

A page, a form and a text are split into text, formulas and tables (FD-RL, arXiv 2601.08834), and the value is the mean
over the kinds that are in the gold *or* in the prediction, so that what is invented costs as well as what is missing.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from proofpress.model.rewards import formula, table, text
from proofpress.model.rewards.scoring import GoldError, Score, mean
from proofpress.model.rewards.structure import looping_tail, split

__all__ = ["GoldError", "Score", "score"]

#: No page has as many. Longer predictions are runaways, and every checker's time is bounded by this.
MAX_CHARACTERS = 200_000


def score(prediction: str, gold: str, task: str) -> Score:
    """The reward of a prediction. task: ``page``, ``form``, ``text``, ``table`` or ``formula``.

    Beside the checker's own, the part ``repetition`` is 1 less the share of the prediction that is a looping tail which
    the gold has not. Raises ``GoldError`` where the gold would not score 1 against itself, ``ValueError`` for a task
    that is none.
    """
    if task not in CHECKERS:
        raise ValueError(f"no such task: {task!r}; one of {', '.join(CHECKERS)}")
    if not gold.strip():
        raise GoldError("the gold is empty")
    if len(gold) > MAX_CHARACTERS:
        raise GoldError(f"the gold has {len(gold)} characters, more than {MAX_CHARACTERS}")
    if len(prediction) > MAX_CHARACTERS:
        return Score(0.0, {}, "timeout", f"{len(prediction)} characters, more than {MAX_CHARACTERS}")
    result = CHECKERS[task](prediction, gold)
    loop = max(0, looping_tail(prediction) - looping_tail(gold))
    return replace(result, parts={**result.parts, "repetition": 1 - loop / max(len(prediction), 1)})


def _formula(prediction: str, gold: str) -> Score:
    return formula.compare([formula.bare(prediction)], [formula.bare(gold)])


def _page(prediction: str, gold: str) -> Score:
    found, expected = split(prediction), split(gold)
    kinds: dict[str, Score] = {}
    if expected.has_text:
        kinds["text"] = text.compare(found.text, expected.text)
    if expected.formulas:
        kinds["formulas"] = formula.compare(found.formulas, expected.formulas)
    if expected.tables:
        kinds["tables"] = table.compare(found.tables, expected.tables)
    if not kinds:
        raise GoldError("the gold has no text, formula or table")
    invented = {"text": found.has_text, "formulas": bool(found.formulas), "tables": bool(found.tables)}
    values = {kind: kinds[kind].value if kind in kinds else 0.0 for kind in invented if kind in kinds or invented[kind]}
    parts = values | {f"{kind}.{name}": part for kind, one in kinds.items() for name, part in one.parts.items()}
    if not prediction.strip():
        return Score(0.0, parts, "empty", "the prediction is empty")
    troubled = [one for one in kinds.values() if one.status not in ("ok", "empty")]
    status, evidence = (troubled[0].status, troubled[0].evidence) if troubled else ("ok", "")
    return Score(mean(values.values()), parts, status, evidence)


CHECKERS: Mapping[str, Callable[[str, str], Score]] = {
    "page": _page,
    "form": _page,
    "text": _page,
    "table": table.score,
    "formula": _formula,
}
