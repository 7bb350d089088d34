"""The words prose is made of: the lexicon's fields, inflected, compounded and now and then coined.

>>> words_of("physics")["things"](random.Random(1))
'galaxy plasmas'
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

from proofpress.generators.content.rules import Maker

DOMAINS = ("physics", "economics", "biology", "history", "engineering", "medicine", "law", "computing")
TOPICS = 3
TOPIC_SHARE = 0.25
COMPOUND_SHARE = 0.14
COINED_SHARE = 0.05
DERIVED_SHARE = 0.12
GENERAL_SHARE = 0.35

PREFIXES = (
    "non",
    "quasi-",
    "semi-",
    "pre-",
    "post-",
    "sub",
    "super",
    "inter",
    "multi-",
    "over",
    "under",
    "re",
    "pseudo-",
)
NOUN_SUFFIXES = (
    "based",
    "like",
    "free",
    "dependent",
    "driven",
    "specific",
    "independent",
    "related",
    "induced",
    "rich",
)
VOWELS = "aeiou"
T = TypeVar("T")


class Noun(NamedTuple):
    singular: str
    plural: str

    @classmethod
    def parse(cls, text: str) -> "Noun":
        singular, _, plural = text.partition("/")
        return cls(singular, plural or _plural(singular))


class Verb(NamedTuple):
    base: str
    third: str
    past: str
    participle: str
    gerund: str

    @classmethod
    def parse(cls, text: str) -> "Verb":
        base, *irregular = text.split("/")
        head, space, tail = base.partition(" ")
        tail = space + tail
        past = irregular[0] if irregular else _past(head) + tail
        return cls(base, _plural(head) + tail, past, irregular[-1] if irregular else past, _gerund(head, past) + tail)


def words_of(domain: str) -> Mapping[str, Maker]:
    """Makers of every kind of word of one field, by the names the prose rules use."""
    return _words(domain)


def topical(rng: Random, domain: str) -> Mapping[str, Maker]:
    """Makers of things that keep returning to a few topics, and of masses and measures; none repeats itself at once."""
    fresh = _noun_maker(domain)
    topics = [fresh(rng) for _ in range(TOPICS)]

    def recurring(stream: Random) -> Noun:
        return stream.choice(topics) if stream.random() < TOPIC_SHARE else fresh(stream)

    noun = _unlike_the_last(recurring)
    return {
        "thing": lambda stream: noun(stream).singular,
        "things": lambda stream: noun(stream).plural,
        "mass": _unlike_the_last(_chooser(_lexicon(domain, "mass"))),
        "measure": _unlike_the_last(_chooser(_lexicon(domain, "measure"))),
    }


def _unlike_the_last(make: Callable[[Random], T]) -> Callable[[Random], T]:
    last: list[T] = []

    def differ(stream: Random) -> T:
        made = make(stream)
        while made in last:
            made = make(stream)
        last[:] = [made]
        return made

    return differ


@cache
def _words(domain: str) -> dict[str, Maker]:
    noun = _noun_maker(domain)
    agents = tuple(Noun.parse(word) for word in _lexicon(domain, "agent"))
    results = tuple(Noun.parse(word) for word in _lexicon("general", "result"))
    return {
        "thing": lambda rng: noun(rng).singular,
        "things": lambda rng: noun(rng).plural,
        "agent": lambda rng: rng.choice(agents).singular,
        "agents": lambda rng: rng.choice(agents).plural,
        "result": lambda rng: rng.choice(results).singular,
        "results": lambda rng: rng.choice(results).plural,
        "mass": _chooser(_lexicon(domain, "mass")),
        "measure": _chooser(_lexicon(domain, "measure")),
        "setting": _chooser(_lexicon(domain, "setting")),
        "adverb": _chooser(_lexicon("general", "adverb")),
        "evaluation": _chooser(_lexicon("general", "evaluation")),
        "adjective": _adjective_maker(domain),
        **_verb_makers("act", _lexicon(domain, "act"), _lexicon("general", "act")),
        **_verb_makers("affect", _lexicon("general", "affect")),
        **_verb_makers("report", _lexicon("general", "report")),
    }


def _chooser(words: tuple[str, ...]) -> Maker:
    return lambda rng: rng.choice(words)


@cache
def _noun_maker(domain: str) -> Callable[[Random], Noun]:
    listed = tuple(Noun.parse(word) for word in _lexicon(domain, "thing"))
    qualifiers = tuple(w for w in (*_lexicon(domain, "mass"), *(noun.singular for noun in listed)) if " " not in w)
    stems = _lexicon("general", "stem")
    endings = tuple(Noun.parse(word) for word in _lexicon("general", "ending"))

    def make(rng: Random) -> Noun:
        kind = rng.random()
        if kind < COINED_SHARE:
            stem, noun = rng.choice(stems), rng.choice(endings)
            return Noun(stem + noun.singular, stem + noun.plural)
        noun = rng.choice(listed)
        if kind < COINED_SHARE + COMPOUND_SHARE and " " not in noun.singular:
            qualifier = rng.choice(qualifiers)
            return Noun(f"{qualifier} {noun.singular}", f"{qualifier} {noun.plural}")
        return noun

    return make


def _adjective_maker(domain: str) -> Maker:
    own, general, mass = _lexicon(domain, "adjective"), _lexicon("general", "adjective"), _lexicon(domain, "mass")
    plain = tuple(word for word in own if "-" not in word and " " not in word and word.islower())

    def make(rng: Random) -> str:
        kind = rng.random()
        if kind < DERIVED_SHARE / 2:
            return rng.choice(PREFIXES) + rng.choice(plain)
        if kind < DERIVED_SHARE:
            return f"{rng.choice(mass).replace(' ', '-')}-{rng.choice(NOUN_SUFFIXES)}"
        return rng.choice(general if kind < DERIVED_SHARE + GENERAL_SHARE else own)

    return make


def _verb_makers(name: str, *lists: tuple[str, ...]) -> dict[str, Maker]:
    """Makers ``act``, ``acts``, ``acted``, ``acted_part`` and ``acting``; each list is as likely as the other."""
    verbs = tuple(tuple(Verb.parse(word) for word in words) for words in lists)

    def form(field: str) -> Maker:
        return lambda rng: str(getattr(rng.choice(rng.choice(verbs)), field))

    return {
        name: form("base"),
        f"{name}s": form("third"),
        f"{name}ed": form("past"),
        f"{name}ed_part": form("participle"),
        f"{name}ing": form("gerund"),
    }


@cache
def _lexicon(domain: str, kind: str) -> tuple[str, ...]:
    return _read()[f"{domain} {kind}"]


@cache
def _read() -> dict[str, tuple[str, ...]]:
    """The lists of ``lexicon.txt``: a name at the line start, words behind it, indented and separated by commas."""
    lists: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in (Path(__file__).parent / "lexicon.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] == " ":
            lists[name] = lists.get(name, ()) + tuple(line.strip().split(", "))
        else:
            name = line
    return lists


def _plural(word: str) -> str:
    """The regular plural of a noun; also the third person of a verb, which is spelt alike."""
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _past(word: str) -> str:
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ied"
    return word + ("d" if word.endswith("e") else "ed")


def _gerund(base: str, past: str) -> str:
    """The -ing form; a consonant doubled in the past is doubled here as well."""
    doubled = past.split(" ")[0].removesuffix("ed")
    if doubled[:-1] == base and doubled[-1] == base[-1]:
        return doubled + "ing"
    return (base[:-1] if base.endswith("e") and not base.endswith(("ee", "ye", "oe")) else base) + "ing"
