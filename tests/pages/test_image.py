"""Page images: whatever comes in is RGB on white or an error, and equal pixels give equal bytes and hashes."""

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from proofpress.pages.image import ImageError, crop_polygons, encode_png, ink, open_image, phash, pixel_hash, trim


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def page() -> Image.Image:
    """A white page with a bar, a block and a line in it, off centre."""
    image = Image.new("RGB", (200, 300), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 30, 119, 49), fill="black")
    draw.rectangle((20, 80, 59, 179), fill=(90, 90, 90))
    draw.line((30, 200, 150, 250), fill="black", width=3)
    return image


def palette_with_clear_colour() -> Image.Image:
    image = Image.new("P", (2, 1))
    image.putpalette([0, 0, 0, 255, 0, 0])
    image.putdata([0, 1])
    return image


def sixteen_bit(level: int) -> Image.Image:
    return Image.fromarray(np.array([[level]], dtype=np.uint16))


@pytest.mark.parametrize(
    ("data", "pixels"),
    [
        (encoded(Image.new("1", (1, 1), 1)), [(255, 255, 255)]),
        (encoded(Image.new("L", (1, 1), 100)), [(100, 100, 100)]),
        (encoded(Image.new("LA", (1, 1), (0, 0))), [(255, 255, 255)]),
        (encoded(Image.new("RGBA", (1, 1), (255, 0, 0, 0))), [(255, 255, 255)]),
        (encoded(Image.new("RGBA", (1, 1), (255, 0, 0, 255))), [(255, 0, 0)]),
        (encoded(Image.new("RGB", (1, 1), (1, 2, 3)), transparency=(1, 2, 3)), [(255, 255, 255)]),
        (encoded(palette_with_clear_colour(), transparency=0), [(255, 255, 255), (255, 0, 0)]),
        (encoded(palette_with_clear_colour(), "GIF", transparency=0), [(255, 255, 255), (255, 0, 0)]),
        (encoded(Image.new("CMYK", (1, 1), (0, 0, 0, 255)), "TIFF"), [(0, 0, 0)]),
        (encoded(sixteen_bit(0x80FF)), [(128, 128, 128)]),
        (encoded(sixteen_bit(0xFFFF), "TIFF"), [(255, 255, 255)]),
        (b"P5 1 1 65535\n\xff\xff", [(255, 255, 255)]),
    ],
)
def test_every_mode_becomes_rgb_on_white(data: bytes, pixels: list[tuple[int, ...]]) -> None:
    image = open_image(data)
    assert image.mode == "RGB"
    assert [image.getpixel((x, 0)) for x in range(image.width)] == pixels
    assert not image.info


def test_cmyk_jpeg_keeps_white_white() -> None:
    image = open_image(encoded(Image.new("CMYK", (8, 8), (0, 0, 0, 0)), "JPEG"))
    assert image.getpixel((4, 4)) == (255, 255, 255)


def test_an_image_is_turned_as_exif_says() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    assert open_image(encoded(Image.new("RGB", (30, 10)), "JPEG", exif=exif)).size == (10, 30)


def bomb(width: int, height: int) -> bytes:
    """A PNG of some hundred bytes that says it has so many pixels."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(1_000)))]
    parts = [
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no image",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
        encoded(page())[:-200],
        encoded(page())[:40],
        encoded(page(), "JPEG")[:-500],
        encoded(page()).replace(b"IDAT", b"IDAT\x00", 1),
        bomb(8_000, 8_000),
        bomb(10_000, 10_000),  # above Pillow's own limit, where it would warn
        bomb(100_000, 100_000),
        bomb(100, 100),
        encoded(Image.new("F", (2, 2), 0.5), "TIFF"),
        encoded(Image.fromarray(np.array([[1 << 20]], dtype=np.int32)), "TIFF"),
    ],
)
def test_what_is_no_sound_image_is_an_error_and_nothing_else(data: bytes, recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(ImageError):
        open_image(data)
    assert not recwarn.list


def test_the_limit_of_pixels_can_be_set() -> None:
    data = encoded(page())
    assert open_image(data, max_pixels=60_000).size == (200, 300)
    with pytest.raises(ImageError, match="200 x 300 pixels are more than 59999"):
        open_image(data, max_pixels=59_999)


def test_a_published_broken_jpeg_is_an_error(shared: Path) -> None:
    with pytest.raises(ImageError):
        open_image((shared / "data/corpora/mmocr/tests/data/broken.jpg").read_bytes())


def test_png_bytes_depend_on_the_pixels_alone() -> None:
    with_metadata = page()
    with_metadata.info = {"dpi": (300, 300), "icc_profile": b"profile", "transparency": (0, 0, 0)}
    assert encode_png(page()) == encode_png(with_metadata)
    assert open_image(encode_png(page())).tobytes() == page().tobytes()


def test_pixel_hashes_are_equal_for_equal_pixels_only() -> None:
    assert pixel_hash(page()) == pixel_hash(open_image(encoded(page(), "BMP")))
    changed = page()
    changed.putpixel((0, 0), (254, 255, 255))
    assert pixel_hash(changed) != pixel_hash(page())
    assert pixel_hash(Image.new("RGB", (2, 6))) != pixel_hash(Image.new("RGB", (6, 2)))


def bits_apart(left: str, right: str) -> int:
    return (int(left, 16) ^ int(right, 16)).bit_count()


def test_a_perceptual_hash_is_near_for_the_same_page_and_far_for_another() -> None:
    scan = open_image(encoded(page().resize((150, 225)), "JPEG", quality=40))
    assert bits_apart(phash(page()), phash(scan)) <= 6
    assert bits_apart(phash(page()), phash(page().transpose(Image.Transpose.ROTATE_180))) >= 16
    assert len(phash(page())) == 16


def test_a_blank_page_has_one_perceptual_hash_whatever_its_grey() -> None:
    assert len({phash(Image.new("L", (50 + level, 60), level)) for level in range(1, 256, 17)}) == 1


def test_trimming_makes_perceptual_hashes_blind_to_margins() -> None:
    wide = Image.new("RGB", (400, 500), "white")
    wide.paste(page(), (150, 120))
    assert phash(trim(wide)[0]) == phash(trim(page())[0])


def test_trimming_keeps_all_ink_and_tells_where_it_was() -> None:
    part, box = trim(page(), margin=5)
    assert box[:2] == (15, 25)
    assert part.size == (box[2] - box[0], box[3] - box[1])
    assert ink(part) * part.width * part.height == pytest.approx(ink(page()) * 200 * 300)


def test_trimming_stays_in_the_image_and_leaves_a_blank_one_whole() -> None:
    assert trim(Image.new("L", (10, 20), 0), margin=7)[1] == (0, 0, 10, 20)
    assert trim(Image.new("L", (10, 20), 255))[1] == (0, 0, 10, 20)


def test_ink_is_the_share_of_dark_pixels() -> None:
    half = Image.new("L", (10, 10), 255)
    half.paste(0, (0, 0, 10, 5))
    assert ink(half) == 0.5


def test_an_element_split_over_columns_is_cropped_into_one_image() -> None:
    bar, block = (20, 30, 120, 30, 120, 50, 20, 50), (20.4, 80, 59.6, 80, 59.6, 180, 20.4, 180)
    crop = crop_polygons(page(), [bar, block])
    assert crop.size == (100, 120)
    assert crop.getpixel((50, 10)) == (0, 0, 0)
    assert crop.getpixel((10, 60)) == (90, 90, 90)
    assert crop.getpixel((80, 60)) == (255, 255, 255)
    assert crop_polygons(page(), [bar], margin=30).size == (150, 80)


@pytest.mark.parametrize("polygons", [[], [(500, 500, 510, 500, 510, 510)], [(5, 5, 5, 5, 5, 5)]])
def test_an_element_outside_the_image_is_an_error(polygons: list[tuple[float, ...]]) -> None:
    with pytest.raises(ImageError):
        crop_polygons(page(), polygons)


def test_bytes_of_no_known_format_are_refused_in_the_same_words_each_time():
    messages = set()
    for _ in range(2):
        with pytest.raises(ImageError) as raised:
            open_image(b"hello")
        messages.add(str(raised.value))
    assert messages == {"5 bytes are of none of PNG, JPEG, TIFF, WEBP, BMP, GIF, PPM"}
