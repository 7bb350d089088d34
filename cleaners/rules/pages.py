r"""Rules for a whole page's Markdown: whether it can be a page's text at all; then other Markdown made the dialect.

>>> drop_loop("He said " + "and so on " * 30)
Drop(reason='page.loop', evidence="'and so on' ×30 at the end")
"""

import re

from proofpress.cleaners.rule import KEEP, Drop, Fix, Keep, Rule, Verdict
from proofpress.cleaners.tabular import TabularError, tabulars, to_html_table, without_wrappers
from proofpress.pages.table import TableError
from proofpress.pages.table_html import to_html
from proofpress.pages.table_markdown import from_markdown

LOOP_REPEATS = 6  # of a stretch of words at the end, before it is a loop
LOOP_CHARACTERS = 40  # in all: six rows of dashes are a rule
LOOP_WORDS = 12  # the longest stretch
#: Where readers that write labels stop (3,000 tokens of about four characters).
TOKEN_CAP = 11_500

_REFUSAL = re.compile(
    r"(?:I['’]?m sorry\b|I am sorry\b|I apologi[sz]e\b|Sorry, (?:but )?I\b|As an AI\b"
    r"|I (?:cannot|can['’]t|am unable to|'m unable to) (?:assist|help|read|transcribe|extract|process|provide)"
    r"|Unfortunately, I (?:cannot|can['’]t))",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"(?:(?:Sure[,!.]|Certainly[,!.]|Of course[,!.])\s*)?Here(?:['’]s| is| are) (?:the|a|your) (?:\w+ ){0,3}"
    r"(?:transcri\w+|text|markdown|content|extraction|ocr)\b|(?:Sure|Certainly)[,!] (?:here|I)\b",
    re.IGNORECASE,
)
_FENCED = re.compile(r"\s*```(?:markdown|md|text|latex)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
_FENCE_LINE = re.compile(r"^\s{0,3}```", re.MULTILINE)
_CODE = re.compile(r"^[ \t]{0,3}(`{3,20}).*?^[ \t]{0,3}\1", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"<(/?)table\b", re.IGNORECASE)
_HTML_TABLE = re.compile(r"<table\b.*?(?:</table>|\Z)", re.DOTALL | re.IGNORECASE)
_DISPLAY = re.compile(r"(?<!\\)\$\$")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{(\w+\*?)\}")
_PIPE_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*$")
_DISPLAY_BRACKETS = re.compile(r"(?<!\\)\\\[((?:[^\\]|\\[^\[\]])+)\\\]")
_SECTION = re.compile(r"^\\((?:sub){0,2})section\*?\{([^{}\n]*)\}[ \t]*$", re.MULTILINE)
_BULLET = re.compile(r"^([ \t]*)(?:[*+•●▪◦‣]|-)[ \t]+(?=\S)", re.MULTILINE)
_SETEXT = re.compile(r"^([^\n|#>$<-][^\n]*)\n(=+|-{3,})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$\n?", re.MULTILINE)
_PAGE_NUMBER = re.compile(r"(?:page\s+)?[-–—]?\s*\d{1,4}\s*[-–—]?|page\s+\d{1,4}\s+of\s+\d{1,4}", re.IGNORECASE)


def drop_refusal(text: str) -> Verdict:
    """Drop what an assistant said about the page instead of reading it."""
    said = text.lstrip()
    found = _REFUSAL.match(said) or _PREAMBLE.match(said)
    return Drop("page.refusal", found.group().strip()) if found else KEEP


def drop_loop(text: str) -> Verdict:
    """Drop a text that ends in one stretch of words again and again: a reader that did not find the end.

    Tables are left out of it: their empty cells and equal figures repeat by right.
    """
    words = _HTML_TABLE.sub(" | ", text).split()
    for size in range(1, LOOP_WORDS + 1):
        unit = words[-size:]
        repeats, at = 0, len(words)
        while at >= size and words[at - size : at] == unit:
            repeats, at = repeats + 1, at - size
        printed = " ".join(unit)
        if repeats >= LOOP_REPEATS and repeats * len(printed) >= LOOP_CHARACTERS and re.search(r"\w", printed):
            return Drop("page.loop", f"{printed!r} ×{repeats} at the end")
    return KEEP


def drop_truncated(text: str) -> Verdict:
    """Drop a text that ends within a table, a formula, an environment or code; note one that stops at a cap."""
    bare = _CODE.sub("", text)
    if _FENCE_LINE.search(bare):
        return Drop("page.truncated", "code that is not closed")
    depth = sum(-1 if tag[1] else 1 for tag in _TABLE.finditer(bare))
    if depth > 0:
        return Drop("page.truncated", f"{depth} of the tables not closed")
    if len(_DISPLAY.findall(bare)) % 2:
        return Drop("page.truncated", "a displayed formula that is not closed")
    open_environments = [name for kind, name in _ENVIRONMENT.findall(bare) if kind == "begin"]
    for kind, name in _ENVIRONMENT.findall(bare):
        if kind == "end" and name in open_environments:
            open_environments.remove(name)
    if open_environments:
        return Drop("page.truncated", rf"\begin{{{open_environments[0]}}} that is not closed")
    if len(text) >= TOKEN_CAP and re.search(r"[\w,;]\s*\Z", text):
        return Keep("page.at_cap", f"{len(text)} characters, ends in {text[-20:]!r}")
    return KEEP


def unfence(text: str) -> Verdict:
    """Take a page out of the code fence that a reader put all of it in."""
    found = _FENCED.fullmatch(text)
    return Fix(found[1], "page.fenced", text[:20]) if found and "```" not in found[1] else KEEP


def display_dollars(text: str) -> Verdict:
    r"""Write ``\[..\]`` as ``$$..$$`` on lines of their own."""
    if not _DISPLAY_BRACKETS.search(text):
        return KEEP
    display = _DISPLAY_BRACKETS.sub(lambda match: f"\n\n$${match[1].strip()}$$\n\n", text)
    return Fix(re.sub(r"\n{3,}", "\n\n", display).strip(), "page.display_brackets", text)


def html_tables(text: str) -> Verdict:
    """Write Markdown's own tables (rows of ``|``) as HTML; drop the page where one is not sound."""
    if not any("|" in line for line in text.split("\n")):
        return KEEP
    lines, out, found, at = text.split("\n"), [], [], 0
    while at < len(lines):
        if at + 1 < len(lines) and "|" in lines[at] and _PIPE_RULE.match(lines[at + 1]) and "|" in lines[at + 1]:
            end = at + 2
            while end < len(lines) and "|" in lines[end] and lines[end].strip():
                end += 1
            source = "\n".join(lines[at:end])
            try:
                out += ["", to_html(from_markdown(source)), ""]
            except TableError as error:
                return Drop("page.pipe_table", f"{error}: {source[:200]}")
            found.append(source)
            at = end
        else:
            out.append(lines[at])
            at += 1
    return (
        Fix(re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip(), "page.pipe_table", "\n".join(found)) if found else KEEP
    )


def latex_tables(text: str) -> Verdict:
    r"""Write LaTeX's ``tabular`` as HTML; drop the page where one cannot be read."""
    if r"\begin{tabular" not in text:
        return KEEP
    pieces, at, found = [], 0, []
    try:
        for start, end, source in tabulars(text):
            pieces += [text[at:start], "\n\n", to_html_table(source), "\n\n"]
            found.append(source)
            at = end
    except TabularError as error:
        return Drop("page.tabular", str(error))
    return Fix(
        re.sub(r"\n{3,}", "\n\n", without_wrappers("".join([*pieces, text[at:]]))).strip(),
        "page.tabular",
        "\n".join(found),
    )


def plain_marks(text: str) -> Verdict:
    r"""Write other Markdown's marks as the dialect's: bullets, underlined headings, ``\section``; rules go."""
    if _FENCE_LINE.search(text):
        return KEEP  # what code says is not markup
    marked = _SETEXT.sub(lambda match: f"{'#' if match[2][0] == '=' else '##'} {match[1]}", text)
    marked = _SECTION.sub(lambda match: f"{'#' * (2 + match[1].count('sub'))} {match[2]}", marked)
    marked = _RULE.sub("", marked)
    marked = _BULLET.sub(r"\1- ", marked)
    return Fix(marked.strip(), "page.marks", text) if marked != text else KEEP


def strip_page_number(text: str) -> Verdict:
    """Remove a page's number that stands alone at its begin or end: it is an element, never text."""
    blocks = text.split("\n\n")
    found = []
    for at in (0, -1):
        if len(blocks) > 1 and _PAGE_NUMBER.fullmatch(blocks[at].strip()):
            found.append(blocks.pop(at).strip())
    return Fix("\n\n".join(blocks), "page.number", ", ".join(found)) if found else KEEP


#: Whether this is a page's text at all: nothing is fixed.
PAGE_RULES: tuple[Rule[str], ...] = (
    Rule("page.refusal", "drops what an assistant said instead", "I'm sorry, I cannot read this.", drop_refusal),
    Rule("page.loop", "drops texts that end in a loop", "and so on and on " * 9, drop_loop),
    Rule("page.truncated", "drops texts that end within something", "<table><tr><td>a", drop_truncated),
)
#: Other Markdown made the dialect, for labels that come as Markdown.
MARKDOWN_RULES: tuple[Rule[str], ...] = (
    Rule("page.fenced", "takes a page out of a fence", "```markdown\nThe sun.\n```", unfence),
    Rule("page.tabular", r"writes tabular as HTML", "\\begin{tabular}{ll}a & b\\end{tabular}", latex_tables),
    Rule("page.pipe_table", "writes Markdown's tables as HTML", "| a | b |\n|---|---|\n| 1 | 2 |", html_tables),
    Rule("page.display_brackets", r"writes \[ \] as $$", r"\[x^2\]", display_dollars),
    Rule("page.marks", "writes other bullets, headings and rules as the dialect's", "* one\n* two", plain_marks),
    Rule("page.number", "removes a page number that stands alone", "The sun.\n\nPage 3", strip_page_number),
)
