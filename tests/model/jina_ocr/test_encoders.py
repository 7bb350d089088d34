"""Our encoders and experts against transformers' own SAM, CLIP and DeepSeek-V2, from the same numbers."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from proofpress.model.jina_ocr.decoder import Mixture
from proofpress.model.jina_ocr.vision import ClipEncoder, SamEncoder

from .conftest import tiled_config

sam_reference = pytest.importorskip("transformers.models.sam.modeling_sam")
clip_reference = pytest.importorskip("transformers.models.clip.modeling_clip")
deepseek_reference = pytest.importorskip("transformers.models.deepseek_v2.modeling_deepseek_v2")

CONFIG = tiled_config()
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def randomised(module: nn.Module) -> nn.Module:
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.3, generator=generator)
    return module.eval()


def resized(table: Tensor, side: int) -> Tensor:
    """A (1, H, W, D) table of positions as the published code resizes it."""
    moved = F.interpolate(table.permute(0, 3, 1, 2).float(), size=(side, side), mode="bicubic", antialias=True)
    return moved.permute(0, 2, 3, 1)


def reference_sam(sam: SamEncoder, side: int) -> nn.Module:
    """SAM's own encoder for square views of so many patches, with our numbers."""
    config = sam_reference.SamVisionConfig(
        hidden_size=CONFIG.sam.width, output_channels=CONFIG.sam.neck, num_hidden_layers=CONFIG.sam.layers,
        num_attention_heads=CONFIG.sam.heads, image_size=side * CONFIG.sam.patch, patch_size=CONFIG.sam.patch,
        window_size=CONFIG.sam.window, global_attn_indexes=CONFIG.sam.global_layers, mlp_dim=CONFIG.sam.mlp_width,
    )  # fmt: skip
    model = sam_reference.SamVisionEncoder(config).eval()
    names = {
        "blocks.": "layers.", "norm1": "layer_norm1", "norm2": "layer_norm2",
        "patch_embed.proj": "patch_embed.projection",
        "neck.0": "neck.conv1", "neck.1": "neck.layer_norm1", "neck.2": "neck.conv2", "neck.3": "neck.layer_norm2",
    }  # fmt: skip
    state = {}
    for name, tensor in sam.state_dict().items():
        if name.startswith(("net_2", "net_3")):
            continue
        for ours, theirs in names.items():
            name = name.replace(ours, theirs)
        state[name] = resized(tensor, side) if name == "pos_embed" else tensor
    for name in list(dict(model.named_parameters())):
        if "rel_pos" in name:  # theirs is stretched while it runs
            parent = model.get_submodule(name.rpartition(".")[0])
            setattr(parent, name.rpartition(".")[2], nn.Parameter(torch.empty_like(state[name])))
        assert name in state
    model.load_state_dict(state)
    return model


@pytest.mark.parametrize("side", [8, 6, 11])
def test_sam_is_transformers_sam_also_at_resized_positions(side: int) -> None:
    sam = randomised(SamEncoder(CONFIG.sam, "resize"))
    view = torch.randn(2, 3, side * CONFIG.sam.patch, side * CONFIG.sam.patch)
    with torch.inference_mode():
        neck = reference_sam(sam, side)(view).last_hidden_state
        expected = sam.net_3(sam.net_2(neck))
        torch.testing.assert_close(sam(view), expected, **CLOSE)
    torch.testing.assert_close(sam(view), expected, **CLOSE)  # with gradients the bias is made another way
    assert expected.std() > 0.1


@pytest.mark.parametrize("side", [2, 3])
def test_clip_is_transformers_clip_over_sams_tokens(side: int) -> None:
    clip = randomised(ClipEncoder(CONFIG.clip, CONFIG.sam.channels, "resize"))
    config = clip_reference.CLIPVisionConfig(
        hidden_size=CONFIG.clip.width, intermediate_size=CONFIG.clip.mlp_width, num_hidden_layers=CONFIG.clip.layers,
        num_attention_heads=CONFIG.clip.heads, hidden_act="quick_gelu", layer_norm_eps=1e-5,
    )  # fmt: skip
    encoder = clip_reference.CLIPEncoder(config).eval()
    state = {}
    for name, tensor in clip.transformer.state_dict().items():
        if ".qkv_proj." in name:
            for part, piece in zip("qkv", tensor.chunk(3), strict=True):
                state[name.replace("qkv_proj", f"{part}_proj")] = piece
        else:
            state[name] = tensor
    encoder.load_state_dict(state)
    tokens = torch.randn(2, CONFIG.clip.width, side, side)
    table = clip.embeddings.position_embedding.weight
    grid = resized(table[1:].view(1, CONFIG.clip.grid, CONFIG.clip.grid, -1), side).flatten(0, 2)
    joined = torch.cat((clip.embeddings.class_embedding.expand(2, 1, -1), tokens.flatten(2).mT), 1)
    embedded = F.layer_norm(
        joined + torch.cat((table[:1], grid)),
        (CONFIG.clip.width,),
        clip.pre_layrnorm.weight,
        clip.pre_layrnorm.bias,
        eps=1e-5,
    )
    with torch.inference_mode():
        expected = encoder(inputs_embeds=embedded).last_hidden_state[:, 1:]
        torch.testing.assert_close(clip(tokens), expected, **CLOSE)
    assert expected.std() > 0.1


@pytest.mark.parametrize("experts", [20, 8])
@pytest.mark.parametrize("training", [False, True])
def test_experts_are_chosen_and_weighted_as_by_deepseek_v2(experts: int, training: bool) -> None:
    config = replace(CONFIG.decoder, experts=experts)
    mixture = randomised(Mixture(config)).train(training)
    reference = deepseek_reference.DeepseekV2Moe(
        deepseek_reference.DeepseekV2Config(
            hidden_size=config.width, moe_intermediate_size=config.expert_width, n_routed_experts=experts,
            num_experts_per_tok=config.experts_per_token, n_shared_experts=config.shared_experts, topk_method="greedy",
            n_group=1, topk_group=1, routed_scaling_factor=1.0, norm_topk_prob=False, num_experts=experts,
        )
    ).eval()  # fmt: skip
    weights = mixture.experts
    state = {
        "experts.gate_up_proj": torch.cat((weights.gate_proj, weights.up_proj), 1),
        "experts.down_proj": weights.down_proj,
    }
    for name, tensor in mixture.state_dict().items():
        if name.startswith(("gate", "shared_experts")):
            state[name] = tensor
    reference.load_state_dict(state)
    x = torch.randn(2, 7, config.width)
    mixed, routing = mixture(x)
    torch.testing.assert_close(mixed, reference(x), **CLOSE)
    _, their_weights, their_choice = reference.gate(x)
    assert torch.equal(routing.chosen.sort(-1).values, their_choice.sort(-1).values)
    ours = routing.probabilities.gather(-1, routing.chosen).sort(-1).values
    torch.testing.assert_close(ours, their_weights.sort(-1).values)
    assert (ours.sum(-1) < 0.999).all()


def test_experts_on_types_and_devices_without_a_grouped_product_compute_the_same() -> None:
    mixture = randomised(Mixture(CONFIG.decoder))
    x = torch.randn(2, 7, CONFIG.decoder.width)
    expected = mixture(x)[0].double()
    torch.testing.assert_close(mixture.double()(x.double())[0], expected, **CLOSE)
