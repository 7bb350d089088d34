"""How near CDM is to upstream's own: values that upstream's code gave, beside ours, for the same pairs of formulas.

python benchmarks/cdm.py RECORDED.jsonl

Each row has ``gold`` and ``pred``, LaTeX without delimiters, ``source``, and ``upstream``: ``f1``, ``gold``, ``pred``
(its numbers of tokens). A line a source says how far the values are apart and in how many golds the tokens are as many.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from proofpress.flows.typesetting import Typesetting
from proofpress.model.bench.cdm import Cdm, cdm
from proofpress.model.bench.cdm_forms import as_latex_goes_on

NEAR = 0.02


def line(source: str, rows: Sequence[dict], found: Sequence[Cdm | None]) -> str:
    """What is said of a source."""
    ours = np.array([round(one.value, 3) if one else 0.0 for one in found])
    theirs = np.array([row["upstream"]["f1"] for row in rows])
    apart = np.abs(ours - theirs)
    tokens = np.mean(
        [(one.gold if one else 0) == row["upstream"]["gold"] for one, row in zip(found, rows, strict=True)]
    )
    return (
        f"{source:<10} {len(rows):>4} pairs: ours {ours.mean():.3f}, upstream {theirs.mean():.3f}, apart by "
        f"{apart.mean():.3f} on average and {np.median(apart):.3f} in the median, {np.mean(apart <= NEAR):.0%} within "
        f"{NEAR}; as many tokens in {tokens:.0%} of the golds"
    )


def main() -> None:
    """Read, measure and say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=Path)
    rows = [json.loads(text) for text in parser.parse_args().recorded.read_text(encoding="utf-8").splitlines()]
    with Typesetting() as typeset:
        layouts = iter(typeset([as_latex_goes_on(row[side]) for row in rows for side in ("pred", "gold")]))
        found = [cdm(next(layouts), next(layouts)) for _ in rows]
    sources = defaultdict(list)
    for row, one in zip(rows, found, strict=True):
        for source in (row["source"], "all"):
            sources[source].append((row, one))
    for source, pairs in sources.items():
        print(line(source, *zip(*pairs, strict=True)))


if __name__ == "__main__":
    main()
