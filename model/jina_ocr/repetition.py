"""What keeps a reading from repeating itself: a ban on long repeated sequences, and a guard that ends a loop.

    ban = RepetitionBan(prompt_ids, ngram=35, window=1024, exempt=frozenset())
    ban.add(token); ban.banned()                          # ids that would complete a sequence seen before
    kept = LoopGuard().add(token)                         # where to cut the text if it now ends in a loop

The ban is the published model's own rule; a small model also falls into loops that are shorter than its sequences.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

#: A loop is this many equal blocks at the end of a text of at least ``LOOP_TOKENS`` tokens: an empty table of a few
#: rows is none. ``LONGEST_BLOCK`` is the longest block, in tokens, that is looked for.
LOOP_BLOCKS = 24
LOOP_TOKENS = 96
LONGEST_BLOCK = 64


class RepetitionBan:
    """Which ids would make the last ``ngram`` tokens a sequence that began earlier within the last ``window`` tokens.

    Grows token by token, each in the time it takes to look up one sequence. exempt: ids that are never banned.
    """

    def __init__(self, tokens: Iterable[int], ngram: int, window: int, exempt: frozenset[int]) -> None:
        self._prefix, self._window, self._exempt = ngram - 1, window, exempt
        self._tokens: list[int] = []
        #: Where each sequence of ``ngram - 1`` tokens that has a follower begins.
        self._starts: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for token in tokens:
            self.add(token)

    def add(self, token: int) -> None:
        """Take the next token."""
        start = len(self._tokens) - self._prefix
        if start >= 0:
            self._starts[self._last()].append(start)
        self._tokens.append(token)

    def banned(self) -> set[int]:
        """The ids that may not come next."""
        starts = self._starts.get(self._last(), ())
        first = len(self._tokens) - self._window
        return {self._tokens[start + self._prefix] for start in starts if start >= first} - self._exempt

    def _last(self) -> tuple[int, ...]:
        return tuple(self._tokens[len(self._tokens) - self._prefix :])


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
