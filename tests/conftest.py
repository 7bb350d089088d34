"""What tests of more than one folder share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real corpora and published cases: ``PROOFPRESS_SHARED``, else ``../shared`` beside the checkout."""
    folder = Path(os.environ.get("PROOFPRESS_SHARED") or Path(__file__).parents[2] / "shared")
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set PROOFPRESS_SHARED to its folder")
    return folder
