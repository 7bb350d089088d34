"""A press that needs no browser and a judge that needs no model: small pages in no time, every seventh a reject; and a
browser to look at what flows write."""

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Page, sync_playwright

from proofpress.flows.config import BuildRecipe
from proofpress.generators.address import Address
from proofpress.generators.browser_path import find_browser
from proofpress.generators.fonts import catalogue
from proofpress.generators.press import LICENCE, STAGE, VERSION, PressRecipe, page_id
from proofpress.pages.errors import RequestError
from proofpress.pages.record import Check, Element, PageRecord, Reject, Scores, Source


def _quick_page(seed: int, index: int) -> PageRecord | Reject:
    """The page the quick press prints at an address."""
    address = Address(seed, STAGE, index)
    rng = address.stream("page")
    kinds = [rng.choice(["heading", "paragraph", "formula", "table", "running_head"]) for _ in range(3)]
    picture = Image.new("RGB", (240, 120), "white")
    elements = []
    for place, kind in enumerate(kinds):
        top, text = 10 + 36 * place, f"{kind} {place} of page {index} <b> & $x^2$"
        ImageDraw.Draw(picture).text((12, top), text, fill="black")
        elements.append(Element(f"e{place}", kind, text, ((10, top, 230, top, 230, top + 30, 10, top + 30),)))
    encoded = io.BytesIO()
    picture.save(encoded, "PNG")
    source = Source(STAGE, str(address), VERSION, LICENCE)
    text = "\n\n".join(element.text for element in elements)
    if index % 7 == 3:
        return Reject(
            page_id(seed, index), "proof", "text.differs", f"<i>saw {index}", source, text, encoded.getvalue()
        )
    return PageRecord(
        id=page_id(seed, index),
        image=encoded.getvalue(),
        width=240,
        height=120,
        text=text,
        task="page",
        source=source,
        elements=tuple(elements),
        features={"columns": str(rng.randint(1, 2))},
        checks=(Check("proof.text", "passed"),),
        language="en",
        content_id=page_id(seed, index),
    )


def _quick_pages(recipe: PressRecipe, seed: int, indices: Iterable[int]) -> Iterator[PageRecord | Reject]:
    for index in indices:
        yield _quick_page(seed, index)


class StrictJudge:
    """Drops records with a formula in them."""

    def judge(self, records: list[PageRecord], read: bool) -> list[PageRecord]:
        return [replace(record, scores=self.scores(record)) for record in records]

    def scores(self, record: PageRecord) -> Scores:
        return Scores("strict", -0.5, None, "drop" if "formula" in record.text else "keep")


@pytest.fixture
def quick_page() -> Callable[[int, int], PageRecord | Reject]:
    """From seed and index to the page the quick press prints there."""
    return _quick_page


@pytest.fixture
def quick_press(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds in this process print with the quick press."""
    monkeypatch.setattr("proofpress.flows.shard.print_pages", _quick_pages)
    machine = {"browser": {"kind": "none", "version": "1", "flags": []}}
    monkeypatch.setattr("proofpress.flows.provenance.machine", lambda recipe: machine)
    monkeypatch.setattr("proofpress.flows.provenance.catalogue", lambda: catalogue()[:1])


@pytest.fixture
def strict_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds in this process judge with one that drops every record with a formula."""
    monkeypatch.setattr("proofpress.flows.shard._judge", lambda model: StrictJudge())


@pytest.fixture(scope="module")
def page(request: pytest.FixtureRequest) -> Iterator[Page]:
    """A browser's page. What it says on its console, what goes wrong in it and what it asks of others than the
    addresses in the test module's ``OWN`` is kept in ``page.said``."""
    try:
        binary = find_browser()
    except RequestError as error:
        pytest.skip(str(error))
    own: tuple[str, ...] = request.module.OWN
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=binary.path, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        opened.said = said = []
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.on("request", lambda asked: None if asked.url.startswith(own) else said.append(asked.url))
        yield opened
        browser.close()


@pytest.fixture
def recipe() -> BuildRecipe:
    """Thirty pages in shards of ten: four, whichever pages the press of today's version puts into which split."""
    return BuildRecipe(name="small", seed=3, press={"pages": 30}, splits={"validation": 0.2}, rows_per_shard=10)


@pytest.fixture
def bytes_of() -> Callable[[Path], dict[str, bytes]]:
    """From a folder to all its files, by their path in it."""
    return lambda folder: {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
