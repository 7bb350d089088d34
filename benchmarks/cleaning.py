"""Every defect of the rule catalogue, put into sound rows: how many are found, and what is said of rows left alone.

    python benchmarks/cleaning.py                       the table of docs/cleaning.md, on standard output
    python benchmarks/cleaning.py --pages 12 --faults 40
    python benchmarks/cleaning.py --samples ../shared/data/corpora     real samples, web-text filters, speed

Sound rows are printed pages and the crops cut from them, whose labels are proofed, forms drawn here, and the
layouts of the pages. A fault is found where the cleaner gives its reason, or a rule for pictures does that came
after the one which dropped the row. A false alarm is a sound row that a rule drops or changes, or says to lean; a
note that is true of it (it does end in a full stop) is none.
"""

import argparse
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from cleaning_faults import FAULTS, Fault
from cleaning_peers import gopher_quality, gopher_repetition
from PIL import Image, ImageDraw, ImageFont

from proofpress.cleaners.clean import clean, clean_row
from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.corpus import Corpus, RawRow
from proofpress.cleaners.forms import Field, form_text
from proofpress.cleaners.label import apply, judge_label
from proofpress.cleaners.rule import Drop
from proofpress.cleaners.rules import IMAGE_RULES, RULES
from proofpress.cleaners.rules.images import Sample
from proofpress.generators.press import PressRecipe, open_browser, print_pages
from proofpress.pages.image import ImageError, open_image
from proofpress.pages.record import PageRecord, Reject, Source, Word

SEED = 11
FORMS = 150
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


def printed_rows(pages: int) -> Iterator[RawRow]:
    """Printed pages, their crops, and for each page its layout."""
    recipe = PressRecipe(rows="both", crops=12)
    with open_browser(recipe) as browser:
        for record in print_pages(recipe, SEED, range(pages), browser):
            if isinstance(record, PageRecord):
                row = RawRow(record.source, record.image, record.text, record.task, {}, "train", words=record.words)
                yield replace(row, elements=record.elements) if record.task == "page" else row
                if record.task == "page":
                    shown = [e for e in record.elements if e.polygons]
                    yield replace(row, task="layout", text="", elements=tuple(shown), words=())


def drawn_forms(count: int) -> Iterator[RawRow]:
    """Receipts with a company, a date, a place and a total, and their lines."""
    rng = random.Random(SEED)
    font = ImageFont.load_default(size=22)
    for number in range(count):
        names = ("Ashford", "Berger", "Castro", "Dvorak", "Eriksen", "Fontaine", "Goldman", "Horvath")
        company = f"{rng.choice(names)} & {rng.choice(names)} {rng.choice(('Trading', 'Hardware', 'Stationery'))}"
        date = f"{rng.randrange(1, 29):02d}/{rng.randrange(1, 13):02d}/20{rng.randrange(10, 26)}"
        place = f"{rng.randrange(1, 99)} {rng.choice(names)} Street"
        total = f"{rng.randrange(3, 900)}.{rng.randrange(100):02d}"
        lines = [company, place, f"Date: {date}", "Thank you for your visit", f"Total {total}"]
        image = Image.new("RGB", (460, 60 + 44 * len(lines)), "white")
        pen, words = ImageDraw.Draw(image), []
        for at, line in enumerate(lines):
            left, top = 24, 24 + 44 * at
            pen.text((left, top), line, fill="black", font=font)
            x0, y0, x1, y1 = pen.textbbox((left, top), line, font=font)
            words.append(Word(line, (x0, y0, x1, y0, x1, y1, x0, y1), ""))
        data = BytesIO()
        image.save(data, "PNG")
        fields = [Field("company", company), Field("address", place), Field("date", date), Field("total", total)]
        source = Source("forms", str(number), "", "Apache-2.0")
        yield RawRow(source, data.getvalue(), form_text(fields), "form", {}, "train", words=tuple(words))


def find_faults(fault: Fault, rows: dict[str, list[RawRow]], count: int) -> tuple[int, Counter[str], int]:
    """How many of a fault were put into rows; by task, and how many of them were found."""
    rng = random.Random(f"{SEED}/{fault.reason}/{fault.how}")
    put: Counter[str] = Counter()
    found = 0
    for task in fault.tasks:
        tries = 0
        while rows[task] and put[task] < count // len(fault.tasks) + 1 and tries < 12 * count:
            tries += 1
            row = fault.put(rng, rng.choice(rows[task]))
            if row is None:
                continue
            put[task] += 1
            said = label_reasons(row) if fault.of_label else _seen(fault, row)
            if fault.reason in said:
                found += 1
            else:
                print(f"missed {fault.reason} ({fault.how}) in a {task}: {said} {row.text[-80:]!r}", file=sys.stderr)
    return found, put, sum(put.values())


def _seen(fault: Fault, row: RawRow) -> set[str]:
    said = reasons(row)[0]
    return said if fault.reason in said else said | picture_reasons(row)


def seeded_faults(pages: int, count: int, only: str) -> bool:
    """Print the table of recalls and of false alarms; whether all of them are as they should be."""
    rows: dict[str, list[RawRow]] = defaultdict(list)
    for row in (*printed_rows(pages), *drawn_forms(FORMS)):
        rows[row.task].append(row)
    alarms: Counter[str] = Counter()
    sound: dict[str, list[RawRow]] = defaultdict(list)
    for task, listed in rows.items():
        for row in listed:
            _, acted = reasons(row)
            alarms.update(acted)
            if acted:
                print(f"false alarm in a {task}: {acted} {row.text[:100]!r}", file=sys.stderr)
            else:
                sound[task].append(row)
    total = sum(map(len, rows.values()))
    print(f"{total} sound rows: " + ", ".join(f"{len(listed)} {task}" for task, listed in sorted(rows.items())))
    print()
    print("| reason | in | put in | found | recall | false alarms |")
    print("|---|---|--:|--:|--:|--:|")
    fine = True
    for fault in (fault for fault in FAULTS if fault.reason.startswith(only)):
        found, put, all_put = find_faults(fault, sound, count)
        name = f"`{fault.reason}`" + (f" ({fault.how})" if fault.how else "")
        recall, rate = found / max(all_put, 1), alarms.pop(fault.reason, 0) / total
        fine &= recall >= 0.99 and rate <= 0.005 and all_put > 0
        print(f"| {name} | {', '.join(sorted(put))} | {all_put} | {found} | {recall:.3f} | {rate:.4f} |", flush=True)
    rest = sum(alarms.values()) / total
    print(f"| any other reason | | | | | {rest:.4f} |")
    return fine and rest <= 0.005


def real_samples(folder: Path) -> None:
    """Print what is kept of the real samples, beside what web-text filters would keep of the labels."""
    print("\n| sample | rows | kept | rejected for | Gopher quality rejects | Gopher repetition rejects |")
    print("|---|--:|--:|---|--:|--:|")
    for name, place in SAMPLES.items():
        corpus = CORPORA[name]
        made = list(clean(corpus, folder / place, corpus.items(folder / place)))
        kept = [row for row in made if isinstance(row, PageRecord)]
        why = Counter(row.reason for row in made if isinstance(row, Reject))
        texts = [row.text for row in made if row.text and name not in ("publaynet", "docbank")]
        if name in ("sroie", "wildreceipt"):  # what a receipt says, not only its fields
            loaded = [corpus.load(folder / place, ref) for ref in corpus.items(folder / place)]
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
    parser.add_argument("--pages", type=int, default=60, help="pages to print; each gives up to 12 crops")
    parser.add_argument("--faults", type=int, default=120, help="times that each fault is put in")
    parser.add_argument("--only", default="", help="only faults whose reason begins so: image, formula.over")
    parser.add_argument("--samples", type=Path, help="a folder of real samples: measures these and the speed instead")
    options = parser.parse_args()
    if options.samples:
        real_samples(options.samples)
        table_speed(options.samples)
        return
    if not seeded_faults(options.pages, options.faults, options.only):
        sys.exit(1)


if __name__ == "__main__":
    main()
