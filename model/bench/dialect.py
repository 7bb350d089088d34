r"""Other readers' Markdown in our dialect, so that what is scored strictly is what was read and not how it is marked.

Formulas between ``\(`` or ``\[`` get dollars, bars become tables of HTML, emphasis, pictures, formula numbers and the
fence around a whole page go.

    >>> to_dialect("```markdown\n**Mass** \\(m\\):\n\\[E \\tag{1}\\]\n```")
    'Mass $m$:\n\n$$E$$'
"""

import re

from proofpress.model.bench.normal_forms import strip_tags
from proofpress.pages.table import TableError
from proofpress.pages.table_html import to_html
from proofpress.pages.table_markdown import from_markdown

_OUTER_FENCE = re.compile(r"\A\s*```(?:markdown|md|html|latex)\s*\n(.*?)(?:\n```)?\s*\Z", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\[\]\n]*\]\([^()\n]*\)")
_DISPLAY = re.compile(r"\\\[((?:(?!\\[\[\]]).){1,20000}?)\\\]|\$\$([^$]{1,20000}?)\$\$", re.DOTALL)
_INLINE = re.compile(r"\\\(((?:(?!\\[()]).){1,5000}?)\\\)|\$[ \t]*([^$\n]{1,5000}?)[ \t]*\$")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]{1,500}?)(?<=\S)\1(?![\w*])")
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")


def to_dialect(markdown: str) -> str:
    """The page in the dialect of our labels; what it has no word for stays as it is."""
    if fenced := _OUTER_FENCE.match(markdown):
        markdown = fenced[1]
    markdown = _PICTURE.sub("", markdown)
    markdown = _DISPLAY.sub(lambda found: f"\n\n$${_bare(found[1] or found[2])}$$\n\n", markdown)
    markdown = _INLINE.sub(lambda found: f"${_bare(found[1] or found[2])}$", markdown)
    markdown = _EMPHASIS.sub(r"\2", markdown)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(_with_tables(markdown.split("\n")))).strip()


def _bare(latex: str) -> str:
    return " ".join(strip_tags(latex).split())


def _with_tables(lines: list[str]) -> list[str]:
    """The lines with each Markdown table, a rule under its first row, as one line of HTML."""
    found: list[str] = []
    at = 0
    while at < len(lines):
        end = at
        if at + 1 < len(lines) and "|" in lines[at] and "|" in lines[at + 1] and _RULE.fullmatch(lines[at + 1].strip()):
            while end < len(lines) and "|" in lines[end]:
                end += 1
        if end == at:
            found.append(lines[at])
            at += 1
            continue
        try:
            found += ["", to_html(from_markdown("\n".join(lines[at:end]), fill=True)), ""]
        except TableError:
            found += lines[at:end]
        at = end
    return found
