"""What schedules do between turns of the loop: a dataset brought up to date, and mining of the newest one.

Each state of a dataset has a folder of its own, named by what it is made from, so that a run that finds nothing new
writes nothing; ``current.json`` says which is the newest.

    made = bring_up_to_date(recipe.build, Path("out/nightly"))
    mine_latest(recipe, Path("out/loop"))
"""

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

from proofpress.flows.config import BuildRecipe
from proofpress.flows.dataset import Made
from proofpress.flows.growing import grow, take_inventory
from proofpress.flows.loop_recipe import RefreshRecipe
from proofpress.flows.mine import mine
from proofpress.flows.observing import ByModel
from proofpress.flows.provenance import made_with
from proofpress.flows.refresh import CURRENT, DATASET, alone, latest, model_of
from proofpress.flows.shard_store import ShardStore
from proofpress.pages.errors import RequestError
from proofpress.pages.record import to_json
from proofpress.pages.shards import MANIFEST, read_manifest, write_whole


def bring_up_to_date(recipe: BuildRecipe, out: Path, **how: Any) -> Made:
    """Make the dataset of a recipe as its corpora are now, with every shard of the state before that stayed as it was.

    how: ``runner``, ``workers`` and ``progress`` of ``make_dataset``, whose errors it raises too.
    """
    with alone(out):
        inventory = take_inventory(recipe, out / "cache")
        name = _digest([recipe.digest(), inventory.digest, made_with(recipe)])
        pointer = out / CURRENT
        before = json.loads(pointer.read_bytes())["dataset"] if pointer.is_file() else None
        if before == name:  # its parent is the state before it, and not itself
            return Made(out / name, read_manifest(out / name), was_there=True)
        made = grow(recipe, out / name, ShardStore(out / "store"), out / before if before else None, inventory, **how)
        write_whole(pointer, (to_json({"dataset": name}) + "\n").encode())
        return made


def mine_latest(recipe: RefreshRecipe, loop: Path, **how: Any) -> Made:
    """Mine the dataset of a loop's newest version with the model that stands; once for each of the two.

    Raises ``RequestError`` where the loop has not been turned yet.
    """
    version = latest(loop)
    if version is None:
        raise RequestError(f"{loop}: has no version yet; run `proofpress refresh` first")
    model = str(model_of(loop, version, recipe))
    readers = ByModel(model, recipe.mine.read_twice)
    dataset = version.folder / DATASET
    name = _digest([(dataset / MANIFEST).read_text(), readers.identity, recipe.mine.digest()])
    return mine(dataset, loop / "mined" / name, recipe.mine, readers, **how)


def _digest(value: Any) -> str:
    return blake2b(to_json(value).encode(), digest_size=8).hexdigest()
