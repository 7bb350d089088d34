"""Gold and predicted blocks of a page as matched pairs, as OmniDocBench v1.6 pairs them.

After the matching, v1.6 looks for better: a title or a text that was matched badly takes the stretch of predictions
near it that nobody else has and that reads most like it (``_with_better_stretches``), and displayed formulas are
matched anew among all that may be formulas (``formula_candidates``, ``rescue``). Both choose by the gold, so v1.6 is
lenient where v1.5 is not.

    pairs, matcher = pair_up(gold, predicted)
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from proofpress.model.bench.blocks import FORMULA, IGNORED, INLINE, RESCUED, Block
from proofpress.model.bench.chunks import match_chunks
from proofpress.model.bench.formula_candidates import Row, best_rows, merged_latex
from proofpress.model.bench.formula_lines import predicted_lines
from proofpress.model.bench.matching import Group, MatchTooLong, distance, match
from proofpress.model.bench.normal_forms import shown_text, strip_delimiters, text_form, text_of_formula_forms
from proofpress.model.bench.pairing import pair, without_ignored
from proofpress.model.bench.results import Pair

POOR = 0.45  # the edit beyond which a title or text looks for a better stretch
BETTER = 0.2  # by which a stretch has to be better
ALIKE, ALIKE_WITH_FORMULAS = 0.35, 0.45  # the edit at which a stretch is taken
STRETCH, STRETCH_WITH_FORMULAS = 4, 8  # predictions in a stretch
AROUND = 8  # places before and behind the present match that are looked at
LONG_TEXT = 80  # characters from which a text without formulas looks for a better stretch

_INLINE = re.compile(r"\$[^$]+\$|\\\([^)]*\\\)")
_FORMULA_MARKS = (r"\frac", r"\sum", r"\int", r"\sqrt", r"\left", r"\right")


@dataclass(frozen=True, slots=True)
class _Match:
    """A pair with the blocks it is of. places: the predictions' numbers among all that were matched."""

    pair: Pair
    golds: tuple[Block, ...]
    predicted: tuple[Block, ...]
    places: tuple[int, ...]


def pair_up(gold: Sequence[Block], found: Sequence[Block]) -> tuple[list[Pair], str]:
    """The pairs of texts and formulas, and which matcher found them: ``quick``, or ``chunks`` for a page too long."""
    mixed = sorted(
        (block for block in found if block.kind != "table" and block.category not in RESCUED),
        key=lambda block: (block.category == INLINE, block.at or 0),
    )
    matches, matcher = _matched([block for block in gold if block.kind != "table"], predicted_lines(mixed, "v1.6"))
    matches = _with_better_stretches([_across_kinds(one) for one in matches], mixed)
    texts = [one.pair for one in matches if one.golds and one.pair.gold_category not in {FORMULA, *IGNORED}]
    formulas = [one for one in matches if one.pair.gold_category == FORMULA]
    candidates = [block for block in found if block.kind == "formula"]
    rows = best_rows([block for block in gold if block.category == FORMULA], candidates, _rows(formulas))
    return texts + [_of_row(row) for row in rows], matcher


def _matched(gold: Sequence[Block], found: Sequence[Block]) -> tuple[list[_Match], str]:
    """Empty blocks take no part."""
    kept = [block for block in found if block.text and block.norm]
    number = {id(block): place for place, block in enumerate(kept)}
    left_gold, left = without_ignored(gold, found)
    of_gold, predicted = ([block for block in side if block.text and block.norm] for side in (left_gold, left))
    lone = [i for i, block in enumerate(of_gold) if block.category == FORMULA]
    try:
        groups = match([block.norm for block in of_gold], [block.norm for block in predicted], lone=lone)
        return [_match(group, of_gold, predicted, left_gold, left, number) for group in groups], "quick"
    except MatchTooLong:
        of_gold = [block for block in gold if block.text and block.norm]
        groups = match_chunks(of_gold, kept)
        return [_match(group, of_gold, kept, of_gold, kept, number) for group in groups], "chunks"


def _match(
    group: Group,
    gold: Sequence[Block],
    found: Sequence[Block],
    all_gold: Sequence[Block],
    all_found: Sequence[Block],
    number: dict[int, int],
) -> _Match:
    predicted = tuple(found[j] for j in group.predicted)
    return _Match(
        pair(group, gold, found, all_gold, all_found),
        tuple(gold[i] for i in group.gold),
        predicted,
        tuple(number[id(block)] for block in predicted),
    )


def _across_kinds(one: _Match) -> _Match:
    """A formula matched with a text, or a text with a formula, is compared as text."""
    of_gold, of_prediction = one.pair.gold_category == FORMULA, one.pair.predicted_category in (INLINE, FORMULA)
    if not one.golds or not one.predicted or of_gold == of_prediction:
        return one
    gold = _as_text(one.pair.gold, of_gold)
    predicted = _as_text(one.pair.predicted, of_prediction)
    norms = text_form(gold, "v1.6"), text_form(predicted, "v1.6")
    changed = replace(one.pair, gold=gold, predicted=predicted, norm_gold=norms[0], norm_predicted=norms[1])
    return replace(one, pair=replace(changed, edit=distance(*norms)))


def _as_text(text: str, formula: bool) -> str:
    return shown_text(strip_delimiters(text) if formula else text, "v1.6")


def _with_better_stretches(matches: Sequence[_Match], mixed: Sequence[Block]) -> list[_Match]:
    """The matches with those that were poor and have a better stretch of predictions to themselves, the greatest gain
    first; each prediction is taken once."""
    poor = [(number, one) for number, one in enumerate(matches) if _looks_for_better(one.pair)]
    shown = [_as_text(block.text, block.kind == "formula") for block in mixed] if poor else []
    found = []
    for number, one in poor:
        others = {place for k, other in enumerate(matches) if k != number and other.golds for place in other.places}
        if better := _best_stretch(one, mixed, shown, others):
            found.append((one.pair.edit - better.pair.edit, number, better))
    result, used = list(matches), set[int]()
    for _, number, better in sorted(found, key=lambda item: -item[0]):
        if not used & set(better.places):
            result[number] = better
            used |= set(better.places)
    return result


def _looks_for_better(one: Pair) -> bool:
    if one.gold_category not in ("title", "text_block") or one.edit <= POOR:
        return False
    return one.gold_category == "title" or _has_formulas(one.gold) or len(one.norm_gold) >= LONG_TEXT


def _has_formulas(text: str) -> bool:
    scripts = ("^" in text or "_" in text) and ("$" in text or "\\" in text)
    return bool(_INLINE.search(text)) or scripts or any(mark in text for mark in _FORMULA_MARKS)


def _best_stretch(one: _Match, mixed: Sequence[Block], shown: Sequence[str], taken: Collection[int]) -> _Match | None:
    """shown: the text of each of ``mixed``. taken: the places that others have."""
    with_formulas = _has_formulas(one.pair.gold)
    text = text_of_formula_forms(one.pair.gold) if with_formulas else one.pair.gold
    gold = text_form(text, "v1.6")
    if not gold:
        return None
    best: tuple[tuple[float, int, int], tuple[int, ...], str] | None = None
    for stretch in _stretches(one.places, mixed, with_formulas, taken):
        norm = text_form("".join(shown[j] for j in stretch), "v1.6")
        if not norm:
            continue
        away = abs(stretch[0] - min(one.places)) if one.places else 0
        cost = (distance(gold, norm), len(stretch), away)
        if best is None or cost < best[0]:
            best = cost, stretch, norm
    if best is None:
        return None
    (edit, _, _), stretch, norm = best
    if edit >= one.pair.edit - BETTER or edit > (ALIKE_WITH_FORMULAS if with_formulas else ALIKE):
        return None
    blocks = tuple(mixed[j] for j in stretch)
    changed = replace(
        one.pair,
        predicted="".join(block.text for block in blocks),
        norm_predicted=norm,
        predicted_category="text_block",
        predicted_at=blocks[0].at,
        edit=edit,
    )
    return replace(one, pair=changed, predicted=blocks, places=stretch)


def _stretches(
    places: Sequence[int], mixed: Sequence[Block], with_formulas: bool, taken: Collection[int]
) -> Iterator[tuple[int, ...]]:
    """Runs of neighbouring predictions around the present places that nobody else has; formulas only for a text that
    has some."""
    own = [place for place in places if place < len(mixed)]
    first = max(0, min(own) - AROUND) if own else 0
    last = min(len(mixed) - 1, max(own) + AROUND) if own else len(mixed) - 1
    longest = STRETCH_WITH_FORMULAS if with_formulas else STRETCH
    for start in range(first, last + 1):
        for end in range(start, min(last + 1, start + longest)):
            if end in taken or (mixed[end].kind == "formula" and not with_formulas):
                break
            yield tuple(range(start, end + 1))


def _rows(formulas: Sequence[_Match]) -> list[Row] | None:
    """The matches as rows of ``formula_candidates``; None where one is no row: several gold formulas, or a text."""
    rows = []
    for one in formulas:
        if len(one.golds) != 1 or one.pair.predicted_category not in ("", INLINE, FORMULA):
            return None
        rows.append(Row(one.golds[0], one.predicted, tuple(map(id, one.predicted)), one.pair.edit, joint=""))
    return sorted(rows, key=lambda row: row.gold.at or 0)


def _of_row(row: Row) -> Pair:
    first = row.predicted[0] if row.predicted else None
    several = len(row.predicted) > 1
    return Pair(
        kind="formula",
        gold=row.gold.text,
        predicted=merged_latex(row.predicted) if several else first.text if first else "",
        norm_gold=row.gold.norm,
        norm_predicted=row.norm,
        gold_category=FORMULA,
        predicted_category=FORMULA if several else first.category if first else "",
        gold_at=(row.gold.at,) if row.gold.at else (),
        predicted_at=first.at if first else None,
        edit=row.edit,
    )
