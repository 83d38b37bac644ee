"""What happened within a window of time: states, waiting, calls, bytes along edges.

Only the calls, intervals and messages of the window are looked at: a binary search
and a scan a row, or the blocks of messages that reach into it.
"""

import numpy as np

from topoview.base.kernels import kernel
from topoview.live.picking.selection import CallSpans
from topoview.model import (
    MESSAGES_PER_BLOCK,
    Analysis,
    Bools,
    Bytes,
    Indices,
    Ints,
    MPIState,
    Profile,
    Trace,
)


def state_ticks(trace: Trace, window: tuple[int, int], rows: int | None = None) -> Ints:
    """Sum up the time that each rank's main thread is in each state.

    Looks only at the intervals that lie in the window: a binary search and a
    scan a rank.

    Parameters
    ----------
    trace
        The trace.
    window
        Begin and end in ticks.
    rows
        How many rows of the timeline are looked at; the main threads if None.

    Returns
    -------
    int64, shape (rows, len(MPIState))
        Ticks.
    """
    timeline = trace.timeline
    count = trace.ranks if rows is None else rows
    ticks = np.zeros((count, len(MPIState)), np.int64)
    _add_states(timeline.offsets, timeline.time, timeline.state, window, ticks)
    return ticks


@kernel
def _add_states(
    offsets: Ints, time: Ints, state: Bytes, window: tuple[int, int], ticks: Ints
) -> None:
    begin, end = window
    for row in range(len(ticks)):
        low, stop = offsets[row], offsets[row + 1]
        at = low + np.searchsorted(time[low:stop], begin, side="right") - 1
        for i in range(max(at, low), stop):
            if time[i] >= end:
                break
            until = end if i + 1 == stop else min(time[i + 1], end)
            ticks[row, state[i]] += max(until - max(time[i], begin), 0)


def longest_ticks(trace: Trace, states: tuple[MPIState, ...]) -> int:
    """Find the longest time that a rank's main thread was in one of some states."""
    wanted = np.zeros(len(MPIState), np.bool_)
    wanted[list(states)] = True
    timeline = trace.timeline
    found = _longest(
        timeline.offsets[: trace.ranks + 1], timeline.time, timeline.state, wanted
    )
    return int(found)


@kernel
def _longest(offsets: Ints, time: Ints, state: Bytes, wanted: Bools) -> np.int64:
    longest = np.int64(0)
    for row in range(len(offsets) - 1):
        for i in range(offsets[row], offsets[row + 1] - 1):
            if wanted[state[i]]:
                longest = max(longest, time[i + 1] - time[i])
    return longest


STATE_PRIORITY = np.array([0, 1, 7, 8, 9, 6, 5, 4, 3, 2], np.uint8)
"""Of `MPIState` codes: which state is shown of several within a frame, the highest.
Waiting before other MPI calls, those before computing."""


def foremost(trace: Trace, before: Ints, at: Ints) -> Ints:
    """Find the interval of the foremost state since a time, by `STATE_PRIORITY`.

    Parameters
    ----------
    before, at : int64, shape (ranks,)
        The intervals that each rank was in then, and is in now.

    Returns
    -------
    int64, shape (ranks,)
        The latest of equals.
    """
    return _foremost(trace.timeline.state, before, at, STATE_PRIORITY)


@kernel
def _foremost(state: Bytes, before: Ints, at: Ints, priority: Bytes) -> Ints:
    found = at.copy()
    for row in range(len(at)):
        for i in range(at[row] - 1, before[row] - 1, -1):
            if priority[state[i]] > priority[state[found[row]]]:
                found[row] = i
    return found


def states_of(known: Analysis) -> frozenset[int]:
    """Codes of the states that ranks are in at any time; all that are not excluded."""
    return frozenset(MPIState if known.overview is None else known.overview.states)


def waiting_ticks(trace: Trace, until: Ints, window: tuple[int, int]) -> Ints:
    """Sum up the time in a window that each rank's calls waited for late partners.

    Parameters
    ----------
    until : int64, shape (calls,)
        As in `topoview.analysis.waits.states.WaitStates`.

    Returns
    -------
    int64, shape (ranks,)
        Ticks.
    """
    calls = trace.calls
    offsets = calls.offsets[: trace.ranks + 1]
    return _add_waiting(offsets, calls.enter, calls.leave, until, window)


@kernel
def _add_waiting(
    offsets: Ints, enter: Ints, leave: Ints, until: Ints, window: tuple[int, int]
) -> Ints:
    begin, end = window
    found = np.zeros(len(offsets) - 1, np.int64)
    for row in range(len(found)):
        low, stop = offsets[row], offsets[row + 1]
        at = low + np.searchsorted(leave[low:stop], begin, side="right")
        for i in range(at, stop):
            if enter[i] >= end:
                break
            last = min(until[i], leave[i], end)
            found[row] += max(last - max(enter[i], begin), 0)
    return found


def profile_within(
    trace: Trace, window: tuple[int, int], spans: CallSpans | None = None
) -> Profile:
    """Sum up calls and times of a stretch of time.

    A call counts where it begins; its time as far as it lies in the window. Looks
    at the calls and intervals of the window only: a binary search and a scan a row.

    Parameters
    ----------
    window
        Begin and end in ticks.
    spans
        Calls that count, all if None; states are of all the time.
    """
    regions, calls = trace.regions, trace.calls
    names = len(regions.operations)
    rank = np.array([location.rank for location in trace.locations], np.int64)
    rank = rank[: len(calls.offsets) - 1]
    if spans is None:
        columns = (calls.offsets, calls.region, calls.enter, calls.leave)
    else:
        region = calls.region[spans.call]
        columns = (spans.offsets, region, spans.enter, spans.leave)
    counts, ticks = _sum_calls_within(
        *columns,
        rank,
        np.append(regions.operation, -1),
        window,
        np.zeros((trace.ranks, names), np.int64),
    )
    called = np.flatnonzero(counts.sum(axis=0) + ticks.sum(axis=0))
    return Profile(
        tuple(regions.operations[i] for i in called),
        counts[:, called],
        ticks[:, called],
        state_ticks(trace, window),
    )


@kernel
def _sum_calls_within(  # noqa: PLR0913
    offsets: Ints,
    region: Indices,
    enter: Ints,
    leave: Ints,
    rank: Ints,
    operations: Indices,
    window: tuple[int, int],
    counts: Ints,
) -> tuple[Ints, Ints]:
    ticks = np.zeros_like(counts)
    begin, end = window
    for row in range(len(offsets) - 1):
        low, high = offsets[row], offsets[row + 1]
        first = low + np.searchsorted(leave[low:high], begin, side="left")
        for call in range(first, high):
            if enter[call] >= end:
                break
            operation = operations[region[call]]
            if operation >= 0:
                counts[rank[row], operation] += enter[call] >= begin
                spent = min(leave[call], end) - max(enter[call], begin)
                ticks[rank[row], operation] += max(spent, 0)
    return counts, ticks


def edge_bytes(known: Analysis, window: tuple[int, int], edges: Indices) -> Ints:
    """Sum up the bytes of the messages that were sent in a window, both ways.

    Blocks of messages that were all sent and received outside of it are passed over.

    Parameters
    ----------
    window
        Begin and end in ticks.
    edges : int32, shape (n, 2)
        Pairs of ranks.

    Returns
    -------
    int64, shape (n,)
    """
    trace, index = known.trace, known.message_index
    if index is None:
        return np.zeros(len(edges), np.int64)
    pairs = np.sort(edges.astype(np.int64), axis=1)
    keys = pairs[:, 0] * trace.ranks + pairs[:, 1]
    order = np.argsort(keys, kind="stable")
    messages = trace.messages
    found = _sum_edges(
        index.begin,
        index.end,
        messages.sender,
        messages.receiver,
        messages.send_time,
        messages.size,
        keys[order],
        trace.ranks,
        window,
    )
    volume = np.empty(len(keys), np.int64)
    volume[order] = found
    return volume


@kernel
def _sum_edges(  # noqa: PLR0913
    begin: Ints,
    end: Ints,
    sender: Indices,
    receiver: Indices,
    sent: Ints,
    size: Ints,
    keys: Ints,
    ranks: int,
    window: tuple[int, int],
) -> Ints:
    found = np.zeros(len(keys), np.int64)
    for block in range(len(begin)):
        if begin[block] >= window[1] or end[block] < window[0]:
            continue
        first = block * MESSAGES_PER_BLOCK
        for i in range(first, min(first + MESSAGES_PER_BLOCK, len(sender))):
            if not window[0] <= sent[i] < window[1]:
                continue
            low = np.int64(min(sender[i], receiver[i]))
            high = np.int64(max(sender[i], receiver[i]))
            key = low * ranks + high
            at = np.searchsorted(keys, key)
            if at < len(keys) and keys[at] == key:
                found[at] += size[i]
    return found


def transfer_bytes(known: Analysis, window: tuple[int, int], edges: Indices) -> Ints:
    """Sum up the bytes that one-sided calls moved in a window, both ways.

    Parameters
    ----------
    edges : int32, shape (n, 2)
        Pairs of ranks.

    Returns
    -------
    int64, shape (n,)
    """
    moved, ranks = known.transfers, known.trace.ranks
    volume = np.zeros(len(edges), np.int64)
    if moved is None or not len(moved):
        return volume
    inside = (moved.time >= window[0]) & (moved.time < window[1])
    low, high = np.sort(edges.astype(np.int64), axis=1).T
    keys, place = np.unique(low * ranks + high, return_inverse=True)
    a, b = moved.sender[inside], moved.receiver[inside]
    key = np.minimum(a, b) * ranks + np.maximum(a, b)
    at = np.searchsorted(keys, key)
    there = at < len(keys)
    there[there] = keys[at[there]] == key[there]
    volume = np.zeros(len(keys), np.int64)
    np.add.at(volume, at[there], moved.size[inside][there])
    summed: Ints = volume[place]
    return summed
