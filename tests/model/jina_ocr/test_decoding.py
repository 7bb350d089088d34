from dataclasses import replace

import pytest
import torch
from PIL import Image, ImageDraw

from proofpress.model.jina_ocr.choosing import Decoded
from proofpress.model.jina_ocr.decoding import decode
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor

from .conftest import build, crop_config, lively


def greedy(network: JinaOCR, processor: Processor, images: list[Image.Image], **options) -> list[Decoded]:
    return [one for _, one in sorted(decode(network, processor, images, **options), key=lambda pair: pair[0])]


def drawing(number: int) -> Image.Image:
    image = Image.new("RGB", (100, 60), "white")
    ImageDraw.Draw(image).text((5, 5), f"page {number}", fill="black")
    return image


def uncached(network: JinaOCR, processor: Processor, image: Image.Image, count: int) -> list[int]:
    ids: list[int] = []
    batch = processor.batch([image])
    for _ in range(count):
        answer = torch.tensor([ids], dtype=torch.long)
        grown = replace(batch, ids=torch.cat((batch.ids, answer), 1))
        with torch.inference_mode():
            best = int(network(grown).logits[0, -1].argmax())
        if best == network.config.eos_id:
            break
        ids.append(best)
    return ids


def test_reading_over_the_cache_is_reading_without(either) -> None:
    network, processor = either
    network = lively(network)
    images = [drawing(number) for number in range(3)]
    decoded = greedy(network, processor, images, rows=4, max_tokens=20)
    for image, one in zip(images, decoded, strict=True):
        assert list(one.ids) == uncached(network, processor, image, 20)
    assert len({one.ids for one in decoded}) == 3


def test_a_page_is_read_alike_whatever_pages_it_is_read_with(nano) -> None:
    network, processor = nano
    network = lively(network)
    first = greedy(network, processor, [drawing(1)], rows=3, max_tokens=20)[0]
    among = greedy(network, processor, [drawing(2), drawing(1), drawing(3)], rows=3, max_tokens=20)[1]
    assert among == first


def test_the_log_probability_of_a_reading_is_that_of_teaching_it(nano) -> None:
    network, processor = nano
    network = lively(network)
    one = greedy(network, processor, [drawing(1)], rows=1, max_tokens=8)[0]
    batch = processor.batch([drawing(1)])
    ids = torch.tensor([one.ids])
    with torch.inference_mode():
        logits = network(replace(batch, ids=torch.cat((batch.ids, ids[:, :-1]), 1))).logits[0]
    expected = logits.log_softmax(-1).gather(-1, ids.T).mean()
    assert one.log_probability == pytest.approx(float(expected), abs=1e-4)


def always(network: JinaOCR, token: int) -> JinaOCR:
    """A network that likes one token best, whatever it sees."""
    logits = torch.zeros(network.config.decoder.vocabulary)
    logits[token] = 5.0
    network.logits = lambda hidden: logits.expand(*hidden.shape[:-1], -1)  # type: ignore[method-assign]
    return network


def test_the_end_token_ends_a_reading(nano) -> None:
    network, processor = nano
    network = always(network, network.config.eos_id)
    one = greedy(network, processor, [drawing(1)], rows=2)[0]
    assert (one.ids, one.finish, one.steps) == ((), "eos", 1)


def test_the_limit_ends_a_reading(nano) -> None:
    network, processor = nano
    one = greedy(always(network, 50), processor, [drawing(1)], rows=1, max_tokens=7)[0]
    assert (one.ids, one.finish, one.steps) == ((50,) * 7, "length", 7)


def test_a_loop_ends_a_reading_and_is_cut(nano) -> None:
    network, processor = nano
    one = greedy(always(network, 50), processor, [drawing(1)], rows=1)[0]
    assert (one.ids, one.finish, one.steps) == ((50,), "loop", 96)


def test_a_repeated_sequence_is_banned_but_not_by_exempt_tokens() -> None:
    config = crop_config()
    config = replace(config, generation=replace(config.generation, ngram=4, window=100))
    network, processor = build(config)
    one = greedy(always(network, 50), processor, [drawing(1)], rows=1, max_tokens=7)[0]
    assert one.ids[:3] == (50, 50, 50)
    assert one.ids[4] != 50
    cell = processor.tokenizer.id_of("<td>")
    exempt = greedy(always(network, cell), processor, [drawing(1)], rows=1, max_tokens=7)[0]
    assert exempt.ids == (cell,) * 7


def sized(number: int) -> Image.Image:
    """Drawings of several shapes."""
    return drawing(number).crop((0, 0, 60 + 45 * (number % 4), 40 + 30 * (number % 3)))


def test_pages_of_all_sizes_take_the_rows_that_come_free(either) -> None:
    network, processor = either
    network = lively(network)
    images = [sized(number) for number in range(7)]
    decoded = greedy(network, processor, images, rows=3, max_tokens=9)
    for image, one in zip(images, decoded, strict=True):
        assert list(one.ids) == uncached(network, processor, image, 9)


def test_an_image_read_several_times_is_seen_once(nano, monkeypatch) -> None:
    network, processor = nano
    network = lively(network)
    one, other = drawing(1), sized(2)
    alone = [greedy(network, processor, [image], rows=2, max_tokens=9)[0] for image in (one, other)]
    seen = []
    embed = network.embed
    monkeypatch.setattr(network, "embed", lambda batch: (seen.append(batch), embed(batch))[1])
    decoded = greedy(network, processor, [one] * 3 + [other] * 2, rows=2, max_tokens=9)
    assert decoded == [alone[0]] * 3 + [alone[1]] * 2
    assert len(seen) == 2


def test_what_is_chosen_is_told_as_it_is_chosen(nano) -> None:
    network, processor = nano
    told: dict[int, list[int]] = {0: [], 1: []}
    images = [drawing(0), sized(1)]
    decoded = greedy(
        lively(network), processor, images, rows=2, max_tokens=9, watch=lambda index, tokens: told[index].extend(tokens)
    )
    assert told == {index: list(one.chosen) for index, one in enumerate(decoded)}


def test_nothing_is_read_from_nothing(nano) -> None:
    assert greedy(*nano, [], rows=2) == []
