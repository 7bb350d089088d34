import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from proofpress.model.jina_ocr import vocabulary
from proofpress.model.jina_ocr.config import named
from proofpress.model.jina_ocr.tokenizer import Tokenizer, nano_tokenizer
from proofpress.pages.errors import RequestError

TOKENIZER = nano_tokenizer()
TOKENS = vocabulary.tokens()

pieces = st.one_of(st.text(max_size=8), st.sampled_from(TOKENS))


@settings(max_examples=100)
@given(st.lists(pieces).map("".join))
def test_every_text_comes_back(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@settings(max_examples=100)
@given(st.lists(pieces).map("".join))
def test_no_text_is_mistaken_for_a_special_token(text: str) -> None:
    assert not {0, 1, 2, 3} & set(TOKENIZER.encode(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\frac{a}{b}", [r"\frac", "{", "a", "}", "{", "b", "}"]),
        (r"\infty\in\inf x", [r"\infty", r"\in", r"\inf", " ", "x"]),
        (r"\intercal", list(r"\intercal")),
        (r"a\\b", ["a", r"\\", "b"]),
        (r"\begin{pmatrix}", [r"\begin{pmatrix}"]),
        (r"\left(\right.", [r"\left", "(", r"\right", "."]),
        (r"\alpha2", [r"\alpha", "2"]),
        ('<td colspan="2">x</td>', ["<td", ' colspan="', "2", '">', "x", "</td>"]),
        ("<table><tr><th>", ["<table>", "<tr>", "<th>"]),
        ("# A\n\n- b\n- c", ["# ", "A", "\n\n", "-", " ", "b", "\n- ", "c"]),
        ("$$x$$ $y$", ["$$", "x", "$$", " ", "$", "y", "$"]),
        ("é", ["é"]),
        ("日", ["<0xE6>", "<0x97>", "<0xA5>"]),
    ],
)
def test_what_a_reader_sees_as_one_thing_is_one_token(text: str, expected: list[str]) -> None:
    assert [TOKENS[i] for i in TOKENIZER.encode(text)] == expected


def test_tokens_are_unique_and_as_many_as_the_network_has() -> None:
    assert len(set(TOKENS)) == len(TOKENS) == len(TOKENIZER) == named("nano").decoder.vocabulary


def test_special_tokens_stand_where_the_configuration_says() -> None:
    config = named("nano")
    names = [TOKENS[i] for i in (config.pad_id, config.bos_id, config.eos_id, config.image_id)]
    assert names == ["<pad>", "<s>", "</s>", "<image>"]


def test_special_tokens_are_left_out_of_a_text() -> None:
    ids = [TOKENIZER.bos_id, *TOKENIZER.encode("ab"), TOKENIZER.eos_id, TOKENIZER.pad_id]
    assert TOKENIZER.decode(ids) == "ab"


def test_the_saved_file_is_one_transformers_reads(tmp_path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(TOKENIZER.to_json(), encoding="utf-8")
    text = r"# $\frac{1}{2}$ 日 <td>é</td>"
    theirs = PreTrainedTokenizerFast(tokenizer_file=str(path))
    ours = Tokenizer.load(path, named("nano"))
    assert theirs.encode(text) == ours.encode(text) == TOKENIZER.encode(text)


def test_a_file_that_is_no_tokenizer_is_named(tmp_path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(RequestError, match=r"tokenizer\.json"):
        Tokenizer.load(path, named("nano"))
