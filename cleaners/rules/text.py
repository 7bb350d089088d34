"""Rules for any text of a label, whatever its task: what no page ever printed, and what encodings did to the rest.

>>> drop_artefact(r"\\sqrt [ [object Object] ]{2}")
Drop(reason='text.artefact', evidence='[object Object]')
"""

import re
import unicodedata
from collections import Counter

import ftfy
from ftfy.badness import is_bad

from proofpress.cleaners.rule import KEEP, Drop, Fix, Rule, Verdict

#: Characters of a label; a page holds at most some ten thousand.
MAX_LABEL = 200_000

_ARTEFACT = re.compile(r"\[\s*object\s+Object\s*\]|�|\x00|\[MISSING_PAGE\w*(?::\d+)?\]")
_VALUES = frozenset({"null", "none", "undefined", "nan"})
# Not printed: controls but tab and line ends, soft hyphen, zero-width and bidirectional marks, byte order mark.
# Joiners (U+200C, U+200D) stay: Persian and Indic scripts are written with them.
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")
# What UTF-8's first byte of a letter becomes in Western (Ã) and Cyrillic (Ð, Р) encodings, with another one behind it.
_LEAD_BYTE = re.compile("[\u00c2-\u00f4ÐГДРС][^\x00-\x7f]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_NON_LATIN = "[\u0370-\u03ff\u0400-\u04ff]"
# Cyrillic and Greek letters that are drawn as a Latin one (Unicode's confusables.txt, those of equal shape).
_LOOKS_LATIN = dict(
    zip("АВЕЅІЈКМНОРСТХаеѕіјорсхуԁԛԝһΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABESIJKMHOPCTXaesijopcxydqwhABEZHIKMNOPTXo", strict=True)
)
_LOOKS_CYRILLIC = {
    latin: other for other, latin in _LOOKS_LATIN.items() if unicodedata.name(other).startswith("CYRILLIC")
}


def drop_artefact(text: str) -> Verdict:
    """Drop a label that holds the trace of a broken program: what it stood for is lost.

    ``[object Object]`` is in 949 labels of UniMER-1M (https://github.com/opendatalab/UniMERNet/issues/81).
    """
    found = _ARTEFACT.search(text)
    if not found and text.strip().lower() in _VALUES:
        return Drop("text.artefact", text.strip())
    return Drop("text.artefact", found.group()) if found else KEEP


def drop_oversized(text: str) -> Verdict:
    """Drop a label that no page can hold."""
    return Drop("text.size", f"{len(text)} characters, more than {MAX_LABEL}") if len(text) > MAX_LABEL else KEEP


def mend_mojibake(text: str) -> Verdict:
    """Undo a wrong decoding (``ZÃ¼rich`` for ``Zürich``), as ftfy finds it."""
    if text.isascii() or not _LEAD_BYTE.search(text) or not is_bad(text):
        return KEEP
    mended = ftfy.fix_encoding(text)
    return Fix(mended, "text.mojibake", text) if mended != text else KEEP


def remove_controls(text: str) -> Verdict:
    """Remove characters that leave nothing on paper: controls, zero-width space, soft hyphen, byte order mark."""
    found = Counter(_CONTROL.findall(text)) if not text.isprintable() else {}
    if not found:
        return KEEP
    counts = ", ".join(f"U+{ord(mark):04X}×{found[mark]}" for mark in sorted(found))
    return Fix(_CONTROL.sub("", text), "text.control", f"{counts} in {text!r}")


def compose(text: str) -> Verdict:
    """Write the text in NFC: one spelling for one look."""
    if unicodedata.is_normalized("NFC", text):
        return KEEP
    return Fix(unicodedata.normalize("NFC", text), "text.nfc", text)


def part_ligatures(text: str) -> Verdict:
    """Write ``ﬁ`` as ``fi``: text layers of PDF files have ligatures as characters, and no reader can see which."""
    found = "" if text.isascii() else "".join(sorted(set(_LIGATURE.findall(text))))
    if not found:
        return KEEP
    return Fix(_LIGATURE.sub(lambda mark: unicodedata.normalize("NFKC", mark.group()), text), "text.ligature", text)


def mend_confusables(text: str) -> Verdict:
    """Write a word in one script where letters of another were put in for their looks (``BARUЈ`` with a Cyrillic Ј).

    Only where every letter of the rarer script has its twin: ``μm`` and ``αB`` are what they say.
    """
    if text.isascii() or not re.search(_NON_LATIN, text):
        return KEEP
    mended = _WORD.sub(_one_script, text)
    return Fix(mended, "text.confusable", text) if mended != text else KEEP


def _one_script(word: re.Match[str]) -> str:
    letters = word.group()
    latin = [letter for letter in letters if letter < "\u0250"]
    other = [letter for letter in letters if re.match(_NON_LATIN, letter)]
    if not latin or not other or len(latin) == len(other):
        return letters
    twins, foreign = (_LOOKS_LATIN, other) if len(latin) > len(other) else (_LOOKS_CYRILLIC, latin)
    if len(letters) < 3 or any(letter not in twins for letter in foreign):
        return letters
    return "".join(twins[letter] if letter in foreign else letter for letter in letters)


ARTEFACT = Rule(
    "text.artefact",
    "drops labels with a broken program's trace in them ([object Object], U+FFFD, NUL), or that are null or undefined",
    r"\sqrt [ [object Object] ]{2}",
    drop_artefact,
)
SIZE = Rule("text.size", f"drops labels of more than {MAX_LABEL:,} characters", "a" * (MAX_LABEL + 1), drop_oversized)
MOJIBAKE = Rule("text.mojibake", "undoes a wrong decoding", "ZÃ¼rich", mend_mojibake)
CONTROL = Rule("text.control", "removes characters that print nothing", "co\u00adoperate", remove_controls)
NFC = Rule("text.nfc", "writes letters and their accents as one character (NFC)", "Zu\u0308rich", compose)
LIGATURE = Rule("text.ligature", "writes ligatures as their letters", "eﬃcient", part_ligatures)
CONFUSABLE = Rule(
    "text.confusable",
    "writes a word in one script where letters were put in for their looks",
    "BARUЈ",
    mend_confusables,
)

#: For every label.
ANY_TEXT: tuple[Rule[str], ...] = (SIZE, ARTEFACT, MOJIBAKE, CONTROL, NFC, LIGATURE, CONFUSABLE)
