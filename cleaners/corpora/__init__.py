"""The corpora that can be cleaned, by the name they have on the command line: ``CORPORA["pubtabnet"]``."""

from proofpress.cleaners.corpora.im2latex import Im2Latex
from proofpress.cleaners.corpora.pubtabnet import PubTabNet
from proofpress.cleaners.corpus import Corpus

CORPORA: dict[str, Corpus] = {corpus.name: corpus for corpus in (Im2Latex(), PubTabNet())}
