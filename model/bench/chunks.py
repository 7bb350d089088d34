"""OmniDocBench v1.6's way out for a page whose pieces take too long: predictions in chunks, assigned near their place.

Lines of text that belong together by their length, an open end or a small beginning are put together first; then each
gold block gets a chunk, with a penalty for one of another kind and for one far from where it should stand, and keeps it
if they are alike enough for its length.

    groups = match_chunks(gold, predicted)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from scipy.optimize import linear_sum_assignment

from proofpress.model.bench.blocks import Block
from proofpress.model.bench.matching import Group, distances

MAX_SPAN = 10  # predictions in a chunk
FORMULA_AS_TEXT, TEXT_AS_FORMULA = 0.18, 0.10
FAR, FARTHER = 0.30, 0.02  # for a chunk outside the window, and for each place more
#: How unlike a gold block and its chunk may be, by the length of the gold's normal form.
UNLIKE = ((6, 0.40), (20, 0.55), (80, 0.68))
UNLIKE_LONG, OTHER_KIND, LEAST = 0.78, 0.08, 0.25
DEFAULT_LENGTH = 120

_ENDS = frozenset(".!?。！？;；:：)]}」』”’\"'")
_GOES_ON = frozenset(",.;:!?)]}%")


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Characters of a short line, of a chunk that will do, and of the longest."""

    short: int
    enough: int
    most: int


def match_chunks(gold: Sequence[Block], predicted: Sequence[Block]) -> list[Group]:
    """The groups of a page by chunks; blocks without a partner are groups of their own."""
    chunks = _chunks(predicted, _sizes(gold))
    if not gold or not chunks:
        return [Group((i,), ()) for i in range(len(gold))] + [Group((), tuple(chunk)) for chunk in chunks]
    formula = [any(predicted[j].kind == "formula" for j in chunk) for chunk in chunks]
    norms = ["".join(predicted[j].norm for j in chunk) for chunk in chunks]
    edits = distances([block.norm for block in gold], norms)
    window = max(6, min(48, len(chunks) // 6 + 6))
    costs = edits.copy()
    for i, block in enumerate(gold):
        place = round(i * (len(chunks) - 1) / (len(gold) - 1)) if len(gold) > 1 and len(chunks) > 1 else 0
        for j in range(len(chunks)):
            if (block.kind == "formula") != formula[j]:
                costs[i, j] += FORMULA_AS_TEXT if block.kind == "formula" else TEXT_AS_FORMULA
            if (over := abs(j - place) - window) > 0:
                costs[i, j] += FAR + FARTHER * over
    rows, columns = linear_sum_assignment(costs)
    partner = {
        int(i): int(j)
        for i, j in zip(rows, columns, strict=True)
        if edits[i, j] <= _unlike(gold[i].norm, (gold[i].kind == "formula") != formula[j])
    }
    groups = [
        Group((i,), tuple(chunks[partner[i]]), float(edits[i, partner[i]])) if i in partner else Group((i,), ())
        for i in range(len(gold))
    ]
    taken = set(partner.values())
    return groups + [Group((), tuple(chunk)) for j, chunk in enumerate(chunks) if j not in taken]


def _sizes(gold: Sequence[Block]) -> _Sizes:
    lengths = [len(block.norm) for block in gold if block.norm and block.kind != "formula"]
    middle = int(median(lengths)) if lengths else DEFAULT_LENGTH
    short = max(24, min(72, int(middle * 0.45)))
    enough = max(short * 2, min(220, int(middle * 0.95)))
    return _Sizes(short, enough, max(enough + 48, min(320, int(middle * 1.35))))


def _chunks(predicted: Sequence[Block], sizes: _Sizes) -> list[list[int]]:
    """The predictions in the order of their places, neighbours of one text together."""
    order = sorted(range(len(predicted)), key=lambda j: predicted[j].at or 0)
    chunks: list[list[int]] = []
    full = True  # nothing more goes into the last chunk
    for j in order:
        block = predicted[j]
        length = sum(len(predicted[k].norm) for k in chunks[-1]) if chunks else 0
        if not full and block.kind != "formula" and _belongs(predicted, chunks[-1], length, block, sizes):
            chunks[-1].append(j)
            length += len(block.norm)
            full = length >= sizes.enough and not _is_open(block.text)
            continue
        chunks.append([j])
        full = block.kind == "formula"
    return chunks


def _belongs(predicted: Sequence[Block], chunk: Sequence[int], length: int, block: Block, sizes: _Sizes) -> bool:
    if len(chunk) >= MAX_SPAN or length + len(block.norm) > sizes.most:
        return False
    return (
        length < sizes.enough
        or len(block.norm) <= sizes.short
        or _is_open(predicted[chunk[-1]].text)
        or block.text.lstrip()[:1].islower()
        or block.text.lstrip()[:1].isdigit()
        or block.text.lstrip()[:1] in _GOES_ON
    )


def _is_open(text: str) -> bool:
    end = text.rstrip()[-1:]
    return bool(end) and end not in _ENDS


def _unlike(norm: str, other_kind: bool) -> float:
    limit = next((limit for length, limit in UNLIKE if len(norm) <= length), UNLIKE_LONG)
    return max(LEAST, limit - OTHER_KIND * other_kind)
