from pathlib import Path

import pytest

from proofpress.flows.config import BuildRecipe, corpus_recipe, load_recipe
from proofpress.pages.errors import RequestError

DEMO = Path(__file__).parents[2] / "recipes" / "demo.yaml"


def test_the_demo_recipe_is_one():
    assert load_recipe(DEMO).press.pages > 0


def test_pages_is_short_for_the_press():
    assert load_recipe(DEMO, ["pages=5"]).press.pages == 5


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (["press=null", "corpora=[]"], "nothing to make: give press, corpora or both"),
        (["splits={train: 0.5}"], "splits: give only the splits beside train"),
        (["splits={a: 0.5, b: 0.5}"], "splits: give only the splits beside train"),
        (["splits={a: 0.0}"], "--set splits.a"),
        (["splits={all: 0.5}"], "splits: all stands for every split"),
        ([f"splits={{{'a' * 250}: 0.5}}"], "--set splits.aaa"),
        (["name=../x"], "--set name"),
        (["rows_per_shard=0"], "--set rows_per_shard: 0 is not in 1..10000"),
        (["corpora=[{name: a, path: x}, {name: a, path: y}]"], "each corpus may stand in a recipe once"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(sets, message):
    with pytest.raises(RequestError) as raised:
        load_recipe(DEMO, sets)
    assert message in str(raised.value)


def test_where_things_lie_does_not_change_the_recipe():
    one = corpus_recipe("pubtabnet", Path("/here"), ["press={pages: 1, browser: /bin/one}"])
    other = corpus_recipe("pubtabnet", Path("/there"), ["press={pages: 1, browser: /bin/two}"])
    assert one.digest() == other.digest()
    assert "/here" not in str(one.contents()) and "/bin" not in str(one.contents())


def test_what_is_made_does_change_it():
    assert load_recipe(DEMO).digest() != load_recipe(DEMO, ["seed=9"]).digest()


def test_every_key_is_described():
    def described(schema: dict) -> bool:
        models = [schema, *schema.get("$defs", {}).values()]
        return all("description" in key for model in models for key in model.get("properties", {}).values())

    assert described(BuildRecipe.model_json_schema())
