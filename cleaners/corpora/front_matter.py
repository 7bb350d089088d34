"""olmOCR's page responses: what its readers say of a page, in Parquet columns, in JSON, or before a Markdown page.

``primary_language``, ``is_rotation_valid``, ``rotation_correction`` (degrees clockwise that the page is to be
turned by), ``is_table``, ``is_diagram``, ``natural_text``. Every field comes in odd types in some file: booleans as
text, numbers as floats, the language ``no`` as false (https://github.com/allenai/olmocr,
``repackage_olmocrmix.py``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from proofpress.cleaners.corpus import RowError
from proofpress.pages.record import Check

MAX_HEAD = 10_000  # characters of front matter


@dataclass(frozen=True, slots=True)
class PageResponse:
    """A page's text and how it is to be turned. findings: fields that had to be read as what they must have been."""

    text: str
    language: str
    turn: int
    findings: tuple[Check, ...]


def split_head(page: str) -> tuple[dict[str, Any], str]:
    """The front matter and the text below it. Raises ``RowError``."""
    if not page.startswith("---\n"):
        return {}, page
    head, mark, text = page[4:].partition("\n---")
    if not mark or len(head) > MAX_HEAD:
        raise RowError("row.front_matter", "the front matter does not end", {"page": page[:MAX_HEAD]})
    try:
        values = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RowError("row.front_matter", str(error), {"page": page}) from error
    if not isinstance(values, dict):
        raise RowError("row.front_matter", f"no fields but {type(values).__name__}", {"page": page})
    return values, text.strip("\n")


def read_response(row: Mapping[str, Any], original: Mapping[str, Any]) -> PageResponse:
    """The response of a row's fields. Raises ``RowError`` where it says the page was not read upright."""
    mended = []
    language = row.get("primary_language")
    if language is not None and not isinstance(language, str):
        mended.append(f"primary_language {language!r}")
        language = None
    turn, upright = _number(row.get("rotation_correction")), _truth(row.get("is_rotation_valid"))
    if turn not in (0, 90, 180, 270):
        raise RowError("olmocr.rotation", f"rotation_correction {row.get('rotation_correction')!r}", original)
    if upright is False and not turn:
        raise RowError("olmocr.rotation", "read askew (is_rotation_valid is false), and no correction given", original)
    text = row.get("natural_text")
    if text is not None and not isinstance(text, str):
        raise RowError("row.malformed", f"natural_text is {text!r:.200}", original)
    for name in ("is_rotation_valid", "rotation_correction", "is_table", "is_diagram"):
        if isinstance(row.get(name), str | float):
            mended.append(f"{name} {row[name]!r}")
    checks = (Check("olmocr.fields", "fixed", "olmocr.field_type", ", ".join(mended)),) if mended else ()
    return PageResponse(text or "", (language or "").lower(), turn, checks)


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return None if value is None or value != value else bool(value)


def _number(value: Any) -> int:
    try:
        return int(float(value)) % 360 if value is not None and value == value else 0
    except (TypeError, ValueError, OverflowError):
        return -1
