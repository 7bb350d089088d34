"""The command line. ``proofpress --help`` lists the commands, ``proofpress build --help`` teaches one by examples.

Exit codes: 0 done, 1 the work failed or was stopped, 2 the request was wrong. Every command imports what it needs when
it runs, so that help and small commands answer at once.
"""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from proofpress.pages.errors import RequestError, WorkError


def _examples(*lines: str) -> str:
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
train_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(train_app, name="train", help="Train the model on datasets.")

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


def main() -> None:
    """Run the command line; the entry point of ``proofpress``."""
    try:
        app()
    except (RequestError, WorkError, OSError) as error:
        from proofpress.flows.console import show_error

        if isinstance(error, OSError):  # of the machine: a folder that may not be written to, a disk that is full
            error = WorkError(f"{error.filename or 'this machine'}: {error.strerror or error}")
        show_error(error)
        sys.exit(2 if isinstance(error, RequestError) else 1)


@app.command(epilog=_examples("doctor", "doctor --json"))
def doctor(json_: Json = False) -> None:
    """Say what is there, what is missing, and how to mend it. Exit code 1 when something is missing."""
    from dataclasses import asdict

    from proofpress.flows import doctor as clinic

    findings = clinic.diagnose()
    if json_:
        _print_json({"findings": [asdict(finding) for finding in findings]})
    else:
        typer.echo(clinic.render(findings))
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


@app.command(
    epilog=_examples(
        "build recipes/demo.yaml --out out/demo",
        "build recipes/demo.yaml --out out/more --set pages=500 --set seed=7 --runner processes",
    )
)
def build(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a YAML file.")],
    out: Out,
    set_: Sets = [],  # noqa: B006  typer reads the default, nobody changes it
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a dataset: print synthetic pages, clean corpora, proof, judge and shard them."""
    from proofpress.flows.build import build as make
    from proofpress.flows.config import load_recipe

    checked = load_recipe(recipe, set_)
    _make(checked.name, runner, quiet, json_, lambda **how: make(checked, out, workers=workers, **how))


@app.command(
    epilog=_examples(
        "clean pubtabnet PubTabNet/ --out out/tables",
        "clean im2latex im2latex/ --out out/formulas --set corpora.0.limit=1000 --set judge.model=nano",
    )
)
def clean(
    corpus: Annotated[str, typer.Argument(help="The corpus: pubtabnet or im2latex.")],
    path: Annotated[Path, typer.Argument(help="Its folder, in the corpus's own layout.")],
    out: Out,
    set_: Sets = [],  # noqa: B006
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Clean a public corpus into a dataset; what is wrong with the rest is written beside it."""
    from proofpress.flows.clean import clean as make

    _make(corpus, runner, quiet, json_, lambda **how: make(corpus, path, out, set_, workers=workers, **how))


@app.command(epilog=_examples("judge out/demo --out out/judged", "judge out/demo --out out/scored --read --keep"))
def judge(
    dataset: Annotated[Path, typer.Argument(help="A complete dataset folder.")],
    out: Out,
    model: Model = "nano",
    read: Annotated[bool, typer.Option("--read", help="Also reward the model's own reading; much slower.")] = False,
    drop: Annotated[bool, typer.Option("--drop/--keep", help="Reject what fails, or only score it.")] = True,
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score and filter a dataset with the model, into a new folder."""
    from proofpress.flows.config import JudgeRecipe
    from proofpress.flows.judge import judge as make

    recipe = JudgeRecipe(model=model, read=read, drop=drop)
    _make(dataset.name, runner, quiet, json_, lambda **how: make(dataset, out, recipe, workers=workers, **how))


@app.command(epilog=_examples("read page.png", "read scans/*.png --json"))
def read(
    images: Annotated[list[Path], typer.Argument(help="Image files.")],
    model: Model = "nano",
    json_: Json = False,
) -> None:
    """Read images into Markdown with the model."""
    from proofpress.flows.reading import read_files

    readings = read_files(images, model)
    if json_:
        _print_json({"pages": readings})
        return
    for reading in readings:
        if len(readings) > 1:
            typer.echo(f"==> {reading['path']} <==")
        typer.echo(reading["text"])


@app.command(epilog=_examples("calibrate out/demo --model out/run/model"))
def calibrate(
    dataset: Annotated[Path, typer.Argument(help="A dataset of proofed pages, whose labels are right.")],
    model: Model = "nano",
    split: Annotated[str, typer.Option("--split", help="One the model was not trained on.")] = "validation",
    false_rejects: Annotated[float, typer.Option("--false-rejects", min=0, max=0.5, help="Share to give up.")] = 0.02,
    json_: Json = False,
) -> None:
    """Set a model's thresholds as a judge so that it drops at most a known share of right labels."""
    from dataclasses import asdict

    from proofpress.flows.judge import calibrate as set_thresholds

    thresholds = set_thresholds(dataset, model, split, false_rejects)
    if json_:
        _print_json(asdict(thresholds))
        return
    for task, threshold in thresholds.tasks.items():
        typer.echo(f"{task:<10} keep from a likelihood of {threshold.likelihood:.3f} on")


@app.command(
    epilog=_examples(
        "reward prediction.md gold.md --task page", "reward --pairs pairs.jsonl   (rows: pred, gold, task)"
    )
)
def reward(
    prediction: Annotated[Path | None, typer.Argument(help="A file with what a model read.")] = None,
    gold: Annotated[Path | None, typer.Argument(help="A file with what stands there.")] = None,
    task: Annotated[str, typer.Option("--task", help="page, text, table, formula or form.")] = "page",
    pairs: Annotated[Path | None, typer.Option("--pairs", help="A JSONL file of pairs instead of two files.")] = None,
    json_: Json = False,
) -> None:
    """Score predictions against their gold: value, parts, status and evidence."""
    from proofpress.flows.reading import reward_files, reward_pairs

    if pairs is not None:
        for line in reward_pairs(pairs, task):
            _print_json(line)
        return
    if prediction is None or gold is None:
        raise RequestError("reward: give two files, PREDICTION and GOLD, or --pairs FILE.jsonl")
    scored = reward_files(prediction, gold, task)
    if json_:
        _print_json(scored)
        return
    typer.echo(f"{scored['value']:.4f}  {scored['status']}  {scored['evidence']}".rstrip())
    for name, part in scored["parts"].items():
        typer.echo(f"  {name:<24} {part:.4f}")


@train_app.command(
    epilog=_examples(
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
        _print_json(summary)
    elif not quiet:
        show_trained(summary, out)


@app.command(epilog=_examples("report out/demo   (then open out/demo/report.html)"))
def report(
    dataset: Annotated[Path, typer.Argument(help="A complete dataset folder.")],
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a dataset's report again: counts, rejects, sample pages with their boxes, in one HTML file."""
    from proofpress.flows.report import write_report
    from proofpress.pages.shards import read_manifest

    path = write_report(dataset, read_manifest(dataset))
    if json_:
        _print_json({"report": str(path)})
    elif not quiet:
        typer.echo(path)


def _make(name: str, runner: str, quiet: bool, as_json: bool, make: Any) -> None:
    """Make a dataset under the eyes of the user. make: called with ``runner`` and ``progress``."""
    from proofpress.flows.console import progress_bar, show_made

    with _stoppable(runner), progress_bar(name, quiet) as progress:
        made = make(runner=runner, progress=progress)
    show_made(made, as_json, quiet)


@contextlib.contextmanager
def _stoppable(runner: str) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the command at once, with exit code 1, one line, and no process left behind.

    Inline work unwinds. A pool would first finish the shards it is at, so there the command just ends, and takes the
    workers with it: no file has its name before it is whole.
    """
    from proofpress.flows.orphans import end_all, leave_none_behind

    def stop(signum: int, frame: FrameType | None) -> None:
        if runner == "inline":
            raise KeyboardInterrupt
        end_all()
        farewell()
        os._exit(1)

    def farewell() -> None:
        typer.echo("\nStopped. Run the same command again to go on where it was.", err=True)

    leave_none_behind()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        yield
    except KeyboardInterrupt:
        farewell()
        raise typer.Exit(1) from None


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False))


if __name__ == "__main__":
    main()
