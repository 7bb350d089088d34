"""The proof-reading of a printed page: what is painted must be what the label says, and all of it must be legible.

The label is read back from its own Markdown, the page is read back from the browser's document and pixels, and the two
are compared. Each rule answers with the first fault it sees; one fault makes the page a reject.

    faults = proof(spec, label, layout, pixels)        # [] for a page that may be kept
"""

import numpy as np

from proofpress.generators.layout import PageSpec
from proofpress.generators.proof import geometry, ink, labels
from proofpress.generators.proof.printed import Printed, Rule
from proofpress.generators.sheet import Layout
from proofpress.pages import markdown
from proofpress.pages.record import UNLABELLED, Check


def proof(spec: PageSpec, label: str, layout: Layout, pixels: np.ndarray) -> list[Check]:
    """The faults of a printed page, one at most for each rule; an empty list is a page whose label is exact.

    label: the page's Markdown. pixels: ``(height, width)`` grey levels, uint8.
    """
    kept = tuple(piece for piece in spec.pieces if piece.id in layout.pieces)
    labelled = tuple(piece for piece in kept if piece.type not in UNLABELLED)
    printed = Printed(spec, label, kept, labelled, tuple(markdown.read(label)), layout, pixels)
    faults = []
    for rule, check in RULES.items():
        evidence = next(check(printed), None)
        if evidence is not None:
            faults.append(Check(f"proof.{rule}", "failed", rule, evidence))
    return faults


#: Every proof of the press, by the reason its failure is counted under.
RULES: dict[str, Rule] = {
    "font": labels.fonts_loaded,
    "style": labels.plain_style,
    "tofu": labels.no_tofu,
    "text": labels.same_text,
    "tree": labels.same_tree,
    "formula": labels.same_formulas,
    "table": labels.same_tables,
    "clipped": geometry.unclipped,
    "occluded": geometry.uncovered,
    "overflow": geometry.within_its_place,
    "order": geometry.in_order,
    "overlap": geometry.apart,
    "contrast": ink.contrast,
    "ink": ink.in_its_boxes,
}
