"""Where shards are made: in this process, in threads or processes of this machine, on a Dask or Ray cluster, by name.

The work is the same everywhere, and so are its bytes. ``threads`` and ``processes`` are plain pools. Where a Prefect
server is named (``PREFECT_API_URL``), or a flow is running, each shard is a Prefect task besides, with its name, state
and retries on Prefect's page: one a shard, never one a page. ``dask`` and ``ray`` are Prefect's task runners, and start
a server for themselves where none is named.

    for outcome in run(make, shards, runner="processes", workers=4):
        print(outcome.item, outcome.error or outcome.result)
"""

import contextlib
import importlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from proofpress.pages.errors import RequestError, WorkError

Item = TypeVar("Item")
Result = TypeVar("Result")

#: Of a cluster by its name: module, class, what to install.
CLUSTERS = {
    "dask": ("prefect_dask", "DaskTaskRunner", "proofpress[dask]"),
    "ray": ("prefect_ray", "RayTaskRunner", "proofpress[ray]"),
}
RUNNERS = ("inline", "threads", "processes", *CLUSTERS)

#: How often a shard is tried again whose worker was lost: another shard may have been the one that broke the pool.
LOSSES = 2

#: Clusters of this machine while the work lasts, where ``DASK_SCHEDULER_ADDRESS`` or ``RAY_ADDRESS`` name none.
LOCAL_DASK = {"threads_per_worker": 1, "dashboard_address": None}
LOCAL_RAY = {"include_dashboard": False, "log_to_driver": False, "object_store_memory": 2**27}  # results are small


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Result]):
    """What came of one item: its result, or the exception it raised."""

    item: Item
    result: Result | None = None
    error: BaseException | None = None


def run(
    work: Callable[[Item], Result], items: Sequence[Item], runner: str = "inline", workers: int | None = None
) -> Iterator[Outcome[Item, Result]]:
    """Do the work on every item and yield outcomes as they come, in no promised order; no item stops another.

    Items need a ``name``; they, the work and its results must pickle for any runner but ``inline`` and ``threads``.
    workers: processes or threads; one a core when None. Raises ``RequestError`` for a runner that is not there.
    """
    if runner not in RUNNERS:
        raise RequestError(f"--runner {runner}: is not one of {', '.join(RUNNERS)}")
    if workers is not None and workers < 1:
        raise RequestError(f"--workers {workers}: is not 1 or more")
    if runner == "inline":
        if workers not in (None, 1):
            raise RequestError(f"--workers {workers}: the inline runner has one; add --runner processes")
        return (_attempt(work, item) for item in items)
    if not items:
        return iter(())
    wanted = min(workers or os.cpu_count() or 1, len(items))
    if runner in CLUSTERS:
        return _run_on_prefect(work, items, _cluster(runner, wanted))
    return _run_here(work, items, runner, wanted)


def _attempt(work: Callable[[Item], Result], item: Item) -> Outcome[Item, Result]:
    try:
        return Outcome(item, result=work(item))
    except Exception as error:
        return Outcome(item, error=error)


def _run_here(
    work: Callable[[Item], Result], items: Sequence[Item], runner: str, workers: int
) -> Iterator[Outcome[Item, Result]]:
    with contextlib.ExitStack() as pools:
        if runner == "processes":
            work = pools.enter_context(contextlib.closing(InProcesses(work, workers)))
        if _has_prefect():
            from prefect.task_runners import ThreadPoolTaskRunner

            yield from _run_on_prefect(work, items, ThreadPoolTaskRunner(max_workers=workers))
            return
        threads = ThreadPoolExecutor(workers)
        pools.callback(threads.shutdown, cancel_futures=True)  # who stops asking for outcomes wants no more of them
        for done in as_completed([threads.submit(_attempt, work, item) for item in items]):
            yield done.result()


class InProcesses(Generic[Item, Result]):
    """The work, done by a process of a pool while the calling thread waits. A pool that lost a worker is replaced."""

    def __init__(self, work: Callable[[Item], Result], workers: int) -> None:
        self._work, self._workers = work, workers
        self._pool: ProcessPoolExecutor | None = None
        self._lock = Lock()

    def __call__(self, item: Item) -> Result:
        """Raises ``WorkError`` where the workers at this item were lost again and again."""
        for tried in range(LOSSES + 1):
            pool = self._current()
            try:
                return pool.submit(self._work, item).result()
            except BrokenProcessPool as error:
                self._drop(pool)
                if tried == LOSSES:
                    raise WorkError(
                        f"{tried + 1} workers at it were lost; were they killed, or is memory short?"
                    ) from error
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        """End the workers, when they have done what they are at."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def _current(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                spawn = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self._workers, spawn, _leave_interrupts_to_the_parent)
            return self._pool

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._pool is pool:
                self._pool = None
        pool.shutdown(wait=False)


def _has_prefect() -> bool:
    """Whether there is a Prefect that is to see the shards: a server that is named, or a flow that is running."""
    if os.environ.get("PREFECT_API_URL"):
        set_prefect_defaults()
        return True
    if "prefect" not in sys.modules:  # nobody has started a flow: do not wait for an import
        return False
    from prefect.context import FlowRunContext

    return FlowRunContext.get() is not None


def _run_on_prefect(
    work: Callable[[Item], Result], items: Sequence[Item], task_runner: Any
) -> Iterator[Outcome[Item, Result]]:
    from prefect import flow, task
    from prefect.cache_policies import NO_CACHE
    from prefect.futures import as_completed
    from prefect.settings import PREFECT_API_URL, temporary_settings

    @task(name="shard", task_run_name="{item.name}", cache_policy=NO_CACHE, persist_result=False)
    def shard(item: Item) -> Result:
        return work(item)

    @flow(name="shards", task_runner=task_runner, validate_parameters=False)
    def shards() -> Iterator[Outcome[Item, Result]]:
        submitted = {shard.submit(item): item for item in items}
        for future in as_completed(list(submitted)):
            yield _outcome(submitted[future], future)

    with temporary_settings({PREFECT_API_URL: _server()}):
        yield from shards()


def _server() -> str:
    """The URL of the user's Prefect server, or of one of this process's own.

    Workers must be told it: each that finds none starts another server, all of them on one SQLite file.
    """
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        if client.api_healthcheck() is not None:
            raise RequestError(
                f"PREFECT_API_URL: no Prefect server answers at {client.api_url}; start one, or unset it"
            )
        return str(client.api_url)


def _outcome(item: Item, future: Any) -> Outcome[Item, Any]:
    """What a task run came to. A killed worker leaves an exception of its pool, a cancelled run a mere state."""
    try:
        value = future.result(raise_on_failure=False)
    except Exception as error:
        lost = WorkError(f"the worker at it was lost ({type(error).__name__}); was it killed, or is memory short?")
        lost.__cause__ = error
        return Outcome(item, error=lost)
    if future.state.is_completed():
        return Outcome(item, result=value)
    return Outcome(item, error=value if isinstance(value, BaseException) else WorkError(f"did not finish: {value}"))


def _cluster(runner: str, workers: int) -> Any:
    module, name, package = CLUSTERS[runner]
    set_prefect_defaults()
    try:
        kind = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise RequestError(f"--runner {runner}: {module} is not installed; pip install '{package}'") from error
    if runner == "dask":
        address = os.environ.get("DASK_SCHEDULER_ADDRESS")
        return kind(address=address) if address else kind(cluster_kwargs={**LOCAL_DASK, "n_workers": workers})
    address = os.environ.get("RAY_ADDRESS")
    return kind(address=address) if address else kind(init_kwargs={**LOCAL_RAY, "num_cpus": workers})


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def set_prefect_defaults() -> None:
    """Settings for quiet, offline, local use where the user has not set them; call it before Prefect is imported."""
    defaults = {
        "PREFECT_SERVER_EPHEMERAL_ENABLED": "true",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",  # a busy machine needs minutes
        "PREFECT_SERVER_DATABASE_TIMEOUT": "60",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
        "DO_NOT_TRACK": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "PREFECT_LOGGING_TO_API_ENABLED": "false",
        "PREFECT_LOGGING_LEVEL": "CRITICAL",  # a shard that fails is reported once, by the build
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
    has_profile = Path("~/.prefect/profiles.toml").expanduser().exists()
    if not has_profile and not os.environ.keys() & {"PREFECT_HOME", "PREFECT_API_URL", "PREFECT_PROFILE"}:
        home = Path("~/.cache/proofpress/prefect").expanduser()
        home.mkdir(parents=True, exist_ok=True)  # Prefect makes the last folder only
        os.environ["PREFECT_HOME"] = str(home)
