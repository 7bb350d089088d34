r"""True statements: each says of two expressions that they are equal, and SymPy agrees.

Calculus is worked out by SymPy and printed by ``sympy.latex``, once for all (``calculus.py``). The other families are
worked out in whole numbers or listed in ``identities.txt``; the tests put their claims to SymPy. A claim is the
statement once more, in SymPy's language.

    >>> statement(random.Random(10))
    Statement(left='\\int_{1}^{5} -9\\,dx', right='-36', claim=('integrate((-9)*x**0, (x, 1, 5))', '-36'))
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from random import Random

from proofpress.generators.content import calculus
from proofpress.generators.content.calculus import Statement

VARIABLES = "xxxyztuvws"


def derivation(rng: Random) -> tuple[str, str, str]:
    """Three equal sides, as LaTeX: a polynomial, a step on the way, and the product of its factors."""
    x, scale = rng.choice(VARIABLES), rng.choice((1, 1, 2, 3, 5))
    roots = sorted(_nonzero(rng, 7) for _ in range(rng.choice((2, 2, 3))))
    coefficients = _expand(roots)
    if scale > 1:
        step = f"{scale}({polynomial(coefficients, x)})"
    elif len(roots) == 3:
        step = f"{_product(roots[:1], x)}({polynomial(_expand(roots[1:]), x)})"
    else:
        first, second = (polynomial([-root, 0], x) for root in roots)
        step = f"{x}^{{2}} + {first} + {second} + {roots[0] * roots[1]}".replace("+ -", "- ")
    return polynomial([scale * c for c in coefficients], x), step, _product(roots, x, scale)


def polynomial(coefficients: Sequence[int], x: str) -> str:
    """LaTeX of a polynomial, highest power first: ``[1, 0, -4]`` is ``x^{2} - 4``."""
    degree = len(coefficients) - 1
    terms = [(c, degree - i) for i, c in enumerate(coefficients) if c]
    if not terms:
        return "0"
    written = []
    for place, (c, power) in enumerate(terms):
        sign = ("-" if c < 0 else "") if place == 0 else (" - " if c < 0 else " + ")
        factor = "" if abs(c) == 1 and power else str(abs(c))
        written.append(sign + factor + ("" if power == 0 else x if power == 1 else f"{x}^{{{power}}}"))
    return "".join(written)


def fraction(value: Fraction | int) -> str:
    """LaTeX of a rational number, the sign in front."""
    value = Fraction(value)
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _source(coefficients: Sequence[int], x: str) -> str:
    degree = len(coefficients) - 1
    return " + ".join(f"({c})*{x}**{degree - i}" for i, c in enumerate(coefficients))


def _nonzero(rng: Random, most: int) -> int:
    return rng.choice((-1, 1)) * rng.randrange(1, most + 1)


def _expand(roots: Sequence[int]) -> list[int]:
    """Coefficients of the product of ``x - root``, highest power first."""
    coefficients = [1]
    for root in roots:
        coefficients = [a - root * b for a, b in zip([*coefficients, 0], [0, *coefficients], strict=True)]
    return coefficients


def _product(roots: Sequence[int], x: str, scale: int = 1) -> str:
    factors = (f"({x} {'-' if root > 0 else '+'} {abs(root)})" for root in sorted(roots))
    powers: dict[str, int] = {}
    for factor in factors:
        powers[factor] = powers.get(factor, 0) + 1
    return ("" if scale == 1 else str(scale)) + "".join(f if n == 1 else f"{f}^{{{n}}}" for f, n in powers.items())


def _factored(rng: Random) -> Statement:
    roots = [_nonzero(rng, 9) for _ in range(rng.choice((2, 2, 3)))]
    x = rng.choice(VARIABLES)
    coefficients = _expand(roots)
    claim = "*".join(f"({x} - ({root}))" for root in roots), _source(coefficients, x)
    product, expanded = _product(roots, x), polynomial(coefficients, x)
    return Statement(product, expanded, claim) if rng.random() < 0.5 else Statement(expanded, product, claim[::-1])


def _binomial_power(rng: Random) -> Statement:
    x, a, n = rng.choice(VARIABLES), _nonzero(rng, 5), rng.randrange(2, 6)
    coefficients = [comb(n, k) * a**k for k in range(n + 1)]
    left = f"({x} {'+' if a > 0 else '-'} {abs(a)})^{{{n}}}"
    return Statement(left, polynomial(coefficients, x), (f"({x} + ({a}))**{n}", _source(coefficients, x)))


def _definite_integral(rng: Random) -> Statement:
    x = rng.choice(VARIABLES)
    coefficients = [_nonzero(rng, 6), rng.randrange(-6, 7), rng.randrange(-9, 10)][-rng.randrange(1, 4) :]
    coefficients[0] = coefficients[0] or 1
    low, high = rng.choice((0, 0, -1, 1)), rng.randrange(2, 6)
    degree = len(coefficients)
    value = sum(
        Fraction(c, degree - i) * (high ** (degree - i) - low ** (degree - i)) for i, c in enumerate(coefficients)
    )
    inside = polynomial(coefficients, x)
    inside = f"({inside})" if " " in inside else "" if inside == "1" else inside
    left = rf"\int_{{{low}}}^{{{high}}} {inside}\,d{x}"
    return Statement(
        left, fraction(value), (f"integrate({_source(coefficients, x)}, ({x}, {low}, {high}))", str(value))
    )


def _fraction_sum(rng: Random) -> Statement:
    a, b = (Fraction(rng.randrange(1, 12), rng.randrange(2, 13)) for _ in range(2))
    sign = rng.choice("+-")
    value = a + b if sign == "+" else a - b
    claim = f"Rational('{a}') {sign} Rational('{b}')", f"Rational('{value}')"
    return Statement(f"{fraction(a)} {sign} {fraction(b)}", fraction(value), claim)


def _determinant(rng: Random) -> Statement:
    a, b, c, d = (rng.randrange(-9, 10) for _ in range(4))
    environment = rng.choice(("vmatrix", "vmatrix", "pmatrix", "bmatrix"))
    head = "" if environment == "vmatrix" else r"\det "
    left = head + _matrix([[a, b], [c, d]], environment)
    return Statement(left, str(a * d - b * c), (f"Matrix([[{a}, {b}], [{c}, {d}]]).det()", str(a * d - b * c)))


def _matrix_product(rng: Random) -> Statement:
    rows, inner, columns = (rng.choice((2, 2, 3)), 2, rng.choice((1, 2, 2)))
    a = [[rng.randrange(-5, 8) for _ in range(inner)] for _ in range(rows)]
    b = [[rng.randrange(-5, 8) for _ in range(columns)] for _ in range(inner)]
    product = [[sum(row[k] * b[k][j] for k in range(inner)) for j in range(columns)] for row in a]
    environment = rng.choice(("pmatrix", "bmatrix"))
    left = f"{_matrix(a, environment)} {_matrix(b, environment)}"
    return Statement(left, _matrix(product, environment), (f"Matrix({a})*Matrix({b})", f"Matrix({product})"))


def _inverse(rng: Random) -> Statement:
    a, b, c = (_nonzero(rng, 6) for _ in range(3))
    d = next(d for d in (rng.randrange(1, 7), 7, 8) if a * d != b * c)
    determinant = a * d - b * c
    environment = rng.choice(("pmatrix", "bmatrix"))
    factor = "" if determinant == 1 else "-" if determinant == -1 else f"{fraction(Fraction(1, determinant))} "
    claim = f"Matrix([[{a}, {b}], [{c}, {d}]]).inv()", f"Matrix([[{d}, {-b}], [{-c}, {a}]])/({determinant})"
    left = f"{_matrix([[a, b], [c, d]], environment)}^{{-1}}"
    return Statement(left, factor + _matrix([[d, -b], [-c, a]], environment), claim)


def _matrix(rows: Sequence[Sequence[int]], environment: str) -> str:
    body = r" \\ ".join(" & ".join(map(str, row)) for row in rows)
    return rf"\begin{{{environment}}} {body} \end{{{environment}}}"


@cache
def _identities() -> tuple[tuple[str, ...], ...]:
    lines = (Path(__file__).parent / "identities.txt").read_text(encoding="utf-8").splitlines()
    return tuple(tuple(line.split(" && ")) for line in lines if line and not line.startswith("#"))


def _identity(rng: Random) -> Statement:
    left, right, *claim = rng.choice(_identities())
    a = rng.randrange(3, 12)
    names = {"x": rng.choice(VARIABLES), "i": rng.choice("ijk"), "n": rng.choice("nNm"), "a": str(a), "b": str(a - 1)}

    def fit(text: str) -> str:
        return re.sub("<([xinab])>", lambda slot: names[slot[1]], text)

    return Statement(fit(left), fit(right), (fit(claim[0]), fit(claim[1])))


def _calculus(rng: Random) -> Statement:
    worked = calculus.draw(rng)
    x = rng.choice(VARIABLES)
    return Statement(worked.left.replace("@", x), worked.right.replace("@", x), worked.claim)


FAMILIES = (
    *(_calculus, _calculus, _calculus, _identity, _identity, _identity, _factored, _factored, _binomial_power),
    *(_definite_integral, _fraction_sum, _determinant, _matrix_product, _inverse),
)


def statement(rng: Random) -> Statement:
    """A true equation from one of the families."""
    return rng.choice(FAMILIES)(rng)
