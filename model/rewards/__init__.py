r"""Verifiable rewards: a prediction against its gold, as a value with parts, never a silent 0 or 1.

    >>> score("x_2", "x^2", "formula").value < 1.0
    True

A page, a form and a text are scored by their kinds of content (``page``), a table and a formula as what they are. What
is wrong with a prediction whatever it says, such as a loop, then takes its share off (``soundness``).
"""

from dataclasses import replace
from functools import lru_cache

from proofpress.model.rewards import formula, page, soundness, symbolic, table
from proofpress.model.rewards.recipe import RewardRecipe
from proofpress.model.rewards.scoring import GoldError, Score
from proofpress.model.rewards.soundness import Content

__all__ = ["TASKS", "GoldError", "RewardRecipe", "Score", "score"]

TASKS = ("page", "form", "text", "table", "formula")

#: No page has as many. Longer predictions are runaways, and every checker's time is bounded by this.
MAX_CHARACTERS = 200_000

DEFAULT = RewardRecipe()

_Checked = tuple[Score, Content, Content]  # the result, and what prediction and gold hold


def score(prediction: str, gold: str, task: str, recipe: RewardRecipe = DEFAULT, tests: float | None = None) -> Score:
    """The reward of a prediction. task: ``page``, ``form``, ``text``, ``table`` or ``formula``.

    recipe: how a page's terms are combined, and what faults cost. tests: the share of unit tests that the prediction
    passes, as a term of a page. Beside the checker's own parts there are those of ``soundness.check``. Raises
    ``GoldError`` where the gold would not score 1 against itself, ``ValueError`` for a task that is none.
    """
    if task not in TASKS:
        raise ValueError(f"no such task: {task!r}; one of {', '.join(TASKS)}")
    if not gold.strip():
        raise GoldError("the gold is empty")
    if len(gold) > MAX_CHARACTERS:
        raise GoldError(f"the gold has {len(gold)} characters, more than {MAX_CHARACTERS}")
    if len(prediction) > MAX_CHARACTERS:
        return Score(0.0, {}, "timeout", f"{len(prediction)} characters, more than {MAX_CHARACTERS}")
    result, *contents = _CHECKERS.get(task, _page)(prediction, gold, recipe, tests)
    return _discounted(result, soundness.check(*contents), recipe)


def _formula(prediction: str, gold: str, recipe: RewardRecipe, tests: float | None) -> _Checked:
    found, expected = formula.read([formula.bare(text) for text in (prediction, gold)])
    contents = Content(prediction, formulas=[found.latex]), Content(gold, formulas=[expected.latex])
    result = formula.compare_read([found], [expected])
    if recipe.symbolic and result.status == "ok" and result.value < 1:
        result = _with_opinion(result, symbolic.equal(found.latex, expected.latex))
    return result, *contents


def _with_opinion(result: Score, equal: bool | None) -> Score:
    words = {True: "equal", False: "not equal", None: "not decided"}
    parts = result.parts if equal is None else {**result.parts, "symbolic": float(equal)}
    return replace(result, parts=parts, evidence=f"as mathematics: {words[equal]}")


def _table(prediction: str, gold: str, recipe: RewardRecipe, tests: float | None) -> _Checked:
    return table.score(prediction, gold), Content(prediction), Content(gold)


def _page(prediction: str, gold: str, recipe: RewardRecipe, tests: float | None) -> _Checked:
    found, expected = page.read_page(prediction), _read_gold(gold)
    result = page.compare(found, expected, recipe, tests)
    return result, page.content(prediction, found), page.content(gold, expected)


_read_gold = lru_cache(maxsize=256)(page.read_page)  # many predictions are scored against one gold

_CHECKERS = {"formula": _formula, "table": _table}


def _discounted(result: Score, faults: dict[str, float], recipe: RewardRecipe) -> Score:
    if "structure.complete" in result.parts:
        faults["complete"] = result.parts["structure.complete"]
    value = result.value
    for name, part in faults.items():
        value *= 1 - getattr(recipe.discounts, name) * (1 - part)
    return replace(result, value=value, parts={**result.parts, **faults})
