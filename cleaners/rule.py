"""What a cleaning rule is: a small pure function that keeps, fixes or drops one label and says why.

Rules are data: ``rules.RULES`` lists those of each task in the order they run, and every one carries its explanation
and an example of a label it does not simply pass, so that a list of rules can explain itself:

    >>> rule = Rule("text.artefact", "drops a label", "a", lambda text: Drop("text.artefact", text))
    >>> rule.judge(rule.example)
    Drop(reason='text.artefact', evidence='a')
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Subject = TypeVar("Subject")


@dataclass(frozen=True, slots=True)
class Keep:
    """The label stands. A reason may note something a build could want to select by; most rules note nothing."""

    reason: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """The label becomes ``text``. evidence: what stood there before, so that the change can be undone."""

    text: str
    reason: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Drop:
    """The record cannot be a true label of its picture. reason: a dotted code; evidence: what was seen, and where."""

    reason: str
    evidence: str


Verdict = Keep | Fix | Drop

KEEP = Keep()


@dataclass(frozen=True, slots=True)
class Rule(Generic[Subject]):
    """One rule of one task.

    name: a dotted code, unique in its list; it names the check a record carries. explain: one line, what it does and
    why. example: a label the rule fixes, drops or notes. judge: from a label (or a picture) to a verdict; it never
    raises for a label that is merely wrong.
    """

    name: str
    explain: str
    example: str
    judge: Callable[[Subject], Verdict]
