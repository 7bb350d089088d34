r"""What is visible of a formula: KaTeX's syntax tree reduced to what the eye can tell apart.

Kept: every symbol in its font, words, what stands above, below, before and after what, radicals, accents, frames, and
the rows and columns of a grid with their rules. Not kept, since no reader sees it or could tell how it was spelt:

- grouping braces, spacing, phantoms, sizes and styles (``\dfrac``, ``\big``, ``\left``, ``\displaystyle``), colours,
  whether limits stand beside or below their operator;
- which of its spellings a symbol has (``latex_symbols``), a negation (``\not=``, ``\neq``), a word (``\sin``,
  ``\operatorname{sin}``, ``\mathrm{sin}``), a binomial (``\binom``, ``\choose``, a ``pmatrix`` of two rows);
- where an alignment is aligned: ``aligned``, ``gathered`` and an ``array`` of ``rcl`` are lines, and one is no grid.

A script belongs to the last thing before it, so ``{(a)}^2``, ``\left(a\right)^2`` and ``(a)^2`` are one.

    >>> from proofpress.pages.latex import tree
    >>> [(node.kind, node.value, node.slot) for node in tree("x_i").children[0].children]
    [('symbol', 'x', 'base'), ('symbol', 'i', 'sub')]
"""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from proofpress.pages.latex_symbols import math_leaf, negated, spelling, text_leaf


class Node(NamedTuple):
    """One visible thing (a tuple, for formulas have hundreds of them and are read while others wait).

    kind: ``formula`` (the root), ``symbol``, ``word``, ``script``, ``stack`` (something over or under a base),
    ``frac``, ``sqrt``, ``accent``, ``arrow`` (an extensible one), ``frame``, ``grid``, ``row`` or ``cell``.
    value: a symbol's one spelling, a word's letters, the command of an accent, arrow or frame, the column pattern of a
    grid with rules, the rules above a row. slot: its place in the node above: ``base``, ``sub``, ``sup``, ``over``,
    ``under``, ``body``, ``index``, or empty. font: as ``latex_symbols.Leaf`` has it.
    """

    kind: str
    value: str = ""
    slot: str = ""
    font: str = ""
    children: tuple["Node", ...] = ()

    def among(self, slot: str) -> tuple["Node", ...]:
        """The children in this slot, in order."""
        return tuple(child for child in self.children if child.slot == slot)


class Fonts(NamedTuple):
    """The fonts that reign at a place: of math mode (empty: each symbol's own) and of text mode."""

    math: str = ""
    text: str = "rm"


KatexNode = dict[str, Any]
Katex = KatexNode | list[KatexNode] | None

_GAP = Node("gap")  # a space, which only tells words apart and is dropped once they are put together
_NOT_SEEN = {"kern", "spacing", "cr", "phantom", "hphantom", "vphantom"}
_WRAPPERS = {"mclass", "hbox", "color", "sizing", "styling", "html", "href", "ordgroup", "raisebox", "vcenter", "smash"}
_WRAPPERS |= {"lap"}
_MATH_FONTS = {"mathrm": "rm", "mathbf": "bf", "mathit": "it", "mathsf": "sf", "mathtt": "tt", "mathbb": "bb"}
_MATH_FONTS |= {"mathcal": "cal", "mathscr": "scr", "mathfrak": "frak", "boldsymbol": "bi", "mathnormal": ""}
_MATH_FONTS |= {"mathsfit": "sf"}
_TEXT_FONTS = {r"\textbf": "bf", r"\textit": "it", r"\emph": "it", r"\textsf": "sf", r"\texttt": "tt"}
_COMBINING = {"'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307"}
_COMBINING |= {'"': "\u0308", "r": "\u030a", "v": "\u030c", "c": "\u0327", "H": "\u030b"}
_CD_ARROWS = {"cdrightarrow": r"\xrightarrow", "cdleftarrow": r"\xleftarrow", "cdlongequal": r"\xlongequal"}
_LIMITED = {r"\sum", r"\prod", r"\coprod", r"\int", r"\iint", r"\iiint", r"\oint", r"\oiint", r"\oiiint", r"\bigcap"}
_LIMITED |= {r"\bigcup", r"\bigvee", r"\bigwedge", r"\bigodot", r"\bigoplus", r"\bigotimes", r"\biguplus", r"\bigsqcup"}
_ALIGNED = {"align", "alignat", "gather"}
_ALIGNED_COLUMNS = {"rl", "rcl"}  # an alignment spelt as an array


def build(nodes: list[KatexNode]) -> Node:
    """The visible tree of KaTeX's list of nodes: pure, and total over what KaTeX 0.16.21 parses."""
    return Node("formula", children=_row(_items(nodes, Fonts())))


def _items(katex: Katex, fonts: Fonts) -> list[Node]:
    """What is visible of some nodes, from left to right, groups dissolved, with the gaps between them."""
    if not katex:
        return []
    if isinstance(katex, list):
        return [item for node in katex for item in _items(node, fonts)]
    kind = katex["type"]
    if kind in _NOT_SEEN:
        return [_GAP]
    if kind in _WRAPPERS:
        return _items(katex["body"], fonts)
    return _BUILDERS[kind](katex, fonts)


def _row(items: Iterable[Node], slot: str = "") -> tuple[Node, ...]:
    """Items as the row of a slot: letters put together to words, negations to what they strike, gaps dropped."""
    row: list[Node] = []
    gap = True
    for item in items:
        if item.kind == "gap":
            gap = True
            continue
        joined = _join(row[-1], item) if row and (not gap or row[-1].value == r"\not") else None
        if joined:
            row[-1] = joined
        else:
            row.append(item)
        gap = False
    return _placed(row, slot)


def _placed(row: Iterable[Node], slot: str) -> tuple[Node, ...]:
    return tuple(Node(kind, value, slot, font, children) for kind, value, _, font, children in row)


def _join(left: Node, right: Node) -> Node | None:
    """Two neighbours as one where they are read as one, else None; a script's base joins what stands before it."""
    if right.kind == "script":
        base = right.among("base")
        joined = _join(left, base[0]) if base else None
        return joined and right._replace(children=(joined._replace(slot="base"), *right.children[1:]))
    if left.kind == right.kind == "word" and left.font == right.font:
        return left._replace(value=left.value + right.value)
    if left.value == r"\not" and right.kind == "symbol":
        return right._replace(value=negated(right.value))
    return None


def _leaf(node: KatexNode, fonts: Fonts) -> list[Node]:
    leaf = text_leaf(node["text"], fonts.text) if node["mode"] == "text" else math_leaf(node["text"], fonts.math)
    return [Node(leaf.kind, leaf.value, font=leaf.font)]


def _word(letters: str) -> list[Node]:
    return [_GAP, Node("word", letters, font="rm"), _GAP]


def _delimiter(text: str | None) -> list[Node]:
    if not text or text == ".":
        return []
    return [Node("symbol", {"<": r"\langle", ">": r"\rangle"}.get(spelling(text), spelling(text)))]


def _operator(node: KatexNode, fonts: Fonts) -> list[Node]:
    if node.get("body") is not None:
        return _items(node["body"], fonts)
    name = node["name"]
    return [Node("symbol", spelling(name))] if node["symbol"] else _word(name.removeprefix("\\"))


def _supsub(node: KatexNode, fonts: Fonts) -> list[Node]:
    before, base, after = _split_last(_items(node["base"], fonts))
    sub, sup = _row(_items(node.get("sub"), fonts)), _row(_items(node.get("sup"), fonts))
    if not sub and not sup:
        return [*before, *base, *after]
    if _is_stacked(node["base"], (*before, *base)):
        return _stack(_row([*before, *base, *after]), sup, sub)
    children = (*_placed(base, "base"), *_placed(sub, "sub"), *_placed(sup, "sup"))
    return [*before, Node("script", children=children), *after]


def _split_last(items: list[Node]) -> tuple[list[Node], list[Node], list[Node]]:
    """What stands before the last visible item, that item, and the gaps behind it."""
    last = max((place for place, item in enumerate(items) if item.kind != "gap"), default=-1)
    return items[: max(last, 0)], items[max(last, 0) : last + 1], items[last + 1 :]


def _is_stacked(base: KatexNode | None, items: Iterable[Node]) -> bool:
    r"""Whether scripts stand over and under the whole base (``\overset``), which is no operator with its limits."""
    if not base or base["type"] != "op" or base.get("body") is None or not base["limits"]:
        return False
    row = _row(items)
    operator = len(row) == 1 and (row[0].value in _LIMITED or (row[0].kind == "word" and len(row[0].value) > 1))
    return bool(row) and not operator


def _stack(base: tuple[Node, ...], over: tuple[Node, ...], under: tuple[Node, ...]) -> list[Node]:
    for slot, row in (("under", under), ("over", over)):
        if row:
            base = (Node("stack", children=(*_placed(base, "base"), *_placed(row, slot))),)
    return list(base)


def _fraction(node: KatexNode, fonts: Fonts) -> list[Node]:
    over, under = _row(_items(node["numer"], fonts), "over"), _row(_items(node["denom"], fonts), "under")
    if node["hasBarLine"]:
        inner = [Node("frac", children=(*over, *under))]
    else:
        inner = _grid([[_placed(over, "")], [_placed(under, "")]])
    return [*_delimiter(node["leftDelim"]), *inner, *_delimiter(node["rightDelim"])]


def _root(node: KatexNode, fonts: Fonts) -> list[Node]:
    index, body = _row(_items(node["index"], fonts), "index"), _row(_items(node["body"], fonts), "body")
    return [Node("sqrt", children=(*index, *body))]


def _accent(node: KatexNode, fonts: Fonts) -> list[Node]:
    body = _row(_items(node.get("base") or node.get("body"), fonts), "body")
    label = str(node.get("label") or rf"\{node['type']}")
    combining = _COMBINING.get(label[1:])
    if combining and len(body) == 1 and body[0].kind == "word":
        return [body[0]._replace(value=unicodedata.normalize("NFC", body[0].value + combining))]
    return [Node("accent", label, children=body)]


def _frame(node: KatexNode, fonts: Fonts) -> list[Node]:
    if node["label"] == r"\colorbox":
        return _items(node["body"], fonts)
    label = r"\boxed" if node["label"].endswith("box") else node["label"]
    return [Node("frame", label, children=_row(_items(node["body"], fonts), "body"))]


def _arrow(node: KatexNode, fonts: Fonts) -> list[Node]:
    label = str(node["label"])
    label = _CD_ARROWS.get(label.lstrip("\\"), label)
    over, under = _row(_items(node.get("body"), fonts), "over"), _row(_items(node.get("below"), fonts), "under")
    return [Node("arrow", label, children=(*over, *under))]


def _array(node: KatexNode, fonts: Fonts) -> list[Node]:
    cells = [[_items(cell, fonts) for cell in row] for row in node["body"]]
    for row, tag in zip(cells, node.get("tags") or [], strict=False):
        if isinstance(tag, list):
            row[-1] += [_GAP, *_items(tag, fonts)]
    rules = [r"\hdashline" * sum(lines) + r"\hline" * (len(lines) - sum(lines)) for lines in node["hLinesBeforeRow"]]
    pattern = "".join(column.get("separator", column.get("align", "")) for column in node.get("cols") or [])
    ruled = any(rules) or any(not mark.isalpha() for mark in pattern)
    if node.get("colSeparationType") in _ALIGNED or (pattern in _ALIGNED_COLUMNS and not ruled):
        cells = [[[item for cell in row for item in (_GAP, *cell)]] for row in cells]
    pattern = pattern or "c" * max(map(len, cells), default=0)
    centred = "".join("c" if mark.isalpha() else mark for mark in pattern)
    return _grid([[_row(cell) for cell in row] for row in cells], centred if ruled else "", rules)


def _grid(cells: list[list[tuple[Node, ...]]], pattern: str = "", rules: list[str] | None = None) -> list[Node]:
    """The rows and cells, without empty ones at the end; a single cell without rules is its content."""
    rows = []
    for number, row in enumerate(cells):
        while row and not row[-1]:
            row = row[:-1]
        above = rules[number] if pattern and rules else ""
        rows.append(Node("row", above, children=tuple(Node("cell", children=cell) for cell in row)))
    if pattern and rules and len(rules) > len(cells):
        rows.append(Node("row", rules[len(cells)]))
    while rows and not rows[-1].children and not rows[-1].value:
        rows.pop()
    if not pattern and len(rows) == 1 and len(rows[0].children) < 2:
        return [item for cell in rows[0].children for item in (_GAP, *cell.children, _GAP)]
    return [Node("grid", pattern, children=tuple(rows))] if rows else []


def _in_text_font(node: KatexNode, fonts: Fonts) -> list[Node]:
    command = node.get("font")
    text = fonts.text if command in (None, r"\text") else _TEXT_FONTS.get(command, "rm")
    return _items(node["body"], fonts._replace(text=text))


def _rule(node: KatexNode, fonts: Fonts) -> list[Node]:
    return [Node("symbol", r"\rule")] if node["width"]["number"] > 0 and node["height"]["number"] > 0 else [_GAP]


_BUILDERS: dict[str, Callable[[KatexNode, Fonts], list[Node]]] = {
    **dict.fromkeys(("mathord", "textord", "atom"), _leaf),
    **dict.fromkeys(("accent", "accentUnder", "overline", "underline", "horizBrace"), _accent),
    **dict.fromkeys(("delimsizing", "middle"), lambda node, fonts: _delimiter(node["delim"])),
    "op": _operator,
    "operatorname": lambda node, fonts: [_GAP, *_items(node["body"], fonts._replace(math="rm")), _GAP],
    "supsub": _supsub,
    "genfrac": _fraction,
    "sqrt": _root,
    "enclose": _frame,
    "xArrow": _arrow,
    "array": _array,
    "leftright": lambda node, fonts: [
        *_delimiter(node["left"]),
        *_items(node["body"], fonts),
        *_delimiter(node["right"]),
    ],
    "font": lambda node, fonts: _items(node["body"], fonts._replace(math=_MATH_FONTS[node["font"]])),
    "text": _in_text_font,
    "pmb": lambda node, fonts: _items(node["body"], fonts._replace(math="bi")),
    "mathchoice": lambda node, fonts: _items(node["text"], fonts),
    "htmlmathml": lambda node, fonts: _items(node["mathml"], fonts),
    "verb": lambda node, fonts: [
        Node(*leaf[:2], font=leaf.font) if leaf.value.strip() else _GAP
        for leaf in (text_leaf(letter, "tt") for letter in node["body"])
    ],
    "tag": lambda node, fonts: [*_items(node["body"], fonts), _GAP, *_items(node["tag"], fonts)],
    "cdlabelparent": lambda node, fonts: _items(node["fragment"], fonts),
    "cdlabel": lambda node, fonts: _items(node["label"], fonts),
    "rule": _rule,
}
