"""The report of an evaluation: one HTML file with the scores, a row a page, and the worst pages beside what was read.

    write_report(evaluation, Path("out/eval/report.html"))

Readable anywhere and without a network; equal evaluations give equal bytes.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from proofpress.flows.evaluate import Evaluation, PageView
from proofpress.flows.report import Picture, picture
from proofpress.flows.text_changes import Change, changes
from proofpress.pages.errors import RequestError
from proofpress.pages.record import to_json
from proofpress.pages.shards import write_whole

WORST = 20
MAX_COMPARED = 30  # blocks of a page
MAX_NOTES = 20


@dataclass(frozen=True, slots=True)
class Shown:
    """A page of the report, its picture drawn, its texts compared."""

    view: PageView
    picture: Picture | None
    compared: Sequence[tuple[str, Sequence[Change]]]
    left_out: int


def write_report(evaluation: Evaluation, path: Path, worst: int = WORST) -> None:
    """Write the report whole. worst: pages that are shown in full."""
    write_whole(path, render(evaluation, worst).encode("utf-8", "replace"))


def write_result(evaluation: Evaluation, folder: Path, worst: int = WORST) -> None:
    """Write ``report.html`` and, last, ``result.json`` into a folder, which is made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"--out {folder}: cannot be made: {error.strerror}") from error
    write_report(evaluation, folder / "report.html", worst)
    write_whole(folder / "result.json", to_json(evaluation.summary).encode() + b"\n")


def render(evaluation: Evaluation, worst: int = WORST) -> str:
    """The report as HTML."""
    ranked = sorted(evaluation.pages, key=lambda page: (page.score is None, page.score, page.name))
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,  # pages and readings come from anywhere
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = figure
    return environment.get_template("evaluation.html.j2").render(
        evaluation=evaluation,
        scores=list(scores_of(evaluation)),
        columns=columns_of(evaluation),
        ranked=ranked,
        shown=[_show(page) for page in ranked[:worst] if page.score is None or page.score < 1],
        max_notes=MAX_NOTES,
    )


def columns_of(evaluation: Evaluation) -> list[str]:
    """The fields that some page has a value in, in their order."""
    fields = dict.fromkeys(name for page in evaluation.pages for name in page.fields)
    return [name for name in fields if any(page.fields.get(name) is not None for page in evaluation.pages)]


def scores_of(evaluation: Evaluation) -> list[tuple[str, Any]]:
    """The scores, nested names joined by a dot, in their order."""
    return list(_flat("", evaluation.summary["scores"]))


def _flat(prefix: str, value: Any) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return [(prefix, value)]
    if "count" in value:  # a mean with its interval
        interval = f"{figure(value['low'])} to {figure(value['high'])}"
        return [(prefix, f"{figure(value['value'])} ({interval}, {value['count']})")]
    return [one for name, inner in value.items() for one in _flat(f"{prefix}.{name}" if prefix else name, inner)]


def figure(value: Any) -> str:
    """A number as it is shown; a dash for none."""
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _show(page: PageView) -> Shown:
    compared = [(label, changes(gold, predicted)) for label, gold, predicted in page.compared[:MAX_COMPARED]]
    return Shown(page, _picture(page), compared, max(0, len(page.compared) - MAX_COMPARED))


def _picture(page: PageView) -> Picture | None:
    """The page's image, where there is one that opens: stored predictions can be scored without any."""
    if page.picture is None:
        return None
    try:
        image = page.picture()
    except RequestError:
        return None
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    return picture(encoded.getvalue())
