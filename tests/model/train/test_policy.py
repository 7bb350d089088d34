"""The arithmetic of GRPO, compared with TRL's own code where it can be called alone."""

import itertools
import math
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from proofpress.model.train.policy import Denominator, PolicySettings, advantages, counted, nan_std, policy_loss

CASES = list(
    itertools.product(
        ("grpo", "bnpo", "dr_grpo", "dapo"), ("token", "sequence"), (0.0, 0.04), (0.2, 0.28), (False, True), (1, 4)
    )
)


def numbers(seed: int, rows: int = 6, length: int = 9) -> dict[str, torch.Tensor]:
    """Log-probabilities, advantages and a mask, float64; one completion counts nowhere and one is a single token."""
    generator = torch.Generator().manual_seed(seed)
    new = -3 * torch.rand(rows, length, generator=generator, dtype=torch.float64)
    lengths = torch.randint(1, length + 1, (rows,), generator=generator)
    lengths[0], lengths[1] = 0, 1
    return {
        "new": new,
        "old": new + 0.4 * torch.randn(rows, length, generator=generator, dtype=torch.float64),
        "reference": new + 0.4 * torch.randn(rows, length, generator=generator, dtype=torch.float64),
        "advantage": torch.randn(rows, generator=generator, dtype=torch.float64),
        "mask": torch.arange(length) < lengths[:, None],
    }


def trl_loss(given: dict[str, torch.Tensor], settings: PolicySettings, parts: int, tokens: int) -> torch.Tensor:
    """TRL's loss of one of ``parts`` micro-batches, by calling the trainer's method without a trainer."""
    trainer = pytest.importorskip("trl.trainer.grpo_trainer").GRPOTrainer

    class Plain(SimpleNamespace):
        def gather(self, tensor: torch.Tensor) -> torch.Tensor:
            return tensor

        def reduce(self, tensor: torch.Tensor, reduction: str) -> torch.Tensor:
            return tensor

    new = given["new"]
    self = SimpleNamespace(
        _get_per_token_logps_and_entropies=lambda *_, **__: (new, torch.zeros_like(new), None),
        top_entropy_quantile=1.0, off_policy_mask_threshold=None, aux_loss_enabled=False, use_vllm=False,
        importance_sampling_level=settings.importance, beta=settings.kl, loss_type=settings.loss,
        epsilon_low=settings.clip_low, epsilon_high=settings.clip_high, max_completion_length=new.shape[1],
        args=SimpleNamespace(
            use_bias_correction_kl=settings.kl_correction, delta=None, steps_per_generation=parts,
        ),
        model=SimpleNamespace(training=True), current_gradient_accumulation_steps=parts,
        accelerator=Plain(num_processes=1, sync_gradients=True), _entropy_bonus_enabled=False,
        _metrics={"train": defaultdict(list), "eval": defaultdict(list)},
    )  # fmt: skip
    inputs = {
        "prompt_ids": torch.zeros(len(new), 1, dtype=torch.long), "prompt_mask": torch.ones(len(new), 1),
        "completion_ids": torch.zeros(new.shape, dtype=torch.long), "completion_mask": given["mask"].double(),
        "advantages": given["advantage"], "old_per_token_logps": given["old"],
        "ref_per_token_logps": given["reference"], "num_items_in_batch": torch.tensor(float(tokens)),
    }  # fmt: skip
    return trainer._compute_loss(self, None, inputs)


@pytest.mark.parametrize(("loss", "importance", "kl", "high", "correction", "parts"), CASES)
def test_loss_and_gradient_are_trls(
    loss: Any, importance: Any, kl: float, high: float, correction: bool, parts: int
) -> None:
    settings = PolicySettings(loss, importance, 0.2, high, kl, correction)
    given = [numbers(seed) for seed in range(parts)]
    tokens = sum(int(part["mask"].sum()) for part in given)
    whole = Denominator(6 * parts, tokens, 9, parts)
    for part in given:
        ours, theirs = (part["new"].clone().requires_grad_() for _ in range(2))
        reference = part["reference"] if kl else None
        mine, _ = policy_loss(
            ours, part["old"], reference, part["advantage"], part["mask"], settings, whole
        )  # fmt: skip
        its = trl_loss({**part, "new": theirs}, settings, parts, tokens)
        mine.backward()
        its.backward()
        torch.testing.assert_close(mine, its, rtol=0, atol=1e-9)
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=0, atol=1e-9)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 64


@pytest.mark.parametrize("loss", ["grpo", "dr_grpo", "dapo"])
def test_parts_of_a_step_add_up_to_the_whole_step(loss: Any) -> None:
    given, settings = numbers(3, rows=8), PolicySettings(loss, kl=0.1)
    whole = Denominator(8, int(given["mask"].sum()), 9)

    def loss_of(rows: slice) -> torch.Tensor:
        return policy_loss(*(given[name][rows] for name in given), settings, whole)[0]

    torch.testing.assert_close(loss_of(slice(0, 8)), loss_of(slice(0, 1)) + loss_of(slice(1, 8)))


def reference_advantages(rewards: np.ndarray, group: int, baseline: str) -> np.ndarray:
    """The same in numpy, group by group, as TRL's documentation writes it."""
    out = np.zeros_like(rewards)
    for start in range(0, len(rewards), group):
        some = rewards[start : start + group]
        real = some[~np.isnan(some)]
        spread = {"group": real, "batch": rewards[~np.isnan(rewards)]}.get(baseline)
        scale = 1.0 if spread is None else (np.std(spread, ddof=1) if len(spread) > 1 else 0.0) + 1e-4
        for place, value in enumerate(some):
            out[start + place] = 0.0 if np.isnan(value) else (value - real.mean()) / scale
    return out


@pytest.mark.parametrize("baseline", ["group", "batch", "none"])
@pytest.mark.parametrize("missing", [0, 1, 5])
@pytest.mark.parametrize("group", [2, 4])
def test_advantages_are_those_of_the_definition(baseline: Any, missing: int, group: int) -> None:
    rewards = np.random.default_rng(missing).random(12)
    rewards[:missing] = np.nan
    found = advantages(torch.tensor(rewards), group, baseline)
    np.testing.assert_allclose(found.numpy(), reference_advantages(rewards, group, baseline), atol=1e-12)


def test_equal_rewards_teach_nothing_and_a_failed_checker_is_not_a_zero() -> None:
    nothing = torch.tensor([0.5, 0.5, math.nan, math.nan], dtype=torch.float64)
    assert advantages(nothing, 2, "group").tolist() == [0.0] * 4
    failed = advantages(torch.tensor([1.0, math.nan, 0.5, 0.5]), 4, "none")
    assert failed.tolist() == pytest.approx([1 / 3, 0, -1 / 6, -1 / 6])


def test_remax_compares_with_the_greedy_reading() -> None:
    found = advantages(torch.tensor([0.9, 0.2, 0.4, math.nan]), 2, "remax", greedy=torch.tensor([0.5, 0.4]))
    assert found.tolist() == pytest.approx([0.4, -0.3, 0.0, 0.0])


def test_the_deviation_is_trls() -> None:
    utilities = pytest.importorskip("trl.trainer.utils")
    values = torch.tensor([[0.1, 0.9, math.nan], [0.4, math.nan, math.nan], [1.0, 0.0, 0.5]], dtype=torch.float64)
    torch.testing.assert_close(nan_std(values, 1), utilities.nanstd(values, 1), equal_nan=True)


def test_truncated_completions_do_not_count_where_the_recipe_says_so() -> None:
    lengths, finished = torch.tensor([2, 3]), torch.tensor([True, False])
    assert counted(lengths, finished, 3, mask_truncated=True).tolist() == [[True, True, False], [False] * 3]
    assert counted(lengths, finished, 3, mask_truncated=False).tolist() == [[True, True, False], [True] * 3]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_truncated_is_what_trl_masks(seed: int) -> None:
    """As ``GRPOTrainer._generate_and_score_completions`` writes it: a completion whose last token is no end token."""
    generator, end = torch.Generator().manual_seed(seed), 2
    ids = [torch.randint(3, 9, (int(n),), generator=generator).tolist() for n in torch.randint(1, 7, (8,))]
    ids = [[*tokens, end] if number % 3 else tokens for number, tokens in enumerate(ids)]
    longest = max(map(len, ids))
    padded = torch.tensor([[1] * len(tokens) + [0] * (longest - len(tokens)) for tokens in ids])
    is_truncated = torch.tensor([tokens[-1] != end for tokens in ids])
    theirs = padded * (~is_truncated).unsqueeze(1).int()
    ours = counted(torch.tensor(list(map(len, ids))), torch.tensor([t[-1] == end for t in ids]), longest, True)
    assert torch.equal(ours.int(), theirs)
