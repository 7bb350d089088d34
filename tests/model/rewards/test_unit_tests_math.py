"""Formula tests of olmOCR-bench: upstream's verdicts, which need a browser, and the right ones, which do not."""

import json

import pytest

from proofpress.flows.typesetting import Typesetting
from proofpress.model.rewards.unit_tests import parse_test, run

#: Where strict says otherwise than upstream's own suite, and why.
STRICT_OTHERWISE = {
    "formula_pairs-0031": r"an upright x is not an italic one",
    "formula_pairs-0034": "words stand before the formula: contained, not equal",
    "formula_pairs-0036": "the conditions of the cases stand in a column of their own",
}


@pytest.fixture(scope="module")
def typeset():
    """Layouts as upstream measures them."""
    with Typesetting(fonts=False) as typesetting:
        yield typesetting


def rows(shared, path):
    return [json.loads(line) for line in (shared / "data" / path).open(encoding="utf-8") if line.strip()]


def passes(math, page, mode, typeset=None):
    return bool(run(parse_test({"type": "math", "math": math}), page, mode, typeset).value)


def test_olmocr_mode_gives_every_verdict_of_upstreams_sample(shared, typeset):
    sample = "corpora/olmocr/olmocr/bench/sample_data"
    tests = [parse_test(row) for name in ("dataset", "blanks") for row in rows(shared, f"{sample}/{name}.jsonl")]
    by_id = {test.id: test for test in tests}
    verdicts = rows(shared, "corpora/olmocr/expected_verdicts.jsonl")
    wrong = []
    for verdict in verdicts:
        page = (shared / "data" / sample / verdict["md"]).read_text(encoding="utf-8")
        if bool(run(by_id[verdict["test_id"]], page, "olmocr", typeset).value) != verdict["passed"]:
            wrong.append(verdict["test_id"])
    assert len(verdicts) == 100 and not wrong


def test_faults_of_upstream_are_in_olmocr_mode_alone(shared, typeset):
    for row in rows(shared, "cases/math_page_hack_cases.jsonl"):
        assert passes(row["math"], row["content"], "olmocr", typeset) is row["olmocr_passes"], row["id"]
        assert passes(row["math"], row["content"], "strict") is row["should_pass"], row["id"]


def test_both_modes_agree_on_upstreams_page_cases(shared, typeset):
    for row in rows(shared, "cases/math_page_cases.jsonl"):
        for mode in ("olmocr", "strict"):
            assert bool(run(parse_test(row["test"]), row["content"], mode, typeset).value) is row["passed"], row["id"]


def test_probes_of_upstreams_comparison_come_out_as_they_did(shared, typeset):
    for row in rows(shared, "cases/katex_probe_pairs.jsonl"):
        assert passes(row["a"], f"$${row['b']}$$", "olmocr", typeset) is row["olmocr_a_ref"], row["id"]
        assert passes(row["b"], f"$${row['a']}$$", "olmocr", typeset) is row["olmocr_b_ref"], row["id"]


def test_strict_tells_apart_what_does_not_look_the_same(shared):
    for row in rows(shared, "cases/katex_probe_pairs.jsonl"):
        if row["same_rendering"] is not None:
            assert passes(row["a"], f"$${row['b']}$$", "strict") is row["same_rendering"], row["id"]
            assert passes(row["b"], f"$${row['a']}$$", "strict") is row["same_rendering"], row["id"]


def test_render_pairs_of_upstreams_suite(shared, typeset):
    pairs = [row for row in rows(shared, "cases/formula_pairs.jsonl") if row["sense"].startswith("render-contains")]
    skipped = {row["id"] for row in pairs if "skipped upstream" in row.get("note", "")}
    decided = [row for row in pairs if row["id"] not in skipped]
    strict = set()
    for row in decided:
        assert passes(row["a"], f"$${row['b']}$$", "olmocr", typeset) is row["equal"], row["id"]
        if passes(row["a"], f"$${row['b']}$$", "strict") is not row["equal"]:
            strict.add(row["id"])
    assert strict == set(STRICT_OTHERWISE) & {row["id"] for row in decided}


@pytest.mark.parametrize(
    ("math", "page"),
    [
        ("a+b", r"\begin{align*}a&+b\\c&=d\end{align*}"),
        ("a+b", "```latex\na+b\n```"),
        ("a+b", r"\[a+b.\]"),
        ("a+b", r"\(a + b\)"),
        (r"a\le b", r"$a \leq b\tag{3}$"),
        ("a+b", r"\begin{eqnarray}a+b\\c\end{eqnarray}"),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", r"$$\begin{align}a&=b\\c&=d\end{align}$$"),
    ],
)
def test_strict_finds_formulas_however_they_are_set(math, page):
    assert passes(math, page, "strict")


@pytest.mark.parametrize(
    "page",
    [
        r"It cost \$5, and $x^2$ of it was lost.",
        "```shell\n$ make test\n```\n\nThen $x^2$ is left.",
        "````\n``` $ ls\n````\n\nThen $x^2$ is left.",
    ],
)
def test_a_dollar_of_money_or_code_opens_no_formula_in_strict_mode(page):
    test = parse_test({"type": "math", "math": "x^2"})
    assert run(test, page).value == 1.0
    assert run(parse_test({"type": "math", "math": r"\$5+x"}), r"So $\$5+x$ is left of \$9.").value == 1.0


@pytest.mark.parametrize("math", [r"\frac{", r"\nosuch{x}", r"\quad", "{}", "x^{2"])
def test_a_test_whose_formula_shows_nothing_is_an_error_in_strict_mode(math):
    result = run(parse_test({"type": "math", "math": math}), "$x$", "strict")
    assert (result.value, result.status) == (0.0, "error")


def test_upstreams_geometry_without_a_typesetter_is_an_error():
    assert run(parse_test({"type": "math", "math": "x^2"}), "$x_2$", "olmocr").status == "error"


def test_a_search_without_end_is_a_timeout(typeset):
    test = parse_test({"type": "math", "math": "a" * 40 + "b"})
    page = "$" + "a" * 60 + "$ $" + "a" * 40 + r"\frac{a}{b}$"
    assert run(test, page, "olmocr", typeset).status in ("ok", "timeout")


@pytest.mark.parametrize("piece", [r"\(", r"\[", "$", "$$", r"\begin{align}", r"\end{align}", "```latex\n"])
def test_a_long_page_of_one_mark_takes_linear_time(piece):
    for mode in ("olmocr", "strict"):
        assert not passes("x^2", piece * (60_000 // len(piece)), mode)
