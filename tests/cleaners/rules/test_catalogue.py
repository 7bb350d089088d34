"""The list of rules is whole: every reason that the code can give stands in it."""

import re
from pathlib import Path

from proofpress.cleaners.rules.catalogue import catalogue

CLEANERS = Path(__file__).parents[3] / "cleaners"
GIVEN = re.compile(r'(?:RowError|Drop|Fix|Keep|_reject)\(\s*(?:[^"\n]*, )?"([a-z]+\.[a-z_0-9]+)"')
LISTED_AS = {  # reasons of one rule with several
    "image.tiny": "image.size", "image.unlabelled": "image.blank", "text.latex_command": "text.latex_style",
    "page.at_cap": "page.truncated", "formula.redrawn": "formula.label", "table.overlap": "table.canonical",
    "table.ragged": "table.canonical", "table.unparseable": "table.canonical",
}  # fmt: skip


def test_every_reason_is_listed():
    listed = {rule.name for _, rules in catalogue() for rule in rules}
    given = {
        reason
        for file in (*CLEANERS.glob("*.py"), *CLEANERS.glob("corpora/*.py"), *CLEANERS.glob("rules/*.py"))
        for reason in GIVEN.findall(file.read_text(encoding="utf-8"))
    }
    assert len(given) > 60
    assert {LISTED_AS.get(reason, reason) for reason in given} - listed == set()


def test_every_rule_is_listed_once_with_a_line_and_an_example():
    for group, rules in catalogue():
        assert len({rule.name for rule in rules}) == len(rules), group
        assert all(rule.explain and "\n" not in rule.explain + rule.example and rule.example for rule in rules)
