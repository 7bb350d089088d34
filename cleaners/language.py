r"""The language of a label, offline: by its script where that settles it, else by py3langid's model of 97 languages.

A label of few letters, of formulas alone, or of which the model is not sure has no language, which is better than a
wrong one. py3langid carries its model of 4.5 MB as NumPy arrays, needs nothing but NumPy, and is under BSD-3-Clause.

    >>> language_of("The mass of the body is measured in kilograms."), language_of(r"$x^2$")
    ('en', '')
"""

import re
from functools import cache
from typing import Any

#: Letters that a text needs in a script that several languages share.
MIN_LETTERS = 20
#: Characters of Chinese, Japanese and Korean that settle a language.
MIN_CJK = 4
#: The model's probability of its own answer below which there is none.
SURE = 0.9

_MAX_CHARACTERS = 4_000  # of a text that are looked at
_NO_LANGUAGE = re.compile(r"\$\$.*?\$\$|\$[^$\n]*\$|```.*?```|</?[A-Za-z][^<>]*>|https?://\S+|\S+@\S+", re.DOTALL)
_KANA = re.compile(r"[\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9d]")
_HANGUL = re.compile(r"[\u1100-\u11ff\uac00-\ud7a3]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")


def language_of(text: str) -> str:
    """The ISO 639-1 code of a label's language; empty where it has none that can be told."""
    bare = _NO_LANGUAGE.sub(" ", text[: 4 * _MAX_CHARACTERS])[:_MAX_CHARACTERS]
    letters = sum(map(str.isalpha, bare))
    kana, hangul, han = (len(script.findall(bare)) for script in (_KANA, _HANGUL, _HAN))
    if kana + hangul + han >= max(MIN_CJK, 0.3 * letters):
        if hangul > kana + han:
            return "ko"
        return "ja" if kana >= 0.1 * (kana + han) else "zh"
    if letters < MIN_LETTERS:
        return ""
    language, probability = _model().classify(bare)
    return str(language) if probability >= SURE else ""


def disagrees(declared: str, text: str) -> str:
    """The language that a text is in where that is surely not the declared one; else empty.

    declared: a code with or without a region (``en``, ``zh-CN``); nothing disagrees with an empty one.
    """
    found = language_of(text) if declared else ""
    return found if found and found != declared.lower().replace("_", "-").split("-")[0] else ""


@cache
def _model() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # half a second, for those who need it

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
