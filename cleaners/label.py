"""A label judged by the rules of its task; a page's, element by element.

    judged = judge_label("formula", r"{a \\over b} \\label{x}")
    judged.text, [check.reason for check in judged.checks if check.reason]    # '{\\frac{a}{b}}', [...]

A page comes either as Markdown or as elements in reading order. Both become elements, every one is judged by the rules
of its kind, and the page's Markdown is written from what they are then.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from proofpress.cleaners.elements import block_of, elements_in, page_text
from proofpress.cleaners.rule import Drop, Fix, Rule
from proofpress.cleaners.rules import BLOCK_RULES, RULES
from proofpress.cleaners.rules.pages import MARKDOWN_RULES, PAGE_RULES
from proofpress.cleaners.rules.text import ANY_TEXT
from proofpress.pages.markdown import Block
from proofpress.pages.record import Check, Element


@dataclass(frozen=True, slots=True)
class Judged:
    """A label as the rules leave it. elements: a page's. drop: why it is none, if it is none."""

    text: str
    checks: tuple[Check, ...]
    elements: tuple[Element, ...] = ()
    drop: Drop | None = None


def judge_label(task: str, text: str, elements: Sequence[Element] = ()) -> Judged:
    """Judge a label. task: of ``record.TASKS``. elements: of a page that has them; its text is written from them."""
    if task == "page":
        return _judge_page(text, elements)
    return replace(apply(RULES[task], text), elements=tuple(elements))


def apply(rules: Iterable[Rule[str]], text: str) -> Judged:
    """The rules in turn, each on what the one before it left, until one drops the text."""
    checks: list[Check] = []
    for rule in rules:
        verdict = rule.judge(text)
        if isinstance(verdict, Drop):
            return Judged(text, tuple(checks), drop=verdict)
        if isinstance(verdict, Fix):
            text = verdict.text
        outcome = "fixed" if isinstance(verdict, Fix) else "passed"
        checks.append(Check(rule.name, outcome, verdict.reason, verdict.evidence))
    return Judged(text, tuple(checks))


def _judge_page(text: str, elements: Sequence[Element]) -> Judged:
    whole = Judged(text, ()) if elements else apply((*ANY_TEXT, *PAGE_RULES, *MARKDOWN_RULES), text)
    if whole.drop:
        return whole
    checks, kept = list(whole.checks), []
    passed: dict[str, Check] = {}
    for element in elements or elements_in(whole.text):
        judged = apply(BLOCK_RULES.get(element.type, BLOCK_RULES["paragraph"]), element.text)
        if judged.drop and block_of(element) is not None:
            evidence = f"{element.type} {element.id}: {judged.drop.evidence}"
            return Judged(text, tuple(checks), drop=Drop(judged.drop.reason, evidence))
        for check in judged.checks:
            if check.reason:
                checks.append(replace(check, evidence=f"{element.id}: {check.evidence}"))
            else:
                passed.setdefault(check.rule, check)
        kept.append(replace(element, text=_in_block(element, judged.text)))
    found = {check.rule for check in checks}
    checks += [check for rule, check in passed.items() if rule not in found]
    try:
        written = page_text(kept)
    except ValueError as error:
        return Judged(text, tuple(checks), drop=Drop("page.dialect", str(error)))
    if elements:
        last = apply((*ANY_TEXT[:1], *PAGE_RULES), written)
        return Judged(written, (*checks, *last.checks), tuple(kept), last.drop)
    if written != whole.text:
        checks.append(Check("page.dialect", "fixed", "page.dialect", whole.text))
    return Judged(written, tuple(checks))


def _in_block(element: Element, text: str) -> str:
    """The text as its block can hold it: one line in all but paragraphs, formulas and code."""
    block = block_of(element)
    if block is None or block.kind in ("formula", "code", "table"):
        return text.strip("\n") if block is None or block.kind == "code" else text.strip()
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return _joined(block, [line for line in lines if line])


def _joined(block: Block, lines: list[str]) -> str:
    return "\n".join(lines) if block.kind == "paragraph" else " ".join(lines)
