import os
import random
import re
import subprocess
import sys
from itertools import product

import pytest

from proofpress.generators.content import calculus, formulas, grammar, sympy_atoms
from proofpress.pages import latex

sympy = pytest.importorskip("sympy")

DRAWS = 2000
INLINE = [formulas.inline(random.Random(seed)) for seed in range(DRAWS)]
DISPLAY = [formulas.display(random.Random(seed)) for seed in range(DRAWS)]
BANNED = re.compile(
    r"\\(?:label|tag|ce|mbox|multicolumn|hline|def|newcommand)(?![a-z])|multline|eqnarray|[^\x20-\x7e]|(?<!\\)\$"
)
CONSTRUCTS = (
    *(r"\frac", r"\dfrac", r"\tfrac", r"\cfrac", r"\binom", r"\sqrt", r"\sqrt[", r"\sum", r"\prod", r"\int", r"\oint"),
    *(r"\lim", r"\begin{pmatrix}", r"\begin{bmatrix}", r"\begin{vmatrix}", r"\begin{cases}", r"\begin{aligned}"),
    *(r"\hat", r"\bar", r"\tilde", r"\vec", r"\dot", r"\mathbf", r"\mathbb", r"\mathcal", r"\mathrm", r"\mathfrak"),
    *(r"\operatorname", r"\alpha", r"\Omega", r"\leq", r"\le ", r"\partial", r"\lVert", r"\in ", r"\forall", r"\text{"),
    *(r"\left(", r"\left[", r"\middle", r"''", r"\underbrace", r"\overset", r"\substack", r"\xrightarrow", r"\cdots"),
)


@pytest.mark.parametrize(("made", "display"), [(INLINE, False), (DISPLAY, True)])
def test_every_formula_is_valid_in_katex(made: list[str], display: bool) -> None:
    assert [text for text in made if not latex.is_valid(text, display=display)] == []


@pytest.mark.parametrize("made", [INLINE, DISPLAY])
def test_no_formula_uses_what_a_label_must_not_hold(made: list[str]) -> None:
    found = {match.group() for text in made for match in [BANNED.search(text)] if match}
    assert found <= {r"\hline"}, "only an array of blocks is ruled"


def test_formulas_vary() -> None:
    assert len(set(DISPLAY)) > 0.95 * DRAWS
    assert len(set(INLINE)) > 0.85 * DRAWS


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_construct_is_drawn(construct: str) -> None:
    assert any(construct in text for text in DISPLAY + INLINE)


def test_inline_formulas_are_short_and_on_one_line() -> None:
    assert max(map(len, INLINE)) <= formulas.INLINE_LENGTH + 10
    assert not any(r"\\" in text for text in INLINE)


def test_parts_of_the_grammar_can_be_written_alone() -> None:
    assert latex.is_valid(grammar.part(random.Random(1), "matrix"))


def test_formulas_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "import random; from proofpress.generators.content import formulas;"
        "print([formulas.display(random.Random(seed)) for seed in range(100)])"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert printed[0] == printed[1] == f"{DISPLAY[:100]}\n"


SYMBOLS = {name: sympy.Symbol(name, positive=True) for name in "xyztuvws"}
SYMBOLS |= {name: sympy.Symbol(name, positive=True, integer=True) for name in "ijknNm"}


def agree(claim: tuple[str, str]) -> bool:
    """Whether SymPy holds both sides of a claim to be equal."""
    left, right = (sympy.sympify(side, locals=SYMBOLS) for side in claim)
    if isinstance(left, sympy.MatrixBase):
        return left == right
    if isinstance(left, bool) or left == right:
        return bool(left == right)
    return sympy.simplify(sympy.expand_log(left - right, force=True)) == 0


FAMILIES = sorted(set(sympy_atoms.FAMILIES) - {sympy_atoms._identity}, key=lambda family: family.__name__)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_statements_are_true(family) -> None:
    claims = {family(random.Random(seed)).claim for seed in range(10)}
    assert [claim for claim in sorted(claims) if not agree(claim)] == []


@pytest.mark.parametrize("task", calculus.TASKS)
def test_calculus_is_as_sympy_works_it_out(task) -> None:
    listed = {source: said for (of, source), said in calculus.worked_out().items() if of == task}
    assert len(listed) > 20
    for source, said in listed.items():
        worked = calculus.work_out(task, source)
        assert (worked.left, worked.right) == (said.left, said.right)


def test_every_draw_of_calculus_is_listed() -> None:
    for task, forms in calculus.TASKS.items():
        for form, a, b in product(forms, calculus.A, calculus.B):
            assert (task, form.replace("<a>", str(a)).replace("<b>", str(b))) in calculus.worked_out()
    rng = random.Random(5)
    assert all(calculus.draw(rng).left for _ in range(500))


@pytest.mark.parametrize("identity", sympy_atoms._identities(), ids=lambda identity: identity[0])
def test_listed_identities_are_true(identity: tuple[str, ...]) -> None:
    names = {"x": "x", "i": "k", "n": "n", "a": "4", "b": "3"}
    claim = tuple(re.sub("<([xinab])>", lambda slot: names[slot[1]], side) for side in identity[2:])
    assert agree((claim[0], claim[1]))


def test_polynomials_are_printed_as_sympy_reads_them() -> None:
    for coefficients in ([1, 0, -4], [-1, 1], [3], [0, 0], [2, -1, 0, 7], [-5, 0]):
        printed = sympy_atoms.polynomial(coefficients, "x").replace("^", "**").replace("{", "(").replace("}", ")")
        source = re.sub(r"(\d)x", r"\1*x", printed)
        assert sympy.expand(sympy.sympify(source)) == sympy.Poly(coefficients, sympy.Symbol("x")).as_expr()


def test_a_derivation_keeps_its_value_from_line_to_line() -> None:
    def value(side: str) -> int:
        source = re.sub(r"(?<=[\dx)])(?=[a-z(])", "*", side.replace("{", "").replace("}", "").replace("^", "**"))
        return eval(re.sub("[a-z]", "11", source))

    for seed in range(100):
        lines = sympy_atoms.derivation(random.Random(seed))
        assert len({value(line) for line in lines}) == 1, lines
