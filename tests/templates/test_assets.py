import json
from pathlib import Path

import pytest

from proofpress.pages.errors import RequestError
from proofpress.templates import assets


def installed(folder):
    """A folder with as little in it as is taken for installed assets."""
    (folder / "katex").mkdir(parents=True)
    (folder / "katex" / "package.json").write_text('{"version": "1.2.3"}')
    (folder / "@fontsource").mkdir()
    return folder


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """A machine without a checkout and with an empty cache; gives the cache's folder."""
    monkeypatch.delenv(assets.VARIABLE, raising=False)
    monkeypatch.setattr(assets, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.setattr(assets, "CACHE", tmp_path / "cache")
    return tmp_path


def test_what_is_installed_is_all_there():
    for path in (assets.katex_js(), assets.katex_css(), assets.katex_symbols()):
        assert path.is_file()
    wanted = json.loads((Path(__file__).parents[2] / "package.json").read_text())["dependencies"]
    assert {f"@fontsource/{path.name}" for path in assets.font_packages()} == set(wanted) - {"katex"}


def test_the_folder_named_by_the_variable_comes_first(elsewhere, monkeypatch):
    installed(elsewhere / "checkout")
    monkeypatch.setenv(assets.VARIABLE, str(installed(elsewhere / "named")))
    assert assets.node_modules() == elsewhere / "named"


def test_a_checkout_comes_before_the_cache(elsewhere):
    installed(elsewhere / "cache")
    assert assets.node_modules() == elsewhere / "cache"
    installed(elsewhere / "checkout")
    assert assets.node_modules() == elsewhere / "checkout"


def test_a_named_folder_without_assets_is_not_passed_over(elsewhere, monkeypatch):
    installed(elsewhere / "checkout")
    monkeypatch.setenv(assets.VARIABLE, str(elsewhere / "empty"))
    with pytest.raises(RequestError, match="empty"):
        assets.node_modules()


def test_nothing_installed_is_an_error_that_says_how_to_mend_it(elsewhere):
    with pytest.raises(RequestError, match="make setup") as caught:
        assets.node_modules()
    assert str(elsewhere / "checkout") in str(caught.value) and str(elsewhere / "cache") in str(caught.value)


def test_a_package_tells_its_version(tmp_path):
    assert assets.package_version(installed(tmp_path) / "katex") == "1.2.3"
