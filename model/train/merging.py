"""Model soups: the mean of several fine-tuned weights often reads better than each (Wortsman et al. 2022, 2203.05482).

    merge(["runs/a/model", "runs/b/model"], Path("merged"))                                  # uniform
    merge(["runs/a/model", "runs/b/model"], Path("merged"), greedy=True, datasets=[Path("held-out")])

The greedy soup begins with the model whose held-out reward is highest and takes up each next one only if the soup
with it reads no worse.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.evaluation import evaluate
from proofpress.model.train.recipe import SFTRecipe
from proofpress.pages.errors import RequestError
from proofpress.pages.shards import write_whole


def merge(
    models: Sequence[str], out: Path, greedy: bool = False, datasets: Sequence[Path] = (), rows: int = 32
) -> dict[str, Any]:
    """Write the soup of these models as the model folder ``out``, with ``merge.json`` beside its weights.

    models: folders, or ``nano``. datasets: folders whose split ``validation`` decides, for a greedy soup. rows: of each
    that are read. The result: ``models`` (those in the soup), ``rewards`` (of each alone; empty unless greedy),
    ``reward`` (of the soup; None unless greedy). Raises ``RequestError`` for fewer than two models, for models of
    different configurations, and for a greedy soup without rows to judge it by.
    """
    if len(models) < 2:
        raise RequestError("merge: give two models or more")
    if greedy and not datasets:
        raise RequestError("merge: a greedy soup needs --data, a dataset with a validation split")
    if (out / checkpoint.CONFIG).exists():
        raise RequestError(f"{out}: holds a model already; choose another folder")
    loaded = [checkpoint.load(model) for model in models]
    network, processor = loaded[0]
    for model, (other, _) in zip(models, loaded, strict=True):
        if other.config != network.config:
            raise RequestError(f"merge: {model} is of another configuration than {models[0]}")
    # Copies: the first network takes on each soup that is tried.
    weights = [{name: tensor.clone() for name, tensor in other.state_dict().items()} for other, _ in loaded]
    chosen, rewards, reward = list(range(len(models))), [], None
    if greedy:
        judge = _Judge(network, processor, datasets, rows)
        rewards = [judge.reward([one]) for one in weights]
        chosen, reward = _greedy(weights, rewards, judge)
    network.load_state_dict(average([weights[number] for number in chosen]))
    result = {"models": [models[number] for number in chosen], "rewards": rewards, "reward": reward}
    checkpoint.save(network, processor.tokenizer, out)
    write_whole(out / "merge.json", json.dumps(result, indent=1).encode() + b"\n")
    return result


def average(weights: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each tensor, computed in float64."""
    return {
        name: torch.stack([one[name].double() for one in weights]).mean(0).to(tensor.dtype)
        for name, tensor in weights[0].items()
    }


class _Judge:
    """The held-out reward of any soup, by one network that takes on its weights."""

    def __init__(self, network: JinaOCR, processor: Processor, datasets: Sequence[Path], rows: int) -> None:
        self._network, self._processor = network, processor
        self._recipe = SFTRecipe(steps=1, evaluation_rows=rows)
        self._rows = TrainingRows(list(datasets), "validation", self._recipe, processor)
        if not len(self._rows):
            raise RequestError(
                f"merge: {', '.join(map(str, datasets))}: no rows of split validation that the model can read; "
                f"refused: {dict(self._rows.refused) or 'none'}"
            )

    def reward(self, weights: Sequence[dict[str, Tensor]]) -> float:
        self._network.load_state_dict(average(weights))
        return float(evaluate(self._network, self._processor, self._rows, self._recipe)["reward"] or 0.0)


def _greedy(weights: Sequence[dict[str, Tensor]], rewards: Sequence[float], judge: _Judge) -> tuple[list[int], float]:
    first, *others = sorted(range(len(weights)), key=lambda number: -rewards[number])
    chosen, best = [first], rewards[first]
    for number in others:
        reward = judge.reward([weights[n] for n in (*chosen, number)])
        if reward >= best:
            chosen, best = [*chosen, number], reward
    return chosen, best
