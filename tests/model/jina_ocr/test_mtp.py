import torch

from proofpress.model.jina_ocr.attention import rotations


def test_a_draft_heads_embedding_stands_before_its_hidden_state(tiled) -> None:
    network, _ = tiled
    head, width = network.mtp_module.heads[0], network.config.decoder.width
    head.eh_proj.weight.data[:, width:] = 0
    embedded, hidden = torch.randn(2, 5, width), torch.randn(2, 5, width)
    rotation = rotations(0, 5, 16, 1e6, embedded.device)
    drafted = head(embedded, hidden, rotation)
    assert drafted.shape == (2, 5, width)
    torch.testing.assert_close(head(embedded, hidden + 1, rotation), drafted)
    assert not torch.allclose(head(embedded + torch.randn(width), hidden, rotation), drafted)


def test_a_draft_head_does_not_see_later_positions(tiled) -> None:
    network, _ = tiled
    head, width = network.mtp_module.heads[0], network.config.decoder.width
    embedded, hidden = torch.randn(1, 5, width), torch.randn(1, 5, width)
    rotation = rotations(0, 5, 16, 1e6, embedded.device)
    drafted = head(embedded, hidden, rotation)
    embedded[:, 3] += 1
    changed = (head(embedded, hidden, rotation) - drafted).abs().amax(-1)[0]
    assert changed[:3].max() < 1e-5 < changed[3:].min()
