"""How a page is built: its blocks, their kinds, levels and order, matched between prediction and gold.

Blocks are matched by the assignment with the largest total likeness of their texts (Hungarian method); a pair below
``MATCH`` is none. A pair is credited its likeness, half where kinds agree and levels or markers do not, nothing where
kinds do not: right kinds without content are worth nothing.

    >>> one, other = ([Block("heading", "Mass", 1), Block("paragraph", "It is.")] for _ in range(2))
    >>> compare(one, other).value
    1.0
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.optimize import linear_sum_assignment

from proofpress.model.rewards.scoring import GoldError, Score, f1

MATCH = 0.3  # of likeness: what OmniDocBench still takes for the same block
NEARER = 1e-6  # of likeness: of equal blocks those are matched that stand at the same place
MAX_PAIRS = 1_000_000

#: Kinds whose own F1 is a part where either side has any.
GROUPS = {"headings": "heading", "lists": "list_item", "notes": "note"}


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page. kind: of ``pages.markdown``. text: without markup. level: of a heading or list item.
    marker: ``-`` or ``1.`` of a list item, a note's label."""

    kind: str
    text: str
    level: int = 0
    marker: str = ""


def compare(prediction: Sequence[Block], gold: Sequence[Block]) -> Score:
    """How far the blocks agree; 1 for equal blocks in the same order.

    Parts: ``blocks``, the F1 of credited pairs; ``order``, 1 less the share of matched pairs of pairs that stand the
    other way round; ``headings``, ``lists``, ``notes``, where there are any; ``paragraphs``, the F1 of their numbers;
    ``complete``, 1 less the share of the gold's text behind its last matched block. The value is ``blocks`` less up to
    half of it by ``order``. Raises ``GoldError`` for a gold without blocks.
    """
    if not gold:
        raise GoldError("no blocks to compare with")
    if len(prediction) * len(gold) > MAX_PAIRS:
        return Score(0.0, {}, "timeout", f"{len(prediction)} blocks are too many to compare with {len(gold)}")
    if not prediction:
        return Score(0.0, {"blocks": 0.0, "complete": 0.0}, "empty", "the prediction has no blocks")
    texts = [[block.text for block in side] for side in (prediction, gold)]
    likeness = cdist(*texts, scorer=Levenshtein.normalized_similarity, dtype=np.float64, score_cutoff=MATCH)
    rows, columns = linear_sum_assignment(likeness - NEARER * _distances(*likeness.shape), maximize=True)
    matched = [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if likeness[i, j] > 0]
    credit = {(i, j): float(likeness[i, j]) * _agreement(prediction[i], gold[j]) for i, j in matched}
    parts = {"blocks": f1(sum(credit.values()), len(prediction), len(gold)), "order": _order(matched)}
    for name, kind in GROUPS.items():
        counts = [sum(1 for block in side if block.kind == kind) for side in (prediction, gold)]
        if any(counts):
            parts[name] = f1(sum(value for (_, j), value in credit.items() if gold[j].kind == kind), *counts)
    paragraphs = [sum(1 for block in side if block.kind == "paragraph") for side in (prediction, gold)]
    parts["paragraphs"] = f1(min(paragraphs), *paragraphs)
    lengths = [len(block.text) for block in gold]
    last = max((j for _, j in matched), default=-1)
    parts["complete"] = 1 - sum(lengths[last + 1 :]) / max(sum(lengths), 1)
    return Score(parts["blocks"] * (1 + parts["order"]) / 2, parts)


def _distances(rows: int, columns: int) -> np.ndarray:
    """(rows, columns) squared distances of places, in shares of the page."""
    return np.subtract.outer(np.arange(rows) / rows, np.arange(columns) / columns) ** 2


def _agreement(one: Block, other: Block) -> float:
    if one.kind != other.kind:
        return 0.0
    return 1.0 if (one.level, _sign(one)) == (other.level, _sign(other)) else 0.5


def _sign(block: Block) -> str:
    """The marker as it is compared: of a numbered item its number, of any other block but a note nothing."""
    return block.marker if block.kind in ("list_item", "note") else ""


def _order(matched: Sequence[tuple[int, int]]) -> float:
    """1 less the share of inversions among pairs sorted by the prediction's order."""
    places = np.array([j for _, j in matched])
    count = len(places)
    if count < 2:
        return 1.0
    inverted = sum(int((places[i + 1 :] < places[i]).sum()) for i in range(count - 1))
    return 1 - inverted / (count * (count - 1) / 2)
