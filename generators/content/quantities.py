"""Numbers, units, money, dates, citations and codes as they stand in running text.

Each maker draws a form as well as a value, so the characters around digits vary: separators, signs, ranges, units.

    >>> MAKERS["quantity"](random.Random(5))
    '4,226.820 km'
"""

import string
from collections.abc import Mapping, Sequence
from random import Random

from proofpress.generators.content.rules import Maker

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
UNITS = (
    *(
        "m",
        "mm",
        "cm",
        "km",
        "µm",
        "nm",
        "g",
        "kg",
        "mg",
        "µg",
        "t",
        "s",
        "ms",
        "µs",
        "min",
        "h",
        "days",
        "weeks",
        "years",
    ),
    *("°C", "K", "J", "kJ", "kWh", "MWh", "W", "kW", "MW", "V", "mV", "kV", "A", "mA", "Hz", "kHz", "MHz", "GHz"),
    *("Pa", "kPa", "MPa", "bar", "N", "kN", "N m", "l", "ml", "l/min", "m/s", "km/h", "m²", "m³", "ha", "kg/m³", "mol"),
    *(
        "mmol/l",
        "mg/dl",
        "dB",
        "lx",
        "eV",
        "keV",
        "T",
        "rad",
        "°",
        "kB",
        "MB",
        "GB",
        "Mbit/s",
        "fps",
        "rpm",
        "ppm",
        "mm Hg",
    ),
)
EVERYDAY_UNITS = (
    *("%", "%", "per cent", "years", "days", "weeks", "months", "hours", "minutes", "km", "ha", "t", "kg", "miles"),
    *("pages", "votes", "points", "acres", "barrels", "bushels", "per 1,000 inhabitants", "households", "basis points"),
)
NUMBER_WORDS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fifteen", "twenty", "twenty-one", "twenty-four", "thirty-six", "forty", "sixty-five", "ninety", "a hundred"),
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "tenth", "last", "next")
CURRENCIES = ("€", "£", "$", "€", "£", "US$", "¥")
CURRENCY_CODES = ("EUR", "USD", "CHF", "GBP", "SEK", "PLN")
SUFFIXES = ("csv", "txt", "pdf", "xml", "json", "dat", "tar.gz", "py", "log", "tif")
LETTERS, DIGITS = string.ascii_uppercase, string.digits
LETTERS_AND_DIGITS = LETTERS + DIGITS
HEX = "0123456789abcdef"


def draw(rng: Random, alphabet: str, length: int) -> str:
    """``length`` characters of an alphabet."""
    return "".join(rng.choices(alphabet, k=length))


def grouped(value: int, separator: str = ",") -> str:
    """A whole number in groups of three digits."""
    return f"{value:,}".replace(",", separator)


def integer(rng: Random) -> int:
    """A whole number above 1 whose number of digits is uniform from one to six."""
    return rng.randrange(2, 10 ** rng.randrange(1, 7))


def decimal(rng: Random) -> str:
    """A positive number with up to three decimals, its size spread over several powers of ten."""
    places = rng.choice((0, 1, 1, 2, 2, 3))
    value = rng.uniform(1, 10) * 10 ** rng.randrange(-1, 4)
    return f"{value:,.{places}f}" if value >= 1 else f"{value:.2f}"


def number(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(NUMBER_WORDS)
    return grouped(integer(rng)) if kind < 0.85 else str(rng.randrange(11, 400))


def percent(rng: Random) -> str:
    value = f"{rng.uniform(0.5, 99):.{rng.choice((0, 1, 1, 2))}f}"
    return value + rng.choice(("%", "%", " %", " per cent"))


def quantity(rng: Random, units: Sequence[str] = UNITS) -> str:
    """A value with its unit: ``4.75 kPa``, ``23 ± 2 mm``, ``3.1 × 10² J``, ``½ mile``."""
    kind = rng.random()
    if kind < 0.1:
        return percent(rng)
    if kind < 0.15:
        return f"{decimal(rng)} × 10{draw(rng, '²³', 1)} {rng.choice(units)}"
    if kind < 0.22:
        return f"{rng.randrange(3, 90)} ± {rng.randrange(1, 9)} {rng.choice(units)}"
    if kind < 0.26:
        return f"{rng.choice(('½', '¼', '¾'))} {rng.choice(('mile', 'inch', 'hour', 'pint', 'acre', 'ounce'))}"
    return attach(decimal(rng), rng.choice(units))


def change(rng: Random, units: Sequence[str] = UNITS) -> str:
    """Two values of one unit: ``from 3.2 to 4.1 kPa``."""
    places, before = rng.randrange(3), rng.uniform(1, 400)
    after = before * rng.uniform(0.4, 2.5)
    last = f"{after:,.{places}f}"
    return f"from {before:,.{places}f} to {last if rng.random() < 0.3 else attach(last, rng.choice(units))}"


def attach(value: str, unit: str) -> str:
    """Value and unit, with a space unless it is a degree sign."""
    return f"{value}{'' if unit == '°' else ' '}{unit}"


def interval(rng: Random) -> str:
    low = rng.randrange(1, 400)
    high = low + rng.randrange(1, 300)
    return rng.choice(
        (
            f"range {low}–{high}",
            f"{low / 10:.1f} to {high / 10:.1f}",
            f"95 % CI {low / 100:.2f}–{high / 100:.2f}",
            f"95% confidence interval: {low / 100:.2f}, {high / 100:.2f}",
            f"SD = {low / 10:.1f}",
            f"±{low / 100:.2f}",
            f"{low}/{high}",
        )
    )


def money(rng: Random) -> str:
    amount = rng.choice((grouped(integer(rng)), f"{rng.uniform(1, 999):.2f}", f"{rng.uniform(1, 99):.1f} million"))
    if rng.random() < 0.7:
        return rng.choice(CURRENCIES) + amount
    return f"{rng.choice(CURRENCY_CODES)} {amount}"


def year(rng: Random) -> str:
    return str(rng.randrange(1560, 2030) if rng.random() < 0.4 else rng.randrange(1950, 2026))


def years(rng: Random) -> str:
    """A span of years, ``1911–1938``."""
    first = int(year(rng))
    return f"{first}–{first + rng.randrange(1, 2032 - first if first > 1980 else 50)}"


def date(rng: Random) -> str:
    day, month = rng.randrange(1, 29), rng.randrange(12)
    name, when = MONTHS[month], year(rng)
    return rng.choice(
        (
            f"{day} {name} {when}",
            f"{name} {day}, {when}",
            f"{day} {name[:3]} {when}",
            f"{when}-{month + 1:02}-{day:02}",
            f"{day:02}/{month + 1:02}/{when}",
            f"{day}.{month + 1}.{when}",
            f"{name} {ordinal(day)}",
        )
    )


def ordinal(value: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``4th`` ..."""
    ending = "th" if 10 <= value % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def clock(rng: Random) -> str:
    hour, minute = rng.randrange(24), rng.randrange(60)
    return rng.choice(
        (f"{hour:02}:{minute:02}", f"{hour % 12 + 1}.{minute:02} p.m.", f"{hour % 12 + 1}:{minute:02} am")
    )


def cite_number(rng: Random) -> str:
    first = rng.randrange(1, 90)
    return rng.choice(
        (f"[{first}]", f"[{first}]", f"[{first}, {first + rng.randrange(1, 9)}]", f"[{first}–{first + 2}]")
    )


def cite(rng: Random) -> str:
    return cite_number(rng) if rng.random() < 0.6 else f"({year(rng)}{rng.choice(('', '', 'a', 'b'))})"


def code(rng: Random) -> str:
    """A key, part number, version, path or address that no word list holds."""
    kind = rng.randrange(12)
    if kind == 0:
        return f"{draw(rng, LETTERS, rng.randrange(1, 4))}-{draw(rng, DIGITS, rng.randrange(2, 6))}"
    if kind == 1:
        return f"{draw(rng, LETTERS, 2)}{draw(rng, DIGITS, 3)}/{draw(rng, DIGITS, 2)}"
    if kind == 2:
        return draw(rng, LETTERS_AND_DIGITS, rng.randrange(5, 11))
    if kind == 3:
        return draw(rng, HEX, rng.randrange(7, 13))
    if kind == 4:
        return f"v{rng.randrange(10)}.{rng.randrange(20)}.{rng.randrange(30)}"
    if kind == 5:
        return f"{draw(rng, string.ascii_lowercase, rng.randrange(3, 9))}_{draw(rng, DIGITS, 2)}.{rng.choice(SUFFIXES)}"
    if kind == 6:
        return f"No. {draw(rng, DIGITS, rng.randrange(3, 7))}"
    if kind == 7:
        return f"{draw(rng, string.ascii_lowercase, 5)}@{draw(rng, string.ascii_lowercase, 6)}.org"
    if kind == 8:
        return "-".join(draw(rng, LETTERS_AND_DIGITS, 4) for _ in range(3))
    if kind == 9:
        return f"0x{draw(rng, DIGITS + 'ABCDEF', rng.choice((4, 8)))}"
    if kind == 10:
        return f"978-{draw(rng, DIGITS, 1)}-{draw(rng, DIGITS, 4)}-{draw(rng, DIGITS, 4)}-{draw(rng, DIGITS + 'X', 1)}"
    return draw(rng, string.ascii_letters + DIGITS, rng.randrange(6, 15))


MAKERS: Mapping[str, Maker] = {
    "small": lambda rng: str(rng.randrange(2, 30)),
    "number": number,
    "few": lambda rng: rng.choice(NUMBER_WORDS[:9]),
    "many": lambda rng: grouped(rng.randrange(20, 5000)),
    "decimal": decimal,
    "percent": percent,
    "quantity": quantity,
    "change": change,
    "measured_in": lambda rng: rng.choice(UNITS),
    "range": interval,
    "money": money,
    "year": year,
    "years": years,
    "month": lambda rng: rng.choice(MONTHS),
    "date": date,
    "clock": clock,
    "ordinal": lambda rng: rng.choice(ORDINALS),
    "cite": cite,
    "cite_plain": cite_number,
    "code": code,
}

EVERYDAY: Mapping[str, Maker] = {
    "measured_in": lambda rng: rng.choice(EVERYDAY_UNITS),
    "quantity": lambda rng: quantity(rng, EVERYDAY_UNITS),
    "change": lambda rng: change(rng, EVERYDAY_UNITS),
}
