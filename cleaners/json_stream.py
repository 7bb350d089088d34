"""The items of a long JSON file's arrays, one at a time, each with its place in the file.

COCO files of several gigabytes hold all boxes of a corpus in one array. Python's own decoder reads each item; only
the brackets around them are ours.

    for key, start, end, item in list_items(files, "train.json", "COCO annotations"):
        ...
"""

import json
from collections.abc import Iterator
from json.decoder import JSONDecodeError
from typing import Any, BinaryIO

from proofpress.cleaners.files import Files, listing
from proofpress.pages.errors import RequestError

CHUNK = 8 * 2**20
MAX_ITEM = 64 * 2**20  # bytes of one item

_SPACE = " \t\r\n"


def list_items(files: Files, name: str, what: str) -> Iterator[tuple[str, int, int, Any]]:
    """The ``items`` of a corpus's file. what: they are; the ``RequestError`` of a file that has none says so."""
    with listing(name), files.open(name) as stream:
        try:
            yield from items(stream)
        except ValueError as error:
            raise RequestError(f"{name}: no {what}: {error!r}") from error


def items(stream: BinaryIO) -> Iterator[tuple[str, int, int, Any]]:
    """Key, first byte, byte behind and value of each item of the arrays of the file's object, or of its one array.

    Text in a value is Latin-1 where the file has UTF-8: read the bytes again for it. Raises ``ValueError`` for what is
    no JSON; what was whole before has been given by then.
    """
    reader = _Reader(stream)
    opening = reader.next()
    if opening == "[":
        yield from reader.array("")
    elif opening == "{":
        while reader.peek() != "}":
            key = reader.value()[2]
            reader.expect(":")
            if reader.peek() == "[":
                reader.next()
                yield from reader.array(str(key))
            else:
                reader.value()
            if reader.peek() == ",":
                reader.next()
    else:
        raise ValueError(f"neither an object nor an array, but {opening!r}")


class _Reader:
    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.decoder = json.JSONDecoder()
        self.buffer, self.at, self.passed = "", 0, 0  # passed: bytes of the file before the buffer

    def more(self) -> bool:
        """Read on; false at the end of the file."""
        chunk = self.stream.read(CHUNK)
        self.passed += self.at
        self.buffer, self.at = self.buffer[self.at :] + chunk.decode("latin-1"), 0
        return bool(chunk)

    def peek(self) -> str:
        while True:
            while self.at < len(self.buffer) and self.buffer[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if not self.more():
                raise ValueError(f"the file ends at byte {self.passed + self.at} within a value")

    def next(self) -> str:
        mark = self.peek()
        self.at += 1
        return mark

    def expect(self, wanted: str) -> None:
        if (mark := self.next()) != wanted:
            raise ValueError(f"{mark!r} at byte {self.passed + self.at - 1}, where {wanted!r} belongs")

    def value(self) -> tuple[int, int, Any]:
        self.peek()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.buffer, self.at)
                length = end - self.at
                if end < len(self.buffer) or not self.more():  # a number may go on in the next chunk
                    break
            except JSONDecodeError as error:
                if len(self.buffer) - self.at > MAX_ITEM or not self.more():
                    raise ValueError(f"no JSON at byte {self.passed + self.at}: {error.msg}") from error
        start = self.passed + self.at
        self.at += length
        return start, start + length, value

    def array(self, key: str) -> Iterator[tuple[str, int, int, Any]]:
        while self.peek() != "]":
            start, end, value = self.value()
            yield key, start, end, value
            if self.peek() == ",":
                self.next()
        self.next()
