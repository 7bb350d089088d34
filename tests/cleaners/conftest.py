"""Tiny corpora in the layouts of PubTabNet and im2latex, written by the tests that read them."""

import io
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

PLAIN_NAME = re.compile(r"[\w-]{1,40}\.png")


def _picture(size: tuple[int, int] = (60, 40), box: tuple[int, int, int, int] | None = (20, 10, 40, 30)) -> bytes:
    """A white PNG with one black box, or blank."""
    image = Image.new("RGB", size, "white")
    if box:
        ImageDraw.Draw(image).rectangle((box[0], box[1], box[2] - 1, box[3] - 1), fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def _sheet() -> bytes:
    """A palette PNG on which white is transparent, as im2latex has them, with one black box at (100, 50, 140, 60)."""
    image = Image.new("P", (400, 300), 0)
    image.putpalette([255, 255, 255, 0, 0, 0] + [0] * 762)
    ImageDraw.Draw(image).rectangle((100, 50, 139, 59), fill=1)
    data = io.BytesIO()
    image.save(data, "PNG", transparency=0)
    return data.getvalue()


def _table_row(
    name: str, structure: Sequence[str], cells: Sequence[str | list[str]], split: str = "train"
) -> dict[str, Any]:
    """A PubTabNet row; a cell given as text is one token a character."""
    return {
        "filename": name,
        "split": split,
        "imgid": 0,
        "html": {
            "structure": {"tokens": list(structure)},
            "cells": [{"tokens": list(cell), "bbox": [1, 1, 20, 10]} if cell else {"tokens": []} for cell in cells],
        },
    }


def _grid(rows: int, columns: int) -> list[str]:
    """Structure tokens of a plain table whose first row is its head."""
    row = ["<tr>", *["<td>", "</td>"] * columns, "</tr>"]
    return ["<thead>", *row, "</thead>", "<tbody>", *row * (rows - 1), "</tbody>"]


@pytest.fixture
def picture() -> Callable[..., bytes]:
    return _picture


@pytest.fixture
def table_row() -> Callable[..., dict[str, Any]]:
    return _table_row


@pytest.fixture
def grid() -> Callable[[int, int], list[str]]:
    return _grid


@pytest.fixture
def pubtabnet(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows, or raw lines, as the one annotation file of a folder, with a picture for each named row."""

    def write(*rows: dict[str, Any] | bytes, pictures: dict[str, bytes] | None = None, inner: str = "") -> Path:
        folder = tmp_path / "pubtabnet" / inner
        folder.mkdir(parents=True)
        named = [row["filename"] for row in rows if isinstance(row, dict)]
        for name in named:
            if PLAIN_NAME.fullmatch(name):
                (folder / name).write_bytes(_picture())
        for name, data in (pictures or {}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
        (folder / "tables.jsonl").write_bytes(b"\n".join(lines) + b"\n")
        return tmp_path / "pubtabnet"

    return write


@pytest.fixture
def im2latex(tmp_path: Path) -> Callable[..., Path]:
    """Writes formulas as an im2latex sample: row n of ``train.lst`` names formula n and ``images/n.png``."""

    def write(
        *formulas: str | bytes, lists: dict[str, str] | None = None, pictures: dict[str, bytes] | None = None
    ) -> Path:
        folder = tmp_path / "im2latex" / "data" / "sample"
        (folder / "images").mkdir(parents=True)
        lines = [formula if isinstance(formula, bytes) else formula.encode() for formula in formulas]
        (folder / "formulas.lst").write_bytes(b"".join(line + b"\n" for line in lines))
        named = lists or {"train": "".join(f"{n} {n} basic\n" for n in range(len(formulas)))}
        for split, rows in named.items():
            (folder / f"{split}.lst").write_text(rows)
        for n in range(len(formulas)):
            (folder / "images" / f"{n}.png").write_bytes(_sheet())
        for name, data in (pictures or {}).items():
            (folder / "images" / name).write_bytes(data)
        return tmp_path / "im2latex"

    return write
