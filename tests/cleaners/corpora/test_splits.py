from pathlib import Path

import pytest

from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.corpus import RowError

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize("name", ["im2latex", "pubtabnet"])
def test_a_reference_tells_the_split_of_its_row_without_reading_it(name):
    corpus, folder = CORPORA[name], FIXTURES / name
    splits = set()
    for ref in corpus.items(folder):
        try:
            assert corpus.split(ref) == corpus.load(folder, ref).split
        except RowError:
            continue
        splits.add(corpus.split(ref))
    assert {"train", "validation"} <= splits
