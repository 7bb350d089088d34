"""What Prefect costs a build: the same shards with a Prefect server that sees each of them, and without.

    python benchmarks/prefect_overhead.py [--pages 100] [--workers 2] [--build 2000]

Each run is a process of its own, measured from its start to its end by wall clock and by processor time of all that it
starts; what the server takes meanwhile is added. Shards that do nothing tell what Prefect costs to start and what a
shard costs, printed ones what a page costs. From these follows Prefect's share of a build of ``--build`` pages.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from proofpress.flows.build import build
from proofpress.flows.config import BuildRecipe
from proofpress.flows.runners import run, set_prefect_defaults

ROWS_PER_SHARD = 100
FEW, MANY = 2, 42  # shards that do nothing
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Nothing:
    """A shard that is made in no time."""

    name: str


def do_nothing(item: Nothing) -> str:
    """Make it."""
    return item.name


def work(pages: int, shards: int, workers: int) -> None:
    """Do in this process what is measured: pages, or shards that do nothing."""
    if not pages:
        list(run(do_nothing, [Nothing(str(number)) for number in range(shards)], "processes", workers))
        return
    recipe = BuildRecipe.model_validate(
        {"name": "overhead", "press": {"pages": pages, "rows": "pages"}, "rows_per_shard": ROWS_PER_SHARD // 4}
    )
    with tempfile.TemporaryDirectory() as folder:
        build(recipe, Path(folder) / "out", runner="processes", workers=workers)


def measure(api: str, server: int, workers: int, pages: int = 0, shards: int = 0) -> tuple[float, float]:
    """Wall and processor seconds of a process that does it, of all it starts, and of the server meanwhile.

    api: the server's, empty to do without it. server: its process.
    """
    line = [sys.executable, __file__, "--child", "--workers", str(workers), "--pages", str(pages)]
    environment = {**os.environ, "PREFECT_API_URL": api, "OMP_NUM_THREADS": "1"}
    before, began = _cpu(server), time.perf_counter()
    subprocess.run([*line, "--shards", str(shards)], check=True, env=environment)
    return time.perf_counter() - began, _cpu(server) - before


def _cpu(server: int) -> float:
    """Processor seconds of this process's children that have ended, and of the server."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    fields = Path(f"/proc/{server}/stat").read_text().rsplit(")", 1)[1].split()
    return used.ru_utime + used.ru_stime + (int(fields[11]) + int(fields[12])) / TICKS


def compare(pages: int, workers: int, build_pages: int, api: str, server: int) -> None:
    """Measure all, and print it."""
    cases = {
        f"{FEW} empty shards": (0, FEW),
        f"{MANY} empty shards": (0, MANY),
        f"{pages} pages": (pages, 0),
    }
    print(f"{'':<32}{'wall s':>10}{'cpu s':>10}")
    measured: list[dict[str, tuple[float, float]]] = []
    for title, (some_pages, shards) in cases.items():
        measured.append({})
        for way in ("without", "with"):
            told = api if way == "with" else ""
            measured[-1][way] = wall, cpu = measure(told, server, workers, some_pages, shards)
            print(f"{title + ', ' + way + ' Prefect':<32}{wall:>10.1f}{cpu:>10.1f}", flush=True)
    few, many, printed = measured
    shards = -(-build_pages // ROWS_PER_SHARD)
    for place, name in enumerate(("wall", "processor")):
        start, last = (found["with"][place] - found["without"][place] for found in (few, many))
        a_shard = (last - start) / (MANY - FEW)
        cost = start + (shards - FEW) * a_shard
        rest = few["without"][place] + build_pages * (printed["without"][place] - few["without"][place]) / pages
        print(
            f"{name}: {start:.1f} s to start, {1000 * a_shard:.0f} ms a shard; of {build_pages} pages in {shards} "
            f"shards {cost:.1f} of {cost + rest:.0f} s, {cost / (cost + rest):.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--build", type=int, default=2000, help="pages of the build whose share is told")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--shards", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        work(options.pages, options.shards, options.workers)
        return
    with tempfile.TemporaryDirectory() as home:
        os.environ["PREFECT_HOME"] = home
        set_prefect_defaults()
        from prefect.server.api.server import SubprocessASGIServer

        with SubprocessASGIServer() as server:
            assert server.server_process is not None
            compare(options.pages, options.workers, options.build, server.api_url, server.server_process.pid)


if __name__ == "__main__":
    main()
