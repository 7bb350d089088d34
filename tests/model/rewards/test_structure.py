import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards.scoring import GoldError
from proofpress.model.rewards.structure import Block, compare

PAGE = [
    Block("heading", "Floods of the Rhine", 1),
    Block("paragraph", "The river rose by a metre in a day, and fell slowly."),
    Block("list_item", "Basel was spared", marker="-"),
    Block("list_item", "Bern was not", marker="-"),
    Block("heading", "Causes of it", 2),
    Block("paragraph", "It had rained for a week; the ground was wet."),
    Block("note", "Measured at noon.", marker="1"),
]
MERGED = Block("paragraph", f"{PAGE[1].text} {PAGE[5].text}")

blocks = st.lists(
    st.builds(
        Block,
        st.sampled_from(["heading", "paragraph", "list_item"]),
        st.text("ab ", min_size=1, max_size=12).map(str.strip),
        st.integers(0, 2),
        st.sampled_from(["", "-", "1."]),
    ),
    min_size=1,
    max_size=8,
)


def changed(index: int, **change: object) -> list[Block]:
    return [Block(**{**_fields(block), **change}) if i == index else block for i, block in enumerate(PAGE)]  # type: ignore[arg-type]


def _fields(block: Block) -> dict[str, object]:
    return {"kind": block.kind, "text": block.text, "level": block.level, "marker": block.marker}


@settings(max_examples=150, deadline=None)
@given(blocks, blocks)
def test_the_value_is_bounded_symmetric_and_1_for_equal_pages(one: list[Block], other: list[Block]) -> None:
    assert compare(one, one).value == 1.0
    assert 0.0 <= compare(one, other).value <= 1.0
    assert compare(one, other).value == pytest.approx(compare(other, one).value, abs=1e-4)


@pytest.mark.parametrize(
    ("what", "part", "prediction"),
    [
        ("a heading as a paragraph", "headings", changed(0, kind="paragraph", level=0)),
        ("a heading of another level", "headings", changed(4, level=3)),
        ("a list item as a paragraph", "lists", changed(2, kind="paragraph", marker="")),
        ("a list item one deeper", "lists", changed(3, level=1)),
        ("a numbered list", "lists", changed(2, marker="1.")),
        ("another note", "notes", changed(6, marker="2")),
        ("a note left out", "notes", PAGE[:-1]),
        ("two paragraphs as one", "paragraphs", [PAGE[0], MERGED, *PAGE[2:5], PAGE[6]]),
        ("a paragraph too many", "paragraphs", [*PAGE, Block("paragraph", "And so on.")]),
        ("two blocks the other way round", "order", [PAGE[1], PAGE[0], *PAGE[2:]]),
        ("the page upside down", "order", PAGE[::-1]),
        ("the end left out", "complete", PAGE[:5]),
    ],
)  # fmt: skip
def test_each_fault_costs_its_part_and_the_value(what: str, part: str, prediction: list[Block]) -> None:
    right, wrong = compare(PAGE, PAGE), compare(prediction, PAGE)
    assert wrong.parts[part] < right.parts[part] == 1.0, what
    assert wrong.value < 1.0, what


def test_blocks_upside_down_have_no_order_left() -> None:
    assert compare(PAGE[::-1], PAGE).parts["order"] == 0.0


def test_right_kinds_without_content_are_worth_nothing() -> None:
    assert compare([Block(block.kind, "xyz", block.level, block.marker) for block in PAGE], PAGE).value < 0.1


def test_blocks_are_paired_to_their_best_partners_not_to_the_first() -> None:
    gold = [Block("paragraph", "abcdefgh"), Block("paragraph", "abcdefgx")]
    assert compare([Block("paragraph", "abcdefgx")], gold).parts["blocks"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("prediction", "status"), [([], "empty"), ([Block("heading", "x", 1)] * 200_000, "timeout")])
def test_nothing_and_too_much_are_told_apart(prediction: list[Block], status: str) -> None:
    result = compare(prediction, PAGE)
    assert (result.value, result.status) == (0.0, status)


def test_a_gold_without_blocks_is_refused() -> None:
    with pytest.raises(GoldError):
        compare(PAGE, [])
