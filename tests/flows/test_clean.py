from pathlib import Path

import pytest

from proofpress.flows.clean import clean
from proofpress.pages.shards import read_records, read_rejects


@pytest.mark.parametrize("corpus", ["pubtabnet", "im2latex"])
def test_every_row_of_a_corpus_is_kept_or_rejected_and_keeps_its_split(tmp_path: Path, shared: Path, corpus):
    made = clean(corpus, shared / "data/corpora" / corpus, tmp_path / "out", ["corpora.0.limit=20"])
    kept, rejects = list(read_records(tmp_path / "out")), list(read_rejects(tmp_path / "out"))
    assert len(kept) + len(rejects) == 20 == made.manifest["sources"][corpus]["made"]
    assert kept and all(record.source.name == corpus for record in kept)
    assert "browser" not in made.manifest
    if corpus == "im2latex":
        names = {"train": "train", "validate": "validation", "test": "test"}
        assert all(record.split == names[record.recipe["ref"].split(":")[0]] for record in kept)
