import pytest

from proofpress.model.rewards.page import MARK, combine, read_page
from proofpress.model.rewards.recipe import RewardRecipe
from proofpress.model.rewards.structure import Block

MODES = [RewardRecipe(), RewardRecipe(combine="product"), RewardRecipe(combine="product", floor=0.0)]
WEIGHTS = {"text": 1.0, "formulas": 1.0, "structure": 0.5}


def test_a_page_is_read_by_kind_and_text_keeps_their_places() -> None:
    table = "<table><tr><td>$a$</td></tr></table>"
    page = f"# Flow\n\nMass $m$ and \\$5.\n\n$$E = mc^2$$\n\n{table}\n\n- one\n- two\n\n[^1]: Note\n    on it."
    found = read_page(page)
    assert found.text == f"# Flow\nMass {MARK} and $5.\n{MARK}\n{MARK}\n- one\n- two\n[^1]: Note on it."
    assert [formula.latex for formula in found.formulas] == ["m", "E = mc^2"]
    assert found.tables == (table,)
    assert found.blocks == (
        Block("heading", "Flow", 1),
        Block("paragraph", f"Mass {MARK} and $5."),
        Block("formula", "E=mc^{2}"),
        Block("table", "$a$"),
        Block("list_item", "one", marker="-"),
        Block("list_item", "two", marker="-"),
        Block("note", "Note on it.", marker="1"),
    )
    assert found.sizes() == {"text": 52, "formulas": 7, "tables": len(table)}


def test_a_mark_on_the_page_itself_is_not_read() -> None:
    assert read_page(f"Mass {MARK} and").text == read_page("Mass  and").text


def test_a_paragraph_on_several_lines_is_one_on_one_line() -> None:
    assert read_page("The river\nrose.").text == read_page("The river rose.").text


@pytest.mark.parametrize("recipe", MODES)
def test_terms_of_1_are_1_and_a_lower_term_is_never_higher(recipe: RewardRecipe) -> None:
    assert combine(dict.fromkeys(WEIGHTS, 1.0), WEIGHTS, recipe) == pytest.approx(1.0)
    for term in WEIGHTS:
        values = [combine({**dict.fromkeys(WEIGHTS, 0.8), term: value}, WEIGHTS, recipe) for value in (0.9, 0.5, 0.1)]
        assert values[0] > values[1] > values[2]


def test_a_product_has_a_floor_for_each_term() -> None:
    terms = {"text": 1.0, "formulas": 0.0, "structure": 1.0}
    assert combine(terms, WEIGHTS, MODES[1]) == pytest.approx(0.1)
    assert combine(terms, WEIGHTS, MODES[2]) == 0.0
    assert combine({"text": 1.0, "structure": 0.0}, {"text": 1.0, "structure": 0.5}, MODES[1]) == pytest.approx(
        0.1**0.5
    )


def test_a_mean_is_weighted() -> None:
    assert combine({"text": 1.0, "formulas": 0.0, "structure": 1.0}, WEIGHTS, MODES[0]) == pytest.approx(1.5 / 2.5)
