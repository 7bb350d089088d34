"""Networks small enough to build in each test: one of nano's kind, one of the public kind."""

from dataclasses import replace

import pytest
import torch

from proofpress.model.jina_ocr.config import ModelConfig, TiledViews, named
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer


def crop_config() -> ModelConfig:
    nano = named("nano")
    return replace(
        nano,
        sam=replace(
            nano.sam, width=16, layers=2, heads=2, mlp_width=32, global_layers=(1,), neck=8, compressor=(12, 16)
        ),
        clip=replace(nano.clip, width=16, layers=1, heads=2, mlp_width=32),
        decoder=replace(nano.decoder, width=32, heads=2, layers=2, dense_width=48, experts=4, expert_width=16),
    )


def tiled_config() -> ModelConfig:
    public, ids = named("jina-ocr-v1"), named("nano")
    return replace(
        public,
        sam=replace(
            public.sam, width=16, layers=2, heads=2, mlp_width=32, window=3, global_layers=(1,), grid=8, span=8, neck=8,
            compressor=(12, 16),
        ),
        clip=replace(public.clip, width=16, layers=1, heads=2, mlp_width=32, grid=2),
        decoder=replace(
            public.decoder, vocabulary=ids.decoder.vocabulary, width=32, heads=2, layers=2, dense_width=48, experts=20,
            experts_per_token=3, expert_width=16,
        ),
        views=TiledViews(page_side=192, tile_side=128, min_tiles=2, max_tiles=4),
        pad_id=ids.pad_id, bos_id=ids.bos_id, eos_id=ids.eos_id, image_id=ids.image_id,
    )  # fmt: skip


def build(config: ModelConfig) -> tuple[JinaOCR, Processor]:
    torch.manual_seed(6)
    network = JinaOCR(config).eval()
    with torch.no_grad():  # tables start at zero, where a wrong one would not show
        for name, parameter in network.named_parameters():
            if "pos" in name:
                parameter.normal_(std=0.5)
    return network, Processor(config, nano_tokenizer())


def lively(network: JinaOCR) -> JinaOCR:
    """Weights so large that an untrained network says something else at each position and for each image."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        network.model.embed_tokens.weight.normal_(generator=generator)
        for weight in network.model.layers.parameters():
            if weight.dim() > 1:
                weight.mul_(5)
    return network


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def nano() -> tuple[JinaOCR, Processor]:
    return build(crop_config())


@pytest.fixture
def tiled() -> tuple[JinaOCR, Processor]:
    return build(tiled_config())


@pytest.fixture(params=["nano", "tiled"])
def either(request: pytest.FixtureRequest) -> tuple[JinaOCR, Processor]:
    return request.getfixturevalue(request.param)
