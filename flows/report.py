"""The report of a dataset: one HTML file to look at it with, readable anywhere and without a network.

Counts, sources and licences, sample pages with the boxes of their elements drawn over them, what was rejected with its
evidence, coverage and scores. It reads small columns of the whole dataset and the images of a few rows; equal datasets
give equal bytes.

    write_report(folder, read_manifest(folder))      # folder/report.html
"""

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import yaml

from proofpress.flows.findings import RuleUse, contamination, duplicate_pairs, licence_mix, rules_of, stages_of
from proofpress.flows.hardest import hardest
from proofpress.flows.lattice import lattice_coverage
from proofpress.flows.survey import REJECT_SAMPLES, SAMPLES, Survey, sample_records, sample_rejects, survey
from proofpress.pages.image import open_image
from proofpress.pages.record import ELEMENT_TYPES, Check, PageRecord, Reject
from proofpress.pages.shards import write_whole

MAX_WIDTH = 1000  # pixels of a picture in the report; a page is legible, and a dozen of them load at once
MAX_TEXT = 6000  # characters of a label
MAX_EVIDENCE = 400
BINS = 24
PAIRS = 6
HARDEST = 6


@dataclass(frozen=True, slots=True)
class Picture:
    """An image of the report. uri: a data URI. width, height: of the original, which polygons are in."""

    uri: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a histogram. low: the least value in it; share: of the highest bar, 0..1."""

    low: float
    high: float
    count: int
    share: float


def write_report(folder: Path, manifest: Mapping[str, Any]) -> Path:
    """Write ``report.html`` into a dataset folder, from its shards and the manifest (which need not be on disk yet)."""
    path = folder / "report.html"
    write_whole(path, render(folder, manifest).encode())
    return path


def render(folder: Path, manifest: Mapping[str, Any]) -> str:
    """The report as HTML."""
    surveyed = survey(folder)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            manifest=manifest,
            made=sum(source["made"] for source in manifest["sources"].values()),
            kept=sum(manifest["splits"].values()),
            survey=surveyed,
            element_types=[kind for kind in ELEMENT_TYPES if surveyed.elements[kind]],
            histograms=_histograms(surveyed),
            hardest=[(row, picture(row.record.image)) for row in hardest(folder, HARDEST)],
            lineage=lineage(manifest["recipe"]),
            samples=[(record, picture(record.image)) for record in sample_records(folder, SAMPLES)],
            rejects=_rejects_by_reason(folder, manifest["rejected"]),
            licences=licence_mix(folder),
            stages=stages_of(manifest),
            rules=_rules(folder),
            pairs=[
                (kept, picture(kept.image), gone, _picture_of(gone)) for kept, gone in duplicate_pairs(folder, PAIRS)
            ],
            contamination=contamination(manifest),
            lattice=lattice_coverage(folder, manifest),
            recipe=yaml.safe_dump(manifest["recipe"], sort_keys=False, allow_unicode=True),
        )
    )


def lineage(recipe: Mapping[str, Any]) -> list[str]:
    """What a dataset went through, first things first: ``["demo + tables", "duplicates", "judge"]``."""
    if "of" not in recipe:
        return [str(recipe.get("name", "a dataset"))]
    before = recipe["of"] if isinstance(recipe["of"], list) else [recipe["of"]]
    step = next((name for name in recipe if name not in ("of", "seed")), "made")
    return [" + ".join(" → ".join(lineage(one)) for one in before), step]


def picture(image: bytes) -> Picture:
    """An image for the report: as it is where it is small, else scaled to ``MAX_WIDTH``."""
    opened = open_image(image)
    width, height = opened.size
    if width > MAX_WIDTH:
        opened = opened.resize((MAX_WIDTH, max(1, round(height * MAX_WIDTH / width))))
    encoded = io.BytesIO()
    opened.save(encoded, "JPEG", quality=82)
    smaller, kind = (encoded.getvalue(), "jpeg")
    if width <= MAX_WIDTH and len(image) < len(smaller):
        smaller, kind = image, "jpeg" if image[:2] == b"\xff\xd8" else "png"
    return Picture(f"data:image/{kind};base64,{base64.b64encode(smaller).decode()}", width, height)


def histogram(values: Sequence[float], bins: int = BINS) -> list[Bar]:
    """Counts of values in equal steps between the least and the greatest."""
    low, high = min(values), max(values)
    step = (high - low) / bins or 1.0
    counts = [0] * bins
    for value in values:
        counts[min(int((value - low) / step), bins - 1)] += 1
    highest = max(counts)
    return [
        Bar(low + step * place, low + step * (place + 1), count, count / highest) for place, count in enumerate(counts)
    ]


def _histograms(surveyed: Survey) -> dict[str, list[Bar]]:
    return {name: histogram(values) for name, values in surveyed.scores.items() if values}


def _rules(folder: Path) -> list[tuple[RuleUse, list[tuple[PageRecord, Check, Picture]]]]:
    """What the rules did, each with examples and their pictures."""
    return [
        (use, [(record, check, picture(record.image)) for record, check in use.examples]) for use in rules_of(folder)
    ]


def _rejects_by_reason(folder: Path, counts: Mapping[str, int]) -> list[tuple[str, int, list[tuple[Reject, Any]]]]:
    """("stage: reason", count, a few rejects with their pictures), the most frequent first."""
    samples = sample_rejects(folder, REJECT_SAMPLES)
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [
        (reason, count, [(reject, _picture_of(reject)) for reject in samples.get(reason, [])])
        for reason, count in ranked
    ]


def _picture_of(reject: Reject) -> Picture | None:
    """The picture of a reject, if it has one that opens: a broken image may be why it was rejected."""
    try:
        return picture(reject.image) if reject.image else None
    except ValueError:
        return None


def _points(polygon: Sequence[float]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in zip(polygon[::2], polygon[1::2], strict=True))


def _alt(record: PageRecord) -> str:
    return f"{record.task} from {record.source.name}: {' '.join(record.text.split())[:120]}"


def environment() -> jinja2.Environment:
    """The templates of this folder; what they are given is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,  # labels come from anywhere
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"points": _points, "alt": _alt}
    environment.globals |= {"MAX_TEXT": MAX_TEXT, "MAX_EVIDENCE": MAX_EVIDENCE}
    return environment
