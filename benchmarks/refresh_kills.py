"""Kill -9 a refresh at random moments, give the same command again, and compare the end with an undisturbed one.

    python benchmarks/refresh_kills.py --kills 20 --work /tmp/kills

The loop is small and real: the im2latex fixture is cleaned, mined with nano, a few steps are trained, and both models
read a frozen benchmark. Compared are ``version.json`` and every manifest, byte for byte, and that no process is left.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
FIXTURE = str(ROOT / "tests/fixtures/im2latex")
RECIPE = {
    "name": "kills",
    "build": {
        "name": "formulas",
        "corpora": [{"name": "im2latex", "path": FIXTURE}],
        "rows_per_shard": 6,
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


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "proofpress.flows.cli", *arguments]


def start(work: Path, out: str) -> "subprocess.Popen[bytes]":
    line = command("refresh", "loop.yaml", "--out", out, "--quiet")
    return subprocess.Popen(line, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def finish(work: Path, out: str) -> float:
    began = time.monotonic()
    process = start(work, out)
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"{out}: exit code {process.returncode}: {errors.decode()}")
    return time.monotonic() - began


def result(out: Path) -> dict[str, bytes]:
    """All that tells what a version is."""
    names = ("version.json", "manifest.json", "current.json", "layout.json", "profile.json", "recipe.yaml")
    return {str(p.relative_to(out)): p.read_bytes() for p in sorted(out.rglob("*")) if p.name in names}


def left_over(group: int) -> list[int]:
    """Processes of a killed command's session that are still there."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == group and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, required=True, help="an empty folder")
    options = parser.parse_args()
    work, moments = options.work, random.Random(options.seed)
    work.mkdir(parents=True, exist_ok=True)
    (work / "loop.yaml").write_text(yaml.safe_dump(RECIPE))
    subprocess.run(command("clean", "im2latex", FIXTURE, "--out", "frozen", "--quiet"), cwd=work, check=True)
    seconds = finish(work, "undisturbed")
    wanted = result(work / "undisturbed")
    print(f"undisturbed: {seconds:.1f} s, {len(wanted)} files to compare", flush=True)
    print(f"nothing changed: {finish(work, 'undisturbed'):.1f} s, the same: {result(work / 'undisturbed') == wanted}")
    same = 0
    for number in range(options.kills):
        moment = moments.uniform(0, seconds)
        process = start(work, f"killed-{number}")
        try:
            process.wait(moment)
            state = "had ended"
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            done = [p.parent.name for p in (work / f"killed-{number}").rglob("manifest.json")]
            state = f"killed with {', '.join(sorted(done)) or 'nothing'} complete"
        time.sleep(2)
        orphans = left_over(process.pid)
        finish(work, f"killed-{number}")
        equal = result(work / f"killed-{number}") == wanted
        same += equal and not orphans
        verdict = f"{'the same' if equal else 'DIFFERENT'}, {len(orphans)} left over"
        print(f"{number + 1:>3}  at {moment:6.1f} s  {state}: {verdict}", flush=True)
    print(f"{same} of {options.kills} ended as the undisturbed one, with no process left over")
    sys.exit(same != options.kills)


if __name__ == "__main__":
    main()
