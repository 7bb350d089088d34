r"""Rules that spell Plain TeX and old LaTeX as KaTeX's LaTeX, without changing what is drawn.

>>> fractions(r"{a \over b}+1")
Fix(text='{\\frac{a}{b}}+1', reason='formula.over', evidence='{a \\over b}+1')
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

from proofpress.cleaners.rule import KEEP, Fix, Rule, Verdict
from proofpress.cleaners.tex import (
    argument_end,
    fix,
    glue,
    group_end,
    replace,
    rewrite,
    skip_space,
    split,
    tokens,
    trim,
)

_WORDS = {r"\sp": "^", r"\sb": "_", r"\slash": "/", r"\mit": r"\it", r"\L": r"\text{Ł}", r"\l": r"\text{ł}"}
_NO_INK_WORDS = dict.fromkeys(
    (r"\smallskip", r"\medskip", r"\bigskip", r"\hfill", r"\hfil", r"\noindent", r"\protect", r"\null", r"\strut"), ""
)
_SPACES = frozenset({r"\,", r"\:", r"\;", r"\>", r"\!", "\\ ", "~", r"\quad", r"\qquad", r"\thinspace"})
_ACCENTS = frozenset(
    rf"\{name}"
    for name in (
        "acute", "bar", "breve", "check", "ddot", "dot", "grave", "hat", "mathring", "overleftarrow", "overline",
        "overrightarrow", "tilde", "underline", "vec", "widehat", "widetilde",
    )
)  # fmt: skip
_FONTS = frozenset(
    rf"\{name}"
    for name in ("mathbb", "mathbf", "mathcal", "mathfrak", "mathit", "mathrm", "mathscr", "mathsf", "mathtt")
)
_BOLD_MATH = re.compile(r"\s*\\boldmath\s*\$([^$]*)\$\s*")
_DOT_BELOW = "\N{COMBINING DOT BELOW}"


def words(latex: str) -> Verdict:
    r"""Write Plain TeX's words for what KaTeX spells otherwise: ``\sp`` is ``^``, ``\slash`` is ``/`` ..."""
    return fix(replace(latex, _WORDS), "formula.plain_word")


def no_ink(latex: str) -> Verdict:
    r"""Remove vertical space and stretch (``\vspace{2mm}``, ``\smallskip``, ``\hfill`` ...), which leave no ink.

    KaTeX takes none of them.
    """
    spaces = rewrite(latex, {r"\vspace": lambda argument: ""})
    stretch = replace(spaces.text, _NO_INK_WORDS)
    return fix(stretch.after(spaces), "formula.no_ink")


def boxes(latex: str) -> Verdict:
    r"""Write ``\mbox{..}`` as ``\text{..}``, and the idiom ``\mbox{\boldmath$x$}`` as ``\boldsymbol{x}``.

    A ``\vbox`` of one line is that line.
    """
    return fix(rewrite(latex, {r"\mbox": _text, r"\vbox": lambda argument: argument}), "formula.box")


def matrices(latex: str) -> Verdict:
    r"""Write ``\matrix{..}``, ``\pmatrix{..}`` and ``\cases{..}`` as environments.

    The second column of Plain TeX's ``\cases`` is text, not mathematics.
    """
    environments = {r"\matrix": _environment("matrix"), r"\pmatrix": _environment("pmatrix"), r"\cases": _cases}
    return fix(rewrite(latex, environments), "formula.matrix")


def stacks(latex: str) -> Verdict:
    r"""Write ``\buildrel A \over B`` as ``\stackrel{A}{B}``: its ``\over`` is no fraction."""
    stream, pieces, at, found = tokens(latex), [], 0, []
    while at < len(stream):
        over = _over_of_buildrel(stream, at) if stream[at] == r"\buildrel" else None
        if over is None:
            pieces.append(stream[at])
            at += 1
            continue
        start = skip_space(stream, over + 1)
        end = argument_end(stream, start)
        above, below = glue(trim(stream[at + 1 : over])), glue(stream[start:end])
        pieces.append(rf"\stackrel{{{above}}}{{{below.removeprefix('{').removesuffix('}')}}}")
        found.append("".join(stream[at:end]))
        at = end
    return Fix(glue(pieces), "formula.buildrel", " ".join(found)) if found else KEEP


@dataclass(slots=True)
class _Scope:
    r"""What one ``\over`` divides: a group, an environment's cell, the inside of ``\left..\right``, or the formula."""

    done: list[str] = field(default_factory=list)  # cells before this one, and an opening delimiter
    numerator: list[str] | None = None
    current: list[str] = field(default_factory=list)

    def close(self) -> list[str]:
        """Everything in the scope, with its ``\\over`` written as a fraction."""
        if self.numerator is not None:
            above, below = glue(trim(self.numerator)), glue(trim(self.current))
            self.current = [rf"\frac{{{above}}}{{{below}}}"]
        pieces = self.done + self.current
        self.done, self.numerator, self.current = pieces, None, []
        return pieces


def fractions(latex: str) -> Verdict:
    r"""Write ``{A \over B}`` as ``{\frac{A}{B}}``, in whatever ends the reach of ``\over``. The braces stay.

    Two ``\over`` in one group are ambiguous: TeX stops, and such a formula is left for KaTeX to reject.
    """
    stream, at = tokens(latex), 0
    if r"\over" not in stream:
        return KEEP
    scopes = [_Scope()]
    while at < len(stream):
        token, end = stream[at], at + 1
        if token in ("{", r"\left", r"\begin"):
            end = _opening_end(stream, at)
            scopes.append(_Scope(done=stream[at:end]))
        elif token in ("}", r"\right", r"\end") and len(scopes) > 1:
            inner = scopes.pop().close()
            scopes[-1].current += [*inner, token]
        elif token in ("&", r"\\", r"\cr"):
            scopes[-1].close().append(token)
        elif token == r"\over":
            if scopes[-1].numerator is not None:
                return KEEP
            scopes[-1].numerator, scopes[-1].current = scopes[-1].current, []
        else:
            scopes[-1].current.append(token)
        at = end
    return Fix(glue(scopes[0].close()), "formula.over", latex) if len(scopes) == 1 else KEEP


def accents(latex: str) -> Verdict:
    r"""Put braces round a font command under an accent: TeX takes ``\bar\mathcal V``, KaTeX wants an argument.

    ``\d`` (a dot below) is no accent of KaTeX's: the letter with its dot is one character of Unicode.
    """
    stream, pieces, found, at = tokens(latex), [], [], 0
    while at < len(stream):
        start = skip_space(stream, at + 1)
        end = argument_end(stream, start)
        if stream[at] in _ACCENTS and start < len(stream) and stream[start] in _FONTS:
            end = argument_end(stream, skip_space(stream, start + 1))
            pieces += [stream[at], "{", *stream[start:end], "}"]
        elif stream[at] == r"\d" and (dotted := _dotted("".join(stream[start:end]))):
            pieces.append(rf"\text{{{dotted}}}")
        else:
            pieces.append(stream[at])
            at += 1
            continue
        found.append("".join(stream[at:end]))
        at = end
    return Fix(glue(pieces), "formula.accent", " ".join(found)) if found else KEEP


def bare_scripts(latex: str) -> Verdict:
    r"""Put ``{}`` under a script that follows only space (``\,^{*}d``): TeX hangs it on nothing, KaTeX cannot."""
    stream, pieces, found = tokens(latex), [], []
    before = ""
    for token in stream:
        if token in "^_'" and before in _SPACES:
            pieces.append("{}")
            found.append(before + token)
        pieces.append(token)
        before = before if token.isspace() else token
    return Fix(glue(pieces), "formula.bare_script", " ".join(found)) if found else KEEP


def _text(argument: str) -> str:
    bold = _BOLD_MATH.fullmatch(argument)
    return rf"\boldsymbol{{{bold[1].strip()}}}" if bold else rf"\text{{{argument}}}"


def _environment(name: str) -> Callable[[str], str]:
    return lambda argument: rf"\begin{{{name}}}{argument.strip()}\end{{{name}}}"


def _cases(argument: str) -> str:
    rows: list[str] = []
    for row in split(argument, (r"\cr", r"\\")):
        value, *conditions = split(row, ("&",))
        texts = [rf"\text{{{condition.strip()}}}" for condition in conditions if condition.strip()]
        rows.append(" & ".join([value.strip(), *texts]))
    body = r" \\ ".join(filter(None, rows))
    return rf"\begin{{cases}}{body}\end{{cases}}"


def _over_of_buildrel(stream: list[str], at: int) -> int | None:
    depth = 0
    for position in range(at + 1, len(stream)):
        depth += {"{": 1, "}": -1}.get(stream[position], 0)
        if depth < 0:
            return None
        if depth == 0 and stream[position] == r"\over":
            return position
    return None


def _opening_end(stream: list[str], at: int) -> int:
    r"""The position after ``{``, after ``\left`` and its delimiter, or after ``\begin{..}`` and its column letters."""
    if stream[at] == "{":
        return at + 1
    start = skip_space(stream, at + 1)
    if stream[at] == r"\left":
        return min(start + 1, len(stream))
    end = group_end(stream, start) or at + 1
    if "array" in "".join(stream[start:end]):
        end = group_end(stream, skip_space(stream, end)) or end
    return end


def _dotted(argument: str) -> str:
    letter = unicodedata.normalize("NFC", argument.strip("{} ") + _DOT_BELOW)
    return letter if len(letter) == 1 else ""


PLAIN_TEX_RULES: tuple[Rule[str], ...] = (
    Rule("formula.plain_word", r"writes \sp, \sb, \slash, \mit, \L, \l as KaTeX's LaTeX does", r"a\sp{2}", words),
    Rule("formula.no_ink", r"removes vertical space and stretch, which leave no ink", r"a\vspace{2mm}", no_ink),
    Rule("formula.box", r"writes \mbox as \text", r"\mbox{for }x", boxes),
    Rule("formula.matrix", r"writes \matrix, \pmatrix, \cases as environments", r"\pmatrix{a & b \cr}", matrices),
    Rule("formula.buildrel", r"writes \buildrel..\over as \stackrel", r"a \buildrel ? \over = b", stacks),
    Rule("formula.over", r"writes \over as \frac", r"{a \over b}", fractions),
    Rule("formula.accent", r"puts braces round a font under an accent", r"\bar\mathcal{V}", accents),
    Rule("formula.bare_script", r"hangs a script after space on {}", r"\,^{*}d", bare_scripts),
)
