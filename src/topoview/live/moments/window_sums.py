"""What happened within a window of time: states, waiting, calls, bytes along edges.

Only the calls, intervals and messages of the window are looked at: a binary search
and a scan a row, or the blocks of messages that reach into it.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from topoview.live import kernels
from topoview.model import (
    Analysis,
    Indices,
    Ints,
    Profile,
    Span,
    TimeState,
    Trace,
    WaitStates,
    whole_part,
)

if TYPE_CHECKING:
    from topoview.live.picking.selection import CallSpans


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
    int64, shape (rows, len(TimeState))
        Ticks.
    """
    timeline = trace.timeline
    count = trace.ranks if rows is None else rows
    ticks = np.zeros((count, len(TimeState)), np.int64)
    kernels.add_states(timeline.offsets, timeline.time, timeline.state, window, ticks)
    return ticks


def longest_ticks(trace: Trace, states: tuple[TimeState, ...]) -> int:
    """Find the longest time that a rank's main thread was in one of some states."""
    wanted = np.zeros(len(TimeState), np.bool_)
    wanted[list(states)] = True
    timeline = trace.timeline
    longest = kernels.longest_state(
        timeline.offsets[: trace.ranks + 1], timeline.time, timeline.state, wanted
    )
    return int(longest)


_FOREMOST_FIRST = (
    TimeState.NEVER_COMPLETED,
    TimeState.LATE_SENDER,
    TimeState.LATE_RECEIVER,
    TimeState.WAIT_AT_COLLECTIVE,
    TimeState.WAIT_AT_BARRIER,
    TimeState.WAIT_ONE_SIDED,
    TimeState.WAIT_AT_IO,
    TimeState.WAIT_AT_SETUP,
    TimeState.WAIT_FOR_GPU,
    TimeState.WAIT_FOR_THREADS,
    TimeState.WAIT,
    TimeState.RECEIVE,
    TimeState.SEND,
    TimeState.COLLECTIVE,
    TimeState.BARRIER,
    TimeState.ONE_SIDED,
    TimeState.SETUP,
    TimeState.IO,
    TimeState.MEASUREMENT,
    TimeState.GPU_CALL,
    TimeState.COPY,
    TimeState.KERNEL,
    TimeState.COMPUTE,
    TimeState.OUTSIDE,
)
STATE_PRIORITY = np.argsort(_FOREMOST_FIRST[::-1]).astype(np.uint8)
"""Of `TimeState` codes: which state is shown of several within a frame, the highest.
Waiting before other MPI calls, those before computing."""


def states_of(analysis: Analysis) -> frozenset[int]:
    """Codes of the states that ranks are in at any time; all that are not excluded."""
    return frozenset(
        TimeState if analysis.overview is None else analysis.overview.states
    )


def waiting_ticks(trace: Trace, waits: WaitStates, window: tuple[int, int]) -> Ints:
    """Sum up the time in a window that each rank's calls waited for late partners.

    Returns
    -------
    int64, shape (ranks,)
        Ticks.
    """
    calls = trace.calls
    offsets = calls.offsets[: trace.ranks + 1]
    ticks = kernels.add_waiting(offsets, calls.enter, calls.leave, waits.until, window)
    call, begin, end = waits.measured
    rank = np.searchsorted(offsets[1:], call, side="right")
    taken = np.clip(end, *window) - np.clip(begin, *window)
    np.subtract.at(ticks, rank[rank < trace.ranks], taken[rank < trace.ranks])
    return ticks


def profile_within(analysis: Analysis, window: tuple[int, int]) -> Profile:
    """Sum up calls and times of a stretch of time; it begins and ends in ticks."""
    from topoview.analysis.profile import profile  # compiled code

    part = whole_part(analysis.trace)
    return profile(part, analysis.waits, None, Span("window", *window))


def profile_of_calls(trace: Trace, profile: Profile, spans: "CallSpans") -> Profile:
    """Sum up some calls in the span of a profile, whose times by class stay."""
    from topoview.analysis.kernels import sum_calls  # compiled code

    operations = trace.regions.operations
    counts, ticks = np.zeros((2, trace.ranks, len(operations)), np.int64)
    sum_calls(
        spans.offsets,
        trace.rank_of_location[: len(spans.offsets) - 1],
        trace.calls.region[spans.call],
        trace.regions.operation,
        spans.enter,
        spans.leave,
        profile.span.window,
        counts,
        ticks,
    )
    called = np.flatnonzero((counts + ticks).any(axis=0))
    return replace(
        profile,
        operations=tuple(operations[i] for i in called),
        calls=counts[:, called],
        ticks=ticks[:, called],
    )


def edge_bytes(analysis: Analysis, window: tuple[int, int], edges: Indices) -> Ints:
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
    trace, index = analysis.trace, analysis.message_index
    if index is None:
        return np.zeros(len(edges), np.int64)
    pairs = np.sort(edges.astype(np.int64), axis=1)
    keys = pairs[:, 0] * trace.ranks + pairs[:, 1]
    order = np.argsort(keys, kind="stable")
    messages = trace.messages
    sums = kernels.sum_edges(
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
    volume[order] = sums
    return volume


def transfer_bytes(analysis: Analysis, window: tuple[int, int], edges: Indices) -> Ints:
    """Sum up the bytes that one-sided calls moved in a window, both ways.

    Parameters
    ----------
    edges : int32, shape (n, 2)
        Pairs of ranks.

    Returns
    -------
    int64, shape (n,)
    """
    moved, ranks = analysis.transfers, analysis.trace.ranks
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
