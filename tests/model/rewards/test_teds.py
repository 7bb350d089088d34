import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofpress.model.rewards.teds import Teds, teds

#: Where the published metric gives up: a table without html and body, and a span that is no number.
GIVES_UP = {"table_pairs-0063", "table_pairs-0073"}


def table(*rows: str, tag: str = "td") -> str:
    return "<table>" + "".join(f"<tr>{''.join(f'<{tag}>{c}</{tag}>' for c in row)}</tr>" for row in rows) + "</table>"


def test_published_values_are_reproduced(shared: Path) -> None:
    pairs = [json.loads(line) for line in (shared / "data/cases/table_pairs.jsonl").read_text().splitlines()]
    for pair in pairs:
        found = teds(pair.get("norm_pred", pair["pred"]), pair.get("norm_gold", pair["gold"]))
        if pair["id"] not in GIVES_UP:
            assert found is not None
            assert found.teds == pytest.approx(pair["teds_recomputed"], abs=1e-9), pair["id"]
            assert found.teds_s == pytest.approx(pair["teds_s_recomputed"], abs=1e-9), pair["id"]


def test_values_behind_omnidocbench_s_normal_form_are_reproduced(shared: Path) -> None:
    for line in (shared / "data/cases/table_pairs_omnidocbench_norm.jsonl").read_text().splitlines():
        pair = json.loads(line)
        found = teds(pair["norm_pred"], pair["norm_gold"])
        assert found is not None
        assert found.teds == pytest.approx(pair["teds"], abs=1e-9), pair["id"]


@pytest.mark.parametrize(
    ("prediction", "gold", "value", "structure"),
    [
        (table("ab", "cd"), table("ab", "cd"), 1.0, 1.0),
        (table("ab", "cx"), table("ab", "cd"), 5 / 6, 1.0),
        (table("ab"), table("ab", "cd"), 0.5, 0.5),
        (table("ab", "cd", "ef"), table("ab", "cd"), 2 / 3, 2 / 3),
        (table("ba", "dc"), table("ab", "cd"), 1 / 3, 1.0),
        (table(["", ""], ["", ""]), table("ab", "cd"), 1 / 3, 1.0),
        (table("ab", tag="th"), table("ab"), 1 / 3, 1 / 3),
        ("<table><tr><td colspan=2>a</td></tr></table>", table("a"), 0.5, 0.5),
        ("<table><tr><td colspan=two>a</td></tr></table>", table("a"), 1.0, 1.0),
        ("<table><tbody><tr><td>a</td></tr></tbody></table>", table("a"), 2 / 3, 2 / 3),
        ("<table><tr><td><b>a</b></td></tr></table>", table("a"), 7 / 9, 1.0),
        (f"<html><body>{table('a')}</body></html>", table("a").upper().replace("A<", "a<"), 1.0, 1.0),
        (table("a") + table("b"), table("a"), 1.0, 1.0),
        ("no table", table("a"), 0.0, 0.0),
        ("", table("a"), 0.0, 0.0),
        ("<table>", table("a"), 0.0, 0.0),
    ],
)
def test_it_is_pubtabnets(prediction: str, gold: str, value: float, structure: float) -> None:
    found = teds(prediction, gold)
    assert found is not None
    assert (found.teds, found.teds_s) == pytest.approx((value, structure), abs=1e-9)


def test_tables_too_large_to_compare_have_no_value() -> None:
    one, other = (table(*([f"{row} {column} {side}" for column in range(30)] for row in range(300))) for side in "ab")
    assert teds(one, other) is None
    assert teds(one, one) == Teds(1.0, 1.0)
    assert teds(one, table("a")) is not None


MARKUP = ["<table>", "<tr>", "<td>", "</td>", "</table>", "<td colspan=", "<b", ">", "<!--", "<?", "&", "a", "\x00"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(MARKUP), max_size=20).map("".join))
def test_garbage_has_a_value(garbage: str) -> None:
    found = teds(garbage, table("ab", "cd"))
    assert found is not None
    assert found.teds_s <= 1
