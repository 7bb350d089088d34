import re
from urllib.parse import unquote, urlsplit

import pytest

from proofpress.generators.fonts import FontFamily, catalogue, face_css, families

FAMILIES = {family.name: family for family in catalogue()}
TEXTS = {name: family for name, family in FAMILIES.items() if family.kind != "math"}


def test_the_catalogue_is_sorted_and_holds_every_kind():
    assert list(FAMILIES) == sorted(FAMILIES)
    assert {family.kind for family in FAMILIES.values()} == {"serif", "sans", "mono", "math"}


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_a_family_is_regular_with_licence_and_version(family):
    assert 400 in {file.weight for file in family.files}
    assert family.licence in {"OFL-1.1", "Apache-2.0"} and re.fullmatch(r"\d+\.\d+\.\d+", family.version)


@pytest.mark.parametrize("family", families("latin"), ids=lambda family: family.name)
def test_every_family_for_latin_covers_english_with_its_marks(family):
    assert family.covers("The “quick” fox – 50 % of it, naïve façade's: 3.14 × 10\n(twice)")


SPECIMENS = {
    "latin": "Żółć, ğüş, ñandú, œuvre",
    "greek": "Ωμέγα και ψηφία",
    "cyrillic": "Съешь ещё этих булок",
    "chinese": "中文排版，标点。",
    "japanese": "日本語の組版、かな。",
    "korean": "한국어 조판",
    "arabic": "النص العربي ١٢٣",
    "hebrew": "טקסט בעברית",
    "devanagari": "हिन्दी पाठ",
}


@pytest.mark.parametrize("script", SPECIMENS)
@pytest.mark.parametrize("kind", ["serif", "sans"])
def test_every_script_has_families_of_both_kinds_that_cover_it(script, kind):
    covering = [family for family in families(script, kind) if family.covers(SPECIMENS[script])]
    assert covering
    assert all(family.home in ("", script) for family in covering)


def test_a_family_made_for_one_script_sets_no_other():
    assert not {family.name for family in families("latin")} & {"BIZ UDPMincho", "Amiri", "Noto Sans Hebrew"}
    assert {family.name for family in families("chinese")} == {"Noto Sans SC", "Noto Serif SC"}


def test_what_is_missing_is_named():
    assert FAMILIES["Nanum Gothic"].missing("한 ☃ 中\n") == "☃中"


@pytest.mark.parametrize(
    ("text", "covered"),
    [("Ωμέγα", True), ("Ёжик", True), ("Ǻ", True), ("中文", False), ("हिन्दी", False), ("\ue000", False), ("∮", False)],
)
def test_coverage_is_what_the_glyphs_say(text, covered):
    assert FAMILIES["Noto Serif"].covers(text) == covered


def test_a_character_is_covered_only_if_every_face_has_it():
    regular, bold = (
        next(file for file in FAMILIES["Noto Serif"].files if f"-{script}-{weight}-normal" in file.path.name)
        for script, weight in (("latin", 400), ("greek", 700))
    )
    family = FontFamily("Halves", "serif", (regular, bold), "OFL-1.1", "1.0.0")
    assert not family.covers("a") and not family.covers("Ω") and family.covers("")


def test_css_names_a_file_that_is_there_with_its_range():
    family = FAMILIES["STIX Two Text"]
    rules = face_css(family).splitlines()
    assert len(rules) == len(family.files)
    for rule, file in zip(rules, family.files, strict=True):
        address = re.search(r"url\('(file://[^']+)'\)", rule)
        assert address and unquote(urlsplit(address[1]).path) == str(file.path) and file.path.is_file()
        assert f"unicode-range:{file.ranges}" in rule and "font-family:'STIX Two Text'" in rule


def test_a_math_font_is_offered_whole():
    family = FAMILIES["STIX Two Math"]
    assert family.covers("𝔹∮𝒜") and "unicode-range" not in face_css(family)


def test_a_family_is_known_by_its_bytes():
    digests = [family.sha256() for family in FAMILIES.values()]
    assert len(set(digests)) == len(digests) and digests[0] == next(iter(FAMILIES.values())).sha256()
