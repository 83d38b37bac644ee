"""Bytes that one-sided calls put into other ranks' memory, or get from it.

OTF2 records them apart from messages (RmaPut, RmaGet, RmaAtomic): at the rank that
makes the call, with the window and the target's number in it. They are counted apart
from messages too, and who the target is follows from who made the window.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from topoview.logical.calls.one_sided import (
    FETCHED_BYTES,
    SENT_BYTES,
    calls_around,
    ranks_of,
    window_members,
    world_targets,
)
from topoview.model import Bools, CommunicationMatrix, Regions, Trace, Transfers

ONLY_ONE_SIDED = (
    "the ranks exchange no messages: the topology is that of their one-sided "
    "transfers (put and get)"
)


def transfers(trace: Trace) -> Transfers:
    """Gather them from the trace's records.

    What reaches a target that is not known is left out, an atomic operation counts
    once for each way in which it moves bytes.
    """
    records = {table.name: table for table in trace.further}
    members = window_members(trace)
    parts = []
    for kinds, comes in ((SENT_BYTES, False), (FETCHED_BYTES, True)):
        for name, field in kinds.items():
            if name not in records or not len(records[name]):
                continue
            own = records[name]
            origin = ranks_of(trace, own)
            some = slice(0, len(origin))
            window, remote = own.column("window")[some], own.column("remote")[some]
            target = world_targets(window, remote, members, trace.ranks)
            size, time = np.maximum(own.column(field)[some], 0), own.time[some]
            kept = (target >= 0) & ((name != "RmaAtomic") | (size > 0))
            ends = (target, origin) if comes else (origin, target)
            columns = (*ends, size, time, origin)
            parts.append([column[kept] for column in columns])
    if not parts:
        return Transfers(*(np.zeros(0, np.int64) for _ in range(5)))
    sender, receiver, size, time, origin = (
        np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True)
    )
    order = np.lexsort((time, origin))
    call = calls_around(trace, origin, time)
    columns = (sender, receiver, size, time, call)
    return Transfers(*(column[order] for column in columns))


def one_sided_matrix(
    ranks: int, moved: Transfers, chosen: Bools | None = None
) -> CommunicationMatrix | None:
    """Count transfers and their bytes by pairs of ranks; None if there are none.

    Parameters
    ----------
    ranks
        Ranks of the trace.
    chosen : bool, shape (transfers,)
        Those that count; all if None.
    """
    from topoview.topology.matrix import matrix_of

    if not len(moved):
        return None
    columns = (moved.sender, moved.receiver, np.ones(len(moved), np.int64), moved.size)
    if chosen is not None:
        columns = tuple(column[chosen] for column in columns)  # type: ignore[assignment]
    return replace(matrix_of(ranks, *columns), one_sided=True)


def added_one_sided(
    parts: Sequence[CommunicationMatrix | None], regions: Regions
) -> CommunicationMatrix | None:
    """Add up the transfers of parts of a trace."""
    from topoview.topology.matrix import added_matrices

    some = [one for one in parts if one is not None]
    if not some:
        return None
    unrecorded = some[0].unrecorded  # of the whole trace
    return replace(added_matrices(some, regions), one_sided=True, unrecorded=unrecorded)


def identified_traffic(
    matrix: CommunicationMatrix, moved: CommunicationMatrix | None
) -> CommunicationMatrix:
    """Choose what the topology is identified on: messages, if there are any at all."""
    return matrix if len(matrix.counts) or moved is None else moved
