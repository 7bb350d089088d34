"""How much of the lattice of pages a dataset covers: its kept printed pages, held against what its recipe allows.

lattice_coverage(folder, read_manifest(folder)).share      # 0.997
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from proofpress.flows.mined_recipe import recipe_of
from proofpress.generators.coverage import Coverage, cover
from proofpress.generators.press import STAGE, PressRecipe, lattice_of


def lattice_coverage(folder: Path, manifest: Mapping[str, Any]) -> Coverage | None:
    """Coverage by the pages the press printed and the build kept; None where none were printed.

    Crops say of which page they are, so a dataset of crops alone counts as well. Raises ``ValueError`` where the
    manifest's recipe is of another press.
    """
    recipe = recipe_of(manifest["recipe"]).get("press")
    if recipe is None:
        return None
    return cover(lattice_of(PressRecipe(**recipe)), _features(folder))


def _features(folder: Path) -> Iterator[Mapping[str, str]]:
    for path in sorted((folder / "data").glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(columns=["features", "source.name"]):
            for row in batch.to_pylist():
                if row["source"]["name"] == STAGE:
                    yield json.loads(row["features"])
