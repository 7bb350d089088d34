"""Kill -9 a refresh at random moments, give the same command again, and compare the end with an undisturbed one.

    python benchmarks/refresh_kills.py --kills 20 --work /tmp/kills
    python benchmarks/refresh_kills.py --kills 5 --what browser --work /tmp/browsers     (or worker)

The loop is small and real: the im2latex fixture is cleaned, mined with nano, a few steps are trained, and both models
read a frozen benchmark. Where workers or browsers are killed it prints pages too, and its shards are made by processes.
Compared are ``version.json`` and every manifest, byte for byte, and that no process is left.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
FIXTURE = str(ROOT / "tests/fixtures/im2latex")
RECIPE: dict[str, Any] = {
    "name": "kills",
    "build": {
        "name": "formulas",
        "corpora": [{"name": "im2latex", "path": FIXTURE}],
        "rows_per_shard": 6,
        "duplicates": {},
    },
    "mine": {"rows": 6, "limit": 8, "read_twice": False},
    "train": {
        "steps": 4,
        "kinds": {"all": {"max_width": 512, "max_height": 256}},
        "batch_pixels": 32768,
        "batch_tokens": 1024,
        "threads": 1,
        "checkpoint_every": 1,
        "evaluation_rows": 0,
        "tensorboard": False,
        "warmup_steps": 1,
    },
    "benchmarks": [{"dataset": "frozen", "split": "train", "limit": 3}],
}


#: What makes a loop have workers and browsers, and what stands in their command lines.
PRINTING = {"press": {"pages": 12, "rows": "both", "crops": 2}, "rows_per_shard": 4}
VICTIMS = {"command": "refresh", "worker": "spawn_main", "browser": "--headless"}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "proofpress.flows.cli", *arguments]


def start(work: Path, out: str, runner: str) -> "subprocess.Popen[bytes]":
    line = command("refresh", "loop.yaml", "--out", out, "--quiet", "--runner", runner)
    return subprocess.Popen(line, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def finish(work: Path, out: str, runner: str) -> float:
    began = time.monotonic()
    process = start(work, out, runner)
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"{out}: exit code {process.returncode}: {errors.decode()}")
    return time.monotonic() - began


def result(out: Path) -> dict[str, bytes]:
    """All that tells what a version is."""
    names = (
        "version.json",
        "manifest.json",
        "current.json",
        "layout.json",
        "settled.json",
        "profile.json",
        "recipe.yaml",
    )
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.name in names}


def alive(session: int) -> dict[int, str]:
    """The processes of a command's session by their command lines."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found[int(status.parent.name)] = (status.parent / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return found


def kill(what: str, session: int, rng: random.Random) -> bool:
    """Kill one of the processes that are this, if there is any."""
    there = sorted(process for process, line in alive(session).items() if VICTIMS[what] in line)
    if there:
        os.kill(rng.choice(there) if what != "command" else session, signal.SIGKILL)
    return bool(there)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, required=True, help="an empty folder")
    parser.add_argument("--what", choices=VICTIMS, default="command")
    options = parser.parse_args()
    work, moments = options.work, random.Random(options.seed)
    work.mkdir(parents=True, exist_ok=True)
    runner = "inline" if options.what == "command" else "processes"
    build = RECIPE["build"] if runner == "inline" else {**RECIPE["build"], **PRINTING}
    (work / "loop.yaml").write_text(yaml.safe_dump({**RECIPE, "build": build}))
    subprocess.run(command("clean", "im2latex", FIXTURE, "--out", "frozen", "--quiet"), cwd=work, check=True)
    seconds = finish(work, "undisturbed", runner)
    wanted = result(work / "undisturbed")
    print(f"undisturbed: {seconds:.1f} s, {len(wanted)} files to compare", flush=True)
    again = finish(work, "undisturbed", runner)
    print(f"nothing changed: {again:.1f} s, the same: {result(work / 'undisturbed') == wanted}", flush=True)
    same = 0
    for number in range(options.kills):
        out, moment = f"killed-{number}", moments.uniform(0, seconds)
        process = start(work, out, runner)
        hit, began = False, time.monotonic()
        while process.poll() is None and time.monotonic() < began + moment:
            time.sleep(0.05)
        while process.poll() is None and not hit:
            time.sleep(0.05)
            hit = kill(options.what, process.pid, moments)  # there may be none of these yet
        done = sorted(path.parent.name for path in (work / out).rglob("manifest.json"))
        state = f"killed with {', '.join(done) or 'nothing'} complete" if hit else "had ended"
        process.communicate()
        time.sleep(2)
        orphans = alive(process.pid)
        finish(work, out, runner)
        equal = result(work / out) == wanted
        same += equal and not orphans
        verdict = f"{'the same' if equal else 'DIFFERENT'}, {len(orphans)} left over"
        print(f"{number + 1:>3}  at {moment:6.1f} s  {state}: {verdict}", flush=True)
    print(f"{same} of {options.kills} ended as the undisturbed one, with no process left over")
    sys.exit(same != options.kills)


if __name__ == "__main__":
    main()
