import random

from proofpress.generators.content.problems import LONGEST, problem
from proofpress.pages import latex
from proofpress.pages.markdown import Block, inline, read, runs, write

MADE = [problem(random.Random(seed)) for seed in range(500)]


def test_the_same_stream_sets_the_same_problem() -> None:
    assert [problem(random.Random(seed)) for seed in range(100)] == MADE[:100]


def test_problems_are_markdown_paragraphs_that_read_back() -> None:
    for made in MADE:
        text = inline(made)
        assert runs(text) == made
        assert read(write([Block("paragraph", text)])) == [Block("paragraph", text)]


def test_formulas_in_problems_are_valid_and_low_enough_for_a_line() -> None:
    formulas = [run.text for made in MADE for run in made if run.kind == "math"]
    assert len(formulas) > 1000
    assert [text for text in formulas if not latex.is_valid(text)] == []
    assert max(map(len, formulas)) <= LONGEST


def test_problems_start_with_a_capital_and_end_as_sentences() -> None:
    for made in MADE:
        assert made[0].kind == "text" and (made[0].text[0].isupper() or made[0].text[0] == "(")
        assert made[-1].kind == "math" or made[-1].text[-1] in ".?!e", made[-1]


def test_problems_vary() -> None:
    assert len(set(MADE)) > 470
