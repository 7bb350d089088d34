"""Tesseract, which benchmarks are read with where it is installed."""

import os
import subprocess

SINGLE_THREAD = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # other values stall it for minutes


def read(png: bytes, mode: str, dpi: int = 150) -> str:
    """What it reads of a picture in English. mode: of page segmentation, as ``--psm`` takes it."""
    command = ["tesseract", "-", "-", "--dpi", str(dpi), "--psm", mode, "-l", "eng"]
    ran = subprocess.run(command, input=png, capture_output=True, env=SINGLE_THREAD, timeout=300, check=True)
    return ran.stdout.decode()
