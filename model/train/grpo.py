"""Training by reward (GRPO): the network reads pages several times, and readings better than expected become likelier.

    summary = train_grpo(recipe, [Path("data/pages")], Path("runs/grpo"))
    summary["after"]["reward"] - summary["before"]["reward"]

The arithmetic and its sources are in ``policy.py``, the readings in ``rollouts.py``. A run's folder is that of
``run.py``, with a page of readings under ``rollouts/`` every few steps.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn

from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import IGNORED, Batch, Processor
from proofpress.model.train.data import TrainingRows
from proofpress.model.train.loop import check_finite, set_rate, take_step
from proofpress.model.train.parallel import Team, gathered, spread, unshared_gradients
from proofpress.model.train.policy import Denominator, PolicySettings, advantages, counted, policy_loss
from proofpress.model.train.recipe import GRPORecipe, Level
from proofpress.model.train.rollouts import Rollout, draw, show
from proofpress.model.train.run import Report, Run, prepare_folder, settled, starting_point, stop_signal
from proofpress.model.train.schedule import Curriculum


@dataclass(frozen=True, slots=True)
class Part:
    """Readings of one page that go through the network in one pass.

    batch: one page, its readings as answers. mask: (N, A), tokens that count. advantage: (N,). old, reference: (N, A)
    log-probabilities, None where the policy is still the one that drew them and where no KL is wanted.
    """

    batch: Batch
    mask: Tensor
    advantage: Tensor
    old: Tensor | None = None
    reference: Tensor | None = None


class Policy(nn.Module):
    """The network as a policy. settings: of the loss. temperature: of its choices."""

    def __init__(self, network: JinaOCR, settings: PolicySettings, temperature: float) -> None:
        super().__init__()
        self.network, self._settings, self._temperature = network, settings, temperature

    def forward(self, part: Part, whole: Denominator) -> tuple[Tensor, dict[str, Tensor]]:
        """This part's share of the step's loss, and sums over its counted tokens: ``entropy`` and those of
        ``policy_loss``."""
        new, entropy = token_log_probabilities(self.network, part.batch, self._temperature)
        old = new.detach() if part.old is None else part.old
        loss, figures = policy_loss(new, old, part.reference, part.advantage, part.mask, self._settings, whole)
        return loss, {**figures, "entropy": (entropy * part.mask).sum()}


def token_log_probabilities(network: JinaOCR, batch: Batch, temperature: float) -> tuple[Tensor, Tensor]:
    """Of each answer token its log-probability and the entropy of the choice, both (N, A) in float32.

    The page of the batch stands there once and is seen once, for all N answers.
    """
    image, _ = network.model.see(batch.views)  # (1, slots, width)
    words = network.model.embed_tokens(batch.ids).to(image.dtype)  # (N, L, width)
    start, end = batch.image_start, batch.image_start + image.shape[1]
    embedded = torch.cat((words[:, :start], image.expand(len(words), -1, -1), words[:, end:]), 1)
    hidden, _ = network.model.think(embedded)
    logits = network.logits(hidden[:, batch.prompt_length - 1 :]).float() / temperature  # (N, A, V)
    likely = logits.log_softmax(-1)
    chosen = likely.gather(-1, batch.labels.clamp(min=0)[..., None])[..., 0]
    with torch.no_grad():
        entropy = -(likely.exp() * likely).sum(-1)
    return chosen, entropy


def train_grpo(
    recipe: GRPORecipe, datasets: list[Path], out: Path, resume: bool = False, progress: Report | None = None
) -> dict[str, Any]:
    """Train as the recipe says; ``train_sft``'s summary. Raises as ``train_sft`` does."""
    prepare_folder(recipe, datasets, out, resume)
    with gathered(recipe.processes, _train, (recipe, datasets, out), recipe.device) as team:
        return _train(team, recipe, datasets, out, progress)


def _train(
    team: Team, recipe: GRPORecipe, datasets: list[Path], out: Path, progress: Report | None = None
) -> dict[str, Any]:
    with settled(recipe):
        network, processor = starting_point(recipe)
        settings = PolicySettings(
            recipe.loss, recipe.importance, recipe.clip_low, recipe.clip_high, recipe.kl, recipe.kl_correction
        )
        policy = Policy(network, settings, recipe.temperature)
        # The start weights, also when the run is resumed: they are read from the recipe again.
        reference = deepcopy(network).requires_grad_(False) if recipe.kl else None
        rows = TrainingRows(datasets, "train", recipe, processor)
        held_out = TrainingRows(datasets, "validation", recipe, processor)
        run = Run(
            recipe, out, policy, network, processor, held_out, team, progress or (lambda _: None),
            Curriculum([Level(mix=recipe.mix)]),
        )  # fmt: skip
        run.begin()
        learner = spread(policy, team)
        with stop_signal() as stopped:
            while not any(team.total(stopped())) and run.progress.share(recipe) < 1:
                _step(run, learner, reference, rows, team)
        run.save()
        return run.summary(rows)


def _step(run: Run, learner: nn.Module, reference: JinaOCR | None, rows: TrainingRows, team: Team) -> None:
    """Readings of some pages, the optimizer's steps on them, and what is to be said of them."""
    recipe, progress = _recipe(run), run.progress
    began = perf_counter()
    rollouts = draw(run.network, run.processor, rows, recipe, progress.step, team)
    rewards = gathered_rewards(rollouts, team)
    gains = _advantages(rewards, rollouts, recipe, team)
    run.objective.train()
    parts = [part for rollout, gain in zip(rollouts, gains, strict=True) for part in _parts(rollout, gain, run)]
    figures = _learn(run, learner, [_with_past(part, run, reference) for part in parts], team)

    progress.step += 1
    characters = sum(len(reading.text) for rollout in rollouts for reading in rollout.readings)
    progress.characters += int(team.total(characters)[0])
    (progress.seconds,) = team.total(progress.seconds + perf_counter() - began if team.leads else 0.0)
    if progress.step % recipe.log_every == 0:
        done = {**progress.state(), "share": progress.share(recipe)}
        run.log({**done, **figures, **reading_figures(rollouts, rewards, recipe)})
    if team.leads and progress.step % recipe.show_every == 0:
        page = run.out / f"rollouts/step-{progress.step:08d}.html"
        show(rollouts, [gain.tolist() for gain in gains], page, progress.step)
    if progress.step % recipe.checkpoint_every == 0:
        run.save()
    if recipe.evaluate_every and progress.step % recipe.evaluate_every == 0:
        run.evaluate()


def _learn(run: Run, learner: nn.Module, parts: Sequence[Part], team: Team) -> dict[str, Any]:
    """The optimizer's steps on a step's readings; means over them for the log, of the policy by counted token."""
    recipe, step = _recipe(run), run.progress.step
    rate = set_rate(run.optimizers, recipe, step, run.progress.share(recipe))
    tokens, calls = team.total(sum(int(part.mask.sum()) for part in parts), len(parts))
    whole = Denominator(recipe.pages * recipe.completions, int(tokens), recipe.max_tokens, int(calls))
    parameters = [parameter for parameter in run.objective.parameters() if parameter.requires_grad]
    sums: Counter[str] = Counter()
    largest = 0.0
    for _ in range(recipe.iterations):
        own: Counter[str] = Counter()
        for number, part in enumerate(parts, start=1):
            with unshared_gradients(learner) if number < len(parts) else nullcontext():
                with _passes(recipe):
                    loss, found = learner(part, whole)
                (loss * team.size).backward()
            own.update({"loss": loss.item(), **{name: value.item() for name, value in found.items()}})
        norm = nn.utils.clip_grad_norm_(parameters, recipe.clip)
        totals = dict(zip(own, team.total(*own.values()), strict=True))
        check_finite(step, totals["loss"], norm, run.saved)
        take_step(run.optimizers)
        sums.update(totals)
        largest = max(largest, norm.item())
    loss_sum = sums.pop("loss")
    return {
        "loss": loss_sum / recipe.iterations,
        "gradient_norm": largest,
        "learning_rate": rate,
        "policy": {name: value / recipe.iterations / max(1.0, tokens) for name, value in sums.items()},
    }


def _recipe(run: Run) -> GRPORecipe:
    assert isinstance(run.recipe, GRPORecipe)
    return run.recipe


def _passes(recipe: GRPORecipe) -> torch.autocast:
    return torch.autocast(torch.device(recipe.device).type, torch.bfloat16, enabled=recipe.precision == "bfloat16")


def gathered_rewards(rollouts: Sequence[Rollout], team: Team) -> Tensor:
    """The rewards of all processes' readings, (pages * completions,), NaN where there is none; own ones first to last
    in the order of ranks."""
    own = [reading.checked.reward for rollout in rollouts for reading in rollout.readings]
    return team.joined(torch.tensor([torch.nan if reward is None else reward for reward in own], dtype=torch.float64))


def _advantages(rewards: Tensor, rollouts: Sequence[Rollout], recipe: GRPORecipe, team: Team) -> list[Tensor]:
    """Of each own page its readings' advantages, (completions,)."""
    greedy = None
    if recipe.baseline == "remax":
        own = [torch.nan if rollout.greedy is None else rollout.greedy for rollout in rollouts]
        greedy = team.joined(torch.tensor(own, dtype=torch.float64))
    whole = advantages(rewards, recipe.completions, recipe.baseline, greedy).float()
    return list(whole.view(-1, recipe.completions).split(len(rollouts))[team.rank])


def _parts(rollout: Rollout, gain: Tensor, run: Run) -> list[Part]:
    """A page's readings in parts of at most ``part_completions``."""
    recipe = _recipe(run)
    size = recipe.part_completions
    return [
        _part(rollout, slice(first, first + size), gain[first : first + size], run.processor, recipe)
        for first in range(0, len(rollout.readings), size)
    ]


def _part(rollout: Rollout, which: slice, gain: Tensor, processor: Processor, recipe: GRPORecipe) -> Part:
    readings = rollout.readings[which]
    page = processor.batch([rollout.image])
    prompt = page.ids[0, : page.prompt_length]
    longest = max(len(reading.tokens) for reading in readings)
    longest = -(-longest // 16) * 16  # few shapes: each new one costs a CPU the building of new kernels
    labels = torch.full((len(readings), longest), IGNORED)
    ids = prompt.repeat(len(readings), 1)
    ids = torch.cat((ids, torch.full((len(readings), longest - 1), processor.tokenizer.pad_id)), 1)
    for row, reading in enumerate(readings):
        tokens = torch.tensor(reading.tokens)
        labels[row, : len(tokens)] = tokens
        ids[row, len(prompt) : len(prompt) + len(tokens) - 1] = tokens[:-1]
    lengths = torch.tensor([len(reading.tokens) for reading in readings])
    finished = torch.tensor([reading.finished for reading in readings])
    mask = counted(lengths, finished, longest, recipe.mask_truncated)
    batch = replace(page, ids=ids, labels=labels).to(recipe.device)
    return Part(batch, mask.to(recipe.device), gain.to(recipe.device))


def _with_past(part: Part, run: Run, reference: JinaOCR | None) -> Part:
    """The part with the log-probabilities of the policy that drew it and of the reference, where they are needed."""
    # Not under no_grad, where attention takes another kernel: a ratio is to be exactly 1 until a step is taken.
    recipe = _recipe(run)
    with _passes(recipe):
        if recipe.iterations > 1:
            part = replace(part, old=token_log_probabilities(run.network, part.batch, recipe.temperature)[0].detach())
        if reference is not None:
            reference.train()  # as the policy computes, so that equal weights are at no distance
            part = replace(
                part, reference=token_log_probabilities(reference, part.batch, recipe.temperature)[0].detach()
            )
    return part


def reading_figures(rollouts: Sequence[Rollout], rewards: Tensor, recipe: GRPORecipe) -> dict[str, Any]:
    """What the log says of a step's readings: rewards of all processes, the rest of the leader's own."""
    readings = [reading for rollout in rollouts for reading in rollout.readings]
    lengths = [len(reading.tokens) for reading in readings]
    names = sorted({name for reading in readings for name in reading.checked.parts})
    groups = rewards.view(-1, recipe.completions)
    spread_of = groups.nan_to_num(nan=-1.0).amax(1) - groups.nan_to_num(nan=2.0).amin(1)
    return {
        "reward": rewards.nanmean().item() if rewards.isfinite().any() else None,
        "reward_deviation": rewards[rewards.isfinite()].std().item() if rewards.isfinite().sum() > 1 else 0.0,
        "zero_spread": (spread_of <= 0).double().mean().item(),
        "no_reward": rewards.isnan().double().mean().item(),
        "terms": {name: _mean([r.checked.parts[name] for r in readings if name in r.checked.parts]) for name in names},
        "length": {"mean": _mean(lengths), "least": min(lengths), "most": max(lengths)},
        "truncated": _mean([not reading.finished for reading in readings]),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
