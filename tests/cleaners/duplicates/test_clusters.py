import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw

from proofpress.cleaners.duplicates.clusters import find_clusters
from proofpress.cleaners.duplicates.content import dense, normal_form
from proofpress.cleaners.duplicates.fingerprint import Fingerprints, fingerprint, write_fingerprints
from proofpress.cleaners.duplicates.near_image import NEAR, as_numbers, bits_apart, look_of
from proofpress.cleaners.duplicates.resolve import settle
from proofpress.pages.image import encode_png, open_image
from proofpress.pages.record import PageRecord, Source, record_id


def drawn(seed: int, size: tuple[int, int] = (300, 400)) -> Image.Image:
    """A page of dark bars, another for each seed."""
    rng = np.random.default_rng(seed)
    image = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(image)
    for top in range(30, size[1] - 40, 14):
        if rng.random() < 0.75:
            left, right = rng.integers(20, 120), rng.integers(140, size[0] - 20)
            pen.rectangle((left, top, right, top + rng.integers(3, 10)), fill="black")
    return image


def prose(seed: int, words: int = 80) -> str:
    rng = np.random.default_rng(seed)
    return " ".join("".join(rng.choice(list("etaoinshrdlu"), 6)) for _ in range(words))


def record(name: str, text: str, image: Image.Image | None = None, task: str = "text") -> PageRecord:
    png = encode_png(image or drawn(hash_of(name)))
    identity = record_id("test", name, "1")
    opened = open_image(png)
    return PageRecord(identity, png, *opened.size, text, task, Source("test", name, "1", "MIT"), content_id=identity)


def hash_of(name: str) -> int:
    return int(record_id("seed", name, "1")[:8], 16)


def joined(*records: PageRecord) -> bool:
    """Whether the records are one cluster."""
    return len(set(find_clusters(Fingerprints.of(fingerprint(records))).labels.tolist())) == 1


TABLE = "<table><tr><td>Mass of the body</td><td>10.5 kg</td></tr><tr><td>Length</td><td>3.25 m</td></tr></table>"


@pytest.mark.parametrize(
    ("one", "other", "task"),
    [
        (prose(1), prose(1).replace(" ", "\n"), "page"),
        (prose(1), "# " + prose(1).upper(), "page"),
        (prose(1), prose(1) + " and a few more words", "text"),
        (r"\frac{a+b}{c} = \sum_{i=1}^{n} x_i", r"{a+b \over c}=\sum_{i=1}^n{x_{i}}", "formula"),
        (TABLE, TABLE.replace("<td>Mass", "<th>Mass").replace("body</td>", "body</th>"), "table"),
    ],
)
def test_labels_that_say_the_same_are_one_content_whatever_their_pictures(one, other, task):
    assert joined(record("a", one, task=task), record("b", other, task=task))


@pytest.mark.parametrize(
    ("one", "other", "task"),
    [
        (prose(1), prose(2), "page"),
        ("Introduction", "Introduction", "text"),
        ("x = 1", "x = 1", "formula"),
        (r"\sum_{i=1}^{n} x_i = \int_0^1 f(t) dt", r"\sum_{i=1}^{n} x_i = \int_0^2 f(t) dt", "formula"),
        (TABLE, TABLE.replace("10.5", "-10.5"), "table"),
        (TABLE, "not a table " + prose(3), "table"),
    ],
)
def test_labels_that_differ_or_are_everybodys_are_not(one, other, task):
    assert not joined(record("a", one, task=task), record("b", other, task=task))


def test_equal_pixels_are_one_content_whatever_the_labels_say():
    assert joined(record("a", "one label", drawn(5)), record("b", "quite another", drawn(5)))


def changes() -> dict[str, Image.Image]:
    page = drawn(7)
    scan = io.BytesIO()
    page.save(scan, "JPEG", quality=30)
    padded = Image.new("RGB", (330, 440), "white")
    padded.paste(page, (15, 20))
    return {
        "jpeg": Image.open(scan),
        "half": page.resize((150, 200)),
        "turn": page.rotate(1, Image.Resampling.BICUBIC, expand=True, fillcolor="white"),
        "crop": page.crop((6, 8, 294, 392)),
        "padding": padded,
    }


@pytest.mark.parametrize("change", changes())
def test_pictures_that_look_alike_are_one_content_where_the_words_agree(change):
    changed = changes()[change].convert("RGB")
    short = "Only a few words here"
    assert joined(record("a", short, drawn(7)), record("b", short.upper(), changed))
    assert joined(record("a", "", drawn(7)), record("b", "", changed))
    assert not joined(record("a", prose(1), drawn(7)), record("b", prose(2), changed))


def test_blank_pages_are_alike_only_when_they_are_equal():
    specks = Image.new("RGB", (300, 400), "white")
    specks.putpixel((10, 10), (0, 0, 0))
    assert look_of(specks).phash == ""
    assert not joined(record("a", "", Image.new("RGB", (300, 400), "white")), record("b", "", specks))


def test_distinct_pages_are_never_near():
    looks = [look_of(drawn(seed)) for seed in range(60)]
    for hashes in (as_numbers([look.phash for look in looks]), as_numbers([look.trimmed for look in looks])):
        apart = bits_apart(hashes[:, None], hashes[None, :])[np.triu_indices(60, 1)]
        assert apart.min() > NEAR


def test_a_page_and_its_crops_are_not_each_others_duplicates():
    whole = record("a", prose(1))
    crop = replace(record("b", prose(1)), content_id=whole.content_id)
    assert not joined(whole, crop)
    assert joined(whole, whole)


def test_many_copies_are_one_cluster_and_each_but_one_has_a_link():
    copies = [record(f"{number}", prose(1) + f" {number}") for number in range(30)]
    others = [record(f"other {number}", prose(100 + number)) for number in range(30)]
    mixed = [row for pair in zip(copies, others, strict=True) for row in pair]
    found = find_clusters(Fingerprints.of(fingerprint(mixed)))
    assert found.labels[::2].tolist() == [0] * 30
    assert found.labels[1::2].tolist() == list(range(1, 60, 2))
    assert sorted(link.row for link in found.links) == list(range(2, 60, 2)) and {
        link.kind for link in found.links
    } == {"text"}


def test_how_rows_are_cut_into_files_changes_nothing(tmp_path):
    records = [record(f"{number}", prose(number // 2)) for number in range(12)]
    at_once = find_clusters(Fingerprints.of(fingerprint(records)))
    for cut in (1, 5, 12):
        paths = []
        for start in range(0, 12, cut):
            paths.append(tmp_path / f"{cut}-{start}.arrow")
            write_fingerprints(paths[-1], records[start : start + cut])
        prints = Fingerprints.read(paths, tmp_path / "signatures")
        found = find_clusters(prints)
        assert (found.labels == at_once.labels).all() and found.links == at_once.links
        assert (settle(prints, found).stays == settle(Fingerprints.of(fingerprint(records)), at_once).stays).all()
    empty = Fingerprints.read([], tmp_path / "signatures")
    assert find_clusters(empty).links == [] and len(settle(empty, find_clusters(empty)).stays) == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mass “10 kg” — 5%", "mass10kg5"),
        ("<td>a&amp;b</td> a < b", "abab"),
        (r"$\frac{a}{b}$ and $\alpha_1$", "aband1"),
        ("ﬁnal １２", "final12"),
        ("质量，10 公斤", "质量10公斤"),
        ("", ""),
    ],
)
def test_dense_text_is_what_all_dialects_have_in_common(text, expected):
    assert dense(text) == expected


@pytest.mark.parametrize("task", ["formula", "table", "text"])
@pytest.mark.parametrize("text", ["", "<table><tr><td>", r"\frac{", "\ud800 lone", "<" * 5000])
def test_broken_labels_have_a_form_too(task, text):
    assert isinstance(normal_form(text, task), str)
