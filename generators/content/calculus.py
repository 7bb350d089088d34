r"""Derivatives, antiderivatives and series that SymPy has worked out, listed in ``calculus.txt`` for pages to use.

SymPy takes a second to load and some milliseconds for each, in every process that prints; so it works them out once:

    python -m proofpress.generators.content.calculus > generators/content/calculus.txt

In a form ``<a>`` and ``<b>`` stand for small numbers; in the file ``@`` stands for the variable.

    >>> worked_out()["derivative", "sin(2*x)"].right
    '2 \\cos{\\left(2 @ \\right)}'
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random


@dataclass(frozen=True, slots=True)
class Statement:
    """``left = right`` in LaTeX, and the same two sides as SymPy source for who wants to check."""

    left: str
    right: str
    claim: tuple[str, str]


A, B = range(2, 6), range(1, 4)  # the numbers in a form
FUNCTIONS = (
    *(
        "<a>*x**<b>",
        "sin(<a>*x)",
        "x*exp(<a>*x)",
        "log(<a>*x + <b>)",
        "sqrt(x**2 + <a>)",
        "1/(<a>*x + <b>)",
        "x**<a>*log(x)",
    ),
    *(
        "exp(-<a>*x**2)",
        "sin(x)**<a>",
        "tan(<b>*x)",
        "<a>**x",
        "x/(x**2 + <a>)",
        "atan(x/<a>)",
        "exp(<b>*x)*cos(<a>*x)",
    ),
    *("<a>/x**<b>", "asin(x)", "x**<a> - <b>*x", "cosh(<a>*x)", "log(x)/x", "sin(x)*cos(<a>*x)", "(x + <a>)/(x - <b>)"),
)
SERIES = (
    "exp(<a>*x)",
    "sin(<a>*x)",
    "cos(x/<a>)",
    "log(1 + <a>*x)",
    "1/(1 - <a>*x)",
    "sqrt(1 + x)",
    "atan(x)",
    "exp(x)*sin(x)",
)
ANTIDERIVATIVES = (
    "x**<a>",
    "sin(<a>*x)",
    "exp(<a>*x)",
    "1/(x**2 + <a>**2)",
    "x*exp(x)",
    "log(x)",
    "<a>*x**2 + <b>",
    "1/(x + <b>)",
)
TASKS = {"derivative": FUNCTIONS, "antiderivative": ANTIDERIVATIVES, "series": SERIES}


def draw(rng: Random) -> Statement:
    """One of the statements."""
    task, forms = rng.choice(tuple(TASKS.items()))
    return worked_out()[
        task, _source(rng.choice(forms), rng.randrange(A.start, A.stop), rng.randrange(B.start, B.stop))
    ]


@cache
def worked_out() -> dict[tuple[str, str], Statement]:
    """All statements, by task and function."""
    lines = (Path(__file__).parent / "calculus.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split(" && ") for line in lines if line)
    return {(task, source): Statement(left, right, (claim, value)) for task, source, left, right, claim, value in rows}


def work_out(task: str, source: str) -> Statement:
    """SymPy's derivative, antiderivative or series of one function, printed by SymPy."""
    import sympy  # here, for pages are printed without it

    x = sympy.Symbol("x", positive=True)
    function = sympy.sympify(source, {"x": x})
    of = f"({function}, x)"
    if task == "derivative":
        value, claim = sympy.diff(function, x), f"diff{of}"
    elif task == "antiderivative":
        value, claim = sympy.integrate(function, x), f"integrate{of}"
    else:
        value, claim = sympy.series(function, x, 0, 4), f"series({function}, x, 0, 4)"

    def printed(expression: sympy.Expr) -> str:
        return sympy.latex(expression, symbol_names={x: "@"}, ln_notation=True, inv_trig_style="full")

    argument = printed(function)
    summed = rf"\left( {argument} \right)" if function.is_Add else argument
    left = {
        "derivative": rf"\frac{{d}}{{d@}} \left( {argument} \right)",
        "antiderivative": rf"\int {summed}\, d@",
        "series": argument,
    }[task]
    return Statement(left, printed(value) + (" + C" if task == "antiderivative" else ""), (claim, str(value)))


def _source(form: str, a: int, b: int) -> str:
    return form.replace("<a>", str(a)).replace("<b>", str(b))


def main() -> None:
    """Print the file."""
    for task, forms in TASKS.items():
        for source in dict.fromkeys(_source(form, a, b) for form in forms for a in A for b in B):
            said = work_out(task, source)
            print(" && ".join((task, source, said.left, said.right, *said.claim)))


if __name__ == "__main__":
    main()
