"""Clean one public corpus into a dataset: a build with one corpus and no press.

made = clean("pubtabnet", Path("PubTabNet"), Path("out/tables"))
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proofpress.flows.build import build
from proofpress.flows.config import corpus_recipe
from proofpress.flows.dataset import Made
from proofpress.pages.storage import Place


def clean(corpus: str, path: Path, out: Place, sets: Sequence[str] = (), **how: Any) -> Made:
    """Make the dataset of one corpus. sets: settings over its recipe, such as ``judge={model: nano}``.

    how: ``runner``, ``workers`` and ``progress`` of ``make_dataset``.
    """
    return build(corpus_recipe(corpus, path, sets), out, **how)
