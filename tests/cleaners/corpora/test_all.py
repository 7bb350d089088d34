"""What holds for every adapter, on a small sound folder of each corpus in each of its layouts."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from proofpress.cleaners.clean import clean, restore
from proofpress.cleaners.corpora import CORPORA
from proofpress.pages.errors import RequestError
from proofpress.pages.record import PageRecord, Reject

SMALL = Path(__file__).parents[2] / "fixtures" / "small_corpora.py"
spec = importlib.util.spec_from_file_location("small_corpora", SMALL)
small = importlib.util.module_from_spec(spec)
spec.loader.exec_module(small)

FORMS = sorted(small.MAKERS)
ANNOTATIONS = (".json", ".jsonl", ".xml", ".inkml", ".csv", ".chunk", ".dt")


def cleaned(name: str, folder: Path):
    corpus = CORPORA[name.split(":")[0]]
    return corpus, list(clean(corpus, folder, corpus.items(folder)))


def test_every_corpus_has_a_small_folder():
    assert {name.split(":")[0] for name in FORMS} == set(CORPORA)


@pytest.mark.parametrize("name", FORMS)
def test_a_sound_row_becomes_the_record_it_says(name, tmp_path):
    expected = small.MAKERS[name](tmp_path)
    _, made = cleaned(name, tmp_path)
    assert [(row.reason, row.evidence) for row in made if isinstance(row, Reject)] == []
    assert [record.text for record in made] == list(expected.labels)
    assert [record.split for record in made] == list(expected.splits)
    assert {record.task for record in made} == {expected.task}
    assert len({record.id for record in made}) == len(made)


@pytest.mark.parametrize("name", FORMS)
def test_a_record_says_where_it_is_from_and_in_what_its_boxes_were(name, tmp_path):
    small.MAKERS[name](tmp_path)
    corpus, made = cleaned(name, tmp_path)
    for record in made:
        assert (record.source.name, record.source.licence) == (corpus.name, corpus.licence)
        assert record.source.revision == corpus.revision
        assert record.recipe["coordinates"] == corpus.coordinates
        assert record.recipe["split"] == record.split == corpus.split(record.recipe["ref"])
        assert record.source.id == corpus.source_id(record.recipe["ref"])


@pytest.mark.parametrize("name", FORMS)
def test_boxes_lie_round_the_ink_they_are_of(name, tmp_path):
    small.MAKERS[name](tmp_path)
    _, made = cleaned(name, tmp_path)
    for record in made:
        from io import BytesIO

        from PIL import Image

        image = Image.open(BytesIO(record.image)).convert("L")
        polygons = [polygon for element in record.elements for polygon in element.polygons]
        for polygon in [*polygons, *(word.quad for word in record.words)]:
            xs, ys = polygon[::2], polygon[1::2]
            box = tuple(map(round, (min(xs), min(ys), max(xs), max(ys))))
            assert 0 <= box[0] < box[2] <= record.width and 0 <= box[1] < box[3] <= record.height
            assert image.crop(box).getextrema()[0] < 128, f"nothing printed in {box} of {record.text!r}"


@pytest.mark.parametrize("name", FORMS)
def test_a_cut_annotation_file_is_rejects_or_one_clear_error(name, tmp_path):
    small.MAKERS[name](tmp_path)
    cut = [file for file in tmp_path.rglob("*") if file.suffix in ANNOTATIONS and file.parent.name != "words"]
    for file in cut:
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    try:
        _, made = cleaned(name, tmp_path)
    except RequestError as error:
        assert str(error)
        return
    for row in made:
        assert isinstance(row, PageRecord | Reject)
        if isinstance(row, Reject):
            assert row.reason and row.evidence and isinstance(restore(row), dict)
    if cut and cut[0].suffix in (".xml", ".inkml", ".jsonl"):
        assert any(isinstance(row, Reject) for row in made)


@pytest.mark.parametrize("name", FORMS)
def test_a_picture_cut_short_is_a_reject_with_the_row_in_it(name, tmp_path):
    small.MAKERS[name](tmp_path)
    pictures = [file for file in tmp_path.rglob("*") if file.suffix in (".png", ".jpg", ".jpeg", ".pdf")]
    for file in pictures:
        file.write_bytes(file.read_bytes()[:60])
    _, made = cleaned(name, tmp_path)
    if pictures:
        reasons = {row.reason for row in made if isinstance(row, Reject)}
        assert len(made) == sum(isinstance(row, Reject) for row in made)
        assert reasons <= {"image.corrupt", "pdf.unreadable"}
        assert all(restore(row) for row in made)


@pytest.mark.parametrize("name", FORMS)
def test_a_zip_of_the_folder_is_read_like_the_folder(name, tmp_path):
    small.MAKERS[name](tmp_path / "made")
    archive = Path(shutil.make_archive(str(tmp_path / "made"), "zip", tmp_path / "made"))
    _, made = cleaned(name, tmp_path / "made")
    _, zipped = cleaned(name, archive)
    assert zipped == made


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_a_folder_without_the_corpus_says_what_was_looked_for(name, tmp_path):
    with pytest.raises(RequestError, match="looked for"):
        list(CORPORA[name].items(tmp_path))
    with pytest.raises(RequestError, match="no such folder"):
        list(CORPORA[name].items(tmp_path / "nowhere"))


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_an_adapter_says_what_it_is(name):
    corpus = CORPORA[name]
    assert corpus.name == name and corpus.about and corpus.licence and corpus.terms
    assert "\n" not in corpus.about
    assert corpus.benchmark == ("benchmark" in corpus.about)


def test_the_benchmarks_are_never_for_training(tmp_path):
    for name in ("omnidocbench", "olmocr-bench"):
        small.MAKERS[name](tmp_path / name)
        _, made = cleaned(name, tmp_path / name)
        assert {row.split for row in made} == {"test"}
