"""The recipe that mining asks the press for: a dataset's own, reweighted, with new pages.

recipe, weights = mined_recipe(read_manifest(Path("out/demo")), {"table.spans=both": 2.9}, pages=500)
"""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from proofpress.flows.config import BuildRecipe
from proofpress.generators.coverage import Lattice
from proofpress.generators.recipe import PressRecipe, lattice_of
from proofpress.pages.record import to_json

#: Parts of a dataset's recipe that hold for the pages printed for it as well.
KEPT = ("judge", "personal", "splits", "rows_per_shard", "licences")


def mined_recipe(
    manifest: Mapping[str, Any], weights: Mapping[str, float], pages: int
) -> tuple[BuildRecipe, dict[str, float]]:
    """The recipe, and those of the weights that the press can follow: features of a crop or a corpus it cannot.

    A bank is left out, for a manifest does not tell where it lies. The seed follows from dataset and weights, so
    that its pages are new ones and the same each time.
    """
    base = recipe_of(manifest["recipe"])
    press = PressRecipe(**base.get("press") or {})
    lattice = lattice_of(press)
    used = {name: weight for name, weight in weights.items() if _printable(lattice, name)}
    press = press.model_copy(update={"pages": pages, "weights": _multiplied(press, lattice, used), "bank": None})
    seed = blake2b(to_json([manifest["recipe_hash"], manifest["items"], used]).encode(), digest_size=4).digest()
    recipe = BuildRecipe(
        **{key: base[key] for key in KEPT if key in base},
        name=f"{manifest['name']}-mined",
        seed=int.from_bytes(seed, "big"),
        press=press,
    )
    return recipe, used


def recipe_of(recipe: Mapping[str, Any]) -> Mapping[str, Any]:
    """The build's recipe in a manifest: of a dataset that was made of others, the first one's."""
    while "of" in recipe:
        recipe = recipe["of"][0] if isinstance(recipe["of"], list) else recipe["of"]
    return recipe


def _multiplied(press: PressRecipe, lattice: Lattice, weights: Mapping[str, float]) -> dict[str, float]:
    """The press's weights times these; the weight that a kind or a wear has by itself counts too."""
    before = dict(lattice.weights)
    new = {name: round(before.get(name, 1.0) * weight, 4) for name, weight in weights.items()}
    return {**press.weights, **new}


def _printable(lattice: Lattice, name: str) -> bool:
    axis, _, value = name.partition("=")
    return (axis, value) in lattice.places
