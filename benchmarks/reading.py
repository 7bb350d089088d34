"""What the bundled model reads: crops printed for this alone, at a seed that no training uses, each kind apart.

python benchmarks/reading.py [--crops 60] [--model nano]
"""

import argparse
import io
import time
from collections import defaultdict
from collections.abc import Iterator

from PIL import Image
from rapidfuzz.distance import Levenshtein

from proofpress.generators.press import PressRecipe, open_browser, print_pages
from proofpress.model.reader import Reader
from proofpress.model.rewards import score
from proofpress.pages.label import normal_label
from proofpress.pages.record import PageRecord

HELD_OUT_SEED = 987_654_321
# What the bundled model has learned to read, as in recipes/proofs.yaml.
LEARNED_KINDS = {"paper": 1.0, "report": 1.0, "exam": 1.0}
LEARNED = {"language": ("en",), "face": ("serif", "sans"), "formula.font": ("absent", "katex")}
KINDS = ("word", "line", "paragraph", "formula", "table")


def held_out(count: int) -> dict[str, list[PageRecord]]:
    """The first ``count`` crops of each kind at the held-out seed that fit the model's view unscaled."""
    found: dict[str, list[PageRecord]] = defaultdict(list)
    recipe = PressRecipe(rows="crops", crops=30, kinds=LEARNED_KINDS, features=LEARNED)
    with open_browser(recipe) as browser:
        for record in print_pages(recipe, HELD_OUT_SEED, range(10_000), browser):
            if not isinstance(record, PageRecord) or record.width > 768 or record.height > 512:
                continue
            kind = record.features["crop"]
            if len(found[kind]) < count:
                found[kind].append(record)
            if all(len(found[kind]) == count for kind in KINDS):
                return found
    raise AssertionError("ten thousand pages hold enough of each kind")


def figures(reader: Reader, records: list[PageRecord]) -> Iterator[str]:
    """Character error rate, mean reward, share read without a fault, crops a second."""
    images = [Image.open(io.BytesIO(record.image)).convert("RGB") for record in records]
    start = time.perf_counter()
    readings = reader.read(images)
    seconds = time.perf_counter() - start
    labels = [normal_label(record.text, record.task) for record in records]
    errors = sum(Levenshtein.distance(r.text, label) for r, label in zip(readings, labels, strict=True))
    rewards = [
        score(r.text, label, record.task).value for r, label, record in zip(readings, labels, records, strict=True)
    ]
    exact = sum(r.text == label for r, label in zip(readings, labels, strict=True))
    yield f"CER {errors / sum(map(len, labels)):6.1%}"
    yield f"reward {sum(rewards) / len(rewards):.3f}"
    yield f"exact {exact / len(records):4.0%}"
    yield f"{len(records) / seconds:5.1f} crops/s"


def main() -> None:
    """Print, read and say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crops", type=int, default=60, help="How many crops of each kind.")
    parser.add_argument("--model", default="nano")
    arguments = parser.parse_args()
    reader = Reader.load(arguments.model)
    crops = held_out(arguments.crops)
    for kind in KINDS:
        print(f"{kind:<10} n={len(crops[kind])}", *figures(reader, crops[kind]), sep="  ")


if __name__ == "__main__":
    main()
