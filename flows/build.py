"""Build a dataset: print, clean, screen, judge, shard, and part duplicates. What ``proofpress build`` calls.

made = build(load_recipe(Path("recipes/demo.yaml")), Path("out/demo"))
"""

from dataclasses import replace
from functools import partial
from typing import Any

from proofpress.flows.config import BuildRecipe
from proofpress.flows.dataset import Job, Made, make_dataset
from proofpress.flows.decontaminate import index_first
from proofpress.flows.duplicates import without_duplicates
from proofpress.flows.plan import cut_shards, digest_of, list_items
from proofpress.flows.provenance import made_with
from proofpress.flows.shard import make_shard
from proofpress.pages.storage import Place


def build(recipe: BuildRecipe, out: Place, **how: Any) -> Made:
    """Make the dataset of a recipe. how: ``runner``, ``workers`` and ``progress`` of ``make_dataset``."""
    items = list_items(recipe)
    job = Job(
        name=recipe.name,
        recipe=recipe.contents(),
        recipe_hash=recipe.digest(),
        items=digest_of(items),
        made_with=partial(made_with, recipe),
        shards=cut_shards(recipe, items),
        make=partial(make_shard, recipe),
    )
    if recipe.decontaminate:
        job = replace(job, prepare=partial(index_first, recipe.decontaminate, job.shards))
    if recipe.duplicates is not None:
        job = without_duplicates(job, recipe.duplicates, recipe.seed, recipe.rows_per_shard)
    return make_dataset(job, out, **how)
