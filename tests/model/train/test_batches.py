"""Batches by number."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.model.train.batches import POSITION_BLOCK, Batches, Drawn, vary
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.parallel import ALONE, Team
from proofpress.model.train.recipe import Kind, Level, SFTRecipe
from proofpress.model.train.typeset import Typeset
from proofpress.pages.errors import RequestError
from proofpress.pages.record import PageRecord

KINDS = {"word": Kind(crops=["word"], one_line=True), "line": Kind(crops=["line"], one_line=True)}
RECIPE = SFTRecipe(steps=1, kinds=KINDS, levels=[Level(mix={"word": 1, "line": 1})], batch_pixels=32 * 64 * 4)
MIX = {"word": 1.0, "line": 1.0}


@pytest.fixture
def folder(dataset: Callable[..., Path], draw: Callable[..., PageRecord]) -> Path:
    words = [draw(f"{number:03x}") for number in range(20)]
    return dataset(words + [draw(f"{number:x} and {number + 1:x} make one", crop="line") for number in range(20)])


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[..., Batches]]:
    made: list[Batches] = []

    def make(recipe: SFTRecipe = RECIPE, team: Team = ALONE) -> Batches:
        processor = Processor(named("nano"), nano_tokenizer())
        made.append(Batches(TrainingRows([folder], "train", recipe, processor), recipe, processor, team))
        return made[-1]

    yield make
    for batches in made:
        batches.__exit__()


def only(parts: list[Drawn]) -> Drawn:
    (part,) = parts
    return part


def equal(one: Drawn, other: Drawn) -> bool:
    same = torch.equal(one.batch.ids, other.batch.ids) and torch.equal(one.batch.labels, other.batch.labels)
    return same and torch.equal(one.batch.views.pages, other.batch.views.pages) and one.key == other.key


def test_a_batch_is_a_pure_function_of_its_step(opened: Callable[..., Batches]) -> None:
    forward, alone = opened(), opened()
    in_order = [only(forward.take(step, MIX)) for step in range(6)]
    for step in (5, 0, 3):
        assert equal(in_order[step], only(alone.take(step, MIX)))
    assert not equal(in_order[0], in_order[1])


@pytest.mark.parametrize(("processes", "accumulate"), [(1, 2), (2, 1), (2, 2)])
def test_processes_and_parts_divide_the_rows_of_a_step(
    opened: Callable[..., Batches], processes: int, accumulate: int
) -> None:
    whole = only(opened().take(3, MIX)).batch
    recipe = RECIPE.model_copy(update={"accumulate": accumulate})
    dealt = [opened(recipe, Team(rank, processes)).take(3, MIX) for rank in range(processes)]
    parts = [part.batch for own in dealt for part in own]
    assert len(parts) == processes * accumulate
    for number, part in enumerate(parts):
        read = min(part.ids.shape[1], whole.ids.shape[1])  # beyond it there is only padding
        assert torch.equal(part.ids[:, :read], whole.ids[number :: len(parts), :read])
        assert torch.equal(part.views.pages, whole.views.pages[number :: len(parts)])


def test_a_step_of_several_draws_fills_its_budget_with_several_kinds(opened: Callable[..., Batches]) -> None:
    budget = 32 * 320 * 8  # a line takes 32 x 320 pixels
    recipe = RECIPE.model_copy(update={"batch_pixels": budget, "draw_pixels": budget // 4})
    steps = [opened(recipe).take(step, MIX) for step in range(8)]
    assert any(len({part.key.kind for part in parts}) > 1 for parts in steps)
    for parts in steps:
        pixels = [part.batch.views.pages.numel() for part in parts]
        assert max(pixels) <= budget // 4 and budget * 7 / 8 < sum(pixels) <= budget


def test_processes_deal_out_each_draw_of_a_step(opened: Callable[..., Batches]) -> None:
    update = {"draw_pixels": RECIPE.batch_pixels // 2, "batch_pixels": 2 * RECIPE.batch_pixels}
    recipe = RECIPE.model_copy(update=update)
    alone = opened(recipe.model_copy(update={"accumulate": 2})).take(3, MIX)
    dealt = [opened(recipe, Team(rank, 2)).take(3, MIX) for rank in range(2)]
    assert len(alone) > 2
    for number, part in enumerate(alone):
        assert equal(part, dealt[number % 2][number // 2])


def test_more_loaders_prepare_the_same_batches(opened: Callable[..., Batches]) -> None:
    many, one = opened(RECIPE.model_copy(update={"loaders": 3})), opened()
    for step in range(5):
        assert equal(only(many.take(step, MIX)), only(one.take(step, MIX)))


def test_typeset_lines_are_a_kind_like_any_other(opened: Callable[..., Batches]) -> None:
    recipe = RECIPE.model_copy(
        update={"kinds": {"set": Kind(typeset=Typeset(width=64), one_line=True), **KINDS}, "batch_pixels": 32 * 64 * 8}
    )
    batches, again = opened(recipe), opened(recipe)
    drawn = only(batches.take(4, {"set": 1.0}))
    assert drawn.key.kind == "set" and drawn.batch.views.pages.shape == (8, 1, 32, 64)
    assert drawn.batch.labels.shape[1] >= drawn.key.length
    assert equal(drawn, only(again.take(4, {"set": 1.0})))


def test_a_change_of_mix_does_not_leave_a_prepared_batch_behind(opened: Callable[..., Batches]) -> None:
    changed, alone = opened(), opened()
    changed.take(0, {"word": 1.0})
    assert equal(only(changed.take(1, {"line": 1.0})), only(alone.take(1, {"line": 1.0})))


def test_the_mix_decides_how_often_a_kind_is_drawn(opened: Callable[..., Batches]) -> None:
    batches = opened()
    kinds = [only(batches.take(step, {"word": 1.0, "line": 3.0})).key.kind for step in range(60)]
    assert 36 <= kinds.count("line") <= 54


def test_a_batch_fills_the_budget_of_pixels_and_of_tokens(opened: Callable[..., Batches]) -> None:
    for recipe, count in [(RECIPE, 4), (RECIPE.model_copy(update={"batch_tokens": 40}), 2)]:
        drawn = only(opened(recipe).take(0, {"word": 1.0}))
        assert drawn.batch.views.pages.shape[0] == count
        assert drawn.key.length == 16
        assert drawn.characters == 3 * count


def test_labels_are_padded_to_their_class_without_touching_what_counts(opened: Callable[..., Batches]) -> None:
    drawn = only(opened().take(0, {"line": 1.0}))
    batch, (count, length) = drawn.batch, drawn.batch.labels.shape
    assert length >= drawn.key.length
    assert batch.ids.shape == (count, batch.prompt_length + length - 1)
    answers = batch.ids[:, batch.prompt_length :]  # an answer's token is read one place after it was predicted
    real = batch.labels[:, 1:] >= 0
    assert torch.equal(answers[real], batch.labels[:, :-1][real])


@pytest.mark.parametrize("kind", ["word", "line"])
@pytest.mark.parametrize("pixels", [1, 32 * 320, 32 * 320 * 7, 32 * 320 * 100])
def test_a_parts_rows_are_a_power_of_two_and_its_positions_fill_blocks(
    opened: Callable[..., Batches], kind: str, pixels: int
) -> None:
    rows, positions = only(
        opened(RECIPE.model_copy(update={"batch_pixels": pixels})).take(0, {kind: 1.0})
    ).batch.ids.shape
    assert rows & (rows - 1) == 0
    assert rows * positions % POSITION_BLOCK == 0


def test_a_kind_without_rows_is_refused_with_what_was_found(opened: Callable[..., Batches]) -> None:
    recipe = RECIPE.model_copy(
        update={"kinds": {**KINDS, "table": Kind(crops=["table"])}, "levels": [Level(mix={"table": 1.0})]}
    )
    with pytest.raises(RequestError, match=r"levels.0.mix: no training row is of kind table .*'line': 20"):
        opened(recipe)


@pytest.mark.parametrize("seed", range(20))
def test_a_varied_crop_stays_readable_and_in_its_room(seed: int) -> None:
    black_on_white = np.full((30, 60), 255, dtype=np.uint8)
    black_on_white[10:20, 10:50] = 0
    varied = vary(Image.fromarray(black_on_white), (64, 64), np.random.default_rng(seed))
    assert 60 <= varied.width <= 64 and 30 <= varied.height <= 38
    pixels = np.asarray(varied.convert("L"))
    assert pixels.min() < 110 and pixels.max() > 200
    again = vary(Image.fromarray(black_on_white), (64, 64), np.random.default_rng(seed))
    assert again.tobytes() == varied.tobytes()
