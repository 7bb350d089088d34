"""The press: a page's address -> content -> HTML -> image and geometry -> a proofed record, or a reject.

recipe = PressRecipe(pages=300, crops=4)
for page in print_pages(recipe, seed=7, indices=range(10)): ...     # PageRecord or Reject, in order
"""

import dataclasses
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache

import cv2
import jinja2
import numpy as np
from markupsafe import Markup
from PIL import Image

from proofpress.generators import fonts
from proofpress.generators.address import Address
from proofpress.generators.browser import FLAGS, Browser, Sheet
from proofpress.generators.browser_path import BrowserBinary, find_browser
from proofpress.generators.crops import cut_crops
from proofpress.generators.kinds import PAPERS
from proofpress.generators.layout import FRAMED, PageSpec, block_of, cell_lines, realised, references, text_of
from proofpress.generators.painted import markup, paint
from proofpress.generators.picture import encode
from proofpress.generators.proof import RULES, proof
from proofpress.generators.recipe import (
    LICENCE,
    STAGE,
    VERSION,
    PressRecipe,
    compose,
    contents,
    lattice_of,
    page_id,
    variants_of,
)
from proofpress.generators.sheet import MATH, Layout, quad, read_layout
from proofpress.generators.unit_tests import write_tests
from proofpress.generators.wear import CLEAN, wear
from proofpress.pages import image, markdown
from proofpress.pages.record import Check, Element, PageRecord, Reject, Source, Word, to_json
from proofpress.pages.table import TableGrid
from proofpress.templates.assets import katex_css

__all__ = [
    "LICENCE",
    "STAGE",
    "VERSION",
    "PressRecipe",
    "contents",
    "lattice_of",
    "machine",
    "open_browser",
    "page_id",
    "print_pages",
    "shell_page",
    "to_html",
    "variants_of",
]

AHEAD = 2  # sheets the browser has been given before the last one is proofed: both work at once, neither waits long

_idle: dict[tuple[int, BrowserBinary, int], list[Browser]] = {}  # by process, browser and width


def open_browser(recipe: PressRecipe) -> Browser:
    """A browser ready to print this recipe's pages."""
    height = round(recipe.width * max(PAPERS.values()))
    return Browser(find_browser(recipe.browser), shell_page(), recipe.width, height)


def machine(recipe: PressRecipe) -> dict[str, object]:
    """What the bytes of a page depend on besides its address: browser, flags and fonts, for the manifest."""
    binary = find_browser(recipe.browser)
    with open_browser(recipe) as browser:
        version = browser.version
    faces = {family.name: family.version for family in fonts.catalogue()}
    return {"browser": {"kind": binary.kind, "version": version, "flags": list(FLAGS)}, "fonts": faces}


def print_pages(
    recipe: PressRecipe, seed: int, indices: Iterable[int], browser: Browser | None = None
) -> Iterator[PageRecord | Reject]:
    """Print the pages of these indices, in the order given; each page is followed by its crops.

    browser: one from ``open_browser``, left open; without it one is opened for the call.
    Raises ``WorkError`` when the browser keeps breaking, ``RequestError`` when there is none.
    """
    if browser is None:
        with _borrowed_browser(recipe) as own:
            yield from print_pages(recipe, seed, indices, own)
        return
    ahead: deque[tuple[Address, PageSpec, Future[Sheet]]] = deque()
    for index in indices:
        address, spec = Address(seed, STAGE, index), compose(recipe, seed, index)
        ahead.append((address, spec, browser.submit(to_html(spec), spec.style.height)))
        if len(ahead) > AHEAD:
            yield from _proofed(recipe, *ahead.popleft())
    for printed in ahead:
        yield from _proofed(recipe, *printed)


@contextmanager
def _borrowed_browser(recipe: PressRecipe) -> Iterator[Browser]:
    """A browser that this process has opened before and nobody uses, or a new one; it stays open for the next."""
    idle = _idle.setdefault((os.getpid(), find_browser(recipe.browser), recipe.width), [])
    browser = idle.pop() if idle else open_browser(recipe)
    try:
        yield browser
    finally:
        idle.append(browser)


def _proofed(
    recipe: PressRecipe, address: Address, spec: PageSpec, printing: Future[Sheet]
) -> Iterator[PageRecord | Reject]:
    sheet = printing.result()
    layout = read_layout(sheet.measured)
    seen = sheet.picture()
    pixels = seen if seen.ndim == 2 else cv2.cvtColor(seen, cv2.COLOR_RGB2GRAY)
    picture = seen if seen.ndim == 3 else cv2.cvtColor(seen, cv2.COLOR_GRAY2RGB)
    try:
        label = markdown.write(
            [block for piece in spec.pieces if piece.id in layout.pieces and (block := block_of(piece)) is not None]
        )
        faults = proof(spec, label, layout, pixels)
    except ValueError as error:
        label, faults = "", [Check("proof.label", "failed", "label", str(error))]
    source = Source(STAGE, str(address), VERSION, LICENCE)
    if spec.taken is not None:
        source = dataclasses.replace(source, licence=spec.taken.licence, url=spec.taken.url)
    identity = page_id(address.seed, address.index)
    how = recipe.model_dump(mode="json", exclude={"pages": True, "browser": True, "bank": {"path"}})  # change no page
    made: dict[str, object] = {"generator": STAGE, "version": VERSION, "address": str(address), "press": how}
    if spec.taken is not None:
        made["bank"] = dataclasses.asdict(spec.taken)
    if faults:
        yield Reject(
            id=identity,
            stage="proof",
            reason=faults[0].reason,
            evidence="; ".join(f"{fault.reason}: {fault.evidence}" for fault in faults),
            source=source,
            text=label,
            image=sheet.png,
            original=to_json(made),
        )
        return
    worn = spec.features["wear"]
    shown = worn == CLEAN and recipe.rows != "crops"  # else the page's own picture goes nowhere
    elements = tuple(_elements(spec, layout))
    page = PageRecord(
        id=identity,
        image=encode(seen) if shown else b"",
        width=spec.style.width,
        height=spec.style.height,
        text=label,
        task="page",
        source=source,
        elements=elements,
        words=tuple(_words(spec, layout)),
        recipe=made,
        features=realised(spec, layout.pieces),
        checks=tuple(Check(f"proof.{rule}", "passed") for rule in RULES),
        tests=write_tests(identity, label, elements, address.stream("tests")),
        language=spec.style.language,
        content_id=page_id(address.seed, address.index - address.index % recipe.variants),
        hashes=_hashes(picture, pixels) if worn == CLEAN else {},
    )
    if recipe.rows != "crops":
        yield page if worn == CLEAN else wear(page, worn, address, picture)
    if recipe.rows != "pages":
        for crop in cut_crops(page, spec, layout, picture, pixels, address, recipe.crops):
            yield crop if worn == CLEAN else wear(crop, worn, address)


def _hashes(picture: np.ndarray, pixels: np.ndarray) -> dict[str, str]:
    return {"pixels": image.hash_of_pixels(picture), "phash": image.phash(Image.fromarray(pixels))}


def _elements(spec: PageSpec, layout: Layout) -> Iterator[Element]:
    for piece in spec.pieces:
        placed = layout.pieces.get(piece.id)
        if placed is None:
            continue
        attributes = dict(piece.attributes)
        if piece.level:
            attributes["level"] = str(piece.level)
        if piece.marker:
            attributes["marker"] = piece.marker
        polygons = tuple(quad(box) for box in placed.boxes)
        yield Element(piece.id, piece.type, text_of(piece), polygons, piece.parent, attributes)


def _words(spec: PageSpec, layout: Layout) -> Iterator[Word]:
    """Words as painted; a formula is one word, written as in the label."""
    formulas: dict[str, Iterator[str]] = {
        piece.id: _formulas(piece.runs, piece.latex, piece.grid) for piece in spec.pieces
    }
    for word in layout.words:
        text = next(formulas[word.element]) if word.text == MATH else word.text
        yield Word(text, quad(word.box), word.element)


def _formulas(runs: tuple[markdown.Run, ...], display: str, grid: TableGrid | None) -> Iterator[str]:
    if display:
        yield f"$${display}$$"
    cells = grid.cells if grid is not None else ()
    for part in (runs, *(markdown.runs(cell.text) for cell in cells)):
        yield from (f"${run.text}$" for run in part if run.kind == "math")


@cache
def shell_page() -> str:
    """The page every sheet is swapped into: style sheets, fonts and the measuring script, and nothing on it."""
    package = _environment().loader
    assert package is not None
    read: Callable[[str], str] = lambda name: package.get_source(_environment(), name)[0]  # noqa: E731
    faces = "\n".join(fonts.face_css(family) for family in fonts.catalogue())
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>sheet</title>"
        f"<link rel='stylesheet' href='{katex_css().as_uri()}'>"
        f"<style>{faces}\n{read('css/page.css')}\n{read('css/kinds.css')}</style>"
        f"<script>{read('picture.js')}{read('press.js')}</script><body></body></html>"
    )


def to_html(spec: PageSpec) -> str:
    """The sheet's HTML. All text is escaped; only KaTeX's output and our own figures go in as markup."""
    style = spec.style
    variables: Mapping[str, object] = {
        "width": f"{style.width}px",
        "height": f"{style.height}px",
        "margin": f"{style.margin}px",
        "columns": style.columns,
        "gap": f"{style.gap}px",
        "size": f"{style.size:.2f}px",
        "least": f"{style.least:.2f}px",
        "leading": style.leading,
        "font": f"'{style.font}'",
        "heading-font": f"'{style.heading_font}'",
        "align": style.align,
        "indent": f"{style.indent}em",
        "ink": style.ink,
        "paper": style.paper,
        "code-font": f"'{style.code_font}'",
        "math-font": f"'{style.math_font}'",
    }
    numbers = {piece.parent: piece for piece in spec.pieces if piece.type == "formula_number"}
    formulas: dict[tuple[str, bool], str] = {}  # each with the mark that stands for it until all are painted at once
    html = _environment().get_template(spec.template).render(
        pieces=spec.pieces,
        numbers=numbers,
        zones={piece.zone for piece in spec.pieces},
        math=lambda *formula: Markup(formulas.setdefault(formula, f"\x02{len(formulas)}\x02")),
        style=dataclasses.asdict(style),
        variables="; ".join(f"--{name}: {value}" for name, value in variables.items()),
    )  # fmt: skip
    paint(formulas, style.math_font)
    painted = [markup(*formula, style.math_font) for formula in formulas]
    return re.sub(r"\x02(\d+)\x02", lambda mark: painted[int(mark[1])], html)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("proofpress.templates", package_path="."),
        autoescape=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals.update(
        inline_runs=markdown.runs,
        references=references,
        lines=cell_lines,
        framed=FRAMED,
        is_number=lambda text: text.lstrip("−-+($€£ ")[:1].isdigit(),
    )
    return environment
