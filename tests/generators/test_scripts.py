"""Pages in each script pass every proof, with words where they stand and in logical order."""

import unicodedata

import pytest

from proofpress.generators.kinds.traits import SCRIPTS
from proofpress.generators.press import PressRecipe, print_pages
from proofpress.pages.record import PageRecord

SEED = 6


def pages(browser, kind, count, **features):
    recipe = PressRecipe(kinds={kind: 1.0}, rows="both", crops=6, features=features)
    return list(print_pages(recipe, SEED, range(count), browser))


@pytest.mark.parametrize("script", SCRIPTS)
def test_pages_of_every_script_pass_the_proof(browser, script):
    records = pages(browser, "magazine", 2, script=(script,)) + pages(browser, "report", 2, script=(script,))
    kept = [record for record in records if isinstance(record, PageRecord)]
    assert len([record for record in kept if record.task == "page"]) == 4, [
        record.evidence for record in records if not isinstance(record, PageRecord)
    ]
    for record in kept:
        assert record.features["script"] == script
        assert record.text == unicodedata.normalize("NFC", record.text)


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_words_of_unspaced_languages_are_words_and_not_lines(browser, language):
    record = next(r for r in pages(browser, "magazine", 1, language=(language,)) if r.task == "page")
    lengths = [len(word.text) for word in record.words if not word.text.startswith("$")]
    assert sum(lengths) / len(lengths) < 5
    painted = "".join(word.text for word in record.words if word.element == record.elements[0].id)
    assert painted == "".join(record.elements[0].text.split())


def test_a_line_set_from_right_to_left_is_labelled_in_logical_order(browser):
    records = pages(browser, "legal", 2, language=("he",))
    lines = [record for record in records if record.features.get("crop") == "line"]
    assert lines
    page_texts = [record.text for record in records if record.task == "page"]
    assert all(any(line.text in text for text in page_texts) for line in lines)
    words = [line.words for line in lines if len(line.words) > 2 and not any(c.isdigit() for c in line.text)]
    for line in words:
        assert line[0].quad[0] > line[-1].quad[0]
