"""Gold and predicted blocks of a page as matched pairs, as OmniDocBench pairs them up to v1.5; ``pairing_v16`` goes on.

pairs, matcher = pair_up(gold, predicted, "v1.5")
"""

from collections.abc import Sequence
from dataclasses import replace

from bs4 import BeautifulSoup

from proofpress.model.bench.blocks import FORMULA, IGNORED, INLINE, Block
from proofpress.model.bench.formula_lines import predicted_lines
from proofpress.model.bench.formula_rows import of_rows
from proofpress.model.bench.matching import ANCHOR, Group, MatchTooLong, assign, distances, match
from proofpress.model.bench.normal_forms import Edition, latex_text, strip_delimiters, table_form, text_form
from proofpress.model.bench.results import Pair


def pair_up(gold: Sequence[Block], found: Sequence[Block], edition: Edition) -> tuple[list[Pair], str]:
    """The pairs of texts and formulas, and which matcher found them: ``quick``, or ``simple`` where that took too long.

    v1.0 matches each kind by itself; v1.5 both in one, and a formula that was written as text counts as text.
    """
    if edition == "v1.0":
        return _apart(gold, found)
    pairs, matcher = _together(gold, found)
    return _across_kinds(pairs), matcher


def pair_tables(gold: Sequence[Block], found: Sequence[Block], edition: Edition) -> list[Pair]:
    """Tables by the best assignment of their markup; predicted tables too many cost nothing, as upstream has it.

    v1.6 compares normal forms, and by a slip gives the first predicted table no place in the reading order.
    """
    tables = [block for block in gold if block.kind == "table" and block.text]
    predicted = [block for block in found if block.kind == "table"]
    return [
        Pair(
            kind="table",
            gold=tables[group.gold[0]].text,
            predicted=predicted[group.predicted[0]].text if group.predicted else "",
            norm_gold="",
            norm_predicted="",
            gold_category="table",
            predicted_category="html_table" if group.predicted else "",
            gold_at=tuple(place for i in group.gold if (place := tables[i].at)),
            predicted_at=predicted[group.predicted[0]].at if group.predicted and _has_place(group, edition) else None,
        )
        for group in _table_groups(tables, predicted, edition)
        if group.gold
    ]


def pair(
    group: Group, gold: Sequence[Block], found: Sequence[Block], all_gold: Sequence[Block], all_found: Sequence[Block]
) -> Pair:
    """The pair of a group of the blocks that were matched. Positions are those of all blocks at the group's places, the
    empty ones counted too, as upstream has it."""
    golds = [gold[i] for i in group.gold]
    predicted = [found[j] for j in group.predicted]
    categories = [block.category for block in golds if block.category not in IGNORED] or [b.category for b in golds]
    category = max(categories, key=categories.count) if categories else ""
    return Pair(
        kind="formula" if category == FORMULA or (not golds and predicted[0].kind == "formula") else "text",
        gold=_joined(golds, category == FORMULA),
        predicted=_joined(predicted, bool(predicted) and predicted[0].kind == "formula"),
        norm_gold="".join(block.norm for block in golds),
        norm_predicted="".join(block.norm for block in predicted),
        gold_category=category,
        predicted_category=predicted[0].category if predicted else "",
        gold_at=tuple(place for i in group.gold if (place := all_gold[i].at)),
        predicted_at=all_found[group.predicted[0]].at if predicted else None,
        edit=group.edit,
    )


def without_ignored(gold: Sequence[Block], predicted: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """The blocks that are matched: gold ones that are ignored, and predictions that are one of them, taken out."""
    if len(gold) < 2 and len(predicted) < 2:
        return list(gold), list(predicted)
    ignored = [block.norm for block in gold if block.category in IGNORED and block.norm and block.text]
    if ignored and predicted:
        close = distances(ignored, [block.norm for block in predicted]).min(0) < ANCHOR
        predicted = [block for block, out in zip(predicted, close, strict=True) if not (out and block.norm)]
    return [block for block in gold if block.category not in IGNORED], list(predicted)


def _apart(gold: Sequence[Block], found: Sequence[Block]) -> tuple[list[Pair], str]:
    pairs, matchers = [], []
    for kind in ("text", "formula"):
        of_gold = [block for block in gold if block.kind == kind]
        if of_gold:
            groups, matcher = _matched(of_gold, [block for block in found if block.kind == kind], old=True)
            pairs += groups
            matchers.append(matcher)
    kept = [one for one in pairs if one.gold_category not in IGNORED and (one.gold_category or one.kind == "text")]
    return kept, next((matcher for matcher in matchers if matcher != "quick"), "quick")


def _together(gold: Sequence[Block], found: Sequence[Block]) -> tuple[list[Pair], str]:
    predicted = [*_loose_cells(gold, found), *(block for block in found if block.kind != "table")]
    of_gold = [block for block in gold if block.kind != "table"]
    pairs, matcher = _matched(*without_ignored(of_gold, predicted_lines(predicted, "v1.5")))
    return [one for one in pairs if one.gold_category and one.gold_category not in IGNORED], matcher


def _matched(gold: Sequence[Block], found: Sequence[Block], old: bool = False) -> tuple[list[Pair], str]:
    kept_gold = [block for block in gold if block.text and block.norm]
    kept = [block for block in found if block.text and block.norm]
    norms = [block.norm for block in kept_gold], [block.norm for block in kept]
    try:
        groups, matcher = match(*norms, old=old), "quick"
    except MatchTooLong:
        groups, matcher = assign(*norms), "simple"
    return [pair(group, kept_gold, kept, gold, found) for group in groups], matcher


def _joined(blocks: Sequence[Block], formula: bool) -> str:
    if formula and len(blocks) > 1:
        return of_rows([strip_delimiters(block.text) for block in blocks])
    return "".join(block.text for block in blocks)


def _table_groups(tables: Sequence[Block], predicted: Sequence[Block], edition: Edition) -> list[Group]:
    sides = [[block.text for block in side] for side in (tables, predicted)]
    if edition == "v1.6":
        sides = [[table_form(text, edition) for text in side] for side in sides]
    return assign(*sides)


def _has_place(group: Group, edition: Edition) -> bool:
    return edition != "v1.6" or group.predicted[0] > 0


def _loose_cells(gold: Sequence[Block], found: Sequence[Block]) -> list[Block]:
    """The cells of tables that no gold table takes, as texts."""
    if not any(block.kind == "table" for block in gold):
        return []
    tables = [block for block in gold if block.kind == "table" and block.text]
    predicted = [block for block in found if block.kind == "table"]
    groups = _table_groups(tables, predicted, "v1.5")
    left = [predicted[j] for group in groups if not group.gold for j in group.predicted]
    cells = []
    for block in left:
        for cell in BeautifulSoup(block.text, "html.parser").find_all("td"):
            if cell.string:
                text = cell.string.replace(r"$\cdot$", "").strip()
                cells.append(Block("text", "text_all", text, text_form(text, "v1.5"), block.at))
    return cells


def _across_kinds(pairs: Sequence[Pair]) -> list[Pair]:
    if not any(one.kind == "text" for one in pairs):
        return list(pairs)
    moved = []
    for one in pairs:
        if one.kind == "formula" and one.predicted_category not in (INLINE, FORMULA, ""):
            gold = latex_text(one.gold)
            one = replace(one, kind="text", gold=gold, norm_gold=text_form(gold, "v1.5"))
        moved.append(one)
    return moved
