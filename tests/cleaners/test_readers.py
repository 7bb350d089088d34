"""Files, JSON streams, Parquet and PDF pages: read by the piece, within limits, with one error for what is broken."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from proofpress.cleaners import files as files_module
from proofpress.cleaners import json_stream
from proofpress.cleaners.coco import open_coco
from proofpress.cleaners.corpus import Ref, RowError, parse_ref, revision_of
from proofpress.cleaners.files import line_at, lines, open_files
from proofpress.cleaners.forms import Field, form_text, read_form
from proofpress.cleaners.parquet import list_rows, read_row
from proofpress.cleaners.pdf import LONGEST_SIDE, page_count, render_page
from proofpress.cleaners.tabular import TabularError, read_tabular
from proofpress.pages.errors import RequestError


def pdf(*sizes):
    pages = [Image.new("RGB", size, "white") for size in sizes]
    data = io.BytesIO()
    pages[0].save(data, "PDF", save_all=True, append_images=pages[1:])
    return data.getvalue()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.lists(values, max_size=4), max_size=4), st.integers(1, 9))
def test_items_of_a_json_file_are_found_where_they_stand_whatever_the_chunks(document, chunk):
    data = json.dumps(document, ensure_ascii=False).encode()
    before, json_stream.CHUNK = json_stream.CHUNK, chunk
    try:
        found = list(json_stream.items(io.BytesIO(data)))
    finally:
        json_stream.CHUNK = before
    again = [json.loads(data[start:end]) for _, start, end, _ in found]
    assert again == [item for listed in document.values() for item in listed]


@pytest.mark.parametrize("data", [b"", b"{", b'{"a": [1, 2', b'{"a" [1]}', b"7", b'{"a": [1 2'])
def test_a_broken_json_file_is_a_value_error(data):
    with pytest.raises(ValueError):
        list(json_stream.items(io.BytesIO(data)))


def test_lines_are_listed_with_their_offsets_and_long_ones_only_by_their_begin(tmp_path, monkeypatch):
    monkeypatch.setattr(files_module, "MAX_LINE", 10)
    (tmp_path / "a.jsonl").write_bytes(b"short\n" + b"x" * 45 + b"\nend")
    found = list(lines(open_files(tmp_path), "a.jsonl"))
    assert [(offset, len(line)) for offset, line in found] == [(0, 6), (6, 11), (52, 3)]
    assert line_at(open_files(tmp_path), "a.jsonl", 52) == b"end"
    with pytest.raises(RowError, match=r"row\.size"):
        line_at(open_files(tmp_path), "a.jsonl", 6)


@pytest.mark.parametrize("name", ["../a", "b/../../a", "/etc/passwd", "link", "\0", "x" * 5_000])
def test_nothing_outside_of_the_folder_is_read(tmp_path, name):
    (tmp_path / "a").write_text("secret")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "link").symlink_to(tmp_path / "a")
    with pytest.raises(RowError):
        open_files(tmp_path / "b").read(name)


def test_a_file_over_the_limit_is_not_read(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 11)
    with pytest.raises(RowError, match=r"file\.size"):
        open_files(tmp_path).read("a", limit=10)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.rar", "a.zip", "a.txt"])
def test_what_is_neither_folder_nor_zip_is_one_clear_error(tmp_path, name):
    (tmp_path / name).write_bytes(b"no archive")
    with pytest.raises(RequestError, match=r"\.zip"):
        open_files(tmp_path / name)


def test_rows_of_parquet_are_listed_and_read_one_by_one(tmp_path):
    table = pa.table({"id": ["a", "b", "c"], "n": [1, 2, 3]})
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=2)
    files = open_files(tmp_path)
    found = list(list_rows(files, "*.parquet", ["id", "other"]))
    assert [(place, row["id"]) for place, row in found] == [
        ("x.parquet#0", "a"),
        ("x.parquet#1", "b"),
        ("x.parquet#2", "c"),
    ]
    assert read_row(files, "x.parquet#2") == {"id": "c", "n": 3}
    with pytest.raises(RowError, match=r"row\.index"):
        read_row(files, "x.parquet#3")


def test_a_broken_parquet_file_is_one_clear_error(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(RequestError, match=r"x\.parquet: not a sound Parquet file"):
        list(list_rows(open_files(tmp_path), "*.parquet", []))


@pytest.mark.parametrize("size", [(300, 200), (200, 300), (3_000, 2_000), (40, 30)])
def test_a_pdf_page_is_drawn_at_one_size_on_white(size):
    page = render_page(pdf(size), 1)
    assert max(page.image.size) == LONGEST_SIDE
    assert page.image.width / page.image.height == pytest.approx(size[0] / size[1], abs=0.02)
    assert page.image.getpixel((5, 5)) == (255, 255, 255)
    assert page.findings == ()


def test_pages_are_counted_from_one():
    data = pdf((300, 200), (200, 300))
    assert page_count(data) == 2
    assert render_page(data, 2).image.height == LONGEST_SIDE
    for number in (0, 3):
        with pytest.raises(RowError, match=r"pdf\.page"):
            render_page(data, number)


def test_a_broken_pdf_is_a_row_error_and_a_cut_one_is_told():
    for data in (b"", b"%PDF-1.4", b"no pdf"):
        with pytest.raises(RowError, match=r"pdf\.unreadable"):
            render_page(data, 1)
    assert [check.reason for check in render_page(pdf((300, 200)) + b"more", 1).findings] == ["pdf.truncated"]


def test_categories_go_by_their_names_in_the_file(tmp_path):
    coco = {
        "images": [{"id": 3, "file_name": "p.png", "width": 10, "height": 10}],
        "annotations": [{"image_id": 3, "category_id": 9, "bbox": [0, 0, 5, 5]}],
        "categories": [{"id": 9, "name": "Table"}],
    }
    (tmp_path / "a.json").write_text(json.dumps(coco))
    (element,), frame, original = open_coco(open_files(tmp_path), "a.json").regions("3")
    assert (element.type, frame.width, original["annotations"]) == ("table", 10, coco["annotations"])
    coco["categories"][0]["name"] = "Sculpture"
    (tmp_path / "b.json").write_text(json.dumps(coco))
    with pytest.raises(RowError, match=r"layout\.category"):
        open_coco(open_files(tmp_path), "b.json").regions("3")


printable = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=12).map(str.strip)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.tuples(st.text("abcXY_$", min_size=1, max_size=8), printable, st.lists(printable, max_size=2)), min_size=1
    )
)
def test_a_form_reads_as_it_was_written(rows):
    fields = tuple(Field(k, v, tuple(Field("inner", value) for value in inner)) for k, v, inner in rows)
    assert read_form(form_text(fields)) == fields


@pytest.mark.parametrize(
    "source",
    [
        r"\begin{tabular}{l} a", r"a & b", r"\begin{tabular}{ll} a & b \\ c \end{tabular}",
        r"\begin{tabular}{ll}\multicolumn{x}{c}{a}\end{tabular}", r"\begin{tabular}{l}\end{tabular}",
        r"\begin{tabular}a\end{tabular}",
    ],
)  # fmt: skip
def test_a_tabular_that_is_no_grid_says_so(source):
    with pytest.raises(TabularError):
        read_tabular(source)


@pytest.mark.parametrize("place", ["a:b/c#3", "x y", "ä%20", ""])
def test_a_reference_keeps_its_parts(place):
    ref = Ref("train", place, "name: with colons")
    assert parse_ref(str(ref)) == ref


def test_the_revision_is_the_folders_own_where_it_tells_one(tmp_path):
    assert revision_of(tmp_path, "1.0") == "1.0"
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("abc123\n")
    assert revision_of(tmp_path, "1.0") == "abc123"
    hub = tmp_path / "datasets--x" / "snapshots" / "def456"
    hub.mkdir(parents=True)
    assert revision_of(hub, "1.0") == "def456"
