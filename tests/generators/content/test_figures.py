import random
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.generators.content import charts, figures
from proofpress.generators.content.figure_canvas import Canvas

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = {"svg", "text", "polyline", "polygon", "rect", "circle"}


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(160, 1200), st.integers(120, 900))
def test_a_figure_is_sound_svg_of_its_size_with_the_texts_it_tells_of(seed: int, width: int, height: int) -> None:
    content = figures.figure(random.Random(seed), width, height)
    root = ElementTree.fromstring(content.svg)
    assert (root.get("width"), root.get("height")) == (str(width), str(height))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= DRAWN
    assert not any("href" in name or name.startswith("on") for element in root.iter() for name in element.keys())  # noqa: SIM118
    assert tuple(element.text for element in root.iter(f"{SVG}text")) == content.texts
    assert content == figures.figure(random.Random(seed), width, height)


def test_marks_keep_within_the_frame() -> None:
    for seed in range(300):
        root = ElementTree.fromstring(figures.figure(random.Random(seed), 420, 300).svg)
        for element in root.iter():
            spots = [pair.split(",") for pair in (element.get("points") or "").split()]
            spots += [
                [element.get("cx") or "1", element.get("cy") or "1"],
                [element.get("x") or "1", element.get("y") or "1"],
            ]
            assert all(-1 <= float(x) <= 421 and -1 <= float(y) <= 301 for x, y in spots), (seed, element.attrib)


def test_every_kind_is_drawn_and_has_lettering() -> None:
    made = [figures.figure(random.Random(seed), 400, 300) for seed in range(300)]
    assert {content.kind for content in made} == set(figures.KINDS)
    assert all(len(content.texts) >= 3 for content in made)


def test_text_is_escaped_and_kept_whole() -> None:
    canvas = Canvas(100, 50, "serif", 10)
    canvas.text(99, 20, "R & D <x>", "start")
    (text,) = ElementTree.fromstring(canvas.svg()).iter(f"{SVG}text")
    assert text.text == "R & D <x>"
    assert float(text.get("x", 0)) + canvas.text_width("R & D <x>") <= 100


def test_too_small_a_figure_is_refused() -> None:
    with pytest.raises(ValueError, match="100 x 100"):
        figures.figure(random.Random(0), 100, 100)


@settings(max_examples=100)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_round_and_span_the_data(low: float, extent: float) -> None:
    ticks = charts.ticks(low, low + extent)
    slack = extent * 1e-6
    assert ticks[0] <= low + slack and ticks[-1] >= low + extent - slack
    assert 3 <= len(ticks) <= 8
    step = f"{ticks[1] - ticks[0]:.0e}"
    assert step[0] in "125"


def test_the_parts_of_a_pie_make_a_hundred() -> None:
    for seed in range(100):
        canvas = Canvas(400, 300, "serif", 10)
        charts.shares(random.Random(seed), canvas)
        assert sum(int(text.rsplit("(", 1)[1].removesuffix(" %)")) for text in canvas.texts) == 100
