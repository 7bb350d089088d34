"""Small datasets of words and lines, drawn with Pillow's own font."""

import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

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
