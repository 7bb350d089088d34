"""What training by reward is worth: two models read the same held-out crops, and how much better the second is.

    proofpress train grpo recipes/train/grpo.yaml --data out/crops --out out/grpo
    python benchmarks/reward_training.py nano out/grpo/model --data out/proofs --split train

For each task, and for each term of its reward: the mean before and after, and their difference with a bootstrap
interval over the crops, each of which is compared with itself.
"""

import argparse
from collections import defaultdict
from pathlib import Path

from proofpress.model.bench.intervals import mean_of
from proofpress.model.reader import Reader
from proofpress.model.rewards import score
from proofpress.pages.image import open_image
from proofpress.pages.label import normal_label
from proofpress.pages.record import PageRecord
from proofpress.pages.shards import read_records

TASKS = ("formula", "table", "text")
LARGEST = 384  # pixels of height, as in recipes/train/grpo.yaml


def chosen(data: Path, split: str, rows: int) -> dict[str, list[PageRecord]]:
    """The first records of each task that the models see unscaled."""
    found: dict[str, list[PageRecord]] = defaultdict(list)
    for record in read_records(data, split):
        fits = record.task in TASKS and record.width <= 768 and record.height <= LARGEST
        if fits and len(found[record.task]) < rows:
            found[record.task].append(record)
    return found


def terms(model: str, records: list[PageRecord]) -> list[dict[str, float]]:
    """Of each record the reward of the model's reading, and its terms."""
    texts = [reading.text for reading in Reader.load(model).read([open_image(record.image) for record in records])]
    scores = [
        score(text, normal_label(record.text, record.task), record.task)
        for text, record in zip(texts, records, strict=True)
    ]
    return [{"reward": one.value, **one.parts} for one in scores]


def main() -> None:
    """Read, compare and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--data", type=Path, required=True, help="A dataset that neither has been trained on.")
    parser.add_argument("--split", default="validation")
    parser.add_argument("--rows", type=int, default=150, help="Of each task.")
    arguments = parser.parse_args()
    both: list[float] = []
    print(f"{'task':<9}{'term':<24}{'n':>5} {'before':>8} {'after':>8}   difference [95 %]")
    for task, records in sorted(chosen(arguments.data, arguments.split, arguments.rows).items()):
        before, after = terms(arguments.before, records), terms(arguments.after, records)
        for term in sorted(set(before[0]) | set(after[0]), key=lambda name: (name != "reward", name)):
            pairs = [(b[term], a[term]) for b, a in zip(before, after, strict=True) if term in b and term in a]
            if not pairs:
                continue
            gain = mean_of([a - b for b, a in pairs])
            first, second = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
            print(
                f"{task:<9}{term:<24}{len(pairs):>5} {first:8.3f} {second:8.3f}   "
                f"{gain.value:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]",
                flush=True,
            )
            if term == "reward" and task != "text":
                both += [a - b for b, a in pairs]
    if both:
        gain = mean_of(both)
        print(f"formulas and tables: reward {gain.value:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]")


if __name__ == "__main__":
    main()
