"""Which token comes next: the likeliest, or one drawn; and what ends an answer.

    tokens, log_probabilities = GREEDY.choose(logits, draws)
    Sampling(temperature=0.7, top_p=0.95, seed=1)         # the same answer for the same seed and stream, always

A choice depends on its logits and, when drawn, on a number that only seed, stream and place decide. So whether logits
come one at a time or as a block that verifies drafts, and whatever stands beside them, the same tokens are chosen.
Nucleus sampling: Holtzman et al. 2020, arXiv 1904.09751.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from torch import Tensor

from proofpress.model.jina_ocr.repetition import LoopGuard, RepetitionBan

Finish = Literal["eos", "length", "loop"]


@dataclass(frozen=True, slots=True)
class Greedy:
    """The likeliest token; of equally likely ones the first."""

    def draws(self, stream: int, count: int) -> np.ndarray:
        """Nothing is drawn."""
        return np.zeros(count)

    def scores(self, logits: Tensor) -> Tensor:
        """Log-probabilities of the choice, (..., vocabulary)."""
        return logits.float().log_softmax(-1)

    def choose(self, scores: Tensor, draws: Tensor) -> Tensor:
        """The tokens, (T,), for scores (T, vocabulary)."""
        return scores.argmax(-1)


@dataclass(frozen=True, slots=True)
class Sampling:
    """A token drawn from the likeliest that together have the probability ``top_p``, at this temperature.

    Equal seeds and streams give equal answers. Log-probabilities are those at this temperature, before ``top_p``.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not (self.temperature > 0 and 0 < self.top_p <= 1):
            raise ValueError(f"temperature {self.temperature} must be above 0 and top_p {self.top_p} in 0..1")

    def draws(self, stream: int, count: int) -> np.ndarray:
        """The numbers of 0..1 that choose a stream's first ``count`` tokens."""
        return np.random.Generator(np.random.Philox(key=[self.seed, stream])).random(count)

    def scores(self, logits: Tensor) -> Tensor:
        """Log-probabilities at the temperature, (..., vocabulary)."""
        return (logits.float() / self.temperature).log_softmax(-1)

    def choose(self, scores: Tensor, draws: Tensor) -> Tensor:
        """The tokens, (T,), for scores (T, vocabulary) and draws (T,)."""
        # In float32 the sum over a large vocabulary is off by more than its last tokens; Apple's GPUs have no more.
        precise = scores if scores.device.type == "mps" else scores.double()
        likely, order = precise.softmax(-1).sort(dim=-1, descending=True, stable=True)
        mass = likely.cumsum(-1)
        nucleus = mass - likely < self.top_p
        drawn = draws.to(mass.dtype).to(mass.device)[:, None] * (likely * nucleus).sum(-1, keepdim=True)
        place = ((mass <= drawn) & nucleus).sum(-1, keepdim=True)
        return order.gather(-1, place.minimum(nucleus.sum(-1, keepdim=True) - 1))[:, 0]


Chooser = Greedy | Sampling

GREEDY = Greedy()


@dataclass(frozen=True, slots=True)
class Decoded:
    """One page's answer.

    chosen: the tokens, the end token included, and of each its log-probability before any ban. kept: how many of them
    are the text: not the end token, and of a loop one turn. steps: passes of the network, the prompt's included.
    seconds: the page's share of the time its passes took.
    """

    chosen: tuple[int, ...]
    log_probabilities: tuple[float, ...]
    kept: int
    steps: int
    finish: Finish
    seconds: float = field(compare=False)

    @property
    def ids(self) -> tuple[int, ...]:
        """The text's tokens."""
        return self.chosen[: self.kept]

    @property
    def log_probability(self) -> float:
        """Mean per chosen token."""
        return sum(self.log_probabilities) / len(self.log_probabilities)


class Answer:
    """An answer that grows: what may come next, and when it is over."""

    def __init__(self, ban: RepetitionBan, draws: np.ndarray, eos_id: int) -> None:
        self.ban, self.eos_id, self.draws = ban, eos_id, draws
        self.guard = LoopGuard()
        self.tokens: list[int] = []
        self.log_probabilities: list[float] = []
        self.finish: Finish | None = None
        self.kept: int | None = None
        self.steps = 0
        self.seconds = 0.0

    def take(self, token: int, log_probability: float) -> None:
        """Take the next token. The number of draws is the limit of tokens."""
        self.tokens.append(token)
        self.log_probabilities.append(log_probability)
        if token == self.eos_id:
            self.finish, self.kept = "eos", len(self.tokens) - 1
            return
        self.ban.add(token)
        self.kept = self.guard.add(token)
        if self.kept is not None:
            self.finish = "loop"
        elif len(self.tokens) == len(self.draws):
            self.finish = "length"

    def decoded(self) -> Decoded:
        """The finished answer."""
        assert self.finish is not None
        kept = len(self.tokens) if self.kept is None else self.kept
        return Decoded(tuple(self.tokens), tuple(self.log_probabilities), kept, self.steps, self.finish, self.seconds)
