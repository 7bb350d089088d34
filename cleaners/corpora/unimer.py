"""UniMER-1M and UniMER-Test: formulas, printed and written by hand, a LaTeX line for each picture.

``train.txt`` goes with ``images/0000000.png`` and so on; the test sets ``spe``, ``cpe``, ``sce`` and ``hwe`` with the
folder of their name. Line n is picture n: a revision that took out pictures (1,166 in June 2024) made other lines. So
pictures beyond the last line are an error of the whole folder, and a picture that shows far more or less than its line
is a reject (``image.mismatch``). Pictures of the HME100K part have to be fetched from elsewhere; without them their
lines are rejects.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from proofpress.cleaners.corpus import Corpus, RawRow, Ref, RowError, none_here, parse_ref
from proofpress.cleaners.files import Files, line_at, lines, open_files
from proofpress.pages.errors import RequestError

_LISTS = {"train": "train", "spe": "test", "cpe": "test", "sce": "test", "hwe": "test"}


class UniMER(Corpus):
    """The adapter."""

    name = "unimer"
    about = "formulas, printed and by hand (UniMER-1M, UniMER-Test)"
    licence = "Apache-2.0"
    terms = "Apache-2.0 by its card; formulas from arXiv, pix2tex, CROHME and HME100K keep their terms"
    revision = "2024-06"
    url = "https://huggingface.co/datasets/wanderkid/UniMER_Dataset"

    def items(self, path: Path) -> Iterator[str]:
        """One a line of each list."""
        files = open_files(Path(path))
        found = [name for name in files.names("**/*.txt") if PurePosixPath(name).stem in _LISTS]
        if not found:
            raise none_here(files.root, "UniMER", "train.txt", "spe.txt, cpe.txt, sce.txt or hwe.txt")
        for name in found:
            number = -1
            for number, (offset, _) in enumerate(lines(files, name)):
                yield str(Ref(_LISTS[PurePosixPath(name).stem], f"{name}#{number}#{offset}", f"{name}:{number:07d}"))
            _check_pictures(files, name, number)

    def load(self, path: Path, ref: str) -> RawRow:
        """The formula and the picture behind a reference. Raises ``RowError``."""
        files = open_files(Path(path))
        name, number, offset = parse_ref(ref).place.split("#")
        line = line_at(files, name, int(offset))
        try:
            formula = line.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise RowError("row.encoding", str(error), {"bytes": line.hex()}) from error
        original = {"list": name, "line": int(number), "formula": formula}
        return RawRow(
            source=self.source(path, ref),
            image=files.read(f"{_folder(name)}/{int(number):07d}.png".lstrip("/"), original),
            text=formula,
            task="formula",
            original=original,
            split=self.split(ref),
        )


def _folder(name: str) -> str:
    """Where a list's pictures lie."""
    listed = PurePosixPath(name)
    return str(listed.parent / ("images" if listed.stem == "train" else listed.stem)).removeprefix("./")


def _check_pictures(files: Files, name: str, last: int) -> None:
    beyond = [
        picture for picture in files.names(f"{_folder(name)}/*.png") if PurePosixPath(picture).stem > f"{last:07d}"
    ]
    if beyond:
        raise RequestError(
            f"{files.root}: {name} has {last + 1} lines, and {_folder(name)} has pictures up to {beyond[-1]}: they "
            "are of different revisions; get both from one"
        )
