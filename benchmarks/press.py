"""Pages per second of the press with all proofs on, beside a browser launched for each page, in one run.

python benchmarks/press.py [--pages 200]
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

from playwright.sync_api import sync_playwright

from proofpress.generators.address import Address
from proofpress.generators.browser import FLAGS
from proofpress.generators.browser_path import find_browser
from proofpress.generators.kinds import KINDS, lay_out
from proofpress.generators.press import PressRecipe, open_browser, print_pages, shell_page, to_html
from proofpress.pages.record import Reject

RECIPE = PressRecipe(rows="pages")
SEED = 1
WARM_UP = 10  # pages printed before the clock starts: fonts load, V8 and the templates compile


def press(indices: range) -> tuple[float, int]:
    """Seconds and rejects of printing and proofing these pages in one warm process."""
    with open_browser(RECIPE) as browser:
        for _ in print_pages(RECIPE, SEED, range(10**6, 10**6 + WARM_UP), browser):
            pass
        start = time.perf_counter()
        rejects = sum(isinstance(page, Reject) for page in print_pages(RECIPE, SEED, indices, browser))
        return time.perf_counter() - start, rejects


def launch_per_page(pages: int) -> float:
    """Seconds of printing pages the plain way: a browser for each, no proof, no geometry."""
    kinds = sorted(KINDS)
    sheets = [lay_out(kinds[n % len(kinds)], Address(SEED, "press", n), RECIPE.width) for n in range(pages)]
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
    one, rejects = press(range(pages))
    with ProcessPoolExecutor(2) as pool:
        halves = [range(0, pages), range(pages, 2 * pages)]
        two = max(seconds for seconds, _ in pool.map(press, halves))
    few = max(5, pages // 20)
    plain = launch_per_page(few) / few  # seconds a page
    print(f"press, 1 process    {pages / one:6.1f} pages/s, all proofs on, {rejects} of {pages} rejected")
    print(f"press, 2 processes  {2 * pages / two:6.1f} pages/s")
    print(f"browser per page    {1 / plain:6.1f} pages/s, no proof; the press: {pages / one * plain:.1f} times")


if __name__ == "__main__":
    main()
