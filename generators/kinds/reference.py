"""Pages one looks things up on, and pages with little or nothing: dictionary, index, formula sheet, table page, exam,
cover and blank page."""

import random

from proofpress.generators.content import problems
from proofpress.generators.content.sympy_atoms import statement
from proofpress.generators.kinds.flow import LISTS, wanted_blocks
from proofpress.generators.kinds.page import Page
from proofpress.generators.kinds.traits import FORMULA, TABLE, WITH_FORMULA, WITH_TABLE, YES_NO, Kind
from proofpress.pages.markdown import Run

CLASSES = {"en": ("n.", "v.", "adj.")}  # word classes of a dictionary
ENTRIES = 60


def _words(page: Page, rng: random.Random, count: int) -> list[str]:
    """Different words of the language, sorted."""
    words: set[str] = set()
    for _ in range(20 * count):
        if len(words) == count:
            break
        word = page.language.words(rng, "thing")
        if words and rng.random() < 0.4:
            word = f"{word} ({page.language.words(rng, 'thing')})"
        words.add(word)
    return sorted(words)


def dictionary(page: Page) -> None:
    rng = page.rng("entries")
    words = iter(_words(page, rng, ENTRIES))
    classes = CLASSES.get(page.language.code, ("",))
    notes = 1 if page.wants("notes") else 0
    gap = " " if page.language.spaced else ""
    for _, part in page.parts():
        word = next(words, None)
        if word is None:
            break
        meanings = [page.language.phrase(part, "definition") for _ in range(part.randint(1, 3))]
        numbered = [f"{n}. {text}" for n, text in enumerate(meanings, 1)] if len(meanings) > 1 else meanings
        parts = (word, part.choice(classes), "; ".join(numbered))
        text = " ".join(piece for piece in parts if piece)
        if part.random() < 0.5:
            text += f".{gap}" + "".join(run.text for run in page.language.paragraph(part, 1))
        piece = page.text("paragraph", text, attributes={"role": "entry"})
        if notes:
            page.note(part, piece)
            notes -= 1


def index(page: Page) -> None:
    rng = page.rng("entries")
    if rng.random() < 0.5:
        page.title(rng, page.term("index"))
    letter = ""
    words = iter(_words(page, rng, 2 * ENTRIES))
    cased = page.language.script in ("latin", "greek", "cyrillic")
    for _, part in page.parts():
        word = next(words, None)
        if word is None:
            break
        if cased and word[0].upper() != letter:
            letter = word[0].upper()
            page.text("heading", letter, level=3)
        pages = sorted(part.sample(range(1, 400), part.randint(1, 3)))
        places = ", ".join(page.language.localised(f"{n}–{n + 2}" if part.random() < 0.2 else str(n)) for n in pages)
        page.text("paragraph", f"{word}, {places}", attributes={"role": "entry"})


def formula_sheet(page: Page) -> None:
    rng = page.rng("sheet")
    page.title(rng)
    blocks = wanted_blocks(page, rng)
    numbered = page.features["formula.number"] == "yes"
    for step, part in page.parts(len(blocks)):
        if step % 3 == 0:
            page.heading(part, level=3)
        if step % 3 == 1 and part.random() < 0.4:
            page.paragraph(part, 1, math=True)
        if blocks:
            blocks.pop()(part)
        for _ in range(part.randint(1, 3)):
            page.formula(part, numbered=numbered)


def data(page: Page) -> None:
    """A page around one large table, as a scientific supplement has it."""
    rng = page.rng("data")
    if rng.random() < 0.5:
        page.heading(rng)
    piece = page.paragraph(rng, rng.randint(1, 2))
    if page.wants("notes"):
        page.note(rng, piece)
    page.shaped_table(rng)
    if page.features["table.size"] != "large":
        page.paragraph(rng, rng.randint(2, 4))
        page.english_table(rng, 8, 12)
    page.paragraph(rng, rng.randint(2, 4))


def exam(page: Page) -> None:
    rng = page.rng("layout")
    page.title(rng)
    if rng.random() < 0.6:
        page.paragraph(page.rng("instructions"), rng.randint(1, 2))
    first = rng.randint(1, 12)
    blocks = wanted_blocks(page, rng)
    for step, part in page.parts(len(blocks)):
        if step % 6 == 0 and part.random() < 0.5:
            page.text("heading", f"{page.term('part')} {'ABCDEFGH'[step // 6 % 8]}", level=2)
        page.add("list_item", runs=_problem(page, part), marker=f"{first + step}.", traits=_inline_traits(page))
        if blocks:
            blocks.pop()(part)


def _inline_traits(page: Page) -> dict[str, str]:
    return {"formula": "inline", "formula.font": page.features["formula.font"]} if page.wants("formula") else {}


def _problem(page: Page, rng: random.Random) -> tuple[Run, ...]:
    points = f" ({page.language.localised(str(rng.randint(1, 9)))} {page.term('points')})" if rng.random() < 0.6 else ""
    if page.language.code == "en" and not page.style.math_font and page.wants("formula"):
        return problems.problem(rng)
    gap = " " if page.language.spaced else ""
    question = page.language.phrase(rng, "question") + gap
    if not page.wants("formula"):
        return (Run("text", question + page.language.phrase(rng, "question") + points),)
    said = statement(rng)
    latex = f"{said.left} = {said.right}"
    if len(latex) > 60 or "matrix" in latex or page.style.math_font:
        latex = page.inline(rng)
    return (Run("text", question), Run("math", latex), Run("text", points or "."))


def cover(page: Page) -> None:
    """A page with a few lines in its middle: a half title, a part's title, or the word that it is left blank."""
    rng = page.rng("cover")
    kind = rng.random()
    if kind < 0.3:
        page.text("paragraph", page.term("blank"), attributes={"role": "centre"})
        return
    if kind < 0.6:
        page.text("heading", page.counted("part", rng.randint(1, 6)), level=2)
    page.title(rng, zone="body")
    if kind > 0.45:
        page.text("paragraph", page.language.name(rng), attributes={"role": "centre"})
    if kind > 0.75:
        year = page.language.localised(str(rng.randrange(1890, 2026)))
        page.text("paragraph", f"{page.language.city(rng)}, {year}", attributes={"role": "centre"})


def blank(page: Page) -> None:
    """Nothing but what every page has."""


KINDS = {
    "dictionary": Kind(dictionary, {"columns": ("2", "3"), "size": ("small", "medium"), "notes": YES_NO}),
    "index": Kind(index, {"columns": ("2", "3", "4"), "size": ("small", "medium")}),
    "formula_sheet": Kind(formula_sheet, {"columns": ("1", "2"), **WITH_FORMULA, "box": YES_NO, **TABLE}),
    "data": Kind(data, {**WITH_TABLE, "notes": YES_NO}),
    "exam": Kind(
        exam, {"columns": ("1", "2"), **TABLE, **FORMULA, "figure": YES_NO, "list": LISTS, "box": YES_NO}
    ),
    "cover": Kind(cover, {"density": ("loose", "normal")}),
    "blank": Kind(blank),
}  # fmt: skip
