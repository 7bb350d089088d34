r"""Rules for formula labels: what the source says and the page does not show goes, what KaTeX cannot draw is dropped.

Rules about Plain TeX and old LaTeX spellings are in ``plain_tex.py``.

    >>> strip_label(r"E = mc^2 \label{eq:1}")
    Fix(text='E = mc^2', reason='formula.label', evidence='\\label{eq:1}')
"""

import re
from dataclasses import replace as changed
from functools import partial

from proofpress.cleaners.rule import KEEP, Drop, Fix, Keep, Rule, Verdict
from proofpress.cleaners.rules.plain_tex import PLAIN_TEX_RULES
from proofpress.cleaners.rules.text import ANY_TEXT
from proofpress.cleaners.tex import Rewritten, fix, glue, group_end, replace, rewrite, skip_space, tokens, trim
from proofpress.pages.latex import MAX_DEPTH, MAX_LATEX, LatexError, normal_form, render_html

_OUTER_SPACE = frozenset({"\\ ", "\\,", "\\:", "\\;", "\\>", "\\!", "~", "\\quad", "\\qquad", "\\thinspace", "\\"})
_FULL_WIDTH = str.maketrans("，。；：！？（）［］｛｝＝＋－", ",.;:!?()[]{}=+-")
_IDEOGRAPH = re.compile(r"[぀-ヿ㐀-鿿가-힯]")
_PUNCTUATION = frozenset(".,;")
_DELIMITED = re.compile(
    r"\s*(?:\$\$(?P<double>[^$]+)\$\$|\$(?P<single>(?:[^$\\]|\\.)+)\$|\\\[(?P<square>.+)\\\]|\\\((?P<round>.+)\\\)"
    r"|\\begin\{(?P<name>equation|displaymath|math)(?P<star>\*?)\}(?P<inner>.*)\\end\{(?P=name)(?P=star)\})\s*",
    re.DOTALL,
)
_UPRIGHT = (r"\mathrm", r"\text", r"\textrm", r"\mbox", r"\operatorname", r"\rm", r"\hbox")
_LETTERS_APART = re.compile(r"\s*[A-Za-z](?:\s+[A-Za-z])+\s*")
_PAIRS = {"{": "}", r"\left": r"\right"}


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


def strip_delimiters(latex: str) -> Verdict:
    r"""Take a formula out of its ``$..$``, ``\[..\]`` or ``equation``: they say where it stands, not what it is."""
    found = _DELIMITED.fullmatch(latex)
    if not found:
        return KEEP
    inner = next(found[name] for name in ("double", "single", "square", "round", "inner") if found[name] is not None)
    if r"\[" in inner or r"\(" in inner:
        return KEEP
    return Fix(glue(trim(tokens(inner))), "formula.delimiters", latex)


def join_letters(latex: str) -> Verdict:
    r"""Join the letters of an upright word that a tokeniser has parted: ``\mathrm { m m }`` is ``\mathrm{mm}``.

    Within ``\text`` and ``\mbox`` the spaces would be printed, and no page has them: the Harvard normaliser of
    im2latex writes ``3 m m`` for ``3mm`` (https://github.com/luopeixiang/im2latex/issues/2).
    """
    found: list[str] = []

    def joined(command: str, argument: str) -> str:
        if not _LETTERS_APART.fullmatch(argument):
            return rf"{command}{{{argument}}}"
        found.append(rf"{command}{{{argument}}}")
        return rf"{command}{{{''.join(argument.split())}}}"

    change = rewrite(latex, {command: partial(joined, command) for command in _UPRIGHT})
    return Fix(change.text, "formula.letters", " ".join(found)) if found else KEEP


def drop_unbalanced(latex: str) -> Verdict:
    r"""Drop what opens a brace, an environment or a ``\left`` and does not close it, or closes what is not open."""
    open_marks: list[str] = []
    stream = tokens(latex)
    for at, token in enumerate(stream):
        if token in _PAIRS:
            open_marks.append(_PAIRS[token])
        elif token in (r"\begin", r"\end"):
            start = skip_space(stream, at + 1)
            end = group_end(stream, start)
            name = "".join(stream[start + 1 : end - 1]).strip() if end else ""
            if token == r"\begin":
                open_marks.append(name)
            elif not open_marks or open_marks.pop() != name:
                return Drop("formula.unbalanced", rf"\end{{{name}}} ends nothing")
        elif token in ("}", r"\right") and (not open_marks or open_marks.pop() != token):
            return Drop("formula.unbalanced", f"{token} closes nothing")
    return Drop("formula.unbalanced", f"{open_marks[-1]} is missing") if open_marks else KEEP


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
    return KEEP if latex.strip("{} \t\n") else Drop("formula.empty", repr(latex))


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


def draw_alike(before: str, after: str) -> bool:
    """Whether KaTeX draws one picture of both, by its HTML or, where only spacing differs, by its tree.

    What KaTeX cannot draw is like anything: such a fix is what makes it readable.
    """
    try:
        return render_html(before, display=True) == render_html(after, display=True) or (
            normal_form(before) == normal_form(after)
        )
    except LatexError:
        return True


def _compared(rule: Rule[str]) -> Rule[str]:
    """The rule, whose fixes are taken back where KaTeX draws another formula after them."""

    def judge(latex: str) -> Verdict:
        verdict = rule.judge(latex)
        if isinstance(verdict, Fix) and not draw_alike(latex, verdict.text):
            return Keep("formula.redrawn", f"{verdict.reason} would make it {verdict.text}")
        return verdict

    return changed(rule, judge=judge)


# Rules that go by the page where KaTeX and TeX differ: a number, a line break, a comma's width, the spaces in a unit.
_BY_THE_PAGE = frozenset({"formula.number", "formula.line_break", "formula.full_width", "formula.letters"})

FORMULA_RULES: tuple[Rule[str], ...] = tuple(
    rule if rule.name in _BY_THE_PAGE else _compared(rule)
    for rule in (
        *ANY_TEXT,
        Rule("formula.size", "drops formulas longer or deeper than KaTeX is asked to read", "{" * 101, drop_oversized),
        Rule("formula.comment", "cuts what stands behind %, which TeX never sets", "a+b % the sum", cut_comment),
        Rule("formula.delimiters", r"takes a formula out of $ $, \[ \], equation", r"$$a+b$$", strip_delimiters),
        Rule("formula.label", r"removes \label, which is never on the page", r"E = mc^2 \label{eq:1}", strip_label),
        Rule("formula.number", r"removes \tag and \eqno: no part of the formula", r"x = 1 \tag{3}", strip_number),
        Rule("formula.nonumber", r"removes \nonumber and \notag", r"x = 1 \nonumber", strip_nonumber),
        Rule("formula.full_width", "writes full-width punctuation as ASCII", "a，b", narrow_punctuation),
        *PLAIN_TEX_RULES,
        Rule("formula.letters", "joins the letters of an upright word", r"3 \mathrm{ m m }", join_letters),
        Rule("formula.line_break", r"removes \\ where TeX breaks no line", r"a \\ b", strip_line_break),
        Rule("formula.outer_space", "removes spacing at either end", r"\quad a\,", strip_outer_space),
        Rule(
            "formula.trailing_punctuation", "notes a final . , or ; and keeps it", "a = b.", note_trailing_punctuation
        ),
        Rule("formula.empty", "drops formulas with nothing left in them", "{ }", drop_empty),
        Rule("formula.unbalanced", "drops what does not close", r"\frac{a}{", drop_unbalanced),
        Rule("formula.unparseable", "drops what KaTeX cannot draw, with its message", r"\intf x", drop_unparseable),
    )
)
