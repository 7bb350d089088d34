"""Business papers: letters, invoices, receipts, financial statements and forms. What is counted on them adds up."""

import random
from collections.abc import Sequence

from proofpress.generators.content.table_parts import Rows, head, plain
from proofpress.generators.kinds.page import Page
from proofpress.generators.kinds.traits import WITH_TABLE, YES_NO, Kind
from proofpress.pages.table import LooseCell, lay_out

RATES = (7, 8, 10, 19, 20, 21)  # per cent of tax
BODY_ROWS = {"small": (2, 4), "medium": (5, 8), "large": (9, 14)}
BOXES = ("[ ]", "[x]")


def _table_traits(page: Page) -> dict[str, str]:
    return {axis: value for axis, value in page.features.items() if axis.startswith("table.")}


def _party(page: Page, rng: random.Random) -> tuple[str, ...]:
    return (page.language.company(rng), *page.language.address(rng))


def letter(page: Page) -> None:
    rng = page.rng("letter")
    page.lines(*_party(page, rng), zone="masthead", role="letterhead")
    page.lines(page.language.name(rng), *page.language.address(rng))
    page.text("paragraph", f"{page.language.city(rng)}, {page.language.date(rng)}", attributes={"role": "end"})
    page.text("heading", page.language.phrase(rng, "heading"), level=2)
    page.text("paragraph", page.term("dear"), attributes={"role": "start"})
    gap = " " if page.language.spaced else ""
    for step in range(rng.randint(2, 5)):
        sentences = [page.language.phrase(rng, "letter") for _ in range(rng.randint(1, 3))]
        piece = page.text("paragraph", gap.join(sentences))
        if step == 0 and page.wants("list"):
            page.items(rng, page.features["list"], rng.randint(2, 3))
        elif step == 1 and page.wants("notes"):
            page.note(rng, piece)
    if page.wants("table.heads"):
        page.shaped_table(rng)
    page.text("paragraph", page.term("regards"), attributes={"role": "start"})
    page.text("paragraph", page.language.name(rng), attributes={"role": "signature"})


def invoice(page: Page) -> None:
    rng = page.rng("invoice")
    page.title(rng, f"{page.term('invoice')} {rng.randrange(1000, 99999)}")
    page.group = "parties:pair"
    page.lines(*_party(page, rng), f"{page.term('phone')}: {page.language.phone(rng)}", zone="masthead")
    meta = (
        f"{page.term('date')}: {page.language.date(rng)}",
        f"{page.term('due')}: {page.language.date(rng)}",
        f"{page.term('number')} {rng.choice('ABCDE')}-{rng.randrange(10**4, 10**6)}",
    )
    page.lines(*meta, zone="masthead")
    page.group = ""
    page.lines(f"{page.term('customer')}:", *_party(page, rng))
    rows, total = _invoice_rows(page, rng)
    page.grid(lay_out(rows), traits=_table_traits(page), attributes={"role": "wide"})
    page.text("paragraph", f"{page.term('total')}: {page.language.money(total)}", attributes={"role": "sum"})
    page.paragraph(rng, rng.randint(1, 2))
    if page.wants("notes"):
        page.note(rng, page.pieces[-1])
    page.text("paragraph", f"IBAN: {_iban(rng)}", attributes={"role": "start"})


def _invoice_rows(page: Page, rng: random.Random) -> tuple[Rows, int]:
    term, amount = page.term, page.language.amount
    rows: Rows = [[head(term(key)) for key in ("number", "description", "quantity", "price", "amount")]]
    net = 0
    if page.features["table.continued"] == "yes":
        net = rng.randrange(10_000, 900_000)
        rows.append([LooseCell(term("brought"), colspan=4), LooseCell(amount(net))])
    digits = page.language.localised
    for number in range(1, rng.randint(*BODY_ROWS[page.features["table.size"]]) + 1):
        count, price = rng.randrange(1, 40), rng.randrange(150, 90_000)
        net += count * price
        name = plain(page.language.phrase(rng, rng.choice(("thing", "item"))))
        cells = (digits(str(number)), name, digits(str(count)), amount(price), amount(count * price))
        rows.append([LooseCell(cell) for cell in cells])
    rate = rng.choice(RATES)
    tax = net * rate // 100
    for label, value in ((term("net"), net), (f"{term('tax')} {digits(str(rate))}%", tax), (term("total"), net + tax)):
        rows.append([LooseCell(label, colspan=4, heading=value == net + tax), LooseCell(amount(value))])
    return rows, net + tax


def _iban(rng: random.Random) -> str:
    groups = [f"{rng.randrange(10_000):04}" for _ in range(4)]
    country = rng.choice(("DE", "FR", "PL", "ES", "GB"))
    return f"{country}{rng.randrange(10, 99)} {' '.join(groups)} {rng.randrange(100):02}"


def receipt(page: Page) -> None:
    rng = page.rng("receipt")
    page.lines(*_party(page, rng), zone="masthead", role="shop")
    page.text(
        "paragraph", f"{page.term('receipt')} {rng.randrange(100, 9999)}", zone="masthead", attributes={"role": "shop"}
    )
    amount = page.language.amount
    total, rows = 0, []
    for _ in range(rng.randint(*BODY_ROWS[page.features["table.size"]])):
        count, price = rng.choice((1, 1, 1, 2, 3)), rng.randrange(50, 9000)
        total += count * price
        name = plain(page.language.phrase(rng, "thing"))
        rows.append([LooseCell(f"{page.language.localised(str(count))} x {name}"), LooseCell(amount(count * price))])
    rows.append([LooseCell(page.term("total"), heading=True), LooseCell(amount(total))])
    given = (total // 1000 + 1) * 1000
    rows += [
        [LooseCell(page.term("cash")), LooseCell(amount(given))],
        [LooseCell(page.term("change")), LooseCell(amount(given - total))],
    ]
    page.grid(lay_out(rows), traits=_table_traits(page), attributes={"role": "wide"})
    page.text(
        "paragraph",
        f"{page.language.date(rng)} {rng.randrange(8, 21):02}:{rng.randrange(60):02}",
        attributes={"role": "shop"},
    )
    page.text("paragraph", page.term("thanks"), attributes={"role": "shop"})


def statement(page: Page) -> None:
    """A financial statement: income and expenses, or assets and liabilities, over some years."""
    rng = page.rng("statement")
    page.text("title", page.language.company(rng), zone="masthead", level=1)
    page.text("heading", page.language.phrase(rng, "title"), zone="masthead", level=2)
    sides = rng.choice((("income", "expenses"), ("assets", "liabilities")))
    years = rng.choice((2, 2, 3, 4))
    last = rng.randrange(1998, 2026)
    labels = [head(page.language.localised(str(last - n))) for n in range(years)]
    two = page.features["table.heads"] == "2"
    tall = two and page.features["table.spans"] == "both"
    unit = head(plain(f"{page.language.currency} 1000"), colspan=years)
    rows: Rows = [[head(page.term("item"), rowspan=2), unit], labels] if tall else []
    if not tall:
        rows = [[head(page.term("group")), unit]] if two else []
        rows.append([head(page.term("item")), *labels])
    totals = []
    few, many = BODY_ROWS[page.features["table.size"]]
    for side in sides:
        rows.append([LooseCell(page.term(side), colspan=years + 1, heading=True)])
        items = [[rng.randrange(200, 90_000) for _ in range(years)] for _ in range(rng.randint(few, many) // 2 + 1)]
        rows += [
            _line(page, plain(page.language.phrase(rng, rng.choice(("thing", "measure")))), item) for item in items
        ]
        totals.append([sum(column) for column in zip(*items, strict=True)])
        rows.append(_line(page, f"{page.term('total')} {page.term(side).lower()}", totals[-1]))
    balance = [one - other for one, other in zip(*totals, strict=True)]
    rows.append(_line(page, page.term("balance"), balance))
    page.grid(lay_out(rows), traits=_table_traits(page), attributes={"role": "wide"})
    piece = page.paragraph(rng, rng.randint(1, 3))
    if page.wants("notes"):
        page.note(rng, piece)
    for _ in range(rng.randint(0, 2)):
        page.heading(rng)
        page.paragraph(rng, rng.randint(2, 4))


def _line(page: Page, name: str, values: Sequence[int]) -> list[LooseCell]:
    write = page.language.number
    return [LooseCell(name), *(LooseCell(write(value) if value >= 0 else f"({write(-value)})") for value in values)]


def form(page: Page) -> None:
    rng = page.rng("form")
    page.title(rng, page.term("form"))
    page.paragraph(rng, 1)
    filled = rng.random() < 0.75
    language = page.language
    answers = {
        "name": language.name(rng),
        "birth": language.date(rng),
        "address": ", ".join(language.address(rng)),
        "city": language.city(rng),
        "phone": language.phone(rng),
        "customer": f"{rng.randrange(10**5, 10**7)}",
        "amount": language.money(rng.randrange(1000, 10**7)),
        "remarks": language.phrase(rng, "item"),
    }
    keys = list(answers)
    empty = page.features["table.empty"] == "yes"
    few, many = BODY_ROWS[page.features["table.size"]]
    keys = keys[: max(3, min(len(keys), rng.randint(few, many)))]
    blanks = set(rng.sample(keys, rng.randint(1, 2))) if empty else set()
    if empty and not filled:
        blanks = set(keys)
    rows: Rows = [
        [LooseCell(page.term(key), heading=True), LooseCell("" if key in blanks else plain(answers[key]))]
        for key in keys
    ]
    page.grid(lay_out(rows), traits=_table_traits(page), attributes={"role": "wide"})
    for _ in range(rng.randint(1, 4)):
        page.text("paragraph", page.language.phrase(rng, "question"), attributes={"role": "start"})
        chosen = rng.randrange(2)
        options = [f"{BOXES[place == chosen]} {page.term(key)}" for place, key in enumerate(("yes", "no"))]
        page.text("paragraph", "   ".join(options).replace("   ", " "), attributes={"role": "start"})
    if page.wants("box"):
        page.boxed(rng, "note")
    page.text("paragraph", f"{page.term('date')}: {language.date(rng)}", attributes={"role": "field"})
    page.text("paragraph", f"{page.term('signature')}: {language.name(rng)}", attributes={"role": "field"})


_PLAIN = {"table.cells": ("words",), "table.turned": ("no",)}
KINDS = {
    "letter": Kind(
        letter,
        {
            "list": ("none", "bullets", "numbers"), "notes": YES_NO,
            **{axis: ("absent", *values) for axis, values in WITH_TABLE.items()}, "table.size": ("absent", "small"),
        },
    ),
    "invoice": Kind(
        invoice,
        {
            **WITH_TABLE, **_PLAIN, "table.heads": ("1",), "table.spans": ("column",), "table.empty": ("no",),
            "table.numbers": ("money",), "notes": YES_NO,
        },
    ),
    "receipt": Kind(
        receipt,
        {
            **WITH_TABLE, **_PLAIN, "table.heads": ("0",), "table.spans": ("none",),
            "table.style": ("borderless", "rules"), "table.empty": ("no",), "table.numbers": ("money",),
            "table.continued": ("no",), "head": ("no",),
            "number": ("no",), "size": ("small", "medium"),
        },
        ("slip",),
    ),
    "statement": Kind(
        statement,
        {
            **WITH_TABLE, **_PLAIN, "table.heads": ("1", "2"), "table.spans": ("column", "both"),
            "table.empty": ("no",), "table.numbers": ("brackets",), "table.continued": ("no",), "notes": YES_NO,
        },
    ),
    "form": Kind(
        form,
        {
            **WITH_TABLE, **_PLAIN, "table.heads": ("0",), "table.spans": ("none",), "table.numbers": ("plain",),
            "table.style": ("grid", "rules"), "table.continued": ("no",), "box": YES_NO,
        },
    ),
}  # fmt: skip
