from dataclasses import replace

import torch
from PIL import Image

from proofpress.model.jina_ocr.attention import rotations

from .conftest import build, crop_config, lively


def test_a_draft_heads_embedding_stands_before_its_hidden_state(tiled) -> None:
    network, _ = tiled
    head, width = network.mtp_module.heads[0], network.config.decoder.width
    head.eh_proj.weight.data[:, width:] = 0
    embedded, hidden = torch.randn(2, 5, width), torch.randn(2, 5, width)
    rotation = rotations(torch.arange(5), 16, 1e6)
    drafted = head(embedded, hidden, rotation)
    assert drafted.shape == (2, 5, width)
    torch.testing.assert_close(head(embedded, hidden + 1, rotation), drafted)
    assert not torch.allclose(head(embedded + torch.randn(width), hidden, rotation), drafted)


def test_a_draft_head_does_not_see_later_positions(tiled) -> None:
    network, _ = tiled
    head, width = network.mtp_module.heads[0], network.config.decoder.width
    embedded, hidden = torch.randn(1, 5, width), torch.randn(1, 5, width)
    rotation = rotations(torch.arange(5), 16, 1e6)
    drafted = head(embedded, hidden, rotation)
    embedded[:, 3] += 1
    changed = (head(embedded, hidden, rotation) - drafted).abs().amax(-1)[0]
    assert changed[:3].max() < 1e-5 < changed[3:].min()


def test_unrolled_logits_are_those_of_drafting_from_each_position() -> None:
    """Teaching runs all positions at once; reading drafts after one position over the cache. Both are one function."""
    network, processor = build(replace(crop_config(), draft_heads=1))
    network = lively(network).double()
    batch = processor.batch([Image.new("RGB", (60, 40), "white")], ["abcdefgh"])
    with torch.inference_mode():
        embedded, _ = network.embed(batch)
        hidden, _ = network.model.think(embedded)
        unrolled = list(network.unroll(embedded, hidden, steps=3))
        for place in (batch.prompt_length - 1, batch.prompt_length + 2):
            cache = network.cache(1, 200, layers=1)
            state = network.draft(embedded[:, 1 : place + 2], hidden[:, : place + 1], cache.row(0))[:, -1:]
            torch.testing.assert_close(network.logits(state)[:, 0], unrolled[0][:, place])


def test_each_step_of_the_unrolled_head_looks_one_token_further() -> None:
    network, _ = build(replace(crop_config(), draft_heads=1))
    network = lively(network).double()
    embedded, hidden = torch.randn(2, 1, 10, 32, dtype=torch.float64).unbind()
    before = list(network.unroll(embedded, hidden, steps=3))
    embedded[:, 6] += 1
    after = list(network.unroll(embedded, hidden, steps=3))
    for step, (one, other) in enumerate(zip(before, after, strict=True), start=1):
        changed = (one - other).abs().amax(-1)[0] > 1e-9
        assert changed.tolist() == [place >= 6 - step for place in range(10)]


def test_the_logits_of_the_unrolled_head_may_start_at_the_answer() -> None:
    network, _ = build(replace(crop_config(), draft_heads=1))
    embedded, hidden = torch.randn(2, 1, 10, 32).unbind()
    whole, part = (list(network.unroll(embedded, hidden, steps=2, start=start)) for start in (0, 4))
    for one, other in zip(whole, part, strict=True):
        torch.testing.assert_close(one[:, 4:], other)


def test_a_head_is_put_beside_a_network_without_one(nano) -> None:
    network, processor = nano
    batch = processor.batch([Image.new("RGB", (60, 40), "white")], ["ab"])
    before = network(batch).logits
    network.add_draft_head()
    assert network.config.draft_heads == 1
    assert {name.split(".")[0] for name in network.state_dict()} == {"model", "mtp_module"}
    assert torch.equal(network(batch).logits, before)
    embedded, _ = network.embed(batch)
    first = next(iter(network.unroll(embedded, network.model.think(embedded)[0], 1)))
    assert first.isfinite().all()
