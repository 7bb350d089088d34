"""What values of wrong kinds, broken files and broken archives cost, in every layout of every corpus: rejects with a
reason, or one clear error of the whole folder; never a traceback, and never a row that cannot be written."""

import copy
import importlib.util
import json
import math
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageDraw

from proofpress.cleaners import coco, files, parquet, pictures
from proofpress.cleaners.clean import clean, clean_row, reject_repeat, restore
from proofpress.cleaners.corpora import CORPORA, docling, im2latex, olmocr, receipts
from proofpress.pages.errors import RequestError
from proofpress.pages.record import PageRecord, Reject

SMALL = Path(__file__).parents[1] / "fixtures" / "small_corpora.py"
spec = importlib.util.spec_from_file_location("small_corpora", SMALL)
small = importlib.util.module_from_spec(spec)
spec.loader.exec_module(small)

FORMS = sorted(small.MAKERS)
TRIES = 14  # wrong values put into each file
DEEP = json.loads("[" * 200 + "]" * 200)
WRONG = (None, True, -1, 10**30, math.nan, math.inf, "", "x", "\ud800", [], [[]], [None], {}, {"a": {}}, DEEP)
MISSING = object()


#: What is remembered of a folder, in which files of one name are other files in each round here.
REMEMBERED = (
    files.open_files, coco.open_coco, parquet._group_sizes, parquet._group, pictures._by_stem, docling._documents,
    im2latex._read_lines, olmocr._tests, receipts._classes,
)  # fmt: skip


def outcome(name: str, folder: Path) -> list[PageRecord | Reject] | RequestError:
    """What is made of a folder, all of it fit to be written."""
    for remembered in REMEMBERED:
        remembered.cache_clear()
    corpus = CORPORA[name.split(":")[0]]
    try:
        made = list(clean(corpus, folder, corpus.items(folder)))
    except RequestError as error:
        assert len(str(error)) > 20 and "RequestError" not in str(error)
        return error
    for row in made:
        texts = [row.text, row.source.id]
        if isinstance(row, Reject):
            assert row.reason and row.evidence and isinstance(restore(row), dict)
            texts += [row.evidence, row.original]
        else:
            texts += [word.text for word in row.words] + [check.evidence for check in row.checks]
        assert all(text.encode("utf-8") is not None for text in texts)
    return made


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values within one."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another one, or none, at a path."""
    if not path:
        return None if new is MISSING else new
    other = copy.copy(value)
    if new is MISSING and len(path) == 1:
        del other[path[0]]
    else:
        other[path[0]] = changed(value[path[0]], path[1:], new)
    return other


def wrong_values(value: Any, rng: random.Random) -> Iterator[Any]:
    """The value with something in it that is not of its kind, again and again."""
    found = list(places(value))
    for _ in range(TRIES):
        yield changed(value, rng.choice(found), rng.choice((*WRONG, MISSING)))


def rows_of(file: Path) -> tuple[list[Any], Callable[[list[Any]], None]] | None:
    """The rows of a file of JSON, JSONL or Parquet, and what writes them back."""
    if file.suffix == ".parquet":
        return pq.read_table(file).to_pylist(), lambda rows: pq.write_table(pa.Table.from_pylist(rows), file)
    data = file.read_bytes()
    if data[:1] not in (b"{", b"["):
        return None
    lines = data.decode().split("\n") if file.suffix in (".jsonl", ".txt") else [data.decode()]
    return [json.loads(line) for line in lines], lambda rows: file.write_text("\n".join(map(json.dumps, rows)))


def unfolded(rows: list[Any]) -> Iterator[tuple[list[Any], str]]:
    """The rows, and the rows with a column of JSON text as what it says; the column's name."""
    yield rows, ""
    for name, value in rows[0].items() if isinstance(rows[0], dict) else ():
        if isinstance(value, str) and value[:1] == "{":
            yield [{**rows[0], name: json.loads(value)}], name


@pytest.mark.parametrize("name", FORMS)
def test_values_of_wrong_kinds_cost_their_row(name, tmp_path):
    small.MAKERS[name](tmp_path)
    rng = random.Random(name)
    for file in sorted(tmp_path.rglob("*")):
        if not file.is_file() or (found := rows_of(file)) is None:
            continue
        whole, (rows, write) = file.read_bytes(), found
        for told, column in unfolded(rows):
            for wrong in wrong_values(told[0][column] if column else told[0], rng):
                try:
                    write([{**told[0], column: json.dumps(wrong)} if column else wrong, *rows[1:]])
                except (pa.ArrowException, ValueError, AttributeError, TypeError, OverflowError):
                    continue  # what Parquet cannot hold
                outcome(name, tmp_path)
        file.write_bytes(whole)


@pytest.mark.parametrize("content", [b"", b"\0" * 300, b"\xff\xfe<\x00", b"[1, 2", b"PAR1 PAR1", b"%PDF-1.7\n%%EOF"])
@pytest.mark.parametrize("name", FORMS)
def test_a_file_that_is_another_thing_than_its_name_says_costs_its_rows(name, content, tmp_path):
    small.MAKERS[name](tmp_path)
    for file in [file for file in sorted(tmp_path.rglob("*")) if file.is_file()]:
        whole = file.read_bytes()
        file.write_bytes(content)
        made = outcome(name, tmp_path)
        if isinstance(made, list) and file.suffix in (".png", ".jpg", ".pdf") and name not in ("docbank", "scitsr"):
            assert any(isinstance(row, Reject) for row in made)
        file.write_bytes(whole)


@pytest.mark.parametrize("name", FORMS)
def test_an_archive_with_one_damaged_byte_a_member_gives_rejects_or_one_error(name, tmp_path):
    small.MAKERS[name](tmp_path / "made")
    archive = Path(shutil.make_archive(str(tmp_path / "made"), "zip", tmp_path / "made"))
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as members:
        for member in members.infolist():
            data[member.header_offset + 30 + len(member.filename) + member.compress_size // 2] ^= 0xFF
    archive.write_bytes(data)
    made = outcome(name, archive)
    assert isinstance(made, RequestError) or all(isinstance(row, Reject) for row in made)


@pytest.mark.parametrize("name", FORMS)
def test_an_encrypted_archive_gives_rejects_or_one_error(name, tmp_path):
    small.MAKERS[name](tmp_path / "made")
    archive = Path(shutil.make_archive(str(tmp_path / "made"), "zip", tmp_path / "made"))
    data = bytearray(archive.read_bytes())
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        data[at + 8] |= 1  # the flag of the directory's entry
        at += 4
    at = 0
    while (at := data.find(b"PK\x03\x04", at)) >= 0:
        data[at + 6] |= 1
        at += 4
    archive.write_bytes(data)
    made = outcome(name, archive)
    assert isinstance(made, RequestError) or all(isinstance(row, Reject) for row in made)


@pytest.mark.parametrize("name", FORMS)
def test_files_that_are_links_out_of_the_folder_are_not_read(name, tmp_path):
    small.MAKERS[name](tmp_path / "made")
    shutil.copytree(tmp_path / "made", tmp_path / "links")
    for file in [file for file in sorted((tmp_path / "links").rglob("*")) if file.is_file()]:
        file.unlink()
        file.symlink_to(tmp_path / "made" / file.relative_to(tmp_path / "links"))
    made = outcome(name, tmp_path / "links")
    assert isinstance(made, RequestError) or all(isinstance(row, Reject) for row in made)


@pytest.mark.parametrize("name", FORMS)
def test_files_that_are_gone_since_they_were_listed_cost_their_rows_and_repeats(name, tmp_path):
    small.MAKERS[name](tmp_path)
    for remembered in REMEMBERED:
        remembered.cache_clear()
    corpus = CORPORA[name.split(":")[0]]
    refs = list(corpus.items(tmp_path))
    for file in [file for file in tmp_path.rglob("*") if file.is_file()]:
        file.unlink()
    for ref in refs:
        assert isinstance(clean_row(corpus, tmp_path, ref), Reject)
        assert reject_repeat(corpus, tmp_path, ref).reason == "row.repeated"


def test_a_download_of_the_hub_is_read_through_its_links(tmp_path):
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "0123abc"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    small.plain_folder(tmp_path / "made")
    for number, file in enumerate(sorted((tmp_path / "made" / "train").iterdir())):
        shutil.copy(file, blobs / str(number))
        (snapshot / file.name).symlink_to(blobs / str(number))
    (made,) = outcome("folder", snapshot)
    assert isinstance(made, PageRecord) and made.source.revision == "0123abc"


def voc(rows: int, columns: int, spans: int = 0) -> str:
    """A table of PubTables-1M with so many of each."""
    box = "<object><name>{}</name><bndbox><xmin>0</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>9</ymax></bndbox></object>"
    kinds = [("table row", rows), ("table column", columns), ("table spanning cell", spans)]
    return "".join(box.format(kind, n, n + 9) for kind, count in kinds for n in range(count))


@pytest.mark.parametrize("objects", [voc(4_000, 4_000), voc(90, 90, 4_000), voc(1, 20_000), voc(0, 0, 9)])
def test_a_table_of_millions_of_slots_is_not_laid_out(objects, tmp_path):
    small.pubtables1m(tmp_path)
    (tmp_path / "test/PMC1_table_0.xml").write_text(f"<annotation>{objects}</annotation>")
    (bad,) = outcome("pubtables1m", tmp_path)
    assert isinstance(bad, Reject) and bad.reason in ("table.structure", "table.overlap")


@pytest.mark.parametrize("span", [10**9, 65_535, -5, 0])
def test_a_span_of_millions_of_slots_is_not_laid_out(span, tmp_path):
    small.scitsr(tmp_path)
    file = tmp_path / "train/structure/1.json"
    told = json.loads(file.read_text())
    told["cells"][3]["end_col"] = told["cells"][3]["start_col"] + span - 1
    file.write_text(json.dumps(told))
    (bad,) = outcome("scitsr", tmp_path)
    assert isinstance(bad, Reject) and bad.reason.startswith("table.")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 40_000, "](" * 20_000, "![" * 20_000, "$" * 40_001, "$$\n" * 12_000, "<table>" * 6_000, "<" * 40_000,
        "`" * 40_000, "**" * 20_000, "\\(" * 20_000, "\\begin{tabular}" * 2_500, "| a " * 10_000, "\n|-" * 13_000,
        "- " * 20_000, "    " * 2_000 + "- x", "&lt;" * 10_000, "{" * 40_000, "^{" * 15_000, "\u0301" * 40_000,
        "a\u202e" * 20_000, "Ã©" * 20_000, "# " * 20_000, "[^1]: " * 6_000, "<td colspan=999>" * 2_000, "1\n" * 20_000,
        "ab " * 13_000, "\t" * 40_000, "\\frac" * 8_000, "\\def\\a{\\a\\a}\\a", "x" * 40_000, "https://" * 5_000,
    ],
    ids=lambda text: repr(text[:8]),
)  # fmt: skip
@pytest.mark.parametrize("form", ["{}", "$${}$$", "$x {}$ y", "<table><tr><td>{}</td></tr></table>"])
@pytest.mark.timeout(60)
def test_text_made_to_be_slow_is_judged_soon(text, form, tmp_path):
    (tmp_path / "a.md").write_text(form.replace("{}", text))
    image = Image.new("RGB", (400, 60), "white")
    ImageDraw.Draw(image).text((20, 20), "The sun warms the sea.", fill="black")
    image.save(tmp_path / "a.png")
    (made,) = outcome("folder", tmp_path)
    assert isinstance(made, PageRecord | Reject)
