"""The logical trace for scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from topoview.logical.expansion import Entry
from topoview.logical.listing import listing
from topoview.model import LogicalTrace


def logical_record(
    logical: LogicalTrace, expansions: Mapping[int, Sequence[Entry]] | None = None
) -> dict[str, Any]:
    """Describe a logical trace as JSON-able values: what ``topoview logical`` prints.

    Parameters
    ----------
    expansions
        Calls of ranks, from `expand`, to add.
    """
    record: dict[str, Any] = {
        "ranks": logical.ranks,
        "maximal_rank": logical.maximal_rank,
        "records": logical.records,
        "statements": logical.statements,
        "loops": logical.loops,
        "depth": logical.depth,
        "calls_excluded": logical.calls_excluded,
        "bytes_excluded": logical.bytes_excluded,
        "ranks_verified": logical.ranks_verified,
        "groups": logical.groups,
        "blocks": len(logical.blocks),
        "conditions": len(logical.guards),
        "notes": list(logical.notes),
        "listing": listing(logical),
        "seconds": logical.seconds,
    }
    if logical.maximal is not None:
        record["maximal"] = asdict(logical.maximal)
    if expansions:
        record["expansion"] = {
            str(rank): [list(entry) for entry in entries]
            for rank, entries in expansions.items()
        }
    return record
