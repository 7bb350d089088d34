"""Mine a dataset: what a model fails at, why, what to print for it, and which labels a person should look at.

    made = mine(Path("out/demo"), Path("out/hard"), MineRecipe(), ByModel("nano"))
    build(load_recipe(Path("out/hard/recipe.yaml")), Path("out/more"))

Three steps, each resumed where it was left: every shard is read, in parallel; all that was read is looked at together,
in this process; the mix of hard and ordinary rows is written, in parallel. Beside the shards stand ``profile.json``
(what was found), ``recipe.yaml`` (what ``proofpress build`` prints for it), ``observations.jsonl`` (what was read of
each record) and the suspects, ``review.jsonl`` and ``review.html``.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import yaml

from proofpress.flows.dataset import How, Job, Made, Prepared, ShardsFailed, make_dataset
from proofpress.flows.hardest import OBSERVED
from proofpress.flows.loop_recipe import MineRecipe
from proofpress.flows.mined_recipe import mined_recipe
from proofpress.flows.observing import Readers, observe
from proofpress.flows.provenance import PACKAGES, versions
from proofpress.flows.review import Suspect, write_review
from proofpress.flows.runners import run
from proofpress.flows.shard import ShardReport, write_pages
from proofpress.model.attribution import Attribution, attribute, sampling_weights
from proofpress.model.mining import Choice, Observation, choose, suspects
from proofpress.pages.errors import RequestError
from proofpress.pages.record import PageRecord, Scores, to_json
from proofpress.pages.shards import order_key, read_manifest, read_rows, read_shard, write_whole
from proofpress.pages.storage import Place, is_same

ROWS_PER_SHARD = 200
PROFILE, RECIPE = "profile.json", "recipe.yaml"


@dataclass(frozen=True, slots=True)
class ReadShard:
    """A shard whose records are to be read. name: of the file with the observations; limit: how many, the first."""

    name: str
    path: Path
    limit: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What was made of a record, and where it lies."""

    path: Path
    row: int
    what: Observation


@dataclass(frozen=True, slots=True)
class Taken:
    """A row of the mix. role: ``hard`` or ``ordinary``. hardness: among its task's, 0..1."""

    seen: Seen
    role: str
    hardness: float


@dataclass(frozen=True, slots=True)
class MixedShard:
    """A shard of the mix."""

    name: str
    split: str
    rows: tuple[Taken, ...]


def mine(dataset: Path, out: Place, recipe: MineRecipe, readers: Readers, **how: Any) -> Made:
    """Make the folder of a mining. how: ``runner``, ``workers``, ``progress`` of ``make_dataset``.

    Raises ``RequestError`` where the split has no records or the readings do not fit them.
    """
    manifest = read_manifest(dataset)
    if is_same(out, dataset):
        raise RequestError(f"--out {out}: is the dataset itself; choose a new folder")
    if not manifest["splits"].get(recipe.split):
        has = ", ".join(sorted(manifest["splits"])) or "none"
        raise RequestError(f"{dataset}: has no records in split {recipe.split!r}; it has {has}")
    files = {path: file for path, file in manifest["files"].items() if path.startswith(f"data/{recipe.split}-")}
    contents = {"mine": recipe.model_dump(mode="json"), "of": manifest["recipe"]}
    job = Job(
        name=f"{manifest['name']}-hard",
        recipe=contents,
        recipe_hash=_digest(contents),
        items=_digest([files, readers.identity]),
        made_with=partial(_made_with, manifest),
        shards=(),
        make=partial(write_mixed, readers_name(readers)),
        prepare=partial(_prepare, dataset, manifest, recipe, readers),
    )
    return make_dataset(job, out, **how)


def readers_name(readers: Readers) -> str:
    """What the scores of the mix are said to be of."""
    return readers.identity.split()[0]


def _prepare(
    dataset: Path, manifest: Mapping[str, Any], recipe: MineRecipe, readers: Readers, work: Path, how: How
) -> Prepared:
    """Read every shard, look at all that was read, and write what was found; the shards of the mix."""
    seen = _read_all(dataset, manifest, recipe, readers, work, how)
    observations = [one.what for one in seen]
    if not observations:
        raise RequestError(f"{dataset}: the model sees none of its {recipe.split} records whole: nothing was read")
    choice = choose(
        observations,
        recipe.rows,
        recipe.hard,
        recipe.seed,
        recipe.read_right,
        {str(name): weight for name, weight in recipe.measures.items()},
        recipe.per_content,
    )
    faults = suspects(observations)
    scored = [one for place, one in enumerate(observations) if one.reward is not None and place not in faults]
    found = attribute(
        [1 - (one.reward or 0.0) for one in scored],
        [one.features for one in scored],
        [one.task for one in scored],
        [one.group for one in scored],
    )
    weights = sampling_weights(found, recipe.strength, recipe.most)
    reprint, used = mined_recipe(manifest, weights, recipe.pages)
    profile = _profile(recipe, seen, choice, found, used, faults)
    out = work.parent
    files = {
        PROFILE: json.dumps(profile, indent=1, ensure_ascii=False, sort_keys=True) + "\n",
        RECIPE: _recipe_text(reprint.model_dump(mode="json", exclude_defaults=True), profile),
        OBSERVED: "".join(to_json({**asdict(one.what), "features": dict(one.what.features)}) + "\n" for one in seen),
        **write_review(
            [Suspect(seen[place].path, seen[place].row, seen[place].what, *why) for place, why in faults.items()],
            manifest["name"],
        ),
    }
    for name, text in files.items():
        write_whole(out / name, text.encode("utf-8", "replace"))
    described = {
        name: {"rows": text.count("\n"), "sha256": sha256(text.encode("utf-8", "replace")).hexdigest()}
        for name, text in files.items()
    }
    facts = {"mined": {key: profile[key] for key in ("mix", "weights", "rewards", "suspects")}}
    return Prepared(_cut(recipe, seen, choice), facts, described)


def write_mixed(name: str, out: Path, shard: MixedShard) -> ShardReport:
    """Write one shard of the mix; each record's scores say what was measured and which part of the mix it is."""
    wanted: dict[Path, dict[int, Taken]] = {}
    for taken in shard.rows:
        wanted.setdefault(taken.seen.path, {})[taken.seen.row] = taken
    by_id: dict[str, PageRecord] = {}
    for path, rows in wanted.items():
        for taken, record in zip((rows[row] for row in sorted(rows)), read_rows(path, rows), strict=True):
            by_id[record.id] = replace(record, scores=_scores(name, record, taken))
    return write_pages(out, shard.name, shard.split, [by_id[taken.seen.what.id] for taken in shard.rows])


def _scores(name: str, record: PageRecord, taken: Taken) -> Scores:
    what = taken.seen.what
    mined = {
        "role": taken.role,
        "hardness": taken.hardness,
        "confidence": what.confidence,
        "disagreement": what.disagreement,
    }
    before = record.scores
    verdict = before.verdict if before is not None else "keep"
    return Scores(before.model if before else name, what.likelihood, what.reward, verdict, {"mined": mined})


def _read_all(
    dataset: Path, manifest: Mapping[str, Any], recipe: MineRecipe, readers: Readers, work: Path, how: How
) -> list[Seen]:
    folder = work / "observed"
    folder.mkdir(exist_ok=True)
    shards, left = [], recipe.limit
    for path, file in sorted(manifest["files"].items()):
        if path.startswith(f"data/{recipe.split}-") and (left is None or left > 0):
            count = file["rows"] if left is None else min(left, file["rows"])
            left = None if left is None else left - count
            name = _digest([file["sha256"], count, readers.identity])
            shards.append(ReadShard(name, dataset / path, count))
    missing = [shard for shard in shards if not (folder / f"{shard.name}.jsonl").exists()]
    done = len(shards) - len(missing)
    failures = []
    for outcome in run(partial(_observe_shard, readers, folder), missing, how.runner, how.workers):
        if isinstance(outcome.error, RequestError):
            raise outcome.error
        if outcome.error is not None:
            failures.append(outcome)
            continue
        done += 1
        how.progress(done, len(shards), f"read {outcome.item.path.stem}")
    if failures:
        raise ShardsFailed(failures, len(shards))
    return [
        Seen(shard.path, row, Observation(**{**found, "faults": tuple(found["faults"])}))
        for shard in shards
        for row, line in enumerate((folder / f"{shard.name}.jsonl").read_text(encoding="utf-8").splitlines())
        if (found := json.loads(line)) is not None
    ]


def _observe_shard(readers: Readers, folder: Path, shard: ReadShard) -> int:
    lines = [
        "null" if one is None else json.dumps({**asdict(one), "features": dict(one.features)})
        for one in observe(readers, read_shard(shard.path), shard.limit)
    ]
    write_whole(folder / f"{shard.name}.jsonl", "".join(f"{line}\n" for line in lines).encode())
    return len(lines)


def _cut(recipe: MineRecipe, seen: Sequence[Seen], choice: Choice) -> list[MixedShard]:
    """The mix in seeded order, in shards; one without rows where nothing was hard, so that the folder is a dataset."""
    roles = [(place, "hard") for place in choice.hard] + [(place, "ordinary") for place in choice.ordinary]
    rows = [Taken(seen[place], role, choice.hardness[place]) for place, role in roles]
    rows.sort(key=lambda taken: order_key(recipe.seed, taken.seen.what.id))
    cuts = range(0, max(1, len(rows)), ROWS_PER_SHARD)
    return [
        MixedShard(
            f"{recipe.split}-{number:05d}-of-{len(cuts):05d}",
            recipe.split,
            tuple(rows[start : start + ROWS_PER_SHARD]),
        )
        for number, start in enumerate(cuts)
    ]


def _profile(
    recipe: MineRecipe,
    seen: Sequence[Seen],
    choice: Choice,
    found: Attribution,
    weights: Mapping[str, float],
    faults: Mapping[int, tuple[str, str]],
) -> dict[str, Any]:
    """What was found, in JSON: figures of each task, the mix, effects of features, weights, suspects by reason."""
    rewards: dict[str, list[float]] = {}
    for one in seen:
        if one.what.reward is not None:
            rewards.setdefault(one.what.task, []).append(one.what.reward)
    reasons = [reason for reason, _ in faults.values()]
    hard, ordinary = len(choice.hard), len(choice.ordinary)
    return {
        "read": len(seen),
        "rewards": {task: {"mean": round(sum(v) / len(v), 4), "rows": len(v)} for task, v in sorted(rewards.items())},
        "mix": {"hard": hard, "ordinary": ordinary, "share": round(hard / max(1, hard + ordinary), 4)},
        "candidates": dict(choice.candidates),
        "attribution": asdict(found),
        "weights": dict(weights),
        "suspects": {reason: reasons.count(reason) for reason in sorted(set(reasons))},
        "recipe": recipe.model_dump(mode="json"),
    }


def _recipe_text(values: Mapping[str, Any], profile: Mapping[str, Any]) -> str:
    effects = [one for one in profile["attribution"]["effects"] if one["low"] > 0 or one["high"] < 0]
    lines = [f"#   {one['feature']}: {one['effect']:+.3f} ({one['low']:+.3f} to {one['high']:+.3f})" for one in effects]
    why = (
        "\n".join(["# What costs the model reward (below 0: what spares it some), with intervals:", *lines])
        if lines
        else "# Nothing stands out."
    )
    return (
        f"# What mining asks the press for. {len(effects)} features are told from noise.\n{why}\n#\n"
        + yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True)
    )


def _made_with(manifest: Mapping[str, Any]) -> dict[str, Any]:
    before = {key: manifest[key] for key in ("browser", "fonts", "model") if key in manifest}
    return {**before, "versions": manifest["versions"] | versions(PACKAGES)}


def _digest(value: Any) -> str:
    return blake2b(to_json(value).encode(), digest_size=8).hexdigest()
