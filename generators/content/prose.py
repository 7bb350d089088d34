r"""English prose that never was: grammatical, varied in characters and numbers, and thin in meaning.

Sentences come from the rules of ``english.txt`` and ``names.txt`` over the words of ``lexicon.txt``, all written for
this project, so a page carries no one's text and a reader cannot guess its words from having seen them before.
Everything is a function of the stream handed in. What returns ``str`` is plain text, not Markdown: a dollar in it is a
dollar. Texts are one line, without list or heading marks at the start, in Latin-1 and Latin Extended-A with the
punctuation of print.

    >>> paragraph(random.Random(3), 2, inline=formulas.inline)[:2]
    (Run(kind='text', text='Since '), Run(kind='math', text='m! \\psi^{(3)}(r)'))
"""

import re
from collections.abc import Callable
from functools import cache
from random import Random

from proofpress.generators.content import quantities
from proofpress.generators.content.lexicon import DOMAINS, topical, words_of
from proofpress.generators.content.rules import Maker, Rules
from proofpress.pages.markdown import Run

CODE_SHARE = 0.07
MATH_SHARE = 0.45
MATH = re.compile("⟦([^⟧]*)⟧")
ARTICLE = re.compile(r"\b([Aa])\(n\) (?=(\W*\w+))")
SOUNDS_VOWEL = re.compile(
    r"\W*(?:[aioAIOÁÅÀÉÓÖÍÎÜŐ]|[eE](?!u)|[uU](?!ni[^mn]|nan|s[aeu]|til|re\b)|ho(?:nest|nour|ur)|heir|X-|8|1[18]\b)(?!ne\b)"
)

QUOTES: tuple[dict[str, str], ...] = (
    {"lq": "“", "rq": "”", "apos": "’"},
    {"lq": "“", "rq": "”", "apos": "’"},
    {"lq": '"', "rq": '"', "apos": "'"},
    {"lq": "‘", "rq": "’", "apos": "’"},
)
OPENING = "“‘\"'("
SMALL_WORDS = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "per", "the", "to", "with")
)
HUMANITIES = frozenset(("economics", "history", "law"))
DASHES = (" – ", "—", " - ", " — ")
GIVEN = (*words_of(DOMAINS[0]), *QUOTES[0], "dash", "math")

Voice = dict[str, str | Maker]


@cache
def _rules() -> Rules:
    return Rules.read("english.txt", "names.txt", makers=quantities.MAKERS, given=GIVEN)


def voice(rng: Random) -> Voice:
    """How one text sounds: its field, the things it keeps coming back to, its quotes and dashes."""
    domain = rng.choice(DOMAINS)
    return {
        **words_of(domain),
        **topical(rng, domain),
        **(quantities.EVERYDAY if domain in HUMANITIES else {}),
        **rng.choice(QUOTES),
        "dash": rng.choice(DASHES),
    }


def sentence(rng: Random, codes: float = CODE_SHARE) -> str:
    """One sentence of plain text; with probability ``codes`` it holds part numbers, keys or file names."""
    return _articles(_sentence(rng, voice(rng), codes))


def paragraph(
    rng: Random, sentences: int, inline: Callable[[Random], str] | None = None, codes: float = CODE_SHARE
) -> tuple[Run, ...]:
    """``sentences`` sentences in one voice, as runs that join without further space.

    inline: writes the LaTeX of a formula; without it the paragraph is one text run. codes: the share of sentences
    that hold invented codes, which no language model can guess.
    """
    own = voice(rng)
    written = []
    for _ in range(sentences):
        if inline and rng.random() < MATH_SHARE:
            own["math"] = lambda stream: f"⟦{inline(stream)}⟧"
            written.append(capitalised(_rules().write(rng, "math_sentence", own)))
        else:
            written.append(_sentence(rng, own, codes))
    return runs_of(" ".join(written))


def title(rng: Random) -> str:
    """A document's title, in title or sentence case, without a full stop."""
    text = phrase(rng, "title")
    return _title_case(text) if rng.random() < 0.5 else capitalised(text)


def heading(rng: Random) -> str:
    """A section's heading, without its number."""
    text = phrase(rng, "heading")
    return _title_case(text) if rng.random() < 0.3 else capitalised(text)


def caption(rng: Random) -> str:
    """What stands under a figure or above a table, without its number."""
    return capitalised(phrase(rng, "caption"))


def name(rng: Random) -> str:
    """A person's name, from a surname to two initials and a surname."""
    return phrase(rng, "person")


def date(rng: Random) -> str:
    """A date in one of the written forms, e.g. ``3 May 1987`` or ``1987-05-03``."""
    return phrase(rng, "date")


def random_string(rng: Random) -> str:
    """A part number, key, version or file name."""
    return phrase(rng, "code")


def phrase(rng: Random, symbol: str, own: Voice | None = None) -> str:
    """Any rule of the prose grammar by name, e.g. ``town``, ``things``, ``institution``, as it stands in a sentence."""
    return _articles(_rules().write(rng, symbol, own or voice(rng)))


def runs_of(text: str) -> tuple[Run, ...]:
    """The runs of what rules wrote: formulas, which stand between ⟦ and ⟧, and between them text with its articles."""
    pieces = MATH.split(text)
    runs = (Run("math", piece) if i % 2 else Run("text", _articles(piece)) for i, piece in enumerate(pieces))
    return tuple(run for run in runs if run.text)


def capitalised(text: str) -> str:
    """The text with a capital at its start, behind an opening quote or bracket."""
    start = 1 if text[0] in OPENING else 0
    return text[:start] + text[start].upper() + text[start + 1 :]


def _sentence(rng: Random, own: Voice, codes: float) -> str:
    return capitalised(_rules().write(rng, "coded_sentence" if rng.random() < codes else "sentence", own))


def _articles(text: str) -> str:
    """Choose between a and an."""
    return ARTICLE.sub(lambda m: f"{m[1]}{'n' if SOUNDS_VOWEL.match(m[2]) else ''} ", text) if "(n) " in text else text


def _title_case(text: str) -> str:
    first, *rest = text.split(" ")
    return " ".join([capitalised(first), *(w if w in SMALL_WORDS else w[0].upper() + w[1:] for w in rest)])
