"""Supervised training on dataset folders: from the bundled weights, a model folder or nothing, to a model folder.

    summary = train_sft(recipe, [Path("data/crops")], Path("runs/nano"), resume=True)
    summary["after"]["kinds"]["line"]["cer"]

What a run's folder holds is told in ``run.py``.
"""

from pathlib import Path
from typing import Any

from proofpress.model.train.batches import Batches
from proofpress.model.train.ctc import LineAid
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.loop import Watch, train
from proofpress.model.train.parallel import Team, gathered, shard
from proofpress.model.train.recipe import SFTRecipe
from proofpress.model.train.run import Report, Run, prepare_folder, settled, starting_point, stop_signal
from proofpress.model.train.schedule import Curriculum
from proofpress.model.train.supervised import Supervised


def train_sft(
    recipe: SFTRecipe, datasets: list[Path], out: Path, resume: bool = False, progress: Report | None = None
) -> dict[str, Any]:
    """Train as the recipe says; the summary that also stands in ``out/summary.json``.

    datasets: dataset folders, of which split ``train`` is learned and ``validation`` read before and after. resume: go
    on from the last checkpoint in ``out``, or start where there is none. progress: called with each line of the log.

    The summary: ``finished``, ``steps``, ``seconds``, ``characters``, ``losses`` (smoothed, by kind, in nats per
    character), ``before`` and ``after`` (figures of ``evaluate``; before is empty for ``scratch``), ``rows``,
    ``refused``, ``model`` (the folder's path).
    Raises ``RequestError`` for a wrong recipe, data or folder, ``WorkError`` when the loss is no longer a number or a
    process is lost.
    """
    prepare_folder(recipe, datasets, out, resume)
    with gathered(recipe.processes, _train, (recipe, datasets, out), recipe.device) as team:
        return _train(team, recipe, datasets, out, progress)


def _train(
    team: Team, recipe: SFTRecipe, datasets: list[Path], out: Path, progress: Report | None = None
) -> dict[str, Any]:
    with settled(recipe):
        network, processor = starting_point(recipe)
        rows = TrainingRows(datasets, "train", recipe, processor)
        held_out = TrainingRows(datasets, "validation", recipe, processor)
        tokenizer = processor.tokenizer
        aid = LineAid(processor.config.decoder.width, len(tokenizer), tokenizer.pad_id).to(recipe.device)
        objective = Supervised(network, aid, recipe)
        if recipe.sharded:
            shard(objective, team, recipe.device)
        run = Run(
            recipe, out, objective, network, processor, held_out, team, progress or (lambda _: None),
            Curriculum(recipe.levels),
        )  # fmt: skip
        run.begin()
        with Batches(rows, recipe, processor, team) as batches, stop_signal() as stopped:
            watch = Watch(log=run.log, save=run.save, evaluate=run.evaluate, stopped=stopped, saved=run.saved)
            train(objective, run.optimizers, batches, recipe, run.progress, watch, team)
        return run.summary(rows)
