"""The log of a run: one JSON object a line, and the same figures as TensorBoard events where they are wanted.

log = RunLog(Path("runs/nano"), tensorboard=False)
log.write({"step": 20, "loss": 3.2})
"""

import importlib
import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from proofpress.pages.errors import RequestError
from proofpress.pages.shards import write_whole


class RunLog:
    """``log.jsonl`` in a run's folder, and what else shows figures.

    tensorboard: also write events under ``tensorboard/``; None: where the package is installed. trackers: ``wandb`` and
    ``trackio``, which get the same numbers under the folder's name. Raises ``RequestError`` where what is wanted is not
    installed.
    """

    def __init__(self, folder: Path, tensorboard: bool | None, trackers: Sequence[str] = ()) -> None:
        self._path = folder / "log.jsonl"
        wanted = _is_installed("tensorboard") if tensorboard is None else tensorboard
        self._board = _summary_writer(folder / "tensorboard") if wanted else None
        self._trackers = [_tracker(name, folder) for name in trackers]

    def write(self, line: Mapping[str, Any]) -> None:
        """Add one line; ``step`` is the step it is of."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self._board is not None:
            for name, value in numbers(line):
                self._board.add_scalar(name, value, line["step"])
        for tracker in self._trackers:
            tracker.log(dict(numbers(line)), step=line["step"])

    def take_back(self, step: int) -> None:
        """Remove the lines of later steps, which a resumed run takes again, and half a line where a write was cut."""
        lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True) if self._path.exists() else []
        kept = [line for line in lines if line.endswith("\n") and json.loads(line)["step"] <= step]
        write_whole(self._path, "".join(kept).encode())


def numbers(line: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a line with their slashed names, e.g. ``held_out/kinds/word/cer``."""
    for name, value in line.items():
        if isinstance(value, Mapping):
            yield from numbers(value, f"{prefix}{name}/")
        elif isinstance(value, (int, float)):
            yield prefix + name, value


def _summary_writer(folder: Path) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise RequestError(
            "tensorboard: the package is not installed; run `pip install tensorboard` or set the field to false"
        ) from error
    return SummaryWriter(str(folder))


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _tracker(name: str, folder: Path) -> Any:
    """A run of wandb or of trackio, whose calls are the same."""
    try:
        return importlib.import_module(name).init(project="proofpress", name=folder.name)
    except ImportError as error:
        raise RequestError(
            f"trackers: {name} is not installed; run `pip install {name}` or take it out of the list"
        ) from error
