import pytest

from proofpress.generators.press import PressRecipe, open_browser


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests of the press."""
    with open_browser(PressRecipe()) as browser:
        yield browser
