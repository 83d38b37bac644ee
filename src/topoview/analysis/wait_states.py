"""How long each call waited because its partners were late.

The time from the call's own begin to the begin of the last call that it needs:
the send of a message that it receives, or the other ranks' calls of the same
collective operation. Known as the wait states Late Sender, Wait at Barrier, Wait
at N x N, Late Broadcast and Early Reduce (Geimer, Wolf, Wylie, Ábrahám, Becker
and Mohr 2010, The Scalasca performance toolset architecture, section 3).
"""

import numpy as np

from topoview.grouping import counting_sort
from topoview.hash_table import slot_of
from topoview.kernels import kernel
from topoview.logical.calls.messages import completions, receive_calls
from topoview.model import Bytes, Indices, Ints, Trace, WaitStates
from topoview.progress import Report, batches, silent

LOOKING = "looking for who waits"

ROOT_TO_ALL = (1, 4, 5)
"""OTF2_CollectiveOp codes in which ranks need the root: Bcast, Scatter, Scatterv."""

ALL_TO_ROOT = (2, 3, 12)
"""Codes in which the root needs all: Gather, Gatherv, Reduce."""

PREFIX_OPERATIONS = (14, 15)
"""Codes in which a rank needs those before it: Scan, Exscan."""

FIRST_WITHOUT_DATA = 17
"""Codes below are collective operations; those above make and free handles."""


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
    if not len(calls):  # of a damaged trace, messages may be left
        return WaitStates(np.zeros(0, np.int64), np.zeros(0, np.int32))
    last = int(calls.offsets[trace.ranks])
    operation = trace.regions.operation[calls.region[:last]].astype(np.int64)
    waiting = _waiting_calls(trace, completions(trace, operation))
    receive = receive_calls(trace, operation)
    until = np.full(len(calls), -1, np.int64)
    whom = np.full(len(calls), -1, np.int32)
    _note_messages(trace, receive, waiting, until, whom)
    _note_collectives(trace, waiting, until, whom)
    return WaitStates(until, whom)


def lateness(trace: Trace, waits: WaitStates) -> Ints:
    """Tell how long each call waited for late partners.

    Returns
    -------
    int64, shape (calls,)
        Ticks, at most those that the call took; -1 where the trace does not
        tell what the call waits for, or it waits for nobody.
    """
    calls = trace.calls
    late = np.empty(len(calls), np.int64)
    for some in batches(len(calls)):
        enter, until = calls.enter[some], waits.until[some]
        most = np.maximum(calls.leave[some] - enter, 0)
        late[some] = np.where(until >= 0, np.clip(until - enter, 0, most), -1)
    return late


def _waiting_calls(trace: Trace, deduced: Ints) -> Ints:
    """Call in which the request of each call completes: itself if it has none."""
    calls = trace.calls
    waits = np.arange(len(calls))
    last = len(deduced)
    for some in batches(len(calls)):
        completes = calls.completes[some]
        if some.start < last:
            own = deduced[some]
            completes = completes.copy()
            completes[: len(own)] = np.where(own >= 0, own, completes[: len(own)])
        found = np.flatnonzero(completes >= 0)
        waits[completes[found]] = some.start + found
    return waits


def _note_messages(
    trace: Trace, receive: Ints, waits: Ints, needed: Ints, whom: Indices
) -> None:
    messages = trace.messages
    for some in batches(len(messages)):
        completion, send = messages.completion_call[some], messages.send_call[some]
        completion = np.where(
            (completion < 0) & (receive[some] >= 0),
            waits[np.maximum(receive[some], 0)],
            completion,
        )
        known = np.flatnonzero((completion >= 0) & (send >= 0))
        sent = trace.calls.enter[send[known]]
        _note_latest(
            completion[known], sent, messages.sender[some][known], needed, whom
        )


@kernel
def _note_latest(
    call: Ints, time: Ints, who: Indices, needed: Ints, whom: Indices
) -> None:
    for i in range(len(call)):
        if time[i] > needed[call[i]]:
            needed[call[i]] = time[i]
            whom[call[i]] = who[i]


def _note_collectives(trace: Trace, waits: Ints, needed: Ints, whom: Indices) -> None:
    parts = trace.collectives
    known = np.flatnonzero(
        (parts.call >= 0)
        & (parts.communicator >= 0)
        & (parts.operation < FIRST_WITHOUT_DATA)
    )
    if not len(known):
        return
    members = np.array([len(c.ranks) for c in trace.communicators], np.int64)
    communicator = parts.communicator[known].astype(np.int64)
    known = known[members[communicator] > 1]
    rank = _ranks_of_calls(trace, parts.call[known])
    known, rank = known[rank >= 0], rank[rank >= 0]
    communicator = parts.communicator[known].astype(np.int64)
    call = parts.call[known]
    key = communicator * trace.ranks + rank
    turn = _earlier_uses(key, np.full(1 << (2 * len(key)).bit_length(), -1, np.int64))
    # By communicator, then turn, then rank: what sorts last is sorted by first.
    order, _ = counting_sort(rank, trace.ranks)
    for column, most in (
        (turn, int(turn.max(initial=-1))),
        (communicator, len(members)),
    ):
        within, _ = counting_sort(column[order], most + 1)
        order = order[within]
    one, other = communicator[order], turn[order]
    starts = np.flatnonzero(
        np.append(True, (one[1:] != one[:-1]) | (other[1:] != other[:-1]))[: len(order)]
    )
    _note_instances(
        np.append(starts, len(order)),
        members[communicator[order][starts]] if len(order) else members[:0],
        parts.operation[known][order],
        parts.root[known][order],
        rank[order],
        call[order],
        trace.calls.enter,
        waits,
        needed,
        whom,
    )


def _ranks_of_calls(trace: Trace, call: Ints) -> Ints:
    """Rank of each call, also of those of its further threads; -1 if it has none."""
    row = np.searchsorted(trace.calls.offsets[1:], call, side="right").astype(np.int64)
    other = row >= trace.ranks
    if other.any():
        owner = np.append(trace.rank_of_location, -1)
        row[other] = owner[np.minimum(row[other], len(owner) - 1)]
    return row


@kernel
def _earlier_uses(key: Ints, slots: Ints) -> Ints:
    """How often each key has come before; `slots` is a table for `slot_of`."""
    count = np.zeros(len(slots), np.int64)
    turn = np.empty(len(key), np.int64)
    for k in range(len(key)):
        slot = slot_of(slots, key[k])
        slots[slot] = key[k]
        turn[k] = count[slot]
        count[slot] += 1
    return turn


@kernel
def _note_instances(  # noqa: C901, PLR0913
    starts: Ints,
    members: Ints,
    operation: Bytes,
    root: Indices,
    rank: Ints,
    call: Ints,
    enter: Ints,
    waits: Ints,
    needed: Ints,
    whom: Indices,
) -> None:
    """Note for each part of each operation when the last rank it needs came."""
    for instance in range(len(starts) - 1):
        begin, end = starts[instance], starts[instance + 1]
        if end - begin != members[instance]:
            continue  # a part was not recorded: who was last is not known
        last, of_root = np.int64(-1), np.int64(-1)
        latest = np.int64(-1)
        for i in range(begin, end):
            if enter[call[i]] > last:
                last, latest = enter[call[i]], rank[i]
            if rank[i] == root[i]:
                of_root = enter[call[i]]
        before, whose = np.int64(-1), np.int64(-1)
        for i in range(begin, end):
            if enter[call[i]] > before:
                before, whose = enter[call[i]], rank[i]
            kind = operation[i]
            time, who = last, latest
            if kind in ROOT_TO_ALL:
                time, who = of_root, np.int64(root[i])
            elif kind in ALL_TO_ROOT and rank[i] != root[i]:
                time = np.int64(-1)
            elif kind in PREFIX_OPERATIONS:
                time, who = before, whose
            if time > needed[waits[call[i]]]:
                needed[waits[call[i]]] = time
                whom[waits[call[i]]] = who
