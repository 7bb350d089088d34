"""The wheel holds what the folders hold."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("pages", "templates", "generators", "cleaners", "model", "flows")


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_folders(tmp_path):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    source = tmp_path / "source"
    for name in ["pyproject.toml", "README.md", *listed]:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, source], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert {f"proofpress/{name}" for name in listed} <= set(zipfile.ZipFile(wheel).namelist())
