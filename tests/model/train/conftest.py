"""Small datasets of words and lines, drawn with Pillow's own font."""

import io
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from PIL import Image, ImageDraw, ImageFont

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.pages.record import PageRecord, Source, record_id
from proofpress.pages.shards import write_shard

LETTERS = "abcdefghij"


def line_record(text: str, split: str = "train", crop: str = "word") -> PageRecord:
    """A record of one drawn line, no larger than the line needs."""
    font = ImageFont.load_default(16)
    width = int(font.getlength(text)) + 8
    image = Image.new("L", (width, 28), 255)
    ImageDraw.Draw(image).text((4, 3), text, fill=0, font=font)
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    identity = record_id("drawn", f"{split}/{crop}/{text}", "1")
    return PageRecord(
        id=identity, image=encoded.getvalue(), width=width, height=28, text=text, task="text", split=split,
        source=Source("drawn", text, "1", "CC0-1.0"), features={"crop": crop},
    )  # fmt: skip


def words(seed: int, count: int, letters: int = 4) -> list[str]:
    """Random words, none twice."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(rng.choice(LETTERS) for _ in range(letters))] = None
    return list(found)


@pytest.fixture(name="draw")
def draw_fixture() -> Callable[..., PageRecord]:
    """``draw(text, split="train", crop="word")``: a record of one drawn line."""
    return line_record


@pytest.fixture
def dataset(tmp_path: Path) -> Callable[..., Path]:
    """Write records as the dataset folder of a name; train and validation rows each in their files."""

    def write(records: list[PageRecord], name: str = "drawn") -> Path:
        for split in ("train", "validation"):
            chosen = [record for record in records if record.split == split]
            if chosen:
                write_shard(tmp_path / name / "data" / f"{split}-00000-of-00001.parquet", chosen)
        return tmp_path / name

    return write


@pytest.fixture
def word_dataset(dataset: Callable[..., Path]) -> Path:
    """40 training words and 4 held-out ones."""
    return dataset([line_record(w) for w in words(1, 40)] + [line_record(w, "validation") for w in words(2, 4)])


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder of the nano structure with a few thousand parameters and random weights."""
    nano = named("nano")
    config = replace(
        nano,
        sam=replace(
            nano.sam, width=32, layers=2, heads=2, mlp_width=32, global_layers=(1,), neck=32, compressor=(32, 32)
        ),
        clip=replace(nano.clip, width=32, layers=1, heads=2, mlp_width=32),
        decoder=replace(
            nano.decoder, width=32, heads=2, layers=2, dense_width=32, experts=4, expert_width=16, shared_experts=1
        ),
        generation=replace(nano.generation, max_tokens=64),
    )  # fmt: skip
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("tiny")
    network = JinaOCR(config)
    with torch.no_grad():  # so that it does not say the same at every place
        network.model.embed_tokens.weight.normal_(std=0.3)
    checkpoint.save(network, nano_tokenizer(), folder)
    return folder
