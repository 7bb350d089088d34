"""``proofpress clean`` tells what it can read and what it does."""

from typer.testing import CliRunner

from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.rules.catalogue import catalogue
from proofpress.flows.cli.app import app
from proofpress.flows.cli.datasets import CORPUS_NAMES


def test_the_help_lists_every_corpus():
    assert tuple(CORPORA) == CORPUS_NAMES


def test_list_rules_explains_every_rule_and_asks_for_nothing():
    result = CliRunner().invoke(app, ["clean", "--list-rules"])
    assert result.exit_code == 0
    for _, rules in catalogue():
        assert all(rule.name in result.output and rule.explain in result.output for rule in rules)
