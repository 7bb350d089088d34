"""Tables that are read: timetables, rosters, comparisons, lists of symbols and of identities.

Each function takes a stream and the most columns and rows it may use, and returns rows for ``lay_out``.

    >>> lay_out(timetable(random.Random(1), 3, 8)).columns
    3
"""

from itertools import cycle
from random import Random

from proofpress.generators.content import formulas, grammar, prose, quantities
from proofpress.generators.content.sympy_atoms import statement
from proofpress.generators.content.table_parts import Rows, head, math, plain, runs, stub
from proofpress.pages.table import LooseCell

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
SUBJECTS = (
    *("Algebra", "Analysis", "Anatomy", "Biology", "Chemistry", "Drawing", "Ethics", "French", "Geography", "Geometry"),
    *(
        "German",
        "History",
        "Latin",
        "Law I",
        "Logic",
        "Mechanics",
        "Music",
        "Optics",
        "Physics",
        "Physics lab",
        "Sport",
    ),
    *("Statistics", "Thesis seminar", "Tutorial", "Workshop", "Writing", "Economics II", "Compilers", "Genetics"),
)
BREAKS = ("Lunch break", "Break", "Assembly", "Office hours", "Coffee", "No classes")
SHIFTS = ("early", "late", "night", "off", "day", "on call", "E", "L", "N", "7–15", "14–22", "")
ABSENCES = ("on leave", "training", "sick", "holiday", "conference")
CATEGORIES = ("Basics", "Security", "Support", "Hardware", "Pricing", "Data", "Access", "Limits", "Export")
FEATURES = (
    *(
        "API access",
        "Backups",
        "Bulk import",
        "Custom domain",
        "Dark mode",
        "Encryption",
        "Free updates",
        "Guest users",
    ),
    *("History", "Invoices", "Languages", "Mobile app", "Offline use", "Phone support", "Reports", "Single sign-on"),
    *(
        "Storage",
        "Templates",
        "Two-factor login",
        "Uptime",
        "Users",
        "Warranty",
        "Weekend support",
        "Webhooks",
        "Weight",
    ),
)
PLANS = ("Basic", "Plus", "Pro", "Team", "Premium", "Free", "Business", "Model A", "Model B", "Type II", "2023", "2024")
ANSWERS = ("yes", "yes", "no", "no", "–", "optional", "limited", "×", "included", "from 2025", "on request", "")
CONDITIONS = (r"$x \neq 0$", r"$n \ge 1$", "always", "–", r"$|x| < 1$", r"$a > 0$", r"$n \in \mathbb{N}$", "")
EMPTY_SLOT_SHARE = 0.12


def timetable(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """Hours by days; a lesson may last several hours, a break spans all days."""
    is_heading = stub(rng)
    days = rng.randrange(2, min(max_columns, len(DAYS) + 1))
    hours = rng.randrange(3, max_rows)
    short = rng.random() < 0.4
    top = [head(rng.choice(("Time", "Hour", ""))), *(head(day[:3] if short else day) for day in DAYS[:days])]
    pause = rng.randrange(1, hours) if rng.random() < 0.6 else hours
    start, pattern = rng.randrange(7, 10), rng.choice(("{0}:00–{1}:00", "{0:02}.00", "{0}–{1}", "{0}.15–{1}.00"))
    rows = [top]
    busy_until = [0] * days
    for hour in range(hours):
        line = [LooseCell(pattern.format(start + hour, start + hour + 1), heading=is_heading)]
        if hour == pause:
            rows.append([*line, LooseCell(rng.choice(BREAKS), colspan=days)])
            continue
        end = pause if hour < pause else hours
        for day in range(days):
            if busy_until[day] > hour:
                continue
            length = min(rng.choice((1, 1, 1, 2, 2, 3)), end - hour)
            busy_until[day] = hour + length
            line.append(LooseCell("" if rng.random() < EMPTY_SLOT_SHARE else _lesson(rng), rowspan=length))
        rows.append(line)
    return rows


def _lesson(rng: Random) -> str:
    subject = rng.choice(SUBJECTS)
    kind = rng.random()
    if kind < 0.25:
        return f"{subject} ({rng.choice('ABCDEH')}{rng.randrange(1, 400)})"
    return f"{subject}, {prose.phrase(rng, 'surname')}" if kind < 0.4 else subject


def roster(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """People by days with their shifts; an absence spans the days it lasts."""
    is_heading = stub(rng)
    days = rng.randrange(2, min(max_columns, len(DAYS) + 1))
    shifts = rng.sample(SHIFTS, 5)
    first = rng.randrange(1, 24)
    labels = DAYS[:days] if rng.random() < 0.5 else [f"{day[:3]} {first + k}" for k, day in enumerate(DAYS[:days])]
    rows = [[head(rng.choice(("Name", "Staff", "Employee"))), *map(head, labels)]]
    if rng.random() < 0.4:
        title = f"{rng.choice(('Week', 'Roster, week', 'Shift plan, week'))} {rng.randrange(1, 53)}"
        rows.insert(0, [head(title, colspan=days + 1)])
    for _ in range(rng.randrange(2, max_rows - len(rows) + 1)):
        line, day = [LooseCell(prose.name(rng), heading=is_heading)], 0
        while day < days:
            length = min(rng.randrange(2, 5), days - day) if rng.random() < 0.12 else 1
            line.append(LooseCell(rng.choice(ABSENCES if length > 1 else shifts), colspan=length))
            day += length
        rows.append(line)
    return rows


def comparison(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """Features by products, in words; features may be gathered under categories."""
    is_heading = stub(rng)
    grouped = max_columns >= 4 and rng.random() < 0.6
    plans = rng.sample(PLANS, rng.randrange(2, min(max_columns - grouped, len(PLANS))))
    rows = [[head(rng.choice(("Feature", "")), colspan=1 + grouped), *map(head, plans)]]
    features = rng.sample(FEATURES, rng.randrange(3, min(max_rows, len(FEATURES))))
    categories = cycle(rng.sample(CATEGORIES, len(CATEGORIES)))
    starts = runs(rng, len(features)) if grouped else {}
    for place, feature in enumerate(features):
        line = [head(next(categories), rowspan=starts[place])] if place in starts else []
        line.append(LooseCell(feature, heading=is_heading))
        if rng.random() < 0.12:
            line.append(LooseCell(rng.choice(("all plans", "not available", "see section 4")), colspan=len(plans)))
        else:
            line += [LooseCell(_answer(rng)) for _ in plans]
        rows.append(line)
    return rows


def _answer(rng: Random) -> str:
    if rng.random() < 0.25:
        amount = quantities.attach(quantities.decimal(rng), rng.choice(("GB", "users", "h", "days", "MB")))
        return plain(rng.choice((amount, quantities.money(rng))))
    return rng.choice(ANSWERS)


def symbols(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """A list of symbols: the symbol, its meaning, its unit, and where there is room a value."""
    columns = ("Symbol", "Meaning", "Unit", "Value")[: min(max_columns, rng.choice((3, 4)))]
    rows = [[head(column) for column in columns]]
    own = prose.voice(rng)
    for _ in range(rng.randrange(3, max_rows)):
        unit = grammar.part(rng, "unit")
        cells = [math(grammar.part(rng, "symbol")), plain(prose.phrase(rng, "measure", own))]
        cells.append(rng.choice((math(rf"\mathrm{{{unit}}}"), rng.choice(quantities.UNITS), "–", "1")))
        if len(columns) == 4:
            cells.append(math(grammar.part(rng, "number")) if rng.random() < 0.5 else quantities.decimal(rng))
        rows.append([LooseCell(cell) for cell in cells])
    return rows


def identities(rng: Random, max_columns: int, max_rows: int) -> Rows:
    """A collection of formulas: number or name, both sides of an identity, a condition."""
    rows = [[head(rng.choice(("No.", "Eq.", "Rule"))), head("Left side"), head("Right side")]]
    conditions = max_columns >= 4 and rng.random() < 0.5
    if conditions:
        rows[0].append(head("Condition"))
    if rng.random() < 0.4:
        rows[0][1:3] = [head("Identity", colspan=2)]
    for number in range(1, rng.randrange(3, max_rows)):
        if rng.random() < 0.2:
            line = [LooseCell(f"({number})"), LooseCell(math(formulas.inline(rng)), colspan=2)]
        else:
            said = statement(rng)
            while "matrix" in said.left or len(said.left) + len(said.right) > 90:
                said = statement(rng)
            line = [LooseCell(f"({number})"), LooseCell(math(said.left)), LooseCell(math(said.right))]
        rows.append(line + ([LooseCell(rng.choice(CONDITIONS))] if conditions else []))
    return rows
