from itertools import combinations

import pytest

from proofpress.generators.coverage import BLOCK, Lattice, cover, plan
from proofpress.generators.kinds import KINDS
from proofpress.generators.kinds.traits import AXES, RULES

WHOLE = Lattice.of()


def pages(lattice, count, seed=3):
    return [plan(lattice, seed, index) for index in range(count)]


def test_five_thousand_pages_cover_the_lattice_pairwise():
    assert cover(WHOLE, pages(WHOLE, 5000)).share == 1.0


def test_a_thousand_pages_cover_nearly_all_of_it_and_what_is_missing_is_named():
    coverage = cover(WHOLE, pages(WHOLE, 300))
    assert 0.9 < coverage.share < 1.0
    assert len(coverage.missing) == coverage.possible - coverage.covered
    assert all(" & " in pair and pair.count("=") == 2 for pair in coverage.missing)


def test_every_page_is_one_that_can_be():
    for page in pages(WHOLE, BLOCK):
        assert set(page) == {"kind", *AXES}
        assert all(page[axis] in KINDS[page["kind"]].allows(axis) for axis in AXES)
        for axis, values, other, others in RULES:
            assert page[axis] not in values or page[other] in others


def test_a_page_is_the_same_alone_as_among_others():
    assert plan(WHOLE, 3, BLOCK + 7) == pages(WHOLE, BLOCK + 8)[-1]
    assert plan(WHOLE, 3, 7) != plan(WHOLE, 3, BLOCK + 7) != plan(WHOLE, 4, BLOCK + 7)


def test_pairs_that_no_page_can_have_do_not_count():
    lattice = Lattice.of({"kind": ("blank",), "script": ("latin",)})
    axes = {frozenset(pair) for pair in cover(lattice, pages(lattice, 500)).axes}
    assert frozenset(("language", "density")) in axes
    coverage = cover(lattice, pages(lattice, 500))
    assert coverage.share == 1.0
    assert coverage.axes["script", "language"] == (6, 6)


def test_weights_say_how_often_a_value_is_drawn_and_coverage_stays():
    heavy = Lattice.of(weights={"script=arabic": 30.0})
    drawn = pages(heavy, BLOCK)
    assert sum(page["script"] == "arabic" for page in drawn) > BLOCK / 3
    assert cover(heavy, drawn).share > 0.99


def test_restrictions_hold_and_a_weight_of_zero_takes_a_value_out():
    lattice = Lattice.of({"language": ("en", "ja"), "kind": ("paper", "letter")}, {"columns=3": 0.0})
    for page in pages(lattice, 200):
        assert page["language"] in ("en", "ja") and page["kind"] in ("paper", "letter") and page["columns"] != "3"


def test_rows_of_other_features_cover_what_they_have_of_the_lattice():
    row = {"kind": "paper", "language": "en", "script": "latin", "font": "Lato", "columns": "9"}
    coverage = cover(WHOLE, [row])
    assert coverage.covered == len(list(combinations(("kind", "language", "script"), 2)))


@pytest.mark.parametrize(
    ("features", "weights", "message"),
    [
        ({"script": ("runes",)}, {}, "unknown value 'runes' of script"),
        ({"colour": ("red",)}, {}, "unknown feature 'colour'"),
        ({}, {"script=runes": 1.0}, "unknown value 'runes' of script"),
        ({}, {"script": 1.0}, "unknown value '' of script"),
        ({}, {"script=latin": -1.0}, "must be 0 or more"),
        ({"kind": ("invoice",), "code": ("yes",)}, {}, "no page has the features that are left"),
        ({"language": ("ja",), "script": ("latin",)}, {}, "no page has the features that are left"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(features, weights, message):
    with pytest.raises(ValueError, match=message):
        Lattice.of(features, weights)
