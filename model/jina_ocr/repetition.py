"""What keeps greedy reading from repeating itself: a ban on long repeated sequences, and a guard that ends a loop.

    banned = repeated(history, ngram=35, window=1024)     # ids that would complete a sequence seen before
    kept = LoopGuard().add(token)                         # where to cut the text if it now ends in a loop

The ban is the published model's own rule; a small model also falls into loops that are shorter than its sequences.
"""

from collections.abc import Sequence

import numpy as np

#: A loop is this many equal blocks at the end of a text of at least ``LOOP_TOKENS`` tokens: an empty table of a few
#: rows is none. ``LONGEST_BLOCK`` is the longest block, in tokens, that is looked for.
LOOP_BLOCKS = 24
LOOP_TOKENS = 96
LONGEST_BLOCK = 64


def repeated(history: Sequence[int], ngram: int, window: int) -> set[int]:
    """The ids that came after the last ``ngram - 1`` tokens earlier within the last ``window`` tokens."""
    end = len(history) - ngram + 1
    if end <= 0:
        return set()
    prefix = list(history[end:])
    starts = range(max(0, len(history) - window), end)
    # The last token of the prefix differs almost everywhere, so the rest is seldom compared.
    return {
        history[start + ngram - 1]
        for start in starts
        if history[start + ngram - 2] == prefix[-1] and list(history[start : start + ngram - 1]) == prefix
    }


class LoopGuard:
    """Watches one growing text, token by token, in a constant time per token."""

    def __init__(self) -> None:
        self._tokens: list[int] = []
        #: For each distance, how many of the last tokens equal the one that far before.
        self._equal = np.zeros(LONGEST_BLOCK + 1, dtype=np.int64)

    def add(self, token: int) -> int | None:
        """Take the next token; if the text now ends in a loop, how long it is with only the loop's first block."""
        before = np.array(self._tokens[: -LONGEST_BLOCK - 1 : -1], dtype=np.int64)
        same = np.zeros(LONGEST_BLOCK + 1, dtype=bool)
        same[1 : len(before) + 1] = before == token
        self._equal = np.where(same, self._equal + 1, 0)
        self._tokens.append(token)
        if len(self._tokens) < LOOP_TOKENS:
            return None
        blocks = np.arange(LONGEST_BLOCK + 1) * (LOOP_BLOCKS - 1)
        looping = np.flatnonzero(self._equal[1:] >= blocks[1:])
        return len(self._tokens) - int(self._equal[1 + looping[0]]) if len(looping) else None
