import json
from pathlib import Path

import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from proofpress.model.jina_ocr.checkpoint import load, save
from proofpress.model.jina_ocr.network import JinaOCR
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


def test_a_large_model_is_saved_in_several_files_with_an_index_and_loads_again(folder, either) -> None:
    network, processor = either
    save(network, processor.tokenizer, folder, shard_bytes=30_000)
    names = sorted(path.name for path in folder.glob("*.safetensors"))
    assert names[0] == f"model-00001-of-{len(names):05}.safetensors"
    assert len(names) > 3
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    assert index["weight_map"].keys() == network.state_dict().keys()
    assert index["metadata"]["total_size"] == 2 * sum(t.numel() for t in network.state_dict().values())
    again, _ = load(folder, dtype="auto")
    for name, tensor in network.state_dict().items():
        assert torch.equal(again.state_dict()[name], tensor.to(torch.bfloat16)), name
    save(network, processor.tokenizer, folder)
    assert [path.name for path in folder.glob("*.safetensors*")] == ["model.safetensors"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"weight_map": {"model.norm.weight": "gone.safetensors"}}', "gone.safetensors, which is missing"),
        ('{"weight_map": {"model.norm.weight": "../model.safetensors"}}', "not a file of its folder"),
        ('{"weight_map": [1]}', "not an index"),
        ("{}", "not an index"),
        ("no json", "not an index"),
    ],
)
def test_a_broken_index_is_named(folder, content: str, message: str) -> None:
    (folder / "model.safetensors.index.json").write_text(content)
    with pytest.raises(RequestError, match=rf"index\.json.*{message}"):
        load(folder)


def test_a_tensor_in_two_files_is_named(folder) -> None:
    save_file({"model.norm.weight": torch.zeros(32)}, folder / "other.safetensors")
    with pytest.raises(RequestError, match=r"repeats model\.norm\.weight"):
        load(folder)


def test_a_file_that_is_cut_off_is_named(folder) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RequestError, match=r"model\.safetensors: not a safetensors file"):
        load(folder)


def with_head(folder, either) -> JinaOCR:
    network, processor = either
    if not network.config.draft_heads:
        network.add_draft_head()
    save(network, processor.tokenizer, folder)
    return network


@pytest.mark.parametrize("said", [0, 1])
def test_whether_there_is_a_draft_head_is_decided_by_the_tensors(folder, either, said: int) -> None:
    network = with_head(folder, either)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"draft_heads": said}))
    loaded, _ = load(folder)
    assert loaded.state_dict().keys() == network.state_dict().keys()
    path = folder / "model.safetensors"
    save_file({name: t for name, t in load_file(path).items() if not name.startswith("mtp_module")}, path)
    loaded, processor = load(folder)
    assert loaded.config.draft_heads == processor.config.draft_heads == 0
    assert not any(name.startswith("mtp_module") for name in loaded.state_dict())


def test_a_draft_head_of_which_a_part_is_missing_does_not_load(folder, either) -> None:
    with_head(folder, either)
    path = folder / "model.safetensors"
    tensors = load_file(path)
    del tensors["mtp_module.heads.0.eh_proj.weight"]
    save_file(tensors, path)
    with pytest.raises(RequestError, match=r"missing: mtp_module\.heads\.0\.eh_proj\.weight"):
        load(folder)


REPEATED = {
    "mtp_embed_tokens.weight": "model.embed_tokens.weight",
    "mtp_module.heads.0.shared_head.norm.weight": "model.norm.weight",
    "mtp_module.heads.0.shared_head._norm.weight": "model.norm.weight",
    "mtp_module.heads.0.shared_head.local_head.weight": "lm_head.weight",
    "mtp_module.heads.0.shared_head._head.weight": "lm_head.weight",
}


@pytest.mark.parametrize("name", REPEATED)
def test_tensors_repeated_for_the_draft_head_must_be_equal_and_are_left_out(folder, either, name: str) -> None:
    network = with_head(folder, either)
    tensors = load_file(folder / "model.safetensors")
    original = tensors.get(REPEATED[name], tensors["model.embed_tokens.weight"]).clone()
    save_file({name: original}, folder / "repeated.safetensors")
    loaded, _ = load(folder)
    assert loaded.state_dict().keys() == network.state_dict().keys()
    original[0] += 1
    save_file({name: original}, folder / "repeated.safetensors")
    with pytest.raises(RequestError, match=f"differs: {name}"):
        load(folder)


def test_weights_in_the_type_of_their_file_are_mapped_and_not_copied(folder) -> None:
    network, _ = load(folder, dtype="auto")
    mapped = Path("/proc/self/maps")
    if not mapped.exists():
        pytest.skip("only Linux tells what is mapped")
    address = network.model.embed_tokens.weight.data_ptr()
    (line,) = [
        line for line in mapped.read_text().splitlines()
        if int(line.split("-")[0], 16) <= address < int(line.split("-")[1].split()[0], 16)
    ]  # fmt: skip
    assert line.endswith(str(folder / "model.safetensors"))


@pytest.mark.parametrize(("name", "dtype"), [("bfloat16", torch.bfloat16), ("float32", torch.float32)])
def test_a_type_may_be_named(folder, name: str, dtype: torch.dtype) -> None:
    network, processor = load(folder, dtype=name)
    assert {parameter.dtype for parameter in network.parameters()} == {dtype}
    with torch.inference_mode():
        assert network(processor.batch([IMAGE], ["abc"])).logits.dtype == dtype


def test_an_unknown_type_is_told_the_known_ones(folder) -> None:
    with pytest.raises(RequestError, match="dtype: 'int3' is not one of auto, float32, bfloat16, float16"):
        load(folder, dtype="int3")


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
