r"""LaTeX source as tokens and groups: just enough grammar to move pieces of a formula without reading what they mean.

A regular expression sees neither nested braces nor that taking ``\label{a}`` out of ``\pi\label{a}r`` must leave a
space behind. Everything else about a formula is the business of ``pages.latex``.

    >>> rewrite(r"\pi\label{a}r", {r"\label": lambda argument: ""})
    Rewritten(text='\\pi r', found=('\\label{a}',))
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_OPEN_WORD = re.compile(r"\\[A-Za-z]+$")


class Rewritten(NamedTuple):
    """A formula after ``rewrite``, and the source of every piece that was replaced, in order."""

    text: str
    found: tuple[str, ...]


def tokens(latex: str) -> list[str]:
    r"""The tokens of a formula: control words, control symbols, runs of space, single characters. Joined they are
    the formula again."""
    return _TOKEN.findall(latex)


def glue(pieces: Iterable[str]) -> str:
    """Pieces of LaTeX put together, with a space where a control word would swallow the letters after it."""
    text = ""
    for piece in pieces:
        if piece[:1].isalpha() and _OPEN_WORD.search(text):
            text += " "
        text += piece
    return text


def skip_space(stream: list[str], at: int) -> int:
    """The position of the first token at or after ``at`` that is not space."""
    while at < len(stream) and stream[at].isspace():
        at += 1
    return at


def group_end(stream: list[str], at: int) -> int | None:
    """The position after the group that opens at ``at``; None where no group opens there or it never closes."""
    if at >= len(stream) or stream[at] != "{":
        return None
    depth = 0
    for end in range(at, len(stream)):
        depth += {"{": 1, "}": -1}.get(stream[end], 0)
        if depth == 0:
            return end + 1
    return None


def rewrite(latex: str, commands: Mapping[str, Callable[[str], str]]) -> Rewritten:
    """Replace each command that has a braced argument by what its function makes of that argument.

    Arguments are rewritten before they are handed over, so nested commands come out right. A command without a braced
    argument is left as it stands.
    """
    stream, pieces, found, at = tokens(latex), [], [], 0
    while at < len(stream):
        start = skip_space(stream, at + 1)
        end = group_end(stream, start) if stream[at] in commands else None
        if end is None:
            pieces.append(stream[at])
            at += 1
            continue
        inner = rewrite("".join(stream[start + 1 : end - 1]), commands)
        pieces.append(commands[stream[at]](inner.text))
        found.append("".join(stream[at:end]))
        at = end
    return Rewritten(glue(pieces) if found else latex, tuple(found))


def replace(latex: str, words: Mapping[str, str]) -> Rewritten:
    """Replace each control word, wherever it stands, by a piece of LaTeX."""
    stream = tokens(latex)
    found = tuple(token for token in stream if token in words)
    return Rewritten(glue(words.get(token, token) for token in stream) if found else latex, found)
