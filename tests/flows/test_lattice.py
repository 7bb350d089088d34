import io

from PIL import Image

from proofpress.flows.lattice import lattice_coverage
from proofpress.generators.coverage import plan
from proofpress.generators.press import LICENCE, STAGE, VERSION, PressRecipe, lattice_of
from proofpress.pages.record import PageRecord, Source
from proofpress.pages.shards import write_shard

RECIPE = PressRecipe(kinds={"letter": 1.0}, features={"language": ("en", "ar")})


def dataset(folder, rows):
    """A folder with rows of these features, as a build writes them."""
    picture = io.BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    source = Source(STAGE, "press/1/1", VERSION, LICENCE)
    records = [
        PageRecord(f"{n:032x}", picture.getvalue(), 8, 8, "", "page", source, features=features)
        for n, features in enumerate(rows)
    ]
    (folder / "data").mkdir()
    write_shard(folder / "data/train-00000-of-00001.parquet", records)
    return {"recipe": {"press": RECIPE.model_dump(mode="json")}}


def test_a_datasets_pages_are_held_against_what_its_recipe_allows(tmp_path):
    lattice = lattice_of(RECIPE)
    whole = dataset(tmp_path, [plan(lattice, 1, index) for index in range(300)])
    coverage = lattice_coverage(tmp_path, whole)
    assert coverage is not None and coverage.share == 1.0 and coverage.possible > 500


def test_what_was_not_printed_is_missing(tmp_path):
    manifest = dataset(tmp_path, [plan(lattice_of(RECIPE), 1, 0)])
    coverage = lattice_coverage(tmp_path, {"recipe": {"of": [manifest["recipe"]]}})
    assert coverage is not None and 0 < coverage.share < 0.7 and coverage.missing


def test_a_dataset_without_printed_pages_has_no_lattice(tmp_path):
    assert lattice_coverage(tmp_path, {"recipe": {"name": "corpora"}}) is None
