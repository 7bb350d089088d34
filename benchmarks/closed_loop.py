"""Does the closed loop pay? Pages printed by mined weights against pages printed as before, all else equal.

    python benchmarks/closed_loop.py --work /tmp/loop                        (half an hour of one core)
    python benchmarks/closed_loop.py --work /tmp/loop --only 1               (one seed alone, beside others; no result)
    python benchmarks/closed_loop.py --work /tmp/loop --pages 16 --held-out 24 --steps 6 --seeds 2   (minutes: a toy)

For each seed the model starts at ``nano``, which was trained on English. In each round it is mined on what was printed
last, the same number of pages is printed, with the mined weights in one arm (mined) and with none in the other
(uniform), and it is trained for the same number of steps on all its pages so far, by Muon. Both arms print at the same
seeds, and both last models read the same held-out pages, which are printed without mined weights. Printed are crops of
running text of eight kinds in six languages; English is ten times as frequent as each of the others, everything else is
drawn evenly. The hard slice is what the start model reads with less than 0.95 of the reward; all else is elsewhere.
Intervals come from resampling seeds, and contents within them; differences are of the same records. A run that was
stopped goes on.
"""

import argparse
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe, load_recipe
from proofpress.flows.evaluate import Subject, evaluate_dataset
from proofpress.flows.loop_recipe import MineRecipe
from proofpress.flows.mine import mine
from proofpress.flows.observing import ByModel
from proofpress.generators.recipe import lattice_of
from proofpress.model.train.recipe import Kind, Level, SFTRecipe
from proofpress.model.train.sft import train_sft
from proofpress.pages.shards import read_records

DOCS = Path(__file__).parents[1] / "docs/closed_loop.md"
ARMS = ("mined", "uniform")
LANGUAGES = ("en", "de", "fr", "es", "pl", "tr")
KINDS = ("paper", "exam", "newspaper", "magazine", "letter", "manual", "dictionary", "index")
HARD = 0.95
DRAWS = 4_000


@dataclass(frozen=True, slots=True)
class Record:
    """One held-out record: which content it is of, and its reward by the start model and by each arm's last one."""

    content: str
    language: str
    hard: bool
    start: float
    mined: float
    uniform: float


def base_recipe(options: argparse.Namespace, name: str, seed: int, pages: int) -> BuildRecipe:
    """What is printed: as the recipe says that was given, else running text, mostly in English, which nano knows."""
    if options.recipe:
        recipe = load_recipe(options.recipe)
    else:
        features = {"language": LANGUAGES, "table.heads": ["absent"], "formula": ["absent"]}
        press = {
            "rows": "crops",
            "crops": 4,
            "features": features,
            "kinds": dict.fromkeys(KINDS, 1),
            "weights": {"language=en": 10},
        }
        recipe = BuildRecipe.model_validate({"name": name, "press": press, "splits": {}})
    assert recipe.press is not None, "the recipe prints nothing"
    press_recipe = recipe.press.model_copy(update={"pages": pages, "rows": "crops"})
    return recipe.model_copy(update={"name": name, "seed": seed, "press": press_recipe, "splits": {}, "corpora": ()})


def run_seed(options: argparse.Namespace, seed: int) -> list[Record]:
    """Both arms of one seed, and their rewards on its held-out pages."""
    work = options.work / f"seed-{seed}"
    held_out = work / "held-out"
    build(base_recipe(options, "held-out", 900_000 + seed, options.held_out), held_out)
    build(base_recipe(options, "base", 1_000 * seed, options.pages), work / "base")
    models = {arm: run_arm(options, work, seed, arm) for arm in ARMS}
    rewards = {name: read_held_out(options, work, held_out, name, model) for name, model in
               {"start": options.model, **models}.items()}  # fmt: skip
    about = {record.id: (record.content_id, record.features["language"]) for record in read_records(held_out)}
    return [
        Record(*about[one], start < HARD, start, rewards["mined"][one], rewards["uniform"][one])
        for one, start in rewards["start"].items()
    ]


def run_arm(options: argparse.Namespace, work: Path, seed: int, arm: str) -> str:
    """The rounds of one arm; the last model."""
    model, datasets = options.model, [work / "base"]
    for number in range(1, options.rounds + 1):
        folder = work / arm / f"round-{number}"
        recipe = base_recipe(options, f"round-{number}", 1_000 * seed + number, options.pages)
        if arm == "mined":
            mining = MineRecipe(rows=50, pages=options.pages, read_twice=False, limit=options.mined_rows)
            mine(datasets[-1], folder / "mining", mining, ByModel(model, read_twice=False))
            weights = json.loads((folder / "mining/profile.json").read_text())["weights"]
            print(f"  seed {seed}, round {number}: {weights or 'no feature stands out'}", flush=True)
            assert recipe.press is not None
            before = dict(lattice_of(recipe.press).weights)
            multiplied = {name: before.get(name, 1.0) * weight for name, weight in weights.items()}
            press = recipe.press.model_copy(update={"weights": {**recipe.press.weights, **multiplied}})
            recipe = recipe.model_copy(update={"press": press})
        build(recipe, folder / f"printed-{number}")
        datasets.append(folder / f"printed-{number}")
        if not (folder / "run/summary.json").is_file():
            train_sft(training(options, model, seed), datasets, folder / "run", resume=True)
        model = str(folder / "run/model")
    return model


def training(options: argparse.Namespace, model: str, seed: int) -> SFTRecipe:
    """Like ``recipes/train/nano_long.yaml``, in small."""
    kinds = {"line": Kind(max_width=1_088, max_height=64), "block": Kind(max_width=640, max_height=256)}
    return SFTRecipe(
        init=model, seed=seed, steps=options.steps, kinds=kinds, levels=[Level(mix={"line": 1.0, "block": 1.0})],
        batch_pixels=131_072, draw_pixels=65_536, batch_tokens=4_096, max_label=512, min_scale=0.8,
        optimizer="muon", learning_rate=options.learning_rate, warmup_steps=max(1, options.steps // 20), decay=0.5,
        threads=options.threads, evaluation_rows=0, tensorboard=False, checkpoint_every=max(1, options.steps // 4),
    )  # fmt: skip


def read_held_out(options: argparse.Namespace, work: Path, held_out: Path, name: str, model: str) -> dict[str, float]:
    """Record -> reward, of the first held-out records."""
    subject = Subject(model=model, out=work / "readings" / name)
    scored = evaluate_dataset(held_out, "train", subject, options.limit).records
    return {one.id: one.value for one in scored if one.value is not None}


def interval(seeds: Sequence[Sequence[Record]], hard: bool) -> tuple[float, float, float]:
    """The mean of mined minus uniform in a slice, with its 95 % interval over seeds and contents."""
    by_seed = []
    for records in seeds:
        contents: dict[str, list[float]] = {}
        for one in records:
            if one.hard == hard:
                contents.setdefault(one.content, []).append(one.mined - one.uniform)
        if contents:
            by_seed.append(np.array([(sum(gains), len(gains)) for gains in contents.values()]))
    if not by_seed:
        return float("nan"), float("nan"), float("nan")
    random, drawn = np.random.default_rng(0), []
    for _ in range(DRAWS):
        means = []
        for place in random.integers(0, len(by_seed), len(by_seed)):
            sums = by_seed[place][random.integers(0, len(by_seed[place]), len(by_seed[place]))].sum(axis=0)
            means.append(sums[0] / sums[1])
        drawn.append(np.mean(means))
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(np.mean([one[:, 0].sum() / one[:, 1].sum() for one in by_seed])), float(low), float(high)


def told(options: argparse.Namespace, seeds: Sequence[Sequence[Record]]) -> str:
    """The result in Markdown."""
    toy = options.steps < 40 or options.pages < 100 or options.seeds < 3
    lines = [
        "# The closed loop against printing as before", "",
        (__doc__ or "").split("\n\n", 2)[2].strip(), "",
        f"Printed by `{asked_for(options)}`: {options.pages} pages a round, "
        f"{options.rounds} rounds of {options.steps} steps, {len(seeds)} seeds, {options.held_out} held-out pages.", "",
    ]  # fmt: skip
    if toy:
        lines += [
            "**This is a toy's scale: it shows that the experiment runs, and nothing about whether the loop pays.**",
            "",
        ]
    lines += [
        "| slice | records | start | uniform | mined | mined - uniform | 95 % interval |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, hard in (("hard", True), ("elsewhere", False)):
        chosen = [one for records in seeds for one in records if one.hard == hard]
        mean, low, high = interval(seeds, hard)
        lines.append(f"| {name} | {len(chosen)} | {means_of(chosen)} | {mean:+.4f} | {low:+.4f} to {high:+.4f} |")
    (gain, low, high), (_, lost, _) = interval(seeds, True), interval(seeds, False)
    pays = "is not told from uniform on the hard slice, for the interval holds 0"
    if low > 0 or high < 0:
        pays = f"reads the hard slice {'better' if low > 0 else 'worse'}"
    lines += ["", f"Mined {pays} ({gain:+.3f}); elsewhere a loss of more than {max(0.0, -lost):.3f} is ruled out."]
    lines += ["", "| language | records | start | uniform | mined |", "|---|---|---|---|---|"]
    for language in sorted({one.language for records in seeds for one in records}):
        chosen = [one for records in seeds for one in records if one.language == language]
        lines.append(f"| {language} | {len(chosen)} | {means_of(chosen)} |")
    lines += ["", "Weights that were mined (where there are none, both arms print the same):", ""]
    for path in sorted(options.work.glob("seed-*/mined/*/mining/profile.json")):
        weights = json.loads(path.read_text())["weights"]
        found = ", ".join(f"`{name}` {weight}" for name, weight in weights.items())
        lines.append(f"- {path.parts[-5]}, {path.parts[-3]}: {found or 'none'}")
    lines += ["", "By seed, mined - uniform (hard, elsewhere):", ""]
    for number, records in enumerate(seeds):
        parts = [[one.mined - one.uniform for one in records if one.hard == hard] for hard in (True, False)]
        lines.append(f"- seed {number}: " + ", ".join(f"{np.mean(part):+.4f}" if part else "none" for part in parts))
    return "\n".join(lines) + "\n"


def means_of(records: Sequence[Record]) -> str:
    """Cells of a table: the mean reward of the start model and of both arms."""
    arms = ("start", "uniform", "mined")
    return " | ".join(f"{np.mean([getattr(one, arm) for one in records]):.4f}" if records else "-" for arm in arms)


def asked_for(options: argparse.Namespace) -> str:
    """The command that gives this result, wherever it works."""
    names = ("pages", "held_out", "limit", "mined_rows", "steps", "rounds", "seeds", "learning_rate", "model")
    values = [part for name in names for part in (f"--{name.replace('_', '-')}", str(getattr(options, name)))]
    return f"python benchmarks/closed_loop.py --work WORK {shlex.join(values)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for all that is made")
    parser.add_argument("--recipe", type=Path, help="a build recipe whose press prints")
    parser.add_argument("--model", default="nano")
    parser.add_argument("--pages", type=int, default=160, help="printed in each round, and for the base")
    parser.add_argument("--held-out", type=int, default=120, help="held-out pages")
    parser.add_argument("--limit", type=int, default=160, help="held-out records that are read")
    parser.add_argument("--mined-rows", type=int, default=220, help="records that a mining reads")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", type=int, help="run this seed alone and write no result; what is done is kept")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--docs", type=Path, default=DOCS, help="where the result is written")
    options = parser.parse_args()
    if options.only is not None:
        run_seed(options, options.only)
        return
    text = told(options, [run_seed(options, seed) for seed in range(options.seeds)])
    print(text)
    options.docs.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
