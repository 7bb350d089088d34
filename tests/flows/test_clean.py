import json
import shutil
from pathlib import Path

import pytest

from proofpress.cleaners.clean import restore
from proofpress.flows.clean import clean
from proofpress.pages.shards import read_records, read_rejects

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.mark.parametrize("corpus", ["pubtabnet", "im2latex"])
def test_every_row_of_a_corpus_is_kept_or_rejected_and_keeps_its_split(tmp_path: Path, shared: Path, corpus):
    made = clean(corpus, shared / "data/corpora" / corpus, tmp_path / "out", ["corpora.0.limit=20"])
    kept, rejects = list(read_records(tmp_path / "out")), list(read_rejects(tmp_path / "out"))
    assert len(kept) + len(rejects) == 20 == made.manifest["sources"][corpus]["made"]
    assert kept and all(record.source.name == corpus for record in kept)
    assert "browser" not in made.manifest
    if corpus == "im2latex":
        assert all(record.split == record.recipe["ref"].split(":")[0] for record in kept)


def test_a_row_whose_id_is_taken_is_a_reject_that_can_be_restored(tmp_path: Path):
    corpus = tmp_path / "pubtabnet"
    shutil.copytree(FIXTURES / "pubtabnet", corpus)
    rows = corpus / "examples" / "PubTabNet_Examples.jsonl"
    first = rows.read_text(encoding="utf-8").splitlines()[0]
    repeat = json.loads(first) | {"split": "val"}
    rows.write_text(rows.read_text(encoding="utf-8") + f"{first}\n{json.dumps(repeat)}\n", encoding="utf-8")
    clean("pubtabnet", corpus, tmp_path / "out")
    kept, rejects = list(read_records(tmp_path / "out")), list(read_rejects(tmp_path / "out"))
    repeated = [reject for reject in rejects if reject.reason == "row.repeated"]
    assert len(kept) == 11 and len(repeated) == 2
    ids = [page.id for page in (*kept, *rejects)]
    assert len(set(ids)) == len(ids) == 14
    assert sorted(restore(reject)["split"] for reject in repeated) == ["train", "val"]
    assert restore(repeated[0])["html"] == repeat["html"]
