"""The loop, once around: bring the dataset up to date, mine it, print what mining asks for, train, see who is better.

    done = refresh(load_refresh(Path("recipes/refresh.yaml")), Path("out/loop"))
    done.manifest["decision"]["why"]              # "the mean rises by +0.0123 (+0.0041 to +0.0207) on 400 records ..."

Each turn is a version, ``versions/0001/`` and so on. Its ``dataset/``, ``hard/``, ``printed/`` and ``run/`` are each
complete or go on where they were left, and ``version.json``, with its parent, comes last. So after a kill at any moment
the same command ends with the same version. Shards of earlier versions are linked, not made again; where nothing the
loop is made from has changed, there is no new version at all.
"""

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from proofpress.flows.config import BuildRecipe, load_recipe
from proofpress.flows.evaluate import Subject, evaluate_dataset
from proofpress.flows.growing import Inventory, grow, keys_of, take_inventory
from proofpress.flows.lock import held
from proofpress.flows.loop_recipe import FrozenBenchmark, RefreshRecipe
from proofpress.flows.mine import PROFILE, RECIPE, mine
from proofpress.flows.observing import ByModel
from proofpress.flows.promotion import Decision, decide
from proofpress.flows.provenance import made_with
from proofpress.flows.shard_store import ShardStore
from proofpress.model.bench.dataset import RecordScore
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import to_json
from proofpress.pages.shards import MANIFEST, read_manifest, write_whole

VERSION, PLAN, CURRENT = "version.json", "plan.json", "current.json"
DATASET, HARD, PRINTED, RUN = "dataset", "hard", "printed", "run"


@dataclass(frozen=True, slots=True)
class Version:
    """A complete version. folder: below the loop's; manifest: as ``version.json`` has it."""

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def number(self) -> int:
        return int(self.manifest["version"])


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What came of a refresh. was_there: nothing had changed, and nothing was made."""

    version: Version
    was_there: bool

    @property
    def manifest(self) -> Mapping[str, Any]:
        return self.version.manifest


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the loop while it is made. model: what stands until a better one does; how: of ``make_dataset``."""

    recipe: RefreshRecipe
    out: Path
    folder: Path
    before: Version | None
    model: str
    how: Mapping[str, Any]

    @property
    def store(self) -> ShardStore:
        return ShardStore(self.out / "store")


def refresh(recipe: RefreshRecipe, out: Path, again: bool = False, **how: Any) -> Refreshed:
    """Make the next version of the loop in ``out``, or what is left to make of it.

    again: make one though nothing has changed. how: ``runner``, ``workers``, ``progress`` of ``make_dataset``.
    Raises ``RequestError`` for the folder of another loop or a wrong recipe, ``WorkError`` when work failed.
    """
    with alone(out):
        before = latest(out)
        _check_name(recipe, before)
        inventory = take_inventory(recipe.build, out / "cache")
        inputs = _inputs(recipe, inventory)
        folder = out / "versions" / f"{before.number + 1 if before else 1:04d}"
        _drop_stale(folder, inputs)
        if before is not None and before.manifest["inputs"] == inputs and not again and not folder.exists():
            _point_to(out, before)
            return Refreshed(before, was_there=True)
        write_whole(folder / PLAN, (to_json({"inputs": inputs}) + "\n").encode())
        turn = Turn(recipe, out, folder, before, str(model_of(out, before, recipe)), how)
        manifest = _turn(turn, inventory, inputs)
        write_whole(
            folder / VERSION, (json.dumps(manifest, sort_keys=True, ensure_ascii=False, indent=1) + "\n").encode()
        )
        version = Version(folder, manifest)
        _point_to(out, version)
        turn.store.tidy(_keys_in_use(out))
        return Refreshed(version, was_there=False)


def latest(out: Path) -> Version | None:
    """The newest complete version of a loop."""
    found = sorted((out / "versions").glob(f"*/{VERSION}"))
    return Version(found[-1].parent, json.loads(found[-1].read_bytes())) if found else None


def model_of(out: Path, version: Version | None, recipe: RefreshRecipe) -> str | Path:
    """The model that stands after a version: what was promoted last, else what the recipe starts from."""
    promoted = version.manifest["model"]["folder"] if version is not None else None
    return out / promoted if promoted else recipe.model


def _turn(turn: Turn, inventory: Inventory, inputs: str) -> dict[str, Any]:
    """All stages of a version, and its manifest. Nothing in it tells of time, place, workers or stops."""
    parent = turn.before
    dataset = turn.folder / DATASET
    grow(
        turn.recipe.build,
        dataset,
        turn.store,
        None if parent is None else parent.folder / DATASET,
        inventory,
        **turn.how,
    )
    hard = turn.folder / HARD
    mine(dataset, hard, turn.recipe.mine, ByModel(turn.model, turn.recipe.mine.read_twice), **turn.how)
    weights = json.loads((hard / PROFILE).read_bytes())["weights"]
    datasets = {DATASET: dataset, HARD: hard}
    if weights and turn.recipe.build.press is not None:
        datasets[PRINTED] = turn.folder / PRINTED
        _print(turn, load_recipe(hard / RECIPE))
    decision, candidate = _train_and_decide(turn, [*_printed_before(turn), *datasets.values()])
    before = parent.manifest["model"] if parent is not None else {"folder": None, "sha256": _model_digest(turn.model)}
    promoted = {"folder": f"versions/{turn.folder.name}/{RUN}/model", "sha256": candidate}
    return {
        "name": turn.recipe.name,
        "version": int(turn.folder.name),
        "parent": None if parent is None else {"version": parent.number, "sha256": _sha256(parent.folder / VERSION)},
        "recipe": turn.recipe.contents(),
        "inputs": inputs,
        "datasets": {name: _described(folder) for name, folder in datasets.items()},
        "weights": weights,
        "decision": {**asdict(decision), "candidate": candidate},
        "model": promoted if decision.promoted else before,
    }


def _print(turn: Turn, recipe: BuildRecipe) -> None:
    inventory = take_inventory(recipe, turn.out / "cache")
    grow(recipe, turn.folder / PRINTED, turn.store, None, inventory, **turn.how)


def _train_and_decide(turn: Turn, datasets: Sequence[Path]) -> tuple[Decision, str | None]:
    """The decision about a newly trained model, and the model's digest; no model where the recipe trains none."""
    if turn.recipe.train is None:
        return Decision(False, "the recipe trains nothing", None, {}), None
    from proofpress.model.train.sft import train_sft

    names = {folder.name for folder in datasets}
    weights = {name: weight for name, weight in turn.recipe.train.weights.items() if name in names}
    recipe = turn.recipe.train.model_copy(update={"init": turn.model, "weights": weights})
    run = turn.folder / RUN
    if not (run / "summary.json").is_file() or not json.loads((run / "summary.json").read_bytes())["finished"]:
        summary = train_sft(recipe, list(datasets), run, resume=True)
        if not summary["finished"]:
            raise WorkError(f"{run}: training was stopped; run the same command again to go on")
    candidate = str(run / "model")
    old = [score for one in turn.recipe.benchmarks for score in _scores(turn, turn.model, one)]
    new = [score for one in turn.recipe.benchmarks for score in _scores(turn, candidate, one)]
    return decide(old, new, turn.recipe.promote), _model_digest(candidate)


def _scores(turn: Turn, model: str, benchmark: FrozenBenchmark) -> Sequence[RecordScore]:
    """A model's scores on a benchmark; what it read is kept, so that no model reads one twice."""
    kept = turn.out / "readings" / _model_digest(model)[:16] / f"{benchmark.dataset.name}-{_benchmark(benchmark)[:8]}"
    subject = Subject(model=model, out=kept)
    return evaluate_dataset(benchmark.dataset, benchmark.split, subject, benchmark.limit).records


def _printed_before(turn: Turn) -> Iterator[Path]:
    """What earlier versions printed stays training data."""
    for number in range(1, turn.before.number + 1 if turn.before else 1):
        folder = turn.out / "versions" / f"{number:04d}" / PRINTED
        if (folder / MANIFEST).exists():
            yield folder


def _described(folder: Path) -> dict[str, Any]:
    manifest = read_manifest(folder)
    return {
        "name": manifest["name"],
        "manifest": _sha256(folder / MANIFEST),
        "splits": manifest["splits"],
        "files": {path: file["sha256"] for path, file in manifest["files"].items()},
    }


def _inputs(recipe: RefreshRecipe, inventory: Inventory) -> str:
    """16 hex digits of all that a version is made from, but the version before."""
    start = _model_digest(recipe.model)
    made = made_with(recipe.build)
    benchmarks = [_benchmark(one) for one in recipe.benchmarks]
    values = [recipe.contents(), inventory.digest, made, benchmarks, start]
    return blake2b(to_json(values).encode(), digest_size=8).hexdigest()


def _benchmark(benchmark: FrozenBenchmark) -> str:
    """The digest of a benchmark's manifest and of what is taken of it; ``RequestError`` where there is none."""
    read_manifest(benchmark.dataset)
    taken = f"{_sha256(benchmark.dataset / MANIFEST)} {benchmark.split} {benchmark.limit}"
    return sha256(taken.encode()).hexdigest()


def _drop_stale(folder: Path, inputs: str) -> None:
    """An unfinished version that was made from something else is dropped; its shards stay in the store."""
    plan = folder / PLAN
    if folder.exists() and (not plan.is_file() or json.loads(plan.read_bytes())["inputs"] != inputs):
        shutil.rmtree(folder)


def _check_name(recipe: RefreshRecipe, before: Version | None) -> None:
    if before is not None and before.manifest["name"] != recipe.name:
        raise RequestError(
            f"{before.folder.parents[1]}: is the loop of {before.manifest['name']}, not of {recipe.name}; "
            "choose another --out"
        )


def _point_to(out: Path, version: Version) -> None:
    """Say where the newest dataset and model lie, for people and programs that do not care for versions."""
    model = version.manifest["model"]["folder"]
    current = {
        "version": version.number,
        "dataset": str((version.folder / DATASET).relative_to(out)),
        "model": model,
        "why": version.manifest["decision"]["why"],
    }
    text = json.dumps(current, indent=1, ensure_ascii=False).encode() + b"\n"
    if not (out / CURRENT).is_file() or (out / CURRENT).read_bytes() != text:
        write_whole(out / CURRENT, text)


def _keys_in_use(out: Path) -> Iterator[str]:
    for folder in sorted((out / "versions").glob("*/*")):
        if (folder / "layout.json").is_file():
            yield from keys_of(folder)


def _model_digest(model: str) -> str:
    from proofpress.model.jina_ocr.checkpoint import digest

    return digest(model)


def _sha256(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@contextlib.contextmanager
def alone(out: Path) -> Iterator[None]:
    """Only one refresh at a time works in a folder."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RequestError(f"--out {out}: cannot be made: {error.strerror}") from error
    with held(out / "lock", f"{out}: another refresh is at work here"):
        yield
