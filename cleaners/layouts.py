"""Layouts as text: how a page of which only the regions are known stands in a label (``docs/corpora.md``).

One list item a region: its type and its box, left, top, right, bottom, in thousandths of the picture's width and
height. Regions stand by their top, then by their left side.

    >>> layout_text([Element("e0", "title", "", ((10.0, 10.0, 90.0, 10.0, 90.0, 20.0, 10.0, 20.0),))], (100, 200))
    '- title 100 50 900 100'
"""

from collections.abc import Iterable

from proofpress.pages.record import Element


def layout_text(elements: Iterable[Element], size: tuple[int, int]) -> str:
    """The label of regions in pixels of a picture of this size."""
    return "\n".join(
        f"- {kind} {left} {top} {right} {bottom}" for top, left, bottom, right, kind in _boxes(elements, size)
    )


def _boxes(elements: Iterable[Element], size: tuple[int, int]) -> list[tuple[int, int, int, int, str]]:
    boxes = []
    for element in elements:
        for polygon in element.polygons:
            xs = [round(1000 * x / size[0]) for x in polygon[::2]]
            ys = [round(1000 * y / size[1]) for y in polygon[1::2]]
            boxes.append((min(ys), min(xs), max(ys), max(xs), element.type))
    return sorted(boxes)
