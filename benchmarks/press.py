"""Pages and crops per second of the press with all proofs on, beside other ways of making pages, in the same run.

python benchmarks/press.py [--pages 200] [--kinds]         # --kinds: each kind of page alone, too

The peers print the same sheets without geometry or proof: a browser launched for each page, written as PDF and rastered
by pdfium, which is how olmOCR's miner makes its pages; and WeasyPrint with pdfium, where it is installed.
"""

import argparse
import os
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib import resources

import pypdfium2
from playwright.sync_api import sync_playwright

from proofpress import templates
from proofpress.generators.address import Address
from proofpress.generators.browser_path import find_browser
from proofpress.generators.coverage import plan
from proofpress.generators.kinds import KINDS, lay_out
from proofpress.generators.layout import PageSpec
from proofpress.generators.press import PressRecipe, lattice_of, open_browser, print_pages, shell_page, to_html
from proofpress.generators.wear import PROFILES
from proofpress.pages.record import PageRecord, Reject
from proofpress.templates.assets import katex_css

PAGES = PressRecipe(rows="pages")
WORN = PressRecipe(rows="pages", wear=dict.fromkeys(PROFILES, 1.0))
CROPS = PressRecipe(rows="crops", crops=20)
SEED = 1
WARM_UP = 40  # pages printed before the clock starts: fonts load, the lattice is drawn, V8 and the templates compile


@dataclass(frozen=True)
class Run:
    """What one warm process printed in how many seconds, and the processor time of it, its browser and driver."""

    rows: int
    rejects: int
    formulas: int
    seconds: float
    cpu_seconds: float


def press(indices: range, recipe: PressRecipe = PAGES) -> Run:
    """Print and proof these pages in one warm process."""
    start = _cpu()
    with open_browser(recipe) as browser:
        for _ in print_pages(recipe, SEED, range(10**6, 10**6 + WARM_UP), browser):
            pass
        begin = time.perf_counter()
        rows = list(print_pages(recipe, SEED, indices, browser))
        seconds = time.perf_counter() - begin
    cpu = (_cpu() - start) * len(indices) / (len(indices) + WARM_UP)  # children are counted when they end
    kept = [row for row in rows if isinstance(row, PageRecord)]
    formulas = sum(word.text.startswith("$") for row in kept for word in row.words)
    return Run(len(kept), sum(isinstance(row, Reject) for row in rows), formulas, seconds, cpu)


def two_presses(pages: int, recipe: PressRecipe = PAGES) -> tuple[float, float]:
    """Pages and kept rows per second of two processes at once, each printing this many pages."""
    with ProcessPoolExecutor(2) as pool:
        runs = list(pool.map(press, [range(pages), range(pages, 2 * pages)], [recipe, recipe]))
    seconds = max(run.seconds for run in runs)
    return 2 * pages / seconds, sum(run.rows for run in runs) / seconds


def browser_per_page(sheets: list[PageSpec]) -> None:
    """A browser launched for each page, its PDF rastered by pdfium."""
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    for sheet in sheets:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=find_browser().path, args=sandbox)
            page = browser.new_page(viewport={"width": sheet.style.width, "height": sheet.style.height})
            page.set_content(shell_page().replace("<body></body>", f"<body>{to_html(sheet)}</body>"))
            page.evaluate("document.fonts.ready")
            size = {"width": f"{sheet.style.width}px", "height": f"{sheet.style.height}px"}
            _raster(page.pdf(**size, print_background=True), sheet)
            browser.close()


def weasyprint_and_pdfium(sheets: list[PageSpec]) -> None:
    """WeasyPrint's PDF rastered by pdfium."""
    from weasyprint import CSS, HTML

    css = resources.files(templates) / "css"
    style = [CSS(filename=katex_css()), *(CSS(string=(css / name).read_text()) for name in ("page.css", "kinds.css"))]
    for sheet in sheets:
        size = CSS(string=f"@page {{ size: {sheet.style.width}px {sheet.style.height}px; margin: 0 }}")
        _raster(HTML(string=f"<body>{to_html(sheet)}</body>").write_pdf(stylesheets=[*style, size]), sheet)


def _raster(pdf: bytes, sheet: PageSpec) -> None:
    page = pypdfium2.PdfDocument(pdf)[0]
    page.render(scale=sheet.style.width / page.get_width()).to_pil()


def _peer(name: str, work: Callable[[list[PageSpec]], None], sheets: list[PageSpec], ours: float) -> None:
    work(sheets[:1])
    start = time.perf_counter()
    work(sheets[1:])
    speed = (len(sheets) - 1) / (time.perf_counter() - start)
    print(f"{name:<22}{speed:7.2f} pages/s, no proof, one process; the press: {ours / speed:.1f} times", flush=True)


def _cpu() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--kinds", action="store_true", help="also each kind of page alone")
    options = parser.parse_args()
    pages = options.pages
    run = press(range(pages))
    alone = pages / run.seconds
    print(f"press, 1 process      {alone:7.1f} pages/s, all proofs on, {run.rejects} of {pages} rejected", flush=True)
    print(f"                      {run.cpu_seconds / pages * 1000:7.0f} ms of processor time a page, start included")
    print(f"press, 2 processes    {two_presses(pages)[0]:7.1f} pages/s, {run.formulas / pages:.0f} formulas a page")
    print(f"worn, 2 processes     {two_presses(max(10, pages // 2), WORN)[0]:7.1f} pages/s, each of them worn")
    print(f"crops, 2 processes    {two_presses(max(10, pages // 4), CROPS)[1]:7.1f} crops/s, 20 asked of each page")
    if options.kinds:
        for kind in KINDS:
            recipe = PressRecipe(rows="pages", kinds={kind: 1.0})
            print(f"  {kind:<20}{two_presses(max(10, pages // 4), recipe)[0]:7.1f} pages/s, 2 processes", flush=True)
    lattice = lattice_of(PAGES)
    few = range(1 + max(5, pages // 20))
    sheets = [lay_out(plan(lattice, SEED, n), Address(SEED, "press", n), PAGES.width) for n in few]
    _peer("a browser per page", browser_per_page, sheets, alone)
    try:
        _peer("WeasyPrint + pdfium", weasyprint_and_pdfium, sheets, alone)
    except ImportError:
        print("WeasyPrint + pdfium   not installed: pip install -e '.[bench]'")


if __name__ == "__main__":
    main()
