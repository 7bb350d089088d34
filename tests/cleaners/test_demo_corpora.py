"""The two small corpora of the demo: the defects put into them are found, one by one, and nothing else is lost."""

from collections import Counter
from pathlib import Path

import pytest

from proofpress.cleaners.clean import clean
from proofpress.cleaners.corpora import CORPORA
from proofpress.pages.record import Reject

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.mark.parametrize(
    ("name", "kept", "rejected", "fixed"),
    [
        ("pubtabnet", 11, {"table.ragged": 1}, {"table.style": 11}),
        ("im2latex", 28, {"file.missing": 1, "formula.unbalanced": 1}, {"formula.label": 13, "formula.over": 1}),
    ],
)
def test_every_defect_is_found_and_the_rest_kept(name, kept, rejected, fixed):
    corpus, folder = CORPORA[name], FIXTURES / name
    rows = list(clean(corpus, folder, corpus.items(folder)))
    assert Counter(row.reason for row in rows if isinstance(row, Reject)) == rejected
    records = [row for row in rows if not isinstance(row, Reject)]
    assert len(records) == kept
    found = Counter(check.rule for record in records for check in record.checks if check.outcome == "fixed")
    assert {rule: found[rule] for rule in fixed} == fixed
