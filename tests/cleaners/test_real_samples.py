"""The other real samples: what was counted in them is found, and the rest is kept."""

import json
from collections import Counter

import pytest

from proofpress.cleaners.clean import clean, restore
from proofpress.cleaners.corpora import CORPORA
from proofpress.pages.record import PageRecord, Reject


def made(shared, name, place):
    path = shared / "data" / "corpora" / place
    corpus = CORPORA[name]
    rows = list(clean(corpus, path, corpus.items(path)))
    return [row for row in rows if isinstance(row, PageRecord)], [row for row in rows if isinstance(row, Reject)]


def found(records, reason):
    return {record.source.id: c.evidence for record in records for c in record.checks if c.reason == reason}


def test_sroie_has_three_receipts_with_a_value_that_is_not_on_them(shared):
    """The sample's fourth, receipt 150, is not among the files here."""
    kept, rejects = made(shared, "sroie", "sroie")
    assert {row.source.id: row.reason for row in rejects} == dict.fromkeys(("000", "002", "013"), "form.unsupported")
    assert "SDN BHD" in {row.source.id: row.evidence for row in rejects}["000"]
    assert [row.source.id for row in kept] == ["001", "005", "007", "027"]
    assert all(word.quad and not word.element for row in kept for word in row.words)
    assert not found(kept, "layout.outside")


def test_wildreceipt_is_kept(shared):
    kept, rejects = made(shared, "wildreceipt", "mmocr/tests/data/kie_toy_dataset")
    assert (len(kept), rejects) == (2, [])
    assert kept[0].text.startswith("- Store_name: SAFEWAY")


@pytest.mark.slow
def test_docbank_drops_its_drawing_rows_and_keeps_four_pages(shared):
    kept, rejects = made(shared, "docbank", "docbank")
    assert (len(kept), rejects) == (4, [])
    dropped = [int(evidence.split()[0]) for evidence in found(kept, "docbank.drawn").values()]
    assert sum(dropped) == 8 + 6  # lines and figures in the four files
    assert sum(len(record.words) for record in kept) == 2_614 - 14
    assert all("##LT" not in word.text for record in kept for word in record.words)


@pytest.mark.slow
def test_publaynet_is_kept_with_its_regions_on_the_page(shared):
    kept, rejects = made(shared, "publaynet", "publaynet/examples")
    assert (len(kept), rejects) == (20, [])
    listed = json.loads((shared / "data/corpora/publaynet/examples/samples.json").read_text())["annotations"]
    assert sum(len(record.elements) for record in kept) == len(listed)
    assert sum(record.text.count("\n") + 1 for record in kept) == len(listed)


@pytest.mark.slow
def test_omnidocbench_is_kept_and_its_wide_commas_are_found(shared):
    kept, rejects = made(shared, "omnidocbench", "omnidocbench")
    assert (len(kept), rejects) == (18, [])
    assert {row.split for row in kept} == {"test"}
    wide = [c.evidence.split(":")[0] for row in kept for c in row.checks if c.reason == "formula.full_width"]
    assert sorted(wide) == ["e1", "e15", "e35", "e4"]
    assert len(found(kept, "layout.unordered")) == 18
    assert not found(kept, "layout.outside")
    assert sum(row.text.count("<table>") for row in kept) == 10


@pytest.mark.slow
def test_olmocr_pages_on_disk_are_kept_the_blank_one_too(shared):
    kept, rejects = made(shared, "olmocr-mix", "olmocr/tests/sample_dataset")
    assert (len(kept), rejects) == (3, [])
    blank = next(row for row in kept if "empty_document" in row.source.id)
    assert blank.text == "" and blank.width


@pytest.mark.slow
def test_olmocr_bench_is_kept_but_for_the_page_whose_pdf_is_not_there(shared):
    kept, rejects = made(shared, "olmocr-bench", "olmocr/olmocr/bench/sample_data")
    assert [(row.reason, row.source.id) for row in rejects] == [("file.missing", "test-graphical-text.pdf#1")]
    tests = sum(len(row.tests) for row in kept) + len(restore(rejects[0])["tests"])
    assert tests == 100 and {row.split for row in kept} == {"test"}


def test_crohme_has_eight_formulas_with_truth(shared):
    kept, rejects = made(shared, "crohme", "crohme")
    assert Counter(row.reason for row in rejects) == {"row.unlabelled": 34}
    labels = {row.source.id.rpartition("/")[2]: row.text for row in kept}
    assert len(labels) == 8
    assert labels["001-equation001GT.inkml"] == "B_n(1-x)=(-1)^n B_n(x)"
    assert all(max(row.width, row.height) <= 1_040 for row in kept)
