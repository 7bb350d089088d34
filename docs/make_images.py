"""Makes the README's pictures again: pages of the press, and the report of a dataset.

python docs/make_images.py out/demo
"""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from proofpress.generators.browser_path import find_browser
from proofpress.generators.kinds import KINDS
from proofpress.generators.press import PressRecipe, open_browser, print_pages
from proofpress.pages.record import PageRecord

IMAGES = Path(__file__).parent / "images"
SEED, INDEX = 4, {"paper": 2, "report": 0, "exam": 1}
HEIGHT, GAP = 860, 20


def pages() -> None:
    """``pages.png``: a page of each kind, side by side."""
    sheets = []
    for kind in KINDS:
        recipe = PressRecipe(kinds={kind: 1.0}, rows="pages")
        with open_browser(recipe) as browser:
            (record,) = print_pages(recipe, SEED, [INDEX[kind]], browser)
        assert isinstance(record, PageRecord), record
        page = Image.open(io.BytesIO(record.image)).convert("RGB")
        sheets.append(page.resize((page.width * HEIGHT // page.height, HEIGHT), Image.Resampling.LANCZOS))
    sheet = Image.new("RGB", (sum(s.width for s in sheets) + GAP * (len(sheets) + 1), HEIGHT + 2 * GAP), "#8a8f98")
    left = GAP
    for page in sheets:
        sheet.paste(page, (left, GAP))
        left += page.width + GAP
    save(sheet, "pages.png")


def report(dataset: Path) -> None:
    """``report.png``: the top of a dataset's report."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser().path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 1300})
        page.goto((dataset / "report.html").resolve().as_uri())
        shot = page.screenshot()
        browser.close()
    save(Image.open(io.BytesIO(shot)).convert("RGB"), "report.png")


def save(image: Image.Image, name: str) -> None:
    """Save with a palette: a third of the bytes, and no difference to see."""
    IMAGES.mkdir(exist_ok=True)
    image.quantize(256).save(IMAGES / name, optimize=True)


if __name__ == "__main__":
    pages()
    report(Path(sys.argv[1]))
