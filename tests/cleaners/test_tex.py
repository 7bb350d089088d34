"""LaTeX source as tokens and groups."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.cleaners.tex import Rewritten, glue, replace, rewrite, split, tokens, trim

pieces = st.lists(
    st.sampled_from(["\\", "{", "}", "a", "B", "2", " ", "\n", "&", "^", "%", "é", "\\alpha", "\\,", "\\\\"])
)


@settings(max_examples=100, deadline=None)
@given(pieces.map("".join))
def test_tokens_joined_are_the_formula(latex: str):
    assert "".join(tokens(latex)) == glue(tokens(latex)) == latex


@settings(max_examples=100, deadline=None)
@given(pieces.map("".join))
def test_a_rewrite_that_finds_nothing_changes_nothing(latex: str):
    assert rewrite(latex, {r"\label": str}) == Rewritten(latex, ())
    assert replace(latex, {r"\sp": "^"}) == Rewritten(latex, ())


def test_taking_a_command_out_keeps_a_control_word_from_swallowing_letters():
    assert rewrite(r"\pi\label{a}r", {r"\label": lambda _: ""}).text == r"\pi r"


@pytest.mark.parametrize(
    ("latex", "text", "found"),
    [
        (r"\f{a{b}c}d", "<a{b}c>d", (r"\f{a{b}c}",)),
        (r"\f{\f{a}}", "<<a>>", (r"\f{\f{a}}",)),
        (r"\f * {a}", "<a>", (r"\f * {a}",)),
        (r"\f a", r"\f a", ()),
        (r"\f{a", r"\f{a", ()),
        (r"\f", r"\f", ()),
    ],
)
def test_a_command_is_rewritten_with_its_braced_argument(latex: str, text: str, found: tuple[str, ...]):
    assert rewrite(latex, {r"\f": lambda argument: f"<{argument}>"}) == Rewritten(text, found)


def test_trim_leaves_a_control_space_whole():
    assert trim(tokens("  a\\  ")) == ["a", "\\ "]


def test_split_cuts_only_outside_groups():
    assert split(r"a & {b & c} & d", ("&",)) == ["a ", " {b & c} ", " d"]
