"""The last proof of a printed page: the unit tests made from its truth pass on its own label.

Printers write the tests and the model's checkers read them; only here do the two meet. A page whose label fails one of
its tests is a reject: either the label or the test is wrong, and a trainer would be rewarded for the wrong one.

    held_to_its_tests(page)        # the record with the check ``proof.tests``, or a Reject
"""

from proofpress.cleaners.screen import reject_of
from proofpress.pages.record import Check, PageRecord, Reject

RULE = "proof.tests"


def held_to_its_tests(page: PageRecord | Reject) -> PageRecord | Reject:
    """The page if it passes all of its tests in strict mode, or has none; a reject naming the first it fails."""
    if isinstance(page, Reject) or not page.tests:
        return page
    from proofpress.model.rewards.unit_tests import parse_test, run  # scoring takes a second to load

    for test in page.tests:
        score = run(parse_test(test), page.text, "strict")
        if score.value < 1:
            return reject_of(page, "proof", "tests", f"{test['id']}: {score.evidence or score.status}")
    return page.with_checks(Check(RULE, "passed"))
