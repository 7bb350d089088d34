"""The command that looks for hard examples: ``mine``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proofpress.flows.cli.app import Dataset, Json, Out, Quiet, Runner, Workers, app, examples
from proofpress.flows.cli.making import make_dataset
from proofpress.pages.errors import RequestError

if TYPE_CHECKING:
    from proofpress.flows.observing import Readers


@app.command(
    epilog=examples(
        "mine out/demo --model nano --out out/hard --runner processes",
        "mine out/demo --model out/run/model --out out/hard --set rows=1000 --set hard=0.7 --set pages=2000",
        "mine out/demo --predictions out/read --predictions out/other-model --out out/hard",
        "build out/hard/recipe.yaml --out out/more   (prints what the mining asks for)",
    )
)
def mine(
    dataset: Dataset,
    out: Out,
    model: Annotated[str | None, typer.Option("--model", help="nano (bundled), or a folder with a checkpoint.")] = None,
    predictions: Annotated[
        list[Path],
        typer.Option("--predictions", help="A folder of <id>.md; given again, where they differ is a measure too."),
    ] = [],  # noqa: B006
    set_: Annotated[
        list[str],
        typer.Option("--set", metavar="KEY=VALUE", help="rows, hard, split, limit, pages, strength, most ..."),
    ] = [],  # noqa: B006
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find what a model fails at: hard examples, the features behind them, a recipe for more, labels to review.

    OUT is a dataset of hard and ordinary rows, with profile.json, recipe.yaml, review.html and observations.jsonl.
    """
    from proofpress.flows.console import show_profile
    from proofpress.flows.loop_recipe import MineRecipe
    from proofpress.flows.mine import mine as make
    from proofpress.flows.settings import check, parse_sets

    recipe = check(MineRecipe, {}, "mine", parse_sets(set_))
    readers = _readers(model, predictions, recipe.read_twice)
    name = f"{dataset.name}-hard"
    make_dataset(name, runner, quiet, json_, lambda **how: make(dataset, out, recipe, readers, workers=workers, **how))
    if not (quiet or json_):
        show_profile(out)


def _readers(model: str | None, predictions: list[Path], read_twice: bool) -> "Readers":
    from proofpress.flows.observing import ByModel, ByPredictions

    if (model is None) == (not predictions):
        raise RequestError("mine: give --model M or --predictions DIR, one of them")
    return ByModel(model, read_twice) if model is not None else ByPredictions(tuple(predictions))
