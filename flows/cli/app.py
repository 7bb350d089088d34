"""What all commands share: the app, the options they have in common, and how they print."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from proofpress.pages.errors import RequestError


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


def a_place(text: str) -> Any:
    """A path, or a URL of an object store."""
    from proofpress.pages.storage import place_of

    try:
        return place_of(text)
    except RequestError as error:
        raise typer.BadParameter(str(error)) from error


def a_dataset(text: str) -> Path:
    """A dataset's folder; of a URL, the folder of its copy on this machine, fetched now."""
    from proofpress.flows.publish import local_copy

    named = a_place(text)
    try:
        return local_copy(named) if isinstance(named, str) else named
    except RequestError as error:
        raise typer.BadParameter(str(error)) from error


#: Places are Any to typer, which takes no unions: a Path, or a URL as text.
Out = Annotated[
    Any,
    typer.Option(
        "--out",
        parser=a_place,
        metavar="PLACE",
        help="The dataset to make, a folder or a URL (s3://...). The same command again resumes it.",
    ),
]
DATASET = "A complete dataset, a folder or a URL (s3://...)."
Dataset = Annotated[Path, typer.Argument(parser=a_dataset, metavar="DATASET", help=DATASET)]
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
