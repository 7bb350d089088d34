"""How a page is set: paper, margins, sizes and fonts, from its features and its address.

style = draw_style("paper", features, Address(7, "press", 42).stream("style"), width=1024)
"""

import random
from collections.abc import Mapping
from dataclasses import replace

from proofpress.generators import fonts
from proofpress.generators.content.languages import LANGUAGES, RTL
from proofpress.generators.fonts import FontFamily
from proofpress.generators.kinds.traits import ABSENT, MATH_FONTS
from proofpress.generators.layout import Style

#: Height by width.
PAPERS = {"a4": 297 / 210, "letter": 11 / 8.5, "book": 1.5, "screen": 9 / 16, "projector": 3 / 4, "slip": 1.75}

#: Pixels of type on a page 1024 wide, by size and columns.
SIZES = {"small": (13.0, 14.5), "medium": (15.0, 17.0), "large": (18.5, 22.0)}
IN_COLUMNS = {"1": 1.0, "2": 0.9, "3": 0.86, "4": 0.84}
LEAST = 12.5  # of a page's text: below it an x-height has no six pixels, and readers of all kinds guess
LEAST_ASIDE = 11.0  # of notes, captions and tables, which are set smaller than the text
LEADING = {"tight": (1.24, 1.34), "normal": (1.36, 1.5), "loose": (1.6, 1.85)}
MARGINS = {"tight": (34, 52), "normal": (54, 88), "loose": (92, 124)}
TALL = {"arabic": 0.3, "devanagari": 0.25}  # added to the leading of scripts that reach high and low
INKS = ("#000000", "#000000", "#111111", "#1a1a2a", "#222222")
SHEETS = ("#ffffff", "#ffffff", "#ffffff", "#fdfcf8", "#fafafa")
OLD_SHEETS = ("#f7f0de", "#f4ecd8", "#faf4e4", "#f2ead9")


def draw_style(
    kind: str, papers: tuple[str, ...], features: Mapping[str, str], rng: random.Random, width: int
) -> tuple[Style, str]:
    """The style of a page and its paper's name; the fonts are chosen when its text is known (``set_fonts``)."""
    paper = rng.choice(papers)
    columns, density, script = features["columns"], features["density"], features["script"]
    size = rng.uniform(*SIZES[features["size"]]) * IN_COLUMNS[columns] * (1.9 if paper == "slip" else 1.0)
    size *= 1.45 if paper in ("screen", "projector") else 1.0
    style = Style(
        width=width,
        height=round(width * PAPERS[paper]),
        margin=rng.randint(*MARGINS[density]) * width // 1024,
        columns=int(columns),
        gap=rng.randint(22, 40) * width // 1024,
        size=round(max(size, LEAST), 1) * width / 1024,
        least=LEAST_ASIDE * width / 1024,
        leading=round(rng.uniform(*LEADING[density]) + TALL.get(script, 0.0), 2),
        font="",
        heading_font="",
        align=rng.choice(("justify", "justify", "start")),
        indent=rng.choice((0.0, 0.0, 1.2)),
        table=features["table.style"] if features["table.style"] != ABSENT else rng.choice(("grid", "rules")),
        ink=rng.choice(INKS),
        paper=rng.choice(OLD_SHEETS if kind == "old_book" else SHEETS),
        kind=kind,
        language=features["language"],
        direction="rtl" if LANGUAGES[features["language"]][0] in RTL else "ltr",
        density=density,
        math_font=MATH_FONTS.get(features["formula.font"], ""),
    )
    return style, paper


def set_fonts(style: Style, script: str, face: str, text: str, rng: random.Random) -> tuple[Style, str]:
    """The style with fonts that have a glyph for every character, and the kind of its body's font.

    text: all characters on the page. Where no family has all of them, the one that misses the fewest is taken and the
    proof rejects the page.
    """
    body = _pick(script, face, text, rng)
    heading = body
    if rng.random() < 0.4:
        heading = _pick(script, rng.choice(("serif", "sans")), text, rng)
    code = rng.choice([family for family in fonts.families("latin", "mono")])
    return replace(style, font=body.name, heading_font=heading.name, code_font=code.name), body.kind


def _pick(script: str, face: str, text: str, rng: random.Random) -> FontFamily:
    families = list(fonts.families(script, face) or fonts.families(script))
    rng.shuffle(families)
    others = [family for family in fonts.families(script) if family not in families and family.kind != "mono"]
    for family in (*families, *others):
        if family.covers(text):
            return family
    return min(families, key=lambda family: len(family.missing(text)))
