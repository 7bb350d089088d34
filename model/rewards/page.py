r"""The reward of a page: its text, formulas, tables and structure, each scored apart and combined as the recipe says.

Text is compared as one string in reading order, in which every formula and table leaves a mark: what stands in the
wrong place costs edits. Formulas, in lines and displayed, and tables are compared as what they are. A term is scored
where the gold *or* the prediction has it, so that what is invented costs as well as what is missing.

    >>> [one.latex for one in read_page("Mass $m$ is:\n\n$$E$$").formulas]
    ['m', 'E']
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from math import prod

from proofpress.model.rewards import formula, structure, table, text
from proofpress.model.rewards.formula import Formula
from proofpress.model.rewards.recipe import RewardRecipe
from proofpress.model.rewards.scoring import GoldError, Score
from proofpress.model.rewards.soundness import Content
from proofpress.model.rewards.structure import Block
from proofpress.pages import markdown
from proofpress.pages.text import normalise

#: Stands in the text where a formula or a table stands on the page. Of ASCII, so that most texts are, which is quicker.
MARK = "\x1a"

_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Page:
    """A page's content by kind, each in reading order. text: with a ``MARK`` for each formula and table. tables: their
    markup. blocks: what ``structure`` compares."""

    text: str
    formulas: tuple[Formula, ...]
    tables: tuple[str, ...]
    blocks: tuple[Block, ...]

    def sizes(self) -> dict[str, int]:
        """How much there is of each kind of content: characters, formula nodes, characters and tags of tables."""
        return {
            "text": len(self.text.replace(MARK, "").strip()),
            "formulas": sum(map(formula.size, self.formulas)),
            "tables": sum(map(len, self.tables)),
        }


def read_page(page: str) -> Page:
    """The page by kind. Headings, list items and notes keep their signs in the text; code is text."""
    read = markdown.read(page.replace(MARK, ""))
    lines: list[str] = []
    latex: list[str] = []
    displayed: dict[int, int] = {}  # the number of each formula that is a block
    for number, block in enumerate(read):
        if block.kind == "formula":
            displayed[number] = len(latex)
            latex.append(block.text)
            lines.append(MARK)
        elif block.kind == "table":
            lines.append(MARK)
        elif block.kind == "code":
            lines.append(block.text)
        else:  # one paragraph may be written on one line or on several
            runs = markdown.runs(block.text)
            latex += [run.text for run in runs if run.kind == "math"]
            lines.append("".join(MARK if run.kind == "math" else run.text.replace("\n", " ") for run in runs))
    formulas = formula.read(latex)
    shown = {number: formula.spelling(formulas[place]) for number, place in displayed.items()}
    shown |= {number: unescape(_TAG.sub(" ", block.text)) for number, block in enumerate(read) if block.kind == "table"}
    return Page(
        text="\n".join(f"{_sign(block)} {line}".strip() for block, line in zip(read, lines, strict=True)),
        formulas=tuple(formulas),
        tables=tuple(block.text for block in read if block.kind == "table"),
        blocks=tuple(
            Block(block.kind, text, block.level, block.marker)
            for block, text in zip(
                read, _each_on_a_line(shown.get(i, line) for i, line in enumerate(lines)), strict=True
            )
        ),
    )


def _each_on_a_line(texts: Iterable[str]) -> list[str]:
    """The texts normalised, each on one line; all at once, which is quicker."""
    lines = [text.replace("\r", " ").replace("\n", " ") for text in texts]
    return normalise("\n".join(lines)).split("\n") if lines else []


def content(text: str, page: Page) -> Content:
    """A page as ``soundness`` looks at it."""
    return Content(text, [block.text for block in page.blocks], [one.latex for one in page.formulas])


def compare(prediction: Page, gold: Page, recipe: RewardRecipe, tests: float | None = None) -> Score:
    """The terms of a page and their combination, not yet discounted.

    tests: the share of the record's unit tests that pass, where it has any. Parts: each term, and each term's own parts
    as ``text.words``. A kind of content that the gold has not scores 0. Raises ``GoldError`` for an empty gold.
    """
    found, expected = prediction.sizes(), gold.sizes()
    terms: dict[str, Score] = {}
    if expected["text"]:
        terms["text"] = text.compare(prediction.text, gold.text)
    if gold.formulas:
        terms["formulas"] = formula.compare_read(prediction.formulas, gold.formulas)
    if gold.tables:
        terms["tables"] = table.compare(prediction.tables, gold.tables)
    if not terms:
        raise GoldError("the gold has no text, formula or table")
    weights = {
        kind: getattr(recipe.weights, kind) * min(1.0, max(found[kind], expected[kind]) / recipe.substance)
        for kind in terms
    }
    for kind, size in found.items():
        if size and kind not in terms:
            terms[kind] = Score(0.0, evidence=f"the gold has no {kind}")
            weights[kind] = getattr(recipe.weights, kind)
    terms["structure"] = structure.compare(prediction.blocks, gold.blocks)
    weights["structure"] = recipe.weights.structure
    if tests is not None:
        terms["tests"] = Score(tests)
        weights["tests"] = recipe.weights.tests
    parts = {term: score.value for term, score in terms.items()}
    parts |= {f"{term}.{name}": part for term, score in terms.items() for name, part in score.parts.items()}
    if not prediction.blocks:
        return Score(0.0, parts, "empty", "the prediction is empty")
    troubled = next((score for score in terms.values() if score.status not in ("ok", "empty")), None)
    status, evidence = (troubled.status, troubled.evidence) if troubled else ("ok", "")
    return Score(combine({term: terms[term].value for term in terms}, weights, recipe), parts, status, evidence)


def combine(terms: Mapping[str, float], weights: Mapping[str, float], recipe: RewardRecipe) -> float:
    """One value of terms in 0..1: 1 where all are, and never lower where one of them is higher."""
    heaviest = max(weights.values())
    if not heaviest:
        return 0.0
    if recipe.combine == "mean":
        return sum(weights[term] * value for term, value in terms.items()) / sum(weights.values())
    shares = (1 - (1 - recipe.floor) * (1 - value) for value in terms.values())
    return prod(share ** (weights[term] / heaviest) for term, share in zip(terms, shares, strict=True))


def _sign(block: markdown.Block) -> str:
    return {"heading": "#" * block.level, "list_item": block.marker, "note": f"[^{block.marker}]:"}.get(block.kind, "")
