"""English prose that never was: grammatical, varied in characters and numbers, and thin in meaning.

Sentences come from the rules of ``english.txt`` and ``names.txt`` over the words of ``lexicon.txt``, all written for
this project, so a page carries no one's text and a reader cannot guess its words from having seen them before.
Everything is a function of the stream handed in. Texts are one line, without leading list or heading marks, in Latin-1
and Latin Extended-A with typographic punctuation.

    >>> paragraph(random.Random(3), sentences=4, inline=formulas.inline)
    (Run(kind='text', text='The regulator sold 24 coupons ... '), Run(kind='math', text='x^{2}'), ...)
"""

import re
from collections.abc import Callable
from functools import cache
from random import Random

from proofpress.generators.content.lexicon import DOMAINS, makers, words_of
from proofpress.generators.content.rules import Maker, Rules
from proofpress.pages.markdown import Run

CODE_SHARE = 0.07
MATH_SHARE = 0.45
MATH_OPEN, MATH_CLOSE = "\x02", "\x03"
MATH = re.compile(f"{MATH_OPEN}([^{MATH_CLOSE}]*){MATH_CLOSE}")
ARTICLE = re.compile(r"\b([Aa])\(n\) (?=(\W*\w+))")
SOUNDS_VOWEL = re.compile(r"\W*(?:[aeiouAEIOUÁÅÉÍÎÓÖÚÜ](?!ni[^mn]|u[^t]|s[ae]|ne\b|nce\b|urop)|h(?:on|ou|eir)|8|11\b|18\b)")

Voice = dict[str, str | Maker]


@cache
def _rules() -> Rules:
    return Rules.read("english.txt", "names.txt", makers=makers())


def voice(rng: Random) -> Voice:
    """How one text sounds: its field, the things it keeps coming back to, its quotes and dashes."""
    domain = rng.choice(DOMAINS)
    given: Voice = {**words_of(domain), **rng.choice(QUOTES), "dash": rng.choice(DASHES)}
    return given


QUOTES: tuple[dict[str, str], ...] = (
    {"lq": "“", "rq": "”", "apos": "’"},
    {"lq": "“", "rq": "”", "apos": "’"},
    {"lq": '"', "rq": '"', "apos": "'"},
    {"lq": "‘", "rq": "’", "apos": "’"},
)
DASHES = (" – ", "—", " - ", " — ")


def sentence(rng: Random, codes: float = CODE_SHARE) -> str:
    """One sentence of plain text; with probability ``codes`` it holds part numbers, keys or file names."""
    return _sentence(rng, voice(rng), codes)


def paragraph(
    rng: Random, sentences: int, inline: Callable[[Random], str] | None = None, codes: float = CODE_SHARE
) -> tuple[Run, ...]:
    """``sentences`` sentences in one voice, as runs that join without further space.

    inline: writes the LaTeX of a formula; without it the paragraph is one text run. codes: the share of sentences
    that hold invented codes, which no language model can guess.
    """
    own = voice(rng)
    if inline is None:
        return (Run("text", " ".join(_sentence(rng, own, codes) for _ in range(sentences))),)
    own["math"] = lambda stream: f"{MATH_OPEN}{inline(stream)}{MATH_CLOSE}"
    written = [
        _finish(_rules().write(rng, "math_sentence", own))
        if rng.random() < MATH_SHARE
        else _sentence(rng, own, codes)
        for _ in range(sentences)
    ]
    return split_math(" ".join(written))


def title(rng: Random) -> str:
    """A document's title, in title or sentence case, without a full stop."""
    text = _finish(_rules().write(rng, "title", voice(rng)))
    return _title_case(text) if rng.random() < 0.5 else text


def heading(rng: Random) -> str:
    """A section's heading, without its number."""
    text = _finish(_rules().write(rng, "heading", voice(rng)))
    return _title_case(text) if rng.random() < 0.3 else text


def caption(rng: Random) -> str:
    """What stands under a figure or above a table, without its number."""
    return _finish(_rules().write(rng, "caption", voice(rng)))


def phrase(rng: Random, symbol: str, own: Voice | None = None) -> str:
    """Any rule of the prose grammar by name, e.g. ``person``, ``town``, ``things``, ``date``, ``code``."""
    return _finish(_rules().write(rng, symbol, own or voice(rng)), capital=False)


def name(rng: Random) -> str:
    """A person's name, from a surname to two initials and a surname."""
    return phrase(rng, "person")


def date(rng: Random) -> str:
    """A date in one of the written forms, e.g. ``3 May 1987`` or ``1987-05-03``."""
    return phrase(rng, "date")


def random_string(rng: Random) -> str:
    """A part number, key, version or file name."""
    return phrase(rng, "code")


def split_math(text: str) -> tuple[Run, ...]:
    """Runs of a text whose formulas stand between ``MATH_OPEN`` and ``MATH_CLOSE``."""
    pieces = MATH.split(text)
    runs = (Run("math" if i % 2 else "text", piece) for i, piece in enumerate(pieces))
    return tuple(run for run in runs if run.text)


def _sentence(rng: Random, own: Voice, codes: float) -> str:
    return _finish(_rules().write(rng, "coded_sentence" if rng.random() < codes else "sentence", own))


def _finish(text: str, capital: bool = True) -> str:
    """Choose between a and an, and start with a capital letter."""
    if "(n) " in text:
        text = "".join(part if i % 2 else _articles(part) for i, part in enumerate(re.split(r"(\x02[^\x03]*\x03)", text)))
    if not capital:
        return text
    start = 1 if text[0] in "“‘\"'(" else 0
    return text[:start] + text[start].upper() + text[start + 1 :]


def _articles(text: str) -> str:
    return ARTICLE.sub(lambda m: f"{m[1]}{'n' if SOUNDS_VOWEL.match(m[2]) else ''} ", text)


SMALL_WORDS = frozenset("a an and as at by for from in of on or per the to under with without".split())


def _title_case(text: str) -> str:
    first, *rest = text.split(" ")
    return " ".join([first, *(w if w in SMALL_WORDS else w[0].upper() + w[1:] for w in rest)])
