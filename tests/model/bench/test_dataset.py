from dataclasses import replace

import pytest

from proofpress.model.bench.dataset import evaluate, kind_of
from proofpress.model.bench.intervals import bootstrap, mean_of
from proofpress.pages.record import PageRecord, Source

SOURCE = Source("test", "1", "1", "CC0-1.0")


def record(name, text, task="text", **fields):
    return PageRecord(id=name, image=b"", width=1, height=1, text=text, task=task, source=SOURCE, **fields)


RECORDS = [
    record("a", "The cat sat on the mat.", features={"crop": "line"}),
    record("b", "Another line of words.", features={"crop": "line"}),
    record("c", r"\frac{a}{b}", "formula", features={"crop": "formula"}),
    record("d", "<table><tr><td>1</td><td>2</td></tr></table>", "table"),
]


def test_what_is_read_right_scores_one():
    result = evaluate(RECORDS, lambda record: record.text)
    assert result.overall.value == result.overall.low == result.overall.high == 1
    assert {task: mean.count for task, mean in result.tasks.items()} == {"formula": 1, "table": 1, "text": 2}
    assert list(result.kinds) == ["formula/formula", "table/whole", "text/line"]


def test_a_task_counts_alike_however_many_records_it_has():
    result = evaluate(RECORDS, lambda record: record.text if record.task == "text" else "")
    assert result.tasks["text"].value == 1 and result.tasks["table"].value == 0
    assert result.overall.value == pytest.approx(1 / 3)


def test_a_wrong_gold_is_in_no_mean_and_counted():
    result = evaluate([*RECORDS, record("e", r"\frac{", "formula")], lambda record: record.text)
    assert result.unscored == 1 and result.records[-1].status == "gold" and result.overall.value == 1


def test_unit_tests_of_a_record_are_run_strictly():
    tests = ({"type": "present", "text": "The cat"}, {"type": "absent", "text": "dog"}, {"type": "nonsense"})
    result = evaluate([replace(RECORDS[0], tests=tests)], lambda record: "The cat and a dog")
    assert result.records[0].tests == 0.5 and result.tests.value == 0.5


def test_nothing_to_score_has_no_mean():
    result = evaluate([], lambda record: "")
    assert result.overall is None and result.to_json()["overall"] is None


def test_the_result_is_the_same_again_and_plain():
    wrong = {"a": "The cat sat on a mat", "b": "", "c": r"\frac{a}{c}", "d": ""}
    first, second = (evaluate(RECORDS, lambda record: wrong[record.id]).to_json(records=True) for _ in range(2))
    assert first == second and [one["id"] for one in first["records"]] == ["a", "b", "c", "d"]
    assert 0 < first["overall"]["value"] < 1


def test_kinds_are_crops_then_kinds_of_page():
    assert kind_of(record("x", "y", features={"crop": "word", "kind": "exam"})) == "word"
    assert kind_of(record("x", "y", features={"kind": "exam"})) == "exam"
    assert kind_of(record("x", "y")) == "whole"


def test_an_interval_holds_its_mean_and_narrows_with_more_values():
    few, many = mean_of([0.0, 1.0] * 5), mean_of([0.0, 1.0] * 200)
    assert few.low <= few.value <= few.high
    assert many.high - many.low < few.high - few.low
    assert bootstrap([[0.5], [1.0]]) == (0.75, 0.75)
