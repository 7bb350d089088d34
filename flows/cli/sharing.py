"""Commands that give a dataset to others: ``push``, ``export``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proofpress.flows.cli.app import Dataset, Json, Quiet, app, examples, print_json


class Format(StrEnum):
    """The forms there are."""

    WEBDATASET = "webdataset"
    TRL = "trl"


@app.command(
    epilog=examples(
        "push out/demo someone/demo --dry-run   (what would be sent)",
        "push out/demo someone/demo --rejects",
        "push s3://bucket/demo someone/demo --public",
    )
)
def push(
    dataset: Dataset,
    repo: Annotated[str, typer.Argument(help="The dataset's repository on the hub: OWNER/NAME.")],
    public: Annotated[bool, typer.Option("--public", help="If it is made now: for all to see.")] = False,
    rejects: Annotated[bool, typer.Option("--rejects", help="Send the rejected pages as well.")] = False,
    message: Annotated[str, typer.Option("--message", help="Of the commit.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be sent, and send nothing.")] = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Send a dataset with its card to the Hugging Face hub, in one commit; private unless --public."""
    from dataclasses import asdict

    from proofpress.flows.push import push as send

    pushed = send(dataset, repo, public, rejects, dry_run, message)
    if json_:
        print_json({**asdict(pushed), "dry_run": dry_run})
    elif not quiet:
        for name, size in pushed.files.items():
            typer.echo(f"{size:>14,}  {name}")
        total = f"{len(pushed.files)} files, {sum(pushed.files.values()):,} bytes, {', '.join(pushed.licences)}"
        typer.echo(f"{'would send' if dry_run else 'sent'} {total}\n{pushed.url or f'to {repo}; nothing was sent'}")


@app.command(
    epilog=examples(
        "export out/demo --format webdataset --out out/tars",
        "export out/demo --format trl --out out/chat",
        'export out/demo --format trl --out out/chat --prompt "OCR:"',
    )
)
def export(
    dataset: Dataset,
    form: Annotated[Format, typer.Option("--format", help="WebDataset's tars, or TRL's conversations with images.")],
    out: Annotated[Path, typer.Option("--out", help="The folder to make.")],
    prompt: Annotated[str | None, typer.Option("--prompt", help="What each conversation asks; else by task.")] = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a dataset's kept rows in the form of other trainers, one file a shard."""
    from proofpress.flows.console import progress_bar
    from proofpress.flows.export import export as write

    with progress_bar(f"{dataset.name} as {form.value}", quiet) as progress:
        made = write(dataset, out, form.value, prompt, progress)
    if json_:
        print_json({**made, "out": str(out)})
    elif not quiet:
        rows = sum(file["rows"] for file in made["files"].values())
        typer.echo(f"{rows:,} rows in {len(made['files'])} files\n{out}")
