"""The judge: does the bundled model believe a record's label, and would it read the same from the image?

A record's likelihood is the mean log-probability per token that the model gives the label when it sees the image, and
its doubt how much likelier something else is where the label surprises most: the first falls where label and image
have little to do with each other, the second rises where one digit is wrong. Its reward (slower: the model has to read)
compares the model's own reading with the label. A model that reads crops judges a page by some of its elements, chosen
by a hash of their ids, and the page's likelihood and doubt are those of the worst of them. A record is dropped when it
is not believed, and its reading, where there is one, does not acquit it. The thresholds are calibrated so that of
proofed records no more than a known share is not believed.

    judge = Judge.load("nano")
    for record in judge.judge(records, read=False):
        print(record.id, record.scores.verdict, record.scores.likelihood)
    Judge(reader, "mine", UNCALIBRATED).calibrate(proofed_records).write(folder / THRESHOLDS)
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from PIL.Image import Image

from proofpress.model.jina_ocr.checkpoint import folder_of
from proofpress.model.jina_ocr.config import CropViews
from proofpress.model.reader import Belief, Reader
from proofpress.model.rewards import GoldError, score
from proofpress.pages.errors import RequestError
from proofpress.pages.image import crop_polygons, open_image
from proofpress.pages.label import normal_label
from proofpress.pages.record import PageRecord, Scores

THRESHOLDS = "judge.json"

#: Elements that show all of their label, and the task each is scored as.
JUDGED = {"paragraph": "text", "heading": "text", "formula": "formula", "table": "table"}
MAX_ELEMENTS = 4
MARGIN = 3  # pixels of page around an element: more would show the ink of its neighbours

PAGES = frozenset({"page", "form"})
DIGITS = 6  # of a score: more than float32 has are noise


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a task's records must reach; a doubt must not be above. None where it was not calibrated."""

    likelihood: float
    doubt: float | None = None
    reward: float | None = None

    def believes(self, belief: Belief) -> bool:
        """Whether both measures are as of right labels."""
        return belief.likelihood >= self.likelihood and (self.doubt is None or belief.doubt <= self.doubt)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of each task, and the share of proofed records that were not believed when they were made."""

    tasks: dict[str, Threshold]
    false_rejects: float

    @classmethod
    def read(cls, path: Path) -> "Thresholds":
        """The thresholds a file holds; ``RequestError`` naming the file where it is missing or holds none."""
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls({task: Threshold(**t) for task, t in values["tasks"].items()}, values["false_rejects"])
        except FileNotFoundError as error:
            raise RequestError(
                f"{path}: the model has no judge's thresholds; calibrate it on proofed records"
            ) from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise RequestError(f"{path}: not a judge's thresholds: {error!r}") from error

    def write(self, path: Path) -> None:
        """Write the file that ``read`` reads."""
        path.write_text(json.dumps(asdict(self), indent=2, sort_keys=True) + "\n", encoding="utf-8")

    def verdict(self, task: str, belief: Belief | None, reward: float | None) -> str:
        """``drop`` when it is neither believed nor acquitted; ``unread`` where no threshold says anything."""
        threshold = self.tasks.get(task)
        if threshold is None or belief is None:
            return "unread"
        if threshold.believes(belief):
            return "keep"
        acquitted = threshold.reward is not None and reward is not None and reward >= threshold.reward
        return "keep" if acquitted else "drop"


#: For a model whose judge is still to be calibrated: all it judges is ``unread``.
UNCALIBRATED = Thresholds({}, 0.0)


@dataclass(frozen=True, slots=True)
class _Sample:
    """What the model is shown. name: the element's id, or the record's task where it is shown whole."""

    name: str
    image: Image
    text: str
    task: str


@dataclass(frozen=True, slots=True)
class Judge:
    """A reader with thresholds. model: its name, as it is written into the scores."""

    reader: Reader
    model: str
    thresholds: Thresholds

    @classmethod
    def load(cls, model: str = "nano", reader: Reader | None = None) -> "Judge":
        """The judge of a model: ``nano`` (bundled) or a folder with weights and ``judge.json``.

        Raises ``RequestError`` where the model or its thresholds are missing.
        """
        thresholds = Thresholds.read(folder_of(model) / THRESHOLDS)
        return cls(reader or Reader.load(model), model, thresholds)

    def judge(self, records: Sequence[PageRecord], read: bool = True) -> list[PageRecord]:
        """The records with their scores, each the same whatever records stand beside it.

        read: measure the reward too. A record of which nothing fits the model's view is
        ``unread``. ``parts`` holds likelihood, doubt and reward of each element shown, and under ``gold`` why a label
        cannot be right at all, which drops the record.
        """
        return [
            replace(record, scores=self._scores(record, parts))
            for record, parts in zip(records, self._measure(records, read), strict=True)
        ]

    def calibrate(self, records: Sequence[PageRecord], false_rejects: float = 0.02, read: bool = False) -> Thresholds:
        """Thresholds by which at most this share of each task's records is not believed: half of it by either measure.

        records: proofed, their labels right. Raises ``RequestError`` where none of them fits the model's view.
        """
        by_task: dict[str, list[tuple[Belief, float | None]]] = {}
        for record, parts in zip(records, self._measure(records, read), strict=True):
            if belief := _worst(parts):
                by_task.setdefault(record.task, []).append((belief, _reward(parts)))
        if not by_task:
            raise RequestError("no record to calibrate the judge on fits the model's view")
        tasks = {}
        for task, measured in sorted(by_task.items()):
            rewards = [reward for _, reward in measured if reward is not None]
            tasks[task] = Threshold(
                likelihood=_quantile([belief.likelihood for belief, _ in measured], false_rejects / 2),
                doubt=-_quantile([-belief.doubt for belief, _ in measured], false_rejects / 2),
                reward=_quantile(rewards, false_rejects) if rewards else None,
            )
        return Thresholds(tasks, false_rejects)

    def _scores(self, record: PageRecord, parts: dict[str, dict[str, Any]]) -> Scores:
        belief, reward = _worst(parts), _reward(parts)
        unsound = any("gold" in part for part in parts.values())
        verdict = "drop" if unsound else self.thresholds.verdict(record.task, belief, reward)
        return Scores(self.model, belief.likelihood if belief else None, reward, verdict, parts)

    def _measure(self, records: Sequence[PageRecord], read: bool) -> list[dict[str, dict[str, Any]]]:
        """For each record, the figures of each of its samples by name."""
        samples = [list(self._samples(record)) for record in records]
        shown = [sample for one in samples for sample in one]
        images, texts = [sample.image for sample in shown], [sample.text for sample in shown]
        figures: list[dict[str, Any]] = [
            {"likelihood": round(belief.likelihood, DIGITS), "doubt": round(belief.doubt, DIGITS)}
            for belief in self.reader.believe(images, texts)
        ]
        if read:
            for figure, sample, reading in zip(figures, shown, self.reader.read(images), strict=True):
                try:
                    figure["reward"] = round(score(reading.text, sample.text, sample.task).value, DIGITS)
                except GoldError as error:
                    figure["gold"] = str(error)
        following = iter(figures)
        return [{sample.name: next(following) for sample in one} for one in samples]

    def _samples(self, record: PageRecord) -> Iterator[_Sample]:
        image = open_image(record.image)
        if record.task in PAGES and isinstance(self.reader.processor.config.views, CropViews):
            fitting = (sample for sample in _crops(record, image) if self._fits(sample))
            for _, sample in zip(range(MAX_ELEMENTS), fitting, strict=False):
                yield sample
        else:
            sample = _Sample(record.task, image, normal_label(record.text, record.task), record.task)
            if self._fits(sample):
                yield sample

    def _fits(self, sample: _Sample) -> bool:
        """Whether the model sees the image unscaled and can say the whole label."""
        processor = self.reader.processor
        if processor.scale(*sample.image.size) < 1:
            return False
        return len(processor.tokenizer.encode(sample.text)) < processor.config.generation.max_tokens


def _worst(parts: dict[str, dict[str, Any]]) -> Belief | None:
    """The least likelihood and the greatest doubt of all that was shown."""
    if not parts:
        return None
    return Belief(min(part["likelihood"] for part in parts.values()), max(part["doubt"] for part in parts.values()))


def _reward(parts: dict[str, dict[str, Any]]) -> float | None:
    rewards = [part["reward"] for part in parts.values() if "reward" in part]
    return round(sum(rewards) / len(rewards), DIGITS) if rewards else None


def _quantile(values: Sequence[float], share: float) -> float:
    """The largest of the values that at most this share of them lie below."""
    return sorted(values)[int(share * len(values))]


def _crops(record: PageRecord, image: Image) -> Iterator[_Sample]:
    """The record's elements that can be judged, in an order that only their ids decide."""
    elements = [element for element in record.elements if element.type in JUDGED and element.text]
    for element in sorted(elements, key=lambda e: blake2b(f"{record.id}/{e.id}".encode(), digest_size=8).digest()):
        crop = crop_polygons(image, element.polygons, MARGIN)
        task = JUDGED[element.type]
        yield _Sample(element.id, crop, normal_label(element.text, task), task)
