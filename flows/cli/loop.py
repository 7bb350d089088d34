"""Commands of the loop: ``refresh``, ``diff``, ``serve``."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proofpress.flows.cli.app import Json, Quiet, Runner, Sets, Workers, a_place, app, examples, print_json
from proofpress.flows.cli.making import at_work
from proofpress.flows.cli.stopping import stoppable
from proofpress.pages.storage import at

if TYPE_CHECKING:
    from proofpress.flows.refresh import Refreshed

Recipe = Annotated[Path, typer.Argument(help="The loop's recipe, a YAML file; recipes/refresh.yaml is one.")]
SERVED = "Serving has ended; a run that was at work goes on from where it was when it is started again."
Loop = Annotated[
    Any,
    typer.Option(
        "--out",
        parser=a_place,
        metavar="PLACE",
        help="The loop's folder, or a URL (s3://...) for its versions. The same command again resumes it.",
    ),
]


@app.command(
    epilog=examples(
        "refresh recipes/refresh.yaml --out out/loop",
        "refresh recipes/refresh.yaml --out out/loop --set build.press.pages=400   (prints the 100 that are new)",
        "refresh recipes/refresh.yaml --out s3://bucket/loop   (turned here, its versions published)",
        "refresh recipes/refresh.yaml --out out/loop --again   (once more around, though nothing has changed)",
    )
)
def refresh(
    recipe: Recipe,
    out: Loop,
    set_: Sets = [],  # noqa: B006
    again: Annotated[bool, typer.Option("--again", help="Make a version though nothing has changed.")] = False,
    runner: Runner = "inline",
    workers: Workers = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Once around the loop: clean and print what is new, mine, print for it, train, and promote what reads better.

    Only shards that something happened to are made; where nothing has changed there is no new version.
    """
    from proofpress.flows.console import progress_bar
    from proofpress.flows.loop_recipe import load_refresh
    from proofpress.flows.published_loop import refresh_published
    from proofpress.flows.refresh import refresh as refresh_here

    make: Any = refresh_published if isinstance(out, str) else refresh_here
    checked = load_refresh(recipe, set_)
    with at_work(runner), progress_bar(checked.name, quiet) as progress:
        done = make(checked, out, again, runner=runner, workers=workers, progress=progress)
    place = str(at(out, f"versions/{done.version.folder.name}"))
    if json_:
        print_json({**done.manifest, "was_there": done.was_there, "folder": place})
    elif not quiet:
        _show(done, place)


def _show(done: "Refreshed", place: str) -> None:
    manifest = done.manifest
    if done.was_there:
        typer.echo(f"Nothing has changed since version {manifest['version']}; nothing was made.")
    for name, one in manifest["datasets"].items():
        rows = ", ".join(f"{split} {count:,}" for split, count in one["splits"].items())
        typer.echo(f"{name:<9} {rows or 'no rows'}")
    weights = ", ".join(f"{name} {weight}" for name, weight in manifest["weights"].items())
    typer.echo(f"weights   {weights or 'as they were: no feature stands out'}")
    decision = manifest["decision"]
    typer.echo(f"model     {'promoted' if decision['promoted'] else 'kept'}: {decision['why']}")
    typer.echo(f"version   {place}")


@app.command(
    epilog=examples("diff out/loop/versions/0001 out/loop/versions/0002", "diff out/demo out/demo-judged --json")
)
def diff(
    first: Annotated[Path, typer.Argument(help="A dataset folder, or a version's.")],
    second: Annotated[Path, typer.Argument(help="What became of it.")],
    json_: Json = False,
) -> None:
    """Explain what is different between two datasets or versions: rows, recipe, weights, what they were made with."""
    from proofpress.flows.compare import compare

    found = compare(first, second)
    if json_:
        print_json(found)
        return
    for name, rows in found["rows"].items():
        _show_rows(name, rows)
    for title in ("recipe", "weights", "made_with"):
        for key, (before, after) in found.get(title, {}).items():
            typer.echo(f"{title:<9} {key}: {_short(before)} -> {_short(after)}")
    if "model" in found:
        model = found["model"]
        changed = (
            "the same" if model["before"] == model["after"] else f"{model['before'][:12]} -> {model['after'][:12]}"
        )
        typer.echo(f"model     {changed}; {model['decisions'][1]}")


def _show_rows(name: str, rows: dict[str, Any]) -> None:
    shards = rows["shards"]
    typer.echo(
        f"{name:<9} {rows['same']:,} rows the same; {shards['same']} of {shards['after']} shards the same, "
        f"{shards['written']} written"
    )
    for change in ("added", "removed", "changed"):
        one = rows[change]
        if one["count"]:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in one["kinds"].items())
            typer.echo(f"  {change:<8} {one['count']:,} ({kinds})")
    for reason, count in rows["removed"]["because"].items():
        typer.echo(f"           {count:,} because: {reason}")


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


@app.command(
    epilog=examples(
        "serve recipes/refresh.yaml",
        "serve recipes/refresh.yaml --out out/loop --set 'schedules.refresh=0 3 * * 0' --set schedules.build=null",
    )
)
def serve(
    recipe: Recipe,
    out: Annotated[
        Path | None, typer.Option("--out", help="The loop's folder; out/ and the recipe's name if not given.")
    ] = None,
    set_: Sets = [],  # noqa: B006
    runner: Runner = "processes",
    limit: Annotated[int, typer.Option("--limit", min=1, help="Runs at once on this machine.")] = 1,
) -> None:
    """Run the recipe's schedules until stopped: build, clean, mine, refresh, each as a Prefect deployment.

    Start `prefect server start` beside it and set PREFECT_API_URL to see and start runs on Prefect's page.
    """
    from proofpress.flows.loop_recipe import load_refresh
    from proofpress.flows.orphans import leave_none_behind
    from proofpress.flows.serve import serve as serve_recipe

    checked = load_refresh(recipe, set_)
    leave_none_behind()  # runs are processes of their own
    with stoppable(message=SERVED, code=0):
        with contextlib.suppress(SystemExit):
            serve_recipe(checked, out or Path("out") / checked.name, limit, runner)
        raise KeyboardInterrupt  # Prefect says nothing when it is told to stop
