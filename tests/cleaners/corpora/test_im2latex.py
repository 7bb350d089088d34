"""The im2latex adapter, on folders of our own."""

import pytest

from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.corpus import RowError
from proofpress.pages.errors import RequestError

CORPUS = CORPORA["im2latex"]


def load_all(path):
    return [CORPUS.load(path, ref) for ref in CORPUS.items(path)]


@pytest.mark.parametrize("inner", ["", "data/sample"])
def test_the_folder_itself_or_the_repository_can_be_given(im2latex, inner):
    assert [row.text for row in load_all(im2latex("a", "b") / inner)] == ["a", "b"]


def test_the_whole_corpus_names_its_lists_with_a_prefix(im2latex):
    folder = im2latex("a") / "data" / "sample"
    for file in list(folder.glob("*.lst")):
        file.rename(file.with_name(f"im2latex_{file.name}"))
    (folder / "images").rename(folder / "formula_images")
    assert [row.text for row in load_all(folder)] == ["a"]


def test_items_are_the_rows_of_the_lists_in_order_with_the_split_they_are_for(im2latex):
    path = im2latex("a", "b", "c", lists={"test": "2 2 basic\n", "train": "1 1 basic\n", "validate": "0 0 basic\n"})
    assert list(CORPUS.items(path)) == ["train:0:1 1 basic", "validation:0:0 0 basic", "test:0:2 2 basic"]
    assert [(row.text, row.split) for row in load_all(path)] == [("b", "train"), ("a", "validation"), ("c", "test")]


@pytest.mark.parametrize(
    ("formula", "label"), [("%a%", "a"), ("%% a%b", "a%b"), ("a%", "a"), ("a \\ ", "a \\ "), ("  a\t", "a")]
)
def test_percent_signs_at_the_ends_were_taken_off_before_typesetting(im2latex, formula, label):
    (row,) = load_all(im2latex(formula))
    assert row.text == label
    assert row.original["formula"] == formula
    assert bool(row.findings) == ("%" in (formula[0], formula[-1]))


@pytest.mark.parametrize("line", ["é".encode(), "é".encode("latin-1"), "é".encode() + b"\r"])
def test_a_line_in_either_encoding_is_read(im2latex, line):
    assert load_all(im2latex(line))[0].text == "é"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("7 0 basic", "row.index"),
        ("-1 0 basic", "row.malformed"),
        ("x 0 basic", "row.malformed"),
        ("1" * 5000 + " 0 basic", "row.malformed"),
        ("0 0", "row.malformed"),
        ("0 ../../secret basic", "file.path"),
        ("0 /secret basic", "file.missing"),
        ("0 none basic", "file.missing"),
    ],
)
def test_a_row_that_leads_nowhere_is_a_row_error_and_the_others_are_read(im2latex, row, reason, picture):
    path = im2latex("a", lists={"train": f"0 0 basic\n{row}\n0 0 basic\n"})
    (path / "data" / "secret.png").write_bytes(picture())
    first, broken, last = CORPUS.items(path)
    assert CORPUS.load(path, first).text == CORPUS.load(path, last).text == "a"
    with pytest.raises(RowError) as error:
        CORPUS.load(path, broken)
    assert error.value.reason == reason
    assert error.value.original["row"] == row


def test_a_folder_without_lists_says_what_was_looked_for(tmp_path):
    with pytest.raises(RequestError, match=r"formulas\.lst and .*sample"):
        list(CORPUS.items(tmp_path))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(RequestError, match="nowhere: no such folder"):
        list(CORPUS.items(tmp_path / "nowhere"))
