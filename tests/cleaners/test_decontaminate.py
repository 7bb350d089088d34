import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from proofpress.cleaners.benchmarks import documents_in, page_name, read_benchmark
from proofpress.cleaners.decontaminate import Index
from proofpress.pages.errors import RequestError
from proofpress.pages.image import encode_png
from proofpress.pages.record import PageRecord, Source, record_id

FORMULA = r"\sum_{i=1}^{n} x_i^2 = \frac{\alpha}{\beta} \int_0^1 f(t) dt"
CELLS = [f"{word} {number}" for number, word in enumerate(["mass", "length", "time", "charge", "speed", "force"] * 3)]
TABLE = (
    "<table>"
    + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in zip(CELLS[::2], CELLS[1::2], strict=True))
    + "</table>"
)
PART_OF_TABLE = "".join(f"<td>{cell.upper()}</td>" for cell in CELLS[:10])


def prose(seed: int, words: int = 60) -> str:
    rng = np.random.default_rng(seed)
    return " ".join("".join(rng.choice(list("etaoinshrdlu"), 6)) for _ in range(words))


def drawn(seed: int) -> Image.Image:
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", (300, 400), "white")
    pen = ImageDraw.Draw(image)
    for top in range(30, 360, 14):
        if rng.random() < 0.75:
            pen.rectangle((rng.integers(20, 120), top, rng.integers(140, 280), top + 6), fill="black")
    return image


def row(text: str, task: str = "page", seed: int = 99, source: str = "somewhere") -> PageRecord:
    source_of = Source("suspect", source, "1", "MIT")
    return PageRecord(record_id("suspect", text, "1"), encode_png(drawn(seed)), 300, 400, text, task, source_of)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Two pages in the layout of OmniDocBench, one unit test in that of olmOCR-bench, and files about them."""
    root = tmp_path_factory.mktemp("bench") / "Bench"
    (root / "images").mkdir(parents=True)
    (root / "mds").mkdir()
    for number in (1, 2):
        drawn(number).save(root / "images" / f"PMC3519711_{number}.png")
        (root / "mds" / f"PMC3519711_{number}.md").write_text(prose(number) + "\n\n$$\n" + FORMULA + "\n$$")
    detections = [{"category_type": "table", "html": TABLE}, {"category_type": "text", "text": prose(3)}]
    item = {"layout_dets": detections, "page_info": {"image_path": "PMC3519711_2.png"}}
    (root / "truth.json").write_text(json.dumps([item]))
    test = {"pdf": "2503.05390_pg12.pdf", "page": 1, "id": "t1", "type": "present", "text": prose(4, 20)}
    (root / "tests.jsonl").write_text(json.dumps(test) + "\n{half a line")
    (root / "README.md").write_text(prose(5))
    (root / "broken.png").write_bytes(b"\x89PNG no")
    (root / "broken.pdf").write_bytes(b"%PDF no")
    return root


@pytest.fixture(scope="module")
def index(folder) -> Index:
    return Index.build([folder])


@pytest.mark.parametrize(
    ("record", "kind", "page"),
    [
        (row(prose(1)), "text", "PMC3519711_1"),
        (row("\n".join(prose(1).split())), "text", "PMC3519711_1"),
        (row(" ".join(prose(1).split()[20:40]), "text"), "text", "PMC3519711_1"),
        (row("own words. " + prose(1) + " " + prose(77, 20)), "text", "PMC3519711_1"),
        (row(prose(3)), "text", "PMC3519711_2"),
        (row("", seed=1), "image", "PMC3519711_1"),
        (row("a caption", "text", seed=2), "image", "PMC3519711_2"),
        (row(r"\sum_{i=1}^n x_{i}^{2}={\alpha \over \beta}\int_0^1 f(t)dt", "formula"), "formula", "PMC3519711_"),
        (row(f"<table><tr>{PART_OF_TABLE}</tr></table>", "table"), "table", "PMC3519711_2"),
        (row("unrelated", source="PMC3519711_004"), "source", "PMC3519711"),
        (row("unrelated", source="arxiv 2503.05390v2"), "source", "2503.05390"),
    ],
)  # fmt: skip
def test_every_part_of_a_benchmark_page_is_found_by_its_own_evidence(index, record, kind, page):
    hits = {hit.kind: hit for hit in index.hits(record)}
    assert kind in hits, hits
    assert page in hits[kind].page and hits[kind].evidence


@pytest.mark.parametrize(
    "record",
    [
        row(prose(50)),
        row(" ".join(prose(1).split()[:4]), "text"),
        row(prose(50) + " " + " ".join(prose(1).split()[:15])),
        row(prose(5)),
        row("x = 1", "formula"),
        row(r"\sum_{i=1}^{n} x_i^2 = \frac{\alpha}{\gamma} \int_0^1 f(t) dt", "formula"),
        row("<table><tr><td>mass 0</td><td>other</td></tr></table>", "table"),
        row("", seed=60),
        row(prose(51), seed=1),
        row("unrelated", source="PMC3519712_004"),
    ],
)
def test_what_is_no_part_of_a_benchmark_is_not(index, record):
    assert index.hits(record) == []


def test_an_index_is_the_same_after_it_was_written(index, tmp_path):
    index.save(tmp_path / "index.npz")
    again = Index.load(tmp_path / "index.npz")
    assert again.digest() == index.digest()
    assert again.hits(row(prose(1), seed=1)) == index.hits(row(prose(1), seed=1))


def test_a_page_is_put_together_from_all_files_that_name_it(folder):
    pages = {page.name: page for page in read_benchmark(folder)}
    assert set(pages) == {"Bench/PMC3519711_1", "Bench/PMC3519711_2", "Bench/2503.05390_pg12#1"}
    second = pages["Bench/PMC3519711_2"]
    assert len(second.looks) == 1 and second.tables == [TABLE] and len(second.formulas) == 1
    assert second.documents == {"pmc3519711"}


def test_what_is_no_benchmark_is_refused(tmp_path):
    with pytest.raises(RequestError, match="no such folder"):
        read_benchmark(tmp_path / "none")
    with pytest.raises(RequestError, match="no pictures, PDFs, Markdown or JSON"):
        read_benchmark(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PMC3519711_003_00.png", {"pmc3519711"}),
        ("https://arxiv.org/abs/2503.05390v2", {"arxiv:2503.05390"}),
        ("https://doi.org/10.1016/j.physletb.2004.06.101", {"doi:10.1016/j.physletb.2004.06.101"}),
        ("12503.05390 and 1.2503.05390", set()),
    ],
)
def test_documents_are_named_the_same_everywhere(text, expected):
    assert documents_in(text) == expected


def test_a_page_is_named_by_its_file_and_number():
    assert page_name("images/x.pdf_3.jpg") == "x.pdf_3" == page_name("mds\\x.pdf_3.md")
    assert page_name("x.pdf", 2) == "x#2"


def test_pages_of_the_samples_are_found_and_other_corpora_are_not(shared):
    corpora = shared / "data/corpora"
    index = Index.build([corpora / "omnidocbench"])
    text = (corpora / "omnidocbench/mds/jiaocaineedrop_jiaocai_needrop_en_3361.md").read_text()
    assert index.hits(row("\n".join(text.split())))
    formulas = (corpora / "im2latex/data/sample/formulas.lst").read_text(encoding="latin-1").splitlines()[:150]
    assert [formula for formula in formulas if index.hits(row(formula, "formula"))] == []
