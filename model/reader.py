"""Images to text, many at a time, on a CPU or a GPU.

    reader = Reader.load("nano")                                    # or Reader.load(folder, "cuda", "bfloat16")
    for reading in reader.read([image, other], batch_size=16):
        print(reading.finish, reading.text)
    reader.read(images, decoding="speculative", upright=True)       # by drafts; turned images are turned back
    reader.believe([image], ["E = mc^2"])                           # is it the label? [Belief(likelihood=-0.02, ...)]

On a CPU all is computed on one thread and in float32 unless another type is asked for, and no image's result depends
on the images beside it, so that a score is the same in every run.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeVar

import torch
from PIL import Image

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.jina_ocr.choosing import Decoded, Finish
from proofpress.model.jina_ocr.decoding import decode
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import IGNORED, Processor
from proofpress.pages.errors import RequestError

Key = TypeVar("Key", bound=Hashable)

Decoding = Literal["greedy", "speculative"]

#: Told an image's place, the piece of text that was read next, and whether it was the last.
Listener = Callable[[int, str, bool], None]

#: Tokens guessed a pass: FastMTP, table 3, finds no gain beyond three.
DRAFTS = 3

#: The ways an image may be turned, in degrees counter-clockwise, and how Pillow turns it so.
TURNS = {
    90: Image.Transpose.ROTATE_90,
    180: Image.Transpose.ROTATE_180,
    270: Image.Transpose.ROTATE_270,
}

#: Tokens by which it is judged whether an image stands upright, and how much likelier a turned reading must be.
ORIENTATION_TOKENS = 24
ORIENTATION_MARGIN = 0.1


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model read from one image.

    tokens: of the text. likelihoods: log-probability of each token it chose, the end token included. likelihood: their
    mean. steps: passes of the network. seconds: the image's share of the time. finish: ``eos``, ``length`` (the limit
    came first) or ``loop`` (it repeated itself; the text is cut to one turn). turned: degrees counter-clockwise by
    which the image was turned before it was read.
    """

    text: str
    tokens: int
    likelihoods: tuple[float, ...]
    steps: int
    seconds: float
    finish: Finish
    turned: int = 0

    @property
    def likelihood(self) -> float:
        """Mean log-probability per chosen token."""
        return sum(self.likelihoods) / len(self.likelihoods)


@dataclass(frozen=True, slots=True)
class Belief:
    """How well the model believes that a text is the label of an image.

    likelihood: mean log-probability per token. doubt: how many nats likelier another token is than the label's, where
    the label surprises most; 0 where the model would have read the label. One wrong digit in a long label hardly moves
    the mean, but is doubted.
    """

    likelihood: float
    doubt: float


class Reader:
    """A network with its processor. name: what the model is called."""

    def __init__(self, network: JinaOCR, processor: Processor, name: str = "") -> None:
        self.network = network
        self.processor = processor
        self.name = name or network.config.name

    @classmethod
    def load(cls, model: str = "nano", device: str = "cpu", dtype: str = "float32") -> "Reader":
        """The reader of a bundled model or of a folder.

        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``. dtype: ``float32``, ``bfloat16``, ``float16``, or ``auto`` for
        that of the model's files. ``RequestError`` where one of them is not to be had.
        """
        return cls(*checkpoint.load(model, _device(device), dtype), model)

    def read(
        self,
        images: Sequence[Image.Image],
        batch_size: int = 16,
        max_tokens: int | None = None,
        decoding: Decoding = "greedy",
        upright: bool = False,
        listener: Listener | None = None,
    ) -> list[Reading]:
        """Read images of any sizes, in their order.

        batch_size: rows that go on together; it changes speed and, in the last bit, numbers. max_tokens: of an answer.
        decoding: ``speculative`` reads the same in fewer passes and needs a multi-token head, ``RequestError`` without.
        upright: try four ways to turn each image and read the likeliest. listener: told what is read while it is read;
        of a loop it is told all turns.
        """
        drafts = self._drafts(decoding)
        turns = self.turns(images, batch_size) if upright else [0] * len(images)
        standing = [image.transpose(TURNS[turn]) if turn else image for image, turn in zip(images, turns, strict=True)]
        readings: dict[int, Reading] = {}
        pieces = [_Text(self.processor) for _ in images]

        def told(index: int, tokens: Sequence[int]) -> None:
            if listener and (piece := pieces[index].add(tokens)):
                listener(index, piece, False)

        with _steady(self.network):
            finished = decode(
                self.network,
                self.processor,
                standing,
                rows=batch_size,
                drafts=drafts,
                max_tokens=max_tokens,
                watch=told,
            )
            for index, one in finished:
                readings[index] = self._reading(one, turns[index])
                if listener:
                    listener(index, pieces[index].rest(), True)
        return [readings[index] for index in range(len(images))]

    def turns(self, images: Sequence[Image.Image], batch_size: int = 16) -> list[int]:
        """By how many degrees, counter-clockwise, each image is to be turned to stand upright: 0, 90, 180 or 270.

        A few tokens are read each way. An image stays as it is unless another way is clearly likelier.
        """
        ways = [image.transpose(TURNS[turn]) if turn else image for image in images for turn in (0, *TURNS)]
        likelihoods: dict[int, float] = {}
        with _steady(self.network):
            shortly = decode(self.network, self.processor, ways, rows=batch_size, max_tokens=ORIENTATION_TOKENS)
            likelihoods.update((index, one.log_probability) for index, one in shortly)
        turns = []
        for first in range(0, len(ways), 4):
            by_turn = {turn: likelihoods[first + place] for place, turn in enumerate((0, *TURNS))}
            best = max(by_turn, key=by_turn.__getitem__)
            turns.append(best if by_turn[best] > by_turn[0] + ORIENTATION_MARGIN else 0)
        return turns

    @torch.inference_mode()
    def believe(self, images: Sequence[Image.Image], texts: Sequence[str], batch_size: int = 1) -> list[Belief]:
        """How well the model believes each text as the label of its image, the end token included.

        batch_size: rows of equal shape computed together. More than one row helps on a GPU; each batch is filled up to
        it, so on a CPU with images of many shapes one is faster.
        """
        lengths = [self.processor.answer_length(text) for text in texts]
        shapes = [self.processor.shape(*image.size) for image in images]
        beliefs: dict[int, Belief] = {}
        device = self.network.model.embed_tokens.weight.device
        with _steady(self.network):
            for chosen in _batches(list(zip(shapes, lengths, strict=True)), batch_size):
                filled = chosen + [chosen[-1]] * (batch_size - len(chosen))
                batch = self.processor.batch([images[i] for i in filled], [texts[i] for i in filled]).to(device)
                likely = self.network(batch).logits.float().log_softmax(-1)  # (B, A, V)
                said = batch.labels != IGNORED
                own = likely.gather(-1, batch.labels.clamp(min=0)[..., None])[..., 0].masked_fill(~said, 0.0)
                doubts = (likely.amax(-1) - own).masked_fill(~said, 0.0)
                means = own.sum(1) / said.sum(1)
                beliefs.update(zip(chosen, map(Belief, means.tolist(), doubts.amax(1).tolist()), strict=False))
        return [beliefs[index] for index in range(len(images))]

    def _drafts(self, decoding: Decoding) -> int:
        if decoding == "greedy":
            return 0
        if not self.network.config.draft_heads:
            raise RequestError(f"model {self.name}: it has no multi-token head; read with --decoding greedy")
        return DRAFTS

    def _reading(self, one: Decoded, turned: int) -> Reading:
        text = self.processor.tokenizer.decode(one.ids)
        return Reading(text, len(one.ids), one.log_probabilities, one.steps, one.seconds, one.finish, turned)


class _Text:
    """A text that grows by tokens, in pieces that are whole characters."""

    def __init__(self, processor: Processor) -> None:
        self.tokenizer = processor.tokenizer
        self.ids: list[int] = []
        self.told = 0

    def add(self, tokens: Sequence[int]) -> str:
        """What the tokens add; nothing while bytes of a character may still be to come."""
        self.ids.extend(tokens)
        if self.tokenizer.is_byte(self.ids[-1]):
            return ""
        text = self.tokenizer.decode(self.ids)
        return "" if text.endswith("\N{REPLACEMENT CHARACTER}") else self._piece(text)

    def rest(self) -> str:
        """What was held back."""
        return self._piece(self.tokenizer.decode(self.ids))

    def _piece(self, text: str) -> str:
        piece, self.told = text[self.told :], len(text)
        return piece


def _device(device: str) -> str:
    """The device, if this machine has it."""
    try:
        kind = torch.device(device).type
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        words = str(error).splitlines()[0]
        raise RequestError(f"device: {device!r} is not to be had here ({words}); cpu always is") from error
    if kind == "meta":
        raise RequestError(f"device: {device!r} holds no numbers; cpu always does")
    return device


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
