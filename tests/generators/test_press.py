import pytest
from pydantic import ValidationError

from proofpress.generators import kinds as page_kinds
from proofpress.generators.address import Address
from proofpress.generators.browser import Browser
from proofpress.generators.browser_path import find_browser
from proofpress.generators.coverage import Lattice, plan
from proofpress.generators.press import (
    PressRecipe,
    contents,
    open_browser,
    page_id,
    print_pages,
    to_html,
    variants_of,
)
from proofpress.pages import latex, markdown
from proofpress.pages.errors import WorkError
from proofpress.pages.record import UNLABELLED, PageRecord, Reject

RECIPE = PressRecipe(crops=2, features={"language": ("en",)})
SEED = 11


def test_a_page_is_the_same_printed_alone_or_among_others_in_a_new_browser(browser):
    order = print_pages(RECIPE, SEED, range(6), browser)
    among = [record for record in order if isinstance(record, PageRecord) and record.content_id == page_id(SEED, 4)]
    alone = list(print_pages(RECIPE, SEED, [4]))
    assert among == alone
    assert among


def test_pages_are_printed_in_the_order_asked_for(browser):
    records = print_pages(PressRecipe(rows="pages"), SEED, [5, 2, 9], browser)
    assert [record.id for record in records] == [page_id(SEED, index) for index in (5, 2, 9)]


@pytest.mark.parametrize("kind", sorted(page_kinds.KINDS))
def test_each_kind_prints_pages_whose_label_is_exact(browser, kind):
    records = list(print_pages(PressRecipe(kinds={kind: 1.0}, rows="pages"), SEED, range(8), browser))
    kept = [record for record in records if isinstance(record, PageRecord)]
    assert len(kept) >= 7, [record.evidence for record in records if isinstance(record, Reject)]
    for record in kept:
        assert record.features["kind"] == kind
        blocks = markdown.read(record.text)
        labelled = [element for element in record.elements if element.type not in UNLABELLED]
        assert [block.text for block in blocks] == [element.text for element in labelled]
        for element in record.elements:
            assert element.polygons
            for polygon in element.polygons:
                assert min(polygon) >= 0 and max(polygon[0::2]) <= record.width and max(polygon[1::2]) <= record.height
        assert {word.element for word in record.words} <= {element.id for element in record.elements}
        assert all(check.outcome == "passed" for check in record.checks)


def test_the_kinds_have_what_they_are_for(browser):
    blocks = {kind: [] for kind in page_kinds.KINDS}
    for kind in blocks:
        for record in print_pages(PressRecipe(kinds={kind: 1.0}, rows="pages"), SEED, range(4), browser):
            if isinstance(record, PageRecord):
                blocks[kind] += [element.type for element in record.elements]
    assert "table" in blocks["report"] and "table" in blocks["data"]
    assert "formula" in blocks["textbook"] and "formula" in blocks["formula_sheet"]
    assert "list_item" in blocks["exam"]
    assert all("table" in blocks[kind] for kind in ("invoice", "receipt", "statement", "form"))
    assert set(blocks["blank"]) <= {"running_head", "page_number"}


def test_every_formula_in_a_label_is_katexs(browser):
    for record in print_pages(PressRecipe(kinds={"paper": 1.0}, rows="pages"), SEED, range(4), browser):
        for block in markdown.read(record.text):
            formulas = [block.text] if block.kind == "formula" else []
            formulas += [
                run.text for run in markdown.runs(block.text) if run.kind == "math" and block.kind == "paragraph"
            ]
            assert all(latex.is_valid(formula) for formula in formulas)


def test_text_is_escaped_into_the_sheet():
    spec = page_kinds.lay_out(plan(Lattice.of(), 1, 1), Address(1, "press", 1), 1024)
    hostile = spec.pieces[0].__class__("e0", "paragraph", runs=(markdown.Run("text", "<script>alert(1)</script>&"),))
    html = to_html(spec.__class__(spec.template, spec.style, (hostile,), {}))
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;" in html


def test_a_rejected_page_says_why_and_how_to_make_it_again(browser, monkeypatch):
    monkeypatch.setattr("proofpress.generators.proof.ink.FAINT", -1)
    rejects = list(print_pages(RECIPE, SEED, [0], browser))
    assert [type(reject) for reject in rejects] == [Reject]
    assert rejects[0].reason == "ink"
    assert "left no ink" in rejects[0].evidence
    assert f"press/{SEED}/0" in rejects[0].original
    assert rejects[0].image[:4] == b"\x89PNG"


def test_a_killed_browser_is_started_again_and_its_page_printed_at_the_same_address():
    with open_browser(RECIPE) as browser:
        first = list(print_pages(RECIPE, SEED, [3], browser))
        browser._thread.submit(browser._browser.close).result()
        assert list(print_pages(RECIPE, SEED, [3], browser)) == first


def test_a_browser_that_does_not_start_is_a_clear_error(tmp_path):
    binary = find_browser()
    fake = tmp_path / "chromium"
    fake.write_text("#!/bin/sh\nexit 3\n")
    fake.chmod(0o755)
    with pytest.raises(WorkError, match="does not start"):
        Browser(type(binary)(str(fake), binary.kind, binary.origin), "<html></html>", 800, 600)


def test_a_browser_that_dies_while_it_starts_is_started_again(tmp_path):
    binary = find_browser()
    frail = tmp_path / "chromium"
    frail.write_text(f'#!/bin/sh\nif mkdir "{tmp_path}/tried"; then kill -9 $$; fi\nexec "{binary.path}" "$@"\n')
    frail.chmod(0o755)
    with Browser(type(binary)(str(frail), binary.kind, binary.origin), "<html></html>", 800, 600) as browser:
        assert browser.version
    assert (tmp_path / "tried").exists()


def test_a_sheet_cannot_reach_the_network(browser):
    sheet = browser.print('<main class="body"><img src="http://127.0.0.1:9/x.png"></main>', 100)
    assert sheet.measured["pieces"] == []
    assert browser._thread.submit(browser._page.evaluate, "navigator.onLine").result() is False


@pytest.mark.parametrize(
    "fields",
    [
        {"kinds": {"papyrus": 1.0}},
        {"kinds": {"paper": 0.0}},
        {"kinds": {"paper": -1.0}},
        {"wear": {"flood": 1.0}},
        {"wear": {"scan": 0.0}},
        {"wear": {}},
        {"variants": 0},
        {"pages": -1},
        {"pagez": 1},
        {"features": {"script": ["klingon"]}},
        {"features": {"colour": ["red"]}},
        {"weights": {"script=arabic": -1.0}},
        {"weights": {"script": 1.0}},
        {"weights": {"script=latin": 0.0}, "features": {"language": ["en"]}},
        {"kinds": {"invoice": 1.0}, "features": {"table.heads": ["3"]}},
    ],
)
def test_a_wrong_recipe_is_refused(fields):
    with pytest.raises(ValidationError):
        PressRecipe(**fields)


def test_a_worn_page_says_the_same_as_the_clean_one_and_is_the_same_each_time(browser):
    clean = PressRecipe(crops=2, features={"language": ("en",), "kind": ("letter", "exam")})
    worn = clean.model_copy(update={"wear": {"photo": 1.0}})
    rows = list(print_pages(worn, SEED, [0, 1], browser))
    assert rows == list(print_pages(worn, SEED, [0, 1], browser))
    by_id = {row.id: row for row in print_pages(clean, SEED, [0, 1], browser)}
    assert {row.id for row in rows} == set(by_id)
    for row in rows:
        before = by_id[row.id]
        assert (row.text, row.task, [word.text for word in row.words]) == (
            before.text, before.task, [word.text for word in before.words]
        )  # fmt: skip
        assert row.image != before.image and row.features == {**before.features, "wear": "photo"}
        for polygon in [word.quad for word in row.words] + [p for e in row.elements for p in e.polygons]:
            assert min(polygon) >= 0 and max(polygon[0::2]) <= row.width and max(polygon[1::2]) <= row.height


def test_variants_are_one_content_set_in_several_ways(browser):
    recipe = PressRecipe(pages=7, variants=3, rows="pages", features={"language": ("en",), "kind": ("letter",)})
    assert list(contents(recipe)) == [0, 3, 6]
    assert [list(variants_of(recipe, first)) for first in contents(recipe)] == [[0, 1, 2], [3, 4, 5], [6]]
    pages = list(print_pages(recipe, SEED, range(6), browser))
    assert [page.id for page in pages] == [page_id(SEED, index) for index in range(6)]
    assert [page.content_id for page in pages] == [page_id(SEED, first) for first in (0, 0, 0, 3, 3, 3)]
    for variants in (pages[:3], pages[3:]):
        texts = {page.text.split("\n\n")[0] for page in variants}
        assert len(texts) == 1
        assert len({page.features["font"] + str(page.width) + str(page.height) for page in variants}) > 1
        assert len({page.hashes["pixels"] for page in variants}) == 3
    assert pages[0].text != pages[3].text
    assert list(print_pages(recipe, SEED, [4], browser)) == [pages[4]]
