"""Rules for any label, whatever its task: what no page ever printed.

>>> drop_artefact(r"\\sqrt [ [object Object] ]{2}")
Drop(reason='text.artefact', evidence='[object Object]')
"""

import re

from proofpress.cleaners.rule import KEEP, Drop, Rule, Verdict

_ARTEFACT = re.compile(r"\[\s*object\s+Object\s*\]|�|\x00")


def drop_artefact(text: str) -> Verdict:
    """Drop a label that holds the trace of a broken program: what it stood for is lost.

    ``[object Object]`` is in 949 labels of UniMER-1M (https://github.com/opendatalab/UniMERNet/issues/81).
    """
    found = _ARTEFACT.search(text)
    return Drop("text.artefact", found.group()) if found else KEEP


ARTEFACT = Rule(
    "text.artefact",
    "drops labels with a broken program's trace in them ([object Object], U+FFFD, NUL)",
    r"\sqrt [ [object Object] ]{2}",
    drop_artefact,
)
