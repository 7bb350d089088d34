"""How long the report and the viewer of a large dataset take to make, to open and to answer, in the real browser.

    python benchmarks/views.py [--rows 100000] [--work DIR]       # DIR keeps the dataset for the next time

The rows are made, not printed: small pictures with elements, words, features, checks and scores as printed ones have.
"""

import argparse
import io
import random
import resource
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

from proofpress.flows.config import BuildRecipe
from proofpress.flows.dataset import Job, make_dataset
from proofpress.flows.report import write_report
from proofpress.flows.review_log import ReviewLog
from proofpress.flows.shard import ShardReport, write_pages
from proofpress.flows.shelf import Shelf
from proofpress.flows.view import Viewer
from proofpress.generators.browser_path import find_browser
from proofpress.generators.coverage import plan
from proofpress.generators.press import STAGE, PressRecipe, lattice_of
from proofpress.pages.record import Check, Element, PageRecord, Reject, Scores, Source
from proofpress.pages.shards import MANIFEST, read_manifest

ROWS_PER_SHARD = 2000
RECIPE = BuildRecipe.model_validate({"name": "many", "press": {"pages": 1}})
ELEMENTS = ("title", "heading", "paragraph", "paragraph", "formula", "table", "list_item", "figure", "note", "caption")


class Shard:
    """A shard of made-up rows."""

    def __init__(self, number: int, rows: int) -> None:
        self.number, self.rows, self.name = number, rows, f"train-{number:05d}"


def make_rows(out: Path, shard: Shard) -> ShardReport:
    """Write one shard of rows."""
    return write_pages(out, shard.name, "train", list(_rows(shard)))


def _rows(shard: Shard) -> Iterator[PageRecord | Reject]:
    rng = random.Random(shard.number)
    lattice = lattice_of(PressRecipe())
    pages = [plan(lattice, 0, index) for index in range(512)]
    picture = Image.new("RGB", (400, 560), "white")
    ImageDraw.Draw(picture).text((20, 20), f"shard {shard.number}", fill="black")
    encoded = io.BytesIO()
    picture.save(encoded, "PNG")
    for row in range(shard.rows):
        identity = f"{shard.number * ROWS_PER_SHARD + row:032x}"
        source = Source(rng.choice((STAGE, "pubtabnet", "im2latex")), identity, "1", "Apache-2.0")
        if rng.random() < 0.05:
            reason = f"reason.{rng.randint(1, 12)}"
            yield Reject(
                identity, rng.choice(("proof", "clean")), reason, "why it is one", source, "x", encoded.getvalue()
            )
            continue
        elements = tuple(
            Element(
                f"e{n}",
                kind,
                f"{kind} {n} with some words in it",
                ((20, 50 * n, 380, 50 * n, 380, 50 * n + 40, 20, 50 * n + 40),),
            )
            for n, kind in enumerate(ELEMENTS)
        )
        yield PageRecord(
            id=identity,
            image=encoded.getvalue(),
            width=400,
            height=560,
            text="\n\n".join(element.text for element in elements),
            task=rng.choice(("page", "page", "table", "formula", "text")),
            source=source,
            elements=elements,
            features=dict(pages[rng.randrange(len(pages))]),
            checks=(
                Check("proof.text", "passed"),
                Check(f"clean.{rng.randint(1, 20)}", "fixed", "notation", "was there"),
            ),
            scores=Scores("nano", -rng.random(), rng.random(), "keep", {}),
            language="en",
            content_id=identity,
        )


def make(folder: Path, rows: int) -> None:
    """Make the dataset, unless it is there."""
    shards = [
        Shard(number, min(ROWS_PER_SHARD, rows - start)) for number, start in enumerate(range(0, rows, ROWS_PER_SHARD))
    ]
    job = Job("many", RECIPE.contents(), RECIPE.digest(), str(rows), lambda: {"versions": {}}, shards, make_rows)
    make_dataset(job, folder)


def timed(title: str, began: float) -> None:
    print(f"{title:<52}{time.perf_counter() - began:>8.2f} s", flush=True)


def open_report(page: Page, folder: Path) -> None:
    """Open the report, and go through all of it."""
    began = time.perf_counter()
    page.goto((folder / "report.html").as_uri(), wait_until="load")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    timed("report: opened and drawn", began)
    began = time.perf_counter()
    page.evaluate("() => new Promise(done => { scrollTo(0, document.body.scrollHeight); requestAnimationFrame(done) })")
    timed("report: scrolled to its end", began)


def use_viewer(page: Page, folder: Path) -> None:
    """Open the viewer, filter and page."""
    began = time.perf_counter()
    shelf = Shelf.open(folder)
    timed(f"viewer: started with {len(shelf.entries):,} rows", began)
    with tempfile.TemporaryDirectory() as kept, Viewer(shelf, ReviewLog.open(Path(kept) / "review.jsonl")) as viewer:
        threading.Thread(target=viewer.serve_forever, daemon=True).start()
        status = page.get_by_role("status")
        began = time.perf_counter()
        page.goto(viewer.url)
        status.filter(has_text="Row 1 of").wait_for()
        timed("viewer: page opened, first row shown", began)
        for name, value in (("task", "table"), ("kept", "rejects"), ("task", "")):
            page.evaluate("() => { document.querySelector('[role=status]').textContent = '' }")
            began = time.perf_counter()
            page.locator(f"select[name={name}]").select_option(value)
            status.filter(has_text=" of ").or_(status.filter(has_text="No row")).wait_for()
            timed(f"viewer: filtered by {name} {value or 'any'}", began)
        began = time.perf_counter()
        for row in range(20):
            page.keyboard.press("j")
            status.filter(has_text=f"Row {row + 2} of").wait_for()
        timed("viewer: 20 rows on", began)
        began = time.perf_counter()
        page.keyboard.press("a")
        status.filter(has_text="Accepted").wait_for()
        timed("viewer: a row accepted", began)
        viewer.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--work", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as other:
        folder = (options.work or Path(other)) / "many"
        if not (folder / MANIFEST).exists():
            began = time.perf_counter()
            make(folder, options.rows)
            timed(f"{options.rows:,} rows made", began)
        began = time.perf_counter()
        report = write_report(folder, read_manifest(folder))
        timed(f"report written, {report.stat().st_size / 1e6:.1f} MB", began)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=find_browser().path, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            open_report(page, folder)
            use_viewer(page, folder)
            browser.close()
        print(f"most memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:,.0f} MB")


if __name__ == "__main__":
    main()
