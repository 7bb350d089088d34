from dataclasses import replace

import pytest
from PIL import Image

from proofpress.cleaners.language import disagrees, language_of
from proofpress.cleaners.licences import OPEN_LICENCES, may_train, refusal, restriction
from proofpress.cleaners.screen import Screen
from proofpress.pages.image import encode_png
from proofpress.pages.record import PageRecord, Reject, Source

ENGLISH = "The mass of the body is measured in kilograms and its length in metres."


def page(text: str = ENGLISH, licence: str = "MIT", language: str = "") -> PageRecord:
    source = Source("test", "1", "1", licence)
    return PageRecord(
        "1" * 32, encode_png(Image.new("RGB", (20, 20), "grey")), 20, 20, text, "page", source, language=language
    )


@pytest.mark.parametrize(
    ("licence", "why"),
    [
        ("CC-BY-NC-4.0", "forbids commercial use"), ("CC-BY-NC-ND-4.0", "forbids commercial use"),
        ("CC-BY-ND-4.0", "forbids passing on what was changed"), ("LicenseRef-research-only", "allows research only"),
        ("ICDAR-SROIE challenge terms", "allows research only"), ("CC-BY-SA-4.0", "under the same terms"),
        ("GPL-3.0-only", "under the same terms"), ("LicenseRef-own", "not known to be open"), ("", "nobody knows"),
    ],
)  # fmt: skip
def test_what_a_licence_forbids_is_refused_unless_the_recipe_names_it(licence, why):
    assert why in refusal(licence, OPEN_LICENCES)
    assert why in restriction(licence) or not licence
    if licence:
        assert refusal(licence, (licence.lower(),)) == ""
    rejected = Screen(OPEN_LICENCES).pass_or_reject(page(licence=licence))
    assert isinstance(rejected, Reject) and rejected.reason == "licence.refused" and why in rejected.evidence


@pytest.mark.parametrize("licence", OPEN_LICENCES)
def test_open_licences_restrict_nothing(licence):
    assert restriction(licence) == "" == refusal(licence, OPEN_LICENCES)
    assert isinstance(Screen(OPEN_LICENCES).pass_or_reject(page(licence=licence)), PageRecord)


def test_a_benchmark_may_only_be_tested_on():
    assert [may_train(True, split) for split in ("train", "validation", "test")] == [False, False, True]
    assert may_train(False, "train")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"), ("Das ist ein kurzer Satz über die Masse des Körpers.", "de"), ("这是一个中文句子。", "zh"),
        ("Cette phrase est écrite en français pour le test.", "fr"), ("質量を測定する装置です。", "ja"),
        ("이 문장은 한국어로 쓰여 있습니다.", "ko"), ("Η πρόταση είναι στα ελληνικά", "el"),
        ("$x^2 + y^2$", ""), ("12 34 56", ""), ("Introduction", ""), ("", ""), ("kg mg ml cm mm 95% CI", ""),
    ],
)  # fmt: skip
def test_a_language_is_told_only_where_it_is_sure(text, language):
    assert language_of(text) == language


def test_a_declared_language_is_kept_and_a_sure_contradiction_noted():
    assert disagrees("de-DE", ENGLISH) == "en" and disagrees("en", ENGLISH) == "" == disagrees("", ENGLISH)
    screened = Screen(OPEN_LICENCES).pass_or_reject(page(language="de"))
    assert screened.language == "de" and screened.checks[-1].reason == "language.differs"
    assert Screen(OPEN_LICENCES).pass_or_reject(page()).language == "en"


def test_personal_data_is_flagged_or_dropped_without_a_trace_of_it():
    leaking = page(ENGLISH + " Write to a.b@uni.example.")
    kept = Screen(OPEN_LICENCES).pass_or_reject(leaking)
    assert kept.text == leaking.text and kept.checks[-1].reason == "personal.email"
    for policy, reason in (("drop", "personal.email"), ("mask", "personal.unmaskable")):
        gone = Screen(OPEN_LICENCES, personal=policy).pass_or_reject(leaking)
        assert isinstance(gone, Reject) and gone.reason == reason and gone.source == leaking.source
        assert gone.image == b"" and "uni.example" not in str(gone.to_row())


def test_earlier_rejects_do_not_leak_what_the_policy_drops():
    reject = Reject(
        "1" * 32, "clean", "x", "saw a.b@uni.example", page().source, "a.b@uni.example", b"png", '{"a":"b"}'
    )
    assert Screen(OPEN_LICENCES).pass_or_reject(reject) == reject
    assert "uni.example" not in str(Screen(OPEN_LICENCES, personal="drop").pass_or_reject(reject).to_row())
    harmless = replace(reject, text="nothing", evidence="e", original="{}")
    assert Screen(OPEN_LICENCES, personal="drop").pass_or_reject(harmless) == harmless
