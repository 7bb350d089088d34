"""What is different between a label and what was read, for people: stretches that are the same, missing or extra.

changes("$x^2$", "$x^3$")     # [Change("same", "$x^"), Change("missing", "2"), Change("extra", "3"), ...]
"""

import difflib
import re
from dataclasses import dataclass

MAX_TEXT = 3_000  # characters of either text

_PIECES = re.compile(r"\\?[A-Za-z]+|\d+(?:[.,]\d+)*|[\u3040-\u30ff\u4e00-\u9fff]|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Change:
    """A stretch of text. kind: ``same``, ``missing`` (in the gold alone) or ``extra`` (in the prediction alone)."""

    kind: str
    text: str


def changes(gold: str, predicted: str) -> list[Change]:
    """What of two texts is the same, missing and extra, by words, numbers and signs."""
    one, other = (_PIECES.findall(text[:MAX_TEXT]) for text in (gold, predicted))
    found = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(Change("same", "".join(one[a:b])))
            continue
        if b > a:
            found.append(Change("missing", "".join(one[a:b])))
        if d > c:
            found.append(Change("extra", "".join(other[c:d])))
    return found
