"""PubTabNet 2.0: tables of PubMed Central papers, as pictures with HTML in tokens (``token_tables.py``).

A ``.jsonl`` file has one table a line: ``filename, split, imgid, html.structure.tokens, html.cells[].{tokens, bbox}``
(its README says ``cell``). Pictures lie beside it, as in ``examples/`` of
https://github.com/ibm-aur-nlp/PubTabNet, or in ``train/``, ``val/`` and ``test/``, as in the whole corpus.

    >>> next(CORPORA["pubtabnet"].items(Path("pubtabnet")))
    'train:examples/PubTabNet_Examples.jsonl#0:PMC4840965_004_00.png'
"""

from proofpress.cleaners.corpora.token_tables import TokenTables


class PubTabNet(TokenTables):
    """The adapter."""

    name = "pubtabnet"
    about = "tables of PubMed Central papers, with cells (PubTabNet 2.0)"
    licence = "CDLA-Permissive-1.0"
    terms = "annotations CDLA-Permissive-1.0; pictures under the PMC Open Access Subset's terms of use"
    revision = "8ffde9024bd331f5a61c3c549fdf30dd3c3e43a5"
    url = "https://github.com/ibm-aur-nlp/PubTabNet"
    coordinates = "pixels of the picture, origin top left, [x0, y0, x1, y1] a cell"
