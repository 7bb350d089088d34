"""Files in, rewards out: what ``proofpress reward`` does with what it is given.

reward_files(Path("prediction.md"), Path("gold.md"), "page")["value"]
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proofpress.flows.settings import check, parse_sets
from proofpress.model.rewards import DEFAULT, TASKS, GoldError, RewardRecipe, score
from proofpress.pages.errors import RequestError


def reward_recipe(sets: Sequence[str]) -> RewardRecipe:
    """The default recipe of rewards with ``--set`` settings over it; ``RequestError`` naming a key that is wrong."""
    return check(RewardRecipe, {}, "reward", parse_sets(sets))


def reward_files(prediction: Path, gold: Path, task: str, recipe: RewardRecipe = DEFAULT) -> dict[str, Any]:
    """The reward of one file against another. ``RequestError`` where the gold itself is wrong."""
    try:
        return _score(_text(prediction), _text(gold), task, recipe, "--task")
    except GoldError as error:
        raise RequestError(f"{gold}: cannot be scored against: {error}") from error


def reward_pairs(path: Path, task: str, recipe: RewardRecipe = DEFAULT) -> Iterator[dict[str, Any]]:
    """The reward of each row {pred, gold, task} of a JSONL file. task: of rows that name none.

    A row whose gold is wrong has no value and the status ``gold``: it says nothing about the prediction.
    """
    for number, line in enumerate(_text(path).split("\n"), start=1):  # a label may hold other ends of line
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            prediction, gold, named = row["pred"], row["gold"], row.get("task", task)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise RequestError(f"{path}: line {number}: not a row with pred and gold: {error!r}") from error
        if not all(isinstance(value, str) for value in (prediction, gold, named)):
            raise RequestError(f"{path}: line {number}: pred, gold and task must be text")
        try:
            yield _score(prediction, gold, named, recipe, f"{path}: line {number}: task")
        except GoldError as error:
            yield {"value": None, "parts": {}, "status": "gold", "evidence": str(error)}


def _score(prediction: str, gold: str, task: str, recipe: RewardRecipe, where: str) -> dict[str, Any]:
    if task not in TASKS:
        raise RequestError(f"{where}: {task!r} is not one of {', '.join(TASKS)}")
    result = score(prediction, gold, task, recipe)
    return {"value": result.value, "parts": dict(result.parts), "status": result.status, "evidence": result.evidence}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{path}: not UTF-8 text: {error}") from error
