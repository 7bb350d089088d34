import ast
import json
import random

import pytest

from proofpress.generators.content.code import listing


@pytest.mark.parametrize("width", [32, 44, 66])
def test_listings_fit_and_are_of_their_language(width):
    languages = set()
    for seed in range(80):
        made = listing(random.Random(seed), width)
        lines = made.text.split("\n")
        assert 3 <= len(lines) <= 12 and max(map(len, lines)) <= width and "\t" not in made.text
        languages.add(made.language)
        if made.language == "python":
            ast.parse(made.text)
        elif made.language == "json":
            json.loads(made.text)
    assert {"python", "bash", "json"} <= languages
