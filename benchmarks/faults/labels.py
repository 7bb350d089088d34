"""Faults of labels: of any text, of lines, pages, formulas, tables and forms."""

import random
import re
from collections.abc import Callable

from faults.fault import FORM, FORMULA, LABELLED, PAGE, PROSE, TABLE, TEXT, Fault, Put, on_text
from proofpress.pages.table import TableError
from proofpress.pages.table_html import from_html
from proofpress.pages.table_markdown import to_markdown

WORD = r"\b[a-z]{4,}\b"


def _at(pattern: str, replacement: str | Callable[[re.Match[str]], str]) -> Callable[[random.Random, str], str | None]:
    """Replace one match, drawn by chance, of a pattern."""

    def change(rng: random.Random, text: str) -> str | None:
        found = list(re.finditer(pattern, text))
        if not found:
            return None
        match = rng.choice(found)
        new = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
        return text[: match.start()] + new + text[match.end() :]

    return change


def _in_prose(pattern: str, replacement: str) -> Callable[[random.Random, str], str | None]:
    """The same in lines and paragraphs: not in formulas, tables or code."""
    return _in_words(pattern, replacement, "<table>.*?</table>")


def _in_words(pattern: str, replacement: str, besides: str = "<[^<>]*>") -> Callable[[random.Random, str], str | None]:
    """The same within words: not in formulas, tags or code."""

    def change(rng: random.Random, text: str) -> str | None:
        if "```" in text:
            return None
        parts = re.split(rf"({besides}|\$\$.*?\$\$|\$[^$\n]*\$)", text, flags=re.DOTALL)
        places = [at for at in range(0, len(parts), 2) if re.search(pattern, parts[at])]
        if not places:
            return None
        at = rng.choice(places)
        parts[at] = _at(pattern, replacement)(rng, parts[at]) or parts[at]
        return "".join(parts)

    return change


def _paragraph(rng: random.Random, text: str, added: str) -> str:
    """The page with a paragraph added between two of its blocks."""
    blocks = text.split("\n\n")
    at = rng.randrange(len(blocks) + 1)
    return "\n\n".join([*blocks[:at], added, *blocks[at:]])


def _mojibake(rng: random.Random, text: str) -> str | None:
    word = rng.choice(("Zürich", "Málaga", "naïve", "Göteborg", "façade", "Søren", "Łódź"))
    broken = word.encode("utf-8").decode("windows-1252", "replace")
    return None if "�" in broken else _in_words(r"\b[a-z]{3,}\b", broken)(rng, text)


def _pipe(rng: random.Random, text: str) -> str | None:
    found = re.findall(r"^<table>.*</table>$", text, re.MULTILINE)
    for table in found:
        grid = from_html(table)
        try:
            return text.replace(table, to_markdown(grid), 1)
        except TableError:
            continue  # spans, headings beside rows, code: no table of pipes
    return _paragraph(rng, text, "| Mass | kg |\n|------|----|\n| Sun | 2 |") if "```" not in text else None


def _up_to_the_cap(rng: random.Random, text: str) -> str:
    """The page with so much more text that its reader stopped within a word."""
    more = " ".join(f"In {year} came wave {year * 7}." for year in range(999))
    return f"{text}\n\n{more}"[:14_003] + " a"


def _drop_cell(rng: random.Random, html: str) -> str | None:
    found = list(re.finditer(r"<t[dh]>[^<]*</t[dh]>", html))
    if len(found) < 4 or len(from_html(html).by_row()[0]) == len(found):
        return None
    cell = rng.choice(found)
    return html[: cell.start()] + html[cell.end() :]


def _overlap(rng: random.Random, html: str) -> str | None:
    """Let a cell reach down beside a cell with a column span of two, into its place."""
    grid = from_html(html)
    rows = re.findall(r"<tr>.*?</tr>", html)
    plain = [len(re.findall(r"<t[dh]>", row)) == grid.columns >= 3 for row in rows]
    places = [at for at in range(len(rows) - 1) if plain[at] and plain[at + 1]]
    if not places:
        return None
    at = rng.choice(places)
    upper = re.split(r"(?=<t[dh])", rows[at])
    upper[2] = re.sub(r"<(t[dh])", r'<\1 rowspan="2"', upper[2], count=1)
    lower = re.split(r"(?=<t[dh])", rows[at + 1])
    lower[1] = re.sub(r"<(t[dh])", r'<\1 colspan="2"', lower[1], count=1)
    rows[at], rows[at + 1] = (
        "".join(upper),
        "".join([*lower[:2], *lower[4:]]) if len(lower) > 4 else "".join(lower[:2]) + "</tr>",
    )
    return "<table>" + "".join(rows) + "</table>"


def _field(pattern: str, value: str) -> Callable[[random.Random, str], str | None]:
    return _at(rf"(?m)^(- {pattern}: ).*$", rf"\g<1>{value}")


def _formula(piece: str, at_end: bool = True) -> Put:
    return on_text(lambda rng, text: f"{text} {piece}" if at_end else f"{piece} {text}")


LABEL_FAULTS: tuple[Fault, ...] = (
    # any text
    Fault("text.size", LABELLED, on_text(lambda rng, text: text + " a" * 150_000)),
    Fault("text.artefact", LABELLED, on_text(lambda rng, text: text + rng.choice(("[object Object]", "�", "\0")))),
    Fault("text.mojibake", (*TABLE, *PROSE, *FORM), on_text(_mojibake)),
    Fault("text.control", (*TABLE, *PROSE, *FORM), on_text(_in_words(r"(?<=[a-z]{2})(?=[a-z]{2})", "\u00ad"))),
    Fault("text.nfc", (*TABLE, *PROSE, *FORM), on_text(_in_words(r"(?<=[aeiou])(?=[a-z])", "\u0301"))),
    Fault("text.ligature", (*TABLE, *PROSE, *FORM), on_text(_in_words(r"(?<=[a-z])(?=[a-z])", "ﬁ"))),
    Fault("text.confusable", (*TABLE, *PROSE, *FORM), on_text(_in_words(r"(?<=[bdfglmnrtz]{1})e(?=[a-z])", "е"))),
    # lines and paragraphs
    Fault("text.math_brackets", TEXT, on_text(_in_prose(WORD, r"\\(x^2\\)"))),
    Fault("text.picture", PROSE, on_text(_in_prose(WORD, r"\g<0> ![map](map.png)"))),
    Fault("text.link", PROSE, on_text(_in_prose(WORD, r"[\g<0>](https://example.org/a)"))),
    Fault("text.html", PROSE, on_text(_in_prose(WORD, r"<b>\g<0></b>"))),
    Fault("text.html", PROSE, on_text(_in_prose(WORD, r"\g<0><script>alert(1)</script>")), "script"),
    Fault("text.emphasis", PROSE, on_text(_in_prose(WORD, r"**\g<0>**"))),
    Fault("text.latex_style", PROSE, on_text(_in_prose(WORD, r"\\textbf{\g<0>}"))),
    Fault("text.latex_command", PROSE, on_text(_in_prose(WORD, r"\\cite{\g<0>}"))),
    Fault("formula.unparseable", PROSE, on_text(_in_prose(WORD, r"$\\intf x$")), "in a line"),
    Fault("text.formula", PROSE, on_text(_in_prose(WORD, r"\g<0> $x \\label{a}$"))),
    Fault("text.unicode_math", PROSE, on_text(_in_prose(WORD, "≤"))),
    # pages
    Fault("page.refusal", PAGE, on_text(lambda rng, text: "I'm sorry, I cannot read this page.")),
    Fault("page.refusal", PAGE, on_text(lambda rng, text: f"Here is the transcription:\n\n{text}"), "preamble"),
    Fault("page.loop", PAGE,
          on_text(lambda rng, text: text + "\n\nand so on" + " and so on and on" * rng.randrange(8, 40))),
    Fault("page.truncated", PAGE, on_text(lambda rng, text: text + "\n\n<table><tr><td>Mass</td><td>k"), "table"),
    Fault("page.truncated", PAGE, on_text(lambda rng, text: text + "\n\n$$\\frac{a}{b"), "formula"),
    Fault("page.truncated", PAGE, on_text(lambda rng, text: text + "\n\n```\nx = 1"), "code"),
    Fault("page.at_cap", PAGE, on_text(_up_to_the_cap)),
    Fault("page.fenced", PAGE, on_text(lambda rng, t: None if "```" in t else f"```markdown\n{t}\n```")),
    Fault("page.tabular", PAGE, on_text(
        lambda rng, t: _paragraph(rng, t, r"\begin{tabular}{ll} Mass & kg \\ \hline Sun & 2 \end{tabular}"))),
    Fault("page.pipe_table", PAGE, on_text(_pipe)),
    Fault("page.display_brackets", PAGE, on_text(lambda rng, text: _paragraph(rng, text, r"\[x^2\]"))),
    Fault("page.marks", PAGE, on_text(lambda rng, t: None if "```" in t else _paragraph(rng, t, "* one\n* two"))),
    Fault("page.number", PAGE, on_text(lambda rng, text: f"{text}\n\n{rng.choice(('Page 3 of 9', '- 12 -', '7'))}")),
    # formulas
    Fault("formula.size", FORMULA, on_text(lambda rng, text: "{" * 120 + text + "}" * 120)),
    Fault("formula.comment", FORMULA, on_text(lambda rng, text: text + "% as in the text")),
    Fault("formula.delimiters", FORMULA, on_text(lambda rng, t: rng.choice(("$$%s$$", r"\[%s\]", "$%s$")) % t)),
    Fault("formula.label", FORMULA, _formula(r"\label{eq:1}")),
    Fault("formula.number", FORMULA,
          on_text(lambda rng, t: t + rng.choice((r" \tag{3}", r" \eqno(3)", r" \eqno{(3)}")))),
    Fault("formula.nonumber", FORMULA, _formula(r"\nonumber")),
    Fault("formula.full_width", FORMULA, on_text(lambda rng, text: text + rng.choice("，；。"))),
    Fault("formula.plain_word", FORMULA, _formula(r"a\sp{2} ", at_end=False)),
    Fault("formula.no_ink", FORMULA, _formula(r"\vspace{2mm}")),
    Fault("formula.box", FORMULA, _formula(r"\mbox{ for } x")),
    Fault("formula.matrix", FORMULA, _formula(r"+ \pmatrix{a & b \cr c & d}")),
    Fault("formula.buildrel", FORMULA, _formula(r"\buildrel ? \over = y")),
    Fault("formula.over", FORMULA, on_text(lambda rng, text: text + r" + {a \over b}")),
    Fault("formula.accent", FORMULA, _formula(r"+ \bar\mathcal{V}")),
    Fault("formula.bare_script", FORMULA, _formula(r"\,^{*}d")),
    Fault("formula.letters", FORMULA, _formula(r"\mathrm { m m }")),
    Fault("formula.line_break", FORMULA, on_text(lambda rng, text: text + r" \\")),
    Fault("formula.outer_space", FORMULA, _formula(r"\quad", at_end=False)),
    Fault("formula.trailing_punctuation", FORMULA, on_text(lambda rng, text: text + rng.choice(".,;"))),
    Fault("formula.empty", FORMULA, on_text(lambda rng, text: rng.choice(("{}", "{ }", " ")))),
    Fault("formula.unbalanced", FORMULA,
          on_text(lambda rng, t: t + rng.choice((r"\frac{a}{", "}", r"\left(", r"\right)")))),
    Fault("formula.unparseable", FORMULA, _formula(r"\intf")),
    # tables
    Fault("table.hidden", TABLE, on_text(_at(r"(?<=<td>)", "<script>alert(1)</script>"))),
    Fault("table.phantom", TABLE, on_text(_at(r"<td></td>|(<td>)[^<]+(</td>)", "<td><b> </b></td>"))),
    Fault("table.seam", TABLE, on_text(_at(r"<td>([^<$ ]+) ([^<$]+)</td>", r"<td><b>\1</b><b>\2</b></td>"))),
    Fault("table.style", TABLE, on_text(_at(r"<t([dh])>([^<]+)</t[dh]>", r"<t\1><b>\2</b></t\1>"))),
    Fault("table.script", TABLE, on_text(_at(r"<td>([^<$]+)</td>", r"<td>\1<sup>2</sup></td>"))),
    Fault("table.ragged", TABLE, on_text(_drop_cell)),
    Fault("table.overlap", TABLE, on_text(_overlap)),
    Fault("table.unparseable", TABLE, on_text(lambda rng, text: "Mass: 2 kg")),
    Fault("table.formula", TABLE, on_text(_at(r"<td>[^<]*</td>", r"<td>$\\intf x$</td>"))),
    Fault("table.empty", TABLE, on_text(lambda rng, text: re.sub(r">[^<>]+<", "><", text))),
    Fault("table.canonical", TABLE,
          on_text(lambda rng, t: t.replace("<table>", "<table border=1>").replace("<td", "<TD"))),
    # forms
    Fault("form.empty", FORM, on_text(lambda rng, text: " ")),
    Fault("form.valueless", FORM, on_text(_field(r"\w+", ""))),
    Fault("form.date", FORM, on_text(_field("date", "31/14/2018"))),
    Fault("form.amount", FORM, on_text(_field("total", "SDN BHD"))),
    Fault("form.unsupported", FORM, on_text(_at(r"(?m)^(- company: )(.*)$", r"\g<1>\g<2> BND"))),
)  # fmt: skip
