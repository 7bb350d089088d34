"""What each row of a corpus is made of, as a digest: equal rows clean to equal records, wherever they stand.

The rows are read once. After that a listing of the corpus's files, with size and time of change, says whether any of
them can have changed; only then are rows read again.
"""

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from proofpress.cleaners.clean import load_row
from proofpress.cleaners.corpora import CORPORA
from proofpress.cleaners.corpus import Corpus, RowError, as_json
from proofpress.flows.config import CorpusRecipe
from proofpress.pages.record import to_json
from proofpress.pages.shards import write_whole


def row_digests(wanted: CorpusRecipe, refs: Sequence[str], cache: Path) -> dict[str, str]:
    """Reference -> digest of each row. cache: a folder to remember them in."""
    corpus = CORPORA[wanted.name]
    listing = _listing(wanted.path)
    place = blake2b(str(wanted.path.resolve()).encode(), digest_size=4).hexdigest()
    path = cache / f"rows-{wanted.name}-{place}.json"
    known: dict[str, str] = {}
    if path.is_file():
        remembered = json.loads(path.read_bytes())
        if remembered["listing"] == listing:
            known = remembered["rows"]
    missing = [ref for ref in refs if ref not in known]
    if missing:
        known |= {ref: _digest(corpus, wanted.path, ref) for ref in missing}
        write_whole(path, to_json({"listing": listing, "rows": known}).encode("utf-8", "surrogatepass"))
    return {ref: known[ref] for ref in refs}


def _listing(path: Path) -> str:
    """A digest of names, sizes and times of change of all files."""
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    digest = blake2b(digest_size=16)
    for file in files:
        if file.is_file():
            stat = file.stat()
            digest.update(
                f"{file.relative_to(path)}\x00{stat.st_size}\x00{stat.st_mtime_ns}\x00".encode("utf-8", "replace")
            )
    return digest.hexdigest()


def _digest(corpus: Corpus, path: Path, ref: str) -> str:
    digest = blake2b(digest_size=12)
    try:
        row = load_row(corpus, path, ref)
    except RowError as error:
        digest.update(f"{error} {to_json(as_json(error.original))}".encode("utf-8", "replace"))
        return digest.hexdigest()
    image = row.image if isinstance(row.image, bytes) else repr((row.image.mode, row.image.size)).encode()
    digest.update(image + (b"" if isinstance(row.image, bytes) else row.image.tobytes()))
    parts = [row.text, row.task, row.language, repr(row.source), as_json(row.original), as_json(list(row.tests))]
    parts += [repr(row.elements), repr(row.words), repr(row.frame), repr(row.findings)]
    digest.update(to_json(parts).encode("utf-8", "replace"))
    return digest.hexdigest()
