"""One random stream per (build seed, stage, index, purpose): any page can be made alone, in any order.

No stream is shared between pages or between purposes on one page, so neither the number of workers, nor the order
of work, nor a new draw in one purpose changes what any other purpose draws.

    >>> Address(7, "press", 42).stream("layout").random() == Address(7, "press", 42).stream("layout").random()
    True
"""

import random
from dataclasses import dataclass
from hashlib import blake2b


@dataclass(frozen=True, slots=True)
class Address:
    """Where a page's randomness comes from; its text form is the page's ``source.id``.

    seed: the build's seed. stage: the workshop that draws, e.g. ``press``. index: the page's number in the build.
    """

    seed: int
    stage: str
    index: int

    def __str__(self) -> str:
        return f"{self.stage}/{self.seed}/{self.index}"

    @classmethod
    def parse(cls, text: str) -> "Address":
        """The address whose text form this is; ``ValueError`` if it is none."""
        stage, seed, index = text.rsplit("/", 2)
        return cls(int(seed), stage, int(index))

    def stream(self, purpose: str) -> random.Random:
        """A fresh generator for one purpose on this page, e.g. ``layout`` or ``table:3``."""
        digest = blake2b(f"{self}#{purpose}".encode(), digest_size=16).digest()
        return random.Random(int.from_bytes(digest, "big"))
