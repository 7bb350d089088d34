"""XML of corpora (PASCAL VOC, InkML) as a tree, without doctypes, and so without entities.

    root = parse_xml(b"<ink><trace>0 0, 1 1</trace></ink>")
    children(root, "trace")[0].text

Python's own parser, because lxml refuses the ``xml:id`` of ``(_1`` that InkML files of CROHME have.
"""

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from proofpress.cleaners.corpus import RowError

Node = ElementTree.Element


def parse_xml(data: bytes, original: Mapping[str, Any] | None = None) -> Node:
    """The root of a document. Raises ``RowError`` ``row.xml``."""
    if b"<!DOCTYPE" in data.replace(b"\0", b"") or b"<!ENTITY" in data.replace(b"\0", b""):
        raise RowError("row.xml", "a doctype, which no file of the corpus has", original)
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise RowError("row.xml", str(error), original) from error


def children(node: Node, name: str) -> list[Node]:
    """The direct children of this name, in whatever namespace."""
    return [child for child in node if child.tag.rpartition("}")[2] == name]


def child_text(node: Node | None, name: str) -> str:
    """The text of the first child of this name; empty where there is none."""
    found = children(node, name) if node is not None else []
    return (found[0].text or "") if found else ""
