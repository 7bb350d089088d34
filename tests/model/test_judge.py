import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.judge import MAX_ELEMENTS, UNCALIBRATED, Judge, Threshold, Thresholds
from proofpress.model.reader import Belief
from proofpress.pages.errors import RequestError
from proofpress.pages.record import Element, PageRecord, Scores, Source

THRESHOLDS = Thresholds(
    {"text": Threshold(-0.5), "page": Threshold(-0.5), "formula": Threshold(-0.5, reward=0.9)}, 0.02
)


@dataclass
class FakeReader:
    """Believes labels as it is told to, reads each image as ``reading``, remembers what it was shown."""

    believed: dict[str, float] = field(default_factory=dict)
    doubts: dict[str, float] = field(default_factory=dict)
    reading: str = "x"
    model: str = "nano"
    shown: list[tuple[tuple[int, int], str]] = field(default_factory=list)

    @property
    def processor(self) -> Any:
        return Processor(named(self.model), SimpleNamespace(encode=list, bos_id=0))  # type: ignore[arg-type]

    def believe(self, images: Sequence[Image.Image], texts: Sequence[str], batch_size: int = 8) -> list[Belief]:
        self.shown += [(image.size, text) for image, text in zip(images, texts, strict=True)]
        return [Belief(self.believed.get(text, -0.1), self.doubts.get(text, 0.0)) for text in texts]

    def read(self, images: Sequence[Image.Image], batch_size: int = 8, max_tokens: int | None = None) -> list[Any]:
        return [SimpleNamespace(text=self.reading) for _ in images]


def judge(reader: FakeReader, thresholds: Thresholds = THRESHOLDS) -> Judge:
    return Judge(reader, "nano", thresholds)  # type: ignore[arg-type]


def record(text: str = "x", task: str = "text", size: tuple[int, int] = (80, 20), **fields: Any) -> PageRecord:
    png = io.BytesIO()
    Image.new("RGB", size, "white").save(png, "PNG")
    source = Source("test", "1", "0", "CC0-1.0")
    return PageRecord(fields.pop("id", "r"), png.getvalue(), *size, text, task, source, **fields)


def element(number: int, type_: str = "paragraph", text: str = "", size: tuple[int, int] = (60, 10)) -> Element:
    top, (width, height) = 20 * number, size
    polygon = (5.0, top, 5.0 + width, top, 5.0 + width, top + height, 5.0, top + height)
    return Element(f"e{number}", type_, text or f"text {number}", (polygon,))


def page(*elements: Element, **fields: Any) -> PageRecord:
    return record("the page", "page", (1000, 1000), elements=elements, **fields)


def scores(judged: PageRecord) -> Scores:
    assert judged.scores is not None
    return judged.scores


@pytest.mark.parametrize(
    ("likelihood", "verdict"), [(-0.4, "keep"), (-0.5, "keep"), (-0.500001, "drop"), (-9.0, "drop")]
)
def test_a_crop_is_kept_from_its_threshold_on(likelihood: float, verdict: str) -> None:
    (judged,) = judge(FakeReader({"x": likelihood})).judge([record()], read=False)
    assert scores(judged).verdict == verdict
    assert scores(judged).likelihood == likelihood
    assert scores(judged).reward is None
    assert replace(judged, scores=None) == record()


def test_a_good_reading_acquits_an_unlikely_label_where_its_threshold_is_known() -> None:
    reader = FakeReader({"x^{2}": -2.0}, reading="x^2")
    (formula,) = judge(reader).judge([record("x^2", "formula")])
    assert (scores(formula).reward, scores(formula).verdict) == (1.0, "keep")
    assert scores(judge(reader).judge([record("x^2", "formula")], read=False)[0]).verdict == "drop"
    (text,) = judge(FakeReader({"word": -2.0}, reading="word")).judge([record("word")])
    assert (scores(text).reward, scores(text).verdict) == (1.0, "drop")


def test_a_likely_label_is_kept_whatever_the_reading() -> None:
    (judged,) = judge(FakeReader(reading="nonsense")).judge([record("x^2", "formula")])
    assert scores(judged).verdict == "keep"
    assert scores(judged).reward < 0.5


def test_a_page_is_judged_by_the_crops_of_its_elements_and_is_as_likely_as_the_worst() -> None:
    reader = FakeReader({"text 1": -3.0})
    (judged,) = judge(reader).judge([page(element(0), element(1), element(2, "formula", "x"))], read=False)
    assert sorted(text for _, text in reader.shown) == ["text 0", "text 1", "x"]
    assert all(width < 100 and height < 50 for (width, height), _ in reader.shown)
    assert (scores(judged).likelihood, scores(judged).verdict) == (-3.0, "drop")
    assert scores(judged).parts["e1"] == {"likelihood": -3.0, "doubt": 0.0}


def test_a_page_is_as_doubtful_as_its_most_doubtful_element() -> None:
    thresholds = Thresholds({"page": Threshold(-1.0, 8.0)}, 0.02)
    sure, unsure = element(0), element(1)
    assert [
        scores(one).verdict
        for doubt in (8.0, 8.1)
        for one in judge(FakeReader(doubts={"text 1": doubt}), thresholds).judge([page(sure, unsure)], read=False)
    ] == ["keep", "drop"]


def test_a_doubtful_label_is_acquitted_by_its_reading() -> None:
    thresholds = Thresholds({"text": Threshold(-1.0, 8.0, 0.9)}, 0.02)
    doubtful = FakeReader(doubts={"x": 9.0})
    assert [scores(judge(doubtful, thresholds).judge([record()], read)[0]).verdict for read in (False, True)] == [
        "drop",
        "keep",
    ]


def test_elements_that_do_not_show_their_label_or_do_not_fit_are_passed_over() -> None:
    reader = FakeReader()
    wide, long = element(3, size=(900, 10)), element(4, text="a" * 3_000)
    judge(reader).judge([page(element(0), element(1, "figure"), element(2, "page_number"), wide, long)], read=False)
    assert [text for _, text in reader.shown] == ["text 0"]


def test_the_choice_of_elements_depends_on_the_record_alone() -> None:
    elements = [element(number) for number in range(30)]
    alone, among = FakeReader(), FakeReader()
    judge(alone).judge([page(*elements, id="a")], read=False)
    judge(among).judge([page(*elements, id="b"), page(*reversed(elements), id="a")], read=False)
    assert len(alone.shown) == MAX_ELEMENTS
    assert among.shown[MAX_ELEMENTS:] == alone.shown
    assert among.shown[:MAX_ELEMENTS] != alone.shown


def test_a_model_that_sees_whole_pages_is_shown_the_page() -> None:
    reader = FakeReader(model="jina-ocr-v1")
    judge(reader).judge([page(element(0))], read=False)
    assert reader.shown == [((1000, 1000), "the page")]


@pytest.mark.parametrize(
    "unfit", [record(size=(900, 20)), record(size=(20, 800)), record("a" * 2_048), page(), page(element(0, "figure"))]
)
def test_what_does_not_fit_the_view_is_unread(unfit: PageRecord) -> None:
    judged, other = judge(FakeReader()).judge([unfit, record()], read=False)
    assert scores(judged).verdict == "unread"
    assert scores(judged).likelihood is None
    assert scores(other).verdict == "keep"


def test_a_task_without_a_threshold_is_unread() -> None:
    (judged,) = judge(FakeReader()).judge([record("<table><tr><td>x</td></tr></table>", "table")], read=False)
    assert scores(judged).verdict == "unread"
    assert scores(judged).likelihood == -0.1


def test_a_label_that_cannot_be_right_drops_its_record_and_says_why() -> None:
    (judged,) = judge(FakeReader()).judge([record(r"\frac{", "formula")])
    assert scores(judged).verdict == "drop"
    assert "KaTeX" in scores(judged).parts["formula"]["gold"]


def test_scores_survive_the_row_of_a_shard() -> None:
    (judged,) = judge(FakeReader(reading="x")).judge([record()])
    assert PageRecord.from_row(judged.to_row()) == judged


@pytest.mark.parametrize(("share", "below"), [(0.0, 0), (0.02, 2), (0.1, 10), (0.019, 0)])
def test_at_most_the_wanted_share_of_proofed_records_is_not_believed(share: float, below: int) -> None:
    labels = [f"label {number}" for number in range(100)]
    believed = {label: -0.01 * number for number, label in enumerate(labels)}
    reader = FakeReader(believed, {label: 0.1 * number for number, label in enumerate(reversed(labels))})
    proofed = [record(label, id=label) for label in labels] + [record("a" * 3_000)]
    thresholds = judge(reader, UNCALIBRATED).calibrate(proofed, share)
    rejudged = judge(reader, thresholds).judge(proofed, read=False)
    assert [scores(one).verdict for one in rejudged].count("drop") == below
    assert thresholds.tasks["text"].reward is None


def test_rewards_are_calibrated_where_they_were_measured() -> None:
    thresholds = judge(FakeReader()).calibrate([record(), record("y")], 0.5, read=True)
    assert thresholds.tasks["text"].reward == 1.0


def test_there_is_nothing_to_calibrate_on_without_records_that_fit() -> None:
    with pytest.raises(RequestError, match="view"):
        judge(FakeReader()).calibrate([record(size=(900, 20))])


def test_thresholds_are_kept_beside_the_weights(tmp_path: Path) -> None:
    THRESHOLDS.write(tmp_path / "judge.json")
    reader = FakeReader()
    loaded = Judge.load(str(tmp_path), reader)  # type: ignore[arg-type]
    assert loaded.thresholds == THRESHOLDS
    assert loaded.reader is reader


@pytest.mark.parametrize(
    "content", [None, "", "[]", "{}", '{"tasks": {"text": {"likelyhood": 1}}, "false_rejects": 0}']
)
def test_missing_or_broken_thresholds_are_named(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "judge.json").write_text(content)
    with pytest.raises(RequestError, match=r"judge\.json"):
        Judge.load(str(tmp_path), FakeReader())  # type: ignore[arg-type]
