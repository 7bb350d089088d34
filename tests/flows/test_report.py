import base64
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page

from proofpress.flows import report
from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe, DuplicatesRecipe
from proofpress.flows.report import histogram, picture, write_report
from proofpress.flows.survey import sample_records, survey
from proofpress.pages.errors import WorkError
from proofpress.pages.record import Check, PageRecord, Scores
from proofpress.pages.shards import read_manifest, read_records, write_shard

HOSTILE = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
OWN = ("data:", "file:")  # addresses that a page may ask


@pytest.fixture
def dataset(tmp_path: Path, quick_press, recipe: BuildRecipe) -> Path:
    return build(recipe, tmp_path / "out").folder


def test_it_opens_without_network_or_errors_and_shows_boxes_on_request(dataset: Path, page: Page):
    page.goto(f"file://{dataset}/report.html")
    assert page.title() == "small · Proofpress report"
    boxes = page.locator("polygon.box-paragraph")
    assert boxes.first.is_visible()
    toggle = page.get_by_label(re.compile("paragraph"), exact=False).locator("xpath=self::input").first
    toggle.focus()
    page.keyboard.press("Space")
    assert not boxes.first.is_visible()
    page.keyboard.press("Space")
    assert boxes.first.is_visible()
    assert page.said == []


def test_a_box_tells_its_type_and_text_to_mouse_and_keyboard(dataset: Path, page: Page):
    page.goto(f"file://{dataset}/report.html")
    readout = page.locator("#readout")
    assert not readout.is_visible()
    box = page.locator("polygon.box-formula").first
    box.hover()
    assert readout.is_visible() and "formula" in readout.inner_text() and "<b> & $x^2$" in readout.inner_text()
    assert page.locator("li.lit").count() == 1
    page.mouse.move(0, 0)
    assert not readout.is_visible()
    box.focus()
    assert readout.is_visible()


def test_it_tells_what_rules_duplicates_and_benchmarks_came_to(tmp_path, quick_press, quick_page, recipe, page: Page):
    bench = tmp_path / "Bench & <b>"
    bench.mkdir()
    (bench / "x.png").write_bytes(quick_page(recipe.seed, 0).image)
    sections = {"duplicates": DuplicatesRecipe(), "decontaminate": (bench,)}
    made = build(recipe.model_copy(update=sections), tmp_path / "out")
    first, second = list(read_records(made.folder))[:2]
    fixed = replace(first, checks=(Check("formula.label", "fixed", "latex.label", "before <b>"),))
    shard = next(path for path in made.manifest["files"] if path.startswith("data/train"))
    write_shard(made.folder / shard, [fixed, replace(second, source=replace(second.source, licence="CC-BY-NC-4.0"))])
    write_report(made.folder, made.manifest)
    page.goto(f"file://{made.folder}/report.html")
    assert "formula.label latex.label" in page.locator("#rules + p + details").inner_text()
    assert "before <b>" in page.locator("section[aria-labelledby=rules]").inner_text()
    assert "forbids commercial use" in page.locator("section[aria-labelledby=sources]").inner_text()
    assert "1 pages of Bench & <b>" in page.locator("section[aria-labelledby=contamination]").inner_text()
    stages = page.locator("section[aria-labelledby=stages]").inner_text()
    assert "proof" in stages and "screen" in stages and "contaminated.image" in stages
    assert "contents" in page.locator("section[aria-labelledby=duplicates]").inner_text()
    assert page.said == []


def test_it_says_what_nobody_looked_for(dataset: Path):
    html = (dataset / "report.html").read_text()
    assert "Nobody looked for them" in html and "Compared with no benchmark" in html


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_in_light_and_dark_and_on_a_phone(dataset: Path, page: Page, scheme):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"file://{dataset}/report.html")
    luminance = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)[0]")
    assert (luminance > 128) is (scheme == "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})


def test_it_has_landmarks_and_words_for_pictures(dataset: Path, page: Page):
    page.goto(f"file://{dataset}/report.html")
    for landmark in ("header", "nav", "main", "footer", "h1"):
        assert page.locator(landmark).count() == 1
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    for section in page.locator("section[aria-labelledby]").all():
        assert page.locator(f"#{section.get_attribute('aria-labelledby')}").count() == 1


def test_nothing_from_a_corpus_is_executed(tmp_path: Path, quick_page, dataset: Path, page: Page):
    record = next(p for p in (quick_page(0, n) for n in range(9)) if isinstance(p, PageRecord))
    elements = tuple(replace(element, text=HOSTILE, id=HOSTILE) for element in record.elements)
    hostile = replace(record, text=HOSTILE, elements=elements, features={HOSTILE: HOSTILE})
    write_shard(dataset / "data/train-00000-of-00004.parquet", [hostile])
    write_report(dataset, read_manifest(dataset))
    page.goto(f"file://{dataset}/report.html")
    page.locator("polygon").first.hover()
    assert page.title() == "small · Proofpress report" and page.said == []


def test_scores_are_drawn_where_there_are_any(dataset: Path, quick_page, page: Page):
    assert 'id="scores"' not in (dataset / "report.html").read_text()
    records = [page_ for page_ in (quick_page(0, n) for n in range(9)) if isinstance(page_, PageRecord)]
    scored = [replace(r, scores=Scores("m", -0.1 * n, None, "keep")) for n, r in enumerate(records)]
    write_shard(dataset / "data/train-00000-of-00004.parquet", scored)
    write_report(dataset, read_manifest(dataset))
    page.goto(f"file://{dataset}/report.html")
    assert page.locator("#scores").is_visible()
    assert page.locator(".histogram").count() == 1  # of the likelihood; no reward was measured
    assert page.said == []


def test_the_hardest_rows_stand_against_what_was_read(dataset: Path, quick_page, page: Page):
    assert 'id="hardest"' not in (dataset / "report.html").read_text()
    records = [one for one in (quick_page(0, n) for n in range(9)) if isinstance(one, PageRecord)]
    scored = [replace(one, scores=Scores("m", -0.1, 0.9 - 0.1 * n, "keep")) for n, one in enumerate(records)]
    path = dataset / "data/train-00000-of-00004.parquet"
    write_shard(path, scored)
    write_report(dataset, read_manifest(dataset))
    page.goto(f"file://{dataset}/report.html")
    hard = page.locator("article[aria-label^='Hard row']")
    assert hard.count() == 6 and records[-1].id[:12] in hard.first.inner_text()
    assert "reward 0.2" in hard.first.inner_text() and hard.first.locator("del").count() == 0
    reading = records[-1].text.replace("page", "<b>leaf</b>", 1)
    (dataset / "observations.jsonl").write_text(json.dumps({"id": records[-1].id, "reading": reading}) + "\n")
    write_report(dataset, read_manifest(dataset))
    page.reload()
    assert hard.first.locator("del").inner_text() == "page"
    assert "leaf" in "".join(hard.first.locator("ins").all_inner_texts()) and page.said == []
    write_shard(path, [replace(one, scores=Scores("m", -0.1 * n, None, "keep")) for n, one in enumerate(records)])
    write_report(dataset, read_manifest(dataset))
    page.reload()
    assert records[-1].id[:12] in hard.first.inner_text(), "without rewards the least likely labels are the hardest"


def test_it_says_what_a_dataset_went_through():
    demo, tables = {"name": "demo", "press": {}}, {"name": "tables"}
    assert report.lineage(demo) == ["demo"]
    both = {"duplicates": {}, "seed": 1, "of": [demo, {"judge": {}, "of": tables}]}
    assert report.lineage({"mine": {}, "of": both}) == ["demo + tables → judge → duplicates", "mine"]


def test_a_record_the_model_could_not_see_is_shown_as_unread(dataset: Path, quick_page):
    records = [page_ for page_ in (quick_page(0, n) for n in range(3)) if isinstance(page_, PageRecord)]
    unread = [replace(record, scores=Scores("m", None, None, "unread")) for record in records]
    for path in (dataset / "data").glob("*.parquet"):
        write_shard(path, unread)
    write_report(dataset, read_manifest(dataset))
    assert "· unread" in (dataset / "report.html").read_text()


def test_equal_datasets_have_equal_reports(dataset: Path):
    before = (dataset / "report.html").read_bytes()
    assert write_report(dataset, read_manifest(dataset)).read_bytes() == before


def test_a_dataset_of_nothing_has_a_report(tmp_path: Path, quick_press):
    recipe = BuildRecipe(name="none", press={"pages": 4}, splits={})
    made = build(recipe, tmp_path / "out")
    write_shard(tmp_path / "out/data/train-00000-of-00001.parquet", [])
    manifest = {**made.manifest, "splits": {"train": 0}}
    assert "No row was kept" in write_report(tmp_path / "out", manifest).read_text()


def test_a_damaged_shard_is_named(dataset: Path):
    (dataset / "data/train-00001-of-00004.parquet").write_bytes(b"half")
    with pytest.raises(WorkError, match=r"train-00001-of-00004\.parquet: cannot be read as Parquet"):
        write_report(dataset, read_manifest(dataset))


def test_samples_take_turns_of_sources_and_tasks(tmp_path: Path, quick_page):
    pages = [page for page in (quick_page(0, n) for n in range(40)) if isinstance(page, PageRecord)]
    tasks = ["page"] * 30 + ["formula"] * 2 + ["table"]
    records = [replace(page, task=task) for page, task in zip(pages, tasks, strict=False)]
    write_shard(tmp_path / "data/train-00000-of-00001.parquet", records)
    sampled = sample_records(tmp_path, 7)
    assert sorted(record.task for record in sampled) == ["formula"] * 2 + ["page"] * 4 + ["table"]
    assert all(record in records for record in sampled)


def test_a_survey_counts_all_rows(dataset: Path):
    surveyed = survey(dataset)
    assert surveyed.tasks.total() == 26 == surveyed.features["columns"].total()
    assert surveyed.elements.total() == 26 * 3


@pytest.mark.parametrize(("size", "shown"), [((300, 200), (300, 200)), ((3000, 1500), (1000, 500))])
def test_large_pictures_are_scaled_and_tell_their_own_size(size, shown):
    encoded = io.BytesIO()
    Image.effect_noise(size, 60).convert("RGB").save(encoded, "PNG")
    made = picture(encoded.getvalue())
    assert (made.width, made.height) == size
    assert Image.open(io.BytesIO(base64.b64decode(made.uri.split(",")[1]))).size == shown


@pytest.mark.parametrize("values", [[0.5], [1.0, 1.0], [-3.0, 0.0, 4.5, 4.5]])
def test_a_histogram_holds_every_value(values):
    bars = histogram(values)
    assert sum(bar.count for bar in bars) == len(values)
    assert bars[0].low == min(values) and max(bar.share for bar in bars) == 1.0


def test_a_reject_whose_image_is_broken_has_no_picture(quick_page):
    reject = replace(quick_page(0, 3), image=b"\x89PNG broken")
    assert report._picture_of(reject) is None
