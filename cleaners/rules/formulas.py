r"""Rules for formula labels: what the source says and the page does not show goes, what KaTeX cannot draw is dropped.

Rules about Plain TeX and old LaTeX spellings are in ``plain_tex.py``.

    >>> strip_label(r"E = mc^2 \label{eq:1}")
    Fix(text='E = mc^2', reason='formula.label', evidence='\\label{eq:1}')
"""

import re

from proofpress.cleaners.rule import KEEP, Drop, Fix, Keep, Rule, Verdict
from proofpress.cleaners.rules.plain_tex import PLAIN_TEX_RULES
from proofpress.cleaners.rules.text import ARTEFACT
from proofpress.cleaners.tex import Rewritten, glue, group_end, replace, rewrite, skip_space, tokens
from proofpress.pages.latex import MAX_DEPTH, MAX_LATEX, LatexError, render_html

_OUTER_SPACE = frozenset({"\\ ", "\\,", "\\:", "\\;", "\\>", "\\!", "~", "\\quad", "\\qquad", "\\\\", "\\thinspace"})
_FULL_WIDTH = str.maketrans("，。；：！？（）［］｛｝＝＋－", ",.;:!?()[]{}=+-")
_IDEOGRAPH = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_PUNCTUATION = frozenset(".,;")


def drop_oversized(latex: str) -> Verdict:
    """Drop what the rules after this one and KaTeX would refuse to walk through."""
    depth = deepest = 0
    for token in tokens(latex):
        depth += {"{": 1, "}": -1}.get(token, 0)
        deepest = max(deepest, depth)
    if len(latex) > MAX_LATEX:
        return Drop("formula.size", f"{len(latex)} characters, more than {MAX_LATEX}")
    if deepest > MAX_DEPTH:
        return Drop("formula.size", f"braces {deepest} deep, more than {MAX_DEPTH}")
    return KEEP


def cut_comment(latex: str) -> Verdict:
    """Cut from the first ``%`` to the end of its line: TeX never sets it.

    Corpora that joined the lines of a formula have made comments of what followed, and their pictures show it: they
    end at the ``%``.
    """
    stream, kept, cut = tokens(latex), [], []
    at = 0
    while at < len(stream):
        end = at
        if stream[at] == "%":
            while end < len(stream) and "\n" not in stream[end]:
                end += 1
            cut.append("".join(stream[at:end]))
        else:
            end = at + 1
            kept.append(stream[at])
        at = end
    return Fix(glue(kept).strip(), "formula.comment", "\n".join(cut)) if cut else KEEP


def strip_label(latex: str) -> Verdict:
    r"""Remove ``\label``: it names an equation for the author and is never on the page."""
    return _verdict(rewrite(latex, {r"\label": _nothing}), "formula.label")


def strip_number(latex: str) -> Verdict:
    r"""Remove an equation's own number, ``\tag{3}`` or ``\eqno{(3)}`` or ``\eqno(3)`` to the end.

    The number is printed, but far from the formula, in the margin. A page has it as an element of its own,
    ``formula_number``, which is never in ``text``; a formula's crop is labelled by the same convention.
    """
    starred = latex.replace(r"\tag*", r"\tag") if r"\tag*" in latex else latex
    tagged = rewrite(starred, {r"\tag": _nothing})
    stream = tokens(tagged.text)
    eqno = next((at for at, token in enumerate(stream) if token in (r"\eqno", r"\leqno")), None)
    if eqno is None:
        return _verdict(tagged, "formula.number")
    number = "".join(stream[eqno:])
    return _verdict(Rewritten("".join(stream[:eqno]), (*tagged.found, number)), "formula.number")


def strip_nonumber(latex: str) -> Verdict:
    r"""Remove ``\nonumber`` and ``\notag``: they ask for nothing to be printed."""
    return _verdict(replace(latex, {r"\nonumber": "", r"\notag": ""}), "formula.nonumber")


def narrow_punctuation(latex: str) -> Verdict:
    """Write full-width punctuation and signs as the ASCII ones a formula is set with.

    Beside ideographs they are the text's own typography and stay.
    """
    narrow = latex.translate(_FULL_WIDTH)
    if narrow == latex or _IDEOGRAPH.search(latex):
        return KEEP
    return Fix(narrow, "formula.full_width", latex)


def strip_line_break(latex: str) -> Verdict:
    r"""Remove ``\\`` outside every environment and group: TeX breaks no line there in a displayed formula.

    KaTeX would. The rule goes by the page, so this is the one fix after which KaTeX reads another formula.
    """
    stream, pieces, found = tokens(latex), [], []
    depth = at = 0
    while at < len(stream):
        token = stream[at]
        depth += {"{": 1, r"\begin": 1, r"\left": 1, "}": -1, r"\end": -1, r"\right": -1}.get(token, 0)
        if token in (r"\begin", r"\end"):
            end = group_end(stream, skip_space(stream, at + 1)) or at + 1
            pieces += stream[at:end]
        elif token == r"\\" and depth == 0:
            end = _line_break_end(stream, at)
            found.append("".join(stream[at:end]))
            pieces.append(" ")
        else:
            end = at + 1
            pieces.append(token)
        at = end
    return _verdict(Rewritten("".join(pieces), tuple(found)), "formula.line_break")


def strip_outer_space(latex: str) -> Verdict:
    r"""Remove spacing at either end (``\,``, ``\quad``, ``~`` ...): nothing on a crop shows it."""
    stream = tokens(latex)
    start, end = 0, len(stream)
    while start < end and _is_space(stream[start]):
        start += 1
    while end > start and _is_space(stream[end - 1]):
        end -= 1
    before, text, after = "".join(stream[:start]), "".join(stream[start:end]), "".join(stream[end:])
    return Fix(text, "formula.outer_space", f"{before}|{after}") if (before + after).strip() else KEEP


def note_trailing_punctuation(latex: str) -> Verdict:
    """Note a formula that ends in ``.``, ``,`` or ``;``, and keep it: the mark is printed, so it is in the label.

    Whether a build wants formulas that carry their sentence's punctuation is for the build to say; this check's
    reason is what to select by.
    """
    last = next((token for token in reversed(tokens(latex)) if not _is_space(token)), "")
    return Keep("formula.trailing_punctuation", last) if last in _PUNCTUATION else KEEP


def drop_empty(latex: str) -> Verdict:
    """Drop a formula of which nothing is left."""
    return KEEP if latex.strip("{} \t\n") else Drop("formula.empty", latex)


def drop_unparseable(latex: str) -> Verdict:
    """Drop what KaTeX cannot draw; the evidence is KaTeX's own message."""
    try:
        render_html(latex, display=True)
    except LatexError as error:
        return Drop("formula.unparseable", str(error))
    return KEEP


def _nothing(argument: str) -> str:
    return ""


def _verdict(rewritten: Rewritten, reason: str) -> Verdict:
    text, found = rewritten
    return Fix(text.strip() + _lost_space(text), reason, " ".join(piece.strip() for piece in found)) if found else KEEP


def _lost_space(text: str) -> str:
    r"""The space that ``strip`` would take from a final control space, ``\ ``."""
    stream = tokens(text.rstrip() + " ")
    return " " if stream[-1] == "\\ " else ""


def _is_space(token: str) -> bool:
    return token.isspace() or token in _OUTER_SPACE


def _line_break_end(stream: list[str], at: int) -> int:
    r"""The position after ``\\``, its star and its ``[4mm]``."""
    end = at + 1
    if end < len(stream) and stream[end] == "*":
        end += 1
    if end < len(stream) and stream[end] == "[" and "]" in stream[end:]:
        end = stream.index("]", end) + 1
    return end


