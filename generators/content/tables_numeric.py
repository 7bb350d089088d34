"""Tables that are counted: accounts, census, results of experiments, readings. Sums, changes and shares are exact.

Amounts are whole numbers of the last printed place, so a printed total is the sum of the printed parts. Each function
takes a stream and the most columns and rows it may use, and returns rows for ``lay_out``.

    >>> lay_out(accounts(random.Random(1), 5, 10)).rows
    9
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from random import Random

from proofpress.generators.content import grammar, prose, quantities
from proofpress.generators.content.rules import Maker
from proofpress.generators.content.table_parts import Figures, Rows, figures, head, math, runs, stub
from proofpress.pages.table import LooseCell

INCOME = (
    *("Product sales", "Services", "Licences", "Subscriptions", "Rental income", "Grants", "Donations", "Interest"),
    *("Membership fees", "Exports", "Domestic sales", "Spare parts", "Maintenance", "Consulting", "Ticket sales"),
    *("Catering", "Advertising", "Royalties", "Property tax", "Sales tax", "Customs duties", "Dividends received"),
)
EXPENSES = (
    *("Wages and salaries", "Materials", "Energy", "Rent", "Depreciation", "Marketing", "Research", "Insurance"),
    *("Transport", "Maintenance", "Legal fees", "Pensions", "IT and software", "Travel", "Interest paid", "Training"),
    *("Postage", "Cleaning", "Packaging", "Water and waste", "Audit", "Taxes", "Licence fees", "Security"),
)
AMOUNTS = ("EUR thousand", "USD million", "£’000", "€", r"\$ million", "CHF", "in millions", "SEK m", "PLN")
METRICS = (
    *(
        "Accuracy",
        "Precision",
        "Recall",
        "F1",
        "BLEU",
        "CER",
        "WER",
        "RMSE",
        "MAE",
        "AUC",
        "mAP",
        "IoU",
        "Top-1",
        "Top-5",
    ),
    *(
        "Latency (ms)",
        "Params (M)",
        "FPS",
        "Yield (%)",
        "Loss",
        "PSNR",
        "SSIM",
        "Time (s)",
        "$R^2$",
        "$\\kappa$",
        "$F_1$",
    ),
)
BLOCKS = (("Income", INCOME), ("Expenses", EXPENSES))
COUNTED = (
    *(
        ("Population", ("Men", "Women")),
        ("Residents", ("Under 65", "65 and over")),
        ("Households", ("Owned", "Rented")),
    ),
    *(
        ("Employees", ("Full-time", "Part-time")),
        ("Students", ("First year", "Other")),
        ("Dwellings", ("Urban", "Rural")),
    ),
    *(("Votes", ("Yes", "No")), ("Tickets sold", ("Adults", "Children")), ("Vehicles", ("Private", "Commercial"))),
)
REGIONS = ("North", "South", "East", "West", "Coast", "Centre", "Highlands", "Lakes", "Islands")
VARIANTS = ("Net", "v2", "base", "50", "XL", "Lite")
MISSING_SHARE = 0.06
MISSING = ("–", "—", "n/a", "", "..", "n.d.")


def accounts(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """Income and expenses over some years: items, totals, the balance, and the last change in per cent."""
    changes = max_columns >= 4 and rng.random() < 0.6
    years = rng.randrange(2, max_columns - changes)
    rows = _year_heads(rng, years, changes)
    room = max_rows - len(rows)
    blocks = BLOCKS if room >= 5 else BLOCKS[:1]
    titled = room >= 8 and rng.random() < 0.5
    most_items = (room - (len(blocks) == 2)) // len(blocks) - 1 - titled
    write = figures(rng)
    is_heading = stub(rng)

    def line(name: str, amounts: Sequence[int]) -> list[LooseCell]:
        change = [LooseCell(change_of(amounts[-2], amounts[-1], write))] if changes else []
        return [LooseCell(name, heading=is_heading), *(LooseCell(write.write(amount)) for amount in amounts), *change]

    totals = []
    for title, names in blocks:
        if titled:
            rows.append([head(title, colspan=1 + years + changes)])
        most = min(most_items, len(names))
        chosen = rng.sample(names, rng.randrange(min(2, most), most + 1))
        items = [_series(rng, years) for _ in chosen]
        rows += map(line, chosen, items)
        totals.append([sum(column) for column in zip(*items, strict=True)])
        rows.append(line(f"Total {title.lower()}", totals[-1]))
    if len(blocks) == 2:
        balance = [income - expense for income, expense in zip(*totals, strict=True)]
        rows.append(line(rng.choice(("Balance", "Net income", "Result", "Surplus")), balance))
    return rows


def _series(rng: Random, years: int) -> list[int]:
    """An amount of each year, up to a third more or less than the year before."""
    amounts = [rng.randrange(40, 90_000)]
    while len(amounts) < years:
        amounts.append(round(amounts[-1] * rng.uniform(0.7, 1.35)))
    return amounts


def _year_heads(rng: Random, years: int, changes: bool) -> Rows:
    amount, change = rng.choice(AMOUNTS), rng.choice(("Change (%)", "± %", "Growth in %"))
    first, label = rng.randrange(1995, 2026 - years), rng.choice(("{}", "{}", "FY {}", "{} (est.)"))
    labels = [head(label.format(first + k)) for k in range(years)]
    if rng.random() < 0.5:
        upper = [head(rng.choice(("", "Item", "Position")), rowspan=2), head(amount, colspan=years)]
        return [[*upper, head(change, rowspan=2)] if changes else upper, labels]
    return [[head(amount), *labels, *([head(change)] if changes else [])]]


def change_of(before: int, after: int, write: Figures) -> str:
    """The change in per cent to one place, halves away from zero; empty where there was nothing to compare with."""
    if before <= 0:
        return ""
    tenths = (Decimal(after - before) * 1000 / before).quantize(Decimal(1), ROUND_HALF_UP)
    return write.with_places(1).write(int(tenths))


def census(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """Places by two counted groups, their sum, its share of all, and a total row."""
    summed = max_columns >= 4
    regions = max_columns >= 5 and rng.random() < 0.6
    shares = max_columns >= 5 + regions and rng.random() < 0.7
    rows = _census_heads(rng, summed, regions, shares)
    write = figures(rng, places=(0,))
    is_heading = stub(rng)

    def line(name: str, counts: Sequence[int], share: int, colspan: int = 1) -> list[LooseCell]:
        cells = [LooseCell(name, colspan=colspan, heading=is_heading), *(LooseCell(write.write(n)) for n in counts)]
        if summed:
            cells.append(LooseCell(write.write(sum(counts))))
        return [*cells, LooseCell(write.with_places(1).write(share))] if shares else cells

    places = rng.randrange(2, max_rows - len(rows))
    counts = [(rng.randrange(100, 90_000), rng.randrange(100, 90_000)) for _ in range(places)]
    starts = runs(rng, places) if regions else {}
    for place, (pair, share) in enumerate(zip(counts, shares_of([sum(pair) for pair in counts]), strict=True)):
        region = [head(rng.choice(REGIONS), rowspan=starts[place])] if place in starts else []
        rows.append(region + line(prose.phrase(rng, "town"), pair, share))
    return [*rows, line("Total", [sum(column) for column in zip(*counts, strict=True)], 1000, colspan=1 + regions)]


def _census_heads(rng: Random, summed: bool, regions: bool, shares: bool) -> Rows:
    counted, groups = rng.choice(COUNTED)
    if not summed:
        return [[head(counted), *map(head, groups)]]
    region = [head("Region", rowspan=2)] if regions else []
    share = [head("Share (%)", rowspan=2)] if shares else []
    return [[*region, head("Place", rowspan=2), head(counted, colspan=3), *share], [*map(head, (*groups, "Total"))]]


def shares_of(amounts: Sequence[int]) -> list[int]:
    """Each amount's share of the sum in tenths of a per cent, by largest remainders, so that they add up to 1000."""
    total = sum(amounts)
    shares = [amount * 1000 // total for amount in amounts]
    by_remainder = sorted(range(len(amounts)), key=lambda k: (-(amounts[k] * 1000 % total), k))
    for k in by_remainder[: 1000 - sum(shares)]:
        shares[k] += 1
    return shares


def results(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """Methods by metrics, under the names of data sets where there is room, some with a standard deviation."""
    grouped = rng.random() < 0.7
    sets = rng.randrange(1, (max_columns - 1) // 2 + 1) if grouped else 1
    metrics = rng.sample(METRICS, rng.randrange(1 if sets > 1 else 2, min((max_columns - 1) // sets, len(METRICS)) + 1))
    corner = head(rng.choice(("Method", "Model", "System")), rowspan=1 + grouped)
    lower = [head(metric) for _ in range(sets) for metric in metrics]
    upper = [corner, *(head(_data_set(rng), colspan=len(metrics)) for _ in range(sets))]
    rows = [upper, lower] if grouped else [[corner, *lower]]
    is_heading, missing, places = stub(rng), rng.choice(MISSING), rng.choice((1, 2, 3))
    deviation = rng.choice((None, None, " ± ", "±", r" $\pm$ "))
    for name in _distinct(rng, _method, rng.randrange(3, max_rows - len(rows) + 1)):
        cells = [LooseCell(name, heading=is_heading)]
        for _ in lower:
            value = f"{rng.uniform(0.5, 99):.{places}f}"
            spread = f"{deviation}{rng.uniform(0.01, 2):.{places}f}" if deviation else ""
            cells.append(LooseCell(missing if rng.random() < MISSING_SHARE else value + spread))
        rows.append(cells)
    return rows


def _distinct(rng: Random, make: Maker, count: int) -> list[str]:
    made: list[str] = []
    while len(made) < count:
        text = make(rng)
        if text not in made:
            made.append(text)
    return made


def _data_set(rng: Random) -> str:
    named = f"{prose.phrase(rng, 'surname')}-{rng.randrange(10, 99)}"
    return rng.choice((prose.phrase(rng, "town"), named, "Validation", "Test set", f"Site {rng.choice('ABCD')}"))


def _method(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.3:
        return f"{prose.phrase(rng, 'surname')} {quantities.cite_number(rng)}"
    if kind < 0.5:
        return rng.choice(
            ("Ours", "Baseline", "Ours (small)", "Oracle", "w/o pre-training", "+ augmentation", "Random")
        )
    if kind < 0.65:
        return math(grammar.part(rng, "symbol"))
    return f"{quantities.draw(rng, quantities.LETTERS, rng.randrange(2, 5))}-{rng.choice(VARIANTS)}"


def readings(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """A protocol of measured quantities: symbols and units in the heading, dates or numbers in the first column."""
    columns = rng.randrange(2, max_columns)
    units = [rng.choice(quantities.UNITS) for _ in range(columns)]
    scales = [(rng.uniform(0.5, 5000), rng.choice((0, 1, 2, 3))) for _ in units]
    unit_form, is_heading, missing = (
        rng.choice(("{} ({})", "{} [{}]", "{} in {}", "{} / {}")),
        stub(rng),
        rng.choice(MISSING),
    )
    lines = rng.randrange(3, max_rows)
    title, labels = rng.choice(
        (
            ("No.", [str(k) for k in range(1, lines + 1)]),
            ("Date", [quantities.date(rng) for _ in range(lines)]),
            ("Sample", [quantities.code(rng) for _ in range(lines)]),
        )
    )
    rows = [[head(title), *(head(unit_form.format(math(grammar.part(rng, "symbol")), unit)) for unit in units)]]
    for label in labels:
        values = [f"{scale * rng.uniform(0.5, 1.5):.{places}f}" for scale, places in scales]
        cells = [LooseCell(missing if rng.random() < MISSING_SHARE else value) for value in values]
        rows.append([LooseCell(label, heading=is_heading), *cells])
    return rows
