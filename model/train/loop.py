"""The training loop: forward, backward, clip, step, log, save, until the budget is used up or a stop is asked for.

The same loop trains a network of four million parameters from nothing and the public size from its checkpoint; all
that differs is in the recipe. What a run has come to is a ``Progress``, saved with every checkpoint.

    train(network, aid, optimizers, batches, recipe, progress, watch)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.train.batches import Batches
from proofpress.model.train.ctc import LineAid
from proofpress.model.train.recipe import SFTRecipe
from proofpress.model.train.schedule import Curriculum, learning_rate_factor
from proofpress.pages.errors import WorkError


@dataclass(slots=True)
class Progress:
    """How far a run is: steps taken, seconds of training on the clock, characters read, level of the curriculum."""

    curriculum: Curriculum
    step: int = 0
    seconds: float = 0.0
    characters: int = 0

    def share(self, recipe: SFTRecipe) -> float:
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

    nats: float = 0.0
    characters: int = 0
    seconds: float = 0.0
    norm: float = 0.0

    def add(self, nats: float, characters: int, seconds: float, norm: float) -> None:
        """Count one step in."""
        self.nats, self.characters = self.nats + nats, self.characters + characters
        self.seconds, self.norm = self.seconds + seconds, max(self.norm, norm)

    def figures(self) -> dict[str, float]:
        """Mean loss in nats per character, largest gradient norm before clipping, speed."""
        return {
            "loss": self.nats / max(1, self.characters),
            "gradient_norm": self.norm,
            "characters_per_second": self.characters / max(1e-9, self.seconds),
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
    network: JinaOCR,
    aid: LineAid,
    optimizers: Sequence[torch.optim.Optimizer],
    batches: Batches,
    recipe: SFTRecipe,
    progress: Progress,
    watch: Watch,
) -> None:
    """Train until the budget is used up or ``watch.stopped()``; the last step is always saved.

    Raises ``WorkError`` when the loss or the gradient is no longer a number: the weights are then still good, for the
    step is not taken, and the message names the checkpoint to go on from.
    """
    parameters = [*network.parameters(), *aid.parameters()]
    passes = torch.autocast(torch.device(recipe.device).type, torch.bfloat16, enabled=recipe.precision == "bfloat16")
    window = Window()
    network.train()
    while (share := progress.share(recipe)) < 1 and not watch.stopped():
        began = perf_counter()
        rate = recipe.learning_rate * learning_rate_factor(progress.step, share, recipe.warmup_steps, recipe.decay)
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        drawn = batches.take(progress.step, progress.curriculum.mix)
        batch = drawn.batch.to(recipe.device)
        aid_weight = recipe.ctc * max(0.0, 1 - share / recipe.ctc_until) * recipe.kinds[drawn.key.kind].one_line

        with passes:
            output = network(batch)
            label = functional.cross_entropy(output.logits.float().flatten(0, 1), batch.labels.flatten())
            line = aid(output.vision, batch.labels) if aid_weight else label.new_zeros(())
            loss = label + aid_weight * line + recipe.router_balance * output.balance
        loss.backward()
        norm = nn.utils.clip_grad_norm_(parameters, recipe.clip)
        if not (loss.isfinite() and norm.isfinite()):
            raise WorkError(
                f"step {progress.step}: loss {loss.item():g}, gradient norm {norm.item():g}; last good checkpoint: "
                f"{watch.saved()} (go on from it with --resume and a lower learning_rate)"
            )
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()

        nats = label.item() * int((batch.labels >= 0).sum())
        opened = progress.curriculum.observe(drawn.key.kind, nats / drawn.characters, progress.step)
        progress.step += 1
        progress.characters += drawn.characters
        progress.seconds += perf_counter() - began
        window.add(nats, drawn.characters, perf_counter() - began, norm.item())
        if opened or progress.step % recipe.log_every == 0:
            last = {"kind": drawn.key.kind, "ctc": line.item(), "expert_share": largest_share(output.loads)}
            watch.log({**progress.state(), **window.figures(), **last, "learning_rate": rate})
            window = Window()
        if progress.step % recipe.checkpoint_every == 0:
            watch.save()
        if recipe.evaluate_every and progress.step % recipe.evaluate_every == 0:
            watch.evaluate()
    watch.save()


def largest_share(loads: Sequence[Tensor]) -> float:
    """What the busiest expert of any layer got of the layer's assignments; 1.0 when routing has collapsed."""
    return max((float(load.max() / load.sum()) for load in loads), default=0.0)
