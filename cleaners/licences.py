"""What licences allow: which of them a training set may take without being asked, and why not the others.

A dataset changes what it takes (labels are fixed, pictures cropped) and passes it on, and models are trained on it for
any purpose. So a licence that forbids commercial use or changes, that allows research only, or that nobody knows, is
refused unless the recipe names it. A benchmark is refused from training whatever its licence.

    >>> refusal("CC-BY-NC-SA-4.0", OPEN_LICENCES)
    'CC-BY-NC-SA-4.0 forbids commercial use'
    >>> refusal("CC-BY-NC-SA-4.0", (*OPEN_LICENCES, "CC-BY-NC-SA-4.0"))
    ''
"""

import re
from collections.abc import Collection

#: SPDX ids of licences that allow training, changing and passing on.
OPEN_LICENCES = (
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "CC0-1.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0",
    "MIT", "ODC-By-1.0",
)  # fmt: skip

#: As open, but what is made of it must be passed on under the same terms: a recipe takes them by naming them.
SHARE_ALIKE = re.compile(r"(?i)\bSA\b|ODbL|GPL|CDLA-Sharing")

_WHY_NOT = (
    (re.compile(r"(?i)(^|[-\s])NC([-\s]|$)|non-?commercial"), "forbids commercial use"),
    (re.compile(r"(?i)(^|[-\s])ND([-\s]|$)|no-?deriv"), "forbids passing on what was changed"),
    (re.compile(r"(?i)research|academic|challenge"), "allows research only"),
    (SHARE_ALIKE, "asks that all made from it is under the same terms"),
)

#: Splits that models learn from; the others are for measuring.
TRAINING_SPLITS = ("train", "validation")


def refusal(licence: str, accepted: Collection[str]) -> str:
    """Why a licence is refused, in words that go on after its name; empty where it is accepted.

    accepted: what the recipe names; ids are compared without case.
    """
    if licence and licence.lower() in {name.lower() for name in accepted}:
        return ""
    if not licence:
        return "nobody knows its licence"
    return f"{licence} {restriction(licence) or 'is not among those the recipe accepts'}"


def restriction(licence: str) -> str:
    """What of training, changing or passing on a licence does not allow; empty for an open one."""
    if licence in OPEN_LICENCES:
        return ""
    return next((why for pattern, why in _WHY_NOT if pattern.search(licence)), "is not known to be open")


def may_train(benchmark: bool, split: str) -> bool:
    """Whether a row may stand in a split: one of a benchmark never stands where models learn."""
    return not (benchmark and split in TRAINING_SPLITS)


def joined(*licences: str) -> str:
    """The licences that hold together for what is under all of them, as an SPDX expression."""
    return " AND ".join(sorted({part for licence in licences for part in licence.split(" AND ")}))
