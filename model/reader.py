"""Images to text, many at a time, on a CPU or a GPU.

    reader = Reader.load("nano")
    for reading in reader.read([image, other]):
        print(reading.finish, reading.text)
    reader.likelihood([image], ["E = mc^2"])      # how well the model believes a label: [-0.02]

On a CPU all is computed in float32 on one thread, and no image's result depends on the images beside it, so that a
score is the same in every run.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
from PIL import Image

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.choosing import Finish
from proofpress.model.jina_ocr.decoding import decode
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import IGNORED, Processor

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model read from one image.

    tokens: of the text. steps: passes of the network. seconds: the image's share of its batch's time. finish: ``eos``,
    ``length`` (the limit came first) or ``loop`` (it repeated itself; the text is cut to one turn). likelihood: mean
    log-probability per token it chose.
    """

    text: str
    tokens: int
    steps: int
    seconds: float
    finish: Finish
    likelihood: float


class Reader:
    """A network with its processor. name: what the model is called."""

    def __init__(self, network: JinaOCR, processor: Processor, name: str = "") -> None:
        self.network = network
        self.processor = processor
        self.name = name or network.config.name

    @classmethod
    def load(cls, model: str = "nano", device: str = "cpu") -> "Reader":
        """The reader of a bundled model or of a folder; ``RequestError`` if it is neither or does not fit."""
        return cls(*checkpoint.load(model, device), model)

    def read(self, images: Sequence[Image.Image], batch_size: int = 8, max_tokens: int | None = None) -> list[Reading]:
        """Read images of any sizes, in their order.

        batch_size: rows that go on together; it changes speed and, in the last bit, numbers. max_tokens: of an answer.
        """
        readings: dict[int, Reading] = {}
        with _steady(self.network):
            decoding = decode(self.network, self.processor, images, rows=batch_size, max_tokens=max_tokens)
            for index, one in decoding:
                text = self.processor.tokenizer.decode(one.ids)
                readings[index] = Reading(text, len(one.ids), one.steps, one.seconds, one.finish, one.log_probability)
        return [readings[index] for index in range(len(images))]

    @torch.inference_mode()
    def likelihood(self, images: Sequence[Image.Image], texts: Sequence[str], batch_size: int = 1) -> list[float]:
        """Mean log-probability per label token, the end token included, that the model gives each text for its image.

        batch_size: rows of equal shape computed together. More than one row helps on a GPU; each batch is filled up to
        it, so on a CPU with images of many shapes one is faster.
        """
        lengths = [self.processor.answer_length(text) for text in texts]
        shapes = [self.processor.shape(*image.size) for image in images]
        means: dict[int, float] = {}
        device = self.network.model.embed_tokens.weight.device
        with _steady(self.network):
            for chosen in _batches(list(zip(shapes, lengths, strict=True)), batch_size):
                filled = chosen + [chosen[-1]] * (batch_size - len(chosen))
                batch = self.processor.batch([images[i] for i in filled], [texts[i] for i in filled]).to(device)
                logits = self.network(batch).logits.float()  # (B, A, V)
                losses = torch.nn.functional.cross_entropy(
                    logits.transpose(1, 2), batch.labels, ignore_index=IGNORED, reduction="none"
                )
                rows = -losses.sum(1) / (batch.labels != IGNORED).sum(1)
                means.update(zip(chosen, rows.tolist(), strict=False))
        return [means[index] for index in range(len(images))]


def _batches(keys: Sequence[Key], size: int) -> Iterator[list[int]]:
    """Indices of equal keys, at most ``size`` together, in the order in which the keys first stand."""
    groups: dict[Key, list[int]] = {}
    for index, key in enumerate(keys):
        groups.setdefault(key, []).append(index)
    for group in groups.values():
        for start in range(0, len(group), size):
            yield group[start : start + size]


@contextmanager
def _steady(network: JinaOCR) -> Iterator[None]:
    """Not in training, on one thread: the order in which threads add up is not the same on every machine."""
    training, threads = network.training, torch.get_num_threads()
    network.eval()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        network.train(training)
