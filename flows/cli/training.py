"""Commands that train: ``train sft``."""

from pathlib import Path
from typing import Annotated

import typer

from proofpress.flows.cli.app import Json, Quiet, Sets, app, examples, print_json

train_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(train_app, name="train", help="Train the model on datasets.")


@train_app.command(
    epilog=examples(
        "train sft recipes/train/demo.yaml --data out/demo --out out/run --set steps=50",
        "train sft recipes/train/demo.yaml --data out/demo --out out/run --resume",
    )
)
def sft(
    recipe: Annotated[Path, typer.Argument(help="The training recipe, a YAML file.")],
    data: Annotated[list[Path], typer.Option("--data", help="A dataset folder; may be given often.")],
    out: Annotated[Path, typer.Option("--out", help="The folder of the run: log, checkpoints, model.")],
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the run's last checkpoint.")] = False,
    set_: Sets = [],  # noqa: B006
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Supervised training on the train split of datasets, watched on their validation split."""
    from proofpress.flows.console import show_trained, show_training
    from proofpress.flows.train import train_sft

    summary = train_sft(recipe, data, out, resume, set_, progress=None if quiet else show_training)
    if json_:
        print_json(summary)
    elif not quiet:
        show_trained(summary, out)
