r"""How OmniDocBench v1.6 parts a formula into rows: which of its environments it parts, and which it leaves whole.

An alignment, an array of one column or of two, and bare lines are parted; a system in a brace, an alignment whose rows
are cases of one thing, and most ``cases`` are one formula. The rules are upstream's, found by trial on its gold.

>>> rows(r"a & \text{if } b \\[2pt] \begin{matrix} 1 \\ 2 \end{matrix}")
['a & \\text{if } b', '\\begin{matrix} 1 \\\\ 2 \\end{matrix}']
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proofpress.model.bench.normal_forms import strip_delimiters, strip_tags

_NAMES = (
    "array", "aligned", "align", "align*", "alignedat", "alignedat*", "split", "gather", "gather*", "gathered",
    "multline", "multline*", "flalign", "flalign*", "eqnarray", "eqnarray*", "cases",
)  # fmt: skip
_ALIGNED = frozenset({"aligned", "align", "align*", "alignedat", "alignedat*"})
_BEGIN = re.compile(rf"\\begin\{{({'|'.join(map(re.escape, _NAMES))})\}}\s*((?:\{{[^{{}}]*\}}\s*)*)")
_NESTED = re.compile(
    r"\\begin\{(?:array|aligned|align\*?|alignedat\*?|split|gathered?|multline\*?|flalign\*?|eqnarray\*?|cases)\}"
)
_BRACE_BEFORE = re.compile(r"(?:\\left\s*\\\{|\\left\.)\s*")
_BRACE_BEHIND = re.compile(r"\s*\\right(?:\.|\\\})\s*$")
_LOGIC = re.compile(
    r"\\(?:Rightarrow|Leftrightarrow|Longrightarrow|Longleftrightarrow|longrightarrow|longleftrightarrow|implies|"
    r"therefore|because|uparrow|downarrow|Updownarrow|forall|exists)\b|单调|否定"
)
_CASE_LEAD = re.compile(
    r"\(?\d+\)?|\\(?:Rightarrow|Leftrightarrow|Longrightarrow|Longleftrightarrow|implies|therefore|uparrow|downarrow|"
    r"Updownarrow|leftarrow|rightarrow)"
)
_WORDS = re.compile(r"\\(?:text|mathrm|operatorname)\s*\{")
_SPACES = re.compile(r"(?:\\qquad|\\quad|\\,|\\;|\\!|\\>|\\:|~|\s)+$")
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")
_TAG_AT_END = re.compile(r"\\tag\*?\s*\{[^{}]*\}$")
_NUMBER = re.compile(r"[A-Za-z0-9.\-#]+|(?:\\[A-Za-z#]+)+")
MAX_NESTED = 40  # environments in a formula; one with more is left as it is
_AFTER = 200  # characters behind an environment that say whether it belongs to an argument


@dataclass(frozen=True, slots=True)
class _Environment:
    """The environment a formula begins with. braced: a brace stands around it. behind: what follows its end."""

    name: str
    columns: str
    body: str
    rows: Sequence[str]
    braced: bool
    behind: str


def formula_rows(latex: str) -> list[tuple[str, int]] | None:
    """The rows a formula is parted into, with their places in it; None where it is one."""
    bare = strip_delimiters(latex)
    found = _environment(bare)
    if found and _is_parted(found):
        body, behind = found.body, strip_tags(found.behind).strip()
    elif "\\\\" in bare:
        body, behind = bare, ""
    else:
        return None
    lines = [line for row in rows(body) if (line := strip_tags(row).strip())]
    if len(lines) < 2:
        return None
    start, at, placed = max(0, latex.find(body)), 0, []
    for line in lines:
        at = max(at, body.find(line, at))
        placed.append((line, start + at))
        at += len(line)
    if behind:
        placed[-1] = (f"{placed[-1][0]} {behind}", placed[-1][1])
    return placed


def rows(body: str) -> list[str]:
    r"""The pieces between ``\\`` that stands in no braces and in no environment; empty ones left out."""
    pieces, start, index = [], 0, 0
    braces = environments = 0
    while index < len(body):
        if body.startswith(("\\begin{", "\\end{"), index) and (end := body.find("}", index)) > 0:
            opening = body.startswith("\\begin", index)
            environments = environments + 1 if opening else max(0, environments - 1)
            index = end + 1
        elif body.startswith("\\\\", index) and not braces and not environments:
            pieces.append(body[start:index])
            index = start = _behind_break(body, index + 2)
        else:
            if body[index] in "{}" and not _escaped(body, index):
                braces = braces + 1 if body[index] == "{" else max(0, braces - 1)
            index += 1
    return [piece.strip() for piece in (*pieces, body[start:]) if piece.strip()]


def of_rows(parts: Sequence[str]) -> str:
    """One formula with these as its rows."""
    lines = r" \\ ".join(f"{{{part}}}" for part in parts)
    return rf"\begin{{array}}{{l}} {lines} \end{{array}}"


def with_braces_for_cases(latex: str) -> str:
    r"""The formula with an array in a brace for each ``cases`` that is a chain of reasoning."""
    if latex.count("\\begin{") > MAX_NESTED:
        return latex
    pieces, at = [], 0
    while (begin := latex.find("\\begin{", at)) >= 0:
        found = _BEGIN.match(latex, begin)
        if not found:
            pieces.append(latex[at : begin + len("\\begin{")])
            at = begin + len("\\begin{")
            continue
        end = _end(latex, found[1], found.end())
        if end < 0:
            break
        closing = f"\\end{{{found[1]}}}"
        body = with_braces_for_cases(latex[found.end() : end])
        behind = latex[end + len(closing) :][:_AFTER]
        pieces.append(latex[at:begin])
        if found[1] == "cases" and _reasons(body, rows(body), behind.lstrip()):
            pieces.append(rf"\left\{{ \begin{{array}}{{l}} {body.strip()} \end{{array}} \right.")
        else:
            pieces.append(found[0] + body + closing)
        at = end + len(closing)
    return "".join([*pieces, latex[at:]])


def bare_columns(columns: str) -> str:
    """An array's columns without spaces, rules and what stands between them."""
    return re.sub(r"\s+|\||@\{[^}]*\}|!\{[^}]*\}", "", columns)


def _behind_break(body: str, index: int) -> int:
    r"""The place behind the star and the distance that a ``\\`` may have."""
    while index < len(body) and body[index].isspace():
        index += 1
    if body.startswith("*", index):
        index += 1
    if body.startswith("[", index) and (end := body.find("]", index)) > 0:
        index = end + 1
    return index


def _escaped(text: str, index: int) -> bool:
    before = index
    while before and text[before - 1] == "\\":
        before -= 1
    return (index - before) % 2 == 1


def _environment(bare: str) -> _Environment | None:
    before = _BRACE_BEFORE.match(bare)
    core = bare[before.end() :].lstrip() if before else bare
    behind = _BRACE_BEHIND.search(core)
    core = core[: behind.start()].rstrip() if behind else core
    found = _BEGIN.match(core)
    end = _end(core, found[1], found.end()) if found else -1
    if not found or end < 0:
        return None
    body = core[found.end() : end]
    arguments = re.findall(r"\{([^{}]*)\}", found[2])
    columns = bare_columns(arguments[0]) if arguments else ""
    rest = core[end + len(f"\\end{{{found[1]}}}") :]
    return _Environment(found[1], columns, body, rows(body), bool(before or behind), _without_number(rest).strip())


def _end(text: str, name: str, start: int) -> int:
    """Where the environment ends whose body starts there; -1 where it does not."""
    depth = 1
    for found in re.finditer(rf"\\(begin|end)\{{{re.escape(name)}\}}", text[start:]):
        depth += 1 if found[1] == "begin" else -1
        if not depth:
            return start + found.start()
    return -1


def _without_number(behind: str) -> str:
    r"""What follows an environment without labels, tags and a number in brackets at its end."""
    text = _LABEL.sub("", behind).rstrip()
    while text:
        if tag := _TAG_AT_END.search(text):
            text = _SPACES.sub("", text[: tag.start()])
            continue
        opening = text.rfind({")": "(", "]": "["}.get(text[-1], "\x00"))
        if opening < 0 or not _is_number(text[opening + 1 : -1].strip(), text[:opening]):
            break
        text = _SPACES.sub("", text[:opening])
    return text


def _is_number(inside: str, before: str) -> bool:
    apart = not before or bool(_SPACES.search(before[-10:]))
    return apart and not re.fullmatch("[a-z]{1,3}", inside) and bool(_NUMBER.fullmatch(inside))


def _is_parted(found: _Environment) -> bool:
    if found.behind and len(rows(found.behind)) > 1:
        return False
    if found.name == "cases":
        return _has_marker(found.body, found.rows, "") and (
            bool(_NESTED.search(found.body))
            or any(_LOGIC.search(row.lstrip("& ")) for row in found.rows)
            or any(map(_has_words, found.rows[1:]))
        )
    if found.name in _ALIGNED:
        return not _is_one_alignment(found)
    if found.name != "array":
        return True
    columns = found.columns
    if not re.fullmatch("[lcr]", columns) and not (re.fullmatch("[lcr]{2}", columns) and set(columns) & {"l", "r"}):
        return False
    cases = bool(_NESTED.search(found.body)) and any(map(_is_case, found.rows[1:]))
    return not cases and not (found.braced and set(columns) == {"l"} and len(found.rows) > 1)


def _is_one_alignment(found: _Environment) -> bool:
    nested, cases = bool(_NESTED.search(found.body)), any(map(_is_case, found.rows[1:]))
    if nested and cases:
        return True
    if not found.braced:
        return False
    left = sum(len(parts) > 1 and bool(strip_tags(parts[0]).strip()) for parts in map(_cells, found.rows))
    return nested or cases or left > 1 or any(map(_has_words, found.rows[1:]))


def _has_marker(body: str, lines: Sequence[str], behind: str) -> bool:
    """Whether several rows without columns hold a sign of reasoning, or one stands behind them."""
    if len(lines) < 2 or any(len(_cells(line)) > 1 for line in lines):
        return False
    return bool(_LOGIC.search(body) or _LOGIC.search(behind))


def _reasons(body: str, lines: Sequence[str], behind: str) -> bool:
    """Whether ``cases`` are steps of an argument and not the values of one thing."""
    if _BEGIN.match(behind):
        return len(lines) > 1 and all(len(_cells(line)) == 1 for line in lines)
    return _has_marker(body, lines, behind)


def _cells(row: str) -> list[str]:
    """The cells of a row: what stands between bare ``&`` outside environments."""
    return list(_split_cells(row))


def _split_cells(row: str) -> Iterator[str]:
    start = index = depth = 0
    while index < len(row):
        if row.startswith(("\\begin{", "\\end{"), index) and (end := row.find("}", index)) > 0:
            depth = depth + 1 if row.startswith("\\begin", index) else max(0, depth - 1)
            index = end + 1
            continue
        if row[index] == "&" and not depth and not _escaped(row, index):
            yield row[start:index].strip()
            start = index + 1
        index += 1
    yield row[start:].strip()


def _is_case(row: str) -> bool:
    return bool(_CASE_LEAD.match(strip_tags(row.lstrip("& ")).strip()))


def _has_words(row: str) -> bool:
    return bool(_WORDS.search(row))
