"""A page in the three kinds of content that are scored apart, and the loop that a reader may end in.

Text is compared as one string in reading order, in which every formula and table leaves a mark: what stands in the
wrong place costs edits. Formulas, in lines and displayed, and tables are compared as what they are.

    >>> split("Mass $m$ is:\\n\\n$$E$$").formulas
    ('m', 'E')
"""

import re
from dataclasses import dataclass

from proofpress.pages.markdown import Block, read, runs

#: Stands in the text where a formula or a table stands on the page.
MARK = "\ufffc"

MIN_REPEATS = 4
MIN_LOOP = 24  # characters: "........" and "-----" end honest lines

_TABLE_TAG = re.compile(r"</?(?:table|thead|tbody|tr|th|td)\b[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Split:
    """A page's content by kind, each in reading order. formulas: LaTeX without delimiters. tables: markup."""

    text: str
    formulas: tuple[str, ...]
    tables: tuple[str, ...]

    @property
    def has_text(self) -> bool:
        """Whether there is any text besides the marks of formulas and tables."""
        return bool(self.text.replace(MARK, "").strip())


def split(markdown: str) -> Split:
    """The page by kind. Headings, list items and notes keep their signs in the text; code is text."""
    texts: list[str] = []
    formulas: list[str] = []
    tables: list[str] = []
    for block in read(markdown):
        if block.kind == "formula":
            formulas.append(block.text)
            texts.append(MARK)
        elif block.kind == "table":
            tables.append(block.text)
            texts.append(MARK)
        elif block.kind == "code":
            texts.append(block.text)
        else:
            found = runs(block.text)
            formulas += [run.text for run in found if run.kind == "math"]
            line = "".join(MARK if run.kind == "math" else run.text for run in found)
            texts.append(f"{_sign(block)} {line}".strip())
    return Split("\n".join(texts), tuple(formulas), tuple(tables))


def _sign(block: Block) -> str:
    return {"heading": "#" * block.level, "list_item": block.marker, "note": f"[^{block.marker}]:"}.get(block.kind, "")


def looping_tail(text: str) -> int:
    """Characters at the end of a text in which one piece comes at least ``MIN_REPEATS`` times in a row.

    Table markup is exempt: empty cells repeat in honest tables. Takes time linear in the text, by the Z-function of the
    text read backwards: where it matches itself ``period`` later over a length, the tail loops for both together.
    """
    backwards = " ".join(_TABLE_TAG.sub(" ", text).split())[::-1]
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
