"""Which predicted blocks are which gold blocks: OmniDocBench's ``quick_match``.

All pairs are compared by edit distance; pairs below ``ANCHOR`` stand. A gold block without such a pair tries to grow a
partner from neighbouring predictions, as long as each looks like a piece of it. Then the best assignment is taken,
pairs that differ by more than ``UNLIKE`` are parted, and a gold block that stands inside some prediction joins it.
What is left over is paired as well as it goes, and counts as wholly different only by its own characters.

>>> match(["the cat sat", "on the mat"], ["on the mat", "the cat", "sat"], 10**6)
[Group(gold=(0,), predicted=(1, 2), edit=0.0), Group(gold=(1,), predicted=(0,), edit=0.0)]
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist
from scipy.optimize import linear_sum_assignment

ANCHOR = 0.25
PIECE = 0.6  # a prediction whose best place in a gold block differs by less is a piece of it
UNLIKE = 0.7
INSIDE = 0.4
MAX_GROWN = 160  # predictions put together for one gold block

#: Characters compared per page (length times length over 64 for one pair); beyond it a page has no quick match. About
#: half a minute, which is what upstream gives a page.
MAX_WORK = 5_000_000_000


CALL = 100  # characters that could be compared in the time it takes to begin


class MatchTooLong(RuntimeError):
    """The pieces of this page cannot be tried in the time a page has."""


@dataclass(frozen=True, slots=True)
class Group:
    """Gold and predicted blocks that belong together, by index; either may be empty. edit: how far apart they are, as
    the matching counts it: 1 for what was only left over."""

    gold: tuple[int, ...]
    predicted: tuple[int, ...]
    edit: float = field(default=1.0, compare=False)


def distance(one: str, other: str) -> float:
    """The edit distance over the longer length; 0 for two empty texts."""
    return Levenshtein.normalized_distance(one, other)


def distances(gold: Sequence[str], predicted: Sequence[str]) -> np.ndarray:
    """(gold, predicted) edit distances, each over the longer length of its pair."""
    return cdist(gold, predicted, scorer=Levenshtein.normalized_distance, dtype=np.float64)


def assign(gold: Sequence[str], predicted: Sequence[str]) -> list[Group]:
    """The best assignment alone: upstream's ``simple_match``. What has no partner is a group of its own."""
    rows, columns = linear_sum_assignment(distances(gold, predicted)) if gold and predicted else ((), ())
    partner = dict(zip(map(int, rows), map(int, columns), strict=True))
    groups = [Group((i,), (partner[i],) if i in partner else ()) for i in range(len(gold))]
    taken = set(partner.values())
    left = tuple(j for j in range(len(predicted)) if j not in taken)
    return [*groups, Group((), left)] if left else groups


def match(
    gold: Sequence[str],
    predicted: Sequence[str],
    work: int = MAX_WORK,
    old: bool = False,
    lone: Collection[int] = (),
) -> list[Group]:
    """The groups of a page, in upstream's order; raises ``MatchTooLong``.

    work: the most that may be done. old: as v1.0, which pairs leftovers by the number of their edits and not its share,
    and counts gold blocks twice that are left over alone. lone: gold blocks that join no prediction that holds them,
    as v1.6 has it for formulas.
    """
    if not gold or not predicted:
        return [Group((i,), ()) for i in range(len(gold))] + [Group((), (j,)) for j in range(len(predicted))]
    if len(gold) == len(predicted) == 1:
        return [_measured(Group((0,), (0,)), gold, predicted)]
    meter = _Meter(work)
    costs = distances(gold, predicted)
    columns = _grown(costs, gold, predicted, meter)
    merged = [" ".join(predicted[j] for j in column) for column in columns]
    whole = distances(gold, merged) if len(columns) < len(predicted) else costs
    rows, chosen = linear_sum_assignment(whole)
    partners: dict[int, tuple[int, ...]] = {}
    for i, j in zip(map(int, rows), map(int, chosen), strict=True):
        if whole[i, j] <= UNLIKE:
            partners[i] = columns[j]
    groups: dict[tuple[int, ...], list[int]] = {}
    for i in sorted(partners):
        groups.setdefault(partners[i], []).append(i)
    placed = set(partners)
    homeless = [i for i in range(len(gold)) if i not in partners and i not in lone]
    for j, text in enumerate(predicted):
        inside = [i for i in homeless if _place_in(text, gold[i], meter) < INSIDE]
        if inside:
            groups.setdefault((j,), []).extend(i for i in inside if i not in placed)
            placed.update(inside)
    return _with_leftovers(groups, gold, predicted, old)


class _Meter:
    """Counts what is done, so that a page ends at the same point on any machine."""

    def __init__(self, budget: int) -> None:
        self._left = budget

    def spend(self, windows: int, length: int) -> None:
        self._left -= windows * ((length // 64 + 1) * length + CALL)
        if self._left < 0:
            raise MatchTooLong("too many pieces to try")


def _place_in(text: str, piece: str, meter: _Meter) -> float:
    """How much a piece differs from the stretch of its length of a text that is most like it; 1 if it is longer."""
    if not piece or len(piece) > len(text):
        return 1.0
    meter.spend(len(text) - len(piece) + 1, len(piece))
    best = len(piece)
    for start in range(len(text) - len(piece) + 1):
        best = min(best, Levenshtein.distance(text[start : start + len(piece)], piece, score_cutoff=best))
        if not best:
            break
    return best / len(piece)


def _grown(costs: np.ndarray, gold: Sequence[str], predicted: Sequence[str], meter: _Meter) -> list[tuple[int, ...]]:
    """The predictions, neighbours put together where a gold block without an anchor grows from them."""
    anchored_gold, anchored = (set(map(int, side)) for side in np.nonzero(costs < ANCHOR))
    free = [j for j in range(len(predicted)) if j not in anchored]
    runs: list[tuple[list[int], float]] = []
    for i in range(len(gold)):
        if i in anchored_gold or not free:
            continue
        tried = [_grow(gold[i], j, predicted, anchored, meter) for j in free]
        each = [distance(gold[i], " ".join(predicted[j] for j in run)) for run in tried]
        least = min(each)
        runs.append((tried[each.index(least)], least))
    chosen = _without_overlaps(runs)
    starts = {run[0]: run for run in chosen}
    inside = {j for run in chosen for j in run}
    return [tuple(starts.get(j, (j,))) for j in range(len(predicted)) if j in starts or j not in inside]


def _grow(gold: str, start: int, predicted: Sequence[str], anchored: Iterable[int], meter: _Meter) -> list[int]:
    """A run of predictions from one on, for as long as each is a piece of the gold block and brings it nearer."""
    run = [start]
    merged = predicted[start]
    now = distance(gold, merged)
    while len(run) < MAX_GROWN and (following := run[-1] + 1) < len(predicted) and following not in anchored:
        longer = f"{merged} {predicted[following]}"
        meter.spend(1, max(len(gold), len(longer)))
        then = distance(gold, longer)
        if then > now or (len(run) == 1 and _place_in(gold, merged, meter) > PIECE):
            break
        if not _place_in(gold, predicted[following], meter) < PIECE:
            break
        run.append(following)
        merged, now = longer, then
        if len(merged) > len(gold):
            break
    return run


def _without_overlaps(runs: Sequence[tuple[list[int], float]]) -> list[list[int]]:
    """Runs that share no prediction: of those that overlap, the set with the least mean cost, as upstream finds it."""
    if not runs:
        return []
    ordered = sorted(runs, key=lambda one: one[0][0])
    clusters = [[ordered[0]]]
    for run in ordered[1:]:
        if any(set(run[0]) & set(other[0]) for other in clusters[-1]):
            clusters[-1].append(run)
        else:
            clusters.append([run])
    return [run for cluster in clusters for run in _cheapest_path(cluster)]


def _cheapest_path(cluster: Sequence[tuple[list[int], float]]) -> list[list[int]]:
    paths = [[cluster[0]]]
    for run in cluster[1:]:
        new = True
        for path in paths:
            same = [other for other in path if other[0] == run[0]]
            if not any(set(other[0]) & set(run[0]) for other in path):
                path.append(run)
                new = False
            if same:
                new = False
                if same[0][1] > run[1]:
                    path[path.index(same[0])] = run
        if new:
            paths.append([run])
    best = min(paths, key=lambda path: sum(cost for _, cost in path) / len(path))
    return [run for run, _ in best]


def _with_leftovers(
    groups: dict[tuple[int, ...], list[int]], gold: Sequence[str], predicted: Sequence[str], old: bool
) -> list[Group]:
    matched_gold = {i for members in groups.values() for i in members}
    matched = {j for key in groups for j in key}
    left_gold = [i for i in range(len(gold)) if i not in matched_gold]
    left = [j for j in range(len(predicted)) if j not in matched]
    found = [
        _measured(Group(tuple(sorted(set(members))), key), gold, predicted)
        for key, members in groups.items()
        if members
    ]
    if left and left_gold:
        texts = [gold[i] for i in left_gold], [predicted[j] for j in left]
        scorer = Levenshtein.distance if old else Levenshtein.normalized_distance
        rows, columns = linear_sum_assignment(cdist(*texts, scorer=scorer, dtype=np.float64))
        pairs = {left_gold[i]: left[j] for i, j in zip(rows, columns, strict=True)}
        found += [Group((i,), (j,)) for i, j in pairs.items()]
        left_gold = [i for i in left_gold if i not in pairs]
    elif left:
        found.append(Group((), tuple(left)))
    alone = [Group((i,), ()) for i in left_gold]
    return found + (alone * 2 if old and not left else alone)


def _measured(group: Group, gold: Sequence[str], predicted: Sequence[str]) -> Group:
    """The group with its edit: of several gold blocks against the first prediction, as upstream has it."""
    taken = group.predicted if len(group.gold) == 1 else group.predicted[:1]
    return replace(group, edit=distance("".join(gold[i] for i in group.gold), " ".join(predicted[j] for j in taken)))
