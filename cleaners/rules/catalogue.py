"""All rules with what they do and an example, by what they are about: what ``proofpress clean --list-rules`` prints.

>>> [group for group, _ in catalogue()][:3]
['rows and files', 'any label', 'formulas']
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from proofpress.cleaners.rule import Rule
from proofpress.cleaners.rules.forms import FORM_RULES
from proofpress.cleaners.rules.formulas import FORMULA_RULES
from proofpress.cleaners.rules.images import IMAGE_RULES
from proofpress.cleaners.rules.inline import INLINE_RULES
from proofpress.cleaners.rules.layout import LAYOUT_RULES
from proofpress.cleaners.rules.pages import MARKDOWN_RULES, PAGE_RULES
from proofpress.cleaners.rules.tables import TABLE_RULES
from proofpress.cleaners.rules.text import ANY_TEXT

EXAMPLE = 60  # characters of an example that are shown


class Entry(NamedTuple):
    """One rule. name: its dotted code. example: what it does something to."""

    name: str
    explain: str
    example: str


#: What an adapter or the reading of a file refuses, before any rule runs.
READING: tuple[Entry, ...] = tuple(
    Entry(*entry)
    for entry in (
        ("file.path", "drops rows whose file lies outside of the corpus's folder", "../../etc/passwd"),
        ("file.missing", "drops rows whose picture, PDF or annotation is not there", "images/7.png"),
        ("file.size", "drops files of more than 256 MiB", "a picture of 1 GB"),
        ("file.bomb", "drops archive members that unpack to over 200 times their size", "zeros, zipped"),
        ("file.unreadable", "drops files that the system or the archive cannot read", "a broken member"),
        ("row.json", "drops lines that are no JSON", '{"filename": "a.png", "spl'),
        ("row.encoding", "drops rows that are no UTF-8", r"\xff\xfe"),
        ("row.xml", "drops XML that is broken or has a doctype", "<ink><trace>"),
        ("row.doctags", "drops DocTags with a block that is not closed", "<doctag><text>The sun"),
        ("row.front_matter", "drops pages whose front matter is no YAML", "---\nprimary_language: [en"),
        ("row.malformed", "drops rows without the fields of their corpus", '{"filename": 3}'),
        ("row.index", "drops rows that name a line or row that is not there", "line 9 of 3"),
        ("row.size", "drops rows of more than 64 MiB", "a line of a gigabyte"),
        ("row.parquet", "drops rows of Parquet pages that cannot be read", "a cut file"),
        ("row.unlabelled", "drops rows without a label", "InkML of a test, without its truth"),
        ("row.repeated", "drops rows whose id an earlier row has", "two rows of a.png"),
        ("table.raw_markup", "escapes <, > and & in cells", "p < 0.05"),
        ("table.structure", "drops tables whose structure has other tokens, or makes no grid", "<td onclick=x>"),
        ("table.cell_count", "drops tables with more or fewer cells than their structure", "3 td, 2 cells"),
        ("table.otsl", "drops tables whose OTSL contradicts itself or their HTML", "<lcel> without a cell"),
        ("formula.outer_percent", "takes the percent signs off a formula's ends, as its typesetting did", "%x^2%"),
        ("formula.parted_name", "joins the letters of function names (CROHME)", "2 l o g x"),
        ("form.label", "drops forms with a piece of an unknown class", "label 'price'"),
        ("form.unpaired", "notes kinds of key without a value (WildReceipt)", "Total_key alone"),
        ("layout.category", "drops pages with a region of an unknown type", "category 99"),
        ("layout.unordered", "notes blocks without a place in the reading order (OmniDocBench)", "order: null"),
        ("docbank.drawn", "leaves out rows that are lines and figures", "##LTLine##"),
        ("docling.formula", "drops pages with a formula that was found and not read", "a formula of empty text"),
        ("olmocr.rotation", "drops pages that were read askew", "is_rotation_valid: false"),
        ("olmocr.field_type", "reads fields of an odd type as what they must be", "primary_language: no"),
        ("image.turned", "turns pages upright by the correction that their row gives", "rotation_correction: 90"),
        ("image.pressed", "gives squared pictures their page's proportions (DocLayNet)", "1025 x 1025"),
        ("image.corrupt", "drops pictures that do not decode to the last byte", "half a PNG"),
        ("image.size", "drops pictures of more than 50 million pixels, undecoded", "20,000 x 20,000"),
        ("image.mode", "lays palette, alpha, 16 bit, CMYK and turned pictures on white in RGB", "RGBA"),
        ("image.sheet", "cuts one small thing out of its sheet (im2latex)", "a formula on A4"),
        ("pdf.unreadable", "drops PDF files that PDFium cannot open", "%PDF-1.4 cut short"),
        ("pdf.page", "drops rows of a page that the PDF does not have", "page 9 of 3"),
        ("pdf.size", "drops PDF pages too narrow to be drawn", "2 x 14,400 points"),
        ("pdf.truncated", "notes PDF files that do not end as they should", "no %%EOF"),
        ("page.dialect", "writes the page in the dialect; drops what has no writing in it", "a list in a heading"),
    )
)


def catalogue() -> Iterator[tuple[str, tuple[Entry, ...]]]:
    """What rules are about, and the rules, in the order they run."""
    yield "rows and files", tuple(entry._replace(example=_short(entry.example)) for entry in READING)
    yield "any label", _entries(ANY_TEXT)
    own = (("formulas", FORMULA_RULES), ("tables", TABLE_RULES), ("lines and paragraphs", INLINE_RULES))
    for group, rules in (*own, ("pages", (*PAGE_RULES, *MARKDOWN_RULES)), ("forms", FORM_RULES)):
        yield group, _entries(rule for rule in rules if rule.name not in {shared.name for shared in ANY_TEXT})
    yield "boxes", tuple(Entry(*entry) for entry in LAYOUT_RULES)
    yield "pictures", tuple(Entry(rule.name, rule.explain, rule.example) for rule in IMAGE_RULES)


def _entries(rules: Iterable[Rule[str]]) -> tuple[Entry, ...]:
    return tuple(Entry(rule.name, rule.explain, _short(rule.example)) for rule in rules)


def _short(example: str) -> str:
    line = example.replace("\n", "⏎").replace("\0", "NUL")
    return line if len(line) <= EXAMPLE else f"{line[:EXAMPLE]}…"
