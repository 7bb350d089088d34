"""Page Markdown: what is written is read back, what cannot be is refused, and any text can be read."""

from html import escape
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proofpress.pages.markdown import Block, Run, inline, read, runs, write

MARKS = ["#", "##", "-", ".", "1", "12", "$", "$$", "\\$", "\\", "\\\\", "`", "```", "[^1]:", "|", "*", "_", "~~~"]
TAGS = ["<table", "<table>", "</table>", "<td>", ">"]
SPACES = [" ", "  ", "\n", "\n\n", "\t", "\r", "\u00a0", "\u2028"]
nasty_text = st.lists(st.sampled_from(["a", "é", "中", *MARKS, *TAGS, *SPACES]), max_size=12).map("".join)
nasty_line = nasty_text.map(lambda text: " ".join(text.split())).filter(bool)
nasty_block = st.builds(
    Block,
    kind=st.sampled_from(["heading", "paragraph", "list_item", "formula", "table", "code", "note"]),
    text=nasty_text,
    level=st.integers(0, 7),
    marker=st.sampled_from(["", "-", "1.", "27.", "*", "a.", "1", "a b", "python"]),
)
sound_block = st.one_of(
    st.builds(Block, st.just("heading"), nasty_line, st.integers(1, 6)),
    st.builds(Block, st.just("paragraph"), nasty_line.filter(lambda text: not text.startswith("$$"))),
    st.builds(Block, st.just("list_item"), nasty_line, st.just(0), st.sampled_from(["-", "1.", "27."])),
    st.builds(Block, st.just("formula"), nasty_line.filter(lambda text: "$$" not in text)),
    st.builds(Block, st.just("table"), nasty_line.map(lambda text: f"<table><tr><td>{escape(text)}</td></tr></table>")),
    st.builds(Block, st.just("code"), nasty_text.map(lambda text: text.replace("\r", "")), marker=st.just("c")),
    st.builds(Block, st.just("note"), nasty_line, marker=st.sampled_from(["1", "*", "a-b"])),
)


@given(st.lists(sound_block, max_size=6))
@settings(max_examples=100, deadline=None)
def test_sound_blocks_are_read_back_as_written(blocks: list[Block]) -> None:
    assert read(write(blocks)) == blocks


@given(st.lists(nasty_block, max_size=4))
@settings(max_examples=100, deadline=None)
def test_a_block_is_written_faithfully_or_refused_by_name(blocks: list[Block]) -> None:
    try:
        markdown = write(blocks)
    except ValueError as error:
        assert any(repr(block) in str(error) for block in blocks)
    else:
        assert read(markdown) == blocks


@given(st.lists(nasty_text, max_size=5).map("".join))
@example("$$a$$ b $$c$$\n<table><tr></table> $$d$$ <table>")
@settings(max_examples=100, deadline=None)
def test_what_was_read_from_any_text_can_be_written(text: str) -> None:
    blocks = read(text)
    assert read(write(blocks)) == blocks


@pytest.mark.parametrize(
    ("block", "markdown"),
    [
        (Block("heading", "On mass", 2), "## On mass"),
        (Block("paragraph", "Plain prose, 5 - 3 = 2; a #tag, 1.5 and [1]: so."), None),
        (Block("paragraph", "2 * 3 * 4 and a_b_c and C:\\new are themselves"), None),
        (Block("paragraph", "# 5 is a number"), "\\# 5 is a number"),
        (Block("paragraph", "- 5 is negative"), "\\- 5 is negative"),
        (Block("paragraph", "1986. A good year"), "1986\\. A good year"),
        (Block("paragraph", "1986\\. A good year"), "1986\\\\. A good year"),
        (Block("paragraph", "<table> is a tag"), "\\<table> is a tag"),
        (Block("paragraph", "[^1]: looks like a note"), "\\[^1]: looks like a note"),
        (Block("paragraph", "[^1] looks like a mark"), None),
        (Block("paragraph", "-5 is negative"), None),
        (Block("paragraph", "---"), None),
        (Block("paragraph", "two\nlines"), None),
        (Block("paragraph", "\\$5 each"), None),
        (Block("list_item", "first", 0, "-"), "- first"),
        (Block("list_item", "tenth", 0, "10."), "10. tenth"),
        (Block("formula", "x^2"), "$$x^2$$"),
        (Block("formula", "a \\\\\nb"), "$$\na \\\\\nb\n$$"),
        (Block("formula", "5\\$"), "$$\n5\\$\n$$"),
        (Block("table", "<table><tr><td>1</td></tr></table>"), "<table><tr><td>1</td></tr></table>"),
        (Block("code", "# no heading\n\n  x", marker="python"), "```python\n# no heading\n\n  x\n```"),
        (Block("code", "```\ninner\n```"), "````\n```\ninner\n```\n````"),
        (Block("note", "See $x$.", marker="1"), "[^1]: See $x$."),
    ],
)
def test_each_block_has_its_spelling(block: Block, markdown: str | None) -> None:
    assert write([block]) == (block.text if markdown is None else markdown)
    assert read(write([block])) == [block]


def test_blocks_are_parted_by_a_blank_line_and_list_items_by_none() -> None:
    blocks = [
        Block("heading", "List", 1),
        Block("list_item", "one", 0, "1."),
        Block("list_item", "inner", 1, "-"),
        Block("list_item", "two", 0, "2."),
        Block("paragraph", "After."),
    ]
    assert write(blocks) == "# List\n\n1. one\n    - inner\n2. two\n\nAfter."
    assert read(write(blocks)) == blocks


@pytest.mark.parametrize(
    "block",
    [
        Block("paragraph", ""),
        Block("paragraph", "   "),
        Block("paragraph", "$$x$$ is a formula"),
        Block("paragraph", "one\n\ntwo"),
        Block("paragraph", "one\n- item"),
        Block("paragraph", "one\r\ntwo"),
        Block("paragraph", " outer spaces "),
        Block("paragraph", "levels are for headings", level=1),
        Block("heading", "no level"),
        Block("heading", "too deep", level=7),
        Block("heading", "two\nlines", level=1),
        Block("list_item", "no first level", level=1, marker="-"),
        Block("list_item", "star", marker="*"),
        Block("list_item", "", marker="-"),
        Block("formula", "a $$ b"),
        Block("formula", ""),
        Block("table", "no tag"),
        Block("table", "<table>\n</table>"),
        Block("table", "<table></table> and more"),
        Block("note", "label with space", marker="a b"),
        Block("code", "x", marker="`"),
    ],
)
def test_what_would_read_differently_is_refused(block: Block) -> None:
    with pytest.raises(ValueError, match="block 1 has no Markdown"):
        write([Block("paragraph", "Before."), block])


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("# A\nb", [Block("heading", "A", 1), Block("paragraph", "b")]),
        ("a\r\nb\r\n\r\nc", [Block("paragraph", "a\nb"), Block("paragraph", "c")]),
        ("- a\n  goes on\nnot", [Block("list_item", "a goes on", 0, "-"), Block("paragraph", "not")]),
        ("- a\n\n- b", [Block("list_item", "a", 0, "-"), Block("list_item", "b", 0, "-")]),
        ("- a\n  1. b", [Block("list_item", "a", 0, "-"), Block("list_item", "b", 1, "1.")]),
        ("$$\na\n$$ (1)", [Block("formula", "a"), Block("paragraph", "(1)")]),
        ("$$a$$$$b$$", [Block("formula", "a"), Block("formula", "b")]),
        ("$$\\begin{array}{c}\na\n\\end{array}$$", [Block("formula", "\\begin{array}{c}\na\n\\end{array}")]),
        ("$$a\n\nb", [Block("formula", "a\n\nb")]),
        ("```\na", [Block("code", "a")]),
        ("<TABLE>\n<tr>\n\n</TABLE>\nb", [Block("table", "<TABLE> <tr> </TABLE>"), Block("paragraph", "b")]),
        (
            "<table><table></table></table>x",
            [Block("table", "<table><table></table></table>"), Block("paragraph", "x")],
        ),
        ("<table></table></table>", [Block("table", "<table></table>"), Block("paragraph", "</table>")]),
        ("<table><tr><td>cut", [Block("table", "<table><tr><td>cut")]),
        ("* star", [Block("paragraph", "* star")]),
        ("", []),
        ("\n \n", []),
    ],
)
def test_text_of_models_is_read(text: str, blocks: list[Block]) -> None:
    assert read(text) == blocks


@pytest.mark.parametrize(
    "unit",
    [
        "$$a$$",
        "$$",
        "<table>",
        "<table></table>",
        "</table>",
        "- a\n",
        "\\",
        "`",
        "#",
        "$a",
        "1",
        "[^",
        " \n",
        " ",
        "- \n",
    ],
)
@pytest.mark.timeout(60)  # a guard against hanging
def test_reading_takes_linear_time(unit: str) -> None:
    hostile = unit * (400_000 // len(unit))
    read(hostile)
    runs(hostile)


run_text = st.lists(st.sampled_from(["a", " ", "\\", "\\\\", "$", "$$", "5", "x^2"]), min_size=1, max_size=8).map(
    "".join
)
run_math = st.lists(st.sampled_from(["a", " ", "\\\\", "\\$", "\\frac", "{", "}"]), min_size=1, max_size=8).map("".join)


@given(st.lists(run_text, min_size=1, max_size=5), st.lists(run_math, max_size=5), st.booleans())
@settings(max_examples=100, deadline=None)
def test_runs_are_read_back_as_written(texts: list[str], formulas: list[str], math_first: bool) -> None:
    text_runs, math_runs = [Run("text", text) for text in texts], [Run("math", latex) for latex in formulas]
    first, second = (math_runs, text_runs) if math_first else (text_runs, math_runs)
    pairs = zip(first, second, strict=False)
    alternating = tuple(run for pair in pairs for run in pair)
    assert runs(inline(alternating)) == alternating


@given(run_text)
@settings(max_examples=100, deadline=None)
def test_reading_inline_text_settles_its_spelling(text: str) -> None:
    if (found := runs(text)) and not any(a.kind == b.kind == "math" for a, b in pairwise(found)):
        assert runs(inline(found)) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\$5 or $x$", (Run("text", "$5 or "), Run("math", "x"))),
        ("a $5", (Run("text", "a $5"),)),
        ("\\alpha and \\\\", (Run("text", "\\alpha and \\\\"),)),
        ("\\\\$x$", (Run("text", "\\"), Run("math", "x"))),
        ("$a\\$b$", (Run("math", "a\\$b"),)),
        ("see $$x$$.", (Run("text", "see "), Run("math", "x"), Run("text", "."))),
        ("", ()),
    ],
)
def test_dollars_part_math_from_text(text: str, expected: tuple[Run, ...]) -> None:
    assert runs(text) == expected


@pytest.mark.parametrize(
    "unsound",
    [[Run("math", "")], [Run("math", "a$b")], [Run("math", "a\\")], [Run("math", "a"), Run("math", "b")]],
)
def test_math_that_a_dollar_would_break_is_refused(unsound: list[Run]) -> None:
    with pytest.raises(ValueError, match="math"):
        inline(unsound)
