import time

import pytest

from proofpress.model.rewards.structure import MARK, looping_tail, split


def test_a_page_is_split_by_kind_and_text_keeps_their_places() -> None:
    table = "<table><tr><td>$a$</td></tr></table>"
    page = f"# Flow\n\nMass $m$ and \\$5.\n\n$$E=mc^2$$\n\n{table}\n\n- one\n- two\n\n[^1]: Note."
    found = split(page)
    assert found.text == f"# Flow\nMass {MARK} and $5.\n{MARK}\n{MARK}\n- one\n- two\n[^1]: Note."
    assert found.formulas == ("m", "E=mc^2")
    assert found.tables == (table,)


@pytest.mark.parametrize(("page", "has_text"), [("$$x$$", False), ("$x$", False), ("a $x$", True), ("", False)])
def test_marks_are_no_text(page: str, has_text: bool) -> None:
    assert split(page).has_text == has_text


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


def test_long_texts_take_linear_time() -> None:
    start = time.perf_counter()
    looping_tail("ab" * 100_000)
    assert time.perf_counter() - start < 2
