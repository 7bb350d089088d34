r"""Rules for a line or a paragraph: other writings of text in the dialect, which has inline formulas and no emphasis.

>>> strip_emphasis("It is **not** *so*.")
Fix(text='It is not so.', reason='text.emphasis', evidence='**not**, *so*')
"""

import re
from collections.abc import Callable
from html import unescape

from proofpress.cleaners.rule import KEEP, Drop, Fix, Keep, Rule, Verdict
from proofpress.cleaners.rules.formulas import FORMULA_RULES
from proofpress.cleaners.tex import rewrite
from proofpress.pages.markdown import Run, inline, runs

# What stands between holds no bracket of its own kind: so each character is looked at once, however many are opened.
_BRACKETS = re.compile(r"(?<!\\)\\\(((?:[^\\]|\\[^()])+)\\\)|(?<!\\)\\\[((?:[^\\]|\\[^\[\]])+)\\\]")
_EMPHASIS = re.compile(
    r"""(?<![\w*\\])(\*{1,3})(?=[^\s*])([^*\n]+?)(?<=[^\s*\\])\1(?![\w*])
      | (?<![\w_\\])(_{1,3})(?=[^\s_])([^_\n]+?)(?<=[^\s_\\])\3(?![\w_])
      | (?<!~)(~~)(?=\S)([^~\n]+?)(?<=\S)~~(?!~)""",
    re.VERBOSE,
)
_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_LINK = re.compile(r"(?<!!)\[([^\[\]]+)\]\((?:https?://|mailto:|#|/)[^()\s]*\)")
_HIDDEN = re.compile(r"<(script|style)\b[^>]*>.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SCRIPT = re.compile(r"<(su[bp])>([^<>$]{1,80})</\1>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|big|center|cite|code|div|em|font|i|img|mark|p|q|s|small|span|strong|sub|sup|tt|u)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|nbsp|apos|#[0-9]{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)
_STYLED = {
    rf"\{name}": str
    for name in ("textbf", "textit", "textrm", "textsf", "texttt", "textsc", "emph", "underline", "mbox", "text")
}
_COMMAND = re.compile(
    r"\\(?:begin|end|section|subsection|item|documentclass|usepackage|includegraphics|caption|label|ref|cite|footnote"
    r"|hline|multicolumn|multirow|centering|vspace|hspace|noindent|newpage)\b"
)
_UNICODE_MATH = re.compile("[∀∃∂∅∆∇∈∉∋∏∑√∝∞∠∧∨∩∪∫∬∮∴∵∼≅≈≠≡≤≥⊂⊃⊆⊇⊕⊗⊥⋅]")


def dollars(text: str) -> Verdict:
    r"""Write ``\(x\)`` as ``$x$`` and ``\[x\]`` as ``$$x$$``: the dialect's marks of a formula."""
    found = [match.group() for match in _BRACKETS.finditer(text)]
    if not found:
        return KEEP
    return Fix(_BRACKETS.sub(_in_dollars, text), "text.math_brackets", text)


def remove_pictures(text: str) -> Verdict:
    """Remove ``![..](..)``: a picture is no text."""
    found = _PICTURE.findall(text)
    return Fix(_PICTURE.sub("", text).strip(), "text.picture", ", ".join(found)) if found else KEEP


def unlink(text: str) -> Verdict:
    """Write ``[text](address)`` as its text: the address is not on the page."""
    found = [match.group() for match in _LINK.finditer(text)]
    return Fix(_LINK.sub(r"\1", text), "text.link", ", ".join(found)) if found else KEEP


def strip_emphasis(text: str) -> Verdict:
    """Remove Markdown's bold, italic and struck marks: the dialect has no emphasis."""
    return _outside_math(text, "text.emphasis", _EMPHASIS, _without_marks)


def strip_html(text: str) -> Verdict:
    """Remove tags and write entities as characters; a raised or lowered word is mathematics; nothing is executed."""
    if "<" not in text and "&" not in text:
        return KEEP
    found: list[str] = []

    def noted(replacement: Callable[[re.Match[str]], str]) -> Callable[[re.Match[str]], str]:
        def replaced(match: re.Match[str]) -> str:
            found.append(match.group()[:80])
            return replacement(match)

        return replaced

    text_now = _HIDDEN.sub(noted(lambda match: ""), text)
    text_now = _BREAK.sub(noted(lambda match: "\n"), text_now)
    text_now = _SCRIPT.sub(noted(_script), text_now)
    text_now = _TAG.sub(noted(lambda match: ""), text_now)
    text_now = _ENTITY.sub(noted(lambda match: unescape(match.group()).replace("\u00a0", " ")), text_now)
    return Fix(text_now.strip(), "text.html", f"{', '.join(found)} in {text!r}") if found else KEEP


def strip_latex_style(text: str) -> Verdict:
    r"""Remove LaTeX's styles outside formulas (``\textbf{x}``); drop what only a LaTeX document understands."""
    if "\\" not in text:
        return KEEP
    pieces: list[Run] = []
    found: list[str] = []
    for run in runs(text):
        if run.kind == "text" and "\\" in run.text:
            change = rewrite(run.text, _STYLED)
            if command := _COMMAND.search(change.text):
                return Drop("text.latex_command", command.group())
            found += change.found
            run = Run("text", change.text)
        pieces.append(run)
    return Fix(inline(pieces), "text.latex_style", f"{', '.join(found)} in {text!r}") if found else KEEP


def judge_formulas(text: str) -> Verdict:
    """Judge every inline formula by the rules for formulas; drop the text where one cannot be drawn."""
    if "$" not in text:
        return KEEP
    pieces: list[Run] = []
    found: list[str] = []
    for run in runs(text):
        if run.kind == "math":
            latex = run.text
            for rule in FORMULA_RULES:
                verdict = rule.judge(latex)
                if isinstance(verdict, Drop):
                    return Drop(verdict.reason, f"${run.text}$: {verdict.evidence}")
                if isinstance(verdict, Fix):
                    found.append(f"{verdict.reason}: ${run.text}$")
                    latex = verdict.text
            run = Run("math", latex)
        pieces.append(run)
    if not found:
        return KEEP
    try:
        return Fix(inline(pieces), "text.formula", "; ".join(found))
    except ValueError as error:
        return Drop("text.formula", str(error))


def note_unicode_math(text: str) -> Verdict:
    """Note mathematical signs outside formulas, and keep them: they are printed so; a build may want LaTeX only."""
    signs = "".join(
        sorted({sign for run in runs(text) if run.kind == "text" for sign in _UNICODE_MATH.findall(run.text)})
    )
    return Keep("text.unicode_math", signs) if signs else KEEP


def _outside_math(
    text: str, reason: str, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]
) -> Verdict:
    """The fix that replaces a pattern wherever it does not stand in a formula."""
    parts = runs(text)
    found = [match.group() for run in parts if run.kind == "text" for match in pattern.finditer(run.text)]
    if not found:
        return KEEP
    changed = [Run("text", pattern.sub(replacement, run.text)) if run.kind == "text" else run for run in parts]
    return Fix(inline(changed), reason, ", ".join(found))


def _in_dollars(match: re.Match[str]) -> str:
    return f"${match[1].strip()}$" if match[1] else f"$${match[2].strip()}$$"


def _without_marks(match: re.Match[str]) -> str:
    return match[2] or match[4] or match[6]


def _script(match: re.Match[str]) -> str:
    return f"${'^' if match[1].lower() == 'sup' else '_'}{{{match[2].strip()}}}$"


INLINE_RULES: tuple[Rule[str], ...] = (
    Rule("text.math_brackets", r"writes \( \) and \[ \] as dollars", r"so \(x^2\) is", dollars),
    Rule("text.picture", "removes pictures", "see ![a map](map.png)", remove_pictures),
    Rule("text.link", "writes a link as its text", "see [the map](https://example.org)", unlink),
    Rule("text.html", "removes tags, writes entities as characters", "H<sub>2</sub>O &amp; <b>CO</b>", strip_html),
    Rule("text.emphasis", "removes bold, italic and struck marks", "It is **not** *so*.", strip_emphasis),
    Rule(
        "text.latex_style",
        "removes LaTeX's styles outside formulas; drops text with document commands",
        r"a \textbf{bold} word",
        strip_latex_style,
    ),
    Rule("text.formula", "judges every inline formula by the formula rules", r"as $x \label{a}$ is", judge_formulas),
    Rule("text.unicode_math", "notes mathematical signs outside formulas", "for all x ≤ 3", note_unicode_math),
)
