"""The lattice of what a page can be, and the plan that covers it pairwise.

Every page's features come from its address: pages stand in blocks of ``BLOCK``, and a block is planned by itself. In it
every second page takes up a pair of values that no page before it had (two-way covering after AETG: Cohen et al., "The
AETG System", IEEE TSE 23(7), 1997) until none is left; the others, and then all, are drawn by weight. So a block covers
every pair that can be, and weights from mining still shape what is printed.

    lattice = Lattice.of(weights={"script=arabic": 3.0})
    plan(lattice, seed=7, index=42)                     # {"kind": "invoice", "script": "arabic", ...}
    cover(lattice, (row["features"] for row in rows)).share      # 0.998
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from itertools import combinations
from random import Random

from proofpress.generators.kinds import KINDS
from proofpress.generators.kinds.traits import AXES, RULES

BLOCK = 1024  # pages planned together: enough to cover the whole lattice once
CANDIDATES = 3  # pages considered for a pair; the one that takes up most pairs is printed


@dataclass(frozen=True)
class Lattice:
    """The axes with the values that are allowed, and how often each is drawn.

    axes: ``(name, values)``, kind first. weights: ``(axis=value, weight)``, 1 where not given. Both are tuples, so that
    equal lattices share one plan.
    """

    axes: tuple[tuple[str, tuple[str, ...]], ...]
    weights: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of(
        cls, features: Mapping[str, Iterable[str]] | None = None, weights: Mapping[str, float] | None = None
    ) -> "Lattice":
        """The lattice restricted to some values of some axes; a weight of 0 takes a value out.

        ``ValueError`` names an axis or value that is not in the lattice, or says that no page is left.
        """
        allowed = {"kind": tuple(KINDS), **AXES}
        wanted = {axis: tuple(values) for axis, values in (features or {}).items()}
        for axis, values in wanted.items():
            _check(axis, values, allowed)
            allowed[axis] = tuple(value for value in allowed[axis] if value in values)
        for name, weight in (weights or {}).items():
            axis, _, value = name.partition("=")
            if axis not in allowed or value not in (*AXES.get(axis, ()), *(KINDS if axis == "kind" else ())):
                _check(axis, (value,), {"kind": tuple(KINDS), **AXES})
            if not 0 <= weight < float("inf"):
                raise ValueError(f"the weight of {name} is {weight}: it must be 0 or more")
            if weight == 0:
                allowed[axis] = tuple(left for left in allowed[axis] if left != value)
        kept = tuple(sorted((name, float(weight)) for name, weight in (weights or {}).items() if weight > 0))
        lattice = _known(tuple(allowed.items()), kept)
        if lattice is None:
            raise ValueError("no page has the features that are left: allow more values or kinds")
        return lattice

    @cached_property
    def names(self) -> tuple[tuple[str, str], ...]:
        """Every value as ``(axis, value)``; its place in the tuple is its bit below."""
        return tuple((axis, value) for axis, values in self.axes for value in values)

    @cached_property
    def places(self) -> dict[tuple[str, str], int]:
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The bits of each axis's values."""
        return tuple(sum(1 << self.places[axis, value] for value in values) for axis, values in self.axes)

    @cached_property
    def _tails(self) -> tuple[tuple[int, ...], ...]:
        """The masks of each axis and all later ones."""
        return tuple(self.masks[axis:] for axis in range(len(self.masks)))

    @cached_property
    def together(self) -> tuple[int, ...]:
        """For each value the bits of all that may stand on one page with it, its own among them."""
        whole = (1 << len(self.names)) - 1
        masks = [whole] * len(self.names)
        by_axis = dict(zip((axis for axis, _ in self.axes), self.masks, strict=True))
        for place, (axis, _) in enumerate(self.names):
            masks[place] &= ~by_axis[axis] | 1 << place
        for axis, values, other, others in self._rules():
            for value in values:
                if (axis, value) not in self.places:
                    continue
                place = self.places[axis, value]
                for taken in dict(self.axes)[other]:
                    if taken not in others:
                        masks[place] &= ~(1 << self.places[other, taken])
                        masks[self.places[other, taken]] &= ~(1 << place)
        return tuple(masks)

    def _rules(self) -> Iterator[tuple[str, Iterable[str], str, Iterable[str]]]:
        yield from RULES
        for kind in dict(self.axes)["kind"]:
            for axis in AXES:
                yield "kind", (kind,), axis, KINDS[kind].allows(axis)

    @cached_property
    def draws(self) -> tuple[float, ...]:
        """The weight of each value."""
        weights = dict(self.weights)
        return tuple(weights.get(f"{axis}={value}", 1.0) for axis, value in self.names)

    def complete(self, fixed: Iterable[int], rng: Random) -> tuple[int, ...] | None:
        """A page with these values, the others drawn by weight; None where there is none."""
        allowed = (1 << len(self.names)) - 1
        for place in fixed:
            allowed &= self.together[place]
        return self._fill(0, allowed, rng)

    def _fill(self, axis: int, allowed: int, rng: Random) -> tuple[int, ...] | None:
        if axis == len(self.masks):
            return ()
        for mask in self._tails[axis]:
            if not allowed & mask:
                return None
        options = list(_bits(allowed & self.masks[axis]))
        while options:
            place = options[0]
            if len(options) > 1:
                place = rng.choices(options, [self.draws[option] for option in options])[0]
            rest = self._fill(axis + 1, allowed & self.together[place], rng)
            if rest is not None:
                return (place, *rest)
            options.remove(place)
        return None

    @cached_property
    def pairs(self) -> tuple[int, ...]:
        """For each value the bits of those on later axes with which some page has it."""
        found = [0] * len(self.names)
        rng = Random(0)
        for first in range(len(self.names)):
            for second in _bits(self.together[first] >> first + 1 << first + 1):
                if not found[first] >> second & 1:
                    page = self.complete((first, second), rng)
                    for one, other in combinations(page or (), 2):
                        found[one] |= 1 << other
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many pairs of values rows had, of how many pages can have. axes: ``(covered, possible)`` by pair of axes.

    missing: pairs that no row had, as ``axis=value & axis=value``, in the lattice's order.
    """

    axes: Mapping[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def covered(self) -> int:
        return sum(covered for covered, _ in self.axes.values())

    @property
    def possible(self) -> int:
        return sum(possible for _, possible in self.axes.values())

    @property
    def share(self) -> float:
        """From 0 to 1; 1 where there is nothing to cover."""
        return self.covered / self.possible if self.possible else 1.0


def plan(lattice: Lattice, seed: int, index: int) -> dict[str, str]:
    """The features of the page with this index in a build of this seed."""
    page = _block(lattice, seed, index // BLOCK)[index % BLOCK]
    return dict(lattice.names[place] for place in page)


def vary(lattice: Lattice, page: Mapping[str, str], other: Mapping[str, str], axes: Iterable[str]) -> dict[str, str]:
    """The page with another's values on these axes, one by one, wherever they may stand with all the rest."""
    varied = dict(page)
    for axis in axes:
        together = lattice.together[lattice.places[axis, other[axis]]]
        if all(together >> lattice.places[name] & 1 for name in varied.items() if name[0] != axis):
            varied[axis] = other[axis]
    return varied


def cover(lattice: Lattice, rows: Iterable[Mapping[str, str]]) -> Coverage:
    """What rows cover of a lattice. rows: the features of each, as a record has them; other features do not count."""
    had = [0] * len(lattice.names)
    for row in rows:
        page = sorted(lattice.places[name] for name in row.items() if name in lattice.places)
        bits = sum(1 << place for place in page)
        for place in page:
            had[place] |= bits
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    missing = []
    for first, possible in enumerate(lattice.pairs):
        for second in _bits(possible):
            axes = lattice.names[first][0], lattice.names[second][0]
            is_covered = had[first] >> second & 1
            covered, known = counts.get(axes, (0, 0))
            counts[axes] = covered + is_covered, known + 1
            if not is_covered:
                missing.append(" & ".join("=".join(lattice.names[place]) for place in (first, second)))
    return Coverage(counts, tuple(missing))


@cache
def _known(axes: tuple[tuple[str, tuple[str, ...]], ...], weights: tuple[tuple[str, float], ...]) -> Lattice | None:
    """The lattice, made once for each of them; None where no page is in it."""
    lattice = Lattice(axes, weights)
    possible = all(values for _, values in axes) and lattice.complete((), Random(0)) is not None
    return lattice if possible else None


@cache
def _block(lattice: Lattice, seed: int, block: int) -> tuple[tuple[int, ...], ...]:
    rng = Random(int.from_bytes(blake2b(f"coverage/{seed}/{block}".encode(), digest_size=16).digest(), "big"))
    new = list(lattice.pairs)  # pairs that no page of the block has yet
    waiting = [(first, second) for first, bits in enumerate(new) for second in _bits(bits)]
    rng.shuffle(waiting)
    pages: list[tuple[int, ...]] = []
    while len(pages) < BLOCK:
        pair = _next_pair(waiting, new) if len(pages) % 2 == 0 else None
        drawn = [lattice.complete(pair or (), rng) for _ in range(CANDIDATES if pair else 1)]
        page = max((page for page in drawn if page is not None), key=lambda page: _gain(page, new))
        bits = sum(1 << place for place in page)
        for place in page:
            new[place] &= ~bits
        pages.append(page)
    return tuple(pages)


def _next_pair(waiting: list[tuple[int, int]], new: list[int]) -> tuple[int, int] | None:
    while waiting:
        first, second = waiting.pop()
        if new[first] >> second & 1:
            return first, second
    return None


def _gain(page: tuple[int, ...], new: list[int]) -> int:
    bits = sum(1 << place for place in page)
    return sum((new[place] & bits).bit_count() for place in page)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _check(axis: str, values: Iterable[str], allowed: Mapping[str, tuple[str, ...]]) -> None:
    if axis not in allowed:
        raise ValueError(f"unknown feature {axis!r}; known are {', '.join(allowed)}")
    unknown = sorted(set(values) - set(allowed[axis]))
    if unknown:
        raise ValueError(f"unknown value {unknown[0]!r} of {axis}; known are {', '.join(allowed[axis])}")
