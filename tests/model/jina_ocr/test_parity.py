"""Our network against the nearest one in transformers: Unlimited-OCR has the same modules and published names."""

from dataclasses import replace

import pytest
import torch
from PIL import Image, ImageDraw
from safetensors.torch import save_file

from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Batch

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
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((5, 5), "page", fill="black")
    batch = processor.batch([image])
    batch = replace(batch, ids=torch.cat((batch.ids, torch.tensor([ANSWER])), 1))
    with torch.inference_mode():
        ours = network(batch).logits
        theirs = reference_logits(network, batch, tmp_path)[:, batch.prompt_length - 1 :]
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)
    assert ours.std() > 0.5


def reference_logits(network: JinaOCR, batch: Batch, folder) -> torch.Tensor:
    """What transformers computes from the same tensors under the same names."""
    state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    reference_config(network).save_pretrained(folder)
    model = reference.UnlimitedOcrForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    tiles = batch.views.tiles
    views = {}
    if tiles is not None:
        rows, columns = tiles.shape[1:3]
        views = {
            "pixel_values_local": tiles.flatten(0, 2),
            "num_local_patches": [rows * columns],
            "patches_grid": [[columns, rows]],
        }
    return model(input_ids=batch.ids, pixel_values=batch.views.pages, **views).logits
