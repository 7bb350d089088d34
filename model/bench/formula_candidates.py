r"""Which predictions OmniDocBench v1.6 takes for which displayed formulas: the best of several matchings.

Beside the matching of the whole page there are, over the formulas alone and what ``rescue`` found: the page's matching
again, the best assignment, and the best division in reading order, in which neighbours may be one formula; then the
same with predicted formulas of several rows parted in every way. The matching with the least sum of edit distances
wins, over the gold's formulas only: what is predicted too much costs nothing. That is upstream's way, and lenient.

    rows = best_rows(gold, predicted, page_rows)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

from rapidfuzz.distance import Levenshtein

from proofpress.model.bench.blocks import FORMULA, INLINE, Block
from proofpress.model.bench.formula_lines import predicted_lines
from proofpress.model.bench.formula_rows import of_rows, with_braces_for_cases
from proofpress.model.bench.matching import MatchTooLong, assign, distance, match
from proofpress.model.bench.normal_forms import formula_form, strip_delimiters

MAX_MERGED = 10  # predictions that are one formula; two more where the numbers of formulas are far apart
MAX_PARTED, MAX_WAYS = 8, 128  # rows of a formula that is parted in every way, and ways of a page
MAX_WITH_GAPS = 200  # rows of a page of which some may be left out
MAX_WORK = 1_000_000_000  # characters times characters compared for one division of a page
ALMOST = 1e-12


@dataclass(frozen=True, slots=True)
class Piece:
    """A predicted formula, or some of its rows. source: the number of the formula it is of."""

    block: Block
    source: int


@dataclass(frozen=True, slots=True)
class Row:
    """A gold formula with the predictions that are taken for it, if any. edit: as the matching counts it. joint: what
    stands between the normal forms of several."""

    gold: Block
    predicted: tuple[Block, ...] = ()
    sources: tuple[int, ...] = ()
    edit: float = 1.0
    joint: str = " "

    @property
    def norm(self) -> str:
        """The normal form of the predictions together."""
        return self.joint.join(block.norm for block in self.predicted).strip()


def best_rows(gold: Sequence[Block], predicted: Sequence[Block], on_page: Sequence[Row] | None) -> list[Row]:
    """A row for each gold formula, as the best of all matchings has it.

    gold: displayed formulas, their lines parted. predicted: formulas and what was taken for one, not parted.
    on_page: the rows of the page's matching, where each has one gold formula and no text.
    """
    gold = [block for block in gold if block.text and block.norm]
    if not gold:
        return []
    whole = _numbered(predicted)
    matchings = [(list(on_page), 0)] if on_page is not None and len(on_page) == len(gold) else []
    matchings += [(rows, 0) for rows in _matchings(gold, whole)]
    braced = [
        replace(piece, block=_with_latex(piece.block, with_braces_for_cases(piece.block.text))) for piece in whole
    ]
    changed = sum(one.block.text != other.block.text for one, other in zip(whole, braced, strict=True))
    if changed:
        matchings += [(rows, changed) for rows in _matchings(gold, braced)]
    best: tuple[list[Row], tuple[float, ...]] | None = None
    for rows, rewritten in matchings:
        cost = _cost(rows, len(whole), rewritten)
        if best is None or _is_less(cost, best[1]):
            best = rows, cost
    return best[0] if best else []


def merged_latex(blocks: Sequence[Block]) -> str:
    """Several formulas as the rows of one."""
    parts = [part for block in blocks if (part := strip_delimiters(block.text))]
    return of_rows(parts) if len(parts) > 1 else "".join(parts)


def _numbered(predicted: Sequence[Block]) -> list[Piece]:
    ordered = sorted(predicted, key=lambda block: (block.at or 0, block.category == INLINE))
    return [Piece(block, number) for number, block in enumerate(ordered)]


def _matchings(gold: Sequence[Block], pieces: Sequence[Piece]) -> Iterator[list[Row]]:
    """Every matching of these formulas that has a row for each gold formula, in the order in which they are tried."""
    kept = _filled(pieces)
    if rows := _as_a_page(gold, kept):
        yield rows
    yield _assigned(gold, kept)
    yield from _divided(gold, kept)
    for parted in _parted_every_way(pieces):
        yield _assigned(gold, _filled(parted))
    lines = [line for piece in pieces for line in _lines(piece)]
    if len(lines) > len(pieces):
        yield from _divided(gold, _filled(lines))


def _filled(pieces: Sequence[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece.block.text and piece.block.norm]


def _row(gold: Block, pieces: Sequence[Piece]) -> Row:
    row = Row(gold, tuple(piece.block for piece in pieces), tuple(piece.source for piece in pieces))
    return replace(row, edit=distance(gold.norm, row.norm)) if pieces else row


def _as_a_page(gold: Sequence[Block], pieces: Sequence[Piece]) -> list[Row] | None:
    """As ``matching.match`` has it, inline formulas last; None where two gold formulas share a prediction."""
    pieces = sorted(pieces, key=lambda piece: piece.block.category == INLINE)
    norms = [block.norm for block in gold], [piece.block.norm for piece in pieces]
    try:
        groups = match(*norms, lone=range(len(gold)))
    except MatchTooLong:
        return None
    found: dict[int, Row] = {}
    for group in groups:
        if len(group.gold) > 1:
            return None
        for i in group.gold:
            found[i] = replace(_row(gold[i], [pieces[j] for j in group.predicted]), edit=group.edit, joint="")
    return [found[i] for i in range(len(gold))]


def _assigned(gold: Sequence[Block], pieces: Sequence[Piece]) -> list[Row]:
    """The best assignment of one prediction each."""
    groups = assign([block.norm for block in gold], [piece.block.norm for piece in pieces])
    return [_row(gold[i], [pieces[j] for j in group.predicted]) for group in groups for i in group.gold]


_State = tuple[float, int, int, int]  # sum of edits, characters edited, characters, inline formulas


def _divided(gold: Sequence[Block], pieces: Sequence[Piece]) -> Iterator[list[Row]]:
    """The divisions in reading order: neighbours may be one formula, and a formula's rows may be left out."""
    if not gold or not pieces:
        return
    yield from _division(gold, pieces, 0)
    if len({piece.source for piece in pieces}) < len(pieces) <= MAX_WITH_GAPS:
        gap = abs(len(gold) - len(pieces))
        yield from _division(gold, pieces, 2 if gap >= 3 else 1)


def _division(gold: Sequence[Block], pieces: Sequence[Piece], skips: int) -> Iterator[list[Row]]:
    sequences = [list(_sequences(pieces, start, len(gold), skips)) for start in range(len(pieces))]
    norms = [[" ".join(pieces[j].block.norm for j in one).strip() for one in starting] for starting in sequences]
    characters = sum(len(norm) for starting in norms for norm in starting)
    if characters * sum(len(block.norm) for block in gold) > MAX_WORK:
        return
    best: dict[tuple[int, int], _State] = {(0, 0): (0.0, 0, 0, 0)}
    came: dict[tuple[int, int], tuple[int, int, tuple[int, ...] | None]] = {}

    def reach(place: tuple[int, int], state: _State, before: tuple[int, int], taken: tuple[int, ...] | None) -> None:
        if place not in best or _is_better(state, best[place]):
            best[place] = state
            came[place] = (*before, taken)

    for i, j in product(range(len(gold) + 1), range(len(pieces) + 1)):
        edits, wrong, length, inline = state = best[i, j]
        left_out = (edits + 1, *state[1:])
        if j < len(pieces):
            reach((i, j + 1), left_out, (i, j), None)
        if i == len(gold):
            continue
        reach((i + 1, j), left_out, (i, j), ())
        for taken, norm in zip(sequences[j], norms[j], strict=True) if j < len(pieces) else ():
            longer = max(len(gold[i].norm), len(norm))
            errors = Levenshtein.distance(gold[i].norm, norm)
            in_line = len(taken) == 1 and pieces[taken[0]].block.category == INLINE
            grown = (edits + errors / longer, wrong + errors, length + longer, inline + in_line)
            reach((i + 1, taken[-1] + 1), grown, (i, j), taken)
    rows: list[Row] = []
    place = (len(gold), len(pieces))
    while place != (0, 0):
        i, j, chosen = came[place]
        if chosen is not None:
            rows.append(_row(gold[i], [pieces[k] for k in chosen]))
        place = (i, j)
    yield rows[::-1]


def _sequences(pieces: Sequence[Piece], start: int, golds: int, skips: int) -> Iterator[tuple[int, ...]]:
    """The predictions from one on that may be one formula: displayed neighbours, or rows of one formula."""
    far = golds > 1 and abs(golds - len(pieces)) >= 2
    longest = min(len(pieces), MAX_MERGED + 2 * far)
    end = min(len(pieces), start + longest + (2 if skips else 0))
    yield (start,)
    run = [start]
    for j in range(start + 1, min(end, start + longest)):
        run.append(j)
        if len({pieces[k].source for k in run}) > 1 and any(pieces[k].block.category == INLINE for k in run):
            break
        yield tuple(run)
    for last in range(start + 2, end) if skips else ():
        inside = range(start + 1, last)
        if any(pieces[j].source != pieces[start].source for j in (*inside, last)):
            return
        for count in range(1, skips + 1):
            for omitted in combinations(inside, count):
                chosen = (start, *(j for j in inside if j not in omitted), last)
                if len(chosen) <= longest:
                    yield chosen


def _is_better(one: _State, other: _State) -> bool:
    if abs(one[0] - other[0]) > ALMOST:
        return one[0] < other[0]
    if one[2] and other[2] and one[1] * other[2] != other[1] * one[2]:
        return one[1] * other[2] < other[1] * one[2]
    if bool(one[2]) != bool(other[2]):
        return bool(one[2])
    return one[3] < other[3]


def _lines(piece: Piece) -> list[Piece]:
    return [Piece(line, piece.source) for line in predicted_lines([piece.block], "v1.6")]


def _parted_every_way(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """The formulas with the rows of each grouped in every way; none where that would be too many."""
    options, ways = [], 1
    for piece in pieces:
        lines = _lines(piece)
        if not 1 < len(lines) <= MAX_PARTED:
            options.append([[piece]])
            continue
        ways *= 2 ** (len(lines) - 1)
        if ways > MAX_WAYS:
            return
        options.append([_grouped(lines, cuts) for cuts in product((False, True), repeat=len(lines) - 1)])
    if ways > 1:
        for chosen in product(*options):
            yield [piece for group in chosen for piece in group]


def _grouped(lines: Sequence[Piece], cuts: Sequence[bool]) -> list[Piece]:
    groups = [[lines[0]]]
    for line, cut in zip(lines[1:], cuts, strict=True):
        groups.append([line]) if cut else groups[-1].append(line)
    return [group[0] if len(group) == 1 else _merged(group) for group in groups]


def _merged(group: Sequence[Piece]) -> Piece:
    latex = rf"\[{merged_latex([piece.block for piece in group])}\]"
    block = replace(group[0].block, category=FORMULA)
    return replace(group[0], block=_with_latex(block, latex))


def _with_latex(block: Block, latex: str) -> Block:
    return block if latex == block.text else replace(block, text=latex, norm=formula_form(latex, "v1.6"))


def _cost(rows: Sequence[Row], predicted: int, rewritten: int) -> tuple[float, ...]:
    """What is compared, first to last: edits, the share of characters edited, predictions left over, and for a tie
    the matching with cases rewritten and the one with fewer gold formulas alone."""
    read = [row for row in rows if row.predicted]
    length = sum(max(len(row.gold.norm), len(row.norm)) for row in read)
    wrong = sum(Levenshtein.distance(row.gold.norm, row.norm) for row in read)
    total = sum(row.edit for row in rows)
    used = {source for row in read for source in row.sources}
    share = wrong / length if length else 0.0
    return total, share, max(0, predicted - len(used)), -rewritten, len(rows) - len(read)


def _is_less(one: Sequence[float], other: Sequence[float]) -> bool:
    for a, b in zip(one, other, strict=True):
        if abs(a - b) > ALMOST:
            return a < b
    return False
