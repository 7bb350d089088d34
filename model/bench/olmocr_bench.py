"""olmOCR-bench (arXiv 2502.18443): unit tests of pages, scored as upstream scores them and strictly.

A test passes when most of a page's repeated readings pass it. The tests of one JSONL file are a group; the score is the
mean over the groups of the share that passes, so that each group counts alike however many tests it has. Documents
without a baseline test get one, and these are a group of their own.

    result = evaluate(load_tests({"arxiv_math.jsonl": rows}), readings, typeset)
    result.score("olmocr"), result.score("strict")
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofpress.model.bench.intervals import bootstrap
from proofpress.model.rewards.scoring import mean
from proofpress.model.rewards.unit_tests import GoldError, Mode, Typesetter, UnitTest, parse_test, run

BASELINE = "baseline"


class BenchError(ValueError):
    """A benchmark's file is not what it should be; the message names file, line and field."""


@dataclass(frozen=True, slots=True)
class GroupedTest:
    """A test and the group it counts in: its file's name, or ``baseline`` for one that was added."""

    group: str
    test: UnitTest


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test over all readings of its page.

    olmocr: share of the readings that pass as upstream judges. strict: the same as we do; None where the test itself is
    wrong (its formula is none, say). evidence: why the first reading that fails does, in either mode.
    """

    __test__ = False  # for pytest, whose own this is not

    id: str
    group: str
    type: str
    pdf: str
    page: int
    olmocr: float
    strict: float | None
    evidence: Mapping[Mode, str]

    def passed(self, mode: Mode) -> float | None:
        """1 where most readings pass, else 0; None where there is no verdict."""
        share = self.olmocr if mode == "olmocr" else self.strict
        return None if share is None else float(share > 0.5)


@dataclass(frozen=True, slots=True)
class BenchResult:
    """All tests, in the order of their files."""

    tests: tuple[TestResult, ...]

    def groups(self, mode: Mode) -> dict[str, list[float]]:
        """The verdicts (0 or 1) of each group, tests without one left out."""
        return _collect((test.group, test.passed(mode)) for test in self.tests)

    def types(self, mode: Mode) -> dict[str, float]:
        """The mean share of readings that pass, by type of test."""
        shares = _collect((test.type, test.olmocr if mode == "olmocr" else test.strict) for test in self.tests)
        return {name: mean(values) for name, values in sorted(shares.items())}

    def score(self, mode: Mode) -> tuple[float, float, float]:
        """The mean of the groups' shares, and its bootstrap interval."""
        groups = list(self.groups(mode).values())
        return (mean(map(mean, groups)), *bootstrap(groups))

    def pages(self, mode: Mode) -> dict[tuple[str, int], float]:
        """The share of each page's tests that pass, the worst page first."""
        verdicts = _collect(((test.pdf, test.page), test.passed(mode)) for test in self.tests)
        return dict(
            sorted(((page, mean(values)) for page, values in verdicts.items()), key=lambda one: (one[1], one[0]))
        )


def load_tests(files: Mapping[str, Sequence[Mapping[str, Any]]], pdfs: Iterable[str] = ()) -> list[GroupedTest]:
    """The tests of a benchmark's JSONL files, rows by file name, and a baseline test for each document without one.

    pdfs: documents that are there beside those the tests name. Raises ``BenchError``.
    """
    tests = []
    seen: set[str] = set()
    for name, rows in files.items():
        for number, row in enumerate(rows, start=1):
            try:
                test = parse_test(row)
            except GoldError as error:
                raise BenchError(f"{name}: test {number} ({row.get('id', 'no id')}): {error}") from error
            if not test.id or not test.pdf:
                raise BenchError(f"{name}: test {number}: needs an id and a pdf")
            if test.id in seen:
                raise BenchError(f"{name}: test {number}: the id {test.id!r} is taken")
            seen.add(test.id)
            tests.append(GroupedTest(name, test))
    with_baseline = {one.test.pdf for one in tests if one.test.type == "baseline"}
    documents = dict.fromkeys([*pdfs, *(one.test.pdf for one in tests)])
    for pdf in documents:
        if pdf not in with_baseline:
            row = {"type": "baseline", "id": f"{pdf}_baseline", "pdf": pdf, "page": 1}
            tests.append(GroupedTest(BASELINE, parse_test(row)))
    return tests


def evaluate(
    tests: Iterable[GroupedTest], readings: Callable[[str, int], Sequence[str]], typeset: Typesetter | None
) -> BenchResult:
    """Run the tests. readings: the Markdown of a document's page, once or several times; none fails all its tests.

    typeset: lays formulas out without KaTeX's fonts, as upstream does.
    """
    return BenchResult(tuple(_results(tests, readings, typeset)))


def _results(
    tests: Iterable[GroupedTest], readings: Callable[[str, int], Sequence[str]], typeset: Typesetter | None
) -> Iterator[TestResult]:
    for grouped in tests:
        test = grouped.test
        pages = readings(test.pdf, test.page)
        shares: dict[Mode, float | None] = {"olmocr": 0.0, "strict": 0.0}
        evidence: dict[Mode, str] = {} if pages else {mode: "the page was not read" for mode in shares}
        for mode in shares if pages else ():
            scores = [run(test, page, mode, typeset) for page in pages]
            if mode == "strict" and any(score.status == "error" for score in scores):
                shares[mode] = None
            else:
                shares[mode] = mean(score.value for score in scores)
            if failing := [score for score in scores if not score.value]:
                evidence[mode] = failing[0].evidence
        assert shares["olmocr"] is not None
        yield TestResult(
            test.id, grouped.group, test.type, test.pdf, test.page, shares["olmocr"], shares["strict"], evidence
        )


def _collect(pairs: Iterable[tuple[Any, float | None]]) -> dict[Any, list[float]]:
    found: dict[Any, list[float]] = {}
    for name, value in pairs:
        if value is not None:
            found.setdefault(name, []).append(value)
    return found
