"""What becomes of duplicates: which rows of a cluster stay, and in which split each row stands.

Of each cluster and task one row stays, or all do. Whichever: rows that are one content never stand in two splits. A
cluster goes where its most held-out row is, with all that shares a content with it, so that nothing that is tested on
is trained on.

    settled = settle(prints, find_clusters(prints), keep="one")
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from proofpress.cleaners.duplicates.clusters import Found
from proofpress.cleaners.duplicates.fingerprint import Fingerprints

Array = np.ndarray[Any, Any]
Keep = Literal["one", "all"]


@dataclass(frozen=True, slots=True)
class Settled:
    """(N,) each. stays: the row in whose favour a row goes, itself where it stays. splits: where it stands."""

    stays: Array
    splits: list[str]


def held_out(split: str) -> tuple[int, str]:
    """How far a split is kept from training: ``train``, then ``validation``, then the others by name."""
    return (0 if split == "train" else 1 if split == "validation" else 2, split)


def settle(prints: Fingerprints, found: Found, keep: Keep = "one") -> Settled:
    """Who stays, and where; the same for the same rows in the same order."""
    ids = np.array(prints.strings("id"), dtype="S32")
    names = sorted(set(prints.strings("split")), key=held_out)
    rank = np.array([names.index(split) for split in prints.strings("split")], np.int64)
    # Who are alternatives to each other: rows of one cluster and task, or else only those that are the same row twice.
    group = [prints.column("task"), found.labels] if keep == "one" else [np.unique(ids, return_inverse=True)[1]]
    best_first = np.lexsort((ids, -prints.column("area"), -rank, *group))
    begins = np.zeros(prints.rows, bool)
    begins[:1] = True
    for part in group:
        begins[1:] |= part[best_first[1:]] != part[best_first[:-1]]
    stays = np.empty(prints.rows, np.int64)
    stays[best_first] = best_first[begins][np.cumsum(begins) - 1] if prints.rows else best_first
    splits = _split_by_component(found.labels, prints.column("content_id"), rank, stays == np.arange(prints.rows))
    return Settled(stays, [names[place] for place in splits])


def _split_by_component(labels: Array, contents: Array, rank: Array, kept: Array) -> Array:
    """The rank of each row's split: the highest among the kept rows that hang together by cluster or content."""
    if not len(labels):
        return rank
    first_content = len(labels)
    count = first_content + int(contents.max()) + 1
    edges = (labels[kept], first_content + contents[kept])
    graph = coo_array((np.ones(len(edges[0]), np.int8), edges), shape=(count, count))
    component = connected_components(graph, directed=False)[1][labels]
    highest = np.zeros(count, np.int64)
    np.maximum.at(highest, component[kept], rank[kept])
    return np.where(kept, highest[component], rank)
