"""OmniDocBench (arXiv 2412.07626): a page's blocks matched with their gold and scored by kind.

Text and formulas by edit distance, tables by TEDS, formulas by CDM, reading order by the order of the matched texts;
all are means over pages of means over blocks, and Overall = ((1 - text edit) + TEDS + CDM) / 3 in percent. Editions:

- ``v1.0`` matches each kind by itself; the results recorded with upstream's demo are of this edition.
- ``v1.5`` matches text and formulas together, sets captions, heads and feet aside first, and scores a formula that was
  written as text as text.
- ``v1.6`` folds more in its normal forms, leaves out what the gold ignores, reads the order of formulas and tables too,
  and matches badly read texts and all displayed formulas anew (``pairing_v16``).

    result = evaluate(gold_pages, predictions, "v1.6", typeset)
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rapidfuzz.distance import Levenshtein

from proofpress.model.bench import pairing, pairing_v16
from proofpress.model.bench.blocks import FORMULA, IGNORED, Block, predicted_blocks
from proofpress.model.bench.cdm import cdm
from proofpress.model.bench.cdm_forms import cdm_forms
from proofpress.model.bench.dialect import to_dialect
from proofpress.model.bench.gold import gold_blocks
from proofpress.model.bench.normal_forms import Edition, strip_delimiters, strip_tags, table_form
from proofpress.model.bench.results import BenchResult, PageResult, Pair
from proofpress.model.rewards import GoldError, score
from proofpress.model.rewards.teds import teds
from proofpress.model.rewards.unit_tests.glyphs import Typesetter


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
    tables = pairing.pair_tables(gold, found, edition)
    if edition == "v1.6":
        pairs, matcher = pairing_v16.pair_up(gold, found)
        order = _reading_order([*pairs, *tables])
    else:
        pairs, matcher = pairing.pair_up(gold, found, edition)
        order = _reading_order([one for one in pairs if one.gold_category != FORMULA and one.kind == "text"])
    scored = tuple(map(_with_edits, [*pairs, *map(_score_table(edition), tables)]))
    if typeset is not None:
        scored = _with_cdm(scored, edition, typeset)
    return PageResult(
        image, page["page_info"].get("page_attribute", {}), scored, order, _strict(gold, markdown), matcher
    )


def image_name(page: Mapping[str, Any]) -> str:
    """The file name of a gold page's image."""
    return str(page["page_info"]["image_path"]).replace("\\", "/").rsplit("/", 1)[-1]


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


def _with_cdm(pairs: Sequence[Pair], edition: Edition, typeset: Typesetter) -> tuple[Pair, ...]:
    """The pairs with CDM for formulas, to three digits as upstream has it; the best of the prediction's forms."""
    forms = {number: cdm_forms(one, edition) for number, one in enumerate(pairs) if one.kind == "formula"}
    layouts = iter(typeset([text for gold, predicted in forms.values() for text in (gold, *predicted)]))
    found = list(pairs)
    for number, (_, predicted) in forms.items():
        gold = next(layouts)
        values = [cdm(next(layouts), gold) for _ in predicted]
        best = max(round(one.value, 3) if one else 0.0 for one in values)
        found[number] = replace(pairs[number], scores={"cdm": best})
    return tuple(found)


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
