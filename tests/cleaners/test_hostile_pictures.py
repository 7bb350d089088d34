"""What hostile pictures and PDFs cost: the row they are of, with a reason, in little time and memory."""

import io
import struct
import zlib

import pytest
from PIL import Image, ImageDraw, PngImagePlugin

from proofpress.cleaners.clean import clean
from proofpress.cleaners.corpora import CORPORA
from proofpress.pages.record import PageRecord, Reject

TEXT = "The sun warms the sea."


def printed(size: tuple[int, int] = (400, 60)) -> Image.Image:
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((20, 20), TEXT, fill="black")
    return image


def saved(image: Image.Image, kind: str, **how: object) -> bytes:
    data = io.BytesIO()
    image.save(data, kind, **how)
    return data.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, depth: int, colour: int, data: bytes, *before: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(before) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def with_text(kind: bytes) -> bytes:
    """A sound PNG with a text chunk that unpacks to 100 MB."""
    whole = saved(printed(), "PNG")
    packed = zlib.compress(b"a" * 100_000_000, 9)
    body = b"k\0\0" + packed if kind == b"zTXt" else b"k\0\1\0\0\0" + packed
    return whole[:33] + chunk(kind, body) + whole[33:]


def frames() -> bytes:
    many = [printed() for _ in range(2_000)]
    return saved(many[0], "GIF", save_all=True, append_images=many[1:])


def exif() -> bytes:
    told = Image.Exif()
    told[0x0112] = 77
    return saved(printed(), "JPEG", exif=told)


GREY_TIFF = saved(Image.new("F", (90, 60), float("nan")), "TIFF")
PICTURES = {
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n(/etc/passwd) (r) file\n",
    "html": b"<html>404 not found</html>",
    "git lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "png, no pixels": png(400, 60, 8, 2, b""),
    "png, too few": png(400, 60, 8, 2, zlib.compress(b"\0" * 99)),
    "png, unpacks to 3 GB": png(40_000, 30_000, 8, 2, zlib.compress(b"\0" * 9_999)),
    "png, 0 wide": png(0, 60, 8, 2, zlib.compress(b"")),
    "png, depth 7": png(4, 4, 7, 2, zlib.compress(b"\0" * 99)),
    "png, no palette": png(4, 4, 8, 3, zlib.compress(b"\0\1\2\3\4" * 4)),
    "png, a byte changed": saved(printed(), "PNG")[:90] + b"\xff" + saved(printed(), "PNG")[91:],
    "jpeg, cut": saved(printed(), "JPEG")[:-200],
    "jpeg, a marker only": b"\xff\xd8\xff\xe0",
    "gif, cut": saved(printed(), "GIF")[:-60],
    "bmp, below 0": b"BM" + struct.pack("<IHHIIiiHH", 54, 0, 0, 54, 40, -400, -60, 1, 24) + b"\0" * 24,
    "bmp, 2 gigapixels": b"BM" + struct.pack("<IHHIIiiHH", 54, 0, 0, 54, 40, 50_000, 50_000, 1, 24) + b"\0" * 24,
    "ppm, a billion": b"P6\n1000000000 1000000000\n255\n",
    "tiff, levels that are none": GREY_TIFF,
    "tiff, cut": saved(printed(), "TIFF")[:300],
    "webp, cut": saved(printed(), "WEBP")[:80],
}  # fmt: skip
SOUND = {
    "png, 100 MB of text": with_text(b"zTXt"),
    "png, 100 MB of other text": with_text(b"iTXt"),
    "gif, 2,000 frames": frames(),
    "jpeg, no such turn": exif(),
    "png, profile that is none": saved(printed(), "PNG", icc_profile=b"no profile" * 99),
    "png, physical size that is none": saved(printed(), "PNG", dpi=(1e-3, 1e-3)),
}


def cleaned(folder, suffix: str, data: bytes):
    for name in "abc":
        (folder / f"{name}.md").write_text(TEXT)
        (folder / f"{name}{suffix}").write_bytes(data if name == "b" else saved(printed(), suffix[1:].upper()))
    corpus = CORPORA["folder"]
    first, row, last = clean(corpus, folder, corpus.items(folder))
    assert isinstance(first, PageRecord) and isinstance(last, PageRecord)
    return row


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.timeout(60)  # a guard against hanging
def test_a_hostile_picture_costs_its_row(name, tmp_path):
    row = cleaned(tmp_path, ".png", PICTURES[name])
    assert isinstance(row, Reject) and row.reason in ("image.corrupt", "image.size") and row.evidence


@pytest.mark.parametrize("name", SOUND)
@pytest.mark.timeout(60)
def test_what_is_odd_about_a_picture_beside_its_pixels_costs_at_most_its_row(name, tmp_path):
    row = cleaned(tmp_path, ".png", SOUND[name])
    assert isinstance(row, PageRecord) or row.reason in ("image.corrupt", "image.small")


def pdf(box: str = "0 0 400 60", content: str = "", kids: str = "3 0 R", count: str = "1", more: str = "") -> bytes:
    """A PDF of one page, as small as one can be; its table of contents is for the reader to rebuild."""
    return (
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        f"2 0 obj<</Type/Pages/Kids[{kids}]/Count {count}>>endobj\n"
        f"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[{box}]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>endobj\n"
        f"4 0 obj<</Length {len(content)}>>stream\n{content}\nendstream endobj\n{more}"
        "trailer<</Root 1 0 R>>\n%%EOF\n"
    ).encode("latin-1")


LOOP = (
    "5 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>/Length 5>>"
    "stream\n/X Do\nendstream endobj\n"
)
HUGE = (
    "5 0 obj<</Type/XObject/Subtype/Image/Width 90000/Height 90000/BitsPerComponent 8/ColorSpace/DeviceRGB/Length 1>>"
    "stream\n0\nendstream endobj\n"
)
PDFS = {
    "nothing": b"%PDF-1.7\n%%EOF",
    "no pages": pdf(kids="", count="0"),
    "a page that is its own parent": pdf(kids="2 0 R"),
    "two billion pages": pdf(count="2147483647"),
    "no size": pdf("0 0 0 0"),
    "a size of no numbers": pdf("a b c d"),
    "a billion points": pdf("0 0 1000000000 1000000000"),
    "1 x 100,000": pdf("0 0 1 100000"),
    "below zero": pdf("0 0 -400 -60"),
    "a form within itself": pdf(content="/X Do", more=LOOP),
    "a picture of 8 gigapixels": pdf(content="400 0 0 60 0 0 cm /X Do", more=HUGE),
    "states saved without end": pdf(content="q " * 200_000),
    "encrypted": pdf(more="6 0 obj<</Filter/Standard/V 4/R 4/O(a)/U(b)/P -1>>endobj\n").replace(
        b"<</Root 1 0 R>>", b"<</Root 1 0 R/Encrypt 6 0 R/ID[(a)(b)]>>"
    ),
    "a script": pdf(more="7 0 obj<</S/JavaScript/JS(app.alert(1))>>endobj\n").replace(
        b"/Catalog", b"/Catalog/OpenAction 7 0 R"
    ),
}


@pytest.mark.parametrize("name", PDFS)
@pytest.mark.timeout(60)
def test_a_hostile_pdf_costs_its_row(name, tmp_path):
    row = cleaned(tmp_path, ".pdf", PDFS[name])
    assert isinstance(row, Reject) and row.evidence
    assert row.reason in ("pdf.unreadable", "pdf.page", "pdf.size", "image.blank", "image.ink", "image.mismatch")


def test_metadata_of_a_picture_is_not_carried_on(tmp_path):
    told = PngImagePlugin.PngInfo()
    told.add_text("Author", "somebody")
    row = cleaned(tmp_path, ".png", saved(printed(), "PNG", pnginfo=told))
    assert isinstance(row, PageRecord) and b"somebody" not in row.image
