"""Rules for table labels. The label is HTML with all text escaped, as an adapter makes it; ``canonical`` spells it in
the dialect, so that the cells of a kept label cover every slot of the grid exactly once.

    >>> strip_styles("<table><tr><td><b>Age</b></td></tr></table>").evidence
    'b×1'
"""

import re
from collections import Counter
from html import unescape

from proofpress.cleaners.rule import KEEP, Drop, Fix, Keep, Rule, Verdict
from proofpress.cleaners.rules.text import ANY_TEXT
from proofpress.pages.latex import is_valid
from proofpress.pages.markdown import runs
from proofpress.pages.table import TableError
from proofpress.pages.table_html import from_html, to_html

_CELL = re.compile(r"(<t[dh](?: [^>]*)?>)(.*?)(</t[dh]>)", re.DOTALL)
_PHANTOM = re.compile(r"<t[dh](?: [^>]*)?>(?:\s|</?(?!t[dh]\b)[^>]*>)+</t[dh]>")
_TAG = re.compile(r"<[^>]*>")
_STYLE = re.compile(r"<(/?)(b|strong|i|em|u|underline|overline|strike|s|del)>")
_SEAM = re.compile(r"</(b|strong|i|em)><\1>")
_SCRIPT = re.compile(r"<(su[bp])>")
_HIDDEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_PLAIN_SCRIPT = re.compile(r"[\^_]\{[\w .,+*()=/−–-]*\}")

#: What ``TableError`` calls a fault, and what a report of a corpus calls it.
_FAULTS = {"overlap": "table.overlap", "hole": "table.ragged", "span": "table.ragged"}


def empty_phantoms(html: str) -> Verdict:
    """Empty a cell that holds only style tags and white space (``<b> </b>``): nothing of it is printed."""
    if not _PHANTOM.search(html):
        return KEEP
    found: list[str] = []
    cells = 0

    def emptied(cell: re.Match[str]) -> str:
        nonlocal cells
        cells += 1
        content = cell[2]
        if not content or _TAG.sub("", content).strip():
            return cell[0]
        found.append(f"cell {cells - 1}: {content!r}")
        return cell[1] + cell[3]

    text = _CELL.sub(emptied, html)
    return Fix(text, "table.phantom", "; ".join(found)) if found else KEEP


def remove_scripts(html: str) -> Verdict:
    """Remove ``script`` and ``style`` with what is in them: they are for a browser, and nothing of a corpus is run."""
    if not (found := _HIDDEN.search(html)):
        return KEEP
    return Fix(_HIDDEN.sub("", html), "table.hidden", found.group()[:200])


def drop_undrawable(html: str) -> Verdict:
    """Drop a table with a formula in a cell that KaTeX cannot draw."""
    if "$" not in html:
        return KEEP
    for cell in _CELL.finditer(html):
        for run in runs(unescape(cell[2])) if "$" in cell[2] else ():
            if run.kind == "math" and not _PLAIN_SCRIPT.fullmatch(run.text) and not is_valid(run.text):
                return Drop("table.formula", run.text)
    return KEEP


def open_seams(html: str) -> Verdict:
    """Put a space where a style ends and begins again (``Mean</b><b>SD``): the break between them was lost.

    In the pictures of PubTabNet there is a line's or a word's break at each.
    """
    seams = _SEAM.findall(html)
    if not seams:
        return KEEP
    return Fix(_SEAM.sub(r"</\1> <\1>", html), "table.seam", ", ".join(f"</{name}><{name}>" for name in seams))


def strip_styles(html: str) -> Verdict:
    """Remove bold, italic and lines over, under and through: the dialect has no emphasis."""
    counts = Counter(tag[2] for tag in _STYLE.finditer(html) if not tag[1])
    if not counts:
        return KEEP
    return Fix(_STYLE.sub("", html), "table.style", ", ".join(f"{name}×{counts[name]}" for name in sorted(counts)))


def note_scripts(html: str) -> Verdict:
    """Note ``sup`` and ``sub``. They stay visible: the dialect writes them as mathematics, ``10$^{2}$``."""
    counts = Counter(_SCRIPT.findall(html))
    if not counts:
        return KEEP
    return Keep("table.script", ", ".join(f"{name}×{counts[name]}" for name in sorted(counts)))


def canonical(html: str) -> Verdict:
    """Spell the table in the dialect, with the head's cells as ``th``; drop it where its cells do not tile.

    Spans that overlap or leave a hole are never mended: 14 of PubTabNet's first 2,000 tables have them
    (https://github.com/ibm-aur-nlp/PubTabNet/issues/13) and only the picture says which cell is wrong.
    """
    try:
        text = to_html(from_html(html))
    except TableError as error:
        return Drop(_FAULTS.get(error.reason, "table.unparseable"), str(error))
    return KEEP if text == html else Fix(text, "table.canonical", html)


def drop_empty(html: str) -> Verdict:
    """Drop a table without a word in it."""
    return KEEP if _TAG.sub("", html).strip() else Drop("table.empty", html[:200])


TABLE_RULES: tuple[Rule[str], ...] = (
    *ANY_TEXT,
    Rule(
        "table.hidden",
        "removes scripts and style sheets with what is in them",
        "<table><tr><td>1<script>alert(1)</script></td></tr></table>",
        remove_scripts,
    ),
    Rule(
        "table.phantom",
        "empties cells that hold only style tags and white space",
        "<table><tr><td><b> </b></td><td>1</td></tr></table>",
        empty_phantoms,
    ),
    Rule(
        "table.seam",
        "puts a space where a style ends and begins again, for the break that was lost",
        "<table><tr><td><b>Mean</b><b>SD</b></td></tr></table>",
        open_seams,
    ),
    Rule(
        "table.style",
        "removes emphasis, which the dialect does not have",
        "<table><tr><td><b>Age</b></td></tr></table>",
        strip_styles,
    ),
    Rule(
        "table.script",
        "notes sup and sub, which become mathematics",
        "<table><tr><td>10<sup>2</sup></td></tr></table>",
        note_scripts,
    ),
    Rule(
        "table.canonical",
        "spells the table in the dialect; drops grids that overlap or are ragged",
        '<table><tr><td rowspan="2">a</td></tr></table>',
        canonical,
    ),
    Rule(
        "table.formula",
        "drops tables with a formula that cannot be drawn",
        r"<table><tr><td>$\frac{1}$</td></tr></table>",
        drop_undrawable,
    ),
    Rule("table.empty", "drops tables without a word in them", "<table><tr><td></td></tr></table>", drop_empty),
)
