from dataclasses import replace

from proofpress.flows.truth import RULE, held_to_its_tests
from proofpress.pages.record import PageRecord, Reject, Source

PAGE = PageRecord("0" * 32, b"", 1, 1, "Five fish swam.", "page", Source("press", "press/1/1", "1", "CC0-1.0"))


def test_a_page_that_passes_its_tests_says_so():
    page = replace(PAGE, tests=({"type": "present", "id": "a", "text": "Five fish"},))
    assert [(check.rule, check.outcome) for check in held_to_its_tests(page).checks] == [(RULE, "passed")]


def test_a_page_whose_label_fails_its_own_test_is_a_reject():
    reject = held_to_its_tests(replace(PAGE, tests=({"type": "present", "id": "a", "text": "Six fish"},)))
    assert isinstance(reject, Reject) and (reject.stage, reject.reason) == ("proof", "tests")
    assert "Six fish" in reject.evidence


def test_pages_without_tests_and_rejects_are_left_as_they_are():
    reject = Reject("1" * 32, "proof", "ink", "", PAGE.source)
    assert held_to_its_tests(PAGE) is PAGE and held_to_its_tests(reject) is reject
