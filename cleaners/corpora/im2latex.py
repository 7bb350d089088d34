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

from proofpress.cleaners.corpus import Corpus, RawRow, Ref, RowError, none_here, parse_ref, split_name
from proofpress.cleaners.files import Files, listing, open_files
from proofpress.cleaners.tex import glue, tokens, trim
from proofpress.pages.record import Check

_SPLITS = ("train", "validate", "test")
_FOLDERS = ("", "data/sample/")


class Im2Latex(Corpus):
    """The adapter. Labels are LaTeX as their authors wrote it; ``rules.formulas`` makes them KaTeX's."""

    name = "im2latex"
    about = "formulas of arXiv papers on A4 sheets (im2latex-100k)"
    licence = "MIT"
    terms = "corpus files MIT (harvardnlp/im2markup); formulas from arXiv papers (KDD Cup 2003)"
    revision = "45c7577a2cfc9b4873589bad48dc9f9836d61abc"
    url = "https://github.com/harvardnlp/im2markup"
    sheets = True

    def items(self, path: Path) -> Iterator[str]:
        """``split:row number:row``, in the order of the lists train, validate, test."""
        files = open_files(Path(path))
        for split in _SPLITS:
            with listing(f"{split}.lst"):
                rows = _list(files, split)
            for number, row in enumerate(rows):
                if row.strip():
                    yield str(Ref(split_name(split), str(number), row))

    def source_id(self, ref: str) -> str:
        """The picture's name, or the reference itself where the row is not whole."""
        fields = parse_ref(ref).name.split()
        return fields[1] if len(fields) == 3 else ref

    def load(self, path: Path, ref: str) -> RawRow:
        """The formula and the sheet behind a reference. Raises ``RowError``."""
        files, row = open_files(Path(path)), parse_ref(ref).name
        original = {"split": self.split(ref), "row": row}
        fields = row.split()
        if len(fields) != 3 or not re.fullmatch("[0-9]{1,9}", fields[0]):
            raise RowError("row.malformed", f"not 'index name type': {row!r}", original)
        formulas = _list(files, "formulas")
        if int(fields[0]) >= len(formulas):
            raise RowError("row.index", f"line {fields[0]} of {len(formulas)} in formulas.lst", original)
        formula = formulas[int(fields[0])]
        original["formula"] = formula
        pictures = "formula_images" if _names(files, "formulas").startswith("im2latex_") else "images"
        folder = _names(files, "formulas").rpartition("/")[0]
        image = files.read(f"{folder}/{pictures}/{fields[1]}.png".lstrip("/"), original)
        text = formula.strip("%")
        findings = (Check("im2latex.ends", "fixed", "formula.outer_percent", formula),) if text != formula else ()
        return RawRow(
            source=self.source(path, ref),
            image=image,
            text=glue(trim(tokens(text))),
            task="formula",
            original=original,
            split=self.split(ref),
            findings=findings,
        )


def _names(files: Files, name: str) -> str:
    """The list of a name, plain or with the whole corpus's prefix; empty where there is none."""
    for folder in _FOLDERS:
        for prefix in ("", "im2latex_"):
            if found := files.names(f"{folder}{prefix}{name}.lst"):
                return found[0]
    return ""


def _list(files: Files, name: str) -> tuple[str, ...]:
    """The lines of a list; none where a release has no such split."""
    if not _names(files, "formulas"):
        raise none_here(files.root, "im2latex", *(f"{folder}*formulas.lst" for folder in _FOLDERS))
    found = _names(files, name)
    return _read_lines(files, found) if found else ()


@lru_cache(maxsize=8)
def _read_lines(files: Files, name: str) -> tuple[str, ...]:
    lines = files.read(name).removesuffix(b"\n").split(b"\n")
    return tuple(_decode(line.removesuffix(b"\r")) for line in lines)


def _decode(line: bytes) -> str:
    """Papers of the 1990s are in either encoding, line by line."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")
