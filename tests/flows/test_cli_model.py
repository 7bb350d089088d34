import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from proofpress.flows.cli import app
from proofpress.model.jina_ocr import checkpoint
from proofpress.pages.errors import RequestError


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["model", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize(("name", "tensors", "draft"), [("jina-ocr-v1", 2722, 36_131_840), ("deepseek-ocr", 2710, 0)])
def test_the_public_sizes_have_the_published_counts(name: str, tensors: int, draft: int) -> None:
    found = json.loads(run(name, "--json"))
    assert (found["tensors"], len(found["shapes"])) == (tensors, tensors)
    assert found["parameters"] == 3_336_106_240 + draft
    assert found["draft_parameters"] == draft
    assert found["active_parameters"] == 574_127_360
    assert found["shapes"]["model.layers.3.mlp.experts.63.down_proj.weight"] == [1280, 896]


def test_the_table_names_each_tensor_with_its_shape() -> None:
    lines = run("jina-ocr-v1").splitlines()
    assert any(line.split() == ["model.view_seperator", "[1280]"] for line in lines)
    assert len(lines) == 2722 + 5
    assert "574,127,360" in lines[-1]


def test_a_folder_is_checked_against_its_configuration(tmp_path: Path) -> None:
    network, processor = checkpoint.load("nano")
    checkpoint.save(network, processor.tokenizer, tmp_path)
    whole = json.loads(run(str(tmp_path), "--json"))
    assert whole["parameters"] == sum(tensor.numel() for tensor in network.state_dict().values())
    weights = load_file(tmp_path / "model.safetensors")
    weights["model.norm.weight"] = torch.zeros(3)
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(RequestError, match=r"shape: model\.norm\.weight \[3\] should be \[192\]"):
        run(str(tmp_path))


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(RequestError, match="mega: neither a folder nor one of jina-ocr-v1, deepseek-ocr, nano"):
        run("mega")
