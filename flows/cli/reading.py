"""Commands that read and score: ``read``, ``reward``."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proofpress.flows.cli.app import Json, Model, Sets, app, examples, print_json
from proofpress.pages.errors import RequestError


class Decoding(StrEnum):
    """How tokens are found; as help and errors name it."""

    greedy = "greedy"
    speculative = "speculative"


@app.command(
    epilog=examples(
        "read page.png",
        "read scans/*.png paper.pdf --json > readings.json",
        "read photo.jpg --upright",
        "read page.png --model my-model --device cuda --dtype bfloat16 --decoding speculative",
    )
)
def read(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Image and PDF files.")],
    model: Model = "nano",
    decoding: Annotated[
        Decoding, typer.Option("--decoding", help="speculative reads the same in fewer passes; needs a draft head.")
    ] = Decoding.greedy,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:1, mps.")] = "cpu",
    dtype: Annotated[
        str, typer.Option("--dtype", help="float32, bfloat16, float16, or auto: as its files.")
    ] = "float32",
    batch: Annotated[int, typer.Option("--batch", min=1, help="Pages that are read together.")] = 16,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Of one page; else the model's.")
    ] = None,
    upright: Annotated[bool, typer.Option("--upright", help="Turn pages that lie on their side or head.")] = False,
    json_: Json = False,
) -> None:
    """Read images and PDF files into Markdown with the model. Text is printed while it is read."""
    from proofpress.flows.reading import read_files

    named = len(files) > 1 or any(path.suffix.lower() == ".pdf" for path in files)
    readings = read_files(
        files, model, device=device, dtype=dtype, decoding=decoding.value, batch_size=batch, max_tokens=max_tokens,
        upright=upright, listener=None if json_ else _Printer(named),
    )  # fmt: skip
    if json_:
        print_json({"pages": readings})


class _Printer:
    """Prints pages as they are read, each under its name where there are several."""

    def __init__(self, named: bool) -> None:
        self.named, self.begun = named, ""

    def __call__(self, name: str, piece: str, last: bool) -> None:
        if self.named and self.begun != name:
            typer.echo(f"==> {name} <==")
            self.begun = name
        sys.stdout.write(piece + "\n" * last)
        sys.stdout.flush()


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
    from proofpress.flows.rewarding import reward_files, reward_pairs, reward_recipe

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
