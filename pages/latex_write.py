r"""The visible tree of a formula, written as LaTeX that KaTeX reads back as the same tree.

>>> from proofpress.pages.latex import tree
>>> write(tree(r"{\rm max}_{i} \left( \tfrac12 x\right)"))
'\\max_{i}(\\frac{1}{2}x)'
"""

import re
from collections.abc import Iterable

from proofpress.pages.latex_tree import Node

_OPERATORS = frozenset(
    """
    arccos arcctg arcsin arctan arctg arg ch cos cosec cosh cot cotg coth csc ctg cth deg det dim exp gcd hom inf ker
    lg lim ln log max min Pr sec sh sin sinh sup tan tanh tg th
    """.split()  # noqa: SIM905
)
_MATH = {"rm": "mathrm", "bf": "mathbf", "it": "mathit", "sf": "mathsf", "tt": "mathtt", "bb": "mathbb"}
_MATH |= {"cal": "mathcal", "scr": "mathscr", "frak": "mathfrak", "bi": "boldsymbol"}
_TEXT = {"rm": "text", "bf": "textbf", "it": "textit", "sf": "textsf", "tt": "texttt"}
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")


def write(node: Node) -> str:
    """The LaTeX of a tree that ``latex_tree.build`` made."""
    return _row(node.children)


def _row(nodes: Iterable[Node]) -> str:
    text = ""
    left: Node | None = None
    for node in nodes:
        piece = _node(node)
        if left is not None and _would_join(left, node):
            text += r"\ "
        text = _spaced(text, piece)
        left = node
    return text


def _spaced(text: str, piece: str) -> str:
    """Both, with a space between where a letter would run on a command's name."""
    return f"{text} {piece}" if _ENDS_IN_COMMAND.search(text) and piece[:1].isalpha() else text + piece


def _would_join(left: Node, right: Node) -> bool:
    """Whether two words would be read as one."""
    while right.kind == "script" and right.among("base"):
        right = right.among("base")[0]
    return left.kind == right.kind == "word" and left.font == right.font and not (_is_name(left) or _is_name(right))


def _is_name(word: Node) -> bool:
    return word.font == "rm" and word.value in _OPERATORS


def _node(node: Node) -> str:
    match node.kind:
        case "symbol":
            return _symbol(node)
        case "word":
            return _word(node)
        case "script":
            return _script(node)
        case "stack":
            slot = "over" if node.among("over") else "under"
            return rf"\{slot}set{{{_slot(node, slot)}}}{{{_slot(node, 'base')}}}"
        case "frac":
            return rf"\frac{{{_slot(node, 'over')}}}{{{_slot(node, 'under')}}}"
        case "sqrt":
            index = f"[{{{_slot(node, 'index')}}}]" if node.among("index") else ""
            return rf"\sqrt{index}{{{_slot(node, 'body')}}}"
        case "arrow":
            under = f"[{{{_slot(node, 'under')}}}]" if node.among("under") else ""
            return f"{node.value}{under}{{{_slot(node, 'over')}}}"
        case "grid":
            return _grid(node)
        case "frame" if node.value == r"\angl":
            return rf"\angl{{${_slot(node, 'body')}$}}"
        case _:
            return f"{node.value}{{{_slot(node, 'body')}}}"


def _slot(node: Node, slot: str) -> str:
    return _row(node.among(slot))


def _symbol(node: Node) -> str:
    if node.value == r"\rule":
        return r"\rule{1em}{1em}"
    if node.font == "rm":
        return rf"\text{{{node.value}}}"
    return rf"\{_MATH[node.font]}{{{node.value}}}" if node.font else node.value


def _word(node: Node) -> str:
    if _is_name(node):
        return f"\\{node.value}"
    in_math = node.value.isascii() and node.font != "it"
    return rf"\{(_MATH if in_math else _TEXT)[node.font]}{{{node.value}}}"


def _script(node: Node) -> str:
    base = node.among("base")
    text = f"{{{_row(base)}}}" if not base or base[0].kind == "script" else _row(base)
    for mark, slot in (("_", "sub"), ("^", "sup")):
        if node.among(slot):
            text += f"{mark}{{{_slot(node, slot)}}}"
    return text


def _grid(node: Node) -> str:
    body = r"\\".join(map(_grid_row, node.children))
    if node.value:
        return rf"\begin{{array}}{{{node.value}}}{body}\end{{array}}"
    return rf"\begin{{matrix}}{body}\end{{matrix}}"


def _grid_row(row: Node) -> str:
    text = _spaced(row.value, "&".join(_row(cell.children) for cell in row.children))
    return "{}" + text if text.startswith("[") else text  # after a row's end, a bracket would be read as its height
