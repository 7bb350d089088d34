"""Every defect of the rule catalogue, put into sound rows: how many are found, and what is said of rows left alone.

    python benchmarks/cleaning.py                       the table of docs/cleaning.md, on standard output
    python benchmarks/cleaning.py --pages 12 --faults 40 --only image
    python benchmarks/cleaning.py --samples ../shared/data/corpora     real samples, web-text filters, speed

Sound rows are printed pages and the crops cut from them, whose labels are proofed, forms drawn here, and the
layouts of the pages. A fault is found where the cleaner gives its reason, or a rule for pictures does that came
after the one which dropped the row. A false alarm is a sound row that a rule drops or changes, or says to lean; a
note that is true of it (it does end in a full stop) is none. Worn rows are sound too, though they lean by right:
what is dropped of them is told apart.
"""

import argparse
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from cleaning_peers import gopher_quality, gopher_repetition
from cleaning_rows import drawn_forms, printed_rows
from faults import FAULTS, Fault
from faults.fault import picture_of

from proofpress.cleaners.clean import clean, clean_row
from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.corpus import Corpus, RawRow
from proofpress.cleaners.label import apply, judge_label
from proofpress.cleaners.rule import Drop
from proofpress.cleaners.rules import IMAGE_RULES, RULES
from proofpress.cleaners.rules.images import Sample
from proofpress.cleaners.rules.layout import place
from proofpress.pages.image import ImageError, open_image
from proofpress.pages.record import PageRecord, Reject

SEED = 23  # the rules were tuned on rows of other seeds
FORMS = 100
SAMPLES = {
    "pubtabnet": "pubtabnet", "sroie": "sroie", "omnidocbench": "omnidocbench", "docbank": "docbank",
    "publaynet": "publaynet/examples", "olmocr-mix": "olmocr/tests/sample_dataset",
    "wildreceipt": "mmocr/tests/data/kie_toy_dataset",
}  # fmt: skip


class Rows(Corpus):
    """Rows in memory, as a corpus, so that they go the whole way of a corpus's."""

    name, about, licence, terms, revision, url = "rows", "rows", "Apache-2.0", "", "", ""

    def __init__(self, row: RawRow) -> None:
        self.row = row

    def load(self, path: Path, ref: str) -> RawRow:
        """The one row."""
        return self.row


def reasons(row: RawRow) -> tuple[set[str], set[str]]:
    """What the cleaner says of a row: all reasons, and those by which it drops or changes it."""
    made = clean_row(Rows(row), Path("."), "train:0:row")
    if isinstance(made, Reject):
        return {made.reason}, {made.reason}
    said = {check.reason for check in made.checks if check.reason}
    acted = {check.reason for check in made.checks if check.outcome != "passed" or check.reason == "image.skew"}
    return said, acted - {""}


def picture_reasons(row: RawRow) -> set[str]:
    """What every rule for pictures says of a row, whichever of them would have dropped it first."""
    try:
        image = open_image(row.image) if isinstance(row.image, bytes) else row.image
    except ImageError as error:
        return {f"image.{error.reason}"}
    sample = Sample(image, row.text, row.task, row.words, row.elements)
    if isinstance(size := IMAGE_RULES[0].judge(sample), Drop):
        return {size.reason}
    return {verdict.reason for rule in IMAGE_RULES if (verdict := rule.judge(sample)).reason}


def label_reasons(row: RawRow) -> set[str]:
    """What the rules for labels say of a row: the part of ``reasons`` that needs no picture, and little time."""
    judged = judge_label(row.task, row.text, row.elements)
    return {judged.drop.reason} if judged.drop else {check.reason for check in judged.checks if check.reason}


def box_reasons(row: RawRow) -> set[str]:
    """What the rules for boxes say of a row."""
    placed = place(row.elements, row.words, row.frame, picture_of(row).size)
    return {check.reason for check in placed.checks if check.reason}


def all_reasons(fault: Fault, row: RawRow) -> set[str]:
    """What is said of a row that a fault was put into, by as little of the cleaner as tells."""
    if fault.of_label:
        return label_reasons(row)
    if fault.of_boxes:
        return box_reasons(row)
    said = reasons(row)[0]
    return said if fault.reason in said else said | picture_reasons(row)


def find_fault(sound: dict[str, list[RawRow]], count: int, seed: int, fault: Fault) -> tuple[Counter[str], list[str]]:
    """How many of a fault were put into rows, by task; and what is to be told of those that were not found."""
    rng = random.Random(f"{seed}/{fault.reason}/{fault.how}")
    put: Counter[str] = Counter()
    missed = []
    for task in fault.tasks:
        tries = 0
        while sound.get(task) and put[task] < count // len(fault.tasks) + 1 and tries < 12 * count:
            tries += 1
            row = fault.put(rng, rng.choice(sound[task]))
            if row is None:
                continue
            put[task] += 1
            said = all_reasons(fault, row)
            if fault.reason not in said:
                missed.append(f"missed {fault.reason} ({fault.how}) in a {task}: {said} {row.text[-80:]!r}")
    return put, missed


_SOUND: dict[str, list[RawRow]] = {}  # of a worker


def _keep(sound: dict[str, list[RawRow]]) -> None:
    _SOUND.update(sound)


def _find(count: int, seed: int, at: int) -> tuple[Counter[str], list[str]]:
    return find_fault(_SOUND, count, seed, FAULTS[at])


def judged(rows: Sequence[RawRow], workers: int) -> list[set[str]]:
    """By which reasons the cleaner drops or changes each row, or says that it leans."""
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return [acted for _, acted in pool.map(reasons, rows, chunksize=16)]


def tell(text: str) -> None:
    """Progress, and what is not as it should be."""
    print(text, file=sys.stderr, flush=True)


def seeded_faults(pages: int, worn: int, count: int, only: str, seed: int, workers: int) -> bool:
    """Print the table of recalls and of false alarms; whether all of them are as they should be."""
    tell(f"printing {pages} pages and {worn} worn ones")
    rows = [*printed_rows(pages, seed), *drawn_forms(FORMS, seed)]
    tell(f"cleaning {len(rows)} sound rows")
    alarms: Counter[str] = Counter()
    sound: dict[str, list[RawRow]] = defaultdict(list)
    for row, acted in zip(rows, judged(rows, workers), strict=True):
        alarms.update(acted)
        if acted:
            tell(f"false alarm in a {row.task}: {acted} {row.text[:100]!r}")
        else:
            sound[row.task].append(row)
    tasks = Counter(row.task for row in rows)
    print(
        f"seed {seed}, {len(rows)} sound rows: "
        + ", ".join(f"{number} {task}" for task, number in sorted(tasks.items()))
    )
    if worn:
        crops = [row for row in printed_rows(worn, seed, worn=True) if row.task not in ("page", "layout")]
        dropped = Counter(why for acted in judged(crops, workers) for why in acted - {"image.skew"})
        print(
            f"{len(crops)} worn crops, dropped or changed: "
            + (", ".join(f"{w} {n}" for w, n in dropped.items()) or "none")
        )
    print("\n| reason | in | put in | found | recall | false alarms |\n|---|---|--:|--:|--:|--:|")
    fine = True
    wanted = [at for at, fault in enumerate(FAULTS) if fault.reason.startswith(only)]
    with ProcessPoolExecutor(workers, get_context("spawn"), _keep, (dict(sound),)) as pool:
        for at, (put, missed) in zip(wanted, pool.map(partial(_find, count, seed), wanted), strict=True):
            fault, total = FAULTS[at], sum(put.values())
            for line in missed:
                tell(line)
            name = f"`{fault.reason}`" + (f" ({fault.how})" if fault.how else "")
            found = total - len(missed)
            recall, rate = found / max(total, 1), alarms.pop(fault.reason, 0) / len(rows)
            fine &= recall >= 0.99 and rate <= 0.005 and total > 0
            print(f"| {name} | {', '.join(sorted(put))} | {total} | {found} | {recall:.3f} | {rate:.4f} |", flush=True)
    rest = sum(alarms.values()) / len(rows)
    print(f"| any other reason | | | | | {rest:.4f} |")
    return fine and rest <= 0.005


def real_samples(folder: Path) -> None:
    """Print what is kept of the real samples, beside what web-text filters would keep of the labels."""
    print("\n| sample | rows | kept | rejected for | Gopher quality rejects | Gopher repetition rejects |")
    print("|---|--:|--:|---|--:|--:|")
    for name, inner in SAMPLES.items():
        corpus = CORPORA[name]
        made = list(clean(corpus, folder / inner, corpus.items(folder / inner)))
        kept = [row for row in made if isinstance(row, PageRecord)]
        why = Counter(row.reason for row in made if isinstance(row, Reject))
        texts = [row.text for row in made if row.text and name not in ("publaynet", "docbank")]
        if name in ("sroie", "wildreceipt"):  # what a receipt says, not only its fields
            loaded = [corpus.load(folder / inner, ref) for ref in corpus.items(folder / inner)]
            texts = ["\n".join(word.text for word in row.words) for row in loaded]
        quality = sum(bool(gopher_quality(text)) for text in texts)
        repetition = sum(bool(gopher_repetition(text)) for text in texts)
        shown = ", ".join(f"{reason} {count}" for reason, count in why.items())
        of = f" of {len(texts)}"
        print(f"| {name} | {len(made)} | {len(kept)} | {shown} | {quality}{of} | {repetition}{of} |", flush=True)


def table_speed(folder: Path) -> None:
    """Print how many tables of PubTabNet the table rules judge in a second of one core, best of 30 rounds."""
    corpus, path = CORPORA["pubtabnet"], folder / SAMPLES["pubtabnet"]
    labels = [corpus.load(path, ref).text for ref in corpus.items(path)]
    best = 0.0
    for _ in range(30):
        start = time.process_time()
        for label in labels:
            apply(RULES["table"], label)
        best = max(best, len(labels) / (time.process_time() - start))
    print(
        f"\ntable rules: {best:,.0f} tables a second of one core ({len(labels)} tables of PubTabNet, best of 30 rounds)"
    )


def main() -> None:
    """Run it; exit 1 where a recall is under 0.99 or a rate of false alarms over 0.005."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pages", type=int, default=24, help="pages to print; each gives up to 12 crops")
    parser.add_argument("--worn", type=int, default=10, help="worn pages to print, for their crops")
    parser.add_argument("--faults", type=int, default=120, help="times that each fault is put in")
    parser.add_argument("--only", default="", help="only faults whose reason begins so: image, formula.over")
    parser.add_argument("--seed", type=int, default=SEED, help="of the pages, the forms and the places of faults")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--samples", type=Path, help="a folder of real samples: measures these and the speed instead")
    options = parser.parse_args()
    if options.samples:
        real_samples(options.samples)
        table_speed(options.samples)
        return
    if not seeded_faults(options.pages, options.worn, options.faults, options.only, options.seed, options.workers):
        sys.exit(1)


if __name__ == "__main__":
    main()
