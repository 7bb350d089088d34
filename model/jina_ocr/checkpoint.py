"""Models as folders: ``config.json``, ``model.safetensors`` and ``tokenizer.json``, as on the hub.

    save(network, tokenizer, Path("my-model"))
    network, processor = load("my-model")          # or load("nano"), which comes with the package

Nothing in a model's folder is ever executed: weights are safetensors, all else is JSON.
"""

import hashlib
import json
from importlib import resources
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_safetensors
from torch import Tensor

from proofpress.model.jina_ocr.config import from_json, to_json
from proofpress.model.jina_ocr.network import JinaOCR
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import Tokenizer
from proofpress.pages.errors import RequestError
from proofpress.pages.shards import write_whole

CONFIG, TOKENIZER = "config.json", "tokenizer.json"

#: Tensors that some copies of jina-ocr-v1 repeat for their multi-token head; ours shares those of the decoder.
_REPEATED = ("mtp_embed_tokens.", "mtp_module.heads.0.shared_head.")


def save(network: JinaOCR, tokenizer: Tokenizer, folder: Path) -> None:
    """Write the model, its weights in bfloat16, each file only under its name when it is whole."""
    tensors = {
        name: tensor.to("cpu", torch.bfloat16, copy=True).contiguous() for name, tensor in network.state_dict().items()
    }
    write_whole(folder / "model.safetensors", to_safetensors(tensors, metadata={"format": "pt"}))
    write_whole(folder / TOKENIZER, tokenizer.to_json().encode() + b"\n")
    write_whole(folder / CONFIG, json.dumps(to_json(network.config), indent=2).encode() + b"\n")


def load(
    name_or_folder: str | Path, device: str = "cpu", dtype: torch.dtype = torch.float32
) -> tuple[JinaOCR, Processor]:
    """The model of a folder, or the bundled ``nano``, ready to read, and its processor.

    Raises ``RequestError`` that names the folder and what is wrong with it, tensor by tensor.
    """
    folder = folder_of(name_or_folder)
    try:
        config = from_json(json.loads((folder / CONFIG).read_bytes()))
    except (OSError, ValueError) as error:
        raise RequestError(f"model {name_or_folder}: {folder / CONFIG}: {error}") from error
    processor = Processor(config, Tokenizer.load(folder / TOKENIZER, config))
    with torch.device("meta"):
        network = JinaOCR(config)
    tensors = _tensors(folder, device, dtype)
    expected = network.state_dict()
    if problems := _differences(expected, tensors):
        raise RequestError(f"model {name_or_folder}: its tensors are not those of {config.name}:\n{problems}")
    network.load_state_dict({name: tensors[name] for name in expected}, assign=True)
    return network.eval(), processor


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
            whole.update(path.name.encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def _tensors(folder: Path, device: str, dtype: torch.dtype) -> dict[str, Tensor]:
    """All tensors of a folder's safetensors files, which may be several."""
    tensors: dict[str, Tensor] = {}
    paths = sorted(folder.glob("*.safetensors"))
    if not paths:
        raise RequestError(f"{folder}: it has no .safetensors file")
    for path in paths:
        try:
            with safe_open(path, framework="pt", device=device) as file:
                names = [name for name in file.keys() if not name.startswith(_REPEATED)]  # noqa: SIM118
                tensors.update({name: file.get_tensor(name).to(dtype) for name in names})
        except SafetensorError as error:
            raise RequestError(f"{path}: not a safetensors file: {error}") from error
    return tensors


def _differences(expected: dict[str, Tensor], present: dict[str, Tensor]) -> str:
    """What is missing, unexpected or of another shape, one line each; empty when nothing is."""
    lines = [f"missing: {name} {list(expected[name].shape)}" for name in sorted(expected.keys() - present.keys())]
    lines += [f"unexpected: {name} {list(present[name].shape)}" for name in sorted(present.keys() - expected.keys())]
    lines += [
        f"shape: {name} {list(present[name].shape)} should be {list(expected[name].shape)}"
        for name in sorted(expected.keys() & present.keys())
        if expected[name].shape != present[name].shape
    ]
    return "\n".join(lines)
