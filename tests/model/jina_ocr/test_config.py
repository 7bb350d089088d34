import json

import pytest

from proofpress.model.jina_ocr.config import CONFIGS, from_json, named, to_json
from proofpress.pages.errors import RequestError

HUB = {"architectures": ["DeepseekOCRForCausalLM"]}
JINA = {"rope_theta": 1e6, "max_position_embeddings": 32768, "num_nextn_predict_layers": 1}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_comes_back_from_its_file(name: str) -> None:
    assert from_json(json.loads(json.dumps(to_json(named(name))))) == named(name)


@pytest.mark.parametrize(
    ("published", "name"),
    [({**HUB, "language_config": JINA}, "jina-ocr-v1"), ({**HUB, **JINA}, "jina-ocr-v1"), (HUB, "deepseek-ocr")],
)
def test_published_configurations_are_understood(published: dict, name: str) -> None:
    assert from_json(published) == named(name)


def test_the_rotary_base_of_the_published_file_counts() -> None:
    assert from_json({**HUB, **JINA, "rope_theta": 5e5}).decoder.rope_base == 5e5


def test_sizes_between_the_published_ones_are_understood() -> None:
    nested = {"hidden_size": 640, "n_routed_experts": 32, "num_hidden_layers": 6, "eos_token_id": 7}
    config = from_json({**HUB, "hidden_size": 512, "language_config": nested})
    assert (config.decoder.width, config.decoder.experts, config.decoder.layers, config.eos_id) == (512, 32, 6, 7)
    assert config.sam == named("deepseek-ocr").sam


@pytest.mark.parametrize(
    ("key", "value"),
    [("use_mla", True), ("norm_topk_prob", True), ("scoring_func", "sigmoid"), ("rms_norm_eps", 1e-5),
     ("routed_scaling_factor", 2.5), ("rope_scaling", {"type": "yarn"}), ("num_nextn_predict_layers", 2)],
)  # fmt: skip
def test_a_value_that_would_make_another_network_is_named(key: str, value) -> None:
    for values in ({**HUB, key: value}, {**HUB, "language_config": {key: value}}):
        with pytest.raises(RequestError, match=f"config.json: {key}"):
            from_json(values)


@pytest.mark.parametrize("values", [{}, {"views": {}}, {"architectures": ["Other"]}])
def test_other_files_are_refused(values: dict) -> None:
    with pytest.raises(RequestError, match=r"config\.json"):
        from_json(values)


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(RequestError, match="jina-ocr-v1, deepseek-ocr, nano"):
        named("mega")
