"""Figures of held-out rows."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.model.reader import Belief
from proofpress.model.rewards import score
from proofpress.model.train import evaluation
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.recipe import Kind, SFTRecipe
from proofpress.pages.record import PageRecord

READ = ["abcd", "abce", "abff"]  # of the words, in the dataset's order
KINDS = {"word": Kind(crops=["word"]), "line": Kind(crops=["line"])}
RECIPE = SFTRecipe(steps=1, kinds=KINDS, levels=[{"mix": {"word": 1.0}}], evaluation_rows=3)


class AlwaysReads:
    """A reader that reads ``abcd`` everywhere and gives each label token probability 1/2."""

    def __init__(self, network: None, processor: Processor) -> None:
        self.processor = processor

    def read(self, images: Sequence[Image.Image], **_: Any) -> list[SimpleNamespace]:
        return [SimpleNamespace(text="abcd") for _ in images]

    def believe(self, images: Sequence[Image.Image], texts: Sequence[str]) -> list[Belief]:
        return [Belief(-math.log(2), 0.0)] * len(images)


@pytest.fixture
def rows(dataset: Callable[..., Path], draw: Callable[..., PageRecord]) -> TrainingRows:
    texts = {"word": ["abcd", "abce", "abff", "gggg", "hhhh"], "line": ["abcd abcd", "ab"]}
    records = [draw(text, "validation", crop) for crop, some in texts.items() for text in some]
    return TrainingRows([dataset(records)], "validation", RECIPE, Processor(named("nano"), nano_tokenizer()))


def test_figures_count_edits_and_nats_by_character(rows: TrainingRows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "Reader", AlwaysReads)
    processor = Processor(named("nano"), nano_tokenizer())
    figures = evaluation.evaluate(None, processor, rows, RECIPE)  # type: ignore[arg-type]
    # Of the words the first three are read; each label has as many tokens as characters, and one for its end.
    word = figures["kinds"]["word"]
    assert (word["rows"], word["cer"]) == (3, pytest.approx(3 / 12))
    assert word["loss"] == pytest.approx(math.log(2) * 15 / 12)
    assert word["reward"] == pytest.approx(sum(score("abcd", gold, "text").value for gold in READ) / 3)
    assert set(word["parts"]) >= {"text", "repetition"}
    assert figures["kinds"]["line"]["cer"] == pytest.approx((5 + 2) / 11)
    text = figures["tasks"]["text"]
    assert (text["rows"], text["cer"]) == (5, pytest.approx(10 / 23))
    assert text["loss"] == pytest.approx(math.log(2) * 28 / 23)
    assert figures["reward"] == text["reward"]


def test_the_rows_read_are_the_first_of_each_kind_and_always_the_same(rows: TrainingRows) -> None:
    chosen = {number for _, numbers in evaluation.held_out(rows, RECIPE) for number in numbers}
    assert chosen == {0, 1, 2, 5, 6}
