"""Planted weaknesses are found, and only they; what merely stands beside them is not blamed."""

import random

import pytest

from proofpress.generators.coverage import Lattice, plan
from proofpress.model.attribution import Attribution, attribute, sampling_weights

CROPS = 3  # rows of a page


def planted(weaknesses: dict[str, float], pages: int = 400, seed: int = 0, noise: float = 0.12) -> Attribution:
    """What is attributed of losses that these features make, on pages of the real lattice with crops."""
    rng, lattice = random.Random(seed), Lattice.of()
    losses, features, tasks, contents = [], [], [], []
    for index in range(pages):
        page = plan(lattice, 5, index)
        named = {f"{axis}={value}" for axis, value in page.items()}
        for _ in range(CROPS):
            crop = rng.choice(["line", "word", "table"])
            task = "table" if crop == "table" else "text"
            loss = 0.05 + sum(effect for name, effect in weaknesses.items() if name in named) + 0.1 * (task == "table")
            losses.append(min(1.0, max(0.0, loss + rng.gauss(0, noise))))
            features.append({**page, "crop": crop})
            tasks.append(task)
            contents.append(str(index))
    return attribute(losses, features, tasks, contents)


@pytest.mark.parametrize(
    "weaknesses",
    [
        {"table.spans=both": 0.4},
        {"script=arabic": 0.5, "size=small": 0.3},
        {"columns=3": 0.35, "density=tight": 0.25, "notes=yes": 0.25},
    ],
)
def test_exactly_the_planted_features_are_found(weaknesses: dict[str, float]) -> None:
    found = planted(weaknesses)
    harder = {one.feature: one for one in found.effects if one.low > 0}
    assert harder.keys() == weaknesses.keys()
    for name, effect in weaknesses.items():
        assert harder[name].effect == pytest.approx(effect, abs=0.1)
        assert harder[name].low < harder[name].effect < harder[name].high


@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_is_planted_nothing_is_found(seed: int) -> None:
    found = planted({}, seed=seed)
    assert [one.feature for one in found.effects if one.low > 0] == []
    assert sampling_weights(found) == {}


def test_what_stands_beside_a_cause_is_not_blamed() -> None:
    rng = random.Random(1)
    rows = []
    for _ in range(600):
        spans = rng.random() < 0.3
        large = rng.random() < (0.8 if spans else 0.15)
        rows.append((spans, {"table.spans": "both" if spans else "none", "table.size": "large" if large else "small"}))
    losses = [min(1, max(0, 0.1 + 0.4 * spans + rng.gauss(0, 0.15))) for spans, _ in rows]
    features = [one for _, one in rows]
    count = {v: [x for x, f in zip(losses, features, strict=True) if f["table.size"] == v] for v in ("large", "small")}
    assert sum(count["large"]) / len(count["large"]) > sum(count["small"]) / len(count["small"]) + 0.15  # by raw counts
    found = attribute(losses, features, ["table"] * 600, [str(n) for n in range(600)])
    assert [one.feature for one in found.effects if one.low > 0] == ["table.spans=both"]


def test_a_harder_task_is_no_feature() -> None:
    rng = random.Random(2)
    tasks = [rng.choice(["text", "table"]) for _ in range(400)]
    features = [{"table.heads": "1" if task == "table" or rng.random() < 0.1 else "absent"} for task in tasks]
    losses = [0.6 * (task == "table") + 0.1 * rng.random() for task in tasks]
    assert attribute(losses, features, tasks, [str(n) for n in range(400)]).effects == ()


def test_features_that_the_same_rows_have_are_named_together() -> None:
    rng = random.Random(3)
    greek = [rng.random() < 0.3 for _ in range(300)]
    features = [{"script": "greek", "language": "el"} if g else {"script": "latin", "language": "en"} for g in greek]
    losses = [0.5 * g + 0.1 * rng.random() for g in greek]
    (effect,) = attribute(losses, features, ["text"] * 300, [str(n) for n in range(300)]).effects
    assert (effect.feature, effect.inseparable) == ("script=greek", ("language=el",))


@pytest.mark.parametrize(
    ("losses", "features"),
    [
        ([], []),
        ([0.5] * 30, [{"a": str(n % 2)} for n in range(30)]),
        ([0.0, 1.0] * 20, [{}] * 40),
        ([1.0], [{"a": "b"}]),
    ],
)
def test_what_says_nothing_gives_nothing(losses: list[float], features: list[dict[str, str]]) -> None:
    count = len(losses)
    found = attribute(losses, features, ["text"] * count, [str(n) for n in range(count)])
    assert found.effects == () and sampling_weights(found) == {}


def test_rows_of_one_content_count_as_one_piece_of_evidence() -> None:
    rng = random.Random(4)
    features, losses, contents = [], [], []
    for page in range(40):  # each page's crops fail or do not, together and by chance
        failing = rng.random() < 0.4
        for _ in range(25):
            features.append({"face": "mono" if page % 4 == 0 else "serif", "page": str(page % 3)})
            losses.append(float(failing))
            contents.append(str(page))
    assert attribute(losses, features, ["text"] * len(losses), contents).effects == ()


def test_weights_follow_the_lower_end_and_are_bounded() -> None:
    found = planted({"script=arabic": 0.5, "size=small": 0.3})
    weights = sampling_weights(found, most=3.0)
    assert weights.keys() == {"script=arabic", "size=small"}
    assert all(1 < weight <= 3 for weight in weights.values())
    assert sampling_weights(found, strength=0.25, most=3.0)["size=small"] < weights["size=small"]


def test_where_one_value_is_easy_and_all_others_fail_alike_it_is_printed_less() -> None:
    rng = random.Random(5)
    languages = [rng.choice(["en", "de", "fr", "pl"]) for _ in range(400)]
    losses = [min(1.0, max(0.0, (0.05 if one == "en" else 0.35) + rng.gauss(0, 0.1))) for one in languages]
    features = [{"language": one, "face": rng.choice(["serif", "sans"])} for one in languages]
    found = attribute(losses, features, ["text"] * 400, [str(n) for n in range(400)])
    weights = sampling_weights(found)
    assert weights.keys() == {"language=en"} and 0.25 <= weights["language=en"] < 0.5
    assert sampling_weights(found, strength=0) == {}
