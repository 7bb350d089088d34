from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from proofpress.flows.settings import check, parse_sets, read_yaml
from proofpress.pages.errors import RequestError


class Press(BaseModel, extra="forbid"):
    pages: int = Field(10, ge=0, le=1000, description="How many.")
    width: int = Field(640, ge=640, description="How wide.")


class Corpus(BaseModel, extra="forbid"):
    name: str = Field(description="Which corpus.")


class Small(BaseModel, extra="forbid"):
    press: Press | None = Field(None, description="Printed pages.")
    corpora: tuple[Corpus, ...] = Field((), description="Cleaned rows.")
    shares: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field({}, description="Shares.")


def checked(values: dict, *sets: str) -> Small:
    return check(Small, values, "r.yaml", parse_sets(sets, {"pages": "press.pages"}))


@pytest.mark.parametrize(
    ("values", "sets", "message"),
    [
        ({"press": {"pagez": 3}}, [], "r.yaml: press.pagez: unknown key (did you mean press.pages?)"),
        ({"xyzzy": 3}, [], "r.yaml: xyzzy: unknown key (known: press, corpora, shares)"),
        ({}, ["press.pagez=3"], "--set press.pagez: unknown key (did you mean press.pages?)"),
        ({"press": {"pages": -1}}, [], "r.yaml: press.pages: -1 is not in 0..1000"),
        ({"press": {"width": 3}}, [], "r.yaml: press.width: 3 is not 640 or more"),
        ({}, ["pages=2000"], "--set press.pages: 2000 is not in 0..1000"),
        ({"shares": {"a": 2}}, [], "r.yaml: shares.a: 2: input should be less than or equal to 1"),
        ({"corpora": [{}]}, [], "r.yaml: corpora.0.name: is missing: Which corpus."),
        ({"corpora": [{"nam": "x"}]}, [], "r.yaml: corpora.0.nam: unknown key (did you mean corpora.0.name?)"),
        ({"press": {"pages": "many"}}, [], "r.yaml: press.pages: 'many': input should be a valid integer"),
        ({"corpora": [{"name": "x"}]}, ["corpora.1.name=y"], "--set corpora.1.name: 1 is not an entry of that list"),
        ({"press": {"pages": 3}}, ["press.pages.x=1"], "--set press.pages.x: press.pages is a value and has no keys"),
        ({}, ["pages"], "--set pages: not a setting"),
        ({}, ["=3"], "--set =3: not a setting"),
        ({}, ["pages=[1"], "--set pages=[1: the value is not YAML"),
        ({}, ["pages=2001-13-45"], "--set pages=2001-13-45: the value is not YAML: month must be in 1..12"),
    ],
)
def test_an_error_names_the_place_and_what_would_be_right(values, sets, message):
    with pytest.raises(RequestError) as raised:
        checked(values, *sets)
    assert message in str(raised.value)


@pytest.mark.parametrize("value", ["2001-13-45", "0x_", "1" * 5000, "[" * 3000, "\t1: 2"])
def test_a_file_that_is_no_yaml_is_named(tmp_path: Path, value):
    (tmp_path / "r.yaml").write_text(f"pages: {value}")
    with pytest.raises(RequestError, match=r"r\.yaml: not YAML"):
        read_yaml(tmp_path / "r.yaml")


def test_all_errors_are_told_at_once():
    with pytest.raises(RequestError) as raised:
        checked({"press": {"pages": -1}, "other": 1})
    assert str(raised.value).count("r.yaml: ") == 2


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (["pages=7"], Small(press=Press(pages=7))),
        (["press.pages = 7"], Small(press=Press(pages=7))),
        (["press={pages: 7, width: 700}"], Small(press=Press(pages=7, width=700))),
        (["press=null"], Small()),
        (["corpora.0.name=y"], Small(corpora=(Corpus(name="y"),))),
        (["pages=7", "pages=8"], Small(press=Press(pages=8))),
    ],
)
def test_settings_go_over_the_file_and_are_yaml(sets, expected):
    values = {"corpora": [{"name": "x"}]} if "corpora" in sets[0] else {}
    assert checked(values, *sets) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"a: [1", "not YAML"),
        (b"\xff\xfe\x00", "not YAML"),
        (b"- 1\n- 2\n", "not a recipe"),
        (b"", "not a recipe"),
    ],
)
def test_a_file_that_is_no_recipe_is_named(tmp_path: Path, content, message):
    path = tmp_path / "r.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RequestError, match=r"r\.yaml") as raised:
        read_yaml(path)
    assert message in str(raised.value)
