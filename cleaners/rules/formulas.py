r"""Rules for formula labels: what the source says and the page does not show goes, what KaTeX cannot draw is dropped.

Rules about Plain TeX and old LaTeX spellings are in ``plain_tex.py``.

    >>> strip_label(r"E = mc^2 \label{eq:1}")
    Fix(text='E = mc^2', reason='formula.label', evidence='\\label{eq:1}')
"""

import re

from proofpress.cleaners.rule import KEEP, Drop, Fix, Keep, Rule, Verdict
from proofpress.cleaners.rules.plain_tex import PLAIN_TEX_RULES
from proofpress.cleaners.rules.text import ARTEFACT
from proofpress.cleaners.tex import Rewritten, fix, glue, group_end, replace, rewrite, skip_space, tokens
from proofpress.pages.latex import MAX_DEPTH, MAX_LATEX, LatexError, render_html

_OUTER_SPACE = frozenset({"\\ ", "\\,", "\\:", "\\;", "\\>", "\\!", "~", "\\quad", "\\qquad", "\\thinspace", "\\"})
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
    return fix(Rewritten(glue(kept), tuple(cut)), "formula.comment")


def strip_label(latex: str) -> Verdict:
    r"""Remove ``\label``: it names an equation for the author and is never on the page."""
    return fix(rewrite(latex, {r"\label": _nothing}), "formula.label")


def strip_number(latex: str) -> Verdict:
    r"""Remove an equation's own number, ``\tag{3}`` or ``\eqno{(3)}`` or ``\eqno(3)`` to the end.

    The number is printed, but far from the formula, in the margin. A page has it as an element of its own,
    ``formula_number``, which is never in ``text``; a formula's crop is labelled by the same convention.
    """
    untagged = rewrite(latex, {r"\tag": _nothing})
    stream = tokens(untagged.text)
    eqno = next((at for at, token in enumerate(stream) if token in (r"\eqno", r"\leqno")), len(stream))
    number = ("".join(stream[eqno:]),) if eqno < len(stream) else ()
    return fix(Rewritten("".join(stream[:eqno]), number).after(untagged), "formula.number")


def strip_nonumber(latex: str) -> Verdict:
    r"""Remove ``\nonumber`` and ``\notag``: they ask for nothing to be printed."""
    return fix(replace(latex, {r"\nonumber": "", r"\notag": ""}), "formula.nonumber")


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
    return fix(Rewritten("".join(pieces), tuple(found)), "formula.line_break")


def strip_outer_space(latex: str) -> Verdict:
    r"""Remove spacing at either end (``\,``, ``\quad``, ``~`` ...): nothing on a crop shows it.

    A lone backslash at the end is a control space whose space the corpus has lost.
    """
    stream = tokens(latex)
    start, end = 0, len(stream)
    while start < end and _is_space(stream[start]):
        start += 1
    while end > start and _is_space(stream[end - 1]):
        end -= 1
    before, after = "".join(stream[:start]), "".join(stream[end:])
    return Fix("".join(stream[start:end]), "formula.outer_space", f"{before!r}, {after!r}") if before + after else KEEP


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


FORMULA_RULES: tuple[Rule[str], ...] = (
    ARTEFACT,
    Rule("formula.size", "drops formulas longer or deeper than KaTeX is asked to read", "{" * 101, drop_oversized),
    Rule("formula.comment", "cuts what stands behind %, which TeX never sets", "a+b % the sum", cut_comment),
    Rule("formula.label", r"removes \label, which is never on the page", r"E = mc^2 \label{eq:1}", strip_label),
    Rule(
        "formula.number", r"removes \tag and \eqno: a number is not the formula's text", r"x = 1 \tag{3}", strip_number
    ),
    Rule("formula.nonumber", r"removes \nonumber and \notag, which print nothing", r"x = 1 \nonumber", strip_nonumber),
    Rule("formula.full_width", "writes full-width punctuation as ASCII", "a，b", narrow_punctuation),
    *PLAIN_TEX_RULES,
    Rule("formula.line_break", r"removes \\ where TeX breaks no line", r"a \\ b", strip_line_break),
    Rule("formula.outer_space", "removes spacing at either end", r"\quad a\,", strip_outer_space),
    Rule("formula.trailing_punctuation", "notes a final . , or ; and keeps it", "a = b.", note_trailing_punctuation),
    Rule("formula.empty", "drops formulas with nothing left in them", "{ }", drop_empty),
    Rule("formula.unparseable", "drops what KaTeX cannot draw, with its message", r"\frac{a}{", drop_unparseable),
)
