"""The CTC aid."""

import pytest
import torch
from torch.nn import functional

from proofpress.model.train.ctc import SLOTS, LineAid

BLANK, EOS, IGNORED = 0, 2, -100


def aid_that_says(ids: list[int], vocabulary: int = 6) -> tuple[LineAid, torch.Tensor]:
    """An aid and vision tokens (1, 2, columns, D) whose slots spell these ids for certain."""
    columns = -(-len(ids) // SLOTS)
    padded = torch.tensor(ids + [BLANK] * (columns * SLOTS - len(ids)))
    logits = 20.0 * functional.one_hot(padded, vocabulary).float().view(1, columns, SLOTS * vocabulary)
    aid = LineAid(width=SLOTS * vocabulary, vocabulary=vocabulary, blank=BLANK)
    with torch.no_grad():
        aid.ctc.weight.copy_(torch.eye(SLOTS * vocabulary))
        aid.ctc.bias.zero_()
    return aid, logits[:, None].expand(1, 2, columns, -1)


@pytest.mark.parametrize("spelled", [[3, 4, 5], [3, 0, 3, 4], [0, 3, 3, 4, 0, 5]])
def test_slots_that_spell_the_label_cost_nothing(spelled: list[int]) -> None:
    aid, vision = aid_that_says(spelled)
    merged = [i for place, i in enumerate(spelled) if i != BLANK and (place == 0 or spelled[place - 1] != i)]
    labels = torch.tensor([[*merged, EOS, IGNORED, IGNORED]])
    assert aid(vision, labels).item() < 1e-3
    wrong = torch.tensor([[*merged[:-1], 1, EOS, IGNORED]])
    assert aid(vision, wrong).item() > 1


def test_a_label_with_more_letters_than_slots_is_left_out_of_the_loss() -> None:
    aid, vision = aid_that_says([3, 4, 5])
    labels = torch.tensor([[3, 4] * SLOTS + [EOS]])
    assert aid(vision, labels).item() == 0
