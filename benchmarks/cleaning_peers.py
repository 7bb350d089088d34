"""What web-text filters make of document labels: Gopher's quality and repetition rules at their published thresholds.

Rae et al. 2021, "Scaling Language Models" (arXiv 2112.11446, table A1), with the defaults that datatrove gives them
(``GopherQualityFilter``, ``GopherRepetitionFilter`` of 0.10). Written from the paper; words are runs of letters and
digits, or single marks.
"""

import re
from collections import Counter

_TOKEN = re.compile(r"\w+|[^\w\s]")
_STOP_WORDS = frozenset({"the", "be", "to", "of", "and", "that", "have", "with"})
_TOP_NGRAMS = ((2, 0.20), (3, 0.18), (4, 0.16))
_DUPLICATE_NGRAMS = ((5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10))


def gopher_quality(text: str) -> str:
    """Why the quality rules reject a text; empty where they do not."""
    tokens = _TOKEN.findall(text)
    words = [token for token in tokens if token[0].isalnum()]
    lines = text.splitlines()
    if not 50 <= len(words) <= 100_000:
        return f"{len(words)} words"
    if not 3 <= sum(map(len, words)) / len(words) <= 10:
        return "mean word length"
    if max(text.count("#"), text.count("...") + text.count("…")) / len(tokens) > 0.1:
        return "symbols"
    if sum(line.lstrip().startswith(("•", "-")) for line in lines) / len(lines) > 0.9:
        return "bullets"
    if sum(line.rstrip().endswith(("...", "…")) for line in lines) / len(lines) > 0.3:
        return "ellipses"
    if sum(any(letter.isalpha() for letter in token) for token in tokens) / len(tokens) < 0.8:
        return "words without letters"
    return "stop words" if len(_STOP_WORDS & set(words)) < 2 else ""


def gopher_repetition(text: str) -> str:
    """Why the repetition rules reject a text; empty where they do not."""
    for name, pieces, share, characters in (
        ("paragraphs", re.split(r"\n{2,}", text.strip()), 0.3, 0.2),
        ("lines", re.split(r"\n+", text), 0.3, 0.2),
    ):
        repeated = [piece for piece, count in Counter(pieces).items() for _ in range(count - 1)]
        if len(repeated) / len(pieces) > share or sum(map(len, repeated)) / max(1, len(text)) > characters:
            return f"repeated {name}"
    words = _TOKEN.findall(text)
    for size, share in _TOP_NGRAMS:
        grams = Counter(" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
        top, count = grams.most_common(1)[0] if grams else ("", 0)
        if len(top) * count / max(1, len(text)) > share:
            return f"one {size}-gram"
    for size, share in _DUPLICATE_NGRAMS:
        seen: set[str] = set()
        repeated_characters = at = 0
        while at < len(words) - size + 1:
            gram = "".join(words[at : at + size])
            repeated_characters += len(gram) if gram in seen else 0
            at += size if gram in seen else 1
            seen.add(gram)
        if repeated_characters / max(1, len(text)) > share:
            return f"repeated {size}-grams"
    return ""
