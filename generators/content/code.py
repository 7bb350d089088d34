"""Code as manuals and papers print it: short listings in four languages, indented and made up.

>>> listing(random.Random(2), width=44).language
'python'
"""

from dataclasses import dataclass
from random import Random

NAMES = ("count", "total", "rows", "index", "value", "result", "buffer", "width", "limit", "offset", "queue", "node")
VERBS = ("read", "parse", "load", "merge", "find", "update", "close", "scan", "write", "build")
THINGS = ("table", "file", "page", "item", "block", "word", "state", "record", "line", "graph")
FLAGS = ("--verbose", "--dry-run", "--output", "--force", "--depth", "--seed")


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of code joined by line breaks, without tabs. language: as behind a Markdown fence."""

    text: str
    language: str


def listing(rng: Random, width: int = 60) -> Listing:
    """A listing of 4 to 12 lines, none longer than ``width`` characters, of which it needs 32."""
    while True:
        language, write = rng.choice((("python", _python), ("c", _c), ("bash", _shell), ("json", _json)))
        lines = write(rng)
        if max(map(len, lines)) <= width:
            return Listing("\n".join(lines), language)


def _call(rng: Random) -> str:
    return f"{rng.choice(VERBS)}_{rng.choice(THINGS)}"


def _python(rng: Random) -> list[str]:
    function, one, two, thing = _call(rng), *rng.sample(NAMES, 2), rng.choice(THINGS)
    lines = [f"def {function}({thing}s, {two}={rng.randrange(1, 90)}):"]
    if rng.random() < 0.6:
        lines.append(f'    """Return the {one} of all {thing}s."""')
    lines += [f"    {one} = {rng.choice(('0', '[]', '{}', 'None'))}", f"    for {thing} in {thing}s:"]
    if rng.random() < 0.5:
        lines += [f"        if {thing}.{rng.choice(NAMES)} > {two}:", "            continue"]
    lines += [f"        {one} += {rng.choice(VERBS)}({thing}[{rng.randrange(4)}])", f"    return {one}"]
    if rng.random() < 0.4:
        lines += ["", f"print({function}([{rng.randrange(9)}, {rng.randrange(9)}]))  # {rng.randrange(99)}"]
    return lines


def _c(rng: Random) -> list[str]:
    function, one, two = _call(rng), *rng.sample(NAMES, 2)
    lines = [f"static int {function}(const char *{one}, size_t {two})", "{"]
    lines += [f"    int i, sum = {rng.randrange(9)};"]
    lines += [f"    for (i = 0; i < {two}; i++) {{", f"        if ({one}[i] == '{rng.choice('abcxyz,;#')}')"]
    lines += [f"            sum += {rng.choice(('i', '1', 'i * 2', f'0x{rng.randrange(256):02X}'))};", "    }"]
    return [*lines, f"    return sum {rng.choice('%&|')} {rng.randrange(2, 64)};", "}"]


def _shell(rng: Random) -> list[str]:
    lines = [f"$ {rng.choice(VERBS)} {rng.choice(FLAGS)}={rng.randrange(99)} {rng.choice(THINGS)}.txt"]
    for _ in range(rng.randrange(2, 6)):
        lines.append(
            f"{rng.choice(THINGS)}_{rng.randrange(99):02}  {rng.randrange(9999):>6}  {rng.choice(('ok', 'skip'))}"
        )
    if rng.random() < 0.5:
        lines.append(f"$ grep -n '{rng.choice(NAMES)}' *.log | sort | uniq -c")
    return lines


def _json(rng: Random) -> list[str]:
    names = rng.sample(NAMES, rng.randrange(3, 6))
    lines = [f'  "{name}": {_json_value(rng)}' for name in names]
    return ["{", *(f"{line}," for line in lines[:-1]), lines[-1], "}"]


def _json_value(rng: Random) -> str:
    return rng.choice((str(rng.randrange(999)), f'"{rng.choice(THINGS)}"', "true", "null", f"[{rng.randrange(9)}, 2]"))
