"""Judge a finished dataset into a new one: every record gets scores, and what the judge drops goes to the rejects.

made = judge(Path("out/demo"), Path("out/demo-judged"), JudgeRecipe(model="nano"))
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofpress.flows.config import JudgeRecipe
from proofpress.flows.dataset import Job, Made, make_dataset
from proofpress.flows.provenance import MODEL_PACKAGES, PACKAGES, judged_with, versions
from proofpress.flows.shard import ShardReport, judge_pages, write_pages
from proofpress.pages.errors import RequestError
from proofpress.pages.record import to_json
from proofpress.pages.shards import read_manifest, read_records, read_shard
from proofpress.pages.storage import Place, is_same

if TYPE_CHECKING:
    from proofpress.model.judge import Thresholds


@dataclass(frozen=True, slots=True)
class JudgedShard:
    """A shard of the dataset that is judged, and of the one that is made."""

    name: str
    split: str


def judge(dataset: Path, out: Place, recipe: JudgeRecipe, **how: Any) -> Made:
    """Make the judged copy of a dataset. how: ``runner``, ``workers`` and ``progress`` of ``make_dataset``."""
    manifest = read_manifest(dataset)
    if is_same(out, dataset):
        raise RequestError(f"--out {out}: is the dataset itself; choose a new folder")
    files = {path: file for path, file in manifest["files"].items() if path.startswith("data/")}
    contents = {"judge": recipe.model_dump(mode="json"), "of": manifest["recipe"]}
    names = [Path(path).stem for path in files]
    job = Job(
        name=f"{manifest['name']}-judged",
        recipe=contents,
        recipe_hash=_digest(contents),
        items=_digest(files),
        made_with=partial(_made_with, manifest, recipe),
        shards=[JudgedShard(name, name.split("-")[0]) for name in names],
        make=partial(judge_shard, recipe, dataset),
    )
    return make_dataset(job, out, **how)


def calibrate(dataset: Path, model: str, split: str, false_rejects: float) -> "Thresholds":
    """Write the judge's thresholds into a model's folder so that it drops this share of a dataset's proofed records."""
    from proofpress.model.jina_ocr.checkpoint import folder_of
    from proofpress.model.judge import THRESHOLDS, UNCALIBRATED, Judge
    from proofpress.model.reader import Reader

    records = list(read_records(dataset, split))
    thresholds = Judge(Reader.load(model), model, UNCALIBRATED).calibrate(records, false_rejects)
    thresholds.write(folder_of(model) / THRESHOLDS)
    return thresholds


def judge_shard(recipe: JudgeRecipe, dataset: Path, out: Path, shard: JudgedShard) -> ShardReport:
    """Judge one shard of a dataset into the folder of another."""
    records = list(read_shard(dataset / "data" / f"{shard.name}.parquet"))
    return write_pages(out, shard.name, shard.split, judge_pages(recipe, records))


def _made_with(manifest: Mapping[str, Any], recipe: JudgeRecipe) -> dict[str, Any]:
    """What the pages were made with, and what they are judged with."""
    before = {key: manifest[key] for key in ("browser", "fonts") if key in manifest}
    return {**before, **judged_with(recipe), "versions": manifest["versions"] | versions(PACKAGES, MODEL_PACKAGES)}


def _digest(value: Any) -> str:
    return blake2b(to_json(value).encode(), digest_size=8).hexdigest()
