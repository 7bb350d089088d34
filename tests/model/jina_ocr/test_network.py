import re

import pytest
import torch
from PIL import Image
from torch.nn import functional as F

from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.decoder import Mixture
from proofpress.model.jina_ocr.network import JinaOCR, initialise

from .conftest import build, crop_config


def public_names(draft: bool) -> dict[str, tuple[int, ...]]:
    """The published checkpoints' tensors."""
    width, vocabulary = 1280, 129280
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (vocabulary, width),
        "lm_head.weight": (vocabulary, width),
        "model.norm.weight": (width,),
        "model.image_newline": (width,),
        "model.view_seperator": (width,),
        "model.projector.layers.weight": (width, 2048),
        "model.projector.layers.bias": (width,),
    }

    def gated(prefix: str, hidden: int) -> None:
        shapes[f"{prefix}.gate_proj.weight"] = shapes[f"{prefix}.up_proj.weight"] = (hidden, width)
        shapes[f"{prefix}.down_proj.weight"] = (width, hidden)

    def layer(prefix: str) -> None:
        shapes[f"{prefix}.input_layernorm.weight"] = shapes[f"{prefix}.post_attention_layernorm.weight"] = (width,)
        for part in "qkvo":
            shapes[f"{prefix}.self_attn.{part}_proj.weight"] = (width, width)

    def biased(name: str, *shape: int) -> None:
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = shape, shape[:1]

    for i in range(12):
        prefix = f"model.layers.{i}"
        layer(prefix)
        if i == 0:
            gated(f"{prefix}.mlp", 6848)
            continue
        shapes[f"{prefix}.mlp.gate.weight"] = (64, width)
        gated(f"{prefix}.mlp.shared_experts", 1792)
        for expert in range(64):
            gated(f"{prefix}.mlp.experts.{expert}", 896)
    sam = "model.sam_model"
    shapes[f"{sam}.pos_embed"] = (1, 64, 64, 768)
    biased(f"{sam}.patch_embed.proj", 768, 3, 16, 16)
    for i in range(12):
        block = f"{sam}.blocks.{i}"
        for name, shape in {
            "norm1": (768,), "norm2": (768,), "attn.qkv": (2304, 768), "attn.proj": (768, 768),
            "mlp.lin1": (3072, 768), "mlp.lin2": (768, 3072),
        }.items():  # fmt: skip
            biased(f"{block}.{name}", *shape)
        for axis in "hw":
            shapes[f"{block}.attn.rel_pos_{axis}"] = (127 if i in (2, 5, 8, 11) else 27, 64)
    shapes |= {f"{sam}.neck.0.weight": (256, 768, 1, 1), f"{sam}.neck.2.weight": (256, 256, 3, 3)}
    biased(f"{sam}.neck.1", 256)
    biased(f"{sam}.neck.3", 256)
    shapes |= {f"{sam}.net_2.weight": (512, 256, 3, 3), f"{sam}.net_3.weight": (1024, 512, 3, 3)}
    clip = "model.vision_model"
    shapes |= {
        f"{clip}.embeddings.class_embedding": (1024,),
        f"{clip}.embeddings.patch_embedding.weight": (1024, 3, 14, 14),
        f"{clip}.embeddings.position_embedding.weight": (257, 1024),
    }
    biased(f"{clip}.pre_layrnorm", 1024)
    for i in range(24):
        for name, shape in {
            "layer_norm1": (1024,), "layer_norm2": (1024,), "self_attn.qkv_proj": (3072, 1024),
            "self_attn.out_proj": (1024, 1024), "mlp.fc1": (4096, 1024), "mlp.fc2": (1024, 4096),
        }.items():  # fmt: skip
            biased(f"{clip}.transformer.layers.{i}.{name}", *shape)
    if draft:
        head = "mtp_module.heads.0"
        shapes |= {f"{head}.enorm.weight": (width,), f"{head}.hnorm.weight": (width,)}
        shapes[f"{head}.eh_proj.weight"] = (width, 2 * width)
        layer(f"{head}.mtp_block")
        gated(f"{head}.mtp_block.mlp", 6848)
    return shapes


@pytest.mark.parametrize(
    ("name", "tensors", "parameters"), [("deepseek-ocr", 2710, 3_336_106_240), ("jina-ocr-v1", 2722, 3_372_238_080)]
)
def test_the_public_sizes_have_the_published_tensors(name: str, tensors: int, parameters: int) -> None:
    with torch.device("meta"):
        state = JinaOCR(named(name)).state_dict()
    assert {key: tuple(tensor.shape) for key, tensor in state.items()} == public_names(name == "jina-ocr-v1")
    assert len(state) == tensors
    assert sum(tensor.numel() for tensor in state.values()) == parameters


def test_nano_has_the_public_names_and_fits_16_megabytes() -> None:
    with torch.device("meta"):
        state = JinaOCR(named("nano")).state_dict()

    def pattern(name: str) -> str:
        return re.sub(r"\d+", "N", name)

    assert {pattern(name) for name in state} == {pattern(name) for name in public_names(draft=False)} - {
        "lm_head.weight"
    }
    assert 2 * sum(tensor.numel() for tensor in state.values()) < 16e6


def test_a_network_loads_what_another_saved(either) -> None:
    network, processor = either
    torch.manual_seed(1)
    other = JinaOCR(network.config).eval()
    other.load_state_dict(network.state_dict())
    batch = processor.batch([Image.new("RGB", (100, 60), "white")], ["abc"])
    assert torch.equal(other(batch).logits, network(batch).logits)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: state.pop("model.layers.1.mlp.experts.2.up_proj.weight"), "Missing"),
        (lambda state: state.update({"model.layers.1.mlp.experts.4.up_proj.weight": torch.zeros(1)}), "Unexpected"),
    ],
)
def test_a_wrong_number_of_experts_does_not_load(nano, change, message: str) -> None:
    network, _ = nano
    state = network.state_dict()
    change(state)
    with pytest.raises(RuntimeError, match=message):
        network.load_state_dict(state)


def test_clip_features_come_before_sam_features(nano) -> None:
    network, _ = nano
    trunk, width = network.model, network.config.clip.width
    view = torch.randn(1, 1, 64, 64)
    related = trunk.vision_model(trunk.sam_model(view))
    expected = F.linear(related, trunk.projector.layers.weight[:, :width], trunk.projector.layers.bias)
    trunk.projector.layers.weight.data[:, width:] = 0
    torch.testing.assert_close(trunk.look(view).flatten(1, 2), expected)


def test_tiles_are_joined_before_the_page_and_each_row_ends_with_a_newline(tiled, monkeypatch) -> None:
    network, processor = tiled
    trunk = network.model
    width = network.config.decoder.width
    trunk.image_newline.data.fill_(-1)
    trunk.view_seperator.data.fill_(-2)
    numbers = iter([10_000, 0])  # the page is looked at first

    def look(views: torch.Tensor) -> torch.Tensor:
        """Each token tells its view, row and column."""
        first = next(numbers)
        view = torch.arange(len(views)).view(-1, 1, 1) * 100 + first
        place = view + torch.arange(2).view(1, -1, 1) * 10 + torch.arange(2)
        return place[..., None].expand(-1, -1, -1, width).float()

    monkeypatch.setattr(trunk, "look", look)
    slots, _ = trunk.see(processor.views([Image.new("RGB", (256, 256))]))
    assert slots[0, :, 0].tolist() == [
        0, 1, 100, 101, -1,
        10, 11, 110, 111, -1,
        200, 201, 300, 301, -1,
        210, 211, 310, 311, -1,
        10_000, 10_001, -1,
        10_010, 10_011, -1,
        -2,
    ]  # fmt: skip


@pytest.mark.parametrize("size", [(100, 60), (256, 256)])
def test_the_image_takes_the_slots_the_processor_kept(either, size) -> None:
    network, processor = either
    image = Image.new("RGB", size)
    slots, page = network.model.see(processor.views([image]))
    shape = processor.shape(*size)
    assert slots.shape[1] == processor.slots(shape)
    assert page.shape[1:3] == processor.grid(shape)


def test_logits_of_a_position_do_not_see_later_labels(either) -> None:
    network, processor = either
    image = Image.new("RGB", (100, 60), "white")
    first, second = (network(processor.batch([image], [text])).logits for text in ("abcdef", "abcxyz"))
    torch.testing.assert_close(first[:, :4], second[:, :4])
    assert (first[:, 4] - second[:, 4]).abs().max() > 0.01


def test_a_row_is_the_same_whatever_stands_beside_it(nano) -> None:
    network, processor = nano
    images = [Image.new("RGB", (100, 60), colour) for colour in ("white", "black", "red")]
    one = network(processor.batch([images[0], images[1]], ["abc", "x"])).logits[0]
    two = network(processor.batch([images[0], images[2]], ["abc", r"\frac"])).logits[0]
    assert torch.equal(one, two)


def test_training_and_reading_run_the_same_experts(nano) -> None:
    network, processor = nano
    batch = processor.batch([Image.new("RGB", (100, 60), "white")], ["abc"])
    reading = network(batch).logits
    training = network.train()(batch).logits
    torch.testing.assert_close(training, reading)


def test_expert_weights_are_the_routers_probabilities_and_do_not_sum_to_one() -> None:
    torch.manual_seed(0)
    mixture = Mixture(crop_config().decoder).eval().double()
    initialise(mixture)
    torch.nn.init.normal_(mixture.experts.gate_proj)
    torch.nn.init.normal_(mixture.experts.up_proj)
    torch.nn.init.normal_(mixture.experts.down_proj)
    x = torch.randn(1, 5, 32, dtype=torch.float64)
    probabilities = F.linear(x[0], mixture.gate.weight).softmax(-1)
    state = mixture.experts.state_dict()
    expected = mixture.shared_experts(x)[0].clone()
    for row in range(5):
        for expert in probabilities[row].argsort(descending=True)[:2].tolist():
            gate, up, down = (state[f"{expert}.{part}_proj.weight"] for part in ("gate", "up", "down"))
            hidden = F.silu(gate @ x[0, row]) * (up @ x[0, row])
            expected[row] += probabilities[row, expert] * (down @ hidden)
    y, routing = mixture(x)
    torch.testing.assert_close(y[0], expected, rtol=1e-4, atol=1e-4)  # the router is float32
    assert routing.load.sum() == 10


def test_an_even_load_has_a_balance_of_one() -> None:
    mixture = Mixture(crop_config().decoder)
    initialise(mixture)
    torch.nn.init.zeros_(mixture.gate.weight)
    balance = mixture(torch.randn(1, 8, 32))[1].balance
    torch.testing.assert_close(balance, torch.tensor(1.0))


def test_one_step_down_the_gradient_lowers_the_loss() -> None:
    network, processor = build(crop_config())
    network.train()
    batch = processor.batch([Image.new("L", (100, 60), 255)] * 2, ["abc", "de"])

    def loss() -> torch.Tensor:
        output = network(batch)
        return F.cross_entropy(output.logits.flatten(0, 1), batch.labels.flatten()) + 1e-3 * output.balance

    before = loss()
    before.backward()
    trained = {name for name, parameter in network.named_parameters() if parameter.grad is not None}
    assert trained == {name for name, parameter in network.named_parameters() if parameter.requires_grad}
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.grad is not None:
                parameter -= 0.01 * parameter.grad
    assert loss() < before
