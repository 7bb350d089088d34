r"""A second opinion on two formulas that differ: are they equal as mathematics? Evidence for a person, never a value.

SymPy reads both (its own LaTeX grammar, by lark) and compares them with every symbol taken as positive; two equations
are equal where one is the other times a number. What SymPy does not read, or reads in two ways, is not decided. It
works in a process of its own with limits of time and memory, because a short formula can keep it busy for ever.

    >>> equal(r"\frac{x+2}{7}", r"\frac{x}{7} + \frac{2}{7}"), equal("a", r"\heartsuit")
    (True, None)
"""

import json
import resource
import subprocess
import sys

MAX_SECONDS = 20.0  # SymPy takes two of them to start
MAX_MEMORY = 2 * 2**30
MAX_CHARACTERS = 2_000


def equal(one: str, other: str) -> bool | None:
    """Whether two formulas, LaTeX without delimiters, are equal; None where that is not decided."""
    if max(len(one), len(other)) > MAX_CHARACTERS:
        return None
    try:
        done = subprocess.run(
            [sys.executable, "-m", __name__],
            input=json.dumps([one, other]),
            capture_output=True,
            text=True,
            timeout=MAX_SECONDS,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return json.loads(done.stdout)


def decide(one: str, other: str) -> bool | None:
    """What ``equal`` says, here and without limits."""
    import sympy
    from lark.exceptions import LarkError
    from sympy.parsing.latex import parse_latex

    sides = []
    for latex in (one, other):
        try:
            read = parse_latex(latex, backend="lark")
        except LarkError:
            return None
        if not isinstance(read, sympy.Expr | sympy.Eq):
            return None  # a relation that is no equation, or a tree of several readings
        sides.append(read.subs({symbol: sympy.Symbol(symbol.name, positive=True) for symbol in read.free_symbols}))
    first, second = sides
    if isinstance(first, sympy.Expr) and isinstance(second, sympy.Expr):
        return (first - second).equals(0)
    if not (isinstance(first, sympy.Eq) and isinstance(second, sympy.Eq)):
        return None
    differences = [side.lhs - side.rhs for side in (first, second)]
    if any(difference == 0 for difference in differences):
        return all(difference == 0 for difference in differences)
    return sympy.simplify(differences[0] / differences[1]).is_number


def main() -> None:
    """Read two formulas as JSON and write true, false or null, within the limits."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (int(MAX_SECONDS), int(MAX_SECONDS)))
    try:
        answer = decide(*json.load(sys.stdin))
    except Exception:  # whatever SymPy cannot read or do is not decided
        answer = None
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
