"""The rules of each task, in the order they run: ``RULES[task]`` for labels, ``IMAGE_RULES`` for every picture.

>>> [rule.name for rule in RULES["table"]][:2]
['text.artefact', 'table.phantom']
"""

from proofpress.cleaners.rule import Rule
from proofpress.cleaners.rules.formulas import FORMULA_RULES
from proofpress.cleaners.rules.images import IMAGE_RULES
from proofpress.cleaners.rules.tables import TABLE_RULES

__all__ = ["IMAGE_RULES", "RULES"]

RULES: dict[str, tuple[Rule[str], ...]] = {"formula": FORMULA_RULES, "table": TABLE_RULES}
