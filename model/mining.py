"""Hard examples, and labels that may be wrong: chosen from what a model made of a dataset's records.

A record is hard where the model read it badly, does not believe its label, or reads it otherwise when asked again. A
record is *suspect* where the fault looks like the label's: the model is as sure as it is where it reads right, finds
the label unlikely, and reads something else; or readings that agree with each other agree against the label; or a
proof of the record failed. Suspects are for a person to look at and are never chosen as hard.

    choice = choose(observations, rows=500, hard=0.5)
    faults = suspects(observations)                     # {place in the list: ("confident", "...")}
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

RIGHT = 0.95  # a reading of at least this reward is right, as far as the figures below are concerned
WRONG = 0.9  # and one below this is not what the label says
SURE = 0.25  # as sure as a reading is where it is right: above this quantile of those
UNLIKELY = 0.02  # a label as unlikely as this share of labels are that were read right
ENOUGH = 20  # right readings of a task that these quantiles need


@dataclass(frozen=True, slots=True)
class Observation:
    """What a model made of one record; None for what was not measured.

    group: rows of one content or cluster share it. reward: 0..1, of the reading; None where the label cannot be scored
    against. likelihood: mean log-probability per token of the label; confidence: the same of the reading.
    disagreement: 0..1, how far further readings are from the first. faults: what is known to be wrong with the
    label, ``reason: evidence``.
    """

    id: str
    task: str
    group: str
    features: Mapping[str, str]
    reward: float | None
    likelihood: float | None = None
    confidence: float | None = None
    disagreement: float | None = None
    reading: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Places in the list of observations, the hardest first and ordinary ones as drawn. hardness: by place, 0..1.

    candidates: by task, how many records were hard before duplicates and the limit.
    """

    hard: tuple[int, ...]
    ordinary: tuple[int, ...]
    hardness: Mapping[int, float]
    candidates: Mapping[str, int] = field(default_factory=dict)


def hardness(observations: Sequence[Observation], weights: Mapping[str, float]) -> np.ndarray:
    """How hard each record is among those of its task, 0..1: the weighted mean of its ranks by what was measured.

    weights: of ``reward``, ``likelihood`` and ``disagreement``. Ranks, because a log-probability and a reward have no
    common scale; within a task, because tables are not to crowd out lines. Equal figures have equal ranks.
    """
    result = np.zeros(len(observations))
    for places in _by_task(observations).values():
        total, ranks = np.zeros(len(places)), np.zeros(len(places))
        for name, values in _difficulties([observations[place] for place in places]).items():
            known = ~np.isnan(values)
            if weight := weights.get(name, 0.0):
                ranks[known] += weight * _rank(values[known])
                total[known] += weight
        result[places] = np.divide(ranks, total, out=np.zeros(len(places)), where=total > 0)
    return result


def choose(
    observations: Sequence[Observation],
    rows: int,
    hard: float,
    seed: int = 0,
    read_right: float = RIGHT,
    weights: Mapping[str, float] | None = None,
    per_group: int = 1,
) -> Choice:
    """At most ``rows`` records, of which the share ``hard`` is hard and the rest drawn evenly from the others.

    Hard is what was read with less reward than ``read_right``. Tasks have the share of the choice that they have of the
    records; of one content or cluster at most ``per_group`` rows a task are taken. Where a task has too few hard ones
    it gets fewer ordinary ones too, so that the mix is what was asked for.
    """
    scores = hardness(observations, weights or {"reward": 2.0, "likelihood": 1.0, "disagreement": 1.0})
    suspect = suspects(observations)
    chosen_hard: list[int] = []
    chosen_ordinary: list[int] = []
    candidates = {}
    by_task = _by_task(observations)
    shares = _dealt(rows, {task: len(places) for task, places in by_task.items()})
    for task, places in sorted(by_task.items()):
        usable = [place for place in places if observations[place].reward is not None and place not in suspect]
        failed = [place for place in usable if _reward(observations[place]) < read_right]
        candidates[task] = len(failed)
        ranked = sorted(failed, key=lambda place: (-scores[place], observations[place].id))
        wanted = round(shares[task] * hard)
        taken = _one_a_group(observations, ranked, per_group, {})[:wanted]
        seen = _groups(observations, taken)
        others = [place for place in usable if _reward(observations[place]) >= read_right]
        others.sort(key=lambda place: _drawn(seed, observations[place].id))
        beside = shares[task] - wanted if len(taken) == wanted else round(len(taken) * (1 - hard) / hard)
        chosen_hard += taken
        chosen_ordinary += _one_a_group(observations, others, per_group, seen)[:beside]
    chosen_hard.sort(key=lambda place: (-scores[place], observations[place].id))
    return Choice(
        tuple(chosen_hard), tuple(chosen_ordinary), {p: round(float(s), 4) for p, s in enumerate(scores)}, candidates
    )


def suspects(observations: Sequence[Observation]) -> dict[int, tuple[str, str]]:
    """Places of records whose label may be wrong, with reason and evidence.

    Reasons: ``known`` (a check of the record, or the label itself, says so), ``agreed`` (further readings say what the
    first does, and the label does not), ``confident`` (the model is sure of another reading and finds the label
    unlikely). Sure and unlikely are measured by the records of the task that were read right; of fewer than ``ENOUGH``
    nothing is concluded.
    """
    found: dict[int, tuple[str, str]] = {}
    for places in _by_task(observations).values():
        limits = _limits([observations[place] for place in places])
        for place in places:
            if reason := _suspicion(observations[place], limits):
                found[place] = reason
    return dict(sorted(found.items()))


def _suspicion(one: Observation, limits: tuple[float, float] | None) -> tuple[str, str] | None:
    if one.faults:
        return "known", "; ".join(one.faults)
    if one.reward is None or one.reward >= WRONG:
        return None
    if one.confidence is not None and one.likelihood is not None:
        if limits is not None and one.confidence >= limits[0] and one.likelihood < limits[1]:
            return "confident", (
                f"reads otherwise (reward {one.reward:.2f}) at {one.confidence:.2f} a token, as where it reads right; "
                f"the label has {one.likelihood:.2f}, below {limits[1]:.2f}"
            )
        return None  # not sure of itself: a hard page, whatever a second reading says
    if one.disagreement is not None and one.disagreement <= 1 - RIGHT:
        return "agreed", f"readings agree ({1 - one.disagreement:.2f}) against the label (reward {one.reward:.2f})"
    return None


def _limits(observations: Sequence[Observation]) -> tuple[float, float] | None:
    """The confidence that is sure, and the likelihood below which a label is unlikely."""
    pairs = [
        (one.confidence, one.likelihood)
        for one in observations
        if one.confidence is not None and one.likelihood is not None and _reward(one) >= RIGHT and not one.faults
    ]
    if len(pairs) < ENOUGH:
        return None
    confidence, likelihood = np.asarray(pairs).T
    return float(np.quantile(confidence, SURE)), float(np.quantile(likelihood, UNLIKELY))


def _difficulties(observations: Sequence[Observation]) -> dict[str, np.ndarray]:
    """Each measure so that more of it is harder; NaN where it was not taken."""
    figures: dict[str, Callable[[Observation], float | None]] = {
        "reward": lambda one: None if one.reward is None else -one.reward,
        "likelihood": lambda one: None if one.likelihood is None else -one.likelihood,
        "disagreement": lambda one: one.disagreement,
    }
    return {
        name: np.array([np.nan if (value := figure(one)) is None else value for one in observations], dtype=np.float64)
        for name, figure in figures.items()
    }


def _rank(values: np.ndarray) -> np.ndarray:
    """Mid-ranks from 0 to 1; equal values have equal ones."""
    ordered = np.sort(values)
    first, last = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return (first + last - 1) / 2 / max(1, len(values) - 1)


def _by_task(observations: Sequence[Observation]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(observations):
        places[one.task].append(place)
    return places


def _one_a_group(
    observations: Sequence[Observation], places: Iterable[int], per_group: int, seen: dict[str, int]
) -> list[int]:
    """The places in their order, without those whose group has its rows already. seen: groups and their rows so far."""
    counts, kept = dict(seen), []
    for place in places:
        group = observations[place].group
        if counts.get(group, 0) < per_group:
            counts[group] = counts.get(group, 0) + 1
            kept.append(place)
    return kept


def _groups(observations: Sequence[Observation], places: Iterable[int]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for place in places:
        counts[observations[place].group] += 1
    return counts


def _dealt(rows: int, counts: Mapping[str, int]) -> dict[str, int]:
    """The rows dealt to tasks by their counts, to the whole number: the largest remainders get what is left."""
    total = sum(counts.values()) or 1
    exact = {task: rows * count / total for task, count in counts.items()}
    dealt = {task: int(share) for task, share in exact.items()}
    for task in sorted(exact, key=lambda task: (dealt[task] - exact[task], task))[: rows - sum(dealt.values())]:
        dealt[task] += 1
    return dealt


def _reward(one: Observation) -> float:
    return one.reward if one.reward is not None else 0.0


def _drawn(seed: int, identity: str) -> bytes:
    return blake2b(f"mine/{seed}/{identity}".encode(), digest_size=16).digest()
