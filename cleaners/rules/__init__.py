"""The rules of each task, in the order they run: ``RULES[task]`` for labels, ``IMAGE_RULES`` for pictures with them.

A page's label has ``MARKDOWN_RULES`` where it comes as Markdown, ``PAGE_RULES``, and ``BLOCK_RULES`` for each of its
elements by its type. Boxes have ``layout``.

>>> [rule.name for rule in RULES["table"]][:2]
['text.size', 'text.artefact']
"""

from proofpress.cleaners.rule import Rule
from proofpress.cleaners.rules.forms import FORM_RULES
from proofpress.cleaners.rules.formulas import FORMULA_RULES
from proofpress.cleaners.rules.images import IMAGE_RULES
from proofpress.cleaners.rules.inline import INLINE_RULES
from proofpress.cleaners.rules.layout import LAYOUT_RULES
from proofpress.cleaners.rules.pages import MARKDOWN_RULES, PAGE_RULES
from proofpress.cleaners.rules.tables import TABLE_RULES
from proofpress.cleaners.rules.text import ANY_TEXT

__all__ = ["BLOCK_RULES", "IMAGE_RULES", "LAYOUT_RULES", "MARKDOWN_RULES", "PAGE_RULES", "RULES"]

TEXT_RULES = (*ANY_TEXT, *INLINE_RULES)

RULES: dict[str, tuple[Rule[str], ...]] = {
    "formula": FORMULA_RULES,
    "table": TABLE_RULES,
    "text": TEXT_RULES,
    "form": FORM_RULES,
    "page": (*ANY_TEXT, *PAGE_RULES, *MARKDOWN_RULES),
    "layout": ANY_TEXT,
}

#: By ``record.ELEMENT_TYPES``; the others are read as paragraphs.
BLOCK_RULES: dict[str, tuple[Rule[str], ...]] = {
    "formula": FORMULA_RULES,
    "table": TABLE_RULES,
    "code": ANY_TEXT,
    "paragraph": TEXT_RULES,
}
