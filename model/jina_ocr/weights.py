"""Tensors as safetensors files, one or several with an index, laid out as on the hub.

    write_weights(folder, network.state_dict().items(), shard_bytes=5_000_000_000)
    weights = Weights.of(folder);  weights.shapes["model.norm.weight"];  weights.read(["model.norm.weight"])

Files are mapped, not read: a tensor takes memory when it is looked at, and gives it back with its mapping.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from proofpress.pages.errors import RequestError
from proofpress.pages.shards import write_whole

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Weights:
    """What a folder's files hold. files, shapes: by tensor name."""

    files: dict[str, Path]
    shapes: dict[str, tuple[int, ...]]

    @classmethod
    def of(cls, folder: Path) -> "Weights":
        """The tensors of a folder; ``RequestError`` naming the file that is missing, broken or repeats a tensor."""
        files: dict[str, Path] = {}
        shapes: dict[str, tuple[int, ...]] = {}
        for path in _paths(folder):
            with _opened(path) as file:
                for name in file.keys():  # noqa: SIM118
                    if name in files:
                        raise RequestError(f"{path}: it repeats {name} of {files[name].name}")
                    files[name] = path
                    shapes[name] = tuple(file.get_slice(name).get_shape())
        return cls(files, shapes)

    def read(self, names: Iterable[str], dtype: torch.dtype | None = None, device: str = "cpu") -> dict[str, Tensor]:
        """Tensors by name, of this type (as they are in the file without one) and on this device."""
        tensors: dict[str, Tensor] = {}
        for path, group in groupby(sorted(names, key=lambda name: (self.files[name], name)), self.files.__getitem__):
            with _opened(path, device) as file:
                for name in group:
                    tensors[name] = file.get_tensor(name).to(dtype)
        return tensors


def write_weights(folder: Path, tensors: Iterable[tuple[str, Tensor]], dtype: torch.dtype, shard_bytes: int) -> None:
    """Write tensors in files of at most ``shard_bytes`` (one larger tensor has its own), then their index if several.

    Each file has its name only when it is whole. Files that an earlier save left and this one does not write are
    removed, so that a folder never holds two models.
    """
    shards: list[list[tuple[str, Tensor]]] = [[]]
    room = shard_bytes
    for name, tensor in tensors:
        size = tensor.numel() * dtype.itemsize
        if shards[-1] and size > room:
            shards.append([])
            room = shard_bytes
        shards[-1].append((name, tensor))
        room -= size
    count = len(shards)
    names = [SINGLE] if count == 1 else [f"model-{i:05}-of-{count:05}.safetensors" for i in range(1, count + 1)]
    for file_name, shard in zip(names, shards, strict=True):
        partial = folder / f".{file_name}.partial"
        # A view of a stacked tensor must be a tensor of its own: the format refuses memory that is shared.
        held = {name: tensor.to("cpu", dtype, copy=True).contiguous() for name, tensor in shard}
        save_file(held, partial, metadata={"format": "pt"})
        partial.replace(folder / file_name)
    for stale in folder.glob("*.safetensors"):
        if stale.name not in names:
            stale.unlink()
    (folder / INDEX).unlink(missing_ok=True)
    if count > 1:
        places = {name: file for file, shard in zip(names, shards, strict=True) for name, _ in shard}
        total = sum(tensor.numel() for shard in shards for _, tensor in shard) * dtype.itemsize
        index = {"metadata": {"total_size": total}, "weight_map": places}
        write_whole(folder / INDEX, json.dumps(index, indent=2).encode() + b"\n")


def _paths(folder: Path) -> Iterator[Path]:
    """The files of a folder: those its index names, or all."""
    index = folder / INDEX
    if not index.is_file():
        paths = sorted(folder.glob("*.safetensors"))
        if not paths:
            raise RequestError(f"{folder}: it has no .safetensors file")
        yield from paths
        return
    try:
        names = sorted(set(json.loads(index.read_bytes())["weight_map"].values()))
        outside = [name for name in names if Path(name).name != name]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RequestError(f"{index}: not an index of safetensors files: {error!r}") from error
    if outside:
        raise RequestError(f"{index}: it names {outside[0]!r}, which is not a file of its folder")
    for name in names:
        if not (folder / name).is_file():
            raise RequestError(f"{index}: it names {name}, which is missing")
        yield folder / name


def _opened(path: Path, device: str = "cpu") -> safe_open:
    try:
        return safe_open(path, framework="pt", device=device)
    except SafetensorError as error:
        raise RequestError(f"{path}: not a safetensors file: {error}") from error
