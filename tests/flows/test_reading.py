from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from proofpress.flows.reading import read_files, reward_files, reward_pairs
from proofpress.pages.errors import RequestError


class Echo:
    """Reads every image as its size."""

    @classmethod
    def load(cls, model: str) -> "Echo":
        assert model == "nano"
        return cls()

    def read(self, images: list[Image.Image]) -> list[SimpleNamespace]:
        facts = {"tokens": 3, "steps": 3, "seconds": 0.1, "finish": "stop", "likelihood": -0.1}
        return [SimpleNamespace(text=f"{image.width} x {image.height}", **facts) for image in images]


def test_each_image_has_its_reading(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("proofpress.model.reader.Reader", Echo)
    for size in ((30, 20), (10, 40)):
        Image.new("RGB", size, "white").save(tmp_path / f"{size[0]}.png")
    readings = read_files([tmp_path / "30.png", tmp_path / "10.png"], "nano")
    assert [reading["text"] for reading in readings] == ["30 x 20", "10 x 40"]
    assert readings[0]["path"].endswith("30.png") and readings[0]["finish"] == "stop"


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n"])
def test_a_file_that_is_no_image_is_named(tmp_path: Path, content):
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(RequestError, match=r"x\.png: not an image"):
        read_files([tmp_path / "x.png"], "nano")


def test_a_gold_that_is_wrong_is_named(tmp_path: Path):
    (tmp_path / "gold.md").write_text(r"\frac{")
    with pytest.raises(RequestError, match=r"gold\.md: cannot be scored against"):
        reward_files(tmp_path / "gold.md", tmp_path / "gold.md", "formula")


def test_a_file_that_is_no_text_is_named(tmp_path: Path):
    (tmp_path / "gold.md").write_bytes(b"\xff\xfe")
    with pytest.raises(RequestError, match=r"gold\.md: not UTF-8"):
        reward_files(tmp_path / "gold.md", tmp_path / "gold.md", "formula")


@pytest.mark.parametrize(
    "row",
    ["[1]", '{"pred": "a"}', '{"pred": 1, "gold": "a"}', '{"pred": "a", "gold": "a", "task": []}', "[" * 10**5],
    ids=["list", "no gold", "number", "task", "deep"],
)
def test_a_row_that_is_no_pair_is_named(tmp_path: Path, row):
    (tmp_path / "pairs.jsonl").write_text(f"\n{row}\n")
    with pytest.raises(RequestError, match=r"pairs\.jsonl: line 2: "):
        list(reward_pairs(tmp_path / "pairs.jsonl", "text"))


def test_a_pair_may_hold_any_end_of_line_but_the_files_own(tmp_path: Path):
    (tmp_path / "pairs.jsonl").write_text('{"pred": "a\u2028b\x85c", "gold": "a\u2028b\x85c"}\r\n', newline="")
    assert [row["value"] for row in reward_pairs(tmp_path / "pairs.jsonl", "text")] == [1.0]
