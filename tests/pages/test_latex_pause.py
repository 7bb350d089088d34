"""A formula is no worse for the machine having slept while it was read."""

from py_mini_racer import JSTimeoutException, MiniRacer

from proofpress.pages import latex


def test_a_pause_of_the_machine_makes_no_formula_wrong(monkeypatch):
    latex.is_valid("x")  # KaTeX is there
    right, calls = MiniRacer.eval, []

    def slept(self, code, **how):
        calls.append(code)
        if len(calls) == 1:
            raise JSTimeoutException
        return right(self, code, **how)

    monkeypatch.setattr(MiniRacer, "eval", slept)
    assert latex.is_valid(r"\frac{slept}{once}")
    assert len(calls) == 2 and calls[0] == calls[1]


def test_a_formula_that_is_slow_twice_is_an_error(monkeypatch):
    def slow(self, code, **how):
        raise JSTimeoutException

    latex.is_valid("x")  # KaTeX is there
    monkeypatch.setattr(MiniRacer, "eval", slow)
    assert not latex.is_valid(r"\frac{slow}{twice}")
