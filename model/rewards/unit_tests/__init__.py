"""The unit tests of olmOCR-bench (arXiv 2502.18443, 2510.19817), in two modes: upstream's verdict and the right one.

    >>> test = parse_test({"type": "present", "text": "The quick brown fox"})
    >>> run(test, "fox", "olmocr").value, run(test, "fox", "strict").value
    (1.0, 0.0)

``olmocr`` gives the verdict of allenai/olmocr at f7cfe4c, its faults included, so that scores are comparable.
``strict`` asks what the test means: numbers are kept to the digit, a fragment or an empty page passes nothing, a
formula is equal and not merely contained, and a test whose own formula KaTeX does not take is an error, never a pass.
Each module says at its checkers where the two part.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from proofpress.model.rewards.scoring import GoldError, Score
from proofpress.model.rewards.unit_tests import marks, math, tables, text
from proofpress.model.rewards.unit_tests.glyphs import Typesetter
from proofpress.model.rewards.unit_tests.kinds import (
    TESTS,
    BaselineTest,
    FootnoteTest,
    FormatTest,
    MathTest,
    Mode,
    OrderTest,
    TableTest,
    TextTest,
    UnitTest,
)

__all__ = ["GoldError", "Mode", "Typesetter", "UnitTest", "parse_test", "run"]

#: No page has as many characters; a longer one is a runaway and passes nothing.
MAX_CHARACTERS = 200_000


def parse_test(row: Mapping[str, Any]) -> UnitTest:
    """A test from a row of a benchmark's JSONL file; ``GoldError`` naming the field that is wrong."""
    kind = row.get("type")
    if kind not in TESTS:
        raise GoldError(f"type: {kind!r} is not one of {', '.join(TESTS)}")
    try:
        return TESTS[kind].model_validate(dict(row))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the test"
        raise GoldError(f"{where}: {first['msg']}") from error


def run(test: UnitTest, page: str, mode: Mode = "strict", typeset: Typesetter | None = None) -> Score:
    """Whether a page of Markdown passes: 1 or 0, with the reason in ``evidence`` where it does not.

    typeset: how formulas lie on the page; needed by ``math`` in mode ``olmocr`` alone, which compares geometry.
    Status ``error``: the test itself is wrong (its formula is none); ``timeout``: the page is too long for a verdict.
    """
    if len(page) > MAX_CHARACTERS:
        return Score(0.0, {}, "timeout", f"{len(page)} characters, more than {MAX_CHARACTERS}")
    page = page.encode("utf-8", "replace").decode()  # half a surrogate is no text
    if isinstance(test, MathTest):
        return math.check(test, page, mode, typeset)
    return CHECKERS[type(test)](test, page, mode)


CHECKERS: Mapping[type[UnitTest], Callable[[Any, str, Mode], Score]] = {
    TextTest: text.check_text,
    OrderTest: text.check_order,
    BaselineTest: text.check_baseline,
    FormatTest: marks.check_format,
    FootnoteTest: marks.check_footnote,
    TableTest: tables.check,
}
