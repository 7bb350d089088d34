"""Commands that measure a model: ``evaluate olmocr-bench``, ``evaluate omnidocbench``, ``evaluate dataset``."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proofpress.flows.cli.app import Dataset, Json, Quiet, app, examples, print_json

if TYPE_CHECKING:
    from proofpress.flows.evaluate import Evaluation, Subject

evaluate_app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")
app.add_typer(evaluate_app, name="evaluate", help="Measure a model, or stored predictions, on benchmarks and datasets.")

Predictions = Annotated[Path | None, typer.Option("--predictions", help="A folder of Markdown that was read before.")]
Reader = Annotated[str | None, typer.Option("--model", help="Read now: nano (bundled), or a folder with a checkpoint.")]
EvalOut = Annotated[
    Path | None, typer.Option("--out", help="A folder for result.json, report.html and what the model read.")
]
AllowMissing = Annotated[bool, typer.Option("--allow-missing", help="Score a page without a prediction as empty.")]
Worst = Annotated[int, typer.Option("--worst", help="How many of the worst pages the report shows.")]


@evaluate_app.command(
    "olmocr-bench",
    epilog=examples(
        "evaluate olmocr-bench olmOCR-bench/ --predictions olmOCR-bench/my_model --out out/eval",
        "evaluate olmocr-bench olmOCR-bench/ --model nano --out out/eval",
        "evaluate olmocr-bench olmOCR-bench/bench_data/arxiv_math.jsonl --predictions my_model --json",
    ),
)
def olmocr_bench(
    path: Annotated[Path, typer.Argument(help="The benchmark's folder (*.jsonl and pdfs/), or one JSONL file.")],
    predictions: Predictions = None,
    model: Reader = None,
    out: EvalOut = None,
    allow_missing: AllowMissing = False,
    worst: Worst = 20,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """olmOCR-bench: its unit tests, as upstream judges them and strictly.

    Predictions are files <pdf>_pg<page>_repeat<n>.md below the folder.
    """
    from proofpress.flows.benchmarks import evaluate_olmocr_bench

    with _subject(predictions, model, out, allow_missing, quiet) as subject:
        evaluation = evaluate_olmocr_bench(path, subject)
    _show(evaluation, out, worst, json_, quiet)


@evaluate_app.command(
    epilog=examples(
        "evaluate omnidocbench OmniDocBench.json --predictions out/md --out out/eval",
        "evaluate omnidocbench OmniDocBench/ --model nano --edition v1.6 --out out/eval",
    ),
)
def omnidocbench(
    path: Annotated[Path, typer.Argument(help="The gold JSON, or the folder that holds it and images/.")],
    predictions: Predictions = None,
    model: Reader = None,
    edition: Annotated[str, typer.Option("--edition", help="Matching and normal forms: v1.0, v1.5 or v1.6.")] = "v1.5",
    cdm: Annotated[bool, typer.Option("--cdm/--no-cdm", help="Render formulas for CDM; without, no Overall.")] = True,
    out: EvalOut = None,
    allow_missing: AllowMissing = False,
    worst: Worst = 20,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """OmniDocBench: text edit, TEDS, TEDS-S, CDM, reading order, Overall, and our own strict page score.

    Predictions are files <image>.md in the folder.
    """
    from proofpress.flows.benchmarks import evaluate_omnidocbench

    with _subject(predictions, model, out, allow_missing, quiet) as subject:
        evaluation = evaluate_omnidocbench(path, subject, edition, cdm)
    _show(evaluation, out, worst, json_, quiet)


@evaluate_app.command(
    epilog=examples(
        "evaluate dataset out/demo --model nano --limit 50",
        "evaluate dataset out/demo --split validation --predictions out/md --out out/eval --json",
    ),
)
def dataset(
    path: Dataset,
    predictions: Predictions = None,
    model: Reader = None,
    split: Annotated[str, typer.Option("--split", help="Which split.")] = "validation",
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many records.")] = None,
    out: EvalOut = None,
    allow_missing: AllowMissing = False,
    worst: Worst = 20,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """A dataset's split by the rewards of its tasks, with intervals by task and kind.

    Predictions are files <record's id>.md in the folder.
    """
    from proofpress.flows.evaluate import dataset_evaluation

    with _subject(predictions, model, out, allow_missing, quiet) as subject:
        evaluation = dataset_evaluation(path, split, subject, limit)
    _show(evaluation, out, worst, json_, quiet)


@contextlib.contextmanager
def _subject(
    predictions: Path | None, model: str | None, out: Path | None, allow_missing: bool, quiet: bool
) -> "Iterator[Subject]":
    """The subject, whose reading shows a bar while it lasts."""
    from proofpress.flows.console import reading_bar
    from proofpress.flows.evaluate import Subject

    with reading_bar(quiet or model is None) as progress:
        yield Subject(predictions, model, out, allow_missing, progress)


def _show(evaluation: "Evaluation", out: Path | None, worst: int, as_json: bool, quiet: bool) -> None:
    from proofpress.flows.console import show_evaluation
    from proofpress.flows.evaluation_report import write_result

    if out is not None:
        write_result(evaluation, out, worst)
    if as_json:
        print_json(evaluation.summary)
    elif not quiet:
        show_evaluation(evaluation, out)
