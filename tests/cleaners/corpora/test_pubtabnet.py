"""The PubTabNet adapter, on folders of our own."""

import json

import pytest

from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.corpus import RowError
from proofpress.pages.errors import RequestError

CORPUS = CORPORA["pubtabnet"]


def load_all(path):
    return [CORPUS.load(path, ref) for ref in CORPUS.items(path)]


@pytest.mark.parametrize("inner", ["", "examples"])
def test_the_folder_itself_or_the_repository_can_be_given(pubtabnet, table_row, grid, inner):
    path = pubtabnet(table_row("a.png", grid(2, 1), ["h", "x"]), inner=inner)
    assert [row.source.id for row in load_all(path)] == ["a.png"]


def test_pictures_may_lie_in_the_folder_of_their_split(pubtabnet, table_row, grid, picture):
    row = table_row("a.png", grid(1, 1), ["h"], split="val")
    path = pubtabnet(row, pictures={"val/a.png": picture((9, 9))})
    (path / "a.png").unlink()
    (loaded,) = load_all(path)
    assert loaded.image == picture((9, 9))
    assert loaded.split == "validation"


def test_items_are_byte_offsets_with_names_in_file_order(pubtabnet, table_row, grid):
    rows = [table_row(f"{name}.png", grid(1, 1), ["é"]) for name in "ba"]
    path = pubtabnet(*rows)
    length = len(json.dumps(rows[0]).encode()) + 1
    assert list(CORPUS.items(path)) == ["train:tables.jsonl#0:b.png", f"train:tables.jsonl#{length}:a.png"]
    assert [row.original for row in load_all(path)] == rows


def test_the_label_is_html_with_the_corpus_tags_and_every_character_escaped(pubtabnet, table_row):
    structure = [
        "<thead>",
        "<tr>",
        "<td",
        ' rowspan="2"',
        ' colspan="3"',
        ">",
        "</td>",
        "<td>",
        "</td>",
        "</tr>",
        "</thead>",
    ]
    cells = [["<b>", "p", " ", "<", " ", "1", "</b>"], ["<", "b", ">", "&", "$", "5"]]
    (row,) = load_all(pubtabnet(table_row("a.png", structure, cells)))
    assert row.text == (
        '<table><thead><tr><td rowspan="2" colspan="3"><b>p &lt; 1</b></td>'
        r"<td>&lt;b&gt;&amp;\$5</td></tr></thead></table>"
    )
    (finding,) = row.findings
    assert (finding.outcome, finding.reason) == ("fixed", "table.raw_markup")
    assert "cell 0: '<b>p < 1</b>'" in finding.evidence and "cell 1" in finding.evidence


@pytest.mark.parametrize("filename", ["../secret.png", "/etc/passwd", "a/../../secret.png", "", ".", "x" * 5000, "\0"])
def test_a_name_that_leads_out_of_the_folder_or_nowhere_is_a_row_error(pubtabnet, table_row, grid, filename, picture):
    path = pubtabnet(table_row(filename, grid(1, 1), ["a"]), inner="examples")
    (path / "secret.png").write_bytes(picture())
    with pytest.raises(RowError) as error:
        load_all(path)
    assert error.value.reason.startswith("file.")
    assert error.value.original["filename"] == filename


def test_a_link_out_of_the_folder_is_a_row_error(pubtabnet, table_row, grid, tmp_path, picture):
    path = pubtabnet(table_row("a.png", grid(1, 1), ["a"]))
    (tmp_path / "elsewhere.png").write_bytes(picture())
    (path / "a.png").unlink()
    (path / "a.png").symlink_to(tmp_path / "elsewhere.png")
    with pytest.raises(RowError, match=r"file\.path"):
        load_all(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"filename": "a.png", "split": "tr', "row.json"),
        (b'{"filename": "\\ud800.png"}', "row.json"),
        (b"[" * 100_000, "row.json"),
        (b'{"filename": "\xff.png"}', "row.encoding"),
        (b"[1]", "row.malformed"),
        (b"null", "row.malformed"),
        (b'{"filename": "a.png", "split": "train"}', "row.malformed"),
        (b'{"filename": "a.png", "split": [], "html": {"structure": {"tokens": []}, "cells": []}}', "row.malformed"),
        (b'{"filename": 3, "split": "train", "html": {"structure": {"tokens": []}, "cells": []}}', "row.malformed"),
        (b'{"filename": "a", "split": "train", "html": {"structure": {"tokens": [1]}, "cells": []}}', "row.malformed"),
        (b'{"filename": "a", "split": "train", "html": {"structure": {"tokens": []}, "cells": [3]}}', "row.malformed"),
        (b'{"filename": "a", "split": "beta", "html": {"structure": {"tokens": []}, "cells": []}}', "row.malformed"),
    ],
)
def test_a_broken_line_is_a_row_error_and_the_others_are_read(pubtabnet, table_row, grid, line, reason):
    good = table_row("good.png", grid(1, 1), ["a"])
    path = pubtabnet(good, line, good)
    first, broken, last = CORPUS.items(path)
    assert CORPUS.load(path, first).text == CORPUS.load(path, last).text
    with pytest.raises(RowError) as error:
        CORPUS.load(path, broken)
    assert error.value.reason == reason
    assert error.value.original


@pytest.mark.parametrize(
    ("structure", "cells", "reason"),
    [
        (["<tr>", "<td>", "</td>", "</tr>"], ["a", "b"], "table.cell_count"),
        (["<tr>", "<td>", "</td>", "<td>", "</td>", "</tr>"], ["a"], "table.cell_count"),
        (["<tr>", "<td onclick='x'>", "</td>", "</tr>"], ["a"], "table.structure"),
        (["<script>"], [], "table.structure"),
    ],
)
def test_structure_that_is_not_the_corpus_own_is_a_row_error(pubtabnet, table_row, structure, cells, reason):
    with pytest.raises(RowError) as error:
        load_all(pubtabnet(table_row("a.png", structure, cells)))
    assert error.value.reason == reason


def test_a_folder_without_annotations_says_what_was_looked_for(tmp_path):
    with pytest.raises(RequestError, match=r"\.jsonl and examples"):
        list(CORPUS.items(tmp_path))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(RequestError, match="nowhere: no such folder"):
        list(CORPUS.items(tmp_path / "nowhere"))


def test_several_annotation_files_are_too_many(pubtabnet, table_row, grid):
    path = pubtabnet(table_row("a.png", grid(1, 1), ["a"]))
    (path / "more.jsonl").write_text("{}\n")
    with pytest.raises(RequestError, match=r"more\.jsonl, tables\.jsonl"):
        list(CORPUS.items(path))
