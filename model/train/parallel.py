"""The processes that train one network together: they read different rows of a step and add up their gradients.

    with gathered(2, follow, (recipe, folders, out)) as team:          # this process leads, one more follows
        (tokens,) = team.total(own_tokens)

Started by ``torchrun`` they find each other by its environment, on one machine or several; else the leading process
starts the others itself. Only the leader writes, reports and is told to stop. Each holds the whole network, or, for one
that is too large for that, a share of each of its tensors (``shard``).
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor, distributed, multiprocessing, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

from proofpress.pages.errors import WorkError

HOST = "127.0.0.1"
#: How long one process may wait for the others: while the leader reads held-out rows they have nothing to do.
PATIENCE = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Team:
    """This process among those of a run. rank: its number; 0 leads. size: how many there are."""

    rank: int = 0
    size: int = 1

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes and reports."""
        return self.rank == 0

    def total(self, *own: float) -> list[float]:
        """Each number added up over all processes, the same in all of them."""
        if self.size == 1:
            return list(own)
        numbers = torch.tensor(own, dtype=torch.float64, device=self._device())
        distributed.all_reduce(numbers)
        return numbers.tolist()

    def joined(self, own: Tensor) -> Tensor:
        """The first axis of all processes' tensors, which are of one shape, put together in the order of ranks."""
        if self.size == 1:
            return own
        whole = own.new_empty(self.size * len(own), *own.shape[1:])
        distributed.all_gather(list(whole.chunk(self.size)), own.contiguous())
        return whole

    def _device(self) -> str:
        return "cpu" if distributed.get_backend() == "gloo" else "cuda"


ALONE = Team()


def shard(objective: nn.Module, team: Team, device: str) -> None:
    """Share parameters, gradients and moments out over the processes (FSDP2, arXiv 2304.11277); before optimizers.

    The weights of a block are whole only while it computes. Alone a process keeps them all.
    """
    if team.size == 1:
        return
    mesh = init_device_mesh(torch.device(device).type, (team.size,))
    for blocks in [module for module in objective.modules() if isinstance(module, nn.ModuleList)]:
        for block in blocks:
            fully_shard(block, mesh=mesh)
    fully_shard(objective, mesh=mesh)


def whole(tensor: Tensor) -> Tensor:
    """All of a tensor, of which this process may hold a share; every process has to ask."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def share_as(tensor: Tensor, like: Tensor) -> Tensor:
    """A whole tensor that every process has, shared out as another is."""
    return distribute_tensor(tensor, like.device_mesh, like.placements) if isinstance(like, DTensor) else tensor


def spread(objective: nn.Module, team: Team) -> nn.Module:
    """The objective as it is called: in a team its gradients are added up over the processes."""
    if team.size == 1 or isinstance(objective, FSDPModule):
        return objective
    return DistributedDataParallel(objective, gradient_as_bucket_view=True)


@contextmanager
def unshared_gradients(learner: nn.Module) -> Iterator[None]:
    """Within it gradients stay in their process; the next backward pass outside adds them up over the team, too."""
    if isinstance(learner, DistributedDataParallel):
        with learner.no_sync():
            yield
    elif isinstance(learner, FSDPModule):
        learner.set_requires_gradient_sync(False)
        try:
            yield
        finally:
            learner.set_requires_gradient_sync(True)
    else:
        yield


@contextmanager
def gathered(processes: int, follow: Callable[..., object], arguments: tuple[Any, ...], device: str) -> Iterator[Team]:
    """Within it the processes of a run can talk; this process's place among them.

    processes: how many; what ``torchrun`` says counts instead if it started this one. follow: a function of a module,
    called in each of the others as ``follow(team, *arguments)``. Raises ``WorkError`` where one of them is lost.
    """
    backend = "nccl" if device.startswith("cuda") else "gloo"
    if "TORCHELASTIC_RUN_ID" in os.environ:
        distributed.init_process_group(backend, timeout=PATIENCE)
        others = []
    elif processes == 1:
        yield ALONE
        return
    else:
        store = distributed.TCPStore(HOST, 0, processes, is_master=True, wait_for_workers=False)
        context = multiprocessing.get_context("spawn")
        places = [(rank, processes, store.port, backend) for rank in range(1, processes)]
        others = [context.Process(target=_follow, args=(*place, follow, arguments), daemon=True) for place in places]
        for process in others:
            process.start()
        distributed.init_process_group(backend, store=store, rank=0, world_size=processes, timeout=PATIENCE)
    team = Team(distributed.get_rank(), distributed.get_world_size())
    _take_device(backend, team.rank)
    try:
        yield team
    except RuntimeError as error:
        if _is_of_the_team(error):
            raise _lost(error) from error
        raise
    finally:
        distributed.destroy_process_group()
        for process in others:
            process.join(timeout=10)
            process.kill()


def _take_device(backend: str, rank: int) -> None:
    """From here on ``cuda`` is a GPU of this process's own."""
    if backend == "nccl":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", rank)))


def _is_of_the_team(error: RuntimeError) -> bool:
    """Whether another process was lost. gloo has no error of its own: it is told by what it says."""
    return isinstance(error, distributed.DistError) or any(sign in str(error) for sign in ("gloo", "Gloo", "NCCL"))


def _lost(error: Exception) -> WorkError:
    said = str(error).splitlines()[0]
    return WorkError(f"a process of the run was lost ({said}); the last checkpoint is whole: go on with --resume")


def _follow(
    rank: int, size: int, port: int, backend: str, follow: Callable[..., object], arguments: tuple[Any, ...]
) -> None:
    """The whole life of a process that the leader started."""
    # A stop of the whole process group reaches the leader too, which saves first and then tells.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    store = distributed.TCPStore(HOST, port, size, is_master=False)
    distributed.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=PATIENCE)
    _take_device(backend, rank)
    try:
        follow(Team(rank, size), *arguments)
    except WorkError as error:
        sys.exit(f"process {rank} of the run: {error}")
    except RuntimeError as error:
        if _is_of_the_team(error):
            sys.exit(f"process {rank} of the run: the others are gone")
        raise
    finally:
        distributed.destroy_process_group()
