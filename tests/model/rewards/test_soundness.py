import pytest

from proofpress.model.rewards.soundness import Content, check, looping_tail

TABLE = "<table><tr><td>1</td></tr></table>"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("An honest end of a page.", 0),
        ("the the the", 0),
        ("a" * 100, 100),
        ("Once upon " + "a time. " * 20, len(" ".join(["a time."] * 20)) + 1),
        ("x" + "0 1 2 3 4 5 6 7 8 9 " * 5, 5 * 20 - 1),
        ("Contents ........ 5", 0),
        ("<table>" + "<tr><td></td><td></td></tr>" * 50 + "</table>", 0),
        ("<table>" + "<tr><td>a b c d</td></tr>" * 10 + "</table>", 79),
        ("loop " * 30 + "and an end", 0),
    ],
)
def test_a_loop_is_seen_only_at_the_end_and_not_in_table_markup(text: str, length: int) -> None:
    assert looping_tail(text) == pytest.approx(length, abs=2)


@pytest.mark.parametrize("period", range(1, 40))
def test_loops_of_every_period_are_seen(period: int) -> None:
    piece = "".join(chr(0x100 + i) for i in range(period))
    repeats = max(4, -(-24 // period))
    assert looping_tail("An end. " + piece * repeats) == period * repeats
    assert looping_tail("An end. " + piece * 3) == 0


@pytest.mark.timeout(60)  # a guard against hanging
def test_long_texts_are_read_to_their_end() -> None:
    assert looping_tail("ab" * 100_000) == 200_000


@pytest.mark.parametrize(
    ("part", "prediction", "gold"),
    [
        ("repetition", "of rain " * 40, "It rained."),
        ("noise", "a<!-- as asked -->b", "ab"),
        ("noise", "a<!-- never closed", "a"),
        ("noise", "\u200b".join("rain"), "rain"),
        ("noise", "\u202erain\u202c", "rain"),
        ("length", "x" * 1_000, "It rained."),
        ("closed", TABLE[:-8], TABLE),
        ("closed", TABLE.replace("</td>", ""), TABLE),
        ("closed", "```\ncode", "```\ncode\n```"),
        ("closed", "$$x", "$$x$$"),
        (r"closed", r"\begin{align}x", "x"),
    ],
)
def test_each_fault_costs_and_none_where_the_gold_has_it_too(part: str, prediction: str, gold: str) -> None:
    assert check(Content(prediction), Content(gold))[part] < 1
    assert check(Content(prediction), Content(prediction))[part] == 1
    assert set(check(Content(gold), Content(prediction)).values()) == {1.0} or part == "closed"


def test_a_latex_comment_is_noise() -> None:
    one, other = (Content(f"${latex}$", formulas=[latex]) for latex in ("x % and more", r"x \% and more"))
    assert check(one, other)["noise"] < 1 == check(other, one)["noise"]


def test_braces_are_counted_in_formulas_alone() -> None:
    assert check(Content("a } b"), Content("a b"))["closed"] == 1
    assert check(Content(r"$\frac{a$", formulas=[r"\frac{a"]), Content("a"))["closed"] == 0.5
    assert check(Content(r"$\{a$", formulas=[r"\{a"]), Content("a"))["closed"] == 1


def test_each_kind_of_open_markup_costs_more() -> None:
    gold = Content(TABLE)
    cut = [check(Content(TABLE[:length]), gold)["closed"] for length in (len(TABLE), -8, -13, -18)]
    assert cut == [1.0, 1 / 2, 1 / 3, 1 / 4]


def test_blocks_that_stand_again_are_repetition_unless_they_do_in_the_gold_or_are_short() -> None:
    block = "The river rose."
    twice, once = Content(f"{block}\n\n{block}", [block, block]), Content(block, [block])
    assert check(twice, once)["repetition"] == pytest.approx(1 - 15 / 32)
    assert check(twice, twice)["repetition"] == 1
    assert check(Content("Total\n\nTotal", ["Total", "Total"]), Content("Total", ["Total"]))["repetition"] == 1
    other = "It fell again soon."
    assert check(twice, Content(f"{other}\n\n{other}", [other, other]))["repetition"] == 1
    assert check(twice, Content("Another."))["repetition"] < 1


ROWS = [f"Gauge {name} stood {level} m above normal." for name, level in zip("ABCDEF", "123456", strict=True)]
FIRST, SECOND, THIRD = ROWS[:3]
WRONG = "Gauge X stood 9 m above normal."
OTHER = "Nothing was lost in the other valleys."

#: Prediction, gold: blocks that stand again because blocks of the gold were misread as one.
MISREAD = {
    "two as the first": ([FIRST, FIRST], [FIRST, SECOND]),
    "two as the second": ([SECOND, SECOND], [FIRST, SECOND]),
    "two as a third": ([WRONG, WRONG], [FIRST, SECOND]),
    "three as one": ([FIRST, FIRST, FIRST], [FIRST, SECOND, THIRD]),
    "apart": ([FIRST, OTHER, FIRST], [FIRST, OTHER, SECOND]),
    "two pairs": ([FIRST, FIRST, OTHER, OTHER], [FIRST, SECOND, OTHER, OTHER.replace("lost", "left")]),
    "one that the gold has twice": ([FIRST, FIRST, FIRST], [FIRST, FIRST, SECOND]),
}
#: Blocks that stand again for nothing.
REPEATED = {
    "one that is there": ([FIRST, FIRST], [FIRST]),
    "for another": ([FIRST, FIRST], [FIRST, OTHER]),
    "more than there are": ([FIRST, FIRST, FIRST], [FIRST, SECOND]),
    "a third more than there are": ([WRONG, WRONG, WRONG], [FIRST, SECOND]),
    "beside what is read": ([FIRST, SECOND, FIRST], [FIRST, SECOND]),
    "in a row, as a loop is": ([FIRST] * 4, ROWS[:4]),
    "in a row of all": ([FIRST] * 6, ROWS),
    "in a row and on": ([*[FIRST] * 4, OTHER], [*ROWS[:4], OTHER]),
}


def contents(blocks):
    return Content("\n\n".join(blocks), blocks)


@pytest.mark.parametrize("what", MISREAD)
def test_a_misreading_is_no_repetition(what):
    prediction, gold = map(contents, MISREAD[what])
    assert check(prediction, gold)["repetition"] == 1


@pytest.mark.parametrize("what", REPEATED)
def test_what_stands_again_for_nothing_is_repetition(what):
    prediction, gold = map(contents, REPEATED[what])
    assert check(prediction, gold)["repetition"] < 1


def test_a_loop_of_blocks_is_counted_once():
    gold = contents([FIRST, OTHER])
    looped = contents([FIRST, OTHER, *[OTHER] * 5])
    assert 0 < check(looped, gold)["repetition"] < 0.4
