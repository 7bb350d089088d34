"""OmniDocBench (arXiv 2412.07626): a page's blocks matched with their gold and scored by kind.

Text and formulas by edit distance, tables by TEDS, formulas by CDM, reading order by the order of the matched texts;
all are means over pages of means over blocks, and Overall = ((1 - text edit) + TEDS + CDM) / 3 in percent. Editions:

- ``v1.0`` matches each kind by itself; the results recorded with upstream's demo are of this edition.
- ``v1.5`` matches text and formulas together, sets captions, heads and feet aside first, and scores a formula that was
  written as text as text.
- ``v1.6`` folds more in its normal forms, leaves out what the gold ignores, reads the order of formulas and tables too,
  and falls back to an assignment with a penalty for order. Its rescues of single formulas and of text inside tables
  are not taken over: they look for whatever scores best.

    result = evaluate(gold_pages, predictions, "v1.5", typeset)
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rapidfuzz.distance import Levenshtein

from proofpress.model.bench.blocks import (
    FORMULA,
    IGNORED,
    INLINE,
    Block,
    predicted_blocks,
)
from proofpress.model.bench.cdm import cdm
from proofpress.model.bench.dialect import to_dialect
from proofpress.model.bench.formula_lines import predicted_lines
from proofpress.model.bench.gold import gold_blocks
from proofpress.model.bench.matching import (
    ANCHOR,
    Group,
    MatchTooLong,
    assign,
    assign_in_order,
    distances,
    match,
)
from proofpress.model.bench.normal_forms import (
    Edition,
    latex_text,
    strip_delimiters,
    strip_tags,
    table_form,
    text_form,
)
from proofpress.model.bench.results import BenchResult, PageResult, Pair
from proofpress.model.rewards import GoldError, score
from proofpress.model.rewards.teds import teds
from proofpress.model.rewards.unit_tests.glyphs import Typesetter

ORDER_PENALTY = 0.08


def evaluate(
    pages: Iterable[Mapping[str, Any]],
    prediction: Callable[[str], str],
    edition: Edition = "v1.5",
    typeset: Typesetter | None = None,
) -> BenchResult:
    """Score predictions against the gold's pages. prediction: the Markdown for an image's name.

    typeset: lays formulas out for CDM; without it there is no CDM and no Overall.
    """
    return BenchResult(edition, tuple(evaluate_page(page, prediction, edition, typeset) for page in pages))


def evaluate_page(
    page: Mapping[str, Any], prediction: Callable[[str], str], edition: Edition, typeset: Typesetter | None
) -> PageResult:
    """Score one page."""
    image = image_name(page)
    markdown = prediction(image)
    gold, found = gold_blocks(page, edition), predicted_blocks(markdown, edition)
    tables = _match_tables(gold, found)
    pairs, matcher = (_match_apart if edition == "v1.0" else _match_together)(gold, found, edition)
    order = _reading_order(pairs + tables if edition == "v1.6" else [p for p in pairs if p.kind == "text"])
    pairs = _across_kinds(pairs, edition)
    scored = tuple(map(_with_edits, [*pairs, *map(_score_table(edition), tables)]))
    if typeset is not None:
        scored = _with_cdm(scored, typeset)
    return PageResult(
        image, page["page_info"].get("page_attribute", {}), scored, order, _strict(gold, markdown), matcher
    )


def image_name(page: Mapping[str, Any]) -> str:
    """The file name of a gold page's image."""
    return str(page["page_info"]["image_path"]).replace("\\", "/").rsplit("/", 1)[-1]


def _match_apart(gold: Sequence[Block], found: Sequence[Block], edition: Edition) -> tuple[list[Pair], str]:
    """v1.0: texts with texts, formulas with formulas."""
    pairs, matchers = [], []
    for kind in ("text", "formula"):
        of_gold = [block for block in gold if block.kind == kind]
        if of_gold:
            groups, matcher = _groups(of_gold, [block for block in found if block.kind == kind], edition)
            pairs += groups
            matchers.append(matcher)
    kept = [pair for pair in pairs if pair.gold_category not in IGNORED]
    return [p for p in kept if p.gold_category or p.kind == "text"], _worst(matchers)


def _match_together(gold: Sequence[Block], found: Sequence[Block], edition: Edition) -> tuple[list[Pair], str]:
    """Since v1.5: texts and formulas in one; first, predictions that are an ignored block are taken out."""
    of_gold = [block for block in gold if block.kind != "table"]
    predicted = predicted_lines(
        [*_loose_cells(gold, found, edition), *(b for b in found if b.kind != "table")], edition
    )
    if len(of_gold) > 1 or len(predicted) > 1:
        ignored = [block.norm for block in of_gold if block.category in IGNORED and block.norm and block.text]
        if ignored and predicted:
            close = distances(ignored, [block.norm for block in predicted]).min(0) < ANCHOR
            predicted = [block for block, out in zip(predicted, close, strict=True) if not (out and block.norm)]
        of_gold = [block for block in of_gold if block.category not in IGNORED]
    pairs, matcher = _groups(of_gold, predicted, edition)
    return [pair for pair in pairs if pair.gold_category and pair.gold_category not in IGNORED], matcher


def _groups(gold: Sequence[Block], found: Sequence[Block], edition: Edition) -> tuple[list[Pair], str]:
    """Matched pairs of blocks. Empty blocks take no part, yet positions are counted with them, as upstream does."""
    kept_gold = [block for block in gold if block.text and block.norm]
    kept = [block for block in found if block.text and block.norm]
    norms = [block.norm for block in kept_gold], [block.norm for block in kept]
    matcher = "quick"
    try:
        groups = match(*norms, old=edition == "v1.0")
    except MatchTooLong:
        matcher = "in order" if edition == "v1.6" else "simple"
        groups = assign_in_order(*norms, ORDER_PENALTY) if edition == "v1.6" else assign(*norms)
    return [_pair(group, kept_gold, kept, gold, found) for group in groups], matcher


def _pair(
    group: Group, gold: Sequence[Block], found: Sequence[Block], all_gold: Sequence[Block], all_found: Sequence[Block]
) -> Pair:
    golds = [gold[i] for i in group.gold]
    predicted = [found[j] for j in group.predicted]
    categories = [block.category for block in golds if block.category not in IGNORED] or [b.category for b in golds]
    category = max(categories, key=categories.count) if categories else ""
    at = tuple(place for i in group.gold if (place := all_gold[i].at))
    return Pair(
        kind="formula" if category == FORMULA or (not golds and predicted[0].kind == "formula") else "text",
        gold=_joined(golds, category == FORMULA),
        predicted=_joined(predicted, bool(predicted) and predicted[0].kind == "formula"),
        norm_gold="".join(block.norm for block in golds),
        norm_predicted="".join(block.norm for block in predicted),
        gold_category=category,
        predicted_category=predicted[0].category if predicted else "",
        gold_at=at,
        predicted_at=all_found[group.predicted[0]].at if predicted else None,
    )


def _joined(blocks: Sequence[Block], formula: bool) -> str:
    if formula and len(blocks) > 1:
        lines = " \\\\ ".join(f"{{{strip_delimiters(block.text)}}}" for block in blocks)
        return rf"\begin{{array}}{{l}} {lines} \end{{array}}"
    return "".join(block.text for block in blocks)


def _match_tables(gold: Sequence[Block], found: Sequence[Block]) -> list[Pair]:
    """Tables by the best assignment of their markup; predicted tables too many cost nothing, as upstream has it."""
    tables = [block for block in gold if block.kind == "table" and block.text]
    predicted = [block for block in found if block.kind == "table"]
    groups = assign([block.text for block in tables], [block.text for block in predicted])
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
            predicted_at=predicted[group.predicted[0]].at if group.predicted else None,
        )
        for group in groups
        if group.gold
    ]


def _loose_cells(gold: Sequence[Block], found: Sequence[Block], edition: Edition) -> list[Block]:
    """v1.5: the cells of tables that no gold table takes, as texts."""
    if edition != "v1.5" or not any(block.kind == "table" for block in gold):
        return []
    from bs4 import BeautifulSoup

    tables = [block for block in gold if block.kind == "table" and block.text]
    predicted = [block for block in found if block.kind == "table"]
    groups = assign([block.text for block in tables], [block.text for block in predicted])
    left = [predicted[j] for group in groups if not group.gold for j in group.predicted]
    cells = []
    for block in left:
        for cell in BeautifulSoup(block.text, "html.parser").find_all("td"):
            if cell.string:
                text = cell.string.replace(r"$\cdot$", "").strip()
                cells.append(Block("text", "text_all", text, text_form(text, edition), block.at))
    return cells


def _across_kinds(pairs: Sequence[Pair], edition: Edition) -> list[Pair]:
    """Since v1.5, a formula that was written as text counts as text."""
    if edition == "v1.0" or not any(pair.kind == "text" for pair in pairs):
        return list(pairs)
    moved = []
    for pair in pairs:
        if pair.kind == "formula" and pair.predicted_category not in (INLINE, FORMULA, ""):
            gold = latex_text(pair.gold) if edition == "v1.5" else strip_delimiters(pair.gold)
            moved.append(replace(pair, kind="text", gold=gold, norm_gold=text_form(gold, edition)))
        elif edition == "v1.6" and pair.kind == "text" and pair.predicted_category in (INLINE, FORMULA):
            predicted = strip_delimiters(pair.predicted)
            moved.append(replace(pair, predicted=predicted, norm_predicted=text_form(predicted, edition)))
        else:
            moved.append(pair)
    return moved


def _with_edits(pair: Pair) -> Pair:
    gold, predicted = pair.norm_gold or pair.gold, pair.norm_predicted or pair.predicted
    return replace(pair, edits=Levenshtein.distance(gold, predicted), length=max(len(gold), len(predicted)))


def _score_table(edition: Edition) -> Callable[[Pair], Pair]:
    def scored(pair: Pair) -> Pair:
        gold, predicted = table_form(pair.gold, edition), table_form(pair.predicted, edition)
        found = teds(predicted, gold)
        values = {"teds": found.teds, "teds_s": found.teds_s} if found else {"teds": 0.0, "teds_s": 0.0}
        return replace(pair, norm_gold=gold, norm_predicted=predicted, scores=values)

    return scored


def _with_cdm(pairs: Sequence[Pair], typeset: Typesetter) -> tuple[Pair, ...]:
    formulas = [pair for pair in pairs if pair.kind == "formula"]
    layouts = iter(typeset([_for_cdm(text) for pair in formulas for text in (pair.predicted, pair.gold)]))
    found = []
    for pair in pairs:
        if pair.kind == "formula":
            value = cdm(next(layouts), next(layouts))
            pair = replace(pair, scores={"cdm": value.value if value else 0.0})
        found.append(pair)
    return tuple(found)


def _for_cdm(latex: str) -> str:
    return strip_tags(strip_delimiters(latex)).strip()


def _reading_order(pairs: Sequence[Pair]) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    gold = sorted(place for pair in pairs for place in pair.gold_at)
    read = sorted(
        ((pair.predicted_at, pair.gold_at) for pair in pairs if pair.gold_at and pair.predicted_at is not None),
        key=lambda one: one[0],
    )
    predicted = tuple(place for _, places in read for place in places)
    return (tuple(gold), predicted) if gold or predicted else None


def _strict(gold: Sequence[Block], markdown: str) -> float | None:
    """Our own page reward against the gold's blocks in reading order, what upstream ignores left out."""
    pieces = []
    for block in sorted(gold, key=lambda block: block.at or 0):
        if block.category in IGNORED or not block.text.strip():
            continue
        if block.kind == "formula":
            pieces.append(f"$${strip_tags(strip_delimiters(block.text)).strip()}$$")
        elif block.kind == "table":
            pieces.append(" ".join(block.text.split()))
        else:
            text = " ".join(block.text.split())
            pieces.append(f"# {text}" if block.category == "title" and not text.startswith("#") else text)
    try:
        return score(to_dialect(markdown), to_dialect("\n\n".join(pieces)), "page").value
    except GoldError:
        return None


def _worst(matchers: Sequence[str]) -> str:
    return next((matcher for matcher in matchers if matcher != "quick"), "quick")
