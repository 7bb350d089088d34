"""A folder imports only from floors below its own; workshops never import each other."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "templates": {"pages.errors"},
    "pages": {"templates.assets"},
    "generators": {"pages", "templates"},
    "cleaners": {"pages", "templates"},
    "model": {"pages", "templates"},
    "flows": {"pages", "templates", "generators", "cleaners", "model"},
}


def imported(source: str) -> set[str]:
    """The modules of ours that a source imports, below ``proofpress.``."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.removeprefix("proofpress.") for name in names if name.startswith("proofpress.")}


def is_within(module: str, packages: set[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize("folder", MAY_IMPORT)
def test_a_folder_imports_only_from_the_floors_below_it(folder):
    wrong = [
        f"{path.relative_to(ROOT)}: proofpress.{module}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for module in sorted(imported(path.read_text(encoding="utf-8")))
        if not is_within(module, MAY_IMPORT[folder] | {folder})
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import proofpress.model.judge", {"model.judge"}),
        ("from proofpress.pages import latex, table", {"pages.latex", "pages.table"}),
        ("def f():\n    from proofpress.flows.cli import main", {"flows.cli.main"}),
        ("import os\nfrom pathlib import Path", set()),
    ],
)
def test_every_way_to_import_is_seen(source, modules):
    assert imported(source) == modules


def test_every_folder_with_code_is_a_declared_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    tree = {
        "proofpress." + ".".join(path.parent.relative_to(ROOT).parts)
        for folder in MAY_IMPORT
        for path in (ROOT / folder).rglob("__init__.py")
    }
    assert sorted(settings["packages"]) == sorted(tree)
    assert settings["package-dir"] == {f"proofpress.{folder}": folder for folder in MAY_IMPORT}


def test_every_module_lies_in_a_package():
    stray = [
        path
        for folder in MAY_IMPORT
        for path in (ROOT / folder).rglob("*.py")
        if not (path.parent / "__init__.py").exists()
    ]
    assert not stray
