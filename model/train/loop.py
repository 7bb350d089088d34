"""The training loop: forward, backward, clip, step, log, save, until the budget is used up or a stop is asked for.

The same loop trains a network of four million parameters from nothing, the public size from its checkpoint and a draft
head; all that differs is in the recipe and the objective. A step's loss is one mean over all its label tokens, in
however many processes and parts they are read. What a run has come to is a ``Progress``, saved with every checkpoint.

    train(objective, optimizers, batches, recipe, progress, watch, team)
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from proofpress.model.train.batches import Batches, Drawn
from proofpress.model.train.parallel import ALONE, Team, spread, unshared_gradients, whole
from proofpress.model.train.recipe import RunRecipe
from proofpress.model.train.schedule import Curriculum, learning_rate_factor
from proofpress.pages.errors import WorkError


@dataclass(frozen=True, slots=True)
class Whole:
    """A step over all processes and parts. counts: what its sums are divided by. parts: how many it is read in.

    share: of the budget that was used up before it.
    """

    counts: Mapping[str, float]
    parts: int
    share: float


class Objective(Protocol):
    """What is trained, and for what: a module of which each call uses every parameter that is trained."""

    def counts(self, drawn: Drawn) -> dict[str, int]:
        """What a part has of each thing its losses are means of; ``tokens`` is one."""

    def __call__(self, drawn: Drawn, whole: Whole) -> tuple[Tensor, dict[str, Tensor]]:
        """A part's share of the step's loss, and of the step's figures (sums); ``nats`` is one."""


@dataclass(slots=True)
class Progress:
    """How far a run is: steps taken, seconds of training on the clock, characters read, level of the curriculum."""

    curriculum: Curriculum
    step: int = 0
    seconds: float = 0.0
    characters: int = 0

    def share(self, recipe: RunRecipe) -> float:
        """The share of the budget that is used up, 0..1 or a little above."""
        return self.step / recipe.steps if recipe.steps else self.seconds / (60 * (recipe.minutes or 0))

    def state(self) -> dict[str, Any]:
        """What ``restore`` needs, as JSON values."""
        counts = {"step": self.step, "seconds": self.seconds, "characters": self.characters}
        return {**counts, "curriculum": self.curriculum.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved ``state``."""
        self.step, self.seconds, self.characters = state["step"], state["seconds"], state["characters"]
        self.curriculum.restore(state["curriculum"])


@dataclass(slots=True)
class Window:
    """Figures of the steps since the last line of the log."""

    sums: dict[str, float] = field(default_factory=dict)
    characters: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    norm: float = 0.0

    def add(self, sums: Mapping[str, float], characters: int, seconds: float, waited: float, norm: float) -> None:
        """Count one step in."""
        for name, value in sums.items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        self.characters, self.seconds = self.characters + characters, self.seconds + seconds
        self.waited, self.norm = self.waited + waited, max(self.norm, norm)

    def figures(self) -> dict[str, float]:
        """Mean loss in nats per character, largest gradient norm before clipping, speed, time spent without data."""
        return {
            "loss": self.sums.get("nats", 0.0) / max(1, self.characters),
            "gradient_norm": self.norm,
            "characters_per_second": self.characters / max(1e-9, self.seconds),
            "data_wait": self.waited / max(1e-9, self.seconds),
        }


@dataclass(frozen=True, slots=True)
class Watch:
    """What the loop does besides training. log: a line of figures. save: write a checkpoint. evaluate: read held-out
    rows. stopped: whether to end before the next step. saved: the last good checkpoint's name, for messages."""

    log: Callable[[dict[str, Any]], None]
    save: Callable[[], None]
    evaluate: Callable[[], object]
    stopped: Callable[[], bool]
    saved: Callable[[], str]


def train(
    objective: Objective,
    optimizers: Sequence[torch.optim.Optimizer],
    batches: Batches,
    recipe: RunRecipe,
    progress: Progress,
    watch: Watch,
    team: Team = ALONE,
) -> None:
    """Train until the budget is used up or ``watch.stopped()``; the last step is always saved.

    Raises ``WorkError`` when the loss or the gradient is no longer a number: the weights are then still good, for the
    step is not taken, and the message names the checkpoint to go on from.
    """
    assert isinstance(objective, nn.Module)
    parameters = [parameter for parameter in objective.parameters() if parameter.requires_grad]
    learner = spread(objective, team)
    window = Window()
    objective.train()
    while not any(team.total(watch.stopped())) and (share := progress.share(recipe)) < 1:
        began = perf_counter()
        rate = set_rate(optimizers, recipe, progress.step, share)
        drawn = batches.take(progress.step, progress.curriculum.mix)
        waited = perf_counter() - began
        sums, losses = gradient(learner, objective, drawn, recipe, share, team)
        norm = whole(nn.utils.clip_grad_norm_(parameters, recipe.clip))
        check_finite(progress.step, sums["nats"] / sums["tokens"], norm, watch.saved)
        take_step(optimizers)

        characters = int(sums["characters"])
        opened = progress.curriculum.observe(losses, progress.step)
        progress.step += 1
        progress.characters += characters
        seconds = perf_counter() - began
        window.add(sums, characters, seconds, waited, norm.item())
        (progress.seconds,) = team.total(progress.seconds + seconds if team.leads else 0.0)
        if opened or progress.step % recipe.log_every == 0:
            means = {name: sums[name] for name in sums if name not in ("nats", "tokens", "characters")}
            done = {**progress.state(), "share": progress.share(recipe)}
            kinds = sorted({part.key.kind for part in drawn})
            watch.log({**done, **window.figures(), "kinds": kinds, **means, "learning_rate": rate})
            window = Window()
        if progress.step % recipe.checkpoint_every == 0:
            watch.save()
        if recipe.evaluate_every and progress.step % recipe.evaluate_every == 0:
            watch.evaluate()
    watch.save()


def gradient(
    learner: nn.Module, objective: Objective, drawn: Sequence[Drawn], recipe: RunRecipe, share: float, team: Team
) -> tuple[dict[str, float], dict[str, float]]:
    """Leave the gradient of a whole step in the parameters; the step's sums over all processes and parts, and the loss
    of each kind of rows in nats per character.

    The loss is divided by what the whole step holds before the backward passes, so that the parts need not be equal.
    """
    own = [{**objective.counts(part), "characters": part.characters} for part in drawn]
    names = list(own[0])
    counts = dict(zip(names, team.total(*(sum(part[name] for part in own) for name in names)), strict=True))
    whole = Whole(counts, len(drawn) * team.size, share)
    passes = torch.autocast(torch.device(recipe.device).type, torch.bfloat16, enabled=recipe.precision == "bfloat16")
    figures: dict[str, Tensor] = {}
    nats: dict[str, float | Tensor] = dict.fromkeys((part.key.kind for part in drawn), 0.0)
    characters = dict.fromkeys(nats, 0)
    for number, part in enumerate(drawn, start=1):
        with unshared_gradients(learner) if number < len(drawn) else nullcontext():
            with passes:
                loss, found = learner(Drawn(part.batch.to(recipe.device), part.key, part.characters), whole)
            # A team's gradient is the mean over its processes, and ours is to be the sum.
            (loss * team.size).backward()
        figures = {name: figures.get(name, 0.0) + value.detach().double() for name, value in found.items()}
        nats[part.key.kind] = nats[part.key.kind] + found["nats"].detach().double()
        characters[part.key.kind] += part.characters
    totals = team.total(*(float(value) for value in (*figures.values(), *nats.values())), *characters.values())
    named = dict(zip(figures, totals, strict=False))
    by_kind = zip(nats, totals[len(figures) : len(figures) + len(nats)], totals[-len(nats) :], strict=True)
    return {**counts, **named}, {kind: sum_ / read for kind, sum_, read in by_kind}


def set_rate(optimizers: Sequence[torch.optim.Optimizer], recipe: RunRecipe, step: int, share: float) -> float:
    """The learning rate of a step, set in the optimizers."""
    factor = learning_rate_factor(step, share, recipe.warmup_steps, recipe.decay, recipe.decay_shape)
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * factor
    return recipe.learning_rate * factor


def check_finite(step: int, loss: float, norm: Tensor, saved: Callable[[], str]) -> None:
    """``WorkError`` where loss or gradient is no number, before anything is changed by it.

    saved: names the last good checkpoint.
    """
    if not (torch.tensor(loss).isfinite() and norm.isfinite()):
        raise WorkError(
            f"step {step}: loss {loss:g}, gradient norm {norm.item():g}; last good checkpoint: "
            f"{saved()} (go on from it with --resume and a lower learning_rate)"
        )


def take_step(optimizers: Sequence[torch.optim.Optimizer]) -> None:
    """Change the weights and forget the gradient."""
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
