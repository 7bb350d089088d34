import pytest

from proofpress.model.bench.olmocr_bench import BenchError, evaluate, load_tests

ROWS = [
    {"type": "present", "id": "a", "pdf": "one.pdf", "page": 1, "text": "alpha"},
    {"type": "absent", "id": "b", "pdf": "one.pdf", "page": 1, "text": "beta"},
    {"type": "order", "id": "c", "pdf": "two.pdf", "page": 3, "before": "alpha", "after": "gamma"},
]


def run(readings, files=None, pdfs=()):
    tests = load_tests(files or {"text.jsonl": ROWS}, pdfs)
    return evaluate(tests, lambda pdf, page: readings.get((pdf, page), ()), None)


def test_a_score_is_the_mean_of_its_groups():
    readings = {("one.pdf", 1): ["alpha"], ("two.pdf", 3): ["gamma alpha"], ("two.pdf", 1): ["x"]}
    result = run(readings)
    assert result.groups("olmocr") == {"text.jsonl": [1, 1, 0], "baseline": [1, 1]}
    assert result.score("olmocr")[0] == pytest.approx((2 / 3 + 1) / 2)
    assert result.types("olmocr") == {"absent": 1, "baseline": 1, "order": 0, "present": 1}
    low, high = result.score("olmocr")[1:]
    assert low <= result.score("olmocr")[0] <= high


def test_a_document_without_a_baseline_test_gets_one_on_its_first_page():
    tests = load_tests(
        {"x.jsonl": [*ROWS, {"type": "baseline", "id": "d", "pdf": "one.pdf", "page": 1}]}, ["three.pdf"]
    )
    added = [(one.test.pdf, one.test.page) for one in tests if one.group == "baseline"]
    assert added == [("three.pdf", 1), ("two.pdf", 1)]


def test_most_readings_decide():
    readings = {("one.pdf", 1): ["alpha", "alpha", "nothing"]}
    result = run(readings, {"x.jsonl": ROWS[:1]})
    assert result.tests[0].olmocr == pytest.approx(2 / 3) and result.tests[0].passed("olmocr") == 1
    assert run({("one.pdf", 1): ["alpha", "nothing"]}, {"x.jsonl": ROWS[:1]}).tests[0].passed("olmocr") == 0


def test_a_page_that_was_not_read_fails():
    result = run({})
    assert result.score("olmocr")[0] == result.score("strict")[0] == 0
    assert {test.evidence["strict"] for test in result.tests} == {"the page was not read"}


def test_a_test_that_is_wrong_itself_is_in_no_strict_score():
    rows = [{"type": "math", "id": "m", "pdf": "one.pdf", "page": 1, "math": r"\nosuch{x}"}, ROWS[0]]
    result = run({("one.pdf", 1): ["alpha $q$"]}, {"x.jsonl": rows})
    assert result.tests[0].strict is None and result.tests[0].olmocr == 1
    assert result.groups("strict")["x.jsonl"] == [1]


def test_pages_come_the_worst_first():
    readings = {("one.pdf", 1): ["beta"], ("two.pdf", 3): ["alpha gamma"], ("two.pdf", 1): ["x"]}
    assert list(run(readings).pages("strict")) == [("one.pdf", 1), ("two.pdf", 1), ("two.pdf", 3)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**ROWS[0], "text": ""}, "x.jsonl: test 1 .a.: text"),
        ({**ROWS[0], "id": ""}, "x.jsonl: test 1: needs an id"),
        ({**ROWS[0], "pdf": ""}, "needs an id and a pdf"),
        ({**ROWS[0], "type": "smell"}, "type: 'smell'"),
    ],
)
def test_a_wrong_row_is_named(row, message):
    with pytest.raises(BenchError, match=message):
        load_tests({"x.jsonl": [row]})


def test_an_id_is_given_once():
    with pytest.raises(BenchError, match="the id 'a' is taken"):
        load_tests({"x.jsonl": [ROWS[0], ROWS[0]]})
