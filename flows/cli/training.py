"""Commands that train: ``train sft``, ``train mtp``, ``train grpo``, ``merge``."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from proofpress.flows.cli.app import Json, Quiet, Sets, a_dataset, app, examples, print_json
from proofpress.flows.cli.stopping import stoppable

train_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(train_app, name="train", help="Train the model on datasets: labels, then rewards, then its draft head.")

Recipe = Annotated[Path, typer.Argument(help="The training recipe, a YAML file; recipes/train/ has some.")]
Data = Annotated[
    list[Path],
    typer.Option("--data", parser=a_dataset, metavar="DATASET", help="A dataset, folder or URL; may be given often."),
]
Run = Annotated[Path, typer.Option("--out", help="The folder of the run: log, checkpoints, model.")]
Line = Callable[[Mapping[str, Any]], None]
STOPPING = "Stopping when this step is done and a checkpoint is written; once more ends it at once."
STOPPED = "Stopped; go on with --resume."
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the run's last checkpoint.")]


@train_app.command(
    epilog=examples(
        "train sft recipes/train/demo.yaml --data out/demo --out out/run --set steps=50",
        "train sft recipes/train/nano.yaml --data out/crops --data out/hard --out out/run --set weights.hard=3",
        "train sft recipes/train/nano.yaml --data out/crops --out out/run --set processes=2 --resume",
    )
)
def sft(
    recipe: Recipe,
    data: Data,
    out: Run,
    resume: Resume = False,
    set_: Sets = [],  # noqa: B006
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Supervised training on the train split of datasets, watched on their validation split."""
    from proofpress.flows.console import show_trained, show_training
    from proofpress.flows.train import train_sft

    _train(partial(train_sft, recipe, data, out, resume, set_), show_training, show_trained, out, json_, quiet)


@train_app.command(
    epilog=examples(
        "train mtp recipes/train/mtp.yaml --data out/crops --out out/mtp",
        "train mtp recipes/train/mtp.yaml --data out/crops --out out/mtp --set init=out/run/model --resume",
    )
)
def mtp(
    recipe: Recipe,
    data: Data,
    out: Run,
    resume: Resume = False,
    set_: Sets = [],  # noqa: B006
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train the draft head on the frozen model, so that `read --decoding speculative` needs fewer passes."""
    from proofpress.flows.train import train_mtp

    _train(partial(train_mtp, recipe, data, out, resume, set_), _show_drafts, _show_end, out, json_, quiet)


@train_app.command(
    epilog=examples(
        "train grpo recipes/train/grpo.yaml --data out/pages --out out/grpo",
        "train grpo recipes/train/grpo.yaml --data out/pages --out out/grpo --set loss=grpo --set kl=0.01 --resume",
    )
)
def grpo(
    recipe: Recipe,
    data: Data,
    out: Run,
    resume: Resume = False,
    set_: Sets = [],  # noqa: B006
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Train by reward: several readings of each page, scored against its truth. Look at OUT/rollouts/ while it runs."""
    from proofpress.flows.train import train_grpo

    _train(partial(train_grpo, recipe, data, out, resume, set_), _show_rewards, _show_end, out, json_, quiet)


@app.command(
    epilog=examples(
        "merge out/a/model out/b/model --out out/soup",
        "merge out/a/model out/b/model out/c/model --out out/soup --greedy --data out/held-out",
    )
)
def merge(
    models: Annotated[list[str], typer.Argument(metavar="MODEL...", help="Model folders, or nano.")],
    out: Annotated[Path, typer.Option("--out", help="The model folder to make.")],
    greedy: Annotated[
        bool, typer.Option("--greedy", help="Take a model up only if the mean then reads no worse.")
    ] = False,
    data: Annotated[list[Path], typer.Option("--data", help="Datasets whose validation split decides.")] = [],  # noqa: B006
    rows: Annotated[int, typer.Option("--rows", min=1, help="Rows of them that are read each time.")] = 32,
    json_: Json = False,
) -> None:
    """Average the weights of models of one configuration: all, or those that make it read better."""
    from proofpress.flows.train import merge as merge_models

    result = merge_models(models, out, greedy, data, rows)
    if json_:
        print_json(result)
        return
    for model, reward in zip(models, result["rewards"], strict=False):
        typer.echo(f"{model}: reward {reward:.4f}{'' if model in result['models'] else ', left out'}")
    typer.echo(f"model     {out}" + ("" if result["reward"] is None else f", reward {result['reward']:.4f}"))


def _train(
    train: Callable[..., dict[str, Any]],
    show: Line,
    show_end: Callable[[Mapping[str, Any], Path], None],
    out: Path,
    json_: bool,
    quiet: bool,
) -> None:
    """Train under the eyes of the user and say what came of it. train: called with ``progress``.

    A stop lets the step that is at work end and writes a checkpoint; the command's exit code is then 1.
    """
    from proofpress.flows.orphans import leave_none_behind

    leave_none_behind()
    with stoppable(None, STOPPED, first=STOPPING), _watched(show, quiet) as progress:
        summary = train(progress=progress)
    if json_:
        print_json(summary)
    elif not quiet:
        show_end(summary, out)
    if not summary["finished"]:
        raise typer.Exit(1)


@contextmanager
def _watched(show: Line, quiet: bool) -> Iterator[Line | None]:
    """What a trainer tells its lines to: printed, and on a terminal a bar below them with the time that is left."""
    from proofpress.flows.console import err

    if quiet or not err.is_terminal:
        yield None if quiet else show
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("training"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("training", total=1.0)

        def told(line: Mapping[str, Any]) -> None:
            show(line)
            if "share" in line:
                bar.update(task, completed=line["share"])

        yield told


def _tell(text: str) -> None:
    from proofpress.flows.console import err

    err.print(text, markup=False)


def _show_drafts(line: Mapping[str, Any]) -> None:
    if "held_out" in line:
        _tell(f"step {line['step']:>6,}  held out: {_drafts(line['held_out'])}")
        return
    accepted = [f"{line[name]:.0%}" for name in sorted(line) if name.startswith("accepted_")]
    _tell(f"step {line['step']:>6,}  {line['seconds']:>7,.0f} s  drafts right to here: {' '.join(accepted)}")


def _show_rewards(line: Mapping[str, Any]) -> None:
    if "held_out" in line:
        _tell(f"step {line['step']:>6,}  held out: {_rewards(line['held_out'])}")
        return
    reward = "none" if line["reward"] is None else f"{line['reward']:.3f} ± {line['reward_deviation']:.3f}"
    policy = f"entropy {line['policy']['entropy']:.2f}  kl {line['policy']['kl']:.4f}"
    length = f"tokens {line['length']['mean']:.0f}  cut off {line['truncated']:.0%}"
    _tell(f"step {line['step']:>6,}  {line['seconds']:>7,.0f} s  reward {reward}  {policy}  {length}")


def _show_end(summary: Mapping[str, Any], run: Path) -> None:
    state = "trained" if summary["finished"] else "stopped; go on with --resume"
    typer.echo(f"{state}: {summary['steps']:,} steps in {summary['seconds']:,.0f} s")
    for when in ("before", "after"):
        if found := summary[when]:
            typer.echo(f"{when:<8}  {_drafts(found) if 'drafts' in found else _rewards(found)}")
    typer.echo(f"model     {summary['model']}\nlog       {run / 'log.jsonl'}")


def _drafts(figures: Mapping[str, Any]) -> str:
    return f"{figures['drafts']['tokens_per_pass']:.2f} tokens a pass (n={figures['drafts']['rows']})"


def _rewards(figures: Mapping[str, Any]) -> str:
    """Rewards by task."""
    found = (
        f"{task} {one['reward']:.3f} (n={one['rows']})"
        for task, one in figures["tasks"].items()
        if one["reward"] is not None
    )
    return "reward " + ", ".join(found)
