"""What the judge is worth: label faults put into true crops, and how well it tells them, beside Tesseract's reading.

    python benchmarks/judging.py [--crops 60] [--model nano]
    python benchmarks/judging.py --samples ../shared/data/corpora     real crops of public corpora, too

A figure is the area under the ROC curve of one kind of fault against the true labels of the same kind of crop: 0.5 is
guessing. likelihood and doubt are the judge's (see ``Reader.believe``); Tesseract's is the edit distance between what
it reads and the label without its markup, as a share of the label.
"""

import argparse
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean

from heldout import Crop, printed, read_by_tesseract, real
from rapidfuzz.distance import Levenshtein
from scipy.stats import rankdata

from proofpress.model.reader import Reader
from proofpress.pages.label import normal_label
from proofpress.pages.table import TableError
from proofpress.pages.table_html import from_html

SEED = 5
LINE = 8  # words that are left out of a paragraph: about a line of a column

#: Makes a wrong label of a right one, or None where it cannot. others: right labels of the same kind.
Fault = Callable[[str, random.Random, Sequence[str]], str | None]

_CELL = re.compile(r"(?<=>)[^<>]+(?=</t[dh]>)")
_ROW = re.compile(r"<tr>.*?</tr>", re.DOTALL)


def _replace_one(pattern: str, change: Callable[[str, random.Random], str]) -> Fault:
    def fault(label: str, rng: random.Random, others: Sequence[str]) -> str | None:
        found = list(re.finditer(pattern, label))
        if not found:
            return None
        place = rng.choice(found)
        return label[: place.start()] + change(place.group(), rng) + label[place.end() :]

    return fault


def _other(letters: str) -> Callable[[str, random.Random], str]:
    return lambda had, rng: rng.choice([letter for letter in letters if letter != had])


def _word(label: str, rng: random.Random, others: Sequence[str]) -> str | None:
    """A word replaced by one of another label that is as long, give or take a letter."""
    words = label.split(" ")
    places = [place for place, word in enumerate(words) if word.isalpha() and len(word) > 2]
    if not places:
        return None
    place = rng.choice(places)
    pool = sorted({word for other in others for word in other.split(" ") if word.isalpha()} - {words[place]})
    alike = [word for word in pool if abs(len(word) - len(words[place])) <= 1]
    if not alike:
        return None
    return " ".join([*words[:place], rng.choice(alike), *words[place + 1 :]])


def _line(label: str, rng: random.Random, others: Sequence[str]) -> str | None:
    words = label.split(" ")
    if len(words) < 2 * LINE:
        return None
    start = rng.randrange(len(words) - LINE)
    return " ".join(words[:start] + words[start + LINE :])


def _cells(label: str, rng: random.Random, others: Sequence[str]) -> str | None:
    cells = list(_CELL.finditer(label))
    pairs = [(one, other) for one in cells for other in cells if one.start() < other.start() and one[0] != other[0]]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    between = label[one.end() : other.start()]
    return label[: one.start()] + other[0] + between + one[0] + label[other.end() :]


def _rows(repeat: int) -> Fault:
    def fault(label: str, rng: random.Random, others: Sequence[str]) -> str | None:
        rows = list(_ROW.finditer(label))
        if len(rows) < 3:
            return None
        row = rng.choice(rows[1:])
        return label[: row.start()] + row[0] * repeat + label[row.end() :]

    return fault


def _label(label: str, rng: random.Random, others: Sequence[str]) -> str | None:
    return min((other for other in others if other != label), key=lambda other: abs(len(other) - len(label)))


DIGIT = _replace_one(r"\d", _other("0123456789"))
SIGN = _replace_one(r"[-+\N{MINUS SIGN}](?=[\da-z\\(])", lambda had, rng: "")
FAULTS: dict[str, dict[str, Fault]] = {
    "text": {
        "digit changed": DIGIT,
        "letters exchanged": _replace_one(r"(?<=[a-z])(?:([a-z])(?!\1)[a-z])", lambda had, rng: had[::-1]),
        "word replaced": _word,
        "line left out": _line,
        "another label": _label,
    },
    "formula": {
        "digit changed": DIGIT,
        "sign dropped": SIGN,
        "script moved": _replace_one(r"[_^](?=\{)", lambda had, rng: "^" if had == "_" else "_"),
        "letter changed": _replace_one(r"(?<![a-zA-Z\\])[a-z](?![a-zA-Z])", _other("abcdefghijkmnpqrstuvwxyz")),
        "another label": _label,
    },
    "table": {
        "digit changed": DIGIT,
        "sign dropped": SIGN,
        "cells exchanged": _cells,
        "row left out": _rows(0),
        "row doubled": _rows(2),
        "another label": _label,
    },
}


def area(faulty: Sequence[float], true: Sequence[float]) -> float:
    """Under the ROC curve: how probably a faulty label looks worse than a true one. Values: higher is worse."""
    ranks = rankdata([*faulty, *true])
    return (sum(ranks[: len(faulty)]) - len(faulty) * (len(faulty) + 1) / 2) / (len(faulty) * len(true))


def plain(label: str, task: str) -> str:
    """A label without its markup, as a plain reader could give it."""
    if task == "table":
        try:
            label = " ".join(cell.text for cell in from_html(label).cells)
        except TableError:
            label = re.sub(r"<[^>]*>", " ", label)
    if task == "formula" or "$" in label:
        label = re.sub(r"\\[a-zA-Z]+|[\\{}_^$&]", " ", label)
    return " ".join(re.sub(r"[*#]", "", label).split())


class Judges:
    """The judge's two measures and Tesseract's, each higher where a label is less believed."""

    def __init__(self, model: str) -> None:
        self._reader = Reader.load(model)
        self._read: dict[int, str] = {}
        self.names = ("likelihood", "doubt", *(("Tesseract",) if shutil.which("tesseract") else ()))

    def __call__(self, crops: Sequence[Crop], labels: Sequence[str]) -> list[tuple[float, ...]]:
        """For each label, what is said of it."""
        beliefs = self._reader.believe([crop.image for crop in crops], labels)
        said: list[tuple[float, ...]] = [(-belief.likelihood, belief.doubt) for belief in beliefs]
        if "Tesseract" in self.names:
            said = [(*one, self._distance(crop, label)) for one, crop, label in zip(said, crops, labels, strict=True)]
        return said

    def _distance(self, crop: Crop, label: str) -> float:
        if id(crop) not in self._read:
            self._read[id(crop)] = read_by_tesseract(crop)
        bare = plain(label, crop.task)
        return Levenshtein.distance(self._read[id(crop)], bare) / max(1, len(bare))


def main() -> None:
    """Seed, judge and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crops", type=int, default=60, help="How many crops of each kind.")
    parser.add_argument("--model", default="nano")
    parser.add_argument("--samples", type=Path, help="Folder with samples of public corpora, by their names.")
    arguments = parser.parse_args()
    judges = Judges(arguments.model)
    sets = {"printed": printed(arguments.crops)}
    if arguments.samples:
        sets["real"] = real(arguments.samples, arguments.crops)
    print(f"{'':<42}", *(f"{name:>10}" for name in judges.names))
    for name, crops in sets.items():
        areas: dict[str, list[float]] = defaultdict(list)
        for kind in ("line", "paragraph", "formula", "table"):
            own = [crop for crop in crops if crop.kind == kind]
            if len(own) < 2:
                continue
            labels = [crop.label for crop in own]
            true = judges(own, labels)
            for fault, make in FAULTS[own[0].task].items():
                rng = random.Random(f"{SEED} {kind} {fault}")
                made = [(crop, make(crop.label, rng, labels)) for crop in own]
                wrong = [(crop, normal_label(label, crop.task)) for crop, label in made if label is not None]
                wrong = [(crop, label) for crop, label in wrong if label != crop.label]
                if len(wrong) < 5:
                    continue
                said = judges([crop for crop, _ in wrong], [label for _, label in wrong])
                found = [area(a, b) for a, b in zip(zip(*said, strict=True), zip(*true, strict=True), strict=True)]
                for judge, value in zip(judges.names, found, strict=True):
                    areas[judge].append(value)
                row = f"{name:<9}{kind:<11}{fault:<18} n={len(wrong)}"
                print(f"{row:<42}", *(f"{value:10.3f}" for value in found), flush=True)
        print(f"{name + ': mean':<42}", *(f"{mean(areas[judge]):10.3f}" for judge in judges.names))
        print(f"{name + ': least':<42}", *(f"{min(areas[judge]):10.3f}" for judge in judges.names), flush=True)


if __name__ == "__main__":
    main()
