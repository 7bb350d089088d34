"""What all commands share: the app, the options they have in common, and how they print."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def examples(*lines: str) -> str:
    """The end of a command's help: what one would type."""
    return "\n\n".join(["[bold]Examples[/]", *(f"proofpress {line}" for line in lines)])


app = typer.Typer(
    help="Print pages and proof them: training data for document-OCR models, with labels that are exact or rejected.",
    epilog="Start with [bold]proofpress doctor[/], then [bold]proofpress build recipes/demo.yaml --out out/demo[/].",
    no_args_is_help=True,
    rich_markup_mode="rich",
    add_completion=False,
    pretty_exceptions_enable=False,
)

Out = Annotated[Path, typer.Option("--out", help="The dataset folder to make. The same command again resumes it.")]
Sets = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe; may be given often.")
]
Runner = Annotated[
    str, typer.Option("--runner", help="Where shards are made: inline, threads, processes, dask or ray.")
]
Workers = Annotated[int | None, typer.Option("--workers", help="How many at once; one a core when not given.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Model = Annotated[str, typer.Option("--model", help="nano (bundled), or a folder with a checkpoint.")]


def print_json(value: Any) -> None:
    """One JSON value on one line of standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False))
