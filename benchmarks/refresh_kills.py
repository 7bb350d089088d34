"""Kill -9 a refresh at random moments, give the same command again, and compare the end with an undisturbed one.

    python benchmarks/refresh_kills.py --kills 20 --work /tmp/kills
    python benchmarks/refresh_kills.py --kills 5 --what browser --work /tmp/browsers     (or worker)

The loop is small and real: the im2latex fixture is cleaned, mined with nano, a few steps are trained, and both models
read a frozen benchmark. Where workers or browsers are killed it prints pages too, and its shards are made by processes.
Compared are ``version.json`` and every manifest, byte for byte, and that no process is left. Moments are drawn from the
time in which the undisturbed run had such a process; one at which there was none to kill does not count, and another is
drawn.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
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
VICTIMS = {"command": "", "worker": "spawn_main", "browser": "--headless"}
MARK = "PROOFPRESS_KILLS"
TRIES = 3  # runs for each kill that is wanted, at most


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "proofpress.flows.cli", *arguments]


@dataclass(frozen=True, slots=True)
class Started:
    """A refresh at work. mark: stands in the environment of all that it starts; a browser has a session of its own."""

    process: "subprocess.Popen[bytes]"
    mark: bytes

    def alive(self) -> dict[int, str]:
        """Its processes that still run, by their command lines."""
        found = {}
        for environment in Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark in environment.read_bytes().split(b"\0"):
                    line = (environment.parent / "cmdline").read_text().replace("\0", " ")
                    if line:  # a zombie has none
                        found[int(environment.parent.name)] = line
            except OSError:
                continue
        return found

    def there(self, what: str) -> list[int]:
        """Those of its processes that are this."""
        if what == "command":
            return [self.process.pid] if self.process.poll() is None else []
        return sorted(process for process, line in self.alive().items() if VICTIMS[what] in line)


def start(work: Path, out: str, runner: str) -> Started:
    line = command("refresh", "loop.yaml", "--out", out, "--quiet", "--runner", runner)
    value = uuid.uuid4().hex
    with (work / f"{out}.log").open("ab") as log:
        process = subprocess.Popen(
            line, cwd=work, stdout=log, stderr=log, start_new_session=True, env={**os.environ, MARK: value}
        )
    return Started(process, f"{MARK}={value}".encode())


def finish(work: Path, out: str, runner: str, what: str = "command") -> tuple[float, float, float]:
    """Run it to its end: its seconds, and at which of them there first and last was something to kill."""
    began, seen = time.monotonic(), []
    started = start(work, out, runner)
    while started.process.poll() is None:
        if started.there(what):
            seen.append(time.monotonic() - began)
        time.sleep(0.2)
    if started.process.returncode:
        raise SystemExit(f"{out}: exit code {started.process.returncode}: {(work / f'{out}.log').read_text()}")
    return time.monotonic() - began, min(seen, default=0.0), max(seen, default=0.0)


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


def kill(what: str, started: Started, moment: float, rng: random.Random) -> bool:
    """Kill one of the processes that are this, once the moment has come and there is one; whether there was."""
    began = time.monotonic()
    while started.process.poll() is None:
        time.sleep(0.05)
        if time.monotonic() > began + moment and (there := started.there(what)):
            with suppress(ProcessLookupError):  # it has just ended by itself
                os.kill(rng.choice(there), signal.SIGKILL)
                return True
    return False


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
    build = RECIPE["build"] if options.what == "command" else {**RECIPE["build"], **PRINTING}
    (work / "loop.yaml").write_text(yaml.safe_dump({**RECIPE, "build": build}))
    subprocess.run(command("clean", "im2latex", FIXTURE, "--out", "frozen", "--quiet"), cwd=work, check=True)
    seconds, first, last = finish(work, "undisturbed", runner, options.what)
    wanted = result(work / "undisturbed")
    print(f"undisturbed: {seconds:.1f} s, {len(wanted)} files to compare", flush=True)
    print(f"moments are drawn from {first:.1f} to {last:.1f} s", flush=True)
    again, _, _ = finish(work, "undisturbed", runner)
    print(f"nothing changed: {again:.1f} s, the same: {result(work / 'undisturbed') == wanted}", flush=True)
    same = hits = 0
    for number in range(TRIES * options.kills):
        out, moment = f"killed-{number}", moments.uniform(first, last)
        started = start(work, out, runner)
        hit = kill(options.what, started, moment, moments)
        done = sorted(path.parent.name for path in (work / out).rglob("manifest.json"))
        started.process.wait()
        if not hit:
            print(f"     at {moment:6.1f} s  there was nothing to kill; another moment is drawn", flush=True)
            continue
        time.sleep(5)
        orphans = started.alive()
        finish(work, out, runner)
        equal = result(work / out) == wanted
        hits += 1
        same += equal and not orphans
        then = "went on" if started.process.returncode == 0 else "ended"
        verdict = f"{then}; {'the same' if equal else 'DIFFERENT'}, {len(orphans)} left over"
        print(
            f"{hits:>3}  at {moment:6.1f} s  killed with {', '.join(done) or 'nothing'} complete: {verdict}", flush=True
        )
        if hits == options.kills:
            break
    print(f"{same} of {hits} ended as the undisturbed one, with no process left over")
    sys.exit(not same == hits == options.kills)


if __name__ == "__main__":
    main()
