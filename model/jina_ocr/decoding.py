"""Reading pages token by token, several at once over one cache, with or without drafts.

    for index, decoded in decode(network, processor, images, rows=8):
        print(index, decoded.finish, processor.tokenizer.decode(decoded.ids))
    decode(network, processor, images, rows=8, chooser=Sampling(0.7, seed=1))       # drawn instead of likeliest
    decode(network, processor, images, rows=8, drafts=3)                            # the same tokens in fewer passes

Each page is seen and its prompt read by itself; then all rows go on together, each from its own place. A row whose page
is finished takes the next one that waits. Drafting is FastMTP (arXiv 2509.18362): the multi-token head guesses the next
``drafts`` tokens, one pass of the network reads them all, and of these those stay that it would have chosen itself.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from PIL import Image
from torch import Tensor

from proofpress.model.jina_ocr.choosing import GREEDY, Answer, Chooser, Decoded
from proofpress.model.jina_ocr.drafting import Drafter
from proofpress.model.jina_ocr.graphs import GRAPH_STEP, Graphed, Pass
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.repetition import RepetitionBan

Watch = Callable[[int, Sequence[int]], None]


@torch.inference_mode()
def decode(
    network: JinaOCR,
    processor: Processor,
    images: Sequence[Image.Image],
    *,
    rows: int,
    chooser: Chooser = GREEDY,
    drafts: int = 0,
    max_tokens: int | None = None,
    streams: Sequence[int] | None = None,
    watch: Watch | None = None,
    graphs: bool = False,
) -> Iterator[tuple[int, Decoded]]:
    """Read images of any sizes; each one's place and answer as soon as it is finished.

    rows: pages that go on together, always computed as so many. drafts: tokens guessed a pass, at least 0; more need a
    multi-token head, ``ValueError`` without. max_tokens: of an answer, its end token included; by default, and at
    most, what the configuration allows. streams: of each image, the number of its draws; by default its place. watch:
    told an image's place and tokens whenever some are chosen. graphs: play passes back as CUDA graphs. An image that is
    the very one before it (several readings of one page) is not seen again.
    """
    if drafts and not network.config.draft_heads:
        raise ValueError("drafting needs a network with a multi-token head")
    places = streams or range(len(images))
    batch = _Batch(network, processor, images, rows, chooser, drafts, max_tokens, places, watch, graphs)
    while batch.waiting or batch.active():
        for row in range(rows):
            if batch.waiting and batch.pages[row] is None:
                batch.admit(row, batch.waiting.popleft())
        yield from batch.finished()
        if batch.active():
            batch.advance()
            yield from batch.finished()


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that is being read."""

    index: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class _Seen:
    """The prompt read last: its image, its length, where it stands, and the state and logits after it."""

    image: Image.Image
    length: int
    row: int
    hidden: Tensor
    logits: Tensor


class _Batch:
    """Rows of one cache and what waits for them. lengths: of each row, the positions that stand in the cache."""

    def __init__(
        self,
        network: JinaOCR,
        processor: Processor,
        images: Sequence[Image.Image],
        rows: int,
        chooser: Chooser,
        drafts: int,
        max_tokens: int | None,
        streams: Sequence[int],
        watch: Watch | None,
        graphs: bool,
    ) -> None:
        config, generation = network.config.decoder, network.config.generation
        self.network, self.processor, self.images, self.streams = network, processor, images, streams
        self.chooser, self.drafts, self.watch = chooser, drafts, watch
        prompts = [processor.prompt_length(processor.shape(*image.size)) for image in images]
        most = min(max_tokens or generation.max_tokens, generation.max_tokens)
        self.limits = [min(most, config.max_positions - prompt) for prompt in prompts]
        capacity = max((p + limit for p, limit in zip(prompts, self.limits, strict=True)), default=0) + drafts + 1
        self.cache = network.cache(rows, capacity)
        self.run: Pass = self._pass
        if graphs:
            self.cache.step, self.run = GRAPH_STEP, Graphed(self._pass, self.cache)
        self.drafter = Drafter(network, rows, capacity, drafts, graphs) if drafts else None
        ids = map(processor.tokenizer.id_of, generation.exempt)
        self.exempt = frozenset(i for i in ids if i is not None)
        self.waiting = deque(range(len(images)))
        self.pages: list[_Page | None] = [None] * rows
        self.lengths = [0] * rows
        self.last = [network.config.pad_id] * rows
        self.seen: _Seen | None = None

    def active(self) -> int:
        """How many rows have a page."""
        return sum(page is not None for page in self.pages)

    def finished(self) -> Iterator[tuple[int, Decoded]]:
        """Take the finished pages out of their rows."""
        for row, page in enumerate(self.pages):
            if page is not None and page.answer.finish:
                self.pages[row] = None
                yield page.index, page.answer.decoded()

    def admit(self, row: int, index: int) -> None:
        """See a page, read its prompt into a row and choose its first token."""
        started = time.perf_counter()
        config, generation = self.network.config, self.network.config.generation
        seen = self._see(row, self.images[index])
        ids = self.processor.prompt(self.processor.shape(*self.images[index].size))
        answer = Answer(
            RepetitionBan(ids, generation.ngram, generation.window, self.exempt),
            self.chooser.draws(self.streams[index], self.limits[index]),
            config.eos_id,
        )
        self.pages[row] = _Page(index, answer)
        self.lengths[row] = seen.length
        chosen = self._choose(seen.logits[None], [self.pages[row]], [[self.last[row]]])[0]
        self.last[row] = chosen[-1]
        if self.drafter:
            self.drafter.hidden[row, 0] = seen.hidden
            self.drafter.committed[row] = chosen
        answer.seconds += time.perf_counter() - started

    def advance(self) -> None:
        """One pass for all rows."""
        started = time.perf_counter()
        drafted = self.drafter.draft(self.lengths) if self.drafter else [[] for _ in self.lengths]
        blocks = [[last, *tokens] for last, tokens in zip(self.last, drafted, strict=True)]
        self.cache.set_lengths(self.lengths, room=self.drafts + 1)
        hidden, logits = self.run(torch.tensor(blocks, device=self.cache.keys.device))
        committed = self._choose(logits, self.pages, blocks)
        for row, tokens in enumerate(committed):
            # Rejected drafts stay in the cache beyond the row's length, where the next pass writes over them.
            self.lengths[row] += len(tokens)
            self.last[row] = tokens[-1] if tokens else self.last[row]
        if self.drafter:
            self.drafter.hidden, self.drafter.committed = hidden, committed
        share = (time.perf_counter() - started) / self.active()
        for page in self.pages:
            if page is not None:
                page.answer.seconds += share

    def _pass(self, blocks: Tensor) -> tuple[Tensor, Tensor]:
        """States and logits of the next tokens of all rows, (rows, N), after those in the cache."""
        hidden, _ = self.network.model.think(self.network.model.embed_tokens(blocks), self.cache)
        return hidden, self.network.logits(hidden)

    def _see(self, row: int, image: Image.Image) -> _Seen:
        """The prompt of an image in a row of the cache, copied from another row if it is the image seen last."""
        if self.seen is None or self.seen.image is not image:
            batch = self.processor.batch([image]).to(self.cache.keys.device)
            embedded, _ = self.network.embed(batch)
            hidden, _ = self.network.model.think(embedded, self.cache.row(row))
            if self.drafter:
                self.drafter.prime(row, embedded, hidden)
            self.seen = _Seen(image, batch.prompt_length, row, hidden[0, -1], self.network.logits(hidden[0, -1:]))
        elif self.seen.row != row:
            self.cache.copy_row(self.seen.row, row, self.seen.length)
            if self.drafter:
                self.drafter.cache.copy_row(self.seen.row, row, self.seen.length)
        return self.seen

    def _choose(
        self, logits: Tensor, pages: Sequence[_Page | None], blocks: Sequence[Sequence[int]]
    ) -> list[list[int]]:
        """The tokens each page takes from the logits (rows, N, vocabulary) after each of its block's N tokens.

        A token is taken as long as the block's tokens before it are the ones that were taken.
        """
        count = logits.shape[1]
        scores = self.chooser.scores(logits.flatten(0, 1))  # (rows * N, vocabulary)
        draws = torch.zeros(len(scores), dtype=torch.float64)
        for row, page in enumerate(pages):
            if page is not None:
                following = page.answer.draws[len(page.answer.tokens) :][:count]
                draws[row * count : row * count + len(following)] = torch.as_tensor(following)
        best = self.chooser.choose(scores, draws)
        tokens, likely = best.tolist(), scores.gather(-1, best[:, None])[:, 0].tolist()
        taken: list[list[int]] = [[] for _ in pages]
        for row, page in enumerate(pages):
            if page is None:
                continue
            page.answer.steps += 1
            for place in range(count):
                at = row * count + place
                token, log_probability = tokens[at], likely[at]
                if banned := page.answer.ban.banned():
                    forbidden = torch.tensor(sorted(banned), device=scores.device)
                    allowed = scores[at].index_fill(0, forbidden, float("-inf"))
                    token = int(self.chooser.choose(allowed[None], draws[at : at + 1]))
                    log_probability = float(scores[at, token])
                page.answer.take(token, log_probability)
                taken[row].append(token)
                if page.answer.finish or place + 1 == count or blocks[row][place + 1] != token:
                    break
            if self.watch:
                self.watch(page.index, taken[row])
        return taken
