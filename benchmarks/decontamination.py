"""What decontamination finds of benchmark pages that were changed, and what it takes for one that is none.

python benchmarks/decontamination.py [--samples ../shared/data/corpora]

Contaminated rows are made from OmniDocBench's and olmOCR-bench's sample pages: typeset anew, wrapped anew under
another picture, pictures scaled, worn and cut, and parts cut out of the page with their labels. Clean rows are of
other corpora.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import pypdfium2
from duplicates import CHANGES, sample_records, typeset
from PIL import Image

from proofpress.cleaners.decontaminate import Index
from proofpress.cleaners.duplicates.content import dense
from proofpress.pages.image import encode_png, open_image
from proofpress.pages.record import PageRecord, Source, record_id

Rows = Iterator[tuple[str, PageRecord]]

MIN_TEXT = 60  # letters and digits of a part that is looked for


def row(image: Image.Image, text: str, task: str, name: str) -> PageRecord:
    source = Source("suspect", f"row {name}", "1", "")
    return PageRecord(record_id("suspect", name, "1"), encode_png(image), image.width, image.height, text, task, source)


def contaminated(samples: Path) -> Rows:
    """("what was done", row) for every benchmark page of the samples."""
    for path in sorted(samples.glob("omnidocbench/images/*.jpg")):
        page = open_image(path.read_bytes())
        text = (samples / "omnidocbench/mds" / f"{path.stem}.md").read_text(encoding="utf-8")
        if len(dense(text)) >= MIN_TEXT:
            yield "typeset anew", row(typeset(text, 53), text, "page", f"{path.stem} set")
            rewrapped = "\n".join(wrap(text, 50))
            yield "wrapped anew", row(typeset("another picture", 20), rewrapped, "page", f"{path.stem} wrap")
        for name, change in CHANGES.items():
            yield f"picture: {name}", row(change(page), text, "page", f"{path.stem} {name}")
            yield f"picture alone: {name}", row(change(page), "", "page", f"{path.stem} alone {name}")
    for item in json.loads((samples / "omnidocbench/OmniDocBench_demo.json").read_text(encoding="utf-8")):
        yield from parts(samples, item)
    for path in sorted(samples.glob("olmocr/olmocr/bench/sample_data/pdfs/*.pdf")):
        document = pypdfium2.PdfDocument(path)
        text = document[0].get_textpage().get_text_bounded()
        picture = document[0].render(scale=1.1).to_pil().convert("RGB")
        document.close()
        yield "PDF at another scale", row(picture, text, "page", f"{path.stem} scaled")
        if len(dense(text)) >= MIN_TEXT:
            yield "PDF's text typeset anew", row(typeset(text, 53), text, "page", f"{path.stem} set")
            half = text[: len(text) // 2]
            cut = picture.crop((0, 0, picture.width, picture.height // 2))
            yield "PDF's upper half", row(cut, half, "page", f"{path.stem} half")


def parts(samples: Path, item: dict[str, Any]) -> Rows:
    """Paragraphs, tables and formulas cut out of a page of OmniDocBench, each with its own label."""
    path = samples / "omnidocbench/images" / item["page_info"]["image_path"]
    page = open_image(path.read_bytes())
    for det in item["layout_dets"]:
        kind = {"text_block": "text", "table": "table", "equation_isolated": "formula"}.get(det["category_type"])
        key = {"text": "text", "table": "html", "formula": "latex"}.get(kind or "")
        label = det.get(key or "") or ""
        if kind is None or (kind != "formula" and len(dense(label)) < MIN_TEXT) or len(label) < 30 or det["ignore"]:
            continue
        xs, ys = det["poly"][::2], det["poly"][1::2]
        cut = page.crop((int(min(xs)), int(min(ys)), int(max(xs)) + 1, int(max(ys)) + 1))
        label = label.strip().removeprefix("$$").removesuffix("$$") if kind == "formula" else label
        yield f"cut out: {kind}", row(cut, label, kind, f"{path.stem} {det['anno_id']}")


def clean(samples: Path) -> Iterator[PageRecord]:
    """Rows of corpora that are no benchmark: pages, receipts, tables, formulas."""
    yield from (page for page in sample_records(samples) if page.source.name != "omnidocbench")
    for path in sorted(samples.glob("docbank/**/*.txt")):
        picture = path.with_name(f"{path.stem}_ori.jpg")
        if picture.is_file():
            words = [line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()]
            yield row(open_image(picture.read_bytes()), " ".join(w for w in words if "##" not in w), "page", path.stem)
    for line in (samples / "pubtabnet/examples/PubTabNet_Examples.jsonl").read_text(encoding="utf-8").splitlines():
        table = json.loads(line)
        cells = iter("".join(cell["tokens"]) for cell in table["html"]["cells"])
        tokens = table["html"]["structure"]["tokens"]
        html = "".join(next(cells) + token if token == "</td>" else token for token in tokens)
        picture = next(samples.glob(f"pubtabnet/**/{table['filename']}"))
        image = open_image(picture.read_bytes())
        yield row(image, f"<table>{html}</table>", "table", table["filename"])
    formulas = (samples / "im2latex/data/sample/formulas.lst").read_text(encoding="latin-1").splitlines()
    blank = Image.new("RGB", (300, 80), "white")
    for number, formula in enumerate(formulas):
        yield row(blank, formula, "formula", f"im2latex {number}")


def main() -> None:
    """Print recall for each way, and false hits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=Path, default=Path(__file__).parents[2] / "shared/data/corpora")
    parser.add_argument("--missed", action="store_true", help="Name each row that was missed.")
    arguments = parser.parse_args()
    samples = arguments.samples
    begun = time.process_time()
    index = Index.build([samples / "omnidocbench", samples / "olmocr/olmocr/bench/sample_data"])
    print(f"index of {len(index.names)} pages in {time.process_time() - begun:.1f} s")
    found: dict[str, list[bool]] = {}
    for way, suspect in contaminated(samples):
        hits = index.hits(suspect)
        found.setdefault(way, []).append(bool(hits))
        if arguments.missed and not hits:
            print("missed", way, suspect.source.id, repr(suspect.text[:80]))
    for way, hits in found.items():
        print(f"{way:<32} recall {sum(hits) / len(hits):.3f}  n={len(hits)}")
    named = [hit for way, hits in found.items() if "alone" not in way for hit in hits]
    print(f"{'all with their labels':<32} recall {sum(named) / len(named):.4f}  n={len(named)}")
    begun, rows, false = time.process_time(), 0, 0
    for record in clean(samples):
        rows += 1
        for hit in index.hits(record):
            false += 1
            print("false hit", record.source.id, hit)
    print(f"clean rows: {false} false hits of {rows} ({(time.process_time() - begun) / rows * 1e3:.1f} ms a row)")


if __name__ == "__main__":
    main()
