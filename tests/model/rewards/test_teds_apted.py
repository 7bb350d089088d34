"""TEDS against the reference algorithm, APTED (Pawlik and Augsten), on random tables with spans and merged rows."""

import random
from dataclasses import dataclass
from typing import Any

import pytest
from apted import APTED, Config
from lxml import etree
from rapidfuzz.distance import Levenshtein

from proofpress.model.rewards.teds import teds

WORDS = "alpha beta Mean Total Basel rate 12 3.5 -7 20% 1,000 (1) n/a <b>x</b> a<sup>2</sup> é".split()  # noqa: SIM905

Rows = list[list[tuple[str, str]]]  # (attributes, content) of each cell


@dataclass(eq=False)
class Node:
    """An element as APTED may hold it: it asks nodes for their truth, and an lxml element without children has none."""

    frame: tuple[str, ...]
    content: list[str]
    children: "list[Node]"

    @classmethod
    def of(cls, element: Any) -> "Node":
        if element.tag != "td":
            return cls((element.tag,), [], [cls.of(child) for child in element])
        frame = ("td", element.get("colspan", "1"), element.get("rowspan", "1"))
        return cls(frame, tokens(element)[1:-1], [])


class PubTabNet(Config):
    """The costs of PubTabNet's metric."""

    def rename(self, one: Node, other: Node) -> float:
        return 1.0 if one.frame != other.frame else Levenshtein.normalized_distance(one.content, other.content)

    def children(self, node: Node) -> list[Node]:
        return node.children


def tokens(node: Any) -> list[str]:
    found = [f"<{node.tag}>", *(node.text or "")]
    for child in node:
        found += tokens(child)
    return [*found, f"</{node.tag}>", *("" if node.tag == "td" else node.tail or "")]


def random_rows(rng: random.Random) -> Rows:
    def cell() -> tuple[str, str]:
        spans = [f' {name}="{rng.randint(2, 3)}"' for name in ("rowspan", "colspan") if rng.random() < 0.08]
        return "".join(spans), " ".join(rng.choices(WORDS, k=rng.randint(0, 3)))

    columns = rng.randint(1, 5)
    return [[cell() for _ in range(columns)] for _ in range(rng.randint(1, 6))]


def damaged(rng: random.Random, rows: Rows, share: float) -> Rows:
    """Rows with cells misread, left out and added, and rows left out, merged with the one above, cut in two."""
    found: Rows = []
    for row in rows:
        cells = [cell for cell in row if rng.random() > share / 3]
        cells = [(a, c[::-1] if rng.random() < share else c) for a, c in cells]
        if rng.random() < share / 3:
            cells.insert(rng.randint(0, len(cells)), ("", rng.choice(WORDS)))
        fate = rng.random()
        if fate < share / 3:
            continue
        if fate < share * 2 / 3 and found:
            found[-1].extend(cells)
        elif fate < share:
            half = len(cells) // 2
            found += [cells[:half], cells[half:]]
        else:
            found.append(cells)
    return found


def markup(rng: random.Random, rows: Rows) -> str:
    tag = rng.choice(["td", "td", "td", "th"])
    lines = ["<tr>" + "".join(f"<{tag}{a}>{c}</{tag}>" for a, c in row) + "</tr>" for row in rows]
    head = rng.choice([0, 0, 1])
    return (
        "<table>"
        + (f"<thead>{''.join(lines[:head])}</thead><tbody>" if head else "")
        + "".join(lines[head:])
        + "</table>"
    )


@pytest.mark.parametrize("count", [200, pytest.param(2_000, marks=pytest.mark.slow)])
def test_teds_is_apted_s(count: int) -> None:
    rng = random.Random(20_261_130 + count)
    for _ in range(count):
        rows = random_rows(rng)
        other_rows = damaged(rng, rows, rng.choice([0.1, 0.3, 0.8])) if rng.random() < 0.8 else random_rows(rng)
        prediction, gold = markup(rng, other_rows), markup(rng, rows)
        first, second = (next(etree.HTML(text).iter("table")) for text in (prediction, gold))
        distance = APTED(Node.of(first), Node.of(second), PubTabNet()).compute_edit_distance()
        nodes = max(sum(1 for _ in table.iterdescendants()) for table in (first, second))
        found = teds(prediction, gold)
        assert found is not None
        assert found.teds == pytest.approx(1 - distance / nodes, abs=1e-9), (prediction, gold)
