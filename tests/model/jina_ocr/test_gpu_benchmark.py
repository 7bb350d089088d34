import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "gpu_decode.py"


@pytest.mark.slow
def test_the_benchmark_for_a_cuda_machine_runs_at_toy_size() -> None:
    command = [sys.executable, str(BENCHMARK), "--toy", "--device", "cpu", "--batches", "1", "--tokens", "2"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines][:3] == ["toy", "toy", "toy"]
    assert any("speculative" in line and "pages/s" in line for line in lines)
    assert any("drafting pays from" in line for line in lines)
    assert lines[-1].startswith("nano")
