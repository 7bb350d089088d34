import random
from itertools import pairwise

import pytest

from proofpress.generators.content.lexicon import DOMAINS, Noun, Verb, topical, words_of


@pytest.mark.parametrize(
    ("text", "plural"),
    [
        ("beam", "beams"),
        ("galaxy", "galaxies"),
        ("lens", "lenses"),
        ("branch", "branches"),
        ("survey", "surveys"),
        ("nucleus/nuclei", "nuclei"),
        ("burden of proof/burdens of proof", "burdens of proof"),
    ],
)
def test_nouns_are_made_plural(text: str, plural: str) -> None:
    assert Noun.parse(text).plural == plural


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("measure", ("measures", "measured", "measured", "measuring")),
        ("trap/trapped", ("traps", "trapped", "trapped", "trapping")),
        ("deny/denied", ("denies", "denied", "denied", "denying")),
        ("choose/chose/chosen", ("chooses", "chose", "chosen", "choosing")),
        ("operate on", ("operates on", "operated on", "operated on", "operating on")),
        ("follow up/followed up", ("follows up", "followed up", "followed up", "following up")),
        ("agree", ("agrees", "agreed", "agreed", "agreeing")),
        ("sow/sowed/sown", ("sows", "sowed", "sown", "sowing")),
    ],
)
def test_verbs_are_inflected(text: str, forms: tuple[str, ...]) -> None:
    assert Verb.parse(text)[1:] == forms


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_domain_has_hundreds_of_words(domain: str) -> None:
    rng = random.Random(0)
    words = words_of(domain)
    assert len({words["thing"](rng) for _ in range(3000)}) > 300
    assert len({words["adjective"](rng) for _ in range(3000)}) > 150
    assert len({words["act"](rng) for _ in range(3000)}) > 60


def test_neighbouring_things_differ() -> None:
    rng = random.Random(3)
    makers = topical(rng, "law")
    for kind in ("things", "mass", "measure"):
        made = [makers[kind](rng) for _ in range(500)]
        assert all(a != b for a, b in pairwise(made))
