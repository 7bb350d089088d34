"""What the command line shows: progress while a dataset is made, a summary when it is, one message when it is not.

Results go to standard output, everything else to standard error; ``--json`` makes the result one JSON object.

    with progress_bar("demo", quiet=False) as progress:
        made = build(recipe, out, progress=progress)
    show_made(made, as_json=False, quiet=False)
"""

import contextlib
import json
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from proofpress.flows.dataset import Made, ShardsFailed
from proofpress.flows.dataset import Progress as OnShard
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.storage import Place, at, read_bytes

if TYPE_CHECKING:
    from proofpress.flows.evaluate import Evaluation

TOP_REASONS = 8
WORST_ROWS = 20

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


@contextlib.contextmanager
def progress_bar(name: str, quiet: bool) -> Iterator[OnShard]:
    """A callback for ``make_dataset``: a bar on a terminal, a line a shard elsewhere, nothing when quiet."""
    if quiet:
        yield lambda done, total, shard: None
    elif not err.is_terminal:
        yield lambda done, total, shard: err.print(f"{name}: {done} of {total} shards{shard and f' ({shard})'}")
    else:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("shards"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=err, transient=True) as bar:
            task = bar.add_task(escape(name), total=None)
            yield lambda done, total, shard: bar.update(task, completed=done, total=total)


def show_made(made: Made, as_json: bool, quiet: bool) -> None:
    """What was made, kept and rejected, and where it lies."""
    if as_json:
        print_json(_as_json(made))
    elif not quiet:
        _print_summary(made)


def print_json(value: Any) -> None:
    """One JSON object on one line of standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def reading_bar(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A callback for pages read of pages: a bar on a terminal, a line now and then elsewhere, nothing when quiet."""
    if quiet:
        yield lambda done, total: None
    elif not err.is_terminal:
        yield lambda done, total: err.print(f"read {done} of {total} pages")
    else:
        columns = (TextColumn("reading"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with Progress(*columns, console=err, transient=True) as bar:
            task = bar.add_task("reading", total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)


def show_evaluation(evaluation: "Evaluation", folder: Path | None) -> None:
    """The scores of an evaluation, the worst pages' rows, and where the whole report lies."""
    from proofpress.flows.evaluation_report import columns_of, figure, scores_of

    table = Table(box=box.SIMPLE_HEAD, title=f"{escape(evaluation.subject)} on {escape(evaluation.benchmark)}")
    table.add_column("score")
    table.add_column("", justify="right")
    for name, value in scores_of(evaluation):
        table.add_row(escape(name), figure(value))
    out.print(table)
    fields = columns_of(evaluation)
    ranked = sorted(evaluation.pages, key=lambda page: (page.score is None, page.score, page.name))
    pages = Table(box=box.SIMPLE_HEAD, title="Pages, the worst first")
    pages.add_column("page", overflow="ellipsis", max_width=40, no_wrap=True)
    for name in fields:
        pages.add_column(name.replace("_", "\n"), justify="right", no_wrap=True, min_width=5)
    for page in ranked[:WORST_ROWS]:
        pages.add_row(escape(page.name), *(figure(page.fields.get(name)) for name in fields))
    out.print(pages)
    if len(ranked) > WORST_ROWS:
        out.print(f"... and {len(ranked) - WORST_ROWS} more pages")
    if folder is not None:
        out.print(f"all pages and the worst in full: {escape(str(folder / 'report.html'))}")


def show_training(line: Mapping[str, Any]) -> None:
    """One line of a training run's log: what was learned since the last one, or what the held-out rows say."""
    step = f"step {line['step']:>6,}"
    if "held_out" in line:
        err.print(f"{step}  held out: {_rates(line['held_out'])}")
        return
    losses = ", ".join(f"{kind} {loss:.2f}" for kind, loss in line["curriculum"]["losses"].items())
    err.print(
        f"{step}  {line['seconds']:>7,.0f} s  {line['characters']:>10,} characters  loss a character: {escape(losses)}"
    )


def show_trained(summary: Mapping[str, Any], run: Path) -> None:
    """What a training run came to, and where its model lies."""
    state = "trained" if summary["finished"] else "stopped; go on with --resume"
    out.print(
        f"[bold]{state}[/]: {summary['steps']:,} steps, {summary['characters']:,} characters of {summary['rows']:,} "
        f"rows in {summary['seconds']:,.0f} s"
    )
    for when in ("before", "after"):
        if summary[when]:
            out.print(f"{when:<8}  {_rates(summary[when])}")
    if summary["refused"]:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(summary["refused"].items()))
        out.print(f"not used  {escape(reasons)}")
    out.print(f"model     {summary['model']}\nlog       {run / 'log.jsonl'}")


def _rates(figures: Mapping[str, Any]) -> str:
    """Character error rates by task."""
    return ", ".join(f"{task} CER {found['cer']:.1%} (n={found['rows']})" for task, found in figures["tasks"].items())


def show_profile(folder: Place) -> None:
    """What a mining found: rewards of tasks, what costs reward, and where labels wait to be looked at."""
    profile = json.loads(read_bytes(at(folder, "profile.json")))
    rewards = ", ".join(f"{task} {one['mean']:.3f} (n={one['rows']})" for task, one in profile["rewards"].items())
    out.print(f"reward    {rewards or 'nothing could be scored'}")
    effects = [one for one in profile["attribution"]["effects"] if one["low"] > 0]
    if effects:
        table = Table(box=box.SIMPLE, pad_edge=False)
        for title in ("costs reward", "by", "interval", "weight"):
            table.add_column(title, justify="left" if title == "costs reward" else "right")
        for one in effects[:WORST_ROWS]:
            weight = profile["weights"].get(one["feature"])
            interval = f"{one['low']:.3f} to {one['high']:.3f}"
            table.add_row(
                escape(one["feature"]), f"{one['effect']:.3f}", interval, "" if weight is None else str(weight)
            )
        out.print(table)
    else:
        out.print("No feature's effect is told from noise.")
    mix = profile["mix"]
    out.print(f"mix       {mix['hard']:,} hard, {mix['ordinary']:,} ordinary\nrecipe    {at(folder, 'recipe.yaml')}")
    suspects = ", ".join(f"{reason} {count:,}" for reason, count in profile["suspects"].items())
    out.print(f"review    {at(folder, 'review.html')} ({suspects or 'no label is suspect'})")


def show_error(error: RequestError | WorkError) -> None:
    """One message; before it the tracebacks of what broke shards unexpectedly."""
    if isinstance(error, ShardsFailed):
        for cause in error.unexpected:
            traceback.print_exception(cause, file=sys.stderr)
    title = "The request cannot be done" if isinstance(error, RequestError) else "The work failed"
    if err.is_terminal:
        err.print(Panel(escape(str(error)), title=title, title_align="left", border_style="red", box=box.ROUNDED))
    else:
        err.print(f"{title}: {escape(str(error))}")


def _as_json(made: Made) -> dict[str, Any]:
    shown = {key: made.manifest[key] for key in ("name", "recipe_hash", "splits", "sources", "rejected")}
    return {
        **shown,
        "was_there": made.was_there,
        "dataset": str(made.folder),
        "report": str(at(made.folder, "report.html")),
        "manifest": str(at(made.folder, "manifest.json")),
    }


def _print_summary(made: Made) -> None:
    manifest = made.manifest
    if made.was_there:
        out.print(f"{made.folder} already holds this complete dataset; nothing was touched.")
    kept, total = sum(manifest["splits"].values()), sum(source["made"] for source in manifest["sources"].values())
    splits = ", ".join(f"{split} {rows:,}" for split, rows in manifest["splits"].items())
    out.print(f"[bold]{escape(manifest['name'])}[/]: kept {kept:,} of {total:,} ({splits})")
    if manifest["rejected"]:
        out.print(_reasons(manifest["rejected"]))
    out.print(
        f"dataset   {made.folder}\nreport    {at(made.folder, 'report.html')}\n"
        f"manifest  {at(made.folder, 'manifest.json')}"
    )


def _reasons(rejected: dict[str, int]) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("rejected because")
    table.add_column("pages", justify="right")
    ranked = sorted(rejected.items(), key=lambda entry: (-entry[1], entry[0]))
    for reason, count in ranked[:TOP_REASONS]:
        table.add_row(escape(reason), f"{count:,}")
    if len(ranked) > TOP_REASONS:
        rest = sum(count for _, count in ranked[TOP_REASONS:])
        table.add_row(f"{len(ranked) - TOP_REASONS} other reasons", f"{rest:,}")
    return table
