"""Faults of pictures, of boxes on them, and of what both say together."""

import random
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

from PIL import Image, ImageFilter

from faults.fault import CROPS, FORM, LAYOUT, PAGE, TABLE, TEXT, Fault, Put, on_image, on_text, picture_of
from proofpress.cleaners.corpus import RawRow
from proofpress.cleaners.print import Print
from proofpress.pages.image import encode_png
from proofpress.pages.record import Word


def _cut(rng: random.Random, image: Image.Image) -> Image.Image | None:
    """The left or right part, cut in the middle of a letter."""
    look = Print.of(image)
    wide = [mark for mark in look.letters.tolist() if 6 <= mark[3] - mark[2] <= 2 * (mark[1] - mark[0])]
    wide = [mark for mark in wide if image.width * 0.2 < mark[2] / look.scale < image.width * 0.8]
    if not wide:
        return None
    _, _, left, right = rng.choice(wide)
    x = round((left + right) / 2 / look.scale)
    return image.crop((0, 0, x, image.height)) if rng.random() < 0.5 else image.crop((x, 0, image.width, image.height))


def _turned(rng: random.Random, row: RawRow) -> RawRow | None:
    """A page laid on askew; a sheet with a title alone has no lines to lean."""
    if len(row.text) < 200:
        return None
    image = picture_of(row)
    angle = rng.choice((-1, 1)) * rng.uniform(1.6, 9.0)
    return replace(row, image=image.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor="white"))


def _small(rng: random.Random, row: RawRow) -> RawRow:
    """A thumbnail, with its boxes made as small."""
    image, scale = picture_of(row), rng.uniform(0.12, 0.16)
    size = (max(9, round(image.width * scale)), max(9, round(image.height * scale)))
    words = tuple(replace(word, quad=tuple(side * scale for side in word.quad)) for word in row.words)
    return replace(row, image=image.resize(size, Image.Resampling.BOX), words=words)


def _blank(rng: random.Random, image: Image.Image) -> Image.Image:
    paper = Image.effect_noise(image.size, rng.uniform(1, 4)).point(lambda level: min(255, level + 110))
    return paper.convert("RGB").filter(ImageFilter.GaussianBlur(1))


def _dark(rng: random.Random, image: Image.Image) -> Image.Image:
    """A photograph's shadows over most of it: two thirds black, the rest of all levels."""
    shade = Image.new("L", image.size, rng.randrange(120, 200))
    shade.paste(rng.randrange(20), (0, 0, image.width, image.height * 2 // 5))
    lines = Image.effect_noise(image.size, 100)
    return Image.merge("RGB", [Image.blend(shade, lines, 0.8)] * 3)


def _truncated(rng: random.Random, image: Image.Image) -> bytes:
    data = encode_png(image)
    return data[: rng.randrange(40, len(data) * 2 // 3)]


def _mode(rng: random.Random, image: Image.Image) -> bytes:
    kind = rng.choice(("RGBA", "P", "LA", "I;16", "CMYK", "EXIF"))
    out = BytesIO()
    if kind == "EXIF":
        exif = Image.Exif()
        exif[0x0112] = 3
        image.rotate(180).save(out, "JPEG", exif=exif, quality=95)
    elif kind == "CMYK":
        image.convert("CMYK").save(out, "JPEG", quality=95)
    elif kind == "I;16":
        image.convert("L").point(lambda level: level * 257, "I").convert("I;16").save(out, "PNG")
    else:
        image.convert("L").convert(kind).save(out, "PNG")
    return out.getvalue()


def _swap(rng: random.Random, row: RawRow) -> RawRow | None:
    """The label of another row: a long paragraph's under a line's picture, or a word's under a paragraph's."""
    if len(row.text) < 10:
        return None
    text = " ".join([row.text] * 30) if len(row.text) < 60 else row.text[: max(1, len(row.text) // 40)]
    return replace(row, text=text.strip())


def _misread(rng: random.Random, row: RawRow) -> RawRow | None:
    picture = Image.new("RGB", (800, 1000), "white")
    picture.paste("black", (30, 30, 36, 40))
    return replace(row, image=picture, elements=(), words=()) if len(row.text) > 400 else None


def _boxes(change: Callable[[random.Random, list[Word]], list[Word] | None]) -> Put:
    def put(rng: random.Random, row: RawRow) -> RawRow | None:
        words = change(rng, list(row.words)) if len(row.words) > 6 else None
        return None if words is None else replace(row, words=tuple(words))

    return put


def _one(change: Callable[[Word], Word]) -> Callable[[random.Random, list[Word]], list[Word]]:
    def changed(rng: random.Random, words: list[Word]) -> list[Word]:
        at = rng.randrange(len(words))
        words[at] = change(words[at])
        return words

    return changed


def _upside_down(rng: random.Random, row: RawRow) -> RawRow | None:
    height = picture_of(row).height
    tops = [word.quad[1] for word in row.words]
    if len(row.words) < 12 or tops != sorted(tops):
        return None
    flipped = tuple(
        replace(word, quad=tuple(height - side if at % 2 else side for at, side in enumerate(word.quad)))
        for word in row.words
    )
    return replace(row, words=flipped)


def _unlabelled_table(rng: random.Random, row: RawRow) -> RawRow | None:
    image = picture_of(row)
    height = image.height + 300
    sheet = Image.new("RGB", (image.width, height), "white")
    sheet.paste(image, (0, 0))
    left, top, side = rng.randrange(40, 200), image.height + 40, rng.randrange(30, 50)
    for line in range(5):
        sheet.paste("black", (left, top + line * side, left + 4 * 3 * side, top + line * side + 2))
        sheet.paste("black", (left + line * 3 * side, top, left + line * 3 * side + 2, top + 4 * side + 2))
    return replace(row, image=sheet)


PICTURE_FAULTS: tuple[Fault, ...] = (
    # boxes
    Fault("layout.malformed", (*TABLE, *PAGE), _boxes(_one(lambda word: replace(word, quad=())))),
    Fault("layout.zero_size", (*TABLE, *PAGE), _boxes(_one(lambda w: replace(w, quad=(*w.quad[:2] * 4,))))),
    Fault("layout.outside", (*TABLE, *PAGE), _boxes(_one(lambda w: replace(w, quad=tuple(s + 9_000 for s in w.quad))))),
    Fault("layout.duplicate", (*TABLE, *PAGE), _boxes(lambda rng, words: [*words, rng.choice(words)])),
    Fault("layout.origin", (*TABLE, *PAGE), _upside_down),
    Fault("layout.unlabelled_table", LAYOUT, _unlabelled_table),
    # pictures
    Fault("image.corrupt", (*CROPS, *PAGE, *FORM), on_image(_truncated)),
    Fault("image.mode", (*CROPS, *PAGE, *FORM), on_image(_mode)),
    Fault("image.size", (*CROPS, *PAGE), on_image(lambda rng, image: Image.new("RGB", (20_000, 300), "white"))),
    Fault("image.tiny", CROPS, on_image(lambda rng, image: image.crop((0, 0, image.width, 6)))),
    Fault("image.blank", (*CROPS, *PAGE, *FORM), on_image(_blank)),
    Fault("image.unlabelled", PAGE, on_text(lambda rng, text: "")),
    Fault("image.ink", CROPS, on_image(_dark)),
    Fault("image.small", (*CROPS, *PAGE), _small),
    Fault("image.cut", CROPS, on_image(_cut)),
    Fault("image.skew", PAGE, _turned),
    Fault("image.mismatch", TEXT, _swap),
    Fault("image.mismatch", PAGE, _misread, "a book on an empty page"),
)  # fmt: skip
