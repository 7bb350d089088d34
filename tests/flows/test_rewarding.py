from pathlib import Path

import pytest

from proofpress.flows.rewarding import reward_files, reward_pairs
from proofpress.pages.errors import RequestError


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
