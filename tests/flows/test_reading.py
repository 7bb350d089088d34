import json
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, ImageDraw
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from proofpress.flows.cli import app
from proofpress.flows.reading import MAX_PAGES, open_pages, read_files
from proofpress.model.jina_ocr import checkpoint
from proofpress.pages.errors import RequestError

FIELDS = {"path", "text", "tokens", "steps", "seconds", "finish", "likelihood", "turned"}


@pytest.fixture
def drawn(tmp_path: Path) -> list[Path]:
    paths = []
    for number in range(3):
        image = Image.new("RGB", (60 + 30 * number, 28), "white")
        ImageDraw.Draw(image).text((6, 6), f"word {number}", fill="black")
        paths.append(tmp_path / f"{number}.png")
        image.save(paths[-1])
    return paths


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    document = pypdfium2.PdfDocument.new()
    for number in range(2):
        document.new_page(200 + 100 * number, 200)
    document.save(tmp_path / "two.pdf")
    return tmp_path / "two.pdf"


def test_each_page_has_its_reading(drawn: list[Path]) -> None:
    readings = read_files(drawn, "nano", max_tokens=12)
    assert [reading["path"] for reading in readings] == [str(path) for path in drawn]
    for reading in readings:
        assert reading.keys() == FIELDS
        assert reading["steps"] >= reading["tokens"]
        assert reading["seconds"] > 0 > reading["likelihood"]


def test_what_is_told_while_reading_is_what_was_read_page_by_page(drawn: list[Path]) -> None:
    told: list[tuple[str, str, bool]] = []
    readings = read_files(drawn, "nano", max_tokens=12, listener=lambda *piece: told.append(piece))
    assert [name for name, _, last in told if last] == [str(path) for path in drawn]
    names = [name for name, _, _ in told]
    assert names == sorted(names, key=[str(path) for path in drawn].index)
    for reading in readings:
        assert "".join(piece for name, piece, _ in told if name == reading["path"]) == reading["text"]
    assert len(told) > 2 * len(drawn)


def test_a_pdf_file_is_its_pages(pdf: Path, drawn: list[Path]) -> None:
    pages = open_pages([pdf, drawn[0]])
    assert [page.name for page in pages] == [f"{pdf}#1", f"{pdf}#2", str(drawn[0])]
    assert [round(page.image.width / page.image.height, 2) for page in pages[:2]] == [1.0, 1.5]


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"%PDF-1.7 of nothing"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(RequestError, match=r"x\.png: not a"):
        read_files([tmp_path / "x.png"], "nano")


def test_a_missing_file_and_too_many_pages_are_named(tmp_path: Path, pdf: Path) -> None:
    with pytest.raises(RequestError, match=r"gone\.png: cannot be read"):
        open_pages([tmp_path / "gone.png"])
    with pytest.raises(RequestError, match=rf"{MAX_PAGES + 2} pages are more than {MAX_PAGES}"):
        open_pages([pdf] * (MAX_PAGES // 2 + 1))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"dtype": "int3"}, "dtype: 'int3'"),
        ({"device": "tpu9"}, "device: 'tpu9'"),
        ({"device": "meta"}, "device: 'meta'"),
    ],
)
def test_a_wrong_device_or_type_is_named(drawn: list[Path], option: dict[str, str], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        read_files(drawn, "nano", **option)


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_speculative_reading_is_the_same_text_and_one_object_of_pages(drawn: list[Path]) -> None:
    options = ("--json", "--max-tokens", "12")
    plain = json.loads(run("read", *drawn, *options))
    drafted = json.loads(run("read", *drawn, *options, "--decoding", "speculative"))
    assert plain.keys() == {"pages"}
    assert [page["text"] for page in plain["pages"]] == [page["text"] for page in drafted["pages"]]


def test_the_text_is_printed_under_the_names_of_several_pages(drawn: list[Path]) -> None:
    texts = [reading["text"] for reading in read_files(drawn, "nano", max_tokens=12)]
    assert run("read", drawn[0], "--max-tokens", "12") == texts[0] + "\n"
    printed = run("read", *drawn, "--max-tokens", "12")
    assert printed == "".join(f"==> {path} <==\n{text}\n" for path, text in zip(drawn, texts, strict=True))


def test_speculative_reading_without_a_head_says_what_to_do(drawn: list[Path], tmp_path: Path) -> None:
    network, processor = checkpoint.load("nano")
    checkpoint.save(network, processor.tokenizer, tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    bare = {name: tensor for name, tensor in weights.items() if not name.startswith("mtp_module")}
    save_file(bare, tmp_path / "model.safetensors")
    with pytest.raises(RequestError, match="--decoding greedy"):
        read_files(drawn, str(tmp_path), decoding="speculative")
