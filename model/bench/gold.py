"""A page of OmniDocBench's gold as blocks.

gold_blocks(pages[0], "v1.5")
"""

from collections.abc import Mapping
from typing import Any

from proofpress.model.bench.blocks import FORMULA, TABLE, TEXTS, Block
from proofpress.model.bench.formula_lines import gold_lines
from proofpress.model.bench.normal_forms import Edition, formula_form, text_form


def gold_blocks(page: Mapping[str, Any], edition: Edition) -> list[Block]:
    """The blocks of a page of the gold JSON that are scored or matched, each kind in reading order, tables last.

    Texts that the gold parts over columns (``truncated``) are one block. Blocks without an order stand first.
    """
    parted = _parted(page, edition)
    by_id = {item["anno_id"]: item for item in page["layout_dets"] if "anno_id" in item}
    joined = {anno for group in parted for anno in group}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for item in page["layout_dets"]:
        if item.get("anno_id") not in joined and not (edition == "v1.6" and item.get("ignore")):
            found.setdefault(item["category_type"], []).append(item)
    for group in parted:
        parts = sorted((by_id[anno] for anno in group if anno in by_id), key=lambda item: item.get("order") or 0)
        if parts and not (edition == "v1.6" and any(part.get("ignore") for part in parts)):
            whole = dict(parts[0]) | {"text": "".join(part.get("text") or "" for part in parts), "attribute": {}}
            found.setdefault(whole["category_type"], []).append(whole)
    categories = [(name, "text") for name in TEXTS] + [(FORMULA, "formula"), (TABLE, "table")]
    blocks = [_gold_block(item, kind, edition) for name, kind in categories for item in found.get(name, ())]
    ordered = sorted(blocks, key=lambda block: block.at or 0)
    ordered = [one for block in ordered for one in gold_lines(block, edition)]
    return sorted(ordered, key=lambda block: block.kind == "table")


def _parted(page: Mapping[str, Any], edition: Edition) -> list[list[Any]]:
    """The ids of texts that are one. Before v1.6 a text in the middle of a chain of three is in it twice."""
    groups: list[list[Any]] = []
    for relation in page.get("extra", {}).get("relation", ()):
        if relation["relation_type"] != "truncated":
            continue
        ends = [relation["source_anno_id"], relation["target_anno_id"]]
        joined = [group for group in groups if set(group) & set(ends)]
        if not joined:
            groups.append(ends)
        elif edition == "v1.6":
            groups = [group for group in groups if group not in joined]
            groups.append(list(dict.fromkeys([anno for group in joined for anno in group] + ends)))
        else:
            for group in joined:
                group += ends
    return groups


def _gold_block(item: Mapping[str, Any], kind: str, edition: Edition) -> Block:
    attributes = tuple((str(name), str(value)) for name, value in (item.get("attribute") or {}).items())
    at = item.get("order") or None
    if kind == "formula":
        latex = str(item.get("latex") or "")
        return Block("formula", FORMULA, latex, formula_form(latex, edition), at, attributes)
    if kind == "table":
        html = str(item.get("html") or "")
        return Block("table", TABLE, html, html, at, attributes)
    text = str(item.get("text") or "")
    return Block("text", item["category_type"], text, text_form(text, edition), at, attributes)
