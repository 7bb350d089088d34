"""What Prefect costs a build: the same shards by `--runner processes` and by a plain pool of the standard library.

    python benchmarks/prefect_overhead.py [--pages 200] [--workers 2] [--build 2000]

Each is a process of its own, measured from its start to its end by wall clock and by processor time of all processes it
starts, Prefect's server among them. Shards that do nothing tell what Prefect costs to start and what a shard costs,
shards that only take their time what its server costs a second, the real shards of ``--pages`` what a page costs. From
these follows Prefect's share of a build of ``--build`` pages.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from proofpress.flows import dataset
from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe
from proofpress.flows.runners import Outcome, run

ROWS_PER_SHARD = 100
FEW, MANY = 2, 42  # shards that do nothing
REST = 30.0  # seconds that the shards take which only take their time


@dataclass(frozen=True, slots=True)
class Nothing:
    """A shard that does nothing, and the seconds it takes."""

    name: str
    seconds: float


def do_nothing(item: Nothing) -> str:
    """Make it."""
    time.sleep(item.seconds)
    return item.name


def plain(work: Callable[[Any], Any], items: Sequence[Any], runner: str, workers: int) -> Iterator[Outcome[Any, Any]]:
    """``run`` without Prefect."""
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        submitted = {pool.submit(work, item): item for item in items}
        for done in as_completed(submitted):
            yield Outcome(submitted[done], result=done.result())


def work(way: str, pages: int, shards: int, rest: float, workers: int) -> None:
    """Do in this process what is measured: pages, or shards that do nothing."""
    chosen: Any = plain if way == "plain" else run
    if not pages:
        list(chosen(do_nothing, [Nothing(str(number), rest) for number in range(shards)], "processes", workers))
        return
    dataset.run = chosen
    recipe = BuildRecipe.model_validate(
        {"name": "overhead", "press": {"pages": pages, "rows": "pages"}, "rows_per_shard": ROWS_PER_SHARD}
    )
    with tempfile.TemporaryDirectory() as folder:
        build(recipe, Path(folder) / "out", runner="processes", workers=workers)


def measure(
    way: str, workers: int, home: str, pages: int = 0, shards: int = 0, rest: float = 0.0
) -> tuple[float, float]:
    """Wall and processor seconds of a process that does it, and of all it starts. home: of Prefect's database."""
    line = [sys.executable, __file__, "--way", way, "--workers", str(workers), "--pages", str(pages)]
    environment = {**os.environ, "PREFECT_HOME": home, "OMP_NUM_THREADS": "1"}
    before, began = _cpu(), time.perf_counter()
    subprocess.run([*line, "--shards", str(shards), "--rest", str(rest)], check=True, env=environment)
    return time.perf_counter() - began, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--build", type=int, default=2000, help="pages of the build whose share is told")
    parser.add_argument("--way", choices=("plain", "prefect"), help=argparse.SUPPRESS)
    parser.add_argument("--shards", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--rest", type=float, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        work(options.way, options.pages, options.shards, options.rest, options.workers)
        return
    with tempfile.TemporaryDirectory() as home:
        compare(options.pages, options.workers, options.build, home)


def compare(pages: int, workers: int, build_pages: int, home: str) -> None:
    """Measure all, and print it."""
    measure("prefect", workers, home, shards=FEW)  # makes the database, once for a machine
    cases: dict[str, dict[str, Any]] = {
        f"{FEW} empty shards": {"shards": FEW},
        f"{MANY} empty shards": {"shards": MANY},
        f"{FEW} shards of {REST:.0f} s": {"shards": FEW, "rest": REST},
        f"{pages} pages": {"pages": pages},
    }
    print(f"{'':<28}{'wall s':>10}{'cpu s':>10}")
    measured: list[dict[str, tuple[float, float]]] = []
    for title, case in cases.items():
        measured.append({})
        for way in ("plain", "prefect"):
            measured[-1][way] = wall, cpu = measure(way, workers, home, **case)
            print(f"{title + ', ' + way:<28}{wall:>10.1f}{cpu:>10.1f}", flush=True)
    few, many, resting, printed = measured
    shards = -(-build_pages // ROWS_PER_SHARD)
    lasting = build_pages * (printed["plain"][0] - few["plain"][0]) / pages
    for place, name in enumerate(("wall", "processor")):
        first, last, rested = (found["prefect"][place] - found["plain"][place] for found in (few, many, resting))
        a_shard = (last - first) / (MANY - FEW)
        a_second = max(0.0, rested - first) / REST
        cost = first + (shards - FEW) * a_shard + lasting * a_second
        rest = few["plain"][place] + build_pages * (printed["plain"][place] - few["plain"][place]) / pages
        print(
            f"{name}: {first:.1f} s to start, {1000 * a_shard:.0f} ms a shard, {1000 * a_second:.0f} ms a second; of "
            f"{build_pages} pages in {shards} shards {cost:.1f} of {cost + rest:.0f} s, {cost / (cost + rest):.1%}"
        )


if __name__ == "__main__":
    main()
