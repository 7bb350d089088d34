import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from proofpress.model.rewards.scoring import GoldError
from proofpress.model.rewards.text import canonical, cell_similarity, compare

GOLD = "The flow rose by 1.5% to -20 m, and then the river fell again."


@pytest.mark.parametrize(
    ("prediction", "gold"),
    [
        ("don’t “go”", 'don\'t "go"'),
        ("cafe\u0301", "café"),
        ("two\u00a0words", "two words"),
        ("a  b", "a b"),
        ("1990–1995", "1990-1995"),
        ("o\ufb03ce", "office"),
        ("暖风 熏得", "暖风熏得"),
        ("用 GDP 增长", "用GDP增长"),
        ("\u200eright\u200e", "right"),
    ],
)
def test_what_is_no_difference_on_paper_is_none_here(prediction: str, gold: str) -> None:
    assert compare(prediction, gold).value == 1.0


@pytest.mark.parametrize("number", ["15%", "1.5", "2.5%", "1,5%", "1.50%"])
def test_a_number_is_right_or_wrong(number: str) -> None:
    result = compare(GOLD.replace("1.5%", number), GOLD)
    assert result.parts["numbers"] == 0.5
    assert result.value < 0.8


@pytest.mark.parametrize("gold", ["-5", "5%", "1.5", "C++", "a, b"])
def test_signs_points_and_percent_are_not_free(gold: str) -> None:
    bare = "".join(character for character in gold if character.isalnum() or character == " ")
    assert compare(bare, gold).value < 1.0


def test_one_wrong_character_of_a_script_without_spaces_costs_one_word() -> None:
    result = compare("暖风熏得游入醉", "暖风熏得游人醉")
    assert result.parts["words"] == pytest.approx(6 / 7)


@pytest.mark.parametrize("fragment", ["fox", "The quick brown", "The quick brown fox jumps over"])
def test_a_fragment_scores_by_its_share_of_the_text(fragment: str) -> None:
    gold = "The quick brown fox jumps over the lazy dog"
    share = len(fragment) / len(gold)
    assert compare(fragment, gold).value < share + 0.15


def test_text_that_should_not_be_there_costs_like_text_that_is_missing() -> None:
    assert compare(GOLD + " " + GOLD, GOLD).value == pytest.approx(compare(GOLD, GOLD + " " + GOLD).value)
    assert compare(GOLD + " " + GOLD, GOLD).value < 0.7


def test_an_empty_page_scores_nothing_and_says_so() -> None:
    result = compare(" \n", GOLD)
    assert (result.value, result.status) == (0.0, "empty")


def test_an_empty_gold_is_refused() -> None:
    with pytest.raises(GoldError):
        compare(GOLD, " \n ")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_the_value_is_bounded_symmetric_and_1_for_equal_texts(one: str, other: str) -> None:
    one, other = f"x{one}", f"x{other}"
    assert 0.0 <= compare(one, other).value <= 1.0
    assert compare(one, other).value == pytest.approx(compare(other, one).value)
    assert compare(one, one).value == 1.0


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("12", "12", 1.0, 1.0),
        ("12", "17", 0.0, 0.0),
        ("1234", "1235", 0.0, 0.0),
        ("-5", "5", 0.0, 0.0),
        ("10%", "10", 0.0, 0.0),
        ("", "x", 0.0, 0.0),
        ("", "", 1.0, 1.0),
        ("Basel", "Base1", 0.0, 0.8),
        ("Basel", "Bosel", 0.8, 0.8),
        ("Basel 3", "Bosel 3", 0.8, 0.9),
    ],
)
def test_cells_are_as_alike_as_their_letters_and_not_at_all_with_another_number(
    one: str, other: str, least: float, most: float
) -> None:
    assert least <= cell_similarity(one, other) <= most


def test_a_printed_dollar_is_not_a_formula() -> None:
    assert canonical([r"\$x\$"]) != canonical(["$x$"])
    assert canonical([r"costs \$5"]) == ["costs $5"]


def test_formulas_in_a_line_are_in_normal_form() -> None:
    one, other, different = canonical([r"if $x \leq y$", r"if $x\le y$", r"if $x \geq y$"])
    assert one == other != different
    assert len(set(canonical(["a $\\nosuch$ b", "a  $\\nosuch$ b"]))) == 1


def cases(shared: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shared / f"data/cases/{name}.jsonl").read_text().splitlines()]


def test_what_omnidocbench_cannot_tell_apart_is_told_apart(shared: Path) -> None:
    for pair in cases(shared, "text_norm_omnidocbench"):
        assert compare(pair["a"], pair["b"]).value < 1.0, pair["id"]


def test_recorded_readings_of_blocks_rank_as_their_edit_distances_do(shared: Path) -> None:
    readings = [
        (pair["edit_dist"], compare(pair["pred"], pair["gold"]).value)
        for pair in cases(shared, "text_edit_pairs")
        if pair["gold"].strip()
    ]
    assert len(readings) > 100
    assert spearmanr(*zip(*readings, strict=True)).statistic < -0.9
