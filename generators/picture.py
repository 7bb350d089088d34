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
    channels = int(data[0])
    start = channels + 5
    count = 2 * int.from_bytes(drawn[start - 4 : start], "little")
    inked = np.repeat(np.tile(np.array([0, 1], np.uint8), count // 2), data[start : start + count]).view(bool)
    pixels = np.empty((len(inked), channels), np.uint8)
    pixels[:] = data[1 : channels + 1]
    pixels[np.flatnonzero(inked)] = data[start + count :].reshape(-1, channels)
    return pixels.reshape((-1, width, 3) if channels == 3 else (-1, width))


def encode(picture: np.ndarray) -> bytes:
    """The picture, as ``unpack`` gives it, as PNG; equal pixels give equal bytes under one version of OpenCV."""
    stored = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    return bytes(cv2.imencode(".png", stored, LIGHT)[1])
