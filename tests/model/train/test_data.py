"""Training rows of dataset folders."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.processor import Processor
from proofpress.model.jina_ocr.tokenizer import nano_tokenizer
from proofpress.model.train.data import TrainingRows, length_class
from proofpress.model.train.recipe import Kind, SFTRecipe
from proofpress.pages.errors import RequestError, WorkError
from proofpress.pages.record import PageRecord

Draw = Callable[..., PageRecord]
Write = Callable[..., Path]


@pytest.fixture(scope="module")
def processor() -> Processor:
    return Processor(named("nano"), nano_tokenizer())


def open_rows(processor: Processor, *folders: Path, split: str = "train", **fields: object) -> TrainingRows:
    return TrainingRows(list(folders), split, SFTRecipe(steps=1, **fields), processor)  # type: ignore[arg-type]


def test_each_row_is_found_again_whole(processor: Processor, dataset: Write, draw: Draw) -> None:
    records = [draw(f"{number:x}" * length) for length in (1, 5, 18) for number in range(1, 60)]
    rows = open_rows(processor, dataset(records))
    stored = {sample.text: sample.image for bucket in rows.buckets for sample in rows.read(bucket.rows)}
    assert stored == {record.text: record.image for record in records}
    assert len(rows) == len(records)


def test_rows_of_a_bucket_share_kind_shape_and_length(processor: Processor, dataset: Write, draw: Draw) -> None:
    texts = ["ab", "abc", "abcdefgh" * 2, "ab cdef gh" * 3]
    kinds = {"word": Kind(crops=["word"]), "line": Kind(crops=["line"])}
    records = [draw(text, crop=crop) for text in texts for crop in kinds]
    rows = open_rows(processor, dataset(records), kinds=kinds, levels=[{"mix": {"word": 1}}])
    assert len({bucket.key for bucket in rows.buckets}) == len(rows.buckets)
    for bucket in rows.buckets:
        for sample in rows.read(bucket.rows):
            tokens = len(processor.tokenizer.encode(sample.text)) + 1
            assert length_class(tokens) == bucket.key.length >= tokens


def test_what_would_be_cut_too_small_or_is_of_no_kind_is_refused_and_counted(
    processor: Processor, dataset: Write, draw: Draw
) -> None:
    fitting = draw("ab")
    records = [
        fitting,
        replace(draw("b"), text=""),
        draw("ab" * 15),
        replace(draw("c"), width=5000),
        draw("d", crop="table"),
        draw("e", split="validation"),
    ]
    rows = open_rows(processor, dataset(records), max_label=20, kinds={"all": Kind(crops=["word"])})
    assert rows.refused == {"label.empty": 1, "label.long": 1, "image.small": 1, "no kind admits it": 1}
    assert [sample.text for bucket in rows.buckets for sample in rows.read(bucket.rows)] == ["ab"]


def test_a_token_beyond_the_models_vocabulary_is_named(processor: Processor, dataset: Write, draw: Draw) -> None:
    small = replace(
        processor.config, decoder=replace(processor.config.decoder, vocabulary=processor.tokenizer.id_of("b"))
    )
    record = draw("ab")
    with pytest.raises(
        RequestError, match=rf"row {record.id}: its label has the token 'b' with id \d+, but the model has"
    ):
        open_rows(Processor(small, processor.tokenizer), dataset([record]))


def test_rows_with_other_labels_keep_their_numbers_and_find_new_buckets(
    processor: Processor, dataset: Write, draw: Draw
) -> None:
    rows = open_rows(processor, dataset([draw("ab"), draw("cd"), draw("ef")]))
    other = rows.relabelled({2: "x" * 40}, processor)
    assert [(bucket.key.length, bucket.rows.tolist()) for bucket in other.buckets] == [(48, [2])]
    assert other.read([2])[0].text == "x" * 40 and rows.read([2])[0].text != "x" * 40


def test_a_weight_of_no_dataset_is_refused(processor: Processor, dataset: Write, draw: Draw) -> None:
    with pytest.raises(RequestError, match=r"weights\.hrad: no dataset folder has this name; given: drawn"):
        open_rows(processor, dataset([draw("a")]), weights={"hrad": 3.0})


@pytest.mark.parametrize(("least", "found"), [(1.0, 0), (0.8, 1)])
def test_a_recipe_may_admit_what_is_shown_a_little_smaller(
    processor: Processor, dataset: Write, draw: Draw, least: float, found: int
) -> None:
    wide = replace(draw("a"), width=900)
    assert len(open_rows(processor, dataset([wide]), min_scale=least)) == found


def test_the_task_is_the_kind_of_crop_where_a_corpus_names_none(
    processor: Processor, dataset: Write, draw: Draw
) -> None:
    rows = open_rows(
        processor, dataset([replace(draw("x"), features={}, task="formula")]), kinds={"all": Kind(crops=["formula"])}
    )
    assert len(rows) == 1


def test_rows_of_a_heavier_dataset_weigh_more(processor: Processor, dataset: Write, draw: Draw) -> None:
    folders = [dataset([draw("a")], "common"), dataset([draw("b")], "hard")]
    rows = open_rows(processor, *folders, weights={"hard": 3.0})
    assert [bucket.weights.tolist() for bucket in rows.buckets] == [[1.0, 3.0]]


def test_a_folder_without_data_and_a_damaged_file_are_named(
    processor: Processor, dataset: Write, draw: Draw, tmp_path: Path
) -> None:
    with pytest.raises(RequestError, match=r"empty: no dataset: it has no data/\*.parquet"):
        open_rows(processor, tmp_path / "empty")
    folder = dataset([draw("a")])
    (file,) = (folder / "data").iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(WorkError, match=rf"{file.name}: cannot be read"):
        open_rows(processor, folder)


def test_a_row_with_a_broken_image_is_named(processor: Processor, dataset: Write, draw: Draw) -> None:
    record = draw("a")
    rows = open_rows(processor, dataset([replace(record, image=record.image[:-30])]))
    with pytest.raises(WorkError, match=rf"row {record.id}: its image is broken"):
        rows.read([0])[0].picture()


def test_a_shard_that_is_damaged_in_the_middle_is_named(processor: Processor, dataset: Write, draw: Draw) -> None:
    folder = dataset([draw(f"{number:03x}") for number in range(30)])
    (file,) = (folder / "data").iterdir()
    content = bytearray(file.read_bytes())
    content[4 : len(content) // 2] = bytes(len(content) // 2 - 4)  # the footer is whole: only the pages are not
    file.write_bytes(content)
    with pytest.raises(WorkError, match=rf"{file.name}: cannot be read as a dataset|row .*: its image is broken"):
        for sample in open_rows(processor, folder).read(range(30)):
            sample.picture()


def test_a_file_with_other_columns_is_named(processor: Processor, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    pq.write_table(pa.table({"text": ["a"]}), tmp_path / "data/train-00000-of-00001.parquet")
    with pytest.raises(RequestError, match=r"train-00000-of-00001\.parquet: its columns are not those"):
        open_rows(processor, tmp_path)


def test_length_classes_are_few_whole_and_never_short() -> None:
    classes = [length_class(tokens) for tokens in range(1, 2049)]
    assert all(padded >= tokens and padded % 16 == 0 for tokens, padded in enumerate(classes, start=1))
    assert all(padded <= max(16, 1.34 * tokens) for tokens, padded in enumerate(classes, start=1) if tokens > 48)
    assert len(set(classes)) < 32
