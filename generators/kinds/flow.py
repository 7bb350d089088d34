"""Pages of running text: papers, reports, textbooks, newspapers, magazines, manuals, old books, slides and legal texts.

They differ in how they begin and in what stands between their paragraphs; what the page's features ask for is placed
first, so that it is on the page when the rest no longer fits.
"""

import random
from collections.abc import Callable

from proofpress.generators.kinds.page import Page
from proofpress.generators.kinds.traits import FORMULA, TABLE, WITH_FORMULA, WITH_TABLE, YES_NO, Kind

Block = Callable[[random.Random], object]
LISTS = ("none", "bullets", "numbers", "nested")
STRUCTURE = {"list": LISTS, "notes": YES_NO, "figure": YES_NO, "quote": YES_NO, "box": YES_NO}


def wanted_blocks(page: Page, rng: random.Random) -> list[Block]:
    """What the page's features ask for, each as a piece of writing, the last to be written first.

    On most pages what takes most room comes first, lest it find none.
    """
    blocks: list[Block] = []
    high: list[Block] = []
    form = page.features["formula"]
    if page.wants("formula") and form != "inline":
        numbered = page.features["formula.number"] == "yes"
        blocks.append(lambda part: page.formula(part, form, numbered=numbered))
    if page.wants("table.heads"):
        high.append(page.shaped_table)
    if page.wants("list"):
        blocks.append(lambda part: page.items(part, page.features["list"], part.randint(2, 4), math=form != "absent"))
    if page.wants("figure"):
        high.append(lambda part: page.figure(part, part.uniform(0.6, 1.0)))
    if page.wants("code"):
        high.append(page.listing)
    if page.wants("quote"):
        blocks.append(page.quote)
    if page.wants("box"):
        blocks.append(page.boxed)
    rng.shuffle(high)
    if rng.random() < 0.2:
        blocks += high
        high = []
    rng.shuffle(blocks)
    return blocks + high


def write(
    page: Page,
    *,
    sentences: tuple[int, int] = (2, 4),
    heading_every: int = 4,
    heading: Callable[[random.Random], object] | None = None,
    filler: Callable[[random.Random], bool] | None = None,
) -> None:
    """Fill the page with paragraphs, with what its features ask for between them.

    heading: writes one, where not the language's own. filler: writes something of the kind's own in place of a
    paragraph and says whether it did.
    """
    rng = page.rng("layout")
    if page.wants("sidebar"):
        page.sidebar(page.rng("sidebar"))
    blocks = wanted_blocks(page, rng)
    head = heading or page.heading
    math = page.wants("formula")
    notes = rng.randint(1, 2) if page.wants("notes") else 0
    for step, part in page.parts(len(blocks)):
        if heading_every and step % heading_every == 0:
            head(part)
        if page.wants("margin") and (blocks or step % 2 == 0):
            page.margin_note(part)
        if blocks:
            piece = page.paragraph(part, part.randint(1, 2), math=math and not notes)
        elif filler is not None and filler(part):
            continue
        else:
            piece = page.paragraph(part, part.randint(*sentences), math=math and not notes and part.random() < 0.7)
        if notes and not piece.group:
            page.note(part, piece)
            notes -= 1
        if blocks:
            blocks.pop()(part)
        elif math and page.features["formula"] != "inline" and part.random() < 0.35:
            page.formula(part, numbered=page.features["formula.number"] == "yes")


def paper(page: Page) -> None:
    rng = page.rng("masthead")
    if rng.random() < 0.6:
        page.title(rng)
        authors = ", ".join(page.language.name(rng) for _ in range(rng.randint(1, 4)))
        page.text("paragraph", authors, zone="masthead", attributes={"role": "authors"})
        if rng.random() < 0.7:
            page.paragraph(rng, rng.randint(2, 3), zone="masthead", attributes={"role": "abstract"})
    section = iter(range(rng.randint(1, 5), 99))

    def filler(part: random.Random) -> bool:
        if "references" not in page.counts and part.random() < 0.15:
            references(page, part)
            return True
        return part.random() < 0.15 and page.english_table(part, 4, 6) is not None

    write(page, heading=lambda part: page.heading(part, number=str(next(section))), filler=filler)


def references(page: Page, rng: random.Random) -> None:
    """A list of works cited."""
    page.number("references")
    page.text("heading", page.term("references"), level=2)
    for number in range(1, rng.randint(4, 9)):
        year, volume, first = rng.randrange(1950, 2026), rng.randrange(1, 90), rng.randrange(1, 900)
        work = page.language.phrase(rng, "title")
        where = f"{page.term('volume')} {volume} ({year}), {first}–{first + rng.randrange(2, 30)}"
        text = f"[{number}] {page.language.name(rng)}: {work}. {where}."
        page.text("paragraph", text, attributes={"role": "reference"})


def report(page: Page) -> None:
    rng = page.rng("masthead")
    if rng.random() < 0.7:
        page.title(rng)

    def filler(part: random.Random) -> bool:
        return part.random() < 0.35 and page.english_table(part, 8, 14) is not None

    write(page, sentences=(2, 5), heading_every=3, filler=filler)


def textbook(page: Page) -> None:
    rng = page.rng("masthead")
    chapter = rng.randint(1, 12)
    if rng.random() < 0.4:
        page.title(rng, f"{page.counted('chapter', chapter)}. {page.language.phrase(rng, 'title')}")
    section = iter(range(rng.randint(1, 6), 99))

    def filler(part: random.Random) -> bool:
        if page.wants("box") and part.random() < 0.25:
            page.boxed(part)
            return True
        return False

    write(page, heading=lambda part: page.heading(part, number=f"{chapter}.{next(section)}"), filler=filler)


def newspaper(page: Page) -> None:
    rng = page.rng("masthead")
    gap = " " if page.language.spaced else ""
    page.title(rng, f"{page.language.city(rng)}{gap}{page.term('gazette')}")
    issue = f"{page.term('issue')} {rng.randint(1, 365)}"
    line = " · ".join((page.language.date(rng), issue, page.language.money(rng.randrange(80, 450))))
    page.text("paragraph", line, zone="masthead", attributes={"role": "dateline"})
    page.text("heading", page.language.phrase(rng, "headline"), zone="masthead", level=2)
    write(page, sentences=(2, 5), heading_every=3, heading=lambda part: _article(page, part))


def _article(page: Page, rng: random.Random) -> None:
    """The beginning of an article: its headline, and who wrote it."""
    page.text("heading", page.language.phrase(rng, "headline"), level=3)
    if rng.random() < 0.6:
        byline = f"{page.language.name(rng)}, {page.language.city(rng)}"
        page.text("paragraph", byline, attributes={"role": "byline"})


def magazine(page: Page) -> None:
    rng = page.rng("masthead")
    if rng.random() < 0.75:
        page.title(rng, page.language.phrase(rng, "headline"))
        page.paragraph(rng, 1, zone="masthead", attributes={"role": "lead"})
    write(page, sentences=(3, 5), heading_every=5)


def manual(page: Page) -> None:
    rng = page.rng("masthead")
    section = iter(range(1, 99))
    chapter = rng.randint(1, 15)

    def heading(part: random.Random) -> None:
        page.heading(part, number=f"{chapter}.{next(section)}")

    def filler(part: random.Random) -> bool:
        if part.random() < 0.6:
            for step in range(part.randint(3, 5)):
                page.text("list_item", page.language.phrase(part, "instruction"), marker=f"{step + 1}.")
            return True
        if page.wants("box") and part.random() < 0.4:
            page.boxed(part, "warning")
            return True
        return False

    write(page, sentences=(1, 3), heading_every=3, heading=heading, filler=filler)


def old_book(page: Page) -> None:
    rng = page.rng("masthead")
    if rng.random() < 0.45:
        page.title(
            rng, f"{page.term('chapter')} {rng.choice(('I', 'II', 'III', 'IV', 'V', 'VII', 'IX', 'XI', 'XIV'))}."
        )
        page.text("paragraph", page.language.phrase(rng, "title"), zone="masthead", attributes={"role": "argument"})
    write(page, sentences=(4, 7), heading_every=0)


def slides(page: Page) -> None:
    rng = page.rng("layout")
    page.title(rng, page.language.phrase(rng, "heading"))
    blocks = wanted_blocks(page, rng)
    if page.wants("sidebar"):
        page.sidebar(page.rng("sidebar"))
    for step, block in enumerate(reversed(blocks)):
        block(page.rng(f"block:{step}"))
    if len(blocks) < 2:
        for _ in range(rng.randint(2, 4)):
            page.text("paragraph", page.language.phrase(rng, "item"), attributes={"role": "point"})


def legal(page: Page) -> None:
    rng = page.rng("masthead")
    if rng.random() < 0.5:
        page.title(rng)
    article = iter(range(rng.randint(1, 40), 99))
    blocks = wanted_blocks(page, rng)
    notes = 1 if page.wants("notes") else 0
    for step, part in page.parts(len(blocks) + 1):
        head = f"{page.counted('article', next(article))}. {page.language.phrase(part, 'heading')}"
        page.text("heading", head, level=2)
        for clause in range(part.randint(1, 4)):
            text = f"({page.language.localised(str(clause + 1))}) {page.language.phrase(part, 'clause')}"
            if part.random() < 0.4:
                text += (" " if page.language.spaced else "") + page.language.phrase(part, "clause")
            piece = page.text("paragraph", text, attributes={"role": "clause"})
            if notes:
                page.note(part, piece)
                notes -= 1
        if blocks and step:
            blocks.pop()(part)


KINDS = {
    "paper": Kind(paper, {"columns": ("2", "3"), **TABLE, **FORMULA, **STRUCTURE, "code": YES_NO}),
    "report": Kind(report, {**WITH_TABLE, **FORMULA, **STRUCTURE, "sidebar": YES_NO, "code": YES_NO}),
    "textbook": Kind(
        textbook,
        {**TABLE, **WITH_FORMULA, **STRUCTURE, "margin": YES_NO, "sidebar": YES_NO, "code": YES_NO},
        ("a4", "letter", "book"),
    ),
    "newspaper": Kind(
        newspaper,
        {
            "columns": ("3", "4"), "size": ("small", "medium"), "face": ("serif", "sans"), **TABLE,
            "figure": YES_NO, "quote": YES_NO, "list": ("none", "bullets"),
        },
    ),
    "magazine": Kind(
        magazine,
        {"columns": ("2", "3"), "face": ("serif", "sans"), **TABLE, **STRUCTURE, "sidebar": YES_NO},
    ),
    "manual": Kind(
        manual, {"columns": ("1", "2"), **TABLE, **STRUCTURE, "code": YES_NO, "sidebar": YES_NO, "margin": YES_NO}
    ),
    "old_book": Kind(
        old_book, {"face": ("serif",), "notes": YES_NO, "margin": YES_NO, "figure": YES_NO, "quote": YES_NO}, ("book",)
    ),
    "slides": Kind(
        slides,
        {
            "columns": ("1", "2"), "face": ("serif", "sans"), "size": ("medium", "large"),
            "density": ("normal", "tight"),
            **TABLE, "table.size": ("absent", "small"), "table.turned": ("absent", "no"),
            **FORMULA, "formula": tuple(value for value in FORMULA["formula"] if value not in ("long", "inline")),
            "list": LISTS, "figure": YES_NO,
        },
        ("screen", "projector"),
    ),
    "legal": Kind(legal, {"columns": ("1", "2"), **TABLE, "list": LISTS, "notes": YES_NO}),
}  # fmt: skip
