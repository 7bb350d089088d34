import random
import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.generators.content import formulas, prose
from proofpress.pages.markdown import Block, inline, read, write

PUNCTUATION = set("–—‘’“”…€")
TEXTS = [prose.sentence, prose.title, prose.heading, prose.caption, prose.name, prose.date, prose.random_string]
PARAGRAPHS = [prose.paragraph(random.Random(seed), 5) for seed in range(1000)]


def allowed(character: str) -> bool:
    """Latin-1 and Latin Extended-A without controls, and the punctuation of print."""
    return " " <= character <= "~" or "\xa1" <= character <= "\u017f" or character in PUNCTUATION


@pytest.mark.parametrize("make", TEXTS)
def test_the_same_stream_writes_the_same_text(make) -> None:
    assert [make(random.Random(seed)) for seed in range(50)] == [make(random.Random(seed)) for seed in range(50)]


def test_paragraphs_do_not_depend_on_what_was_written_before() -> None:
    assert [prose.paragraph(random.Random(seed), 5) for seed in reversed(range(100))] == PARAGRAPHS[99::-1]


@pytest.mark.parametrize("make", TEXTS)
def test_texts_are_one_clean_line_of_the_allowed_characters(make) -> None:
    for seed in range(500):
        text = make(random.Random(seed))
        assert all(map(allowed, text)), text
        assert text == " ".join(text.split(" ")).strip() and "  " not in text
        assert unicodedata.is_normalized("NFC", text)
        assert "(n)" not in text and "<!" not in text


def test_sentences_start_with_a_capital_or_a_figure_and_end_with_punctuation() -> None:
    for seed in range(1000):
        text = prose.sentence(random.Random(seed))
        start = text.lstrip("“‘\"'(")[0]
        assert not start.islower(), text
        assert text.rstrip("”’\"')")[-1] in ".!?", text


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 8))
def test_a_paragraph_is_one_markdown_paragraph(seed: int, sentences: int) -> None:
    runs = prose.paragraph(random.Random(seed), sentences, formulas.inline)
    block = Block("paragraph", inline(runs))
    assert read(write([block])) == [block]


def test_math_stands_between_text_with_its_spaces() -> None:
    for seed in range(300):
        runs = prose.paragraph(random.Random(seed), 4, formulas.inline)
        for before, after in pairwise(runs):
            assert before.kind != after.kind
            if after.kind == "math":
                assert before.text[-1] in " (", before
            else:
                assert after.text[0] in " ,.;:)", after


def test_without_inline_a_paragraph_is_one_text_run() -> None:
    assert all(len(runs) == 1 and runs[0].kind == "text" for runs in PARAGRAPHS)


def test_the_vocabulary_is_large() -> None:
    words = {word for (run,) in PARAGRAPHS for word in re.findall(r"[^\W\d_]+", run.text.lower())}
    assert len(words) > 6000


def test_paragraphs_hold_the_characters_of_real_pages() -> None:
    text = "".join(run.text for (run,) in PARAGRAPHS)
    for wanted in "éöñšłőçøžÅ–—“”’'\"°±×µ€£$%&[]()/@_;:?!²½":
        assert wanted in text, wanted


@pytest.mark.parametrize(("share", "least", "most"), [(0.0, 0, 0), (0.07, 30, 120), (1.0, 1000, 1000)])
def test_codes_take_the_share_of_sentences_asked_for(share: float, least: int, most: int) -> None:
    plain = [prose.sentence(random.Random(seed), codes=0.0) for seed in range(1000)]
    coded = [prose.sentence(random.Random(seed), codes=share) for seed in range(1000)]
    assert least <= sum(a != b for a, b in zip(plain, coded, strict=True)) <= most


def test_the_article_follows_the_sound() -> None:
    cases = "a(n) apple, a(n) unit, a(n) hour, A(n) European, a(n) unanimous, a(n) urban, a(n) one-off, a(n) “odd”"
    (run,) = prose.runs_of(cases)
    assert run.text == "an apple, a unit, an hour, A European, a unanimous, an urban, a one-off, an “odd”"


def test_an_article_in_a_formula_is_left_alone() -> None:
    assert prose.runs_of("so ⟦a(n) = a⟧")[1].text == "a(n) = a"
