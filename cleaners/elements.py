"""A page's elements and its Markdown: the label of a page is written from its elements in reading order.

elements = [Element("e0", "title", "Mass", ()), Element("e1", "formula", "E=mc^2", ())]
page_text(elements)                   # '# Mass\\n\\n$$E=mc^2$$'
elements_in("# Mass")                 # [Element("e0", "heading", "Mass", (), None, {"level": "1"})]
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from proofpress.pages import markdown
from proofpress.pages.markdown import Block, Run, inline
from proofpress.pages.record import UNLABELLED, Element

# As the dialect numbers a list; whatever else is printed before an item (a bullet, a dash) is its ``-``.
_NUMBER = re.compile(r"[0-9]{1,9}\.")


def page_text(elements: Iterable[Element]) -> str:
    """The page's Markdown. ``ValueError`` names an element that would read differently."""
    return markdown.write([block for element in elements if (block := block_of(element)) is not None])


def block_of(element: Element) -> Block | None:
    """The block an element is in the label; None for what is not in it, or has no text."""
    if element.type in UNLABELLED or not element.text:
        return None
    told = element.attributes
    match element.type:
        case "title":
            return Block("heading", element.text, level=1)
        case "heading":
            return Block("heading", element.text, level=int(told.get("level", "2")))
        case "list_item":
            marker = told.get("marker", "")
            return Block(
                "list_item", element.text, int(told.get("level", "0")), marker if _NUMBER.fullmatch(marker) else "-"
            )
        case "formula":
            return Block("formula", element.text)
        case "table":
            return Block("table", element.text)
        case "code":
            return Block("code", element.text, marker=told.get("language", ""))
        case "note" if "marker" in told:
            return Block("note", element.text, marker=told["marker"])
        case _:
            return Block("paragraph", element.text)


def elements_in(text: str) -> list[Element]:
    """The elements of a page of which only the Markdown is known; they have no polygons."""
    return [_element(f"e{number}", block) for number, block in enumerate(markdown.read(text))]


def printed(text: str) -> str:
    """Text as printed, as inline text of the dialect on one line: a dollar is no mark of a formula."""
    return inline([Run("text", " ".join(text.split()))])


def read_into(element: Element) -> list[Element]:
    """The elements that one region's Markdown holds, each with the region's polygons: a list in a block of text."""
    found = elements_in(element.text)
    if len(found) == 1 and (found[0].type == "paragraph" or element.type == found[0].type):
        return [replace(element, text=found[0].text)]
    names = [element.id, *(f"{element.id}.{number}" for number in range(1, len(found)))]
    return [replace(part, id=name, polygons=element.polygons) for name, part in zip(names, found, strict=True)]


def _element(name: str, block: Block) -> Element:
    attributes = dict(_attributes(block))
    return Element(name, block.kind, block.text, (), None, attributes)


def _attributes(block: Block) -> Iterator[tuple[str, str]]:
    match block.kind:
        case "heading":
            yield "level", str(block.level)
        case "list_item":
            yield "level", str(block.level)
            yield "marker", block.marker
        case "note":
            yield "marker", block.marker
        case "code" if block.marker:
            yield "language", block.marker
