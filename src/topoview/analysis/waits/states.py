"""How long each call waited because its partners were late, in Scalasca's terms.

The time from the call's own begin to the begin of the last call that it needs. A
receive, or the call that completes it, needs the send (Late Sender); a blocking send
that returns after its receive was posted has needed that (Late Receiver); in
collective operations all ranks need all others (Wait at Barrier, Wait at N x N), or
the root (Late Broadcast), or the root needs all (Early Reduce), or a rank needs those
before it (Early Scan). What operations on windows need is told by `windows`. Geimer,
Wolf, Wylie, Ábrahám, Becker and Mohr 2010, The Scalasca performance toolset
architecture, section 3, and the performance properties that Scalasca documents.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from topoview.analysis.waits.instances import collective_instances
from topoview.analysis.waits.windows import window_instances, window_needs
from topoview.base.kernels import kernel
from topoview.base.progress import BATCH_ROWS, Report, batches, silent
from topoview.logical.calls.messages import completions, receive_calls
from topoview.logical.calls.operations import is_one_of
from topoview.model import (
    NO_WAIT,
    Bytes,
    Indices,
    Ints,
    MPIState,
    Trace,
    WaitStates,
)

LOOKING = "looking for who waits"

_SENDER, _RECEIVER, _BARRIER, _NXN, _BROADCAST, _REDUCE, _SCAN = range(7)

KIND_OF_OPERATION = np.array(
    [
        *(_BARRIER, _BROADCAST, _REDUCE, _REDUCE, _BROADCAST, _BROADCAST),
        *(_NXN, _NXN, _NXN, _NXN, _NXN, _NXN, _REDUCE, _NXN, _SCAN, _SCAN, _NXN),
    ],
    np.uint8,
)
"""Wait state in each collective operation, by its OTF2_CollectiveOp code."""

SYNCHRONOUS = frozenset({"Send", "Ssend", "Rsend", "Sendrecv", "Sendrecv_replace"})
"""Calls that send and may not return before the receive is posted."""


def wait_states(trace: Trace, report: Report = silent) -> WaitStates | None:
    """Find for whom each call waited.

    Returns
    -------
    WaitStates or None
        None if the clocks of the ranks are not aligned: then their times cannot be
        compared.
    """
    if not trace.clock.aligned:
        return None
    report(LOOKING, 0.0)
    calls = trace.calls
    found = _Noted(
        np.full(len(calls), -1, np.int64),
        np.full(len(calls), -1, np.int32),
        np.full(len(calls), -1, np.int64),
        np.full(len(calls), NO_WAIT, np.uint8),
        np.full(len(calls), -1, np.int32),
    )
    if len(calls):  # of a damaged trace, messages may be left
        waiting = waiting_calls(trace)
        _note_messages(trace, waiting, found)
        _note_collectives(trace, waiting, found)
        _note_windows(trace, found)
    return WaitStates(*found)


class _Noted(NamedTuple):
    """Columns of `WaitStates` that are being written."""

    until: Ints
    whom: Indices
    cause: Ints
    kind: Bytes
    communicator: Indices


def lateness(trace: Trace, waits: WaitStates, some: Ints | slice | None = None) -> Ints:
    """Tell how long each call waited for late partners.

    Parameters
    ----------
    some
        Calls that are asked for; None: all.

    Returns
    -------
    int64, shape (calls,)
        Ticks, at most those that the call took; -1 where the trace does not
        tell what the call waits for, or it waits for nobody.
    """
    calls = trace.calls
    if some is not None:
        enter, until = calls.enter[some], waits.until[some]
        most = np.maximum(calls.leave[some] - enter, 0)
        return np.where(until >= 0, np.clip(until - enter, 0, most), -1)
    late = np.empty(len(calls), np.int64)
    for part in batches(len(calls)):
        late[part] = lateness(trace, waits, part)
    return late


def bounds(
    trace: Trace, waits: WaitStates, call: Ints, rank: Ints | Indices
) -> tuple[Ints, Ints]:
    """Tell between what waits lie, if clocks are as far off as they may be.

    Parameters
    ----------
    call, rank : integers, shape (n,)
        Calls that wait for a rank that is known, and whose they are.

    Returns
    -------
    int64, shape (n,), twice
        Least and most ticks.
    """
    calls, alignment = trace.calls, trace.clock.alignment
    wait = waits.until[call] - calls.enter[call]
    spent = np.maximum(calls.leave[call] - calls.enter[call], 0)
    if alignment is None:
        exact = np.clip(wait, 0, spent)
        return exact, exact
    half, whom = np.maximum(alignment.half_width, 0), waits.whom[call]
    error = np.where(rank == whom, 0, half[rank] + half[whom])
    return np.clip(wait - error, 0, spent), np.clip(wait + error, 0, spent)


def rank_batches(trace: Trace) -> Iterator[tuple[slice, slice]]:
    """Go through the ranks' calls in batches of whole ranks: ranks, and their calls."""
    offsets = trace.calls.offsets[: trace.ranks + 1]
    first = 0
    while first < trace.ranks:
        until = offsets[first] + BATCH_ROWS
        last = int(np.searchsorted(offsets, until, side="right")) - 1
        last = min(max(last, first + 1), trace.ranks)
        yield slice(first, last), slice(int(offsets[first]), int(offsets[last]))
        first = last


def lifetimes(trace: Trace) -> tuple[Ints, Ints]:
    """Tell when each rank begins and ends: int64, shape (ranks,), in ticks."""
    line = trace.timeline
    first, last = line.offsets[: trace.ranks], line.offsets[1 : trace.ranks + 1] - 1
    outside = (line.state[first] == MPIState.OUTSIDE) & (first < last)
    return line.time[first + outside], line.time[last]


def ranks_read(trace: Trace) -> Ints:
    """List the ranks of which anything was read: int64; of a part not all of them."""
    begin, end = lifetimes(trace)
    there = np.flatnonzero(end > begin)
    return there if len(there) else np.arange(trace.ranks)


def waiting_calls(trace: Trace) -> Ints:
    """Find the call in which the request of each call completes.

    Returns
    -------
    int64, shape (calls,)
        The call itself if it has none, or that is not known.
    """
    calls = trace.calls
    waits = np.arange(len(calls))
    deduced = completions(trace, _operations(trace))
    for completes in (calls.completes, deduced):  # what follows comes last
        for some in batches(len(completes)):
            found = np.flatnonzero(completes[some] >= 0)
            waits[completes[some][found]] = some.start + found
    return waits


def _operations(trace: Trace) -> Indices:
    """Operation of each call of the ranks' main threads."""
    calls = trace.calls
    last = int(calls.offsets[trace.ranks])
    found: Indices = trace.regions.operation[calls.region[:last]]
    return found


def completion_calls(trace: Trace, waits: Ints | None = None) -> Ints:
    """Find the call in which each message's receive completed.

    Parameters
    ----------
    waits : int64, shape (calls,)
        From `waiting_calls`; None: it is asked where it is needed.

    Returns
    -------
    int64, shape (messages,)
        -1 where that is not known.
    """
    recorded = trace.messages.completion_call
    if not (recorded < 0).any():
        return recorded
    receive = receive_calls(trace, _operations(trace))
    found = np.array(recorded)
    lost = np.flatnonzero((recorded < 0) & (receive >= 0))
    if len(lost):
        waits = waiting_calls(trace) if waits is None else waits
        found[lost] = waits[receive[lost]]
    return found


def _note_messages(trace: Trace, waits: Ints, noted: _Noted) -> None:
    messages, calls = trace.messages, trace.calls
    completion = completion_calls(trace, waits)
    posted = receive_calls(trace, _operations(trace))
    synchronous = is_one_of(trace.regions, SYNCHRONOUS)
    for some in batches(len(messages)):
        send, communicator = messages.send_call[some], messages.communicator[some]
        known = np.flatnonzero((completion[some] >= 0) & (send >= 0))
        _note_latest(
            completion[some][known],
            send[known],
            calls.enter[send[known]],
            messages.sender[some][known],
            communicator[known],
            _SENDER,
            *noted,
        )
        known = np.flatnonzero((posted[some] >= 0) & (send >= 0))
        send, receive = send[known], posted[some][known]
        done = waits[send]  # a Wait for an Isend; the send itself if there is none
        blocks = synchronous[trace.regions.operation[calls.region[send]]]
        late = (done != send) | blocks
        late &= calls.leave[done] > calls.enter[receive]
        late &= calls.enter[done] < calls.enter[receive]
        _note_latest(
            done[late],
            receive[late],
            calls.enter[receive[late]],
            messages.receiver[some][known[late]],
            communicator[known[late]],
            _RECEIVER,
            *noted,
        )


@kernel
def _note_latest(  # noqa: PLR0913
    call: Ints,
    other: Ints,
    until: Ints,
    who: Indices,
    where: Indices,
    what: int,
    needed: Ints,
    whom: Indices,
    cause: Ints,
    kind: Bytes,
    communicator: Indices,
) -> None:
    for i in range(len(call)):
        if until[i] > needed[call[i]]:
            needed[call[i]] = until[i]
            whom[call[i]] = who[i]
            cause[call[i]] = other[i]
            kind[call[i]] = what
            communicator[call[i]] = where[i]


def _note_windows(trace: Trace, noted: _Noted) -> None:
    for needs in window_needs(trace):
        _note_latest(
            needs.call,
            needs.cause,
            needs.until,
            needs.whom.astype(np.int32),
            np.full(len(needs.call), -1, np.int32),
            needs.kind,
            *noted,
        )


def _note_collectives(trace: Trace, waits: Ints, noted: _Noted) -> None:
    found, parts = collective_instances(trace), trace.collectives
    kinds = KIND_OF_OPERATION[parts.operation[found.parts]]
    roots = parts.root[found.parts]
    on_windows, their_kinds = window_instances(trace)
    for some, where, what, root in (
        (found, found.communicator, kinds, roots),
        (
            on_windows,
            np.full(len(on_windows.communicator), -1, np.int32),
            their_kinds,
            np.full(len(their_kinds), -1, np.int32),
        ),
    ):
        _note_instances(
            some.starts,
            where,
            what,
            root,
            some.rank,
            some.call,
            trace.calls.enter,
            waits,
            *noted,
        )


@kernel
def _note_instances(  # noqa: C901, PLR0913
    starts: Ints,
    where: Indices,
    what: Bytes,
    root: Indices,
    rank: Ints,
    call: Ints,
    enter: Ints,
    waits: Ints,
    needed: Ints,
    whom: Indices,
    cause: Ints,
    kind: Bytes,
    communicator: Indices,
) -> None:
    """Note for each part of each operation when the last rank it needs came."""
    for instance in range(len(starts) - 1):
        begin, end = starts[instance], starts[instance + 1]
        last, of_root = int(begin), -1
        for i in range(begin, end):
            if enter[call[i]] > enter[call[last]]:
                last = i
            if rank[i] == root[i]:
                of_root = i
        before = int(begin)
        for i in range(begin, end):
            if enter[call[i]] > enter[call[before]]:
                before = i
            other = last
            if what[i] == _BROADCAST:
                other = of_root
            elif what[i] == _REDUCE and rank[i] != root[i]:
                other = -1
            elif what[i] == _SCAN:
                other = before
            if other < 0:
                continue
            time, waiting = enter[call[other]], waits[call[i]]
            if time > needed[waiting]:
                needed[waiting] = time
                whom[waiting] = rank[other]
                cause[waiting] = call[other]
                kind[waiting] = what[i]
                communicator[waiting] = where[instance]
