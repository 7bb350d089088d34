"""The corpora that can be cleaned, by the name they have on the command line: ``CORPORA["pubtabnet"]``."""

from proofpress.cleaners.corpora.crohme import Crohme
from proofpress.cleaners.corpora.docbank import DocBank
from proofpress.cleaners.corpora.docling import Docling
from proofpress.cleaners.corpora.donut import Cord, SynthDog
from proofpress.cleaners.corpora.fintabnet import FinTabNet
from proofpress.cleaners.corpora.forms_pages import Funsd, Xfund
from proofpress.cleaners.corpora.im2latex import Im2Latex
from proofpress.cleaners.corpora.layout_pages import DocLayNet, PubLayNet
from proofpress.cleaners.corpora.markdown_pages import Folder, InfinityDoc, Nougat
from proofpress.cleaners.corpora.olmocr import OlmOcrBench, OlmOcrMix
from proofpress.cleaners.corpora.omnidocbench import OmniDocBench
from proofpress.cleaners.corpora.pubtables1m import PubTables1M
from proofpress.cleaners.corpora.pubtabnet import PubTabNet
from proofpress.cleaners.corpora.receipts import Sroie, WildReceipt
from proofpress.cleaners.corpora.scitsr import SciTSR
from proofpress.cleaners.corpora.synthtabnet import SynthTabNet
from proofpress.cleaners.corpora.unimer import UniMER
from proofpress.cleaners.corpus import Corpus

_TABLES = (PubTabNet(), FinTabNet(), PubTables1M(), SciTSR(), SynthTabNet())
_FORMULAS = (Im2Latex(), UniMER(), Crohme())
_PAGES = (OlmOcrMix(), Nougat(), SynthDog(), InfinityDoc(), Docling(), Folder(), OmniDocBench(), OlmOcrBench())
_LAYOUTS = (DocBank(), PubLayNet(), DocLayNet())
_FORMS = (Funsd(), Xfund(), Cord(), Sroie(), WildReceipt())

CORPORA: dict[str, Corpus] = {corpus.name: corpus for corpus in (*_TABLES, *_FORMULAS, *_PAGES, *_LAYOUTS, *_FORMS)}
