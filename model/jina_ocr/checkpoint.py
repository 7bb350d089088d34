"""Models as folders: ``config.json``, safetensors and ``tokenizer.json``, as on the hub.

    save(network, tokenizer, Path("my-model"))
    network, processor = load("my-model")                            # or load("nano"), which comes with the package
    network, processor = load("jina-ocr-v1", "cuda", "bfloat16")     # a folder with the published files

Nothing in a model's folder is ever executed: weights are safetensors, all else is JSON.
"""

import hashlib
import json
from dataclasses import replace
from importlib import resources
from pathlib import Path

import torch
from torch import Tensor

from proofpress.model.jina_ocr.config import ModelConfig, from_json, to_json
from proofpress.model.jina_ocr.decoder import Stacked
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import Tokenizer
from proofpress.model.jina_ocr.weights import Weights, write_weights
from proofpress.pages.errors import RequestError
from proofpress.pages.shards import write_whole

CONFIG, TOKENIZER = "config.json", "tokenizer.json"

#: Types a model can compute in, by name; ``auto`` is that of its files.
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}

#: Largest file of a saved model, as the hub's tools write it.
SHARD_BYTES = 5_000_000_000

_HEAD = "mtp_module."

#: What some copies of jina-ocr-v1 repeat for their multi-token head, and what it must equal: ours shares the decoder's.
_REPEATED = {
    "mtp_embed_tokens.weight": "model.embed_tokens.weight",
    "mtp_module.heads.0.shared_head.norm.weight": "model.norm.weight",
    "mtp_module.heads.0.shared_head._norm.weight": "model.norm.weight",
    "mtp_module.heads.0.shared_head.local_head.weight": "lm_head.weight",
    "mtp_module.heads.0.shared_head._head.weight": "lm_head.weight",
}


def save(network: JinaOCR, tokenizer: Tokenizer, folder: Path, shard_bytes: int = SHARD_BYTES) -> None:
    """Write the model, its weights in bfloat16, each file only under its name when it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    write_weights(folder, network.state_dict().items(), torch.bfloat16, shard_bytes)
    write_whole(folder / TOKENIZER, tokenizer.to_json().encode() + b"\n")
    write_whole(folder / CONFIG, json.dumps(to_json(network.config), indent=2).encode() + b"\n")


def load(
    name_or_folder: str | Path, device: str = "cpu", dtype: str | torch.dtype = torch.float32
) -> tuple[JinaOCR, Processor]:
    """The model of a folder, or the bundled ``nano``, ready to read, and its processor.

    dtype: what it computes in, a type or its name; with ``auto`` the type of its files, which then are mapped and not
    copied but for what is stacked. Whether it has a multi-token head is decided by its tensors.

    Raises ``RequestError`` that names the folder and what is wrong with it, tensor by tensor.
    """
    folder, network = folder_of(name_or_folder), load_meta(name_or_folder)
    weights, wanted = Weights.of(folder), _dtype(dtype)
    processor = Processor(network.config, Tokenizer.load(folder / TOKENIZER, network.config))
    if problems := _false_repetitions(weights):
        raise RequestError(f"model {name_or_folder}: its tensors contradict each other:\n{problems}")
    expected = network.state_dict().keys()
    stacked: set[str] = set()
    for prefix, module in network.named_modules():
        if isinstance(module, Stacked):
            # One at a time: its file need not stay in memory when its matrices have been stacked.
            names = [name for name in expected if name.startswith(f"{prefix}.")]
            read = weights.read(names, wanted, device)
            module.load_state_dict({name.removeprefix(f"{prefix}."): t for name, t in read.items()}, assign=True)
            stacked.update(names)
    network.load_state_dict(weights.read(expected - stacked, wanted, device), strict=False, assign=True)
    return network.eval(), processor


def load_meta(name_or_folder: str | Path) -> JinaOCR:
    """The network of a model's folder without its numbers, when the folder's tensors are just the network's.

    Raises ``RequestError`` as ``load`` does.
    """
    config, weights = read_config(name_or_folder), Weights.of(folder_of(name_or_folder))
    with torch.device("meta"):
        network = JinaOCR(config)
    if problems := _differences(network.state_dict(), weights):
        raise RequestError(f"model {name_or_folder}: its tensors are not those of {config.name}:\n{problems}")
    return network


def read_config(name_or_folder: str | Path) -> ModelConfig:
    """The configuration of a model's folder, with a multi-token head if its tensors have one."""
    folder = folder_of(name_or_folder)
    try:
        config = from_json(json.loads((folder / CONFIG).read_bytes()))
    except OSError as error:
        raise RequestError(f"model {name_or_folder}: {folder / CONFIG}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise RequestError(f"model {name_or_folder}: {folder / CONFIG}: {error}") from error
    has_head = any(name.startswith(_HEAD) and name not in _REPEATED for name in Weights.of(folder).shapes)
    return replace(config, draft_heads=int(has_head))


def _dtype(dtype: str | torch.dtype) -> torch.dtype | None:
    if isinstance(dtype, torch.dtype):
        return dtype
    if dtype != "auto" and dtype not in DTYPES:
        raise RequestError(f"dtype: {dtype!r} is not one of auto, {', '.join(DTYPES)}")
    return DTYPES.get(dtype)


def folder_of(name_or_folder: str | Path) -> Path:
    """The folder of a model, or of the bundled ``nano``; ``RequestError`` where there is none."""
    if name_or_folder == "nano":
        # Installed packages are plain folders: weights are mapped from their file, never from inside an archive.
        return Path(str(resources.files("proofpress.model.weights")))
    folder = Path(name_or_folder)
    if not folder.is_dir():
        raise RequestError(f"model {name_or_folder}: not a folder, and the only bundled model is nano")
    return folder


def digest(name_or_folder: str | Path) -> str:
    """SHA-256 over all that decides what a model says: its weights, configuration, tokenizer and thresholds."""
    whole = hashlib.sha256()
    for path in sorted(folder_of(name_or_folder).iterdir()):
        if path.suffix in (".safetensors", ".json"):
            whole.update(path.name.encode() + b"\0")
            with path.open("rb") as file:
                while piece := file.read(1 << 20):
                    whole.update(piece)
    return whole.hexdigest()


def _differences(expected: dict[str, Tensor], weights: Weights) -> str:
    """What is missing, unexpected or of another shape, one line each; empty when nothing is."""
    present = {name: shape for name, shape in weights.shapes.items() if name not in _REPEATED}
    lines = [f"missing: {name} {list(expected[name].shape)}" for name in sorted(expected.keys() - present.keys())]
    lines += [f"unexpected: {name} {list(present[name])}" for name in sorted(present.keys() - expected.keys())]
    lines += [
        f"shape: {name} {list(present[name])} should be {list(expected[name].shape)}"
        for name in sorted(expected.keys() & present.keys())
        if tuple(expected[name].shape) != present[name]
    ]
    return "\n".join(lines)


def _false_repetitions(weights: Weights) -> str:
    """Which repeated tensors differ from what they should repeat, one line each."""
    lines = []
    for name in sorted(_REPEATED.keys() & weights.shapes.keys()):
        original = _REPEATED[name] if _REPEATED[name] in weights.shapes else "model.embed_tokens.weight"
        tensors = weights.read((name, original))
        if not torch.equal(tensors[name], tensors[original]):
            lines.append(f"differs: {name} should repeat {original}")
    return "\n".join(lines)
