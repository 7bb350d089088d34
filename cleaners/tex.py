r"""LaTeX source as tokens and groups: just enough grammar to move pieces of a formula without reading what they mean.

A regular expression sees neither nested braces nor that taking ``\label{a}`` out of ``\pi\label{a}r`` must leave a
space behind. Everything else about a formula is the business of ``pages.latex``.

    >>> rewrite(r"\pi\label{a}r", {r"\label": lambda argument: ""})
    Rewritten(text='\\pi r', found=('\\label{a}',))
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from string import ascii_letters
from typing import NamedTuple

from proofpress.cleaners.rule import KEEP, Fix, Verdict

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_CONTROL_WORD = re.compile(r"\\[A-Za-z]+$")
_DEPTH = {"{": 1, "}": -1}


class Rewritten(NamedTuple):
    """A formula after a change, and the source of every piece that was changed, in order."""

    text: str
    found: tuple[str, ...]

    def after(self, earlier: "Rewritten") -> "Rewritten":
        """This change and the one that came before it, as one."""
        return Rewritten(self.text, earlier.found + self.found)


def fix(change: Rewritten, reason: str) -> Verdict:
    """The verdict of a rule that made this change; the space that a removal left at an end goes with it."""
    return Fix(glue(trim(tokens(change.text))), reason, " ".join(change.found)) if change.found else KEEP


def tokens(latex: str) -> list[str]:
    r"""Control words, control symbols, runs of space and single characters; joined they are the formula again."""
    return _TOKEN.findall(latex)


def trim(stream: list[str]) -> list[str]:
    r"""The tokens without space at either end. Unlike ``str.strip`` it leaves a control space, ``\ ``, whole."""
    start, end = 0, len(stream)
    while start < end and stream[start].isspace():
        start += 1
    while end > start and stream[end - 1].isspace():
        end -= 1
    return stream[start:end]


def glue(pieces: Iterable[str]) -> str:
    """Pieces of LaTeX put together, with a space where a control word would swallow the letters after it."""
    glued: list[str] = []
    for piece in filter(None, pieces):
        if glued and piece[0] in ascii_letters and _CONTROL_WORD.search(glued[-1]):
            glued.append(" ")
        glued.append(piece)
    return "".join(glued)


def skip_space(stream: list[str], at: int) -> int:
    """The position of the first token at or after ``at`` that is not space."""
    while at < len(stream) and stream[at].isspace():
        at += 1
    return at


def group_end(stream: list[str], at: int) -> int | None:
    """The position after the group that opens at ``at``; None where none opens there, or it never closes."""
    if at >= len(stream) or stream[at] != "{":
        return None
    depth = 0
    for end in range(at, len(stream)):
        depth += _DEPTH.get(stream[end], 0)
        if depth == 0:
            return end + 1
    return None


def argument_end(stream: list[str], at: int) -> int:
    """The position after the argument at ``at``: a group, or else one token."""
    return group_end(stream, at) or min(at + 1, len(stream))


def split(latex: str, separators: Collection[str]) -> list[str]:
    """The pieces between separators that stand outside every group."""
    pieces: list[list[str]] = [[]]
    depth = 0
    for token in tokens(latex):
        depth += _DEPTH.get(token, 0)
        if depth == 0 and token in separators:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return ["".join(piece) for piece in pieces]


def rewrite(latex: str, commands: Mapping[str, Callable[[str], str]]) -> Rewritten:
    """Replace each command that has a braced argument by what its function makes of that argument.

    Arguments are rewritten before they are handed over, so nested commands come out right. A star after the command is
    part of it; a command without a braced argument is left as it stands.
    """
    stream, pieces, found, at = tokens(latex), [], [], 0
    while at < len(stream):
        start = skip_space(stream, at + 1)
        if start < len(stream) and stream[start] == "*":
            start = skip_space(stream, start + 1)
        end = group_end(stream, start) if stream[at] in commands else None
        if end is None:
            pieces.append(stream[at])
            at += 1
            continue
        inner = rewrite("".join(stream[start + 1 : end - 1]), commands)
        pieces.append(commands[stream[at]](inner.text))
        found.append("".join(stream[at:end]))
        at = end
    return Rewritten(glue(pieces), tuple(found))


def replace(latex: str, words: Mapping[str, str]) -> Rewritten:
    """Replace each of these control words, wherever it stands, by a piece of LaTeX."""
    stream = tokens(latex)
    found = tuple(token for token in stream if token in words)
    return Rewritten(glue(words.get(token, token) for token in stream), found)
