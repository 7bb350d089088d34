"""Pages per second of the press with all proofs on, by kind of page, beside a browser launched for each page.

python benchmarks/press.py [--pages 200]
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

from playwright.sync_api import sync_playwright

from proofpress.generators.address import Address
from proofpress.generators.browser import FLAGS
from proofpress.generators.browser_path import find_browser
from proofpress.generators.coverage import plan
from proofpress.generators.kinds import KINDS, lay_out
from proofpress.generators.press import PressRecipe, lattice_of, open_browser, print_pages, shell_page, to_html
from proofpress.pages.record import PageRecord, Reject

RECIPE = PressRecipe(rows="pages")
ALONE = {kind: PressRecipe(rows="pages", kinds={kind: 1.0}) for kind in KINDS}
SEED = 1
WARM_UP = 10  # pages printed before the clock starts: fonts load, V8 and the templates compile


def press(indices: range, recipe: PressRecipe = RECIPE) -> tuple[float, int, int]:
    """Seconds, rejects and formulas of printing and proofing these pages in one warm process."""
    with open_browser(recipe) as browser:
        for _ in print_pages(recipe, SEED, range(10**6, 10**6 + WARM_UP), browser):
            pass
        start = time.perf_counter()
        pages = list(print_pages(recipe, SEED, indices, browser))
        seconds = time.perf_counter() - start
    rejects = sum(isinstance(page, Reject) for page in pages)
    kept = [page for page in pages if isinstance(page, PageRecord)]
    return seconds, rejects, sum(word.text.startswith("$") for page in kept for word in page.words)


def two_presses(pages: int, recipe: PressRecipe = RECIPE) -> float:
    """Pages per second of two processes at once, each printing this many."""
    with ProcessPoolExecutor(2) as pool:
        done = pool.map(press, [range(pages), range(pages, 2 * pages)], [recipe, recipe])
        return 2 * pages / max(seconds for seconds, _, _ in done)


def launch_per_page(pages: int) -> float:
    """Seconds of printing pages the plain way: a browser for each, no proof, no geometry."""
    lattice = lattice_of(RECIPE)
    sheets = [lay_out(plan(lattice, SEED, n), Address(SEED, "press", n), RECIPE.width) for n in range(pages)]
    bodies = [to_html(sheet) for sheet in sheets]
    start = time.perf_counter()
    for sheet, body in zip(sheets, bodies, strict=True):
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=find_browser().path, args=[*FLAGS, "--no-sandbox"])
            page = browser.new_page(viewport={"width": sheet.style.width, "height": sheet.style.height})
            page.set_content(shell_page().replace("<body></body>", f"<body>{body}</body>"))
            page.evaluate("document.fonts.ready")
            page.screenshot()
            browser.close()
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200)
    pages = parser.parse_args().pages
    seconds, rejects, formulas = press(range(pages))
    few = max(5, pages // 20)
    plain = launch_per_page(few) / few  # seconds a page
    print(f"press, 1 process    {pages / seconds:6.1f} pages/s, all proofs on, {rejects} of {pages} rejected")
    print(f"press, 2 processes  {two_presses(pages):6.1f} pages/s, {formulas / pages:.0f} formulas a page")
    for kind, recipe in ALONE.items():
        _, _, formulas = press(range(few), recipe)
        speed = two_presses(pages // 2, recipe)
        print(f"  {kind:<17} {speed:6.1f} pages/s, {formulas / few:.0f} formulas a page")
    print(f"browser per page    {1 / plain:6.1f} pages/s, no proof; the press: {pages / seconds * plain:.1f} times")


if __name__ == "__main__":
    main()
