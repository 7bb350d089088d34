"""Wear: a clean page or crop as a scanner, a fax, a copier, a telephone or a drawer leaves it, with its truth carried
through exactly.

What is done is drawn from the page's address. The pixels and every polygon go through one mapping (``geometry.py``); a
page that cannot be read any more is worn again, milder (``legible.py``), so that no page is rejected for its wear.

    worn = wear(record, "photo", Address(7, "press", 42), picture)      # a record with another image
"""

from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from typing import Any

import cv2
import numpy as np
from PIL import Image

from proofpress.generators.address import Address
from proofpress.generators.wear.geometry import Warp, Wave, bend_and_lay
from proofpress.generators.wear.legible import illegible
from proofpress.generators.wear.marks import MARKS, Mark
from proofpress.generators.wear.profiles import CLEAN, PROFILES, Plan, draw_plan
from proofpress.generators.wear.tone import STEPS
from proofpress.pages import image
from proofpress.pages.record import Check, Element, PageRecord, Word

__all__ = ["CLEAN", "PROFILES", "wear"]

STRENGTHS = (1.0, 0.6, 0.3, 0.1)  # tried in turn until the page can be read
JPEG = {"subsampling": "4:2:0", "optimize": False, "progressive": False}


def wear(record: PageRecord, profile: str, address: Address, picture: np.ndarray | None = None) -> PageRecord:
    """The record worn: its image, polygons, words, hashes, recipe and features are those of the worn page.

    address: of the page, or of the page a crop is cut from. picture: the record's image in RGB, ``(height, width, 3)``
    of uint8, where it is decoded already.
    """
    page = picture if picture is not None else np.asarray(Image.open(BytesIO(record.image)).convert("RGB"))
    boxes = np.array([_box(word.quad) for word in record.words], dtype=np.float64).reshape(-1, 4)
    purpose = "wear" if record.task == "page" else f"wear:{record.id}"
    for strength in STRENGTHS:
        plan = draw_plan(profile, address.stream(purpose), strength, paper=record.task == "page")
        worn, quality, warp, marks, why_not = _carry_out(plan, page, boxes, address, purpose)
        if why_not is None:
            break
    else:
        worn, quality, warp, marks = page, 0, bend_and_lay((record.width, record.height)), ()
        plan = replace(plan, strength=0.0, steps=())
    return _worn(record, worn, quality, warp, marks, plan)


def _carry_out(
    plan: Plan, page: np.ndarray, boxes: np.ndarray, address: Address, purpose: str
) -> tuple[np.ndarray, int, Warp, tuple[Mark, ...], str | None]:
    """The worn pixels, the quality of their JPEG (0 for PNG), the warp, what was put on the page, and what cannot be
    read of it."""
    draws = {name: _draw(address, f"{purpose}:{name}") for name, _ in plan.steps}
    amounts: Mapping[str, Mapping[str, float]] = dict(plan.steps)
    marks: list[Mark] = []
    flat = page
    for name in (name for name in amounts if name in MARKS):
        flat, left = MARKS[name](flat, boxes, draws[name], **amounts[name])
        marks += left
    warp = _warp(amounts, page.shape[1::-1], draws, plan.margin)
    grey = cv2.cvtColor(page, cv2.COLOR_RGB2GRAY)
    kept = cv2.cvtColor(flat, cv2.COLOR_RGB2GRAY) if plan.grey else flat
    clean, worn = warp.pictures((grey, kept), plan.beyond)
    for name in (name for name in amounts if name in STEPS):
        worn = STEPS[name](worn, draws[name], **amounts[name])
    seen = worn if worn.ndim == 2 else cv2.cvtColor(worn, cv2.COLOR_RGB2GRAY)
    quads = warp.points(_quads(boxes).reshape(-1, 2)).reshape(-1, 8)
    quality = round(amounts["jpeg"]["quality"]) if "jpeg" in amounts else 0
    return worn, quality, warp, tuple(marks), illegible(clean, seen, quads, (boxes[:, 3] - boxes[:, 1]).tolist())


def _warp(
    amounts: Mapping[str, Mapping[str, float]],
    size: tuple[int, int],
    draws: Mapping[str, np.random.Generator],
    margin: int,
) -> Warp:
    width, height = size
    tilt: np.ndarray | None = None
    waves: tuple[Wave, ...] = ()
    if "tilt" in amounts:
        tilt = draws["tilt"].uniform(-1, 1, (4, 2)) * amounts["tilt"]["share"]
    if "curl" in amounts:
        draw, rise = draws["curl"], amounts["curl"]["height"] * min(width, height) / 1024
        waves = (
            Wave(draw.uniform(0.4, 1.2) / width, draw.uniform(-0.3, 0.3) / height, draw.uniform(0, 6.28), 0, rise),
            Wave(draw.uniform(-0.3, 0.3) / width, draw.uniform(0.5, 1.8) / height, draw.uniform(0, 6.28), rise / 3, 0),
        )
    return bend_and_lay(
        size,
        tilt=tilt,
        degrees=amounts["skew"]["degrees"] if "skew" in amounts else 0.0,
        scale=amounts["scale"]["factor"] if "scale" in amounts else 1.0,
        quarters=round(amounts["turn"]["quarters"]) if "turn" in amounts else 0,
        waves=waves,
        margin=margin,
    )


def _worn(
    record: PageRecord, pixels: np.ndarray, quality: int, warp: Warp, marks: tuple[Mark, ...], plan: Plan
) -> PageRecord:
    picture = Image.fromarray(pixels)
    encoded = _jpeg(picture, quality) if quality else image.encode_png(picture)
    seen = Image.open(BytesIO(encoded)) if quality else picture  # what a JPEG holds is what it is read as
    hashes = {"pixels": image.pixel_hash(seen)}
    if "phash" in record.hashes or record.task == "page":
        hashes["phash"] = image.phash(seen)
    elements = [replace(e, polygons=tuple(map(warp.polygon, e.polygons))) for e in record.elements]
    elements += [
        Element(f"w{number}", "figure", "", (warp.polygon(mark.polygon),), None, {"role": mark.role, **mark.attributes})
        for number, mark in enumerate(marks)
    ]
    quads = warp.points(np.array([word.quad for word in record.words], dtype=np.float64).reshape(-1, 2))
    flat = np.round(quads, 2).reshape(-1, 8).tolist()
    how = {
        "profile": plan.profile,
        "strength": plan.strength,
        "steps": [[name, dict(amounts)] for name, amounts in plan.steps],
        "homography": warp.homography.round(9).ravel().tolist(),
        "waves": [list(wave) for wave in warp.waves],
    }
    return replace(
        record,
        image=encoded,
        width=picture.width,
        height=picture.height,
        elements=tuple(elements),
        words=tuple(Word(w.text, tuple(q), w.element) for w, q in zip(record.words, flat, strict=True)),
        recipe={**record.recipe, "wear": how},
        features={**record.features, "wear": plan.profile},
        checks=(*record.checks, Check("wear.legible", "passed")),
        hashes=hashes,
    )


def _jpeg(picture: Image.Image, quality: int) -> bytes:
    buffer = BytesIO()
    options: dict[str, Any] = JPEG if picture.mode == "RGB" else {**JPEG, "subsampling": 0}
    picture.save(buffer, "JPEG", quality=quality, **options)
    return buffer.getvalue()


def _draw(address: Address, purpose: str) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(address.stream(purpose).getrandbits(64)))


def _box(quad: tuple[float, ...]) -> tuple[float, float, float, float]:
    return min(quad[::2]), min(quad[1::2]), max(quad[::2]), max(quad[1::2])


def _quads(boxes: np.ndarray) -> np.ndarray:
    left, top, right, bottom = boxes.T
    return np.stack((left, top, right, top, right, bottom, left, bottom), axis=1)
