r"""LaTeX as KaTeX reads it: is it valid, what is its syntax tree, its normal form, its HTML.

KaTeX 0.16.21 runs in process, in V8, so that validity is what the renderer itself says and needs neither a browser nor
node. That version is the one most scorers carry. A formula that KaTeX does not take is a ``LatexError``, and so is one
that is too long, too deep or too slow. Each process has a context of its own, made at first use.

    >>> is_valid(r"\frac{a}{b}"), is_valid(r"\frac{a}{")
    (True, False)
    >>> normal_form(r"{a \over b} \leq c")
    '\\frac{a}{b}\\le c'
"""

import atexit
import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from time import monotonic
from typing import Any

from py_mini_racer import JSEvalException, JSTimeoutException, MiniRacer

from proofpress.pages.latex_tree import Node, build
from proofpress.pages.latex_write import write
from proofpress.templates.assets import katex_js

MAX_LATEX = 20_000  # characters
MAX_DEPTH = 100  # groups within groups
MAX_EXPANSIONS = 1_000  # macro steps, KaTeX's own default
MAX_SIZE = 50  # em, of a size the formula itself asks for
MAX_SECONDS = 5.0
MAX_MEMORY = 256 * 2**20  # bytes of V8 heap

BRIDGE = """
const settings = (display) => ({displayMode: display, output: "html", throwOnError: true, strict: "ignore",
                                trust: false, maxExpand: MAX_EXPANSIONS, maxSize: MAX_SIZE});
// Without source positions; refuses what KaTeX parses but cannot paint, and what is too deep for those who walk it.
const plain = (value, depth) => {
  if (value === null || typeof value !== "object") return value;
  if (depth > 3 * MAX_DEPTH) throw new RangeError("groups nested too deep");
  if (value.type === "infix" || value.type === "internal") throw new Error("a script or an argument without a base");
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  const copy = {};
  for (const key of Object.keys(value)) if (key !== "loc") copy[key] = plain(value[key], depth + 1);
  return copy;
};
const attempt = (work) => {
  try { return {done: work()}; }
  catch (error) { return {error: error.rawMessage || error.message, position: error.position ?? null}; }
};
const answer = (work) => JSON.stringify(attempt(work));
const parsed = (latex, display) => {
  if (latex.length > MAX_LATEX) throw new RangeError(`${latex.length} characters, more than ${MAX_LATEX}`);
  return plain(katex.__parse(latex, settings(display)), 0);
};
var parseLatex = (latex, display) => answer(() => parsed(latex, display));
var parseEach = (formulas) => JSON.stringify(formulas.map((latex) => attempt(() => parsed(latex, true))));
const rendered = (latex, display) => {
  parsed(latex, display);  // what is too deep to parse is too deep to paint
  return katex.renderToString(latex, settings(display));
};
var renderLatex = (latex, display) => answer(() => rendered(latex, display));
var renderEach = (formulas) => JSON.stringify(formulas.map((formula) => attempt(() => rendered(...formula))));
const inMathml = (latex, display) => {
  parsed(latex, display);
  return katex.renderToString(latex, {...settings(display), output: "mathml"});
};
var renderMathml = (latex, display) => answer(() => inMathml(latex, display));
var mathmlEach = (formulas) => JSON.stringify(formulas.map((formula) => attempt(() => inMathml(...formula))));
"""

Tree = list[dict[str, Any]]


class LatexError(ValueError):
    """KaTeX does not take this formula. ``position`` is the offending character's index in it, where KaTeX knows it."""

    def __init__(self, message: str, position: int | None = None):
        message = message.encode("utf-8", "backslashreplace").decode()  # half a surrogate cannot be stored
        super().__init__(message if position is None else f"{message} (at character {position})")
        self.message = message
        self.position = position


def parse(latex: str, display: bool = False) -> Tree:
    """KaTeX's own syntax tree: a list of nodes, each a dict with ``type`` and ``mode``, without source positions.

    ``display`` is needed by what only stands on a line of its own (``\\tag``, ``align``). Raises ``LatexError``.
    """
    return _ask("parseLatex", latex, display)


def is_valid(latex: str, display: bool = False) -> bool:
    """Whether KaTeX takes the formula, in a line of text or, with ``display``, on a line of its own."""
    try:
        parse(latex, display)
    except LatexError:
        return False
    return True


def render_html(latex: str, display: bool = False) -> str:
    """The formula as HTML for ``katex.min.css``, without MathML, so that its text stands in it once.

    Raises ``LatexError`` rather than painting the source in red.
    """
    return _ask("renderLatex", latex, display)


def render_each(formulas: Sequence[tuple[str, bool]]) -> list[str | LatexError]:
    """``render_html`` of each ``(latex, display)``, or the error it would raise; in one call, as ``trees``."""
    return _each("renderEach", formulas, lambda formula: render_html(*formula))


def mathml(latex: str, display: bool = True) -> str:
    """The formula as MathML, its source in an ``annotation``. Raises ``LatexError``."""
    return _ask("renderMathml", latex, display)


def mathml_each(formulas: Sequence[tuple[str, bool]]) -> list[str | LatexError]:
    """``mathml`` of each ``(latex, display)``, or the error it would raise; in one call, as ``trees``."""
    return _each("mathmlEach", formulas, lambda formula: mathml(*formula))


def tree(latex: str) -> Node:
    """The formula's visible structure (``latex_tree`` says what counts as visible). Raises ``LatexError``."""
    return build(parse(latex, display=True))


def trees(formulas: Sequence[str]) -> list[Node | LatexError]:
    """The ``tree`` of each formula, or the error it would raise; several times quicker than one by one.

    They share one limit of time. Where that is passed each has its own, until four times as much is gone for all.
    """
    parsed = _each("parseEach", formulas, lambda latex: parse(latex, display=True))
    return [answer if isinstance(answer, LatexError) else build(answer) for answer in parsed]


def normal_form(latex: str) -> str:
    """The one spelling of all formulas that look like this one; ``normal_form(normal_form(x)) == normal_form(x)``.

    A key for comparing, not a label for training: spacing and sizes are gone. Raises ``LatexError``.
    """
    return write(tree(latex))


def _each(function: str, formulas: Sequence[Any], alone: Callable[[Any], Any]) -> list[Any]:
    """What ``alone`` answers for each formula, or its error, by one call into V8 where that succeeds."""
    try:
        answers = _call(function, formulas) if formulas else []
    except LatexError:
        end = monotonic() + 4 * MAX_SECONDS
        late = LatexError("no time left")
        return [_attempt(alone, formula) if monotonic() < end else late for formula in formulas]
    return [answer["done"] if "done" in answer else _error(answer) for answer in answers]


def _attempt(work: Callable[[Any], Any], formula: Any) -> Any:
    try:
        return work(formula)
    except LatexError as error:
        return error


def _ask(function: str, latex: str, display: bool) -> Any:
    answer = _call(function, latex, display)
    if "error" in answer:
        raise _error(answer)
    return answer["done"]


def _error(answer: dict[str, Any]) -> LatexError:
    return LatexError(answer["error"], answer["position"])


def _call(function: str, *arguments: Any) -> Any:
    try:
        code = f"{function}(...{json.dumps(arguments)})"  # JSON in ASCII is JavaScript
        try:
            return json.loads(_context(os.getpid()).eval(code, timeout_sec=MAX_SECONDS))
        except JSTimeoutException:
            # The limit is of the clock's time, and the machine may have slept or been busy: what is slow is so again.
            return json.loads(_context(os.getpid()).eval(code, timeout_sec=MAX_SECONDS))
    except JSEvalException as error:
        raise LatexError(str(error)) from error


@cache
def _context(process: int) -> MiniRacer:
    """V8 with KaTeX in it, for this process only: V8's threads do not survive a fork."""
    context = MiniRacer()
    atexit.register(_close, context, process)
    context.set_hard_memory_limit(MAX_MEMORY)
    context.eval(katex_js().read_text(encoding="utf-8"))
    limits = (
        f"const MAX_LATEX={MAX_LATEX}, MAX_EXPANSIONS={MAX_EXPANSIONS}, MAX_SIZE={MAX_SIZE}, MAX_DEPTH={MAX_DEPTH};"
    )
    context.eval(limits + BRIDGE)
    return context


def _close(context: MiniRacer, process: int) -> None:
    """End V8 before the interpreter goes, which now and then waits for it for ever; a forked child has none to end."""
    if os.getpid() == process:
        context.close()
