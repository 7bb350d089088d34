r"""im2latex-100k: formulas of arXiv papers, each with a picture of the A4 sheet it was set on.

``formulas.lst`` has one formula a line; ``train.lst``, ``validate.lst`` and ``test.lst`` have rows
``line-in-formulas image-name render-type``. Read are the sample of https://github.com/harvardnlp/im2markup
(``data/sample``) and the whole corpus of https://zenodo.org/records/56198, whose lists begin with ``im2latex_``.

    >>> next(CORPORA["im2latex"].items(Path("im2latex")))
    'train:0:0 60ee748793 basic'

The corpus was typeset after taking the ``%`` off both ends of each formula, which its pictures show: a formula that
begins with ``%`` is drawn, up to the next ``%``. The label does the same.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from proofpress.cleaners.corpus import RawRow, RowError, folder_with, read_image, source_of
from proofpress.cleaners.tex import glue, tokens, trim
from proofpress.pages.record import Check

_SPLITS = {"train": "train", "validate": "validation", "test": "test"}
_PREFIX = "im2latex_"


class Im2Latex:
    """The adapter. Labels are LaTeX as their authors wrote it; ``rules.formulas`` makes them KaTeX's."""

    name = "im2latex"
    licence = "MIT"
    terms = "corpus files MIT (harvardnlp/im2markup); formulas from arXiv papers (KDD Cup 2003)"
    revision = "45c7577a2cfc9b4873589bad48dc9f9836d61abc"
    url = "https://github.com/harvardnlp/im2markup"
    sheets = True

    def items(self, path: Path) -> Iterator[str]:
        """``split:row number:row``, in the order of the lists train, validate, test."""
        folder = _folder(path)
        for split in _SPLITS:
            for number, row in enumerate(_lines(_list(folder, split))):
                if row.strip():
                    yield f"{split}:{number}:{row}"

    def source_id(self, ref: str) -> str:
        """The picture's name, or the reference itself where the row is not whole."""
        fields = ref.split(":", 2)[2].split()
        return fields[1] if len(fields) == 3 else ref

    def split(self, ref: str) -> str:
        """The split whose list has the row."""
        return _SPLITS[ref.split(":", 1)[0]]

    def load(self, path: Path, ref: str) -> RawRow:
        """The formula and the sheet behind a reference. Raises ``RowError``."""
        folder = _folder(path)
        split, _, row = ref.split(":", 2)
        original = {"split": split, "row": row}
        fields = row.split()
        if len(fields) != 3 or not re.fullmatch("[0-9]{1,9}", fields[0]):
            raise RowError("row.malformed", f"not 'index name type': {row!r}", original)
        formulas = _lines(_list(folder, "formulas"))
        if int(fields[0]) >= len(formulas):
            raise RowError("row.index", f"line {fields[0]} of {len(formulas)} in formulas.lst", original)
        formula = formulas[int(fields[0])]
        original["formula"] = formula
        image = read_image([folder / "images", folder / "formula_images"], f"{fields[1]}.png", original)
        text = formula.strip("%")
        findings = (Check("im2latex.ends", "fixed", "formula.outer_percent", formula),) if text != formula else ()
        return RawRow(
            source=source_of(self, ref),
            image=image,
            text=glue(trim(tokens(text))),
            task="formula",
            original=original,
            split=_SPLITS[split],
            findings=findings,
        )


def _folder(path: Path) -> Path:
    return folder_with(Path(path), "data/sample", "*formulas.lst", "im2latex")


def _list(folder: Path, name: str) -> Path:
    plain = folder / f"{name}.lst"
    return plain if plain.is_file() else folder / f"{_PREFIX}{name}.lst"


def _lines(file: Path) -> tuple[str, ...]:
    """The lines of a list; none where a release has no such split."""
    if not file.is_file():
        return ()
    status = file.stat()
    return _read_lines(file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _read_lines(file: Path, modified: int, size: int) -> tuple[str, ...]:
    lines = file.read_bytes().removesuffix(b"\n").split(b"\n")
    return tuple(_decode(line.removesuffix(b"\r")) for line in lines)


def _decode(line: bytes) -> str:
    """Papers of the 1990s are in either encoding, line by line."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")
