"""Bytes that one-sided calls put into other ranks' memory, or get from it.

OTF2 records them apart from messages (RmaPut, RmaGet, RmaAtomic): at the rank that
makes the call, with the window and the target's number in it. They are counted apart
from messages too, and who the target is follows from who made the window.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from topoview.live.call_filter import CallFilter
from topoview.live.selection import selected_calls
from topoview.logical.calls.one_sided import (
    FETCHED_BYTES,
    SENT_BYTES,
    calls_around,
    ranks_of,
    window_members,
    world_targets,
)
from topoview.model import (
    Bools,
    Calls,
    CommunicationMatrix,
    Indices,
    Ints,
    LogicalTrace,
    Trace,
    Transfers,
)

ONLY_ONE_SIDED = (
    "the ranks exchange no messages: the topology is that of their one-sided "
    "transfers (put and get)"
)


_TRANSFERS_OF_CALLS: WeakKeyDictionary[Calls, Transfers] = WeakKeyDictionary()


def transfers(trace: Trace) -> Transfers:
    """Gather them from the trace's records; made once.

    What reaches a target that is not known is left out, an atomic operation counts
    once for each way in which it moves bytes.
    """
    found = _TRANSFERS_OF_CALLS.get(trace.calls)
    if found is None:
        found = _TRANSFERS_OF_CALLS[trace.calls] = _gathered(trace)
    return found


def _gathered(trace: Trace) -> Transfers:
    records = {found.name: found for found in trace.further}
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
    trace: Trace, chosen: Bools | None = None
) -> CommunicationMatrix | None:
    """Count transfers and their bytes by pairs of ranks; None if there are none.

    Parameters
    ----------
    chosen : bool, shape (transfers,)
        Those that count; all if None.
    """
    from topoview.topology.matrix import matrix_of

    found = transfers(trace)
    if not len(found):
        return None
    columns = (found.sender, found.receiver, np.ones(len(found), np.int64), found.size)
    if chosen is not None:
        columns = tuple(column[chosen] for column in columns)  # type: ignore[assignment]
    return replace(matrix_of(trace.ranks, *columns), one_sided=True)


def chosen_transfers(
    trace: Trace,
    logical: LogicalTrace | None,
    *,
    wanted: CallFilter | None = None,
    window: tuple[int, int] | None = None,
    ranks: tuple[int, ...] = (),
) -> Bools:
    """Tell which transfers are meant, as `topoview.live.selection.selected_messages`.

    Returns
    -------
    bool, shape (transfers,)
    """
    found = transfers(trace)
    mask = np.ones(len(found), bool)
    if window is not None:
        mask &= (found.time >= window[0]) & (found.time < window[1])
    if ranks:
        own = np.zeros(trace.ranks, bool)
        own[list(ranks)] = True
        mask &= own[found.sender] | own[found.receiver]
    if wanted:
        mask &= _of_calls(trace, logical, wanted, found.call)
    return mask


def _of_calls(
    trace: Trace, logical: LogicalTrace | None, wanted: CallFilter, call: Ints
) -> Bools:
    key, meant = selected_calls(trace, logical, wanted)
    found: Bools = call >= 0
    found[found] = meant[np.asarray(key)[call[found]]]
    return found


def identified_traffic(
    matrix: CommunicationMatrix, moved: CommunicationMatrix | None
) -> CommunicationMatrix:
    """Choose what the topology is identified on: messages, if there are any at all."""
    return matrix if matrix.calls.nnz or moved is None else moved


def transfer_edges(
    trace: Trace, logical: LogicalTrace | None, wanted: CallFilter
) -> Indices:
    """Pairs of ranks between which the calls that are meant move bytes.

    Returns
    -------
    int32, shape (edges, 2)
        Different ranks, smaller first, ascending.
    """
    found = transfers(trace)
    mask = chosen_transfers(trace, logical, wanted=wanted)
    return _joined(found.sender[mask], found.receiver[mask])


def call_transfers(trace: Trace, call: int) -> Indices:
    """Sender and receiver of what a call moves: int32, shape (pairs, 2)."""
    found = transfers(trace)
    own = np.flatnonzero(found.call == call) if call >= 0 else np.zeros(0, np.int64)
    ends = np.stack([found.sender[own], found.receiver[own]], axis=1)
    return np.unique(ends, axis=0).astype(np.int32).reshape(-1, 2)


def transfer_traffic(trace: Trace, window: tuple[int, int], edges: Indices) -> Ints:
    """Sum up the bytes that one-sided calls moved in a window, both ways.

    Parameters
    ----------
    edges : int32, shape (n, 2)
        Pairs of ranks.

    Returns
    -------
    int64, shape (n,)
    """
    found = transfers(trace)
    mask = chosen_transfers(trace, None, window=window)
    low, high = np.sort(edges.astype(np.int64), axis=1).T
    keys, place = np.unique(low * trace.ranks + high, return_inverse=True)
    a, b = found.sender[mask], found.receiver[mask]
    key = np.minimum(a, b) * trace.ranks + np.maximum(a, b)
    at = np.searchsorted(keys, key)
    there = at < len(keys)
    there[there] = keys[at[there]] == key[there]
    volume = np.zeros(len(keys), np.int64)
    np.add.at(volume, at[there], found.size[mask][there])
    summed: Ints = volume[place]
    return summed


def _joined(one: Ints, other: Ints) -> Indices:
    pairs = np.stack([np.minimum(one, other), np.maximum(one, other)], axis=1)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return np.unique(pairs, axis=0).astype(np.int32).reshape(-1, 2)
