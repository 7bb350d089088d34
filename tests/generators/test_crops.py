import io

import numpy as np
import pytest
from PIL import Image

from proofpress.generators.press import PressRecipe, print_pages
from proofpress.generators.proof.ink import PAPER
from proofpress.pages import latex, markdown
from proofpress.pages.record import PageRecord
from proofpress.pages.table_html import from_html


@pytest.fixture(scope="module")
def printed(browser):
    """Twelve pages with many crops: ``{content id: (page, crops)}``."""
    pages = {}
    for record in print_pages(PressRecipe(crops=40), 5, range(12), browser):
        if isinstance(record, PageRecord):
            pages.setdefault(record.content_id, []).append(record)
    return {content: (rows[0], rows[1:]) for content, rows in pages.items()}


def grey(record):
    return np.asarray(Image.open(io.BytesIO(record.image)).convert("L"))


def crops_of(printed, kind):
    found = [(page, crop) for page, crops in printed.values() for crop in crops if crop.features["crop"] == kind]
    assert found
    return found


def test_every_kind_of_crop_is_cut(printed):
    kinds = {crop.features["crop"] for _, crops in printed.values() for crop in crops}
    assert kinds == {"word", "line", "paragraph", "formula", "table"}


def test_a_crop_is_a_piece_of_its_page_pixel_for_pixel(printed):
    for page, crops in printed.values():
        whole = grey(page)
        for crop in crops[:5]:
            part = grey(crop)
            height, width = part.shape
            assert (height, width) == (crop.height, crop.width)
            windows = np.lib.stride_tricks.sliding_window_view(whole, (1, width))[:, :, 0]
            rows, columns = np.nonzero((windows == part[height // 2]).all(axis=2))
            tops = rows - height // 2
            assert any(
                top >= 0 and (whole[top : top + height, left : left + width] == part).all()
                for top, left in zip(tops, columns, strict=True)
            )


def test_all_words_of_a_crop_lie_in_it(printed):
    for _, crops in printed.values():
        for crop in crops:
            assert crop.words
            for word in crop.words:
                assert min(word.quad) >= 0
                assert max(word.quad[0::2]) <= crop.width and max(word.quad[1::2]) <= crop.height


@pytest.mark.parametrize("kind", ["word", "line", "paragraph"])
def test_a_text_crop_is_labelled_with_the_words_on_it(printed, kind):
    for _, crop in crops_of(printed, kind):
        painted, said = "".join(word.text for word in crop.words), "".join(crop.text.split())
        # A formula touching a word has no space beside it on the page, and a broken word none at its hyphen.
        assert said.replace("\\$", "$") == "".join(painted.split()).replace("\\$", "$")
        assert markdown.inline(markdown.runs(crop.text)) == crop.text


def test_a_line_crop_has_one_line(printed):
    for _, crop in crops_of(printed, "line"):
        tops = [min(word.quad[1::2]) for word in crop.words]
        bottoms = [max(word.quad[1::2]) for word in crop.words]
        assert max(tops) < min(bottoms)


def test_formula_and_table_crops_are_labelled_with_what_parses(printed):
    for _, crop in crops_of(printed, "formula"):
        assert latex.is_valid(crop.text)
    for _, crop in crops_of(printed, "table"):
        assert from_html(crop.text).cells


def test_a_text_crop_holds_no_ink_but_its_words_and_cuts_none(printed):
    for kind in ("word", "line", "paragraph"):
        for _, crop in crops_of(printed, kind):
            ink = grey(crop) < PAPER
            assert not ink[[0, -1]].any() and not ink[:, [0, -1]].any()
            for word in crop.words:
                x0, y0, x1, y1 = word.quad[0], word.quad[1], word.quad[4], word.quad[5]
                ink[max(0, int(y0) - 1) : int(y1) + 2, max(0, int(x0) - 1) : int(x1) + 2] = False
            assert not ink.any()


@pytest.mark.parametrize("kind", ["formula", "table"])
def test_nothing_of_a_formula_or_table_is_cut_off(printed, kind):
    for _, crop in crops_of(printed, kind):
        ink = grey(crop) < PAPER
        assert not ink[[0, -1]].any() and not ink[:, [0, -1]].any()


def test_crops_share_their_pages_content_and_have_ids_of_their_own(printed):
    ids = [record.id for page, crops in printed.values() for record in (page, *crops)]
    assert len(set(ids)) == len(ids)
    for content, (page, crops) in printed.items():
        assert page.id == page.content_id == content
        assert {crop.content_id for crop in crops} <= {content}
