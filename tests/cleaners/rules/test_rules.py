"""What holds for every rule of every task."""

import pytest

from proofpress.cleaners.label import apply
from proofpress.cleaners.rule import KEEP, Rule
from proofpress.cleaners.rules import IMAGE_RULES, RULES

LABEL_RULES = {rule.name: rule for rules in RULES.values() for rule in rules}


@pytest.mark.parametrize("rule", LABEL_RULES.values(), ids=LABEL_RULES)
def test_a_rule_does_something_to_its_own_example(rule: Rule[str]):
    assert rule.judge(rule.example) != KEEP


@pytest.mark.parametrize("rule", LABEL_RULES.values(), ids=LABEL_RULES)
def test_a_fix_is_not_fixed_again(rule: Rule[str]):
    verdict = rule.judge(rule.example)
    assert not hasattr(verdict, "text") or not hasattr(rule.judge(verdict.text), "text")


@pytest.mark.parametrize("rule", LABEL_RULES.values(), ids=LABEL_RULES)
def test_a_verdict_has_a_dotted_reason(rule: Rule[str]):
    assert "." in rule.judge(rule.example).reason


@pytest.mark.parametrize("rules", [*RULES.values(), IMAGE_RULES])
def test_rules_of_a_task_have_different_names_and_one_line_explanations(rules: tuple[Rule, ...]):
    assert len({rule.name for rule in rules}) == len(rules)
    assert all(rule.explain and "\n" not in rule.explain for rule in rules)


@pytest.mark.parametrize(
    "text", ["[object Object]", r"\sqrt [ [ object Object ] ]", "a\N{REPLACEMENT CHARACTER}b", "a\0b"]
)
@pytest.mark.parametrize("task", RULES)
def test_a_label_with_the_trace_of_a_broken_program_is_dropped(task: str, text: str):
    assert apply(RULES[task], text).drop.reason == "text.artefact"
