"""What hostile or broken files cost: the row they are of, with a reason, and no other."""

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from PIL import Image

from proofpress.cleaners.clean import clean, restore
from proofpress.cleaners.corpora import CORPORA
from proofpress.pages.record import PageRecord, Reject


def png(size: tuple[int, int]) -> bytes:
    """A blank PNG of any size, small as a file."""
    data = io.BytesIO()
    Image.new("1", size, 1).save(data, "PNG")
    return data.getvalue()


def header_bomb() -> bytes:
    """A PNG that claims 60,000 x 60,000 pixels in a few bytes."""
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", 13)
        + chunk
        + struct.pack(">I", zlib.crc32(chunk))
        + (struct.pack(">I", 8) + b"IDAT" + b"\0" * 12)
    )


@pytest.fixture
def tables(pubtabnet, table_row, grid):
    """Three tables of PubTabNet, of which the middle one can be changed."""

    def made(row=None, picture=None):
        rows = [table_row(f"{name}.png", grid(2, 2), ["Mass", "kg", "Sun", "2"]) for name in "abc"]
        rows[1] = rows[1] if row is None else row
        path = pubtabnet(*rows, pictures={"b.png": picture} if picture is not None else None)
        corpus = CORPORA["pubtabnet"]
        return list(clean(corpus, path, corpus.items(path)))

    return made


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (b"no picture", "image.corrupt"),
        (png((400, 300))[:50], "image.corrupt"),
        (header_bomb(), "image.size"),
        (png((20_000, 20_000)), "image.size"),
        (png((20_000, 40)), "image.size"),
        (png((300, 4)), "image.tiny"),
        (png((300, 200)), "image.blank"),
    ],
    ids=["none", "cut", "claims 3.6 gigapixels", "20,000 x 20,000", "20,000 x 40", "4 high", "blank"],
)
def test_a_bad_picture_costs_its_row(tables, picture, reason):
    first, bad, last = tables(picture=picture)
    assert isinstance(first, PageRecord) and isinstance(last, PageRecord)
    assert (bad.reason, restore(bad)["filename"]) == (reason, "b.png")


def test_a_line_cut_short_costs_its_row(tables):
    first, bad, last = tables(row=b'{"filename": "b.png", "split": "train", "html": {"cells": [{"tok')
    assert isinstance(first, PageRecord) and isinstance(last, PageRecord)
    assert (bad.reason, bad.source.id) == ("row.json", "b.png")


@pytest.mark.parametrize("name", ["../../outside.png", "/etc/hostname", "a/../../../outside.png"])
def test_a_path_out_of_the_folder_costs_its_row(tables, table_row, grid, name):
    first, bad, last = tables(row=table_row(name, grid(1, 1), ["a"]))
    assert isinstance(first, PageRecord) and isinstance(last, PageRecord)
    assert bad.reason in ("file.path", "file.missing")
    assert bad.image == b""


def test_a_folder_may_be_named_from_another(pubtabnet, table_row, grid, monkeypatch):
    path = pubtabnet(table_row("a.png", grid(2, 2), ["Mass", "kg", "Sun", "2"]))
    (path.parent / "other").mkdir()
    monkeypatch.chdir(path.parent / "other")
    corpus, named = CORPORA["pubtabnet"], Path("..") / path.name
    assert [type(made) for made in clean(corpus, named, corpus.items(named))] == [PageRecord]


def test_a_label_of_ten_megabytes_costs_its_row(tables, table_row, grid, picture):
    first, bad, last = tables(row=table_row("b.png", grid(1, 1), ["a" * 10_000_000]), picture=picture())
    assert isinstance(first, PageRecord) and isinstance(last, PageRecord)
    assert bad.reason == "text.size"


def test_a_line_longer_than_any_row_costs_its_row(tables, monkeypatch):
    monkeypatch.setattr("proofpress.cleaners.files.MAX_LINE", 2_000)
    first, bad, last = tables(row=b'{"filename": "b.png", "split": "train", "x": "' + b"a" * 9_000 + b'"}')
    assert isinstance(first, PageRecord) and isinstance(last, PageRecord)
    assert bad.reason == "row.size"


def test_a_script_in_a_label_is_taken_out_and_never_text(tmp_path):
    corpus, folder = CORPORA["folder"], tmp_path
    (folder / "a.md").write_text("The sun <script>alert(document.cookie)</script>warms the sea.")
    (folder / "b.md").write_text("<table><tr><td>The sun<script>alert(1)</script></td><td>a sea</td></tr></table>")
    for name in "ab":
        from PIL import ImageDraw

        image = Image.new("RGB", (400, 60), "white")
        ImageDraw.Draw(image).text((20, 20), "The sun warms the sea.", fill="black")
        image.save(folder / f"{name}.png")
    text, table = clean(corpus, folder, corpus.items(folder))
    assert text.text == "The sun warms the sea."
    assert table.text == "<table><tr><td>The sun</td><td>a sea</td></tr></table>"
    for record in (text, table):
        assert any("<script>alert" in check.evidence for check in record.checks if check.outcome == "fixed")


def test_a_member_that_unpacks_without_end_costs_its_row(tmp_path):
    archive = tmp_path / "pages.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pages:
        for name in ("a", "b"):
            pages.writestr(f"{name}.md", "The sun warms the sea.")
        pages.writestr("a.png", b"\0" * 200_000_000)
        image = Image.new("RGB", (400, 60), "white")
        from PIL import ImageDraw

        ImageDraw.Draw(image).text((20, 20), "The sun warms the sea.", fill="black")
        data = io.BytesIO()
        image.save(data, "PNG")
        pages.writestr("b.png", data.getvalue())
    corpus = CORPORA["folder"]
    bomb, good = clean(corpus, archive, corpus.items(archive))
    assert (bomb.reason, isinstance(good, PageRecord)) == ("file.bomb", True)


@pytest.mark.parametrize(
    "ink",
    [
        b'<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;&b;">]><ink><annotation type="truth">&d;</annotation></ink>',
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><ink><annotation type="truth">&b;</annotation></ink>',
        b"<ink><trace>",
        b'<ink><annotation type="truth">x</annotation><trace>1 nan</trace></ink>',
        b'<ink><annotation type="truth">x</annotation><trace>1 1e300, 2 2</trace></ink>',
        b'<ink><annotation type="truth">x</annotation></ink>',
    ],
)
def test_hostile_ink_costs_its_row(tmp_path, ink):
    (tmp_path / "a.inkml").write_bytes(ink)
    corpus = CORPORA["crohme"]
    (bad,) = clean(corpus, tmp_path, corpus.items(tmp_path))
    assert isinstance(bad, Reject) and bad.reason in ("row.xml", "row.malformed")
    assert "root:" not in json.dumps(restore(bad))


def test_front_matter_is_read_as_data_only(tmp_path):
    page = "---\nprimary_language: !!python/object/apply:os.system ['touch /tmp/x']\n---\nThe sun."
    (tmp_path / "a.md").write_text(page)
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")
    corpus = CORPORA["olmocr-mix"]
    (bad,) = clean(corpus, tmp_path, corpus.items(tmp_path))
    assert bad.reason == "row.front_matter"
