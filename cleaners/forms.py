r"""Forms as text: how keys and values, which the dialect has no block for, stand in a label (``docs/corpora.md``).

A field is a list item ``key: value``; the key ends at the first colon that a space or the end follows. Fields of fields
are items one level deeper. What a form says outside its fields are paragraphs and headings.

    >>> print(form_text([Field("menu", fields=(Field("name", "Latte"), Field("price", "$4"))), Field("total", "4.00")]))
    - menu:
        - name: Latte
        - price: \$4
    - total: 4.00
    >>> [field.key for field in read_form("- menu:\n    - name: Latte\n- total: 4.00")]
    ['menu', 'total']
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proofpress.pages import markdown
from proofpress.pages.markdown import Block, Run, inline
from proofpress.pages.table import one_line

_KEY_END = re.compile(r":(?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Field:
    """A key with its value, with fields of its own, or with both. Texts are as printed, not Markdown."""

    key: str
    value: str = ""
    fields: tuple["Field", ...] = ()


def form_text(fields: Sequence[Field]) -> str:
    """The label of the fields, in their order."""
    return markdown.write(list(field_blocks(fields)))


def field_blocks(fields: Sequence[Field], level: int = 0) -> Iterator[Block]:
    """The list items of fields, to stand among a form's other blocks."""
    for field in fields:
        # A colon in a key would end it: without its space it does not.
        key = re.sub(r":\s+", ":", one_line(field.key).removesuffix(":").rstrip())
        text = inline([Run("text", one_line(f"{key}: {field.value}"))])
        yield Block("list_item", text, level=level, marker="-")
        yield from field_blocks(field.fields, level + 1)


def read_form(text: str) -> tuple[Field, ...]:
    """The fields of a label; what is no field is left out."""
    return _nested(list(_items(text)))


def _items(text: str) -> Iterator[tuple[int, Field]]:
    for block in markdown.read(text):
        if block.kind == "list_item" and (end := _KEY_END.search(block.text)):
            printed = "".join(run.text for run in markdown.runs(block.text))
            end = _KEY_END.search(printed) or end
            yield block.level, Field(printed[: end.start()], printed[end.end() :].strip())


def _nested(items: list[tuple[int, Field]]) -> tuple[Field, ...]:
    fields: list[Field] = []
    while items:
        level, field = items.pop(0)
        inner = []
        while items and items[0][0] > level:
            inner.append(items.pop(0))
        fields.append(replace(field, fields=_nested(inner)))
    return tuple(fields)
