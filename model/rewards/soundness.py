r"""What is wrong with a prediction whatever it says: loops, repeated blocks, padding, markup left open, runaway length.

Each part is 1 for a sound text and for an empty one, so that it can discount a reward and never add to it. All are
relative to the gold: what it has itself is no fault, and a block that stands twice because two blocks of the gold were
misread as one is a misreading, which its own term pays for, and no repetition.

    >>> check(Content("<table><tr><td>1</td></tr>"), Content("<table><tr><td>1</td></tr></table>"))["closed"]
    0.5
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rapidfuzz.distance import Levenshtein

from proofpress.model.rewards.structure import MATCH
from proofpress.pages.text import INVISIBLE

MIN_REPEATS = 4
MIN_LOOP = 24  # characters: "........" and "-----" end honest lines
MIN_BLOCK = 12  # characters of a repeated block that is no "-" or "Total"
MAX_PAIRS = 100_000  # of repeated and unread blocks to be compared; of more, none is taken for a misreading

#: A prediction may be so many times as long as the gold and longer by so much: formulas have long and short spellings.
LENGTH = 2
LENGTH_MORE = 200

_TABLE_TAG = re.compile(r"<(/?)(table|thead|tbody|tfoot|tr|th|td)\b[^<>]*>?", re.IGNORECASE)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LATEX_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*(%[^\n]*)")
_INVISIBLE = re.compile(f"[{''.join(sorted(INVISIBLE))}]")
_FENCE = re.compile(r"^\s*```", re.MULTILINE)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([A-Za-z*]+)\}")
_ESCAPED = re.compile(r"\\.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Content:
    """A text with what has been read in it. blocks: their texts without markup. formulas: LaTeX without delimiters."""

    text: str
    blocks: Sequence[str] = ()
    formulas: Sequence[str] = ()


def check(prediction: Content, gold: Content) -> dict[str, float]:
    """The parts, each in 0..1.

    - ``repetition``: 1 less the share that is a looping tail or are blocks that stood before, whichever is more;
    - ``noise``: 1 less the share of comments and invisible characters;
    - ``length``: how many times the allowed length goes into the prediction's, at most 1;
    - ``closed``: 1 / (1 + kinds of markup that are left open: each tag, fences, ``$$``, environments, braces).
    """
    size = max(len(prediction.text), 1)
    loop = looping_tail(prediction.text)
    looped = loop - looping_tail(gold.text) if loop else 0
    repeated = max(0, looped, _repeated(prediction.blocks) - _repeated(gold.blocks) - _misread(prediction, gold))
    noise = max(0, _noise(prediction) - _noise(gold))
    left_open = _left_open(prediction) - _left_open(gold)
    return {
        "repetition": max(0.0, 1 - repeated / size),
        "noise": 1 - noise / size,
        "length": min(1.0, (LENGTH * len(gold.text) + LENGTH_MORE) / size),
        "closed": 1 / (1 + len(left_open)),
    }


def looping_tail(text: str) -> int:
    """Characters at the end of a text in which one piece comes at least ``MIN_REPEATS`` times in a row.

    Table markup is exempt: empty cells repeat in honest tables. Takes time linear in the text, by the Z-function of the
    text read backwards: where it matches itself ``period`` later over a length, the tail loops for both together.
    """
    backwards = " ".join(_TABLE_TAG.sub(" ", text).split())[::-1]
    end = backwards[: MIN_LOOP * (MIN_REPEATS - 1) // MIN_REPEATS]  # what stands once more before the end of any loop
    if backwards.find(end, 1) < 0:
        return 0
    longest = 0
    for period, length in enumerate(_matches_of_start(backwards)):
        if period and length + period >= max(MIN_REPEATS * period, MIN_LOOP):
            longest = max(longest, length + period)
    return longest


def _matches_of_start(text: str) -> list[int]:
    """For each place in the text, how many characters from there on are as at the start (the Z-function)."""
    lengths = [0] * len(text)
    left = right = 0
    for i in range(1, len(text)):
        length = min(right - i, lengths[i - left]) if i < right else 0
        while i + length < len(text) and text[length] == text[i + length]:
            length += 1
        if i + length > right:
            left, right = i, i + length
        lengths[i] = length
    return lengths


def _repeated(blocks: Sequence[str]) -> int:
    """Characters of blocks that stood before."""
    return sum(len(block) * (count - 1) for block, count in Counter(blocks).items() if len(block) >= MIN_BLOCK)


def _misread(prediction: Content, gold: Content) -> int:
    """Characters of blocks that stood before but are misreadings: each of a gold block that no prediction has and
    that ``structure`` would take for the same. Blocks that stand ``MIN_REPEATS`` times in a row are a loop."""
    counts, expected = Counter(prediction.blocks), Counter(gold.blocks)
    again = [block for block, count in counts.items() if count > 1 and len(block) >= MIN_BLOCK]
    if not again:
        return 0
    loops = {block for block, run in groupby(prediction.blocks) if sum(1 for _ in run) >= MIN_REPEATS}
    unread = list((expected - counts).elements())
    if len(again) * len(unread) > MAX_PAIRS:
        return 0
    characters = 0
    for block in again:
        if block in loops:
            continue
        alike = [other for other in unread if Levenshtein.normalized_similarity(block, other) >= MATCH]
        first = 0 if expected[block] else 1  # the first copy is then a misreading too
        copies = counts[block] - max(1, expected[block])
        for other in alike[: first + copies]:
            unread.remove(other)
        characters += len(block) * max(0, min(copies, len(alike) - first))
    return characters


def _noise(content: Content) -> int:
    comments = sum(len(comment) for comment in _HTML_COMMENT.findall(content.text))
    comments += sum(len(comment) for latex in content.formulas for comment in _LATEX_COMMENT.findall(latex))
    return comments + len(_INVISIBLE.findall(content.text))


def _left_open(content: Content) -> set[str]:
    """The kinds of markup that do not end as often as they begin."""
    balance: Counter[str] = Counter()
    for end, name in _TABLE_TAG.findall(content.text):
        balance[f"<{name.lower()}>"] += -1 if end else 1
    for command, name in _ENVIRONMENT.findall(content.text):
        balance[name] += 1 if command == "begin" else -1
    balance["```"] = len(_FENCE.findall(content.text)) % 2
    balance["$$"] = content.text.count("$$") % 2
    bare = [_ESCAPED.sub("", latex) for latex in content.formulas]
    balance["{}"] = sum(latex.count("{") - latex.count("}") for latex in bare)
    return {kind for kind, count in balance.items() if count}
