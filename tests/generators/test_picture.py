"""What a browser draws on a canvas comes back pixel by pixel, in grey and in colour, and is its screenshot."""

import io

import numpy as np
import pytest
from PIL import Image

from proofpress.generators.browser import Browser
from proofpress.generators.browser_path import find_browser
from proofpress.generators.picture import encode, unpack
from proofpress.generators.press import shell_page
from proofpress.pages.errors import WorkError

WIDTH, HEIGHT = 640, 480
SHEETS = {
    "nothing": ("", 2),
    "grey": ("<div style='width: 300px; height: 90px; background: #777'></div>", 2),
    "text": ("<div>One word <b>and</b> another</div>", 2),
    "colours": ("<div style='height: 300px; background: linear-gradient(90deg, #f0c, #0cf)'>red</div>", 3),
    "tinted paper": ("<div style='height: 480px; background: #fdf6e3; color: #123'>ink</div>", 3),
    "many colours": (
        "<div style='height: 480px; background: conic-gradient(red, yellow, lime, aqua, blue, magenta, red)'></div>", 3
    ),
    "stripes": (
        "<div style='height: 480px; background: repeating-linear-gradient(90deg, #000 0 1px, #fff 1px 2px)'></div>", 2
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    with Browser(find_browser(), shell_page(), WIDTH, HEIGHT) as browser:
        if not browser._on_canvas:
            pytest.skip("this browser draws no document on a canvas")
        yield browser


@pytest.fixture(scope="module")
def camera():
    """The same browser without a canvas."""
    shell = shell_page().replace("begin(width, height) {", "begin(width, height) {\n return false;")
    with Browser(find_browser(), shell, WIDTH, HEIGHT) as browser:
        assert not browser._on_canvas
        yield browser


def rgb(picture):
    return picture if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("height", [HEIGHT, 200, 131])
def test_a_sheet_on_the_canvas_is_its_screenshot(browser, camera, sheet, height):
    html, dimensions = SHEETS[sheet]
    drawn = browser.print(html, height).picture()
    assert drawn.ndim == dimensions and drawn.shape[:2] == (height, WIDTH)
    difference = np.abs(rgb(drawn).astype(int) - rgb(camera.print(html, height).picture()))
    assert difference.max() <= 1  # gradients are rounded tile by tile


def test_a_picture_is_never_that_of_the_sheet_before(browser):
    first = browser.print(SHEETS["colours"][0], HEIGHT)
    other = browser.print(SHEETS["text"][0], HEIGHT)
    assert browser.print(SHEETS["colours"][0], HEIGHT) == first != other


@pytest.mark.parametrize("shape", [(7, 5), (7, 5, 3)])
def test_png_holds_the_pixels(shape):
    picture = np.random.default_rng(3).integers(0, 256, shape, np.uint8)
    png = encode(picture)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png))), picture)
    assert np.array_equal(unpack(png, 5), rgb(picture))


def test_a_broken_png_is_an_error():
    with pytest.raises(WorkError, match="no picture"):
        unpack(b"\x89PNG and no more", 640)


def test_what_stands_topmost_is_known_on_a_canvas_too(browser):
    """A box of another reaches into both words; it covers one."""
    box = "position: absolute; left: 0; top: 0; width: 50px; height: 40px"
    html = (
        "<div id='page' style='position: relative'>"
        f"<div data-eid='under' style='{box}'>under</div><div data-eid='cover' style='{box}; background: #fff'></div>"
        f"<div data-eid='over' style='{box}; top: 100px'>over</div>"
        f"<div data-eid='back' style='{box}; top: 100px; z-index: -1; background: #fff'></div></div>"
    )
    words = browser.print(html, HEIGHT).measured["words"]
    assert dict(zip(words[1::8], words[7::8], strict=True)) == {"under": 0, "over": 1}
