"""OmniDocBench: upstream's recorded results to the last digit, and what each edition does with a page."""

import json
from collections import Counter

import pytest
from rapidfuzz.distance import Levenshtein

from proofpress.model.bench.blocks import predicted_blocks
from proofpress.model.bench.formula_lines import formula_lines
from proofpress.model.bench.gold import gold_blocks
from proofpress.model.bench.normal_forms import EDITIONS, formula_form, table_form, text_form
from proofpress.model.bench.omnidocbench import evaluate
from proofpress.model.rewards.teds import teds

RECORDED = "data/corpora/omnidocbench/recorded_results/end2end_quick_match_{}.json"


def cases(shared, name):
    return [json.loads(line) for line in (shared / "data/cases" / f"{name}.jsonl").open(encoding="utf-8")]


def recorded(shared, name):
    return json.loads((shared / RECORDED.format(name)).read_bytes())


@pytest.fixture(scope="module")
def gold(shared):
    return json.loads((shared / "data/corpora/omnidocbench/OmniDocBench_demo.json").read_bytes())


@pytest.fixture(scope="module")
def predictions(shared):
    folder = shared / "data/corpora/omnidocbench/end2end_pred"
    return lambda image: (folder / f"{image[:-4]}.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def demo(gold, predictions):
    return evaluate(gold, predictions, "v1.0")


def test_text_forms_are_those_upstream_recorded(shared):
    for row in cases(shared, "text_edit_pairs"):
        found, expected = text_form(row["pred"]), text_form(row["gold"])
        assert (found, expected) == (row["norm_pred"], row["norm_gold"]), row["id"]
        assert Levenshtein.distance(found, expected) == row["edit_num"], row["id"]


def test_text_forms_fold_what_upstream_folds(shared):
    for row in cases(shared, "text_norm_omnidocbench"):
        assert (text_form(row["a"]), text_form(row["b"])) == (row["norm_a"], row["norm_b"]), row["id"]
        assert (text_form(row["a"]) == text_form(row["b"])) is row["same"]


def test_formula_forms_are_those_upstream_recorded(shared):
    for row in cases(shared, "formula_edit_pairs"):
        assert formula_form(row["gold"], "v1.0") == row["norm_gold"], row["id"]
        if row["pred"].count(r"\[") == 1:  # of several formulas that were joined, the forms were joined
            assert formula_form(row["pred"], "v1.0") == row["norm_pred"], row["id"]


def test_table_forms_and_teds_are_upstreams(shared):
    for row in cases(shared, "table_pairs_omnidocbench_norm"):
        forms = table_form(row["pred"]), table_form(row["gold"])
        assert forms == (row["norm_pred"], row["norm_gold"]), row["case"]
        assert teds(*forms).teds == pytest.approx(row["teds"], abs=1e-12), row["case"]


def test_every_recorded_block_is_matched_and_measured_as_it_was(shared, demo):
    for kind, name in (("text", "text_block"), ("formula", "display_formula"), ("table", "table")):
        found = Counter(
            (page.image, pair.norm_gold, pair.norm_predicted, pair.edits)
            for page in demo.pages
            for pair in page.pairs
            if pair.kind == kind
        )
        rows = recorded(shared, f"{name}_result")
        assert found == Counter((r["image_name"], r["norm_gt"], r["norm_pred"], r["Edit_num"]) for r in rows), kind


def test_every_recorded_table_has_its_teds(shared, demo):
    found = sorted(pair.scores["teds"] for page in demo.pages for pair in page.pairs if pair.kind == "table")
    structure = sorted(pair.scores["teds_s"] for page in demo.pages for pair in page.pairs if pair.kind == "table")
    rows = [row["metric"] for row in recorded(shared, "table_result")]
    assert found == pytest.approx(sorted(row["TEDS"] for row in rows), abs=1e-9)
    assert structure == pytest.approx(sorted(row["TEDS_structure_only"] for row in rows), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "metric"),
    [("text_block", "text_edit"), ("table", "table_edit"), ("reading_order", "reading_order_edit")],
)
def test_every_recorded_page_has_its_edit_distance(shared, demo, name, metric):
    found = {page.image: page.scores[metric] for page in demo.pages if metric in page.scores}
    assert found == pytest.approx(recorded(shared, f"{name}_per_page_edit"), abs=1e-12)


def test_recorded_reading_orders_come_out_again(shared, demo):
    orders = {page.image: page.order for page in demo.pages}
    for row in cases(shared, "reading_order_pairs"):
        expected, found = orders[row["img_id"]]
        assert (list(expected), list(found)) == (row["gold"], row["pred"]), row["id"]


def test_recorded_totals_come_out_again(shared, demo):
    totals = recorded(shared, "metric_result")
    for metric, kind, name in (
        ("text_edit", "text_block", "Edit_dist"),
        ("formula_edit", "display_formula", "Edit_dist"),
        ("table_edit", "table", "Edit_dist"),
        ("teds", "table", "TEDS"),
        ("teds_s", "table", "TEDS_structure_only"),
        ("reading_order_edit", "reading_order", "Edit_dist"),
    ):
        assert demo.scores[metric] == pytest.approx(totals[kind]["page"][name]["ALL"], abs=1e-12), metric


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_gold_itself_reads_well_in_every_edition(gold, edition):
    """Written out block by block, a page has no edits but those of its parted or ignored blocks."""

    def written(image):
        page = next(page for page in gold if page["page_info"]["image_path"] == image)
        blocks = sorted(gold_blocks(page, edition), key=lambda block: block.at or 0)
        return "\n\n".join(block.text for block in blocks)

    scores = evaluate(gold, written, edition).scores
    assert scores["text_edit"] < 0.12 and scores["teds"] > 0.98 and scores["reading_order_edit"] < 0.12
    empty = evaluate(gold, lambda image: "", edition).scores
    assert empty["text_edit"] == 1 and empty["teds"] == 0 and empty["reading_order_edit"] == 1


PAGE = {
    "layout_dets": [
        {"anno_id": 1, "category_type": "title", "order": 1, "text": "A title of the page"},
        {"anno_id": 2, "category_type": "text_block", "order": 2, "text": "The first half of a"},
        {"anno_id": 3, "category_type": "equation_isolated", "order": 3, "latex": r"\[E=mc^2\]"},
        {"anno_id": 4, "category_type": "text_block", "order": 4, "text": " sentence."},
        {"anno_id": 5, "category_type": "table", "order": 5, "html": "<table><tr><td>1</td><td>2</td></tr></table>"},
        {"anno_id": 6, "category_type": "header", "order": None, "text": "Running head"},
    ],
    "page_info": {"image_path": "x/page.jpg", "page_attribute": {}},
    "extra": {"relation": [{"relation_type": "truncated", "source_anno_id": 2, "target_anno_id": 4}]},
}
READ = (
    "# A title of the page\n\nThe first half of a sentence.\n\n$$E=mc^2$$\n\n"
    "<table><tr><td>1</td><td>2</td></tr></table>\n\nRunning head"
)


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_page_read_right_is_perfect(edition):
    scores = evaluate([PAGE], lambda image: READ, edition).scores
    assert scores["text_edit"] == scores["formula_edit"] == scores["table_edit"] == 0
    assert scores["teds"] == scores["teds_s"] == 1
    # By a slip of upstream's, v1.6 gives the first predicted table no place in the reading order.
    assert scores["reading_order_edit"] == (1 / 4 if edition == "v1.6" else 0)


def test_what_the_gold_ignores_is_ignored_since_v1_6():
    ignored = dict(PAGE, layout_dets=[dict(PAGE["layout_dets"][0], ignore=True), *PAGE["layout_dets"][1:]])
    without = READ.removeprefix("# A title of the page\n\n")
    assert evaluate([ignored], lambda image: without, "v1.6").scores["text_edit"] == 0
    assert evaluate([ignored], lambda image: without, "v1.5").scores["text_edit"] > 0


def test_a_formula_written_as_text_counts_as_text_in_v1_5_and_is_found_there_in_v1_6():
    as_text = READ.replace("$$E=mc^2$$", "E = m c^2 + 0")
    assert evaluate([PAGE], lambda image: as_text, "v1.0").scores["formula_edit"] == 1
    assert "formula_edit" not in evaluate([PAGE], lambda image: as_text, "v1.5").scores
    assert evaluate([PAGE], lambda image: as_text, "v1.6").scores["formula_edit"] == pytest.approx(2 / 8)


def test_strict_costs_what_upstream_forgives():
    wrong = READ.replace("<td>1</td>", "<td>-1</td>")
    invented = f"{READ}\n\n{'<table><tr><td>7</td></tr></table>' * 3}"
    right = evaluate([PAGE], lambda image: READ.removesuffix("\n\nRunning head"), "v1.5").scores["strict"]
    assert evaluate([PAGE], lambda image: invented, "v1.5").scores["teds"] == 1
    for page in (wrong, invented):
        assert evaluate([PAGE], lambda image, page=page: page, "v1.5").scores["strict"] < right == 1


HOSTILE = [
    "$",
    "$$",
    r"\[",
    r"\(",
    "|",
    "| a | b |\n",
    "|-|-|\n",
    "<table>",
    "</table>",
    "```a\n",
    "![",
    "![](",
    "![x](y)",
    "<div>",
    r"\begin{cases}",
    r"\\(1\\)\\,",
    r"\begin{table}",
]
HOSTILE += [r"\begin{array}{l}", "_", " " * 9, r"\text{", r"\title{"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_page_of_one_mark_is_cut_in_bounded_time(piece):
    for closing in ("", "}", ")", "$"):
        predicted_blocks(piece * (20_000 // len(piece)) + closing, "v1.6")


@pytest.mark.parametrize("piece", ["a b c\n\n", "x\n\n", "word " * 50 + "\n\n"])
def test_a_page_of_many_alike_blocks_has_a_result(piece):
    page = evaluate([PAGE], lambda image: piece * 300, "v1.6").pages[0]
    assert page.matcher in ("quick", "chunks") and page.scores["text_edit"] > 0.5


@pytest.mark.parametrize(
    ("latex", "v1_5", "v1_6"),
    [
        (r"\[\begin{array}{l}a\\b\end{array}\]", ["a", "b"], ["a", "b"]),
        (r"\[\begin{aligned}a&=b\\c&=d\tag{1}\end{aligned}\]", None, ["a&=b", "c&=d"]),
        (r"$$a=b\\c=d$$", None, ["a=b", "c=d"]),
        (r"\begin{array}{rl}a&b\\c&d\end{array}", None, ["a&b", "c&d"]),
        (r"\begin{array}{lll}a&b&c\\d&e&f\end{array}", None, None),
        (r"\begin{cases}a\\b\end{cases}", None, None),
        (r"x=\begin{aligned}a\\b\end{aligned}", None, None),
        ("a=b", None, None),
    ],
)
def test_formulas_of_several_lines_are_parted_by_edition(latex, v1_5, v1_6):
    for edition, expected in (("v1.5", v1_5), ("v1.6", v1_6)):
        found = formula_lines(latex, edition)
        assert (found and [line for line, _ in found]) == expected
        assert all(latex[at:].startswith(line[0]) for line, at in found or ())
