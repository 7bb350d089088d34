import json
from pathlib import Path

import pytest

from proofpress.model.rewards import RewardRecipe, score, symbolic
from proofpress.model.rewards.formula import bare, compare
from proofpress.model.rewards.symbolic import decide, equal

#: Rows where SymPy differs from the published verdict, and why.
OTHERWISE = {"formula_pairs-0161": "1/12 is not 0.0833333333333333 but near it"}


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (r"\frac{x+2}{7}", r"\frac{x}{7}+\frac{2}{7}", True),
        (r"\sqrt{1/n}", r"\frac{1}{\sqrt{n}}", True),
        ("2x+4y-3=0", "y=-x/2+3/4", True),
        ("x=1", "x=2", False),
        ("x+1", "x-1", False),
        ("x=1", "1", None),
        ("x<1", "x<1", None),
        (r"\heartsuit", "x", None),
        ("", "", None),
    ],
)
def test_equality_is_that_of_mathematics_or_not_decided(one: str, other: str, verdict: bool | None) -> None:
    assert decide(one, other) is verdict


def test_it_is_asked_in_a_process_of_its_own() -> None:
    assert equal(r"\frac{2}{4}", r"\frac{1}{2}") is True


@pytest.mark.timeout(60)  # a guard against hanging
def test_what_takes_too_long_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic, "MAX_SECONDS", 2.0)
    assert equal("9^{9^{9^{9^{9}}}}", "1") is None
    assert equal("x" * 10_000, "x") is None


def test_it_is_evidence_and_never_the_value() -> None:
    plain = score(r"\frac{2}{4}", r"\frac{1}{2}", "formula")
    asked = score(r"\frac{2}{4}", r"\frac{1}{2}", "formula", RewardRecipe(symbolic=True))
    assert asked.value == plain.value < 1
    assert (asked.parts["symbolic"], asked.evidence) == (1.0, "as mathematics: equal")
    assert "symbolic" not in plain.parts


@pytest.mark.slow
def test_published_pairs_are_decided_right_or_not_at_all(shared: Path) -> None:
    decided = 0
    for name, verdict in (("formula_pairs", "equal"), ("math_verify_issue_pairs", "expected_equal")):
        for line in (shared / f"data/cases/{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            if row.get("sense", "").startswith("render") or not row.get("bare_formula", True) or row["id"] in OTHERWISE:
                continue
            found = decide(bare(row["a"]), bare(row["b"]))
            assert found in (None, row[verdict]), row["id"]
            decided += found is not None
    assert decided >= 15


@pytest.mark.slow
def test_what_is_equal_as_mathematics_is_not_the_same_transcription(shared: Path) -> None:
    for line in (shared / "data/cases/math_verify_issue_pairs.jsonl").read_text().splitlines():
        row = json.loads(line)
        one, other = bare(row["a"]), bare(row["b"])
        assert (compare([one], [other]).value == 1.0) == (row["id"] == "mv_issue-001")  # \text{13} looks like 13
