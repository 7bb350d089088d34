"""What the bundled model reads of crops that no training saw, beside Tesseract, each kind apart.

    python benchmarks/reading.py [--crops 60] [--model nano]
    python benchmarks/reading.py --samples ../shared/data/corpora     real crops of public corpora, too

CER: edits a character of the label, which holds formulas in normal form. F1: of a formula's tree, or TEDS of a table.
exact: share of crops read without a fault.
"""

import argparse
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from heldout import KINDS, Crop, printed, read_by_tesseract, real
from rapidfuzz.distance import Levenshtein

from proofpress.model.reader import Reader
from proofpress.model.rewards import score

MEASURES = {"formula": ("F1", "structure"), "table": ("TEDS", "teds")}  # beside CER, and where the reward says it


def figures(crops: list[Crop], texts: list[str]) -> Iterator[str]:
    """What a reading is worth, as it is printed."""
    errors = sum(Levenshtein.distance(text, crop.label) for crop, text in zip(crops, texts, strict=True))
    rewards = [score(text, crop.label, crop.task) for crop, text in zip(crops, texts, strict=True)]
    yield f"CER {errors / sum(len(crop.label) for crop in crops):6.1%}"
    if measure := MEASURES.get(crops[0].task):
        yield f"{measure[0]:>4} {mean(reward.parts.get(measure[1], 0.0) for reward in rewards):.3f}"
    else:
        yield " " * 10
    yield f"reward {mean(reward.value for reward in rewards):.3f}"
    yield f"exact {mean(text == crop.label for crop, text in zip(crops, texts, strict=True)):4.0%}"


def main() -> None:
    """Print, read and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crops", type=int, default=60, help="How many crops of each kind.")
    parser.add_argument("--model", default="nano")
    parser.add_argument("--samples", type=Path, help="Folder with samples of public corpora, by their names.")
    arguments = parser.parse_args()
    reader = Reader.load(arguments.model)
    sets = {"clean": printed(arguments.crops), "worn": printed(arguments.crops, worn=True)}
    if arguments.samples:
        sets["real"] = real(arguments.samples, arguments.crops)
    has_tesseract = shutil.which("tesseract") is not None
    for name, crops in sets.items():
        for kind in KINDS:
            own = [crop for crop in crops if crop.kind == kind]
            if not own:
                continue
            start = time.perf_counter()
            texts = [reading.text for reading in reader.read([crop.image for crop in own])]
            speed = len(own) / (time.perf_counter() - start)
            row = f"{name:<6}{kind:<10} n={len(own):<4}"
            print(row, *figures(own, texts), f"{speed:5.1f} crops/s", sep="  ", flush=True)
            if has_tesseract:
                theirs = list(map(read_by_tesseract, own))
                print(" " * len(row), *figures(own, theirs), "Tesseract", sep="  ", flush=True)


if __name__ == "__main__":
    main()
