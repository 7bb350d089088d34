import pytest
from pydantic import ValidationError

from proofpress.generators.content.bank import BankRecipe, open_bank
from proofpress.generators.press import PressRecipe, print_pages
from proofpress.pages import markdown
from proofpress.pages.errors import RequestError
from proofpress.pages.record import PageRecord, Source, record_id
from proofpress.pages.shards import write_shard

GOOD = (
    "Herons stand in shallow water for hours, and take one fish in three, say those who count.",
    "A pike of $m = 9$ kilograms was landed at the old bridge, and cost \\$5 at the market there.",
    "The lake froze twice in eleven years, and both times the ice bore a horse and a cart.",
)
FORMULA = r"\int_0^1 x^{17}\,dx=\frac{1}{18}"
TABLE = "<table><tr><th>Pike</th><th>Perch</th></tr><tr><td>17</td><td>4</td></tr></table>"
BAD = (
    "A text with a note that is not on the page, and so cannot be set as it stands here.[^9]",
    "A text with a mark of direction \u200f in it, which nobody sees and every reader trips over.",
    "A text with a letter \ue123 that no font has, and that would be a box on the page of ours.",
    "A text with Hebrew \u05d0\u05d1\u05d2 in a line from left to right, whose words stand otherwise.",
    "A text with a formula $\\nosuchcommand{x}$ that KaTeX does not take, whatever it may mean.",
)


def row(name, task, text, split="train", licence="CC-BY-4.0", language="en"):
    source = Source("arxiv", name, "1", licence, "https://example.org/papers")
    return PageRecord(
        record_id("arxiv", name, "1"), b"\x89PNG", 1, 1, text, task, source, split=split, language=language
    )


@pytest.fixture
def dataset(tmp_path):
    folder = tmp_path / "papers"
    (folder / "data").mkdir(parents=True)
    rows = [row(f"p{n}", "page", text) for n, text in enumerate((*GOOD, *BAD))]
    rows += [row("f", "formula", f"$${FORMULA}$$"), row("f2", "formula", r"$$\frac{1}{$$"), row("t", "table", TABLE)]
    rows += [row("de", "page", "Der Hecht stand lange im flachen Wasser und wartete auf den Morgen.", language="de")]
    write_shard(folder / "data/train-00000-of-00001.parquet", rows)
    held = [row("h", "page", "This paragraph is held out for tests and must never be printed on a page.", split="test")]
    write_shard(folder / "data/test-00000-of-00001.parquet", held)
    (folder / "manifest.json").write_text("{}")
    return folder


def pages(browser, dataset, count=4, share=1.0):
    bank = BankRecipe(path=dataset, share=share)
    recipe = PressRecipe(bank=bank, rows="pages", kinds={"paper": 1.0}, features={"language": ("en",)})
    return list(print_pages(recipe, 3, range(count), browser))


def test_pages_hold_the_banks_content_under_its_licence(browser, dataset):
    records = pages(browser, dataset)
    assert all(isinstance(record, PageRecord) for record in records)
    texts = {block.text for record in records for block in markdown.read(record.text)}
    assert texts & set(GOOD) and (FORMULA in texts or TABLE in texts)
    assert not texts & {*BAD, r"\frac{1}{"} and not any("held out" in text or "Hecht" in text for text in texts)
    ids = {record_id("arxiv", name, "1") for name in ("p0", "p1", "p2", "f", "t")}
    for record in records:
        assert (record.source.licence, record.source.url) == ("CC-BY-4.0", "https://example.org/papers")
        assert record.recipe["bank"]["source"] == "arxiv" and set(record.recipe["bank"]["rows"]) <= ids
        assert str(dataset) not in str(record.to_row()["recipe"])
    assert records == pages(browser, dataset)


def test_a_page_takes_from_one_licence_alone(browser, dataset):
    rows = [row(f"x{n}", "page", text.upper(), licence="MIT") for n, text in enumerate(GOOD)]
    write_shard(dataset / "data/train-00001-of-00002.parquet", rows)
    licences = set()
    for record in pages(browser, dataset, 8):
        texts = {block.text for block in markdown.read(record.text)}
        licences.add(record.source.licence)
        assert not (texts & {text.upper() for text in GOOD} and record.source.licence != "MIT")
        assert not (texts & set(GOOD) and record.source.licence != "CC-BY-4.0")
    assert licences == {"MIT", "CC-BY-4.0"}


def test_pages_that_take_nothing_are_the_presss_own(browser, dataset):
    own = [record for record in pages(browser, dataset, 8, share=0.3) if "bank" not in record.recipe]
    assert own and all(record.source.licence == "CC0-1.0" and not record.source.url for record in own)


def test_a_dataset_that_is_not_there_or_another_one_is_refused(tmp_path, dataset):
    with pytest.raises(ValidationError, match="no dataset folder"):
        PressRecipe(bank={"path": str(tmp_path / "nowhere")})
    with pytest.raises(RequestError, match="say in which folder"):
        open_bank(BankRecipe(digest="0" * 64))
    bank = BankRecipe(path=dataset)
    (dataset / "manifest.json").write_text('{"other": 1}')
    with pytest.raises(RequestError, match="another dataset"):
        open_bank(bank)
