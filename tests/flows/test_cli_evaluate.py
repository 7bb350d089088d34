"""``proofpress evaluate``: scores from upstream's files, a report to look at, one clear message for what is wrong."""

import json
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from typer.testing import CliRunner

from proofpress.flows.build import build
from proofpress.flows.cli import app
from proofpress.flows.evaluate import Subject, evaluate_dataset
from proofpress.flows.text_changes import changes
from proofpress.pages.errors import RequestError
from proofpress.pages.shards import read_records

RUNNER = CliRunner()

GOLD = [
    {
        "layout_dets": [
            {"anno_id": 1, "category_type": "title", "order": 1, "text": "A <b>title</b> & more"},
            {"anno_id": 2, "category_type": "equation_isolated", "order": 2, "latex": "$$E=mc^2$$"},
            {
                "anno_id": 3,
                "category_type": "table",
                "order": 3,
                "html": "<table><tr><td>1</td><td>2</td></tr></table>",
            },
        ],
        "page_info": {"image_path": f"images/{name}.jpg", "page_attribute": {"language": "english"}},
        "extra": {"relation": []},
    }
    for name in ("right", "wrong")
]
RIGHT = "# A <b>title</b> & more\n\n$$E=mc^2$$\n\n<table><tr><td>1</td><td>2</td></tr></table>"
WRONG = "# A title\n\n$$E=mc^3$$\n\n<script>alert(1)</script>"

TESTS = [
    {"type": "present", "id": "one", "pdf": "doc.pdf", "page": 1, "text": "alpha"},
    {"type": "math", "id": "two", "pdf": "doc.pdf", "page": 1, "math": "x^2"},
    {"type": "absent", "id": "three", "pdf": "sub/other.pdf", "page": 2, "text": "head"},
]


def run(*arguments):
    return RUNNER.invoke(app, ["evaluate", *map(str, arguments)])


def message(*arguments):
    """What a wrong request is told."""
    with pytest.raises(RequestError) as caught:
        app(["evaluate", *map(str, arguments)], standalone_mode=False)
    return str(caught.value)


@pytest.fixture
def omnidocbench(tmp_path: Path) -> Path:
    (tmp_path / "gold.json").write_text(json.dumps(GOLD))
    (tmp_path / "md").mkdir()
    (tmp_path / "md/right.md").write_text(RIGHT)
    (tmp_path / "md/wrong.md").write_text(WRONG)
    (tmp_path / "images").mkdir()
    Image.new("RGB", (120, 80), "white").save(tmp_path / "images/wrong.jpg")
    return tmp_path


@pytest.fixture
def olmocr(tmp_path: Path) -> Path:
    (tmp_path / "text.jsonl").write_text("\n".join(map(json.dumps, TESTS)) + "\n")
    for name, count in (("doc.pdf", 1), ("sub/other.pdf", 2)):
        document = pypdfium2.PdfDocument.new()
        for _ in range(count):
            document.new_page(200, 300)
        (tmp_path / "pdfs" / name).parent.mkdir(parents=True, exist_ok=True)
        document.save(tmp_path / "pdfs" / name)
    for name, text in (("doc_pg1", "alpha $x_2$"), ("sub/other_pg2", "body"), ("sub/other_pg1", "first")):
        (tmp_path / "read" / f"{name}_repeat1.md").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "read" / f"{name}_repeat1.md").write_text(text)
    return tmp_path


def test_omnidocbench_gives_upstreams_scores_and_ours(omnidocbench: Path) -> None:
    out = omnidocbench / "out"
    done = run("omnidocbench", omnidocbench / "gold.json", "--predictions", omnidocbench / "md", "--out", out, "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    right, wrong = result["by_page"]["right.jpg"], result["by_page"]["wrong.jpg"]
    assert right["text_edit"] == 0 and right["teds"] == right["cdm"] == 1
    assert wrong["teds"] == 0 and wrong["cdm"] == pytest.approx(0.8) and wrong["strict"] < right["strict"]
    assert 0 < result["scores"]["overall"] < 100 and result["edition"] == "v1.5"
    assert json.loads((out / "result.json").read_text()) == result


def test_the_report_is_one_file_that_runs_nothing(omnidocbench: Path) -> None:
    out = omnidocbench / "out"
    done = run("omnidocbench", omnidocbench, "--predictions", omnidocbench / "md", "--out", out, "--no-cdm", "--quiet")
    assert done.exit_code == 0 and done.stdout == ""
    report = (out / "report.html").read_text()
    assert "<script" not in report and "http" not in report.replace("http-equiv", "")
    assert "data:image/" in report and "&lt;b&gt;" in report and "<ins>" in report and "<del>" in report


@pytest.mark.parametrize("edition", ["v1.0", "v1.5", "v1.6"])
def test_the_edition_is_named_and_chosen(omnidocbench: Path, edition: str) -> None:
    done = run(
        "omnidocbench", omnidocbench, "--predictions", omnidocbench / "md", "--edition", edition, "--no-cdm", "--json"
    )
    assert json.loads(done.stdout)["edition"] == edition and "overall" not in json.loads(done.stdout)["scores"]


def test_olmocr_bench_gives_upstreams_scores_and_ours(olmocr: Path) -> None:
    out = olmocr / "out"
    done = run("olmocr-bench", olmocr, "--predictions", olmocr / "read", "--out", out, "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["scores"]["olmocr"]["groups"] == {"baseline": 1, "text.jsonl": 1}
    assert result["scores"]["strict"]["types"]["math"] == 0
    assert result["by_page"]["doc.pdf page 1"]["strict"] == pytest.approx(2 / 3)
    assert "data:image/" in (out / "report.html").read_text()


def test_repeats_are_all_read(olmocr: Path) -> None:
    for number, text in ((2, "nothing"), (3, "alpha")):
        (olmocr / f"read/doc_pg1_repeat{number}.md").write_text(text)
    result = json.loads(run("olmocr-bench", olmocr, "--predictions", olmocr / "read", "--json").stdout)
    assert result["scores"]["olmocr"]["types"]["present"] == pytest.approx(2 / 3)


def test_the_table_is_for_people(olmocr: Path) -> None:
    done = run("olmocr-bench", olmocr, "--predictions", olmocr / "read")
    assert "strict.overall" in done.stdout and "doc.pdf page 1" in done.stdout


@pytest.fixture
def dataset(tmp_path: Path, recipe, quick_press) -> Path:
    build(recipe, tmp_path / "dataset")
    return tmp_path / "dataset"


def test_a_dataset_is_scored_by_task_and_kind(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "md").mkdir()
    records = list(read_records(dataset, "validation"))
    for record in records:
        (tmp_path / f"md/{record.id}.md").write_text(record.text)
    done = run("dataset", dataset, "--predictions", tmp_path / "md", "--out", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.output
    scores = json.loads(done.stdout)["scores"]
    assert scores["overall"] == {"value": 1.0, "low": 1.0, "high": 1.0, "count": len(records)}
    assert list(scores["kinds"]) == ["page/whole"]


def test_a_model_reads_and_its_readings_are_kept(dataset: Path, tmp_path: Path, monkeypatch) -> None:
    read = []

    class Reader:
        @classmethod
        def load(cls, model: str) -> "Reader":
            return cls()

        def read(self, images):
            read.append(len(images))
            return [type("Reading", (), {"text": "read"}) for _ in images]

    monkeypatch.setattr("proofpress.model.reader.Reader", Reader)
    subject = Subject(model="nano", out=tmp_path / "out")
    first = evaluate_dataset(dataset, "validation", subject, limit=3)
    assert read == [3] and len(list((tmp_path / "out/predictions").glob("*.md"))) == 3
    assert evaluate_dataset(dataset, "validation", subject, limit=3) == first and read == [3]
    (tmp_path / "out/predictions/reader.json").write_text('{"model": "other", "sha256": "1"}')
    with pytest.raises(RequestError, match="readings of other, another model"):
        evaluate_dataset(dataset, "validation", subject, limit=3)


def test_pages_of_pdf_files_are_drawn_for_a_model(olmocr: Path, monkeypatch) -> None:
    sizes = []

    class Reader:
        @classmethod
        def load(cls, model: str) -> "Reader":
            return cls()

        def read(self, images):
            sizes.extend(image.size for image in images)
            return [type("Reading", (), {"text": "alpha $x^2$"}) for _ in images]

    monkeypatch.setattr("proofpress.model.reader.Reader", Reader)
    result = json.loads(run("olmocr-bench", olmocr, "--model", "nano", "--json").stdout)
    assert len(sizes) == 3 and all(height > width > 100 for width, height in sizes)
    assert result["scores"]["strict"]["overall"] == 1


def test_what_is_wrong_is_said_in_one_line(omnidocbench: Path, olmocr: Path, tmp_path: Path) -> None:
    gold, md, read = omnidocbench / "gold.json", omnidocbench / "md", olmocr / "read"
    assert "give --predictions DIR or --model M" in message("omnidocbench", gold)
    assert "one of them" in message("omnidocbench", gold, "--predictions", md, "--model", "nano")
    assert "no such folder" in message("omnidocbench", gold, "--predictions", tmp_path / "none")
    assert "no such file or folder" in message("omnidocbench", tmp_path / "none", "--predictions", md)
    assert "v9" in message("omnidocbench", gold, "--predictions", md, "--edition", "v9")
    (md / "wrong.md").unlink()
    assert "1 of 2 are missing: wrong.md" in message("omnidocbench", gold, "--predictions", md)
    (tmp_path / "empty").mkdir()
    assert "holds none of the 2" in message("omnidocbench", gold, "--predictions", tmp_path / "empty")
    (tmp_path / "bad.json").write_text("[{}]")
    assert "layout_dets: Field required" in message("omnidocbench", tmp_path / "bad.json", "--predictions", md)
    (tmp_path / "bad.json").write_text(
        json.dumps([dict(GOLD[0], layout_dets=[{"category_type": "title", "order": "x"}])])
    )
    assert "layout_dets.0.order" in message("omnidocbench", tmp_path / "bad.json", "--predictions", md)
    (tmp_path / "bad.json").write_text("{")
    assert "not JSON" in message("omnidocbench", tmp_path / "bad.json", "--predictions", md)
    assert "2 JSON files" in message("omnidocbench", tmp_path, "--predictions", md)
    assert "no *.jsonl" in message("olmocr-bench", tmp_path / "empty", "--predictions", read)
    (read / "doc_pg1_repeat1.md").unlink()
    assert "doc_pg1_repeat1.md" in message("olmocr-bench", olmocr, "--predictions", read)
    (olmocr / "text.jsonl").write_text('{"type": "present", "id": "a", "pdf": "doc.pdf", "page": 1}\n')
    assert "text.jsonl: test 1 (a): text" in message("olmocr-bench", olmocr, "--predictions", read)
    (olmocr / "text.jsonl").write_text("no json\n")
    assert "line 1: not JSON" in message("olmocr-bench", olmocr, "--predictions", read)
    assert "not a complete dataset" in message("dataset", tmp_path, "--predictions", md)


def test_what_is_missing_may_be_allowed(omnidocbench: Path) -> None:
    (omnidocbench / "md/wrong.md").unlink()
    done = run(
        "omnidocbench", omnidocbench, "--predictions", omnidocbench / "md", "--allow-missing", "--no-cdm", "--json"
    )
    result = json.loads(done.stdout)
    assert result["unread"] == 1 and result["by_page"]["wrong.jpg"]["text_edit"] == 1


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * 5_000_000])
def test_a_prediction_that_is_no_page_of_text_is_refused(omnidocbench: Path, content: bytes) -> None:
    (omnidocbench / "md/wrong.md").write_bytes(content)
    assert "wrong.md" in message("omnidocbench", omnidocbench, "--predictions", omnidocbench / "md")


def test_a_name_cannot_leave_the_folder(omnidocbench: Path) -> None:
    rows = [{"type": "present", "id": "one", "pdf": "../../etc/passwd.pdf", "page": 1, "text": "alpha"}]
    (omnidocbench / "t.jsonl").write_text(json.dumps(rows[0]))
    assert "holds none" in message("olmocr-bench", omnidocbench / "t.jsonl", "--predictions", omnidocbench / "md")
    for extra in ((), ("--out", omnidocbench / "out")):
        assert "outside" in message("olmocr-bench", omnidocbench / "t.jsonl", "--model", "nano", *extra)


def test_changes_are_by_words_and_numbers() -> None:
    found = [(change.kind, change.text) for change in changes("costs 1.5 dollars", "costs 15 dollars now")]
    assert found == [
        ("same", "costs "), ("missing", "1.5"), ("extra", "15"), ("same", " dollars"), ("extra", " now"),
    ]  # fmt: skip
