import pyarrow as pa
import pytest

from proofpress.pages.record import (
    REJECT_SCHEMA,
    SCHEMA,
    Check,
    Element,
    PageRecord,
    Reject,
    Scores,
    Source,
    Word,
    record_id,
    to_json,
)

SOURCE = Source("press", "press/7/42", "1", "CC0-1.0")
SQUARE = (0.0, 0.0, 9.0, 0.0, 9.0, 9.0, 0.0, 9.0)

FULL = PageRecord(
    id="a" * 32,
    image=b"\x89PNG",
    width=10,
    height=12,
    text="# Title\n\n$x$",
    task="page",
    source=SOURCE,
    elements=(
        Element("e0", "title", "Title", (SQUARE, SQUARE), None, {"level": "1"}),
        Element("e1", "note", "n", (), "e0"),
    ),
    words=(Word("Title", SQUARE, "e0"),),
    recipe={"address": "press/7/42", "nested": {"b": 1, "a": [1, 2]}},
    features={"kind": "paper"},
    checks=(Check("proof.text", "passed"), Check("table.raw_markup", "fixed", "table.raw_markup", "a < b")),
    tests=({"type": "present", "text": "Title"},),
    scores=Scores("nano", -0.25, 0.75, "keep", {"formula": 0.5}),
    language="en",
    split="validation",
    content_id="c",
    cluster_id="d",
    hashes={"pixels": "ff"},
)
PLAIN = PageRecord(id="b" * 32, image=b"\xff\xd8\xff", width=1, height=1, text="", task="text", source=SOURCE)


@pytest.mark.parametrize("record", [FULL, PLAIN], ids=["every field set", "every field at its default"])
def test_a_record_comes_back_from_its_row_as_it_was(record):
    table = pa.Table.from_pylist([record.to_row()], SCHEMA)
    assert PageRecord.from_row(table.to_pylist()[0]) == record


@pytest.mark.parametrize("image", [b"", b"\x89PNG"], ids=["without an image", "with an image"])
def test_a_reject_comes_back_from_its_row_as_it_was(image):
    reject = Reject("a", "proof", "overlap", "e1 and e2", SOURCE, "label", image, '{"address":"press/7/42"}')
    table = pa.Table.from_pylist([reject.to_row()], REJECT_SCHEMA)
    assert Reject.from_row(table.to_pylist()[0]) == reject


def test_an_image_is_named_after_what_its_bytes_are():
    assert FULL.to_row()["image"]["path"].endswith(".png")
    assert PLAIN.to_row()["image"]["path"].endswith(".jpg")


def test_an_id_depends_on_source_source_id_and_version_each():
    ids = {
        record_id(*parts)
        for parts in [("a", "b", "c"), ("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x"), ("ab", "", "c")]
    }
    assert len(ids) == 5
    assert record_id("press", "press/7/42", "1") == record_id("press", "press/7/42", "1")


def test_equal_mappings_give_equal_json_whatever_their_order():
    assert to_json({"b": 1, "a": "é"}) == to_json({"a": "é", "b": 1}) == '{"a":"é","b":1}'
