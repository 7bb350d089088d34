"""The arithmetic of GRPO: advantages from rewards, and the clipped policy loss with its KL term.

    advantage = advantages(rewards, group=8, baseline="group")
    loss, figures = policy_loss(new, old, reference, advantage, mask, PolicySettings(loss="dapo"), Denominator(...))

GRPO: Shao et al. 2024, arXiv 2402.03300. Dr. GRPO: Liu et al. 2025, arXiv 2503.20783. DAPO (clip-higher, token mean):
Yu et al. 2025, arXiv 2503.14476. GSPO (sequence importance): Zheng et al. 2025, arXiv 2507.18071. ReMax (greedy
baseline): Li et al. 2024, arXiv 2310.10505. Values and gradients are those of TRL 1.16, which the tests compare.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Baseline = Literal["group", "batch", "none", "remax"]
LossType = Literal["grpo", "bnpo", "dr_grpo", "dapo"]
Importance = Literal["token", "sequence"]

EPSILON = 1e-4


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """How the loss is made.

    clip_low, clip_high: how far below and above 1 a ratio may act. kl: weight of the k3 estimate of the distance from
    the reference. kl_correction: weigh that estimate by the ratio, which makes its gradient that of the KL itself.
    """

    loss: LossType = "dapo"
    importance: Importance = "token"
    clip_low: float = 0.2
    clip_high: float = 0.2
    kl: float = 0.0
    kl_correction: bool = True


@dataclass(frozen=True, slots=True)
class Denominator:
    """What a step holds over all its parts and processes. completions, tokens: that count. longest: most tokens that a
    completion may have. parts: in how many calls of the loss the step is made."""

    completions: int
    tokens: int
    longest: int
    parts: int = 1


def advantages(rewards: Tensor, group: int, baseline: Baseline, greedy: Tensor | None = None) -> Tensor:
    """How much better each completion is than what was to be expected, (N,); 0 where it has no reward.

    rewards: (N,), completions of one page stand together, ``group`` of them; NaN where every checker failed, which then
    counts neither for the mean nor for the spread. baseline: less the group's mean, and divided by the standard
    deviation (Bessel-corrected) of the ``group``, of the ``batch``, or by ``none``; or ``remax``: less the reward of
    the page's greedy reading. greedy: (N / group,), for ``remax``.
    """
    grouped = rewards.view(-1, group)
    if baseline == "remax":
        assert greedy is not None
        return (grouped - greedy[:, None]).nan_to_num(0.0).flatten()
    centred = grouped - grouped.nanmean(1, keepdim=True)
    if baseline == "group":
        centred = centred / (nan_std(grouped, 1)[:, None].nan_to_num(0.0) + EPSILON)
    elif baseline == "batch":
        centred = centred / (nan_std(rewards, 0).nan_to_num(0.0) + EPSILON)
    return centred.nan_to_num(0.0).flatten()


def nan_std(values: Tensor, dim: int) -> Tensor:
    """Bessel-corrected standard deviation of the numbers among the values; NaN for fewer than two."""
    count = values.isfinite().sum(dim, keepdim=True)
    squares = (values - values.nanmean(dim, keepdim=True)).square().nansum(dim, keepdim=True)
    return torch.where(count > 1, squares / (count - 1).clamp(min=1), torch.nan).sqrt().squeeze(dim)


def counted(lengths: Tensor, finished: Tensor, longest: int, mask_truncated: bool) -> Tensor:
    """Which tokens count, (N, longest). lengths: of completions, the end token included. finished: with an end token.

    mask_truncated: what was cut off by the limit says nothing of how good it would have become, and does not count.
    """
    mask = torch.arange(longest, device=lengths.device) < lengths[:, None]
    return mask & finished[:, None] if mask_truncated else mask


def policy_loss(
    new: Tensor,
    old: Tensor,
    reference: Tensor | None,
    advantage: Tensor,
    mask: Tensor,
    settings: PolicySettings,
    whole: Denominator,
) -> tuple[Tensor, dict[str, Tensor]]:
    """This part's share of the step's loss, and sums over its counted tokens: ``kl``, ``clip_low``, ``clip_high``.

    new, old, reference: (N, T) log-probabilities of the tokens under the policy, the one that drew them and the one to
    stay near (None without KL), all of the logits divided by the temperature. advantage: (N,). mask: (N, T).
    """
    weight = mask.to(new.dtype)
    lengths = weight.sum(1, keepdim=True)
    log_ratio = new - old
    if settings.importance == "sequence":
        log_ratio = (log_ratio * weight).sum(1, keepdim=True) / lengths.clamp(min=1)
    ratio = log_ratio.exp()  # (N, T), or (N, 1) for whole sequences
    gain = advantage[:, None]
    clipped = ratio.clamp(1 - settings.clip_low, 1 + settings.clip_high)
    losses = -torch.minimum(ratio * gain, clipped * gain).expand_as(new)
    kl = torch.zeros_like(new)
    if reference is not None:
        kl = (reference - new).exp() - (reference - new) - 1
        if settings.kl_correction:
            kl = kl * ratio
        losses = losses + settings.kl * kl
    with torch.no_grad():
        low = ((ratio < 1 - settings.clip_low) & (gain < 0)).to(new.dtype)
        high = ((ratio > 1 + settings.clip_high) & (gain > 0)).to(new.dtype)
        figures = {
            name: (values * weight).sum() for name, values in (("kl", kl), ("clip_low", low), ("clip_high", high))
        }
    match settings.loss:
        case "grpo":
            return ((losses * weight).sum(1, keepdim=True) / lengths.clamp(min=1)).sum() / whole.completions, figures
        case "bnpo":
            return (losses * weight).sum() / weight.sum().clamp(min=1) / whole.parts, figures
        case "dr_grpo":
            return (losses * weight).sum() / (whole.completions * whole.longest), figures
        case "dapo":
            return (losses * weight).sum() / max(1, whole.tokens), figures
