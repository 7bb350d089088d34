"""FastMTP's drafts (arXiv 2509.18362): the multi-token head guesses the next tokens for all rows of a batch.

The entry of the draft cache at a position joins the network's state there with the token after it. What the head adds
from its own states while it guesses is only good for that guess: after each pass of the network the entries of the
tokens that stayed are written again from the network's states. Without that the guesses soon are worth nothing.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from proofpress.model.jina_ocr.graphs import GRAPH_STEP, Graphed, Pass
from proofpress.model.jina_ocr.network import JinaOCR


class Drafter:
    """The draft cache of a batch and what its next guess starts from.

    hidden: (rows, N, width), the network's states of its last pass. committed: of each row, the tokens that stayed of
    that pass, at most N; the first follows the first state. A row without any guesses nonsense.
    """

    def __init__(self, network: JinaOCR, rows: int, capacity: int, drafts: int, graphs: bool = False) -> None:
        self.network, self.drafts = network, drafts
        self.cache = network.cache(rows, capacity, layers=1)
        self.run: Pass = self._guess
        if graphs:
            self.cache.step, self.run = GRAPH_STEP, Graphed(self._guess, self.cache)
        self.hidden = network.model.image_newline.new_zeros(rows, drafts + 1, network.config.decoder.width)
        self.committed: list[list[int]] = [[] for _ in range(rows)]

    def prime(self, row: int, embedded: Tensor, hidden: Tensor) -> None:
        """Read a prompt, (1, P, width) embedded and understood, but for its last position."""
        self.network.draft(embedded[:, 1:], hidden[:, :-1], self.cache.row(row))

    def draft(self, lengths: Sequence[int]) -> list[list[int]]:
        """Guess the tokens after the last committed ones. lengths: of each row, the positions the network has read."""
        embed = self.network.model.embed_tokens
        counts = [max(len(tokens), 1) for tokens in self.committed]
        width = max(counts)
        pad = self.network.config.pad_id
        known = [[*tokens, *[pad] * (width - len(tokens))] for tokens in self.committed]
        tokens = torch.tensor(known, device=embed.weight.device)
        before = [max(length - count, 0) for length, count in zip(lengths, counts, strict=True)]
        # One extent for all guesses: it hides the places that none of them has reached yet.
        self.cache.set_lengths(before, room=width + self.drafts - 1)
        ends = torch.tensor(counts, device=embed.weight.device)
        state, guess = self.run(tokens, self.hidden[:, :width], ends)
        guesses = [guess.clone()]
        for _ in range(1, self.drafts):
            self.cache.lengths += ends
            ends = torch.ones_like(ends)
            state, guess = self.run(guess, state, ends)
            guesses.append(guess.clone())
        return torch.cat(guesses, 1).tolist()

    def _guess(self, tokens: Tensor, hidden: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
        """One pass of the head over (rows, N): each row's state at its last entry and the likeliest token."""
        state = self.network.draft(self.network.model.embed_tokens(tokens), hidden, self.cache)  # (rows, N, width)
        if state.shape[1] > 1:
            state = state.take_along_dim((counts - 1)[:, None, None], 1)
        return state, self.network.logits(state).argmax(-1)
