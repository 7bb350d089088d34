"""The faults that ``cleaning.py`` puts into sound rows, one function a fault: it gives the faulty row, or None where
the row has no place for it (no braces to unbalance, no cell to join).

Each is named by the reason that the cleaner must give.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO

from PIL import Image, ImageFilter

from proofpress.cleaners.corpus import RawRow
from proofpress.cleaners.print import Print
from proofpress.pages.image import encode_png, open_image
from proofpress.pages.record import Word
from proofpress.pages.table_html import from_html
from proofpress.pages.table_markdown import to_markdown

Put = Callable[[random.Random, RawRow], RawRow | None]


@dataclass(frozen=True)
class Fault:
    """reason: what the cleaner must say. tasks: the rows it is put into. how: a word where one reason has several."""

    reason: str
    tasks: tuple[str, ...]
    put: Put
    how: str = ""

    @property
    def of_label(self) -> bool:
        """Whether the label alone shows it."""
        return self.reason.split(".")[0] in ("text", "page", "formula", "table", "form") and self.reason != (
            "form.unsupported"
        )


def on_text(change: Callable[[random.Random, str], str | None]) -> Put:
    """A fault of the label alone. An element's text is the label of its page, so a page loses its elements."""

    def put(rng: random.Random, row: RawRow) -> RawRow | None:
        text = change(rng, row.text)
        return None if text is None or text == row.text else replace(row, text=text, elements=())

    return put


def on_image(change: Callable[[random.Random, Image.Image], Image.Image | bytes | None]) -> Put:
    """A fault of the picture alone."""

    def put(rng: random.Random, row: RawRow) -> RawRow | None:
        made = change(rng, open_image(row.image) if isinstance(row.image, bytes) else row.image)
        return None if made is None else replace(row, image=made)

    return put


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
        if all(cell.rowspan == cell.colspan == 1 and "|" not in cell.text for cell in grid.cells):
            return text.replace(table, to_markdown(grid), 1)
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


def _cut(rng: random.Random, image: Image.Image) -> Image.Image | None:
    """The left or right part, cut in the middle of a letter."""
    look = Print.of(image)
    wide = [mark for mark in look.letters.tolist() if 6 <= mark[3] - mark[2] <= 2 * (mark[1] - mark[0])]
    wide = [mark for mark in wide if image.width * 0.2 < mark[2] / look.scale < image.width * 0.8]
    if not wide:
        return None
    _, _, left, right = rng.choice(wide)
    x = round((left + right) / 2 / look.scale)
    return image.crop((0, 0, x, image.height)) if rng.random() < 0.5 else image.crop((x, 0, image.width, image.height))


def _turned(rng: random.Random, row: RawRow) -> RawRow | None:
    """A page laid on askew; a sheet with a title alone has no lines to lean."""
    if len(row.text) < 200:
        return None
    image = open_image(row.image) if isinstance(row.image, bytes) else row.image
    angle = rng.choice((-1, 1)) * rng.uniform(1.6, 9.0)
    return replace(row, image=image.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor="white"))


def _small(rng: random.Random, row: RawRow) -> RawRow:
    """A thumbnail, with its boxes made as small."""
    image, scale = open_image(row.image) if isinstance(row.image, bytes) else row.image, rng.uniform(0.12, 0.16)
    size = (max(9, round(image.width * scale)), max(9, round(image.height * scale)))
    words = tuple(replace(word, quad=tuple(side * scale for side in word.quad)) for word in row.words)
    return replace(row, image=image.resize(size, Image.Resampling.BOX), words=words)


def _blank(rng: random.Random, image: Image.Image) -> Image.Image:
    paper = Image.effect_noise(image.size, rng.uniform(1, 4)).point(lambda level: min(255, level + 110))
    return paper.convert("RGB").filter(ImageFilter.GaussianBlur(1))


def _dark(rng: random.Random, image: Image.Image) -> Image.Image:
    """A photograph's shadows over most of it: two thirds black, the rest of all levels."""
    shade = Image.new("L", image.size, rng.randrange(120, 200))
    shade.paste(rng.randrange(20), (0, 0, image.width, image.height * 2 // 5))
    lines = Image.effect_noise(image.size, 100)
    return Image.merge("RGB", [Image.blend(shade, lines, 0.8)] * 3)


def _truncated(rng: random.Random, image: Image.Image) -> bytes:
    data = encode_png(image)
    return data[: rng.randrange(40, len(data) * 2 // 3)]


def _mode(rng: random.Random, image: Image.Image) -> bytes:
    kind = rng.choice(("RGBA", "P", "LA", "I;16", "CMYK", "EXIF"))
    out = BytesIO()
    if kind == "EXIF":
        exif = Image.Exif()
        exif[0x0112] = 3
        image.rotate(180).save(out, "JPEG", exif=exif, quality=95)
    elif kind == "CMYK":
        image.convert("CMYK").save(out, "JPEG", quality=95)
    elif kind == "I;16":
        image.convert("L").point(lambda level: level * 257, "I").convert("I;16").save(out, "PNG")
    else:
        image.convert("L").convert(kind).save(out, "PNG")
    return out.getvalue()


def _swap(rng: random.Random, row: RawRow) -> RawRow | None:
    """The label of another row: a long paragraph's under a line's picture, or a word's under a paragraph's."""
    if len(row.text) < 10:
        return None
    text = " ".join([row.text] * 30) if len(row.text) < 60 else row.text[: max(1, len(row.text) // 40)]
    return replace(row, text=text.strip())


def _misread(rng: random.Random, row: RawRow) -> RawRow | None:
    picture = Image.new("RGB", (800, 1000), "white")
    picture.paste("black", (30, 30, 36, 40))
    return replace(row, image=picture, elements=(), words=()) if len(row.text) > 400 else None


def _boxes(change: Callable[[random.Random, list[Word]], list[Word] | None]) -> Put:
    def put(rng: random.Random, row: RawRow) -> RawRow | None:
        words = change(rng, list(row.words)) if len(row.words) > 6 else None
        return None if words is None else replace(row, words=tuple(words))

    return put


def _one(change: Callable[[Word], Word]) -> Callable[[random.Random, list[Word]], list[Word]]:
    def changed(rng: random.Random, words: list[Word]) -> list[Word]:
        at = rng.randrange(len(words))
        words[at] = change(words[at])
        return words

    return changed


def _upside_down(rng: random.Random, row: RawRow) -> RawRow | None:
    height = open_image(row.image).height if isinstance(row.image, bytes) else row.image.height
    tops = [word.quad[1] for word in row.words]
    if len(row.words) < 12 or tops != sorted(tops):
        return None
    flipped = tuple(
        replace(word, quad=tuple(height - side if at % 2 else side for at, side in enumerate(word.quad)))
        for word in row.words
    )
    return replace(row, words=flipped)


def _unlabelled_table(rng: random.Random, row: RawRow) -> RawRow | None:
    image = open_image(row.image) if isinstance(row.image, bytes) else row.image
    height = image.height + 300
    sheet = Image.new("RGB", (image.width, height), "white")
    sheet.paste(image, (0, 0))
    left, top, side = rng.randrange(40, 200), image.height + 40, rng.randrange(30, 50)
    for line in range(5):
        sheet.paste("black", (left, top + line * side, left + 4 * 3 * side, top + line * side + 2))
        sheet.paste("black", (left + line * 3 * side, top, left + line * 3 * side + 2, top + 4 * side + 2))
    return replace(row, image=sheet)


def _formula(piece: str, at_end: bool = True) -> Put:
    return on_text(lambda rng, text: f"{text} {piece}" if at_end else f"{piece} {text}")


FORMULA, TABLE, TEXT, PAGE, FORM, LAYOUT = ("formula",), ("table",), ("text",), ("page",), ("form",), ("layout",)
LABELLED = (*FORMULA, *TABLE, *TEXT, *PAGE, *FORM)
PROSE = (*TEXT, *PAGE)
CROPS = (*FORMULA, *TABLE, *TEXT)
WORD = r"\b[a-z]{4,}\b"

FAULTS: tuple[Fault, ...] = (
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
    # boxes
    Fault("layout.malformed", (*TABLE, *PAGE), _boxes(_one(lambda word: replace(word, quad=())))),
    Fault("layout.zero_size", (*TABLE, *PAGE), _boxes(_one(lambda w: replace(w, quad=(*w.quad[:2] * 4,))))),
    Fault("layout.outside", (*TABLE, *PAGE), _boxes(_one(lambda w: replace(w, quad=tuple(s + 9_000 for s in w.quad))))),
    Fault("layout.duplicate", (*TABLE, *PAGE), _boxes(lambda rng, words: [*words, rng.choice(words)])),
    Fault("layout.origin", (*TABLE, *PAGE), _upside_down),
    Fault("layout.unlabelled_table", LAYOUT, _unlabelled_table),
    # pictures
    Fault("image.corrupt", (*CROPS, *PAGE, *FORM), on_image(_truncated)),
    Fault("image.mode", (*CROPS, *PAGE, *FORM), on_image(_mode)),
    Fault("image.size", (*CROPS, *PAGE), on_image(lambda rng, image: Image.new("RGB", (20_000, 300), "white"))),
    Fault("image.tiny", CROPS, on_image(lambda rng, image: image.crop((0, 0, image.width, 6)))),
    Fault("image.blank", (*CROPS, *PAGE, *FORM), on_image(_blank)),
    Fault("image.unlabelled", PAGE, on_text(lambda rng, text: "")),
    Fault("image.ink", CROPS, on_image(_dark)),
    Fault("image.small", (*CROPS, *PAGE), _small),
    Fault("image.cut", CROPS, on_image(_cut)),
    Fault("image.skew", PAGE, _turned),
    Fault("image.mismatch", TEXT, _swap),
    Fault("image.mismatch", PAGE, _misread, "a book on an empty page"),
)  # fmt: skip
