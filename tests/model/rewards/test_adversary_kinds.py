"""The adversary on pages of one kind: of prose, of tables, of formulas, in Chinese. Each answer is made from the page
itself, so its author knows all that stands on it, and earns less than a reader who misread one character in twenty."""

import base64
import codecs
import json
import random
import re
from collections import Counter
from collections.abc import Callable

import pytest

from proofpress.model.rewards import RewardRecipe, score

MODES = {"mean": RewardRecipe(), "product": RewardRecipe(combine="product")}

PROSE = (
    "# Invoice 4711 of 3 May\n\nThe customer in Basel ordered 12 pumps at 84.50 each and returned 3 of them on the 9th "
    "of April, for a credit of -253.50 in all.\n\nFreight came to 41.20, insurance to 2.5% of the value, and the rest "
    "was paid in two parts, of 300.00 and of 460.50, within thirty days of delivery.\n\n- Pumps are guaranteed for 24 "
    "months\n- Seals are not guaranteed\n- Returns need a number from the office\n\nNothing else was agreed between "
    "the two houses, neither by word of mouth nor in writing, before or after the order."
)
TABLES = (
    "<table><tr><th>Station</th><th>May</th><th>June</th><th>Change</th></tr><tr><td>Basel</td><td>1.5</td><td>2.75"
    "</td><td>83%</td></tr><tr><td>Bern</td><td>-7</td><td>-3.5</td><td>50%</td></tr><tr><td>Chur</td><td>12</td>"
    "<td></td><td>n/a</td></tr><tr><td>Total</td><td>6.5</td><td>-0.75</td><td>-112%</td></tr></table>\n\n"
    "<table><tr><td>Gauges</td><td>40</td></tr><tr><td>Flooded</td><td>12</td></tr><tr><td>Lost</td><td>3</td></tr>"
    "</table>"
)
FORMULAS = (
    "$$\\int_0^{2\\pi} \\sin^2(x) \\, dx = \\pi$$\n\n$$\\frac{\\partial u}{\\partial t} = \\alpha \\nabla^2 u + "
    "\\frac{f(x)}{\\rho c}$$\n\n$$A = \\begin{pmatrix} a_{11} & a_{12} \\\\ a_{21} & -a_{22} \\end{pmatrix}$$\n\n"
    "$$\\lim_{n \\to \\infty} \\left(1 + \\frac{1}{n}\\right)^n = \\sqrt[3]{e^3}$$"
)
CHINESE = (
    "# 莱茵河的洪水\n\n五月河水上涨了1.5%，沿岸40个水位站中有12个在降雨后-3小时内被淹没，"
    "自1876年旧桥被冲毁以来从未有过这样的情形。\n\n"
    "新桥经受住了考验，但堤坝有三处决口，损失约为2.75亿元，"
    "其中一半以上由保险公司承担，其余由地方政府支付。"
)
PAGES = {"prose": PROSE, "tables": TABLES, "formulas": FORMULAS, "chinese": CHINESE}

FILLER = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore "
TAGS = re.compile(r"<[^<>]*>|\\(?:begin|end)\{[a-z]+\}|\\[A-Za-z]+|\n+|[#$&{}\\-]")


def read(page: str, share: float = 0.05) -> str:
    """The page with a share of its letters and digits misread, its markup left alone."""
    rng = random.Random(3)

    def misread(text: str) -> str:
        return "".join(rng.choice("qzvj90") if c.isalnum() and rng.random() < share else c for c in text)

    pieces, at = [], 0
    for mark in TAGS.finditer(page):
        pieces += [misread(page[at : mark.start()]), mark[0]]
        at = mark.end()
    return "".join([*pieces, misread(page[at:])])


def shuffled(items: list[str], joint: str) -> str:
    random.Random(5).shuffle(items)
    return joint.join(items)


def cells(page: str, change: Callable[[list[str]], list[str]]) -> str:
    """The page with the texts of all its cells, or of its words where it has none, changed as one list."""
    parts = re.split(r"(?<=>)([^<>]*)(?=</t)" if "<td>" in page else r"(\w+)", page)
    parts[1::2] = change(parts[1::2])
    return "".join(parts)


def most_common(words: list[str]) -> list[str]:
    return [Counter(words).most_common(1)[0][0]] * len(words)


#: What is answered instead of reading.
ANSWERS: dict[str, Callable[[str], str]] = {
    "its words shuffled": lambda page: shuffled(page.split(), " "),
    "its characters shuffled": lambda page: shuffled(list(page), ""),
    "its blocks shuffled and halved": lambda page: shuffled([b[: len(b) // 2] for b in page.split("\n\n")], "\n\n"),
    "its words drawn anew": lambda page: " ".join(random.Random(7).choices(page.split(), k=len(page.split()))),
    "its words once each": lambda page: " ".join(dict.fromkeys(page.split())),
    "its commonest word everywhere": lambda page: cells(page, most_common),
    "each word doubled": lambda page: re.sub(r"(\w+)", r"\1 \1", page),
    "each character doubled": lambda page: re.sub(r"(\w)", r"\1\1", page),
    "each line twice": lambda page: "\n\n".join(f"{b}\n\n{b}" for b in page.split("\n\n")),
    "its first half twice": lambda page: (page[: len(page) // 2] + "\n\n") * 2,
    "its first fifth five times": lambda page: (page[: len(page) // 5] + "\n\n") * 5,
    "its last quarter four times": lambda page: (page[-len(page) // 4 :] + "\n\n") * 4,
    "every third character left out": lambda page: "".join(c for i, c in enumerate(page) if i % 3),
    "every second block left out": lambda page: "\n\n".join(page.split("\n\n")[::2]) if "\n\n" in page else "",
    "all of it in one paragraph backwards": lambda page: " ".join(page.split()[::-1]),
    "each character apart": lambda page: " ".join(page),
    "each word a paragraph": lambda page: "\n\n".join(page.split()),
    "each word a heading": lambda page: "\n\n".join(f"# {word}" for word in page.split()),
    "each word a cell": lambda page: (
        "<table>" + "".join(f"<tr><td>{word}</td></tr>" for word in TAGS.sub(" ", page).split()) + "</table>"
    ),
    "each word a formula": lambda page: "\n\n".join(f"$$\\text{{{word}}}$$" for word in TAGS.sub(" ", page).split()),
    "each word a note": lambda page: "\n\n".join(f"[^{i}]: {word}" for i, word in enumerate(page.split())),
    "letters turned by thirteen": lambda page: codecs.encode(page, "rot13"),
    "letters all x": lambda page: re.sub(r"[^\W\d_]", "x", page),
    "digits all 0": lambda page: re.sub(r"\w", "0", page),
    "in base 64": lambda page: base64.b64encode(page.encode()).decode(),
    "as JSON": lambda page: json.dumps({"page": page.split("\n\n")}),
    "as escapes": lambda page: page.encode("unicode_escape").decode(),
    "as a heading that holds it all": lambda page: "# " + TAGS.sub(" ", page),
    "as bytes in hex": lambda page: page.encode().hex(" "),
    "filler of its length": lambda page: (FILLER * 9)[: len(page)],
    "filler in its frame": lambda page: cells(page, lambda words: (FILLER.split() * 20)[: len(words)]),
    "its frame alone": lambda page: "".join(TAGS.findall(page)),
    "its numbers alone": lambda page: " ".join(re.findall(r"-?\d[\d.]*%?", page)),
    "its cells or words moved on by one": lambda page: cells(page, lambda words: words[1:] + words[:1]),
    "its cells or words in the order of the alphabet": lambda page: cells(page, sorted),
    "each number one more": lambda page: (
        re.sub(r"\d", lambda d: str((int(d[0]) + 1) % 10), page) if len(re.findall(r"\d", page)) > 20 else "1"
    ),
    "it in a comment behind its first words": lambda page: f"{page[:20]}<!-- {page} -->",
    "it between tags that are none": lambda page: " ".join(f"<x{i}>{w}" for i, w in enumerate(page.split())),
    "a refusal in its length": lambda page: ("I cannot read the page. " * 40)[: len(page)],
    "a summary": lambda page: "The page tells of a year, a sum and a loss; details are in the text above.",
    "itself and a summary, three times": lambda page: f"{page}\n\nIn short, much was lost and little won.\n\n" * 3,
    "all pages at once": lambda page: "\n\n".join(PAGES.values()),
}

#: What makes a mediocre reading worse.
FAULTS: dict[str, Callable[[str], str]] = {
    "an introduction": lambda page: f"Here is the text of the page:\n\n{page}",
    "a farewell": lambda page: f"{page}\n\nLet me know if you need anything else.",
    "front matter": lambda page: f"---\nprimary_language: en\nrotation: 0\n---\n\n{page}",
    "a fence around it": lambda page: f"```\n{page}\n```",
    "a fence that stays open": lambda page: f"{page}\n\n```",
    "a formula invented": lambda page: f"{page}\n\n$$q_1 = q_2 + 7$$",
    "a table invented": lambda page: f"{page}\n\n<table><tr><td>Zug</td><td>17</td></tr></table>",
    "a picture's name": lambda page: f"{page}\n\nFigure 9: A river in winter, seen from the west.",
    "its first block again": lambda page: f"{page}\n\n{page.split(chr(10) * 2)[0]}",
    "its last block left out": lambda page: page.rsplit("\n\n", 1)[0],
    "its first block left out": lambda page: page.split("\n\n", 1)[1],
    "its first two blocks swapped": lambda page: "\n\n".join(
        [*page.split("\n\n")[1::-1], *page.split("\n\n")[2:]]
    ),
    "two of its numbers swapped": lambda page: re.sub(r"(\d+)(\D+)(\d+)", r"\3\2\1", page, count=1),
    "a loop behind it": lambda page: page + " and so forth" * 8,
    "a line of dots": lambda page: f"{page}\n\n{'. ' * 60}",
    "a zero-width space in each word": lambda page: re.sub(r"(\w)(\w)", "\\1\u200b\\2", page),
}  # fmt: skip


#: Answers that are the page itself in another spelling: blanks stand between few of its signs, or letters are Latin.
SAME = {
    ("its words shuffled", "tables"),
    ("its words once each", "tables"),
    ("each word a paragraph", "tables"),
    ("each word a paragraph", "formulas"),
    ("letters turned by thirteen", "chinese"),
}


@pytest.fixture(scope="module", params=MODES)
def recipe(request: pytest.FixtureRequest) -> RewardRecipe:
    return MODES[request.param]


@pytest.mark.parametrize(
    ("what", "kind"), [(what, kind) for what in ANSWERS for kind in PAGES if (what, kind) not in SAME]
)
def test_no_answer_made_from_the_page_pays_like_reading_it(what: str, kind: str, recipe: RewardRecipe) -> None:
    page = PAGES[kind]
    honest = score(read(page), page, "page", recipe).value
    assert 0.2 < honest < 0.99
    answer = ANSWERS[what](page)
    assert score(answer, page, "page", recipe).value < honest


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("what", FAULTS)
def test_no_fault_added_to_a_reading_pays(what: str, kind: str, recipe: RewardRecipe) -> None:
    page = PAGES[kind]
    mediocre = read(page)
    worse = FAULTS[what](mediocre)
    if worse != mediocre:
        assert score(worse, page, "page", recipe).value < score(mediocre, page, "page", recipe).value


@pytest.mark.parametrize("kind", PAGES)
def test_more_misread_is_worth_less(kind: str, recipe: RewardRecipe) -> None:
    page = PAGES[kind]
    values = [score(read(page, share), page, "page", recipe).value for share in (0.0, 0.03, 0.1, 0.3, 0.9)]
    assert values == sorted(values, reverse=True)
    assert values[0] == pytest.approx(1.0) and values[-1] < 0.8 * values[1]
