"""The command that lets one look at a dataset and decide about its rows: ``view``."""

import webbrowser
from typing import Annotated, Any

import typer

from proofpress.flows.cli.app import DATASET, a_place, app, examples
from proofpress.flows.cli.stopping import stoppable


@app.command(
    epilog=examples(
        "view out/demo   (a accepts, r rejects, j and k go on and back)",
        "view out/demo --suspects out/hard/review.jsonl   (what a mining thinks is mislabelled)",
        "view s3://bucket/demo --review out/review.jsonl --no-browser",
    )
)
def view(
    dataset: Annotated[Any, typer.Argument(parser=a_place, metavar="DATASET", help=DATASET)],
    review: Annotated[
        Any,
        typer.Option("--review", parser=a_place, metavar="FILE", help="Where decisions go; review.jsonl in DATASET."),
    ] = None,
    suspects: Annotated[
        Any,
        typer.Option("--suspects", parser=a_place, metavar="FILE", help="A mining's review.jsonl, to look through."),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in the browser.")] = True,
) -> None:
    """Look at a dataset's rows in the browser, filter them, accept and reject; ends with Ctrl-C."""
    from proofpress.flows.review_log import ReviewLog, read_lines
    from proofpress.flows.shelf import Shelf
    from proofpress.flows.view import Viewer, review_of

    shelf = Shelf.open(dataset)
    log = ReviewLog.open(review if review is not None else review_of(shelf))
    shown = read_lines(suspects) if suspects is not None else ()
    with stoppable(message="The viewer has ended.", code=0), Viewer(shelf, log, shown, port) as viewer:
        typer.echo(f"{len(shelf.entries):,} rows at {viewer.url}\nDecisions go to {log.place}. Ctrl-C ends.")
        if browser:
            webbrowser.open(viewer.url)
        try:
            viewer.serve_forever()
        finally:
            typer.echo(f"\n{len(log.decisions):,} rows decided in {log.place}")
