"""Our network against the nearest one in transformers: Unlimited-OCR has the same modules and published names."""

from dataclasses import replace

import pytest
import torch
from PIL import Image, ImageDraw
from safetensors.torch import save_file

from proofpress.model.jina_ocr import decoder, vision
from proofpress.model.jina_ocr.network import JinaOCR, Trunk
from proofpress.model.jina_ocr.processor import Batch
from proofpress.model.jina_ocr.vision import ClipEncoder

from .conftest import build, lively, tiled_config

reference = pytest.importorskip("transformers.models.unlimited_ocr", reason="transformers has no Unlimited-OCR")

ANSWER = [5, 300, 301, 302, 400, 17]


def reference_config(network: JinaOCR) -> "reference.UnlimitedOcrConfig":
    sam, clip, decoder = network.config.sam, network.config.clip, network.config.decoder
    return reference.UnlimitedOcrConfig(
        vision_config={
            "sam_config": {
                "hidden_size": sam.width, "output_channels": sam.neck, "num_hidden_layers": sam.layers,
                "num_attention_heads": sam.heads, "image_size": sam.grid * sam.patch, "window_size": sam.window,
                "global_attn_indexes": sam.global_layers, "mlp_dim": sam.mlp_width,
                "downsample_channels": sam.compressor,
            },
            "encoder_config": {
                "hidden_size": clip.width, "intermediate_size": clip.mlp_width, "num_hidden_layers": clip.layers,
                "num_attention_heads": clip.heads, "image_size": clip.grid * clip.patch, "patch_size": clip.patch,
            },
        },
        text_config={
            "vocab_size": decoder.vocabulary, "hidden_size": decoder.width, "intermediate_size": decoder.dense_width,
            "num_hidden_layers": decoder.layers, "num_attention_heads": decoder.heads, "num_key_value_heads": None,
            "n_routed_experts": decoder.experts, "num_experts_per_tok": decoder.experts_per_token,
            "n_shared_experts": decoder.shared_experts, "moe_intermediate_size": decoder.expert_width,
            "rope_parameters": {"rope_type": "default", "rope_theta": decoder.rope_base}, "sliding_window": 4096,
        },
        image_token_id=network.config.image_id,
    )  # fmt: skip


@pytest.mark.parametrize("size", [(100, 60), (256, 256), (200, 130)])
def test_logits_are_those_of_the_reference(size: tuple[int, int], tmp_path) -> None:
    network, processor = build(replace(tiled_config(), draft_heads=0))
    lively(network)
    batch = drawn(processor, size)
    with torch.inference_mode():
        ours = network(batch).logits
        theirs = reference_logits(network, batch, tmp_path)[:, batch.prompt_length - 1 :]
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    assert ours.std() > 0.5


def drawn(processor, size: tuple[int, int]) -> Batch:
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((5, 5), "page", fill="black")
    batch = processor.batch([image])
    return replace(batch, ids=torch.cat((batch.ids, torch.tensor([ANSWER])), 1))


@pytest.mark.parametrize("size", [(100, 60), (256, 256), (130, 200)])
def test_an_image_takes_the_slots_of_the_reference(size: tuple[int, int], tmp_path) -> None:
    """Encoders, projector, newlines, tiles and separator together."""
    network, processor = build(replace(tiled_config(), draft_heads=0))
    batch = drawn(processor, size)
    with torch.inference_mode():
        theirs = reference_model(network, tmp_path).model.get_image_features(batch.views.pages, **tiles_of(batch))
        ours, _ = network.model.see(batch.views)
    torch.testing.assert_close(ours[0], torch.cat(tuple(theirs.pooler_output)), rtol=1e-4, atol=1e-4)
    assert ours.std() > 0.1


def mutate_concatenation(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    def look(self: Trunk, views: torch.Tensor) -> torch.Tensor:
        tokens = self.sam_model(views)
        related = self.vision_model(tokens)
        return self.projector(torch.cat((tokens.flatten(2).mT, related), -1)).unflatten(1, tokens.shape[2:])

    patch.setattr(Trunk, "look", look)


def mutate_rotary_base(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(network.model, "rope_base", 1e4)


def mutate_rotary_pairs(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    def interleaved(x: torch.Tensor, rotation) -> torch.Tensor:
        cosine, sine = (part.chunk(2, -1)[1].unsqueeze(-3) for part in rotation)
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack((even * cosine - odd * sine, odd * cosine + even * sine), -1).flatten(-2)

    patch.setattr(decoder, "rotate", interleaved)


def mutate_class_token(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    def kept(self: ClipEncoder, tokens: torch.Tensor) -> torch.Tensor:
        return self.transformer(self.pre_layrnorm(self.embeddings(tokens)))[:, :-1]

    patch.setattr(ClipEncoder, "forward", kept)


def mutate_newline(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    def first(self: Trunk, tokens: torch.Tensor) -> torch.Tensor:
        newline = self.image_newline.expand(*tokens.shape[:2], 1, -1)
        return torch.cat((newline, tokens), 2).flatten(1, 2)

    patch.setattr(Trunk, "_with_newlines", first)


def mutate_newline_a_tile(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    """Each tile's row ends with a newline, not the stitched row; the number of slots is made to fit."""
    with_newlines = Trunk._with_newlines

    def tile_by_tile(self: Trunk, tokens: torch.Tensor) -> torch.Tensor:
        halves = torch.cat([with_newlines(self, half) for half in tokens.chunk(2, 2)], 1)
        return halves[:, : tokens.shape[1] * (tokens.shape[2] + 1)]

    patch.setattr(Trunk, "_with_newlines", tile_by_tile)


def mutate_order_of_views(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    see = Trunk.see

    def page_first(self: Trunk, views):
        slots, page = see(self, views)
        length = page.shape[1] * (page.shape[2] + 1)
        return torch.cat((slots[:, -length - 1 : -1], slots[:, : -length - 1], slots[:, -1:]), 1), page

    patch.setattr(Trunk, "see", page_first)


def mutate_separator(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    see = Trunk.see
    patch.setattr(Trunk, "see", lambda self, views: (see(self, views)[0].roll(1, 1), None))


def mutate_top_k(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    mix = decoder.Mixture._sorted
    patch.setattr(
        decoder.Mixture,
        "_sorted",
        lambda self, rows, weights, routing: mix(self, rows, weights / weights.sum(-1, keepdim=True), routing),
    )


def mutate_shared_experts(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    for layer in network.model.layers[1:]:
        patch.setattr(layer.mlp.shared_experts, "forward", lambda x: torch.zeros_like(x))


def mutate_relative_positions(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    """The bias from the scaled query."""
    relative = vision.relative
    patch.setattr(vision, "relative", lambda table, *rest: relative(table, *rest) * table.shape[-1] ** -0.5)


def mutate_window_padding(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    """Padding that repeats the edge instead of zeros."""
    pad = vision.F.pad

    def repeating(x: torch.Tensor, sides, *rest, **more):
        if len(sides) != 6:
            return pad(x, sides, *rest, **more)
        return pad(x.permute(0, 3, 1, 2), (0, sides[3], 0, sides[5]), mode="replicate").permute(0, 2, 3, 1)

    patch.setattr(vision.F, "pad", repeating)


def mutate_resizing(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    """Position tables cut instead of stretched."""
    absolute = vision.absolute
    patch.setattr(vision, "absolute", lambda table, rows, columns, placing: absolute(table, rows, columns, "crop"))


def mutate_activation(network: JinaOCR, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(vision.ClipMlp, "forward", lambda self, x: self.fc2(torch.nn.functional.gelu(self.fc1(x))))


MUTANTS = [value for name, value in sorted(globals().items()) if name.startswith("mutate_")]


@pytest.mark.parametrize("mutate", MUTANTS, ids=lambda mutate: mutate.__name__.removeprefix("mutate_"))
def test_each_trap_of_the_published_code_shows_in_the_logits(mutate, tmp_path, monkeypatch) -> None:
    network, processor = build(replace(tiled_config(), draft_heads=0))
    lively(network)
    for parameter in (network.model.image_newline, network.model.view_seperator):
        parameter.data.normal_(generator=torch.Generator().manual_seed(2))
    batch = drawn(processor, (256, 256))
    with torch.inference_mode():
        theirs = reference_logits(network, batch, tmp_path)[:, batch.prompt_length - 1 :]
        torch.testing.assert_close(network(batch).logits, theirs, rtol=1e-4, atol=1e-4)
        mutate(network, monkeypatch)
        assert (network(batch).logits - theirs).abs().max() > 1e-2


def tiles_of(batch: Batch) -> dict:
    """A batch of one page's tiles as the reference takes them."""
    if batch.views.tiles is None:
        return {}
    rows, columns = batch.views.tiles.shape[1:3]
    return {
        "pixel_values_local": batch.views.tiles.flatten(0, 2),
        "num_local_patches": [rows * columns],
        "patches_grid": [[columns, rows]],
    }


def reference_model(network: JinaOCR, folder) -> torch.nn.Module:
    """What transformers builds of the same tensors under the same names."""
    state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    reference_config(network).save_pretrained(folder)
    return reference.UnlimitedOcrForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()


def reference_logits(network: JinaOCR, batch: Batch, folder) -> torch.Tensor:
    model = reference_model(network, folder)
    return model(input_ids=batch.ids, pixel_values=batch.views.pages, **tiles_of(batch)).logits
