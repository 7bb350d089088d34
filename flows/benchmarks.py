"""olmOCR-bench and OmniDocBench, from upstream's own files to upstream's scores, with ours beside them.

evaluation = evaluate_omnidocbench(Path("OmniDocBench.json"), Subject(predictions=Path("out/md")))
evaluation.summary["scores"]["overall"]
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

from PIL import Image
from pydantic import BaseModel, ConfigDict, ValidationError

from proofpress.cleaners.corpus import RowError
from proofpress.cleaners.pdf import render_page
from proofpress.flows.evaluate import DIGITS, Evaluation, PageView, Picture, Subject
from proofpress.flows.page_readings import StoredReadings, check_complete, inside
from proofpress.flows.typesetting import Typesetting
from proofpress.model.bench import olmocr_bench, omnidocbench
from proofpress.model.bench.normal_forms import EDITIONS, Edition
from proofpress.model.bench.results import SCORES, PageResult
from proofpress.model.rewards.unit_tests import Mode
from proofpress.pages.errors import RequestError
from proofpress.pages.image import ImageError, open_image

MAX_GOLD_BYTES = 2_000_000_000
MAX_PDF_BYTES = 512 << 20


class _Loose(BaseModel):
    model_config = ConfigDict(extra="allow")


class _GoldBlock(_Loose):
    category_type: str
    anno_id: int | str | None = None
    order: float | None = None
    text: str | None = None
    latex: str | None = None
    html: str | None = None
    ignore: bool = False
    attribute: dict[str, Any] | None = None


class _PageInfo(_Loose):
    image_path: str
    page_attribute: dict[str, Any] = {}


class _Relation(_Loose):
    relation_type: str
    source_anno_id: int | str
    target_anno_id: int | str


class _Extra(_Loose):
    relation: list[_Relation] = []


class _GoldPage(_Loose):
    """A page of OmniDocBench's gold, as far as it is used."""

    layout_dets: list[_GoldBlock]
    page_info: _PageInfo
    extra: _Extra = _Extra()


MODES: tuple[Mode, ...] = ("olmocr", "strict")


def evaluate_omnidocbench(path: Path, subject: Subject, edition: str = "v1.5", cdm: bool = True) -> Evaluation:
    """OmniDocBench. path: its gold JSON, or the folder that holds it, with ``images/`` beside it where a model reads.

    Predictions are ``<image's name without its ending>.md``. cdm: render formulas; without it there is no Overall.
    """
    if edition not in EDITIONS:
        raise RequestError(f"--edition {edition}: not one of {', '.join(EDITIONS)}")
    gold_path = _gold_json(path)
    gold = _pages(gold_path)
    names = {image: _prediction_name(image, subject.predictions) for image in map(omnidocbench.image_name, gold)}
    images = {name: _image_file(gold_path.parent / "images" / image) for image, name in names.items()}
    readings = subject.readings(images)
    with ExitStack() as stack:
        typeset = stack.enter_context(Typesetting()) if cdm else None
        result = omnidocbench.evaluate(
            gold, lambda image: readings.get(names[image], ""), cast(Edition, edition), typeset
        )
    summary = {
        "benchmark": "omnidocbench",
        "edition": edition,
        "subject": subject.name,
        "pages": len(result.pages),
        "unread": len(names) - len(readings),
        "matchers": _counts(page.matcher for page in result.pages),
        "scores": _rounded(result.scores),
        "by_page": {page.image: _rounded(page.scores) for page in result.pages},
    }
    views = [_omnidocbench_view(page, images[names[page.image]]) for page in result.pages]
    return Evaluation("OmniDocBench " + edition, subject.name, summary, views)


def _prediction_name(image: str, folder: Path | None) -> str:
    """The file of an image's prediction: the first of the names upstream looks for that is there."""
    stem = Path(image).stem
    short = stem.replace(".pdf", "")
    names = (f"{stem}.md", f"{short}.mmd", f"{short}.md", f"{image}.md")
    return next((name for name in names if folder is not None and (folder / name).is_file()), names[0])


def _omnidocbench_view(page: PageResult, picture: Picture) -> PageView:
    compared = [
        (f"{pair.gold_category or 'nothing'} → {pair.predicted_category or 'nothing'}", pair.gold, pair.predicted)
        for pair in page.pairs
        if pair.edits
    ]
    notes = [] if page.matcher == "quick" else [f"matched by: {page.matcher}"]
    if page.order and page.order[0] != page.order[1]:
        notes.append(f"read in the order {', '.join(f'{place:g}' for place in page.order[1]) or 'of nothing'}")
    score = page.scores.get("strict")
    scores = _rounded(page.scores)
    fields = {name: scores.get(name) for name in SCORES}
    return PageView(page.image, score, fields, picture, compared, notes)


def evaluate_olmocr_bench(path: Path, subject: Subject) -> Evaluation:
    """olmOCR-bench. path: its folder with ``*.jsonl`` and ``pdfs/`` (or the folder above), or one JSONL file.

    Predictions are ``<pdf without its ending>_pg<page>_repeat<n>.md``, as upstream's converters write them.
    """
    folder, files = _bench_files(path)
    pdfs = folder / "pdfs"
    found = sorted(file.relative_to(pdfs).as_posix() for file in pdfs.rglob("*.pdf")) if path.is_dir() else []
    try:
        tests = olmocr_bench.load_tests({file.name: _json_lines(file) for file in files}, found)
    except olmocr_bench.BenchError as error:
        raise RequestError(f"{folder}: {error}") from error
    pages = dict.fromkeys((one.test.pdf, one.test.page) for one in tests)
    readings = _bench_readings(pages, subject, pdfs)
    with Typesetting(fonts=False) as typeset:
        result = olmocr_bench.evaluate(tests, lambda pdf, page: readings.get((pdf, page), ()), typeset)
    by_page = {mode: result.pages(mode) for mode in MODES}
    summary = {
        "benchmark": "olmocr-bench",
        "subject": subject.name,
        "tests": len(result.tests),
        "pages": len(pages),
        "unread": len(pages) - len(readings),
        "wrong_tests": [test.id for test in result.tests if test.strict is None],
        "scores": {mode: _bench_scores(result, mode) for mode in MODES},
        "by_page": {
            f"{pdf} page {page}": _rounded(
                {mode: by_page[mode][pdf, page] for mode in MODES if (pdf, page) in by_page[mode]}
            )
            for pdf, page in sorted(by_page["olmocr"])
        },
    }
    return Evaluation("olmOCR-bench", subject.name, summary, list(_bench_views(result, readings, pdfs)))


def _bench_scores(result: olmocr_bench.BenchResult, mode: Mode) -> dict[str, Any]:
    value, low, high = result.score(mode)
    groups = {name: sum(verdicts) / len(verdicts) for name, verdicts in sorted(result.groups(mode).items())}
    return {
        "overall": round(value, DIGITS),
        "low": round(low, DIGITS),
        "high": round(high, DIGITS),
        "groups": _rounded(groups),
        "types": _rounded(result.types(mode)),
    }


def _bench_readings(
    pages: Mapping[tuple[str, int], None], subject: Subject, pdfs: Path
) -> dict[tuple[str, int], list[str]]:
    """The readings of each page, its repeats in order; pages without one are left out."""
    name = "{}_pg{}_repeat{}.md"
    if subject.model is not None:
        images = {
            name.format(pdf.removesuffix(".pdf"), page, 1): _pdf_page(inside(pdfs, pdf), page) for pdf, page in pages
        }
        read = subject.readings(images)
        return {key: [read[file]] for key, file in zip(pages, images, strict=True)}
    assert subject.predictions is not None
    stored = StoredReadings(subject.predictions)
    by_page: dict[str, list[str]] = {}
    for file in stored.names():
        by_page.setdefault(file.rsplit("_repeat", 1)[0], []).append(file)
    wanted = {key: f"{key[0].removesuffix('.pdf')}_pg{key[1]}" for key in pages}
    missing = [f"{stem}_repeat1.md" for stem in wanted.values() if stem not in by_page]
    check_complete(missing, len(wanted), stored.folder, subject.allow_missing)
    return {key: [stored.read(file) for file in by_page[stem]] for key, stem in wanted.items() if stem in by_page}


def _bench_views(
    result: olmocr_bench.BenchResult, readings: Mapping[tuple[str, int], Sequence[str]], pdfs: Path
) -> Iterator[PageView]:
    strict, upstream = result.pages("strict"), result.pages("olmocr")
    failed: dict[tuple[str, int], list[str]] = {}
    for test in result.tests:
        if test.evidence:
            reason = f"{test.id} ({test.type}), {', '.join(test.evidence)}: {next(iter(test.evidence.values()))}"
            failed.setdefault((test.pdf, test.page), []).append(reason)
    for key in upstream:
        read = readings.get(key, ())
        yield PageView(
            name=f"{key[0]} page {key[1]}",
            score=strict.get(key),
            fields={"olmocr": upstream[key], "strict": strict.get(key)},
            picture=_pdf_page(inside(pdfs, key[0]), key[1]),
            compared=[("read", read[0], read[0])] if read else [],
            notes=failed.get(key, ()),
        )


def _image_file(path: Path) -> Picture:
    def opened() -> Image.Image:
        try:
            return open_image(path.read_bytes())
        except OSError as error:
            raise RequestError(f"{path}: cannot be read: {error.strerror}") from error
        except ImageError as error:
            raise RequestError(f"{path}: not an image that can be read: {error}") from error

    return opened


def _pdf_page(path: Path, page: int) -> Picture:
    def drawn() -> Image.Image:
        try:
            if path.stat().st_size > MAX_PDF_BYTES:
                raise RequestError(f"{path}: larger than {MAX_PDF_BYTES} bytes")
            return render_page(path.read_bytes(), page).image
        except OSError as error:
            raise RequestError(f"{path}: cannot be read: {error.strerror}") from error
        except RowError as error:
            raise RequestError(f"{path}: page {page} cannot be drawn: {error}") from error

    return drawn


def _gold_json(path: Path) -> Path:
    if path.is_file():
        return path
    if not path.is_dir():
        raise RequestError(f"{path}: no such file or folder")
    found = sorted(path.glob("*.json"))
    if len(found) != 1:
        named = ", ".join(file.name for file in found) or "none"
        raise RequestError(f"{path}: holds {len(found)} JSON files ({named}); name OmniDocBench's gold JSON itself")
    return found[0]


def _pages(path: Path) -> list[Mapping[str, Any]]:
    if path.stat().st_size > MAX_GOLD_BYTES:
        raise RequestError(f"{path}: larger than {MAX_GOLD_BYTES} bytes")
    try:
        pages = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{path}: not JSON: {error}") from error
    if not isinstance(pages, list) or not pages:
        raise RequestError(f"{path}: not OmniDocBench's gold, which is a list of pages")
    try:
        return [dict(_GoldPage.model_validate(page).model_dump()) for page in pages]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise RequestError(f"{path}: not OmniDocBench's gold: {where}: {first['msg']}") from error


def _bench_files(path: Path) -> tuple[Path, list[Path]]:
    if path.is_file():
        return path.parent, [path]
    for folder in (path, path / "bench_data"):
        if files := sorted(folder.glob("*.jsonl")):
            return folder, files
    raise RequestError(f"{path}: no *.jsonl of tests there, nor in its bench_data/")


def _json_lines(path: Path) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RequestError(f"{path}: line {number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise RequestError(f"{path}: line {number}: not a test")
        rows.append(row)
    return rows


def _rounded(scores: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in scores.items()}


def _counts(values: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return found
