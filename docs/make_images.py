"""Makes the README's pictures again: pages of the press, and the report of a dataset where one is named.

python docs/make_images.py [out/demo]
"""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from proofpress.generators.browser_path import find_browser
from proofpress.generators.kinds import KINDS
from proofpress.generators.press import PressRecipe, print_pages
from proofpress.generators.wear import CLEAN, PROFILES
from proofpress.pages.record import PageRecord

IMAGES = Path(__file__).parent / "images"
SEED, GAP = 4, 16
SCRIPTS = {  # a language of each script, and the kind of page it is shown on
    "pl": "magazine", "el": "textbook", "ru": "legal", "zh": "newspaper", "ja": "manual", "ko": "report",
    "ar": "paper", "he": "letter", "hi": "exam",
}  # fmt: skip
UNPICTURED = ("blank",)  # nothing to see
BETTER = {"slides": 7, "cover": 5, "textbook": 3}  # indices of pages that show more of their kind than the first


def kinds() -> None:
    """``kinds.png``: a page of each kind."""
    shown = [kind for kind in KINDS if kind not in UNPICTURED]
    sheets = [page(kind, {"language": ("en",)}, BETTER.get(kind, 0)) for kind in shown]
    save(contact_sheet(sheets, rows=4, height=470), "kinds.png")


def scripts() -> None:
    """``scripts.png``: a page in each script."""
    sheets = [page(kind, {"language": (language,)}, 1) for language, kind in SCRIPTS.items()]
    save(contact_sheet(sheets, rows=2, height=640), "scripts.png")


def wear() -> None:
    """``wear.png``: one letter as each profile leaves it."""
    features = {"language": ("en",), "density": ("normal",), "columns": ("1",)}
    sheets = [page("legal", features, 3, profile) for profile in (CLEAN, *PROFILES)]
    save(contact_sheet(sheets, rows=2, height=460), "wear.png")


def page(kind: str, features: dict[str, tuple[str, ...]], index: int, profile: str = CLEAN) -> Image.Image:
    """The first page from this index on that is kept."""
    recipe = PressRecipe(kinds={kind: 1.0}, rows="pages", features=features, wear={profile: 1.0})
    for record in print_pages(recipe, SEED, range(index, index + 9)):
        if isinstance(record, PageRecord):
            return Image.open(io.BytesIO(record.image)).convert("RGB")
    raise AssertionError(f"no page of {kind}")


def contact_sheet(sheets: list[Image.Image], rows: int, height: int) -> Image.Image:
    """Pages side by side in rows of about the same width, each of this height in pixels."""
    small = [s.resize((s.width * height // s.height, height), Image.Resampling.LANCZOS) for s in sheets]
    room = sum(s.width + GAP for s in small) / rows
    lines: list[list[Image.Image]] = [[]]
    for sheet in small:
        if sum(s.width + GAP for s in lines[-1]) + sheet.width / 2 > room and len(lines) < rows:
            lines.append([])
        lines[-1].append(sheet)
    width = max(sum(s.width + GAP for s in line) for line in lines) + GAP
    whole = Image.new("RGB", (width, len(lines) * (height + GAP) + GAP), "#8a8f98")
    for number, line in enumerate(lines):
        left = GAP + (width - GAP - sum(s.width + GAP for s in line)) // 2
        for sheet in line:
            whole.paste(sheet, (left, GAP + number * (height + GAP)))
            left += sheet.width + GAP
    return whole


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
    kinds()
    scripts()
    wear()
    if len(sys.argv) > 1:
        report(Path(sys.argv[1]))
