"""The kinds of page the press knows, each a builder of a page and what it may have on it.

``flow`` holds pages of running text, ``business`` papers that count, ``reference`` pages to look things up on. Each
builder writes a little more content than fits; the press keeps what does.

    spec = lay_out(plan(lattice, 7, 42), Address(7, "press", 42), width=1024)      # plan: coverage.py
"""

from collections.abc import Mapping

from proofpress.generators.address import Address
from proofpress.generators.content.bank import Bank
from proofpress.generators.content.languages import Language
from proofpress.generators.kinds import business, flow, reference
from proofpress.generators.kinds.page import Page
from proofpress.generators.kinds.style import PAPERS, draw_style, set_fonts
from proofpress.generators.kinds.traits import OFF, Kind
from proofpress.generators.layout import ZONES, PageSpec, Style, text_of

KINDS: dict[str, Kind] = {**flow.KINDS, **business.KINDS, **reference.KINDS}

__all__ = ["KINDS", "PAPERS", "Kind", "Page", "lay_out"]


def lay_out(
    features: Mapping[str, str],
    address: Address,
    width: int,
    setting: Address | None = None,
    bank: Bank | None = None,
) -> PageSpec:
    """The page at this address with these features: a value for ``kind`` and every axis of ``traits.AXES``.

    setting: where its style and fonts are drawn from; ``address`` where not given. Pages of one address set in several
    ways are variants of one content. bank: where some pages take content from.
    """
    setting = setting or address
    kind = KINDS[features["kind"]]
    style, paper = draw_style(features["kind"], kind.papers, features, setting.stream("style"), width)
    page = _write(kind, address, style, features)
    taken = None
    if bank is not None:
        page.pieces, taken = bank.fill(page.pieces, style, features["script"], address.stream("bank"))
    pieces = tuple(sorted(page.pieces, key=lambda piece: ZONES.index(piece.zone)))
    texts = (
        text_of(piece) + piece.marker + piece.attributes.get("texts", "") for piece in pieces if piece.type != "code"
    )
    text = "".join(sorted(set("".join(texts))))
    style, face = set_fonts(style, features["script"], features["face"], text, setting.stream("fonts"))
    made = {**features, "paper": paper, "face": face, "font": style.font}
    return PageSpec("page.html.j2", style, pieces, made, OFF, taken)


def _write(kind: Kind, address: Address, style: Style, features: Mapping[str, str]) -> Page:
    """The page's content. To ask for each formula whether it can be set is slow, so all are taken as if they could be,
    and asked for together; after a wrong guess the page is written again, which now knows better."""
    while True:
        page = Page(address, style, dict(features), Language(features["language"], address.stream("language")))
        page.running_head(page.rng("running_head"))
        kind.build(page)
        page.page_number(page.rng("page_number"))
        if page.guessed_right():
            return page
