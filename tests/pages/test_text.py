"""Text normal forms: typography is folded, content is kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.pages.text import normalise, numbers, shingles, words

typography = st.text(
    st.sampled_from(
        "a1.,%+-− –—“”‘’\u00a0\u2009\u00ad\u200b\n\r\t\u2028ée\u0301\u0338=´΄\u2000暖\u3000か"
        "\u0640\ufb03\ufdfa\ufe71\ufe74ก"
    ),
    max_size=20,
)


@given(st.one_of(st.text(max_size=30), typography))
@settings(max_examples=100, deadline=None)
def test_the_normal_form_is_its_own(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("“quoted” ‘so’ ‚low‘ „low“", "\"quoted\" 'so' 'low' \"low\""),
        ("10–20 − 5 — non‑breaking", "10-20 - 5 - non-breaking"),
        ("a\u00a0b\u2009c\u202fd\u3000e", "a b c d e"),
        ("cafe\u0301", "café"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("e\u200b\u0301", "é"),
        ("\u202dleft\u200e to\u202c right", "left to right"),
        ("\ufb01nd o\ufb00er", "find offer"),
        ("\ufeb3\ufefc\ufee1", "\u0633\u0644\u0627\u0645"),
        ("\u0633\u0640\u0640\u0644\u0627\u0645", "\u0633\u0644\u0627\u0645"),
        ("暖风 熏得\u3000游人醉 GDP 增长 3%", "暖风熏得游人醉GDP增长3%"),
        ("  two   words \r\n next\t ", "two words\nnext"),
    ],
)
def test_typography_is_folded(left: str, right: str) -> None:
    assert normalise(left) == right


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1.5", "15"),
        ("-5", "5"),
        ("10%", "10"),
        ("C++", "C"),
        ("X", "x"),
        ("é", "e"),
        ("x²", "x2"),
        ("ＡＢ", "AB"),
        ("می\u200cخواهم", "میخواهم"),
        ("\u0663", "3"),
        ("，", ","),
        ("ก ข", "กข"),
    ],
)
def test_content_is_kept(left: str, right: str) -> None:
    assert normalise(left) != normalise(right)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,234.50 and .5", ["1,234.50", ".5"]),
        ("−1.5, +2 and ±3", ["-1.5", "+2", "±3"]),
        ("pages 3–4, COVID-19, (a)-5", ["3", "4", "19", "5"]),
        ("10%, 10 %, $10\\%$", ["10%", "10%", "10%"]),
        ("Fig.5, H2O, 2.", ["5", "2", "2"]),
        ("none", []),
    ],
)
def test_numbers_keep_sign_decimals_and_percent(text: str, found: list[str]) -> None:
    assert numbers(text) == found


def test_words_keep_the_punctuation_that_touches_them() -> None:
    assert words("“Don’t,” he\u00a0said\n(twice).") == ['"Don\'t,"', "he", "said", "(twice)."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("暖风GDP 3%。", ["暖", "风", "GDP", "3%", "。"]),
        ("かな カナ", ["か", "な", "カ", "ナ"]),
        ("ไทย ab", ["ไ", "ท", "ย", "ab"]),
        ("한국 사람", ["한국", "사람"]),
        ("हिन्दी है", ["हिन्दी", "है"]),
    ],
)
def test_scripts_without_spaces_have_words_of_one_character(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [("ab c\nd", {"abc", "bcd"}), ("a b", {"ab"}), ("", set()), (" \n", set())],
)
def test_shingles_do_not_see_white_space(text: str, found: set[str]) -> None:
    assert shingles(text, size=3) == found
