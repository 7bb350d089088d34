import random

import pytest

from proofpress.generators.content.rules import Rules


def write(text: str, symbol: str, seed: int = 0, **given: str) -> str:
    return Rules(text, makers={"word": lambda rng: rng.choice("abcdefgh")}, given=given).write(
        random.Random(seed), symbol, given
    )


def test_a_slot_is_filled_by_a_rule_a_maker_or_a_gift() -> None:
    text = "start\n    <rule> <word> <gift>\nrule: only"
    rule, word, gift = write(text, "start", gift="given").split()
    assert (rule, gift) == ("only", "given")
    assert word in "abcdefgh"


def test_a_fixed_slot_repeats_inside_everything_that_follows() -> None:
    text = "start\n    <!word><word> <inner> <word>\ninner\n    (<word>)"
    for seed in range(20):
        first, inner, last = write(text, "start", seed).split()
        assert inner == f"({first})"
        assert last == first


def test_weights_set_how_often_an_alternative_is_drawn() -> None:
    rules = Rules("start\n    9 | often\n    1 | seldom", makers={})
    rng = random.Random(1)
    drawn = [rules.write(rng, "start") for _ in range(1000)]
    assert 850 < drawn.count("often") < 950


def test_nesting_ends_soon_after_the_depth_asked_for() -> None:
    rules = Rules("start\n    99 | (<start>)\n    1 | x", makers={})
    for seed in range(50):
        assert rules.write(random.Random(seed), "start", depth=5).count("(") <= 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start\n    <nothing>", "no rule or maker for: nothing"),
        ("start\n    a<start>", "rules that never end: start"),
        ("start: a\nstart: b", "rule given twice: start"),
    ],
)
def test_rules_that_cannot_write_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rules(text, makers={})
