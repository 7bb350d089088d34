"""Commands that read and score: ``read``, ``reward``."""

from pathlib import Path
from typing import Annotated

import typer

from proofpress.flows.cli.app import Json, Model, Sets, app, examples, print_json
from proofpress.pages.errors import RequestError


@app.command(epilog=examples("read page.png", "read scans/*.png --json"))
def read(
    images: Annotated[list[Path], typer.Argument(help="Image files.")],
    model: Model = "nano",
    json_: Json = False,
) -> None:
    """Read images into Markdown with the model."""
    from proofpress.flows.reading import read_files

    readings = read_files(images, model)
    if json_:
        print_json({"pages": readings})
        return
    for reading in readings:
        if len(readings) > 1:
            typer.echo(f"==> {reading['path']} <==")
        typer.echo(reading["text"])


@app.command(
    epilog=examples(
        "reward prediction.md gold.md --task page",
        "reward --pairs pairs.jsonl   (rows: pred, gold, task)",
        "reward prediction.md gold.md --set combine=product --set weights.tables=2",
        "reward a.tex b.tex --task formula --set symbolic=true",
    )
)
def reward(
    prediction: Annotated[Path | None, typer.Argument(help="A file with what a model read.")] = None,
    gold: Annotated[Path | None, typer.Argument(help="A file with what stands there.")] = None,
    task: Annotated[str, typer.Option("--task", help="page, text, table, formula or form.")] = "page",
    pairs: Annotated[Path | None, typer.Option("--pairs", help="A JSONL file of pairs instead of two files.")] = None,
    sets: Sets = [],  # noqa: B006 (typer's list)
    json_: Json = False,
) -> None:
    """Score predictions against their gold: value, parts, status and evidence."""
    from proofpress.flows.reading import reward_files, reward_pairs, reward_recipe

    recipe = reward_recipe(sets)
    if pairs is not None:
        for line in reward_pairs(pairs, task, recipe):
            print_json(line)
        return
    if prediction is None or gold is None:
        raise RequestError("reward: give two files, PREDICTION and GOLD, or --pairs FILE.jsonl")
    scored = reward_files(prediction, gold, task, recipe)
    if json_:
        print_json(scored)
        return
    typer.echo(f"{scored['value']:.4f}  {scored['status']}  {scored['evidence']}".rstrip())
    for name, part in scored["parts"].items():
        typer.echo(f"  {name:<24} {part:.4f}")
