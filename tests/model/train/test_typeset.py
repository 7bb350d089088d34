"""Lines set in process."""

import numpy as np
import pytest
from pydantic import ValidationError

from proofpress.model.train.typeset import Typeset, Typesetter, characters, faces
from proofpress.pages.errors import RequestError

PROSE = ["The quick brown fox jumps over the lazy dog at 12.50 € — cheap."]


@pytest.fixture(scope="module")
def setter() -> Typesetter:
    try:
        return Typesetter(Typeset(width=192, random=0.3, shuffled=0.2), PROSE)
    except RequestError as error:
        pytest.skip(str(error))


def test_a_line_is_a_function_of_its_seed(setter: Typesetter) -> None:
    lines = [setter.line(np.random.default_rng(seed)) for seed in range(8)]
    again = [setter.line(np.random.default_rng(seed)) for seed in reversed(range(8))][::-1]
    assert [text for _, text in lines] == [text for _, text in again]
    assert [image.tobytes() for image, _ in lines] == [image.tobytes() for image, _ in again]
    assert len({text for _, text in lines}) > 4


@pytest.mark.parametrize("seed", range(60))
def test_all_of_a_line_is_on_its_image(setter: Typesetter, seed: int) -> None:
    image, text = setter.line(np.random.default_rng(seed))
    assert image.size == (192, 32) and text == " ".join(text.split()) and 1 <= len(text) <= 192 / (14 * 0.33)
    pixels = np.asarray(image).astype(int)
    dark = pixels < pixels.max() - 60
    assert dark.any()
    assert not dark[:, -1].any() and not dark[:, 0].any()


def test_only_what_the_face_draws_is_in_the_text() -> None:
    try:
        known = [set(characters(face)) for face in faces()]
    except RequestError as error:
        pytest.skip(str(error))
    assert len(known) > 30 and all(set("aZ09.,(") <= one for one in known)


def test_a_share_of_lines_is_random_and_a_share_is_prose(setter: Typesetter) -> None:
    words = set(PROSE[0].split())
    lines = [setter.line(np.random.default_rng(seed))[1].split()[:-1] for seed in range(200)]
    real = sum(bool(line) and set(line) <= words for line in lines)
    assert 90 <= real <= 170


@pytest.mark.parametrize("sizes", [{"smallest": 30, "largest": 20}, {"largest": 30}])
def test_type_that_does_not_fit_is_refused(sizes: dict[str, int]) -> None:
    with pytest.raises(ValidationError, match="do not fit"):
        Typeset(height=32, **sizes)
