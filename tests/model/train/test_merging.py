"""Model soups."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from proofpress.model.jina_ocr import checkpoint
from proofpress.model.train import merging
from proofpress.model.train.merging import merge
from proofpress.pages.errors import RequestError


@pytest.fixture
def soup(tiny_model: Path, tmp_path: Path) -> Callable[[float], str]:
    """A model that is the tiny one with this added to each weight."""

    def make(added: float) -> str:
        network, processor = checkpoint.load(tiny_model)
        with torch.no_grad():
            for parameter in network.parameters():
                parameter += added
        folder = tmp_path / f"plus{added}"
        checkpoint.save(network, processor.tokenizer, folder)
        return str(folder)

    return make


def test_a_uniform_soup_is_the_mean(soup: Callable[[float], str], tmp_path: Path) -> None:
    models = [soup(0.0), soup(1.0)]
    merged = merge(models, tmp_path / "soup")
    assert merged["models"] == models == json.loads((tmp_path / "soup/merge.json").read_text())["models"]
    result, _ = checkpoint.load(tmp_path / "soup")
    weights = [dict(checkpoint.load(model)[0].state_dict()) for model in models]
    for name, tensor in result.state_dict().items():
        torch.testing.assert_close(tensor, (weights[0][name] + weights[1][name]) / 2, rtol=1e-2, atol=1e-2)


def test_a_greedy_soup_takes_up_what_does_no_harm(
    soup: Callable[[float], str], word_dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [soup(0.0), soup(1.0), soup(-4.0)]

    def reward_of(network: torch.nn.Module, *_: object) -> dict[str, float]:
        """The nearer the first weight is to 0.4 above the tiny model's, the better."""
        return {"reward": 1 - abs(float(network.state_dict()["model.norm.weight"][0]) - 1.4)}

    monkeypatch.setattr(merging, "evaluate", reward_of)
    merged = merge(models, tmp_path / "soup", greedy=True, datasets=[word_dataset])
    assert merged["models"] == models[:2]
    assert merged["rewards"] == pytest.approx([0.6, 0.4, -3.4], abs=0.02)
    assert merged["reward"] == pytest.approx(0.9, abs=0.02)


def test_what_cannot_be_merged_is_refused(soup: Callable[[float], str], word_dataset: Path, tmp_path: Path) -> None:
    one = soup(0.0)
    with pytest.raises(RequestError, match="two models or more"):
        merge([one], tmp_path / "soup")
    with pytest.raises(RequestError, match=r"merge: nano is of another configuration than"):
        merge([one, "nano"], tmp_path / "soup")
    with pytest.raises(RequestError, match="needs --data"):
        merge([one, one], tmp_path / "soup", greedy=True)
    with pytest.raises(RequestError, match="holds a model already"):
        merge([one, one], Path(one))
