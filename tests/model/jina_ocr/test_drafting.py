"""Drafts change how many passes a reading takes and nothing else."""

import math
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from PIL import Image, ImageDraw
from torch.nn import functional as F

from proofpress.model.jina_ocr.choosing import GREEDY, Decoded, Sampling
from proofpress.model.jina_ocr.drafting import Drafter
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor

from .conftest import build, crop_config, lively, tiled_config
from .test_decoding import drawing, greedy, sized


def with_head(config=None) -> tuple[JinaOCR, Processor]:
    network, processor = build(replace(config or crop_config(), draft_heads=1))
    network.model.norm.weight.data.uniform_(0.3, 3, generator=torch.Generator().manual_seed(5))
    return lively(network), processor


def knowing(network: JinaOCR, answers: list[Decoded], share: float, monkeypatch) -> None:
    """A head that guesses ``share`` of what will be chosen right: the guesses of a draft are taken from the answers."""
    generator = torch.Generator().manual_seed(0)

    def draft(self: Drafter, lengths) -> list[list[int]]:
        guesses = []
        for committed in self.committed:
            following = continuations.get(tuple(committed[-1:]), [0] * self.drafts)
            right = torch.rand(self.drafts, generator=generator) < share
            guesses.append([token if good else 7 for token, good in zip(following, right.tolist(), strict=True)])
        return guesses

    continuations = {}
    for one in answers:
        padded = [*one.chosen, 0, 0, 0, 0]
        for place, token in enumerate(one.chosen):
            continuations.setdefault((token,), padded[place + 1 : place + 4])
    monkeypatch.setattr(Drafter, "draft", draft)


def tokens_a_pass(decoded: list[Decoded]) -> float:
    return sum(len(one.chosen) for one in decoded) / sum(one.steps for one in decoded)


def same(drafted: list[Decoded], plain: list[Decoded]) -> None:
    for one, other in zip(drafted, plain, strict=True):
        assert (one.chosen, one.kept, one.finish) == (other.chosen, other.kept, other.finish)
        assert all(
            math.isclose(a, b, abs_tol=1e-3)
            for a, b in zip(one.log_probabilities, other.log_probabilities, strict=True)
        )


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("config", [crop_config, tiled_config])
@pytest.mark.parametrize("chooser", [GREEDY, Sampling(1.5, 0.95, seed=2)])
def test_a_fresh_heads_drafts_change_nothing(config, rows: int, chooser) -> None:
    network, processor = with_head(config())
    images = [sized(number) for number in range(5)]
    plain = greedy(network, processor, images, rows=rows, max_tokens=15, chooser=chooser)
    same(greedy(network, processor, images, rows=rows, max_tokens=15, chooser=chooser, drafts=3), plain)
    assert len({one.chosen for one in plain}) == 5


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("rows", [1, 4])
def test_rows_may_accept_different_numbers_of_drafts(rows: int, share: float, monkeypatch) -> None:
    network, processor = with_head()
    images = [sized(number) for number in range(9)]
    plain = greedy(network, processor, images, rows=rows, max_tokens=31)
    knowing(network, plain, share, monkeypatch)
    drafted = greedy(network, processor, images, rows=rows, max_tokens=31, drafts=3)
    same(drafted, plain)
    if share == 0:
        assert [one.steps for one in drafted] == [one.steps for one in plain]
    else:
        assert tokens_a_pass(drafted) > 1.1


def ending(network: JinaOCR, answers: list[Decoded], place: int) -> JinaOCR:
    """The network with the token that its first answer has at a place as its end token."""
    network.config = replace(network.config, eos_id=answers[0].chosen[place])
    return network


@pytest.mark.parametrize("place", [4, 5, 6, 7])
def test_an_end_token_inside_a_block_ends_the_reading(place: int, monkeypatch) -> None:
    network, processor = with_head()
    images = [sized(number) for number in range(3)]
    network = ending(network, greedy(network, processor, images, rows=3, max_tokens=20), place)
    plain = greedy(network, processor, images, rows=3, max_tokens=20)
    assert plain[0].finish == "eos"
    knowing(network, plain, 1.0, monkeypatch)
    same(greedy(network, processor, images, rows=3, max_tokens=20, drafts=3), plain)


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 6])
def test_the_limit_inside_a_block_ends_the_reading(limit: int, monkeypatch) -> None:
    network, processor = with_head()
    plain = greedy(network, processor, [drawing(1)], rows=1, max_tokens=limit)
    knowing(network, plain, 1.0, monkeypatch)
    drafted = greedy(network, processor, [drawing(1)], rows=1, max_tokens=limit, drafts=3)
    same(drafted, plain)
    assert (len(drafted[0].chosen), drafted[0].finish) == (limit, "length")


def repeating(network: JinaOCR, period: int) -> JinaOCR:
    """Likes best to say the same few tokens again and again, by the token it is fed."""
    liked = torch.randn(network.config.decoder.vocabulary, generator=torch.Generator().manual_seed(1))

    def logits(hidden: torch.Tensor) -> torch.Tensor:
        fed = (hidden @ network.model.embed_tokens.weight.T).argmax(-1)
        following = 300 + (fed - 300 + 1) % period
        return liked + torch.nn.functional.one_hot(following, len(liked)) * 9

    network.logits = logits  # type: ignore[method-assign]
    network.model.think = lambda x, cache=None: (x, ())  # type: ignore[method-assign]
    return network


def test_the_ban_inside_a_block_sees_the_tokens_accepted_before_it(monkeypatch) -> None:
    config = crop_config()
    config = replace(config, draft_heads=1, generation=replace(config.generation, ngram=6, window=40))
    network, processor = with_head(config)
    repeating(network, 4)
    plain = greedy(network, processor, [drawing(1)], rows=1, max_tokens=60)
    without = replace(config, generation=replace(config.generation, ngram=1000))
    network.config = without
    free = greedy(network, processor, [drawing(1)], rows=1, max_tokens=60)
    network.config = config
    assert plain[0].chosen != free[0].chosen, "the ban never applied"
    knowing(network, free, 1.0, monkeypatch)
    drafted = greedy(network, processor, [drawing(1)], rows=1, max_tokens=60, drafts=3)
    same(drafted, plain)
    assert tokens_a_pass(drafted) > 1.5


def teach(network: JinaOCR, processor: Processor, images: list[Image.Image], answers: list[Decoded]) -> None:
    """Train the head on what the network reads, as FastMTP does, until it knows the readings by heart."""
    head = network.mtp_module.parameters()
    optimizer = torch.optim.AdamW(head, lr=3e-3)
    seen = []
    for image, one in zip(images, answers, strict=True):
        batch = processor.batch([image])
        chosen = torch.tensor([one.chosen])
        with torch.no_grad():
            embedded, _ = network.embed(replace(batch, ids=torch.cat((batch.ids, chosen[:, :-1]), 1)))
            hidden, _ = network.model.think(embedded)
        seen.append((embedded, hidden, batch.prompt_length - 1, chosen[0]))
    for step in range(300):
        embedded, hidden, start, chosen = seen[step % len(seen)]
        loss = torch.zeros(())
        for ahead, logits in enumerate(network.unroll(embedded, hidden, 3, start), start=1):
            loss = loss + F.cross_entropy(logits[0, :-ahead], chosen[ahead:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.fixture(scope="module")
def taught() -> tuple[JinaOCR, Processor, list[Image.Image], list[Decoded]]:
    network, processor = with_head()
    images = [sized(number) for number in range(4)]
    answers = greedy(network, processor, images, rows=4, max_tokens=40)
    teach(network, processor, images, answers)
    return network, processor, images, answers


#: Tokens a pass that a head which is wired as it was taught reaches, and one that is not does not.
FLOOR = 3.0


@pytest.mark.parametrize("rows", [1, 4])
def test_a_taught_heads_drafts_are_taken(taught, rows: int) -> None:
    network, processor, images, plain = taught
    drafted = greedy(network, processor, images, rows=rows, max_tokens=40, drafts=3)
    same(drafted, plain)
    assert tokens_a_pass(drafted) > FLOOR


def wrong_pairing(patch: pytest.MonkeyPatch, network: JinaOCR) -> None:
    """The state of a position with the token that stands there, not with the one after it."""
    draft = Drafter.draft

    def shifted(self: Drafter, lengths) -> list[list[int]]:
        committed = self.committed
        self.committed = [[*tokens[-1:], *tokens[:-1]] if len(tokens) > 1 else [7] for tokens in committed]
        guesses = draft(self, lengths)
        self.committed = committed
        return guesses

    patch.setattr(Drafter, "draft", shifted)


def wrong_order(patch: pytest.MonkeyPatch, network: JinaOCR) -> None:
    """The hidden state before the embedding."""
    weight = network.mtp_module.heads[0].eh_proj.weight
    patch.setattr(weight, "data", torch.cat(weight.data.chunk(2, 1)[::-1], 1))


def no_refill(patch: pytest.MonkeyPatch, network: JinaOCR) -> None:
    """Of the tokens that stayed only the last is written again, from the state of the first."""
    draft = Drafter.draft

    def last_only(self: Drafter, lengths) -> list[list[int]]:
        committed = self.committed
        self.committed = [tokens[-1:] for tokens in committed]
        guesses = draft(self, lengths)
        self.committed = committed
        return guesses

    patch.setattr(Drafter, "draft", last_only)


def no_prime(patch: pytest.MonkeyPatch, network: JinaOCR) -> None:
    """The prompt is not read into the draft cache."""
    patch.setattr(Drafter, "prime", lambda self, row, embedded, hidden: None)


def before_the_norm(patch: pytest.MonkeyPatch, network: JinaOCR) -> None:
    """The head's own state fed back before the final norm."""
    head = network.mtp_module.heads[0]

    def draft(embedded: torch.Tensor, hidden: torch.Tensor, cache=None) -> torch.Tensor:
        return head(embedded, hidden, network.model.rotation(hidden.shape[1], cache), cache)

    patch.setattr(network, "draft", draft)


@pytest.mark.parametrize("wrong", [wrong_pairing, wrong_order, no_refill, no_prime, before_the_norm])
def test_wrong_wiring_reads_the_same_but_its_drafts_are_not_taken(taught, wrong, monkeypatch) -> None:
    network, processor, images, plain = taught
    wrong(monkeypatch, network)
    drafted = greedy(network, processor, images, rows=2, max_tokens=40, drafts=3)
    same(drafted, plain)
    assert tokens_a_pass(drafted) < FLOOR


def pages(count: int) -> Iterator[Image.Image]:
    """Small pages of all shapes, each with other marks."""
    generator = random.Random(8)
    for _ in range(count):
        image = Image.new("L", (generator.randrange(20, 140), generator.randrange(20, 80)), 255)
        draw = ImageDraw.Draw(image)
        for _ in range(6):
            place = generator.randrange(image.width), generator.randrange(image.height)
            draw.text(place, generator.choice("abcdefgh"), fill=0)
        yield image


@pytest.mark.parametrize("count", [30, pytest.param(500, marks=pytest.mark.slow)])
def test_speculative_reading_is_lossless(taught, count: int, monkeypatch) -> None:
    """In float32, with the ban, the end token and the limit, rows of mixed lengths, guesses seldom and often right."""
    network, processor, _, _ = taught
    config = network.config
    ends = greedy(network, processor, list(pages(3)), rows=3, max_tokens=12)[0].chosen[-1]
    try:
        network.config = replace(config, eos_id=ends, generation=replace(config.generation, ngram=3, window=60))
        images = list(pages(count))
        plain = greedy(network, processor, images, rows=5, max_tokens=40)
        seldom = greedy(network, processor, images, rows=5, max_tokens=40, drafts=3)
        knowing(network, plain, 0.8, monkeypatch)
        often = greedy(network, processor, images, rows=5, max_tokens=40, drafts=3)
    finally:
        network.config = config
    same(seldom, plain)
    same(often, plain)
    assert {one.finish for one in plain} >= {"eos", "length"}
    assert tokens_a_pass(often) > 1.1


def test_drafting_without_a_head_is_refused(nano) -> None:
    network, processor = nano
    with pytest.raises(ValueError, match="multi-token head"):
        greedy(network, processor, [drawing(1)], rows=1, drafts=3)
