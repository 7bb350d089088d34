"""What was found out about duplicates, for people and for later tools: a row for each row of each cluster, and counts.

account = Account(prints, found, settled)
account.table()       # clusters.parquet
account.facts()       # for a manifest
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa

from proofpress.cleaners.duplicates.clusters import Found, Link
from proofpress.cleaners.duplicates.fingerprint import Fingerprints
from proofpress.cleaners.duplicates.resolve import Settled

SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ("cluster_id", "id", "source", "task", "split")),
        ("kept", pa.bool_()),
        ("evidence", pa.string()),  # id, pixels, label, text or image: what joined it; empty for a cluster's first
        ("likeness", pa.float32()),
        ("like", pa.string()),  # the row it is like, by that evidence
    ]
)
#: The file of that table in a dataset folder.
CLUSTERS = "clusters.parquet"
LARGEST = 5  # clusters that are named


@dataclass(frozen=True)
class Account:
    """Fingerprints, what was found among them, and what became of it."""

    prints: Fingerprints
    found: Found
    settled: Settled

    @cached_property
    def cluster_ids(self) -> list[str]:
        """Of each row the id of its cluster, the least of its rows' ids: its own where it is alone."""
        least: dict[int, str] = {}
        labels = self.found.labels.tolist()
        for identity, label in zip(self._ids, labels, strict=True):
            least[label] = min(identity, least.get(label, identity))
        return [least[label] for label in labels]

    @cached_property
    def dropped(self) -> dict[int, tuple[str, str]]:
        """Row -> reason and evidence, for each row that does not stay."""
        gone = {}
        for row, stay in enumerate(self.settled.stays.tolist()):
            if stay == row:
                continue
            link = self._links.get(row) or self._into[row]
            other = self._ids[link.of if link.row == row else link.row]
            evidence = (
                f"{self._ids[stay]} of {self._sources[stay]} stays, in {self.settled.splits[stay]}; "
                f"this is like {other} by its {link.kind}, {link.likeness:g}"
            )
            gone[row] = f"duplicate.{link.kind}", evidence
        return gone

    def table(self) -> pa.Table:
        """The rows of all clusters of more than one, cluster by cluster."""
        rows = [row for _, members in self._clusters for row in members]
        links = [self._links.get(row) for row in rows]
        columns = {
            "cluster_id": [self.cluster_ids[row] for row in rows],
            "id": [self._ids[row] for row in rows],
            "source": [self._sources[row] for row in rows],
            "task": [self._tasks[row] for row in rows],
            "split": [self.settled.splits[row] for row in rows],
            "kept": [row not in self.dropped for row in rows],
            "evidence": [link.kind if link else "" for link in links],
            "likeness": [link.likeness if link else None for link in links],
            "like": [self._ids[link.of] if link else "" for link in links],
        }
        return pa.Table.from_pydict(columns, SCHEMA)

    def facts(self) -> dict[str, Any]:
        """clusters, rows in them, dropped and moved ones; clusters by their sources; links by evidence; the largest."""
        before = self.prints.strings("split")
        mixed = Counter(" + ".join(sorted({self._sources[row] for row in rows})) for _, rows in self._clusters)
        moved = (row not in self.dropped and before[row] != split for row, split in enumerate(self.settled.splits))
        largest = sorted(self._clusters, key=lambda cluster: (-len(cluster[1]), cluster[0]))[:LARGEST]
        return {
            "clusters": len(self._clusters),
            "rows": sum(len(rows) for _, rows in self._clusters),
            "dropped": len(self.dropped),
            "moved": sum(moved),
            "sources": dict(mixed),
            "evidence": dict(Counter(link.kind for link in self.found.links)),
            "largest": [[cluster, len(rows)] for cluster, rows in largest],
        }

    @cached_property
    def _clusters(self) -> list[tuple[str, list[int]]]:
        members: dict[str, list[int]] = defaultdict(list)
        for row, cluster in enumerate(self.cluster_ids):
            members[cluster].append(row)
        return sorted((cluster, rows) for cluster, rows in members.items() if len(rows) > 1)

    @cached_property
    def _links(self) -> dict[int, Link]:
        return {link.row: link for link in reversed(self.found.links)}

    @cached_property
    def _into(self) -> dict[int, Link]:
        """The first link that leads to a row: that of a cluster's first row, which no link starts from."""
        return {link.of: link for link in reversed(self.found.links)}

    @cached_property
    def _ids(self) -> list[str]:
        return self.prints.strings("id")

    @cached_property
    def _sources(self) -> list[str]:
        return self.prints.strings("source")

    @cached_property
    def _tasks(self) -> list[str]:
        return self.prints.strings("task")
