import json

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from proofpress.model.jina_ocr.checkpoint import load, save
from proofpress.pages.errors import RequestError

IMAGE = Image.new("RGB", (100, 60), "white")


@pytest.fixture
def folder(tmp_path, either):
    network, processor = either
    save(network, processor.tokenizer, tmp_path / "model")
    return tmp_path / "model"


def test_a_saved_model_loads_and_computes_the_same_in_bfloat16(folder, either) -> None:
    network, processor = either
    loaded, its_processor = load(folder)
    assert loaded.config == network.config
    network.to(torch.bfloat16).to(torch.float32)
    batch = processor.batch([IMAGE], ["abc"])
    with torch.inference_mode():
        assert torch.equal(loaded(its_processor.batch([IMAGE], ["abc"])).logits, network(batch).logits)


def test_saving_twice_gives_the_same_bytes(folder) -> None:
    network, processor = load(folder)
    save(network, processor.tokenizer, folder.parent / "again")
    for path in sorted(folder.iterdir()):
        assert (folder.parent / "again" / path.name).read_bytes() == path.read_bytes()


def test_every_tensor_that_does_not_fit_is_listed(folder) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    del tensors["model.layers.1.mlp.experts.2.up_proj.weight"]
    tensors["model.surprise"] = torch.zeros(2)
    tensors["model.norm.weight"] = torch.zeros(5)
    save_file(tensors, path)
    with pytest.raises(RequestError) as error:
        load(folder)
    message = str(error.value)
    assert "missing: model.layers.1.mlp.experts.2.up_proj.weight [16, 32]" in message
    assert "unexpected: model.surprise [2]" in message
    assert "shape: model.norm.weight [5] should be [32]" in message
    assert str(folder) in message


def test_tensors_in_several_files_and_repeated_for_the_draft_head_load(folder) -> None:
    path = folder / "model.safetensors"
    tensors = load_file(path)
    embedding = tensors.pop("model.embed_tokens.weight")
    save_file(tensors, path)
    save_file(
        {"model.embed_tokens.weight": embedding, "mtp_embed_tokens.weight": embedding.clone()},
        folder / "model-2.safetensors",
    )
    load(folder)


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_without_one_of_its_files_is_named(folder, missing: str) -> None:
    (folder / missing).unlink()
    with pytest.raises(RequestError, match=str(folder)):
        load(folder)


def test_a_broken_configuration_is_named(folder) -> None:
    config = json.loads((folder / "config.json").read_text())
    del config["decoder"]["heads"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(RequestError, match="heads"):
        load(folder)


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(RequestError, match="nano"):
        load("mega")
