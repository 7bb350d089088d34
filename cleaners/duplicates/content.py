r"""What is compared of a label: its dense text, whatever dialect it is in, and the normal form of a formula or a table.

Two corpora write one page as Markdown with LaTeX and as HTML, wrap its lines elsewhere and choose other quotes. Dense
text is what is left when all that is gone: letters and digits, without case, white space, marks or commands.

    >>> dense("# Mass\n\n<table><tr><td>a</td></tr></table> and $\\frac{a}{b}$ “10 kg”")
    'massaandab10kg'
    >>> normal_form(r"{a \over b}", "formula") == normal_form(r"\frac{a}{b}", "formula")
    True
"""

import re
import unicodedata
from hashlib import blake2b

from proofpress.pages import latex
from proofpress.pages.latex import LatexError
from proofpress.pages.table import TableError
from proofpress.pages.table_html import from_html

_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>|&[A-Za-z]{2,8};|\\[A-Za-z]+")
_NO_CONTENT = re.compile(r"[\W_]+")


def dense(text: str) -> str:
    """The letters and digits of a text in NFKC, without case; tags, entities and LaTeX's commands are gone."""
    bare = _MARKUP.sub(" ", text) if "<" in text or "\\" in text or "&" in text else text
    return _NO_CONTENT.sub("", unicodedata.normalize("NFKC", bare).casefold())


def normal_form(text: str, task: str) -> str:
    """The one spelling of all labels that say the same: of a formula by KaTeX, of a table by its grid, else dense text.

    A label that is no sound formula or table is its own text without white space.
    """
    if task == "formula":
        try:
            return latex.normal_form(text)
        except LatexError:
            return "".join(text.split())
    if task == "table":
        try:
            cells = from_html(text).cells
        except TableError:
            return "".join(text.split())
        return "\n".join(f"{c.row},{c.column},{c.rowspan},{c.colspan} {_cell(c.text)}" for c in cells)
    return dense(text)


def key_of(form: str) -> int:
    """64 bits that stand for a normal form; never 0, which stands for none."""
    return int.from_bytes(blake2b(form.encode("utf-8", "surrogatepass"), digest_size=8).digest()) or 1


def _cell(text: str) -> str:
    """A cell as it is compared: signs and points count in a table of numbers, so only white space and case go."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
