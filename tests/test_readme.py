"""What the README tells people to do is there to be done."""

import re
from pathlib import Path

import typer.main

from proofpress.flows import cli
from proofpress.flows.config import load_recipe
from proofpress.generators import kinds
from proofpress.generators.address import Address
from proofpress.generators.coverage import Lattice, plan

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_it_names_is_one():
    commands = typer.main.get_command(cli.app).commands
    named = set(re.findall(r"proofpress ([a-z]+)", README))
    assert named <= set(commands), named - set(commands)
    assert set(commands) <= named, set(commands) - named


def test_every_make_target_it_names_is_one():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE)) <= targets


def test_every_file_it_names_is_there():
    files = re.findall(r"\]\(((?!http|#)[^)]+)\)", README) + re.findall(r"recipes/[\w/.]+\.yaml", README)
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_its_settings_are_keys_of_the_demo_recipe():
    sets = re.findall(r"--set ([a-z.]+=\w+)", README)
    assert sets
    load_recipe(ROOT / "recipes/demo.yaml", sets)


def test_its_new_kind_of_page_can_be_laid_out(monkeypatch):
    (example,) = (block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "postcard" in block)
    monkeypatch.setitem(kinds.KINDS, "postcard", kinds.KINDS["letter"])  # and out again when the test is over
    exec(example, dict(vars(kinds)))
    features = plan(Lattice.of({"kind": ("postcard",), "density": ("tight",)}), 1, 1)
    assert len(kinds.lay_out(features, Address(1, "press", 1), 1024).pieces) >= 5
