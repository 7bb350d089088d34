"""Commands that part datasets from what should not be in them: ``dedup``, ``decontaminate``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proofpress.flows.cli.app import Dataset, Json, Out, Quiet, Runner, Workers, a_dataset, app, examples
from proofpress.flows.cli.making import make_dataset


class Keep(StrEnum):
    """What stays of a cluster."""

    ONE = "one"
    ALL = "all"


@app.command(
    epilog=examples(
        "dedup out/tables out/pages --out out/all",
        "dedup out/demo --out out/grouped --keep all   (clusters stay whole, each in one split)",
    )
)
def dedup(
    datasets: Annotated[
        list[Path],
        typer.Argument(parser=a_dataset, metavar="DATASET", help="Complete datasets; duplicates are found across."),
    ],
    out: Out,
    keep: Annotated[Keep, typer.Option("--keep", help="Of each cluster keep one row a task, or all rows.")] = Keep.ONE,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The order of rows in the new dataset.")] = 0,
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make one dataset of some, each content once; clusters.parquet says what was alike, and why."""
    from proofpress.flows.config import DuplicatesRecipe
    from proofpress.flows.duplicates import deduplicate

    recipe = DuplicatesRecipe(keep=keep.value)
    name = " + ".join(dataset.name for dataset in datasets)
    make_dataset(
        name, runner, quiet, json_, lambda **how: deduplicate(datasets, out, recipe, seed, workers=workers, **how)
    )


@app.command(
    epilog=examples(
        "decontaminate out/all --against olmOCR-bench --against OmniDocBench --out out/train",
        "decontaminate out/all --against my-test-set/ --out out/train   (any folder: pictures, PDFs, Markdown, JSON)",
    )
)
def decontaminate(
    dataset: Dataset,
    against: Annotated[list[Path], typer.Option("--against", help="A benchmark's folder; may be given often.")],
    out: Out,
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Take out of a dataset what is part of a benchmark: by picture, text, tables, formulas and source."""
    from proofpress.flows.decontaminate import decontaminate as make

    make_dataset(dataset.name, runner, quiet, json_, lambda **how: make(dataset, against, out, workers=workers, **how))
