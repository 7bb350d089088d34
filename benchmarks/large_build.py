"""A large build: pages per second, memory from its beginning to its end, and how quickly its report opens.

    python benchmarks/large_build.py --work DIR [--pages 20000]      (a quarter of an hour on two cores)

Clean pages of the whole lattice. Memory is that of the build, its workers and their browsers, what they share counted
once.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright
from views import open_report

from proofpress.generators.browser_path import find_browser

RECIPE = Path(__file__).parents[1] / "recipes/full.yaml"
EVERY = 10.0  # seconds from one look at the memory to the next
PARTS = 10  # of the build's time, each told by its mean


def tree(parents: dict[int, int], root: int) -> Iterator[int]:
    """A process and all that came from it."""
    yield root
    for process, parent in parents.items():
        if parent == root:
            yield from tree(parents, process)


def megabytes(root: int) -> float:
    """Memory of a process and all that came from it; what several share is counted once."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue  # ended while we looked
    found = 0
    for process in tree(parents, root):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return found / 1024


def watched(command: list[str]) -> tuple[float, list[float]]:
    """Run a command; how many seconds it took, and its memory every few seconds."""
    began, seen = time.perf_counter(), []
    with subprocess.Popen(command) as build:
        while build.poll() is None:
            try:
                build.wait(EVERY)
            except subprocess.TimeoutExpired:
                seen.append(megabytes(build.pid))
    if build.returncode:
        sys.exit(f"the build ended with {build.returncode}")
    return time.perf_counter() - began, seen


def main() -> None:
    """Build, watch and open."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument(
        "--work", type=Path, required=True, help="a folder for the dataset, which must not be there yet"
    )
    options = parser.parse_args()
    out = options.work / "large"
    if out.exists():
        sys.exit(f"{out} is there already: what is made is to be measured")
    settings = (f"pages={options.pages}", "press.rows=pages", "press.wear={clean: 1}", "rows_per_shard=200")
    entry = "from proofpress.flows.cli import main; main()"
    command = [sys.executable, "-c", entry, "build", str(RECIPE), "--out", str(out), "--runner", "processes"]
    seconds, seen = watched([*command, *(part for value in settings for part in ("--set", value))])
    print(f"{options.pages:,} pages in {seconds:,.0f} s: {options.pages / seconds:.1f} pages/s")
    size = -(-len(seen) // PARTS)
    means = [sum(part) / len(part) for part in (seen[i : i + size] for i in range(0, len(seen), size))]
    told = ", ".join(f"{mean:,.0f}" for mean in means)
    print(f"memory in {len(means)} parts of the time: {told} MB; most {max(seen):,.0f}")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser().path, args=["--no-sandbox"])
        open_report(browser.new_page(viewport={"width": 1280, "height": 900}), out)
        browser.close()


if __name__ == "__main__":
    main()
