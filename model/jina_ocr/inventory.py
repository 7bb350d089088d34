"""What a configuration or a model's folder holds: its tensors and how many parameters work on one token.

print(inventory("jina-ocr-v1").parameters)      # 3372238080
"""

from dataclasses import dataclass
from math import prod
from pathlib import Path

import torch

from proofpress.model.jina_ocr.checkpoint import load_meta
from proofpress.model.jina_ocr.config import CONFIGS, ModelConfig, named
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.pages.errors import RequestError


@dataclass(frozen=True, slots=True)
class Inventory:
    """tensors: shapes by name, in the network's order. parameters: all of them. draft_parameters: the multi-token
    head's share. active_parameters: of the decoder, those that one token passes: of the experts the chosen ones, and
    the output matrix but not the table of embeddings, of which a token takes one row.
    """

    name: str
    tensors: dict[str, tuple[int, ...]]
    parameters: int
    draft_parameters: int
    active_parameters: int


def inventory(name: str) -> Inventory:
    """The inventory of a configuration by name, or of a model's folder.

    Raises ``RequestError`` where it is neither, or where the folder's tensors are not those of its configuration.
    """
    if name not in CONFIGS and not Path(name).is_dir():
        raise RequestError(f"model {name}: neither a folder nor one of {', '.join(CONFIGS)}")
    if name in CONFIGS:
        with torch.device("meta"):
            network = JinaOCR(named(name))
    else:
        network = load_meta(name)
    tensors = {key: tuple(tensor.shape) for key, tensor in network.state_dict().items()}
    sizes = {key: prod(shape) for key, shape in tensors.items()}
    return Inventory(
        name,
        tensors,
        sum(sizes.values()),
        sum(size for key, size in sizes.items() if key.startswith("mtp_module.")),
        _active(network.config, sizes),
    )


def _active(config: ModelConfig, sizes: dict[str, int]) -> int:
    layers = {key: size for key, size in sizes.items() if key.startswith(("model.layers.", "model.norm."))}
    routed = sum(size for key, size in layers.items() if ".experts." in key and ".shared_experts." not in key)
    output = sizes["model.embed_tokens.weight" if config.decoder.tied else "lm_head.weight"]
    chosen = routed * config.decoder.experts_per_token // config.decoder.experts
    return sum(layers.values()) - routed + chosen + output
