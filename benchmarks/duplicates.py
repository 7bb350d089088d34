"""What finding duplicates costs and finds: time a row at growing numbers of rows, memory, a peer; recall on real pages.

python benchmarks/duplicates.py [--rows 10000 100000 1000000] [--samples ../shared/data/corpora]

Rows are texts of about 2,000 characters, one in twenty a near-duplicate of an earlier one (a word in forty replaced).
The peers, datasketch and rensa where they are installed, get the same texts in the same run: 128 permutations over the
same shingles, and over shingles of five words, which are fewer.
"""

import argparse
import io
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from proofpress.cleaners.duplicates import minhash
from proofpress.cleaners.duplicates.clusters import find_clusters
from proofpress.cleaners.duplicates.content import dense
from proofpress.cleaners.duplicates.fingerprint import Fingerprints, fingerprint, hashed, write_fingerprints
from proofpress.cleaners.duplicates.report import Account
from proofpress.cleaners.duplicates.resolve import settle
from proofpress.pages.image import encode_png, open_image
from proofpress.pages.record import PageRecord, Source, record_id

WORDS = 300  # a row
EVERY = 20  # rows: one near-duplicate
FILE_ROWS = 10_000
ROUNDS = 3


def texts(rows: int) -> Iterator[str]:
    """The texts, each made from its own number alone."""
    letters = np.random.default_rng(1)
    words = np.array(["".join(letters.choice(list("etaoinshrdlucm"), letters.integers(2, 11))) for _ in range(30_000)])
    for row in range(rows):
        original = row if row % EVERY else max(row - EVERY // 2, 1)
        drawn = words[np.random.default_rng(original).integers(0, len(words), WORDS)]
        if row % EVERY == 0:
            changed = np.random.default_rng([row, 1])
            places = changed.integers(0, WORDS, WORDS // 40)
            drawn[places] = words[changed.integers(0, len(words), len(places))]
        yield " ".join(drawn)


def record_of(row: int, text: str) -> PageRecord:
    """A row of text, its picture hashed before."""
    identity = record_id("texts", str(row), "1")
    hashes = {"pixels": identity, "phash": identity[:16], "phash_trimmed": identity[16:]}
    return PageRecord(identity, b"", 1, 1, text, "text", Source("texts", str(row), "1", "CC0-1.0"), hashes=hashes)


def cost(rows: int, answer: "multiprocessing.Queue[dict[str, float]]") -> None:
    """Deduplicate so many rows, out of core, up to the table of clusters; put CPU seconds, memory and finds."""
    made = fingerprinted = 0.0
    with tempfile.TemporaryDirectory() as folder:
        source, files = texts(rows), []
        for start in range(0, rows, FILE_ROWS):
            begun = time.process_time()
            records = [record_of(start + n, next(source)) for n in range(min(FILE_ROWS, rows - start))]
            made += time.process_time() - begun
            files.append(Path(folder) / f"{start}.arrow")
            begun = time.process_time()
            write_fingerprints(files[-1], records)
            fingerprinted += time.process_time() - begun
        begun = time.process_time()
        prints = Fingerprints.read(files, Path(folder) / "signatures")
        found = find_clusters(prints)
        account = Account(prints, found, settle(prints, found))
        account.table()
        account.facts()
        clustered = time.process_time() - begun
        labels = found.labels
    planted = np.arange(0, rows, EVERY)
    originals = np.maximum(planted - EVERY // 2, 1)
    right = labels[planted] == labels[originals]
    answer.put(
        {
            "fingerprint": fingerprinted,
            "cluster": clustered,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
            "recall": float(right.mean()),
            "false": int((labels != np.arange(rows)).sum() - right.sum()),
        }
    )


def show_cost(sizes: list[int]) -> None:
    """One line a number of rows; each in a process of its own, so that its memory is its own."""
    first = 0.0
    for rows in sizes:
        answer: multiprocessing.Queue[dict[str, float]] = multiprocessing.Queue()
        process = multiprocessing.Process(target=cost, args=(rows, answer))
        process.start()
        found = answer.get()
        process.join()
        seconds = found["fingerprint"] + found["cluster"]
        first = first or seconds / rows
        print(
            f"{rows:>9,} rows  {1e6 * seconds / rows:6.1f} us a row ({1e6 * found['cluster'] / rows:5.1f} to cluster)  "
            f"x{seconds / rows / first:.2f}  {rows / seconds:8,.0f} rows/s  {found['memory']:.2f} GiB  "
            f"recall {found['recall']:.4f}  false {found['false']}",
            flush=True,
        )


def show_peers(rows: int) -> None:
    """Rows a second of ours and of the peers on the same texts: signatures and index, from text to candidates."""
    corpus = list(texts(rows))

    def ours() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "all.arrow"
            write_fingerprints(path, (record_of(row, text) for row, text in enumerate(corpus)))
            find_clusters(Fingerprints.read([path], Path(folder) / "signatures"))

    def shingles(text: str) -> list[str]:
        bare = dense(text)
        return list({bare[at : at + minhash.SHINGLE] for at in range(len(bare) - minhash.SHINGLE + 1)})

    def five_words(text: str) -> list[str]:
        words = text.split()
        return [" ".join(words[at : at + 5]) for at in range(len(words) - 4)]

    def datasketch(cut: Callable[[str], list[str]]) -> None:
        from datasketch import MinHash, MinHashLSH

        index = MinHashLSH(threshold=0.8, num_perm=minhash.BINS)
        for row, text in enumerate(corpus):
            signature = MinHash(num_perm=minhash.BINS)
            signature.update_batch([piece.encode() for piece in cut(text)])
            index.query(signature)
            index.insert(row, signature)

    def rensa(cut: Callable[[str], list[str]]) -> None:
        from rensa import RMinHash, RMinHashLSH

        index = RMinHashLSH(threshold=0.8, num_perm=minhash.BINS, num_bands=16)
        for row, text in enumerate(corpus):
            signature = RMinHash(num_perm=minhash.BINS, seed=1)
            signature.update(cut(text))
            index.query(signature)
            index.insert(row, signature)

    contestants: dict[str, Callable[[], None]] = {
        "proofpress": ours,
        "datasketch, same shingles": lambda: datasketch(shingles),
        "datasketch, five words": lambda: datasketch(five_words),
        "rensa, same shingles": lambda: rensa(shingles),
        "rensa, five words": lambda: rensa(five_words),
    }
    best: dict[str, float] = {}
    for _ in range(ROUNDS):  # by turns: a machine that does other work too slows all of them
        for name, work in contestants.items():
            begun = time.process_time()
            try:
                work()
            except ModuleNotFoundError as error:
                best[f"{name}: {error.name} is not installed"] = 0.0
                continue
            best[name] = max(best.get(name, 0.0), rows / (time.process_time() - begun))
    for name, rate in best.items():
        print(f"{name:<27} {rate:8,.0f} rows/s" + (f"  ours x{best['proofpress'] / rate:.2f}" if rate else ""))


def jpeg(page: Image.Image) -> Image.Image:
    buffer = io.BytesIO()
    page.save(buffer, "JPEG", quality=30)
    return Image.open(buffer).convert("RGB")


def noise(page: Image.Image) -> Image.Image:
    grain = np.random.default_rng(0).normal(0, 20, (page.height, page.width, 3))
    return Image.fromarray((np.asarray(page) + grain).clip(0, 255).astype(np.uint8))


def crop(page: Image.Image) -> Image.Image:
    across, down = page.width // 50, page.height // 50
    return page.crop((across, down, page.width - across, page.height - down))


def padding(page: Image.Image) -> Image.Image:
    across, down = page.width // 20, page.height // 20
    wider = Image.new("RGB", (page.width + 2 * across, page.height + 2 * down), "white")
    wider.paste(page, (across, down))
    return wider


def typeset(text: str, width: int) -> Image.Image:
    """A text as a page in another layout: its words in lines of so many characters."""
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) > width:
            lines.append(line)
            line = ""
        line += word + " "
    lines.append(line)
    font = ImageFont.load_default(14)
    page = Image.new("RGB", (60 + 8 * width, 60 + 18 * len(lines)), "white")
    drawing = ImageDraw.Draw(page)
    for number, line in enumerate(lines):
        drawing.text((30, 30 + 18 * number), line, fill="black", font=font)
    return page


CHANGES: dict[str, Callable[[Image.Image], Image.Image]] = {
    "jpeg, quality 30": jpeg,
    "half size": lambda page: page.resize((max(1, page.width // 2), max(1, page.height // 2))),
    "blur": lambda page: page.filter(ImageFilter.GaussianBlur(max(page.size) / 1200)),
    "noise": noise,
    "turn by 1 degree": lambda page: page.rotate(1, Image.Resampling.BICUBIC, expand=True, fillcolor="white"),
    "crop by 2 %": crop,
    "padding of 5 %": padding,
}


def sample_records(folder: Path) -> list[PageRecord]:
    """The distinct pages among the samples: real pages with their labels, one for each label and each picture."""
    found = []
    for path in sorted(folder.glob("omnidocbench/images/*.jpg")):
        text = (folder / "omnidocbench/mds" / f"{path.stem}.md").read_text(encoding="utf-8")
        found.append((path, text, "page"))
    for path in sorted(folder.glob("sroie/data/img/*.jpg")):
        lines = (folder / "sroie/data/box" / f"{path.stem}.csv").read_text(encoding="utf-8").splitlines()
        found.append((path, "\n".join(line.split(",", 8)[-1] for line in lines), "form"))
    found += [(path, "", "page") for path in sorted(folder.glob("publaynet/examples/*.jpg"))]
    return [_record(path, text, task) for path, text, task in found]


def _record(path: Path, text: str, task: str) -> PageRecord:
    image = open_image(path.read_bytes())
    source = Source(path.parts[-3], path.stem, "1", "")
    return PageRecord(
        record_id(source.name, source.id, "1"), encode_png(image), image.width, image.height, text, task, source
    )


def show_recall(folder: Path) -> None:
    """For each change, the share of the pages found to be what they were, and false pairs among distinct ones."""
    pages = [hashed(page) for page in sample_records(folder)]
    if not pages:
        print(f"no samples at {folder}")
        return
    labels = find_clusters(Fingerprints.of(fingerprint(pages))).labels
    print(f"{len(pages)} distinct pages: {len(pages) - len(set(labels.tolist()))} false pairs")
    for name, change in CHANGES.items():
        changed = [_changed(page, name, change(open_image(page.image)), page.text) for page in pages]
        unlabelled = [replace(page, text="") for page in changed]
        print(f"{name:<18} {_found(pages, changed)}   by the picture alone {_found(_bare(pages), unlabelled)}")
    lettered = [page for page in pages if len(dense(page.text)) >= 100]
    reset = [_changed(page, "set", typeset(page.text, 61), " ".join(page.text.split())) for page in lettered]
    print(f"{'typeset anew':<18} {_found(lettered, reset)}")


def _bare(pages: list[PageRecord]) -> list[PageRecord]:
    return [replace(page, text="") for page in pages]


def _changed(page: PageRecord, name: str, image: Image.Image, text: str) -> PageRecord:
    identity = record_id("changed", f"{page.id}/{name}", "1")
    return replace(
        page, id=identity, image=encode_png(image), width=image.width, height=image.height, text=text, hashes={}
    )


def _found(pages: list[PageRecord], changed: list[PageRecord]) -> str:
    labels = find_clusters(Fingerprints.of(fingerprint([*pages, *changed]))).labels
    right = labels[: len(pages)] == labels[len(pages) :]
    wrong = len(pages) - len(set(labels.tolist())) - int(right.sum())
    return f"recall {right.mean():.3f} (n={len(pages)}), false {max(0, wrong)}"


def main() -> None:
    """Print what the docstring promises."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--peer-rows", type=int, default=3_000, help="How many rows the peers get.")
    parser.add_argument("--samples", type=Path, default=Path(__file__).parents[2] / "shared/data/corpora")
    arguments = parser.parse_args()
    show_recall(arguments.samples)
    if arguments.peer_rows:
        show_peers(arguments.peer_rows)
    show_cost(arguments.rows)


if __name__ == "__main__":
    main()
