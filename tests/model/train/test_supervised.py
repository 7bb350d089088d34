"""The loss of supervised training."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn import functional

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.processor import IGNORED
from proofpress.model.train.batches import Batches, Drawn
from proofpress.model.train.ctc import LineAid
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.loop import Whole, gradient
from proofpress.model.train.parallel import ALONE
from proofpress.model.train.recipe import Kind, SFTRecipe
from proofpress.model.train.supervised import Supervised

RECIPE = SFTRecipe(
    steps=1, kinds={"all": Kind(one_line=True)}, batch_pixels=32 * 64 * 8, precision="float32", router_balance=0.0
)


@pytest.fixture
def drawn(word_dataset: Path, tiny_model: Path) -> Iterator[tuple[Supervised, list[Drawn]]]:
    """The objective, and a step's rows in two parts of unlike length."""
    network, processor = checkpoint.load(tiny_model)
    rows = TrainingRows([word_dataset], "train", RECIPE, processor)
    rows = rows.relabelled({row: "x" * (row % 7 + 1) for row in range(len(rows))}, processor)
    aid = LineAid(processor.config.decoder.width, len(processor.tokenizer), processor.tokenizer.pad_id)
    recipe = RECIPE.model_copy(update={"accumulate": 2})
    with Batches(rows, recipe, processor) as batches:
        yield Supervised(network, aid, RECIPE), batches.take(0, {"all": 1.0})


def whole_of(objective: Supervised, parts: list[Drawn], share: float = 0.0) -> Whole:
    counts = [objective.counts(part) for part in parts]
    return Whole({name: sum(count[name] for count in counts) for name in counts[0]}, len(parts), share)


def test_the_loss_of_one_part_is_cross_entropy(drawn: tuple[Supervised, list[Drawn]]) -> None:
    objective, (part, _) = drawn
    loss, figures = objective(part, whole_of(objective, [part]))
    logits = objective.network(part.batch).logits
    expected = functional.cross_entropy(logits.flatten(0, 1), part.batch.labels.flatten(), ignore_index=IGNORED)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(figures["nats"], expected * (part.batch.labels != IGNORED).sum())


def test_the_loss_of_several_parts_is_that_of_transformers_and_trl(drawn: tuple[Supervised, list[Drawn]]) -> None:
    """Both divide a part's sum by the tokens of the whole step; theirs shifts the labels itself."""
    theirs: Any = pytest.importorskip("transformers.loss.loss_utils").ForCausalLMLoss
    objective, parts = drawn
    whole = whole_of(objective, parts)
    assert whole.counts["tokens"] / 2 != objective.counts(parts[0])["tokens"]
    for part in parts:
        logits = objective.network(part.batch).logits
        shifted = functional.pad(part.batch.labels, (1, 0), value=IGNORED)[:, :-1]
        expected = theirs(
            logits, shifted, logits.shape[-1], num_items_in_batch=torch.tensor(whole.counts["tokens"]),
            shift_labels=part.batch.labels,
        )  # fmt: skip
        torch.testing.assert_close(objective(part, whole)[0], expected)


def test_the_gradient_of_parts_is_that_of_their_mean_over_tokens(drawn: tuple[Supervised, list[Drawn]]) -> None:
    objective, parts = drawn
    gradient(objective, objective, parts, RECIPE, 0.0, ALONE)
    found = {name: p.grad.clone() for name, p in objective.network.named_parameters() if p.grad is not None}
    objective.zero_grad()
    logits = torch.cat([objective.network(part.batch).logits.flatten(0, 1) for part in parts])
    labels = torch.cat([part.batch.labels.flatten() for part in parts])
    functional.cross_entropy(logits, labels, ignore_index=IGNORED).backward()
    for name, parameter in objective.network.named_parameters():
        if parameter.grad is not None:
            torch.testing.assert_close(found[name], parameter.grad, atol=1e-6, rtol=1e-4)


def test_the_aids_weight_falls_to_nothing(drawn: tuple[Supervised, list[Drawn]]) -> None:
    objective, parts = drawn
    objective._recipe = RECIPE.model_copy(update={"ctc": 1.0, "ctc_until": 0.5})
    plain, half, none = (
        objective(parts[0], whole_of(objective, parts[:1], share))[0].item() for share in (0.0, 0.25, 0.5)
    )
    ctc = plain - none
    assert ctc > 0 and half == pytest.approx(none + ctc / 2, rel=1e-4)
