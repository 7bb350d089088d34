import pytest

from proofpress.flows import doctor
from proofpress.flows.doctor import Finding, diagnose, render
from proofpress.pages.errors import RequestError

NAMES = ["python", "browser", "fonts", "katex", "torch", "weights", "disk"]


def failing(*_):
    raise RequestError("nothing there\nnot anywhere")


def test_the_findings_always_stand_in_the_same_order():
    assert [finding.name for finding in diagnose()] == NAMES


def test_a_set_up_machine_has_what_the_press_needs():
    found = {finding.name: finding for finding in diagnose()}
    for name in ("python", "fonts", "katex", "torch", "disk"):
        assert found[name].ok, found[name]
    assert "0.16.21" in found["katex"].found and int(found["fonts"].found.split()[0]) >= 20


@pytest.mark.parametrize(
    ("name", "patched", "value"),
    [
        ("browser", "find_browser", failing),
        ("fonts", "catalogue", failing),
        ("katex", "katex_js", failing),
        ("katex", "KATEX", "9.9.9"),
        ("disk", "MIN_FREE", 2**80),
    ],
)
def test_what_is_missing_is_a_finding_with_its_fix(monkeypatch, name, patched, value):
    monkeypatch.setattr(doctor, patched, value)
    finding = next(finding for finding in diagnose() if finding.name == name)
    assert not finding.ok and finding.found and finding.fix


def test_a_fix_stands_below_what_it_mends():
    lines = render([Finding("a", True, "here"), Finding("browser", False, "none", "this\nor that")]).splitlines()
    assert lines == ["ok      a        here", "MISSING browser  none", "        this", "        or that"]


def test_an_ok_finding_needs_no_fix():
    assert all(not finding.fix for finding in diagnose() if finding.ok)
