"""How fast the reward checkers are beside their peers, on one core: exact TEDS, formulas, pages.

python benchmarks/rewards.py [--pages 60] [--large 1] [--only tables formulas pages]

- TEDS: TEDS and TEDS-S of the same tables with spans, by this project and by apted; both are exact, and it is checked
  that they agree.
- Formulas: this project's score of a pair, parsed anew, against olmOCR-bench's way: both rendered in Chromium, a fresh
  page with KaTeX for each, and their glyphs compared. It is a stand-in after upstream's renderer, not its code.
- Pages: labels of printed pages against readings with 3 % of the letters wrong, gold and reading for the first time;
  and as a trainer scores them, eight readings a gold.

Times are CPU seconds of this process and its threads, our own for tables the least of several; the browser's are by the
clock.
"""

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from apted import APTED, Config
from lxml import etree
from playwright.sync_api import sync_playwright
from rapidfuzz.distance import Levenshtein

from proofpress.generators.browser import FLAGS
from proofpress.generators.browser_path import find_browser
from proofpress.generators.press import PressRecipe, open_browser, print_pages
from proofpress.model.rewards import formula, score
from proofpress.model.rewards.teds import Teds, teds
from proofpress.model.rewards.unit_tests.glyphs import Glyph, SearchTooLong, contains
from proofpress.pages.record import PageRecord
from proofpress.templates.assets import katex_css, katex_js

PARTS = ("tables", "formulas", "pages")
SEED = 7
SHAPES = ((5, 4), (20, 8), (60, 10))
WORDS = "alpha beta gamma Mean Total Basel Bern rate share flow 12 3.5 -7 20% 1,000 0.05 2019 (1) n/a".split()  # noqa: SIM905

MEASURE = """latex => {
  katex.render(latex, document.body, {displayMode: true, throwOnError: true});
  return [...document.querySelectorAll(".katex-html span")].filter(span => !span.children.length && span.textContent)
    .map(span => [span.textContent, JSON.stringify(span.getBoundingClientRect())]);
}"""

Table = list[list[tuple[str, str]]]  # rows of (attributes, text)


def seconds(work: Callable[[], Any], times: int = 1) -> float:
    """CPU seconds of a call, the least of so many."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def random_table(rng: random.Random, rows: int, columns: int) -> Table:
    """A table in which one cell in ten spans."""

    def cell() -> tuple[str, str]:
        span = rng.choice([' colspan="2"', ' rowspan="2"']) if rng.random() < 0.1 else ""
        return span, " ".join(rng.choices(WORDS, k=rng.randint(0, 4)))

    return [[cell() for _ in range(columns)] for _ in range(rows)]


def misread(rng: random.Random, table: Table) -> Table:
    """One cell in ten misread, one row in twenty left out, one in twenty run into the row above."""
    found: Table = []
    for row in table:
        cells = [(span, text[::-1] if rng.random() < 0.1 else text) for span, text in row]
        fate = rng.random()
        if fate > 0.1 or not found:
            found.append(cells)
        elif fate > 0.05:
            found[-1].extend(cells)
    return found


def markup(table: Table) -> str:
    """The table as HTML."""
    rows = ("".join(f"<td{span}>{text}</td>" for span, text in row) for row in table)
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


class Node:
    """An element as PubTabNet's metric holds it."""

    def __init__(self, element: Any) -> None:
        is_cell = element.tag == "td"
        self.frame = (element.tag, element.get("colspan", "1"), element.get("rowspan", "1"))
        self.content = element.text or "" if is_cell else ""
        self.children = [] if is_cell else [Node(child) for child in element]


class PubTabNet(Config):
    """The costs of PubTabNet's metric, with or without content."""

    def __init__(self, content: bool) -> None:
        self.content = content

    def rename(self, one: Node, other: Node) -> float:
        if one.frame != other.frame:
            return 1.0
        return Levenshtein.normalized_distance(one.content, other.content) if self.content else 0.0

    def children(self, node: Node) -> list[Node]:
        return node.children


def apted_teds(prediction: str, gold: str) -> Teds:
    """TEDS and TEDS-S by apted."""
    tables = [next(etree.HTML(text).iter("table")) for text in (prediction, gold)]
    nodes = max(sum(1 for _ in table.iterdescendants()) for table in tables)
    one, other = map(Node, tables)
    distances = (APTED(one, other, PubTabNet(content)).compute_edit_distance() for content in (True, False))
    return Teds(*(1 - distance / nodes for distance in distances))


def agree(one: Teds | None, other: Teds) -> bool:
    """Whether two results are the same but for rounding."""
    return one is not None and max(abs(one.teds - other.teds), abs(one.teds_s - other.teds_s)) < 1e-9


def tables(large: int) -> Iterator[str]:
    """A line for each shape and kind of pair."""
    rng = random.Random(SEED)
    teds("<table><tr><td>a</td></tr></table>", "<table><tr><td>b</td></tr></table>")  # the kernels are there
    for rows, columns in SHAPES:
        for kind in ("misread", "unlike"):
            golds = [random_table(rng, rows, columns) for _ in range(large if rows > 5 else 4 * large)]
            others = [misread(rng, gold) if kind == "misread" else random_table(rng, rows, columns) for gold in golds]
            pairs = [(markup(other), markup(gold)) for other, gold in zip(others, golds, strict=True)]
            ours = statistics.mean(seconds(lambda p=pair: teds(*p), 5) for pair in pairs)
            start = time.process_time()
            exact = [apted_teds(*pair) for pair in pairs]
            theirs = (time.process_time() - start) / len(pairs)
            assert all(agree(teds(*pair), other) for pair, other in zip(pairs, exact, strict=True)), "both are exact"
            yield (
                f"TEDS and TEDS-S {rows:>2}x{columns:<2} {kind:<8} {1e3 * ours:8.2f} ms, "
                f"apted {1e3 * theirs:8.1f} ms: {theirs / ours:5.0f} times"
            )


def glyphs(measured: Sequence[tuple[str, str]]) -> tuple[Glyph, ...]:
    """What a page has measured, as olmOCR-bench compares it."""
    boxes = ((text, json.loads(box)) for text, box in measured)
    return tuple(Glyph(text, box["x"], box["y"], box["width"], box["height"]) for text, box in boxes)


def render(pairs: Sequence[tuple[str, str]]) -> float:
    """Seconds a pair of laying out both formulas, each on a fresh page, and comparing them."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser().path, args=[*FLAGS, "--no-sandbox"])
        start = time.perf_counter()
        layouts = []
        for latex in (side for pair in pairs for side in pair):
            context = browser.new_context(viewport={"width": 800, "height": 400})
            page = context.new_page()
            page.set_content("<!doctype html><body style='font-size: 24px'></body>")
            page.add_style_tag(path=katex_css())
            page.add_script_tag(path=katex_js())
            layouts.append(glyphs(page.evaluate(MEASURE, latex)))
            context.close()
        for found, wanted in zip(layouts[::2], layouts[1::2], strict=True):
            with suppress(SearchTooLong):
                contains(found, wanted)
        took = time.perf_counter() - start
        browser.close()
    return took / len(pairs)


def blurred(rng: random.Random, text: str, alphabet: str = "abcdefgh1230") -> str:
    """The text with 3 % of its letters and digits misread."""
    return "".join(rng.choice(alphabet) if c.isalnum() and rng.random() < 0.03 else c for c in text)


def formulas(labels: Sequence[str]) -> Iterator[str]:
    """A line on formulas. labels: LaTeX."""
    pairs = [(re_spelt(one), other) for one, other in zip(labels, labels, strict=True)]
    formula.compare(["x"], ["y"])
    ours = statistics.mean(seconds(lambda p=pair: formula.compare([p[0]], [p[1]])) for pair in pairs)
    theirs = render(pairs[:20])
    length = statistics.mean(map(len, labels))
    yield (
        f"formulas of {length:.0f} characters: {1e3 * ours:.2f} ms a pair, "
        f"rendered and compared {1e3 * theirs:.0f} ms: {theirs / ours:.0f} times"
    )


def re_spelt(latex: str) -> str:
    """The formula with other letters and digits, so that no tree is the same."""
    return re.sub(r"(\\[A-Za-z]+)|[x2]", lambda found: found[1] or {"x": "y", "2": "3"}[found[0]], latex)


def pages(texts: Sequence[str]) -> Iterator[str]:
    """A line on pages read for the first time, and one on eight readings a gold."""
    rng = random.Random(SEED)
    warm, rest = texts[:5], texts[5:]
    for text in warm:
        score(blurred(rng, text), text, "page")
    first = [seconds(lambda t=text: score(blurred(rng, t), t, "page")) for text in rest]
    again = [seconds(lambda t=text: score(blurred(rng, t), t, "page")) for text in rest for _ in range(8)]
    length = statistics.median(map(len, rest))
    yield (
        f"pages of {length:.0f} characters (median of {len(rest)}): {1 / statistics.median(first):.0f} pages/s a core, "
        f"{1 / statistics.mean(first):.0f} over all; eight readings a gold {1 / statistics.median(again):.0f}, "
        f"{1 / statistics.mean(again):.0f} over all"
    )


def main() -> None:
    """Measure and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=60, help="How many pages to print and score.")
    parser.add_argument("--large", type=int, default=1, help="How many of the larger tables to compare.")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="Some parts; all where none is named.")
    arguments = parser.parse_args()
    if "tables" in arguments.only:
        for line in tables(arguments.large):
            print(line, flush=True)
    if arguments.only == ["tables"]:
        return
    recipe = PressRecipe(rows="pages")
    with open_browser(recipe) as browser:
        printed = list(print_pages(recipe, SEED, range(arguments.pages), browser))
    records = [page for page in printed if isinstance(page, PageRecord)]
    if "formulas" in arguments.only:
        labels = [e.text for record in records for e in record.elements if e.type == "formula"]
        print(*formulas(labels), sep="\n", flush=True)
    if "pages" in arguments.only:
        print(*pages([record.text for record in records if record.text]), sep="\n", flush=True)


if __name__ == "__main__":
    main()
