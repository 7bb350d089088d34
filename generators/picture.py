"""A sheet's picture: what the browser gave, as pixels, and pixels as PNG.

A browser that draws sheets on a canvas packs the pixels (``templates/picture.js``), for most of a page is paper; any
other gives a PNG.

    pixels = unpack(drawn, width=1024)         # (height, 1024, 3) of uint8
    png = encode(pixels)
"""

import cv2
import numpy as np

from proofpress.pages.errors import WorkError

PNG = b"\x89PNG"
OTHER = 255  # stands for a colour without a number
#: Unfiltered rows pack as well as filtered ones where most is paper, in half the time.
LIGHT = (cv2.IMWRITE_PNG_COMPRESSION, 1, cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_DEFAULT,
         cv2.IMWRITE_PNG_FILTER, cv2.IMWRITE_PNG_FILTER_NONE)  # fmt: skip


def unpack(drawn: bytes, width: int) -> np.ndarray:
    """The picture: RGB, ``(height, width, 3)`` of uint8, or where it has no colours ``(height, width)``.

    Raises ``WorkError`` for bytes that are none.
    """
    if drawn.startswith(PNG):
        picture = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_COLOR_RGB)
        if picture is None:
            raise WorkError(f"{len(drawn)} bytes that the browser gave are no picture")
        return picture
    data = np.frombuffer(drawn, np.uint8)
    known = int(data[1])
    table = np.zeros((256, 1, 3), np.uint8)
    table[:known, 0] = data[2 : 2 + 3 * known].reshape(-1, 3)
    counts = 2 + 3 * known
    runs = 2 * int.from_bytes(drawn[counts : counts + 4], "little")
    inks = int.from_bytes(drawn[counts + 4 : counts + 8], "little")
    lengths, numbers, others = np.split(data[counts + 8 :], (runs, runs + inks))
    inked, ends = lengths[1::2].astype(np.intp), np.cumsum(lengths, dtype=np.intp)
    codes = np.zeros((ends[-1] // width, width), np.uint8)
    places = np.repeat(ends[::2] - np.cumsum(inked) + inked, inked) + np.arange(inks)
    codes.ravel()[places] = numbers
    others = others.reshape(-1, 3)
    if all((colours == colours[..., :1]).all() for colours in (table, others)):
        picture, others = cv2.LUT(codes, np.ascontiguousarray(table[..., 0])), others[:, 0]
    else:
        picture = cv2.applyColorMap(codes, table)
    picture.reshape(-1, *others.shape[1:])[places[numbers == OTHER]] = others
    return picture


def encode(picture: np.ndarray) -> bytes:
    """The picture, as ``unpack`` gives it, as PNG; equal pixels give equal bytes under one version of OpenCV."""
    stored = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    return bytes(cv2.imencode(".png", stored, LIGHT)[1])
