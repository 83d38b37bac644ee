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

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from topoview.analysis.waits import kernels
from topoview.analysis.waits.deduced import deduced_ends, received_by
from topoview.analysis.waits.operations.collective_times import (
    LOOKING,
    collective_times,
    needed_by,
    whole_operations,
)
from topoview.analysis.waits.operations.unrecorded import communicator_of_group
from topoview.analysis.waits.operations.windows import window_waits
from topoview.base.progress import Report, batches, silent
from topoview.base.scratch import scratch_of
from topoview.grouping import index_in_run
from topoview.logical.calls.messages import completions_of
from topoview.logical.calls.operations import PLAIN_RECEIVES, WAITING, is_one_of
from topoview.model import (
    NO_WAIT,
    Bools,
    Bytes,
    CollectiveTimes,
    DeducedEnds,
    Indices,
    Ints,
    Part,
    Regions,
    TimeState,
    Trace,
    WaitStates,
    WindowWaits,
    count_before,
    elements,
    places_among,
    rows_at,
    rows_in_batches,
    whole_part,
)

_SENDER, _RECEIVER = range(2)

SYNCHRONOUS = frozenset({"Send", "Ssend", "Rsend", "Sendrecv", "Sendrecv_replace"})
"""Calls that send and may not return before the receive is posted."""

_NEED_THE_RECEIVE = frozenset({"Ssend", "Issend"})
"""Calls whose sends cannot complete before, however small the message is."""

_BUFFERED = frozenset({"Bsend", "Ibsend"})
"""Calls that send from a buffer of the program's, whatever the size."""

_SENT_AHEAD = 0.01
"""Least share of messages, of those that could wait for their receive, that do not, if
their size is one that is sent ahead: fewer may be errors of clocks."""

PROBES = frozenset({"Probe", "Mprobe"})
"""Calls that wait until there is a message to receive."""

_RECEIVING = frozenset(
    {*PLAIN_RECEIVES, "Sendrecv", "Sendrecv_replace", "Isendrecv", "Isendrecv_replace"}
)
"""Calls that receive what was probed, or post that."""

_OPEN = 64
"""Calls that are open within each other at most, as in `account.kernels`."""

FIRST_OF_SOME = frozenset({"Waitsome"})
"""Calls that go on when the first of what they complete could."""


def wait_states(trace: Trace, report: Report = silent) -> WaitStates | None:
    """Find for whom each call waited.

    Returns
    -------
    WaitStates or None
        None if the clocks of the ranks are not aligned: then their times cannot be
        compared.
    """
    part = whole_part(trace)
    times = collective_times(part)
    return waits_of_part(part, times, deduced_ends(part), window_waits(trace), report)


def waits_of_part(
    part: Part,
    times: CollectiveTimes,
    deduced: DeducedEnds,
    on_windows: WindowWaits,
    report: Report = silent,
) -> WaitStates | None:
    """Find for whom each call of some ranks waited: see `wait_states`."""
    if not part.trace.clock.aligned:
        return None
    report(LOOKING, 0.0)
    noted = _Noted(
        np.full(part.size, -1, np.int64),
        np.full(part.size, -1, np.int32),
        np.full(part.size, -1, np.int64),
        np.full(part.size, NO_WAIT, np.uint8),
        np.full(part.size, -1, np.int32),
    )
    if part.size:  # of a damaged trace, messages may be left
        waiting = _waiting_calls(part, deduced)
        firsts = _note_senders(part, waiting, deduced, noted)
        _note_collectives(part, waiting, times, noted)
        _note_windows(part, waiting, on_windows, noted)
        _note_receivers(part, waiting, deduced, noted, firsts)
    return WaitStates(*noted, measured=_measured(part, noted))


def joined_waits(
    parts: Sequence[WaitStates | None], _regions: Regions | None = None
) -> WaitStates | None:
    """Join what parts of a trace tell, but for columns of calls."""
    first = parts[0]
    if first is None:
        return None
    measured = [one.measured for one in parts if one is not None]
    return replace(first, measured=_by_call(np.concatenate(measured, axis=1)))


def _by_call(table: Ints) -> Ints:
    return table[:, np.argsort(table[0], kind="stable")]


def _measured(part: Part, noted: "_Noted") -> Ints:
    """Find where the tracer took time for itself while calls waited."""
    line, calls = part.trace.timeline, part.trace.calls
    pieces = [np.zeros((3, 0), np.int64)]
    for rows in part.rows:
        own = elements(rows, line.offsets)
        place = own.start + np.flatnonzero(line.state[own] == TimeState.MEASUREMENT)
        row = np.searchsorted(line.offsets, place, side="right") - 1
        row = row[place + 1 < line.offsets[row + 1]]
        place = place[place + 1 < line.offsets[row + 1]]
        begin, end = line.time[place], line.time[place + 1]
        # Calls that began before its end, and may have gone on until its begin.
        low, high = calls.offsets[row], calls.offsets[row + 1]
        first = np.maximum(count_before(calls.enter, low, high, begin) - _OPEN, low)
        count = count_before(calls.enter, low, high, end) - first
        number = np.repeat(np.arange(len(place)), count)
        call = first[number] + index_in_run(count)
        until = np.minimum(noted.until[part.places(call)], calls.leave[call])
        begin = np.maximum(begin[number], calls.enter[call])
        end = np.minimum(end[number], until)
        pieces.append(np.stack([call, begin, end])[:, begin < end])
    return _by_call(np.concatenate(pieces, axis=1))


class _Noted(NamedTuple):
    """Columns of `WaitStates` that are being written."""

    until: Ints
    whom: Indices
    cause: Ints
    kind: Bytes
    communicator: Indices


def lateness(
    trace: Trace,
    waits: WaitStates,
    some: Ints | slice | None = None,
    window: tuple[int, int] | None = None,
) -> Ints:
    """Compute how long each call waited for late partners.

    Parameters
    ----------
    some
        Calls that are asked for; None: all.
    window
        Begin and end in ticks: waits count as far as they are in it; None: all of them.

    Returns
    -------
    int64, shape (calls,)
        Ticks, at most those that the call took; -1 where the trace does not
        tell what the call waits for, or it waits for nobody.
    """
    calls = trace.calls
    if some is not None:
        begin, end = calls.enter[some], np.minimum(waits.until[some], calls.leave[some])
        late = _waited(waits, some, begin, end, window)
        return np.where(waits.until[some] >= 0, late, -1)
    late = np.empty(len(calls), np.int64)
    for part in batches(len(calls)):
        late[part] = lateness(trace, waits, part, window)
    return late


def _waited(
    waits: WaitStates,
    some: Ints | slice,
    begin: Ints,
    end: Ints,
    window: tuple[int, int] | None,
) -> Ints:
    """Return the ticks between two times in which calls wait, without the tracer's."""
    call, since, until = waits.measured
    if window is not None:
        begin, end, since, until = (
            np.clip(time, *window) for time in (begin, end, since, until)
        )
    late: Ints = np.maximum(end - begin, 0)
    if len(call):
        calls, number = np.unique(call, return_inverse=True)
        taken = np.zeros(len(calls), np.int64)
        np.add.at(taken, number, until - since)
        if isinstance(some, slice):
            some = np.arange(some.start or 0, (some.start or 0) + len(late))
        at = places_among(calls, some)
        late = np.maximum(late - np.where(at >= 0, taken[at], 0), 0)
    return late


def bounds(
    trace: Trace,
    waits: WaitStates,
    call: Ints,
    rank: Ints | Indices,
    window: tuple[int, int] | None = None,
) -> tuple[Ints, Ints]:
    """Return the bounds of waits, if clocks are as far off as they may be.

    Parameters
    ----------
    call, rank : integers, shape (n,)
        Calls that wait for a rank that is known, and whose they are.
    window
        As in `lateness`.

    Returns
    -------
    int64, shape (n,), twice
        Least and most ticks.
    """
    calls, alignment = trace.calls, trace.clock.alignment
    begin, until, leave = calls.enter[call], waits.until[call], calls.leave[call]
    error = np.zeros(len(call), np.int64)
    if alignment is not None:
        half, whom = np.maximum(alignment.half_width, 0), waits.whom[call]
        error = np.where(rank == whom, 0, half[rank] + half[whom])
    least, most = (
        _waited(waits, call, begin, np.minimum(end, leave), window)
        for end in (until - error, until + error)
    )
    return least, most


def lifetimes(trace: Trace) -> tuple[Ints, Ints]:
    """Return when each rank begins and ends: int64, shape (ranks,), in ticks."""
    line = trace.timeline
    first, last = line.offsets[: trace.ranks], line.offsets[1 : trace.ranks + 1] - 1
    outside = (line.state[first] == TimeState.OUTSIDE) & (first < last)
    return line.time[first + outside], line.time[last]


def ranks_read(trace: Trace) -> Ints:
    """List the ranks of which anything was read: int64; of a part not all of them."""
    begin, end = lifetimes(trace)
    there = np.flatnonzero(end > begin)
    return there if len(there) else np.arange(trace.ranks)


def _waiting_calls(part: Part, deduced: DeducedEnds) -> Ints:
    """Find them among the calls of some ranks, both as numbers within these."""
    trace = part.trace
    waits: Ints = scratch_of(_numbers(part.size), part.size, np.int64)
    stretches, region = _stretches(part), part.column(trace.calls.region)
    completes = part.column(trace.calls.completes)
    every = np.ones(len(trace.regions.names), np.bool_)
    kernels.note_completions(stretches, completes, region, every, waits)
    size = part.main.stop - part.main.start  # Waits of main threads come last
    if deduced.recorded or deduced.starts:
        (is_wait,) = _regions_among(trace, WAITING)
        completes = completes[:size]
    else:
        is_wait, operation = every, trace.regions.operation[region[:size]]
        completes = completions_of(trace, part.ranks, operation, follows=True)
        stretches = np.array([[0, size, 0]])
    kernels.note_completions(stretches, completes, region, is_wait, waits)
    return waits


def _numbers(count: int) -> Iterator[Ints]:
    return (np.arange(some.start, some.stop) for some in batches(count))


def completion_calls(trace: Trace) -> Ints:
    """Find the call in which each message's receive completed.

    Returns
    -------
    int64, shape (messages,)
        -1 where unknown.
    """
    recorded = trace.messages.completion_call
    if all((recorded[some] >= 0).all() for some in batches(len(recorded))):
        return recorded
    part = whole_part(trace)
    every = (done for _, done in receives_of(part, deduced_ends(part)))
    result: Ints = scratch_of(every, len(recorded), np.int64)
    return result


def receives(trace: Trace) -> Ints:
    """Find the call that received each message, or posted that.

    Returns
    -------
    int64, shape (messages,)
        -1 where unknown.
    """
    recorded = trace.messages.receive_call
    if not (recorded < 0).any():
        return recorded
    return received_by(trace, deduced_ends(whole_part(trace)), slice(0, len(recorded)))


def receives_of(
    part: Part, deduced: DeducedEnds, waits: Ints | None = None
) -> Iterator[tuple[slice | Ints, Ints]]:
    """Iterate over the messages that a part receives, and calls that complete them.

    Parameters
    ----------
    waits : int64, shape (calls,)
        From `_waiting_calls`; None: it is asked where it is needed.

    Yields
    ------
    slice or int64, shape (n,), and int64, shape (n,)
        Messages, and which of the part's calls completes each; -1 where that is not
        known.
    """
    for rows in rows_in_batches(part.received):
        recorded = part.trace.messages.completion_call[rows]
        place, lost = part.places(recorded), np.flatnonzero(recorded < 0)
        if len(lost):
            waits = _waiting_calls(part, deduced) if waits is None else waits
            receive = part.places(received_by(part.trace, deduced, rows)[lost])
            is_there = receive >= 0
            place[lost[is_there]] = waits[receive[is_there]]
            place[lost[~is_there]] = -1
        yield rows, place


class _Needs(NamedTuple):
    """What calls of a part wait for, of one kind: shape (n,) each."""

    call: Ints
    """Which of the part's calls waits."""
    cause: Ints
    until: Ints
    """`cause` and `until`: the call that it needs, and when that begins, in ticks."""
    whom: Indices
    communicator: Indices
    kind: Bytes

    def some(self, which: Ints | Bools) -> "_Needs":
        """Return some of the needs."""
        return _Needs._make(column[which] for column in self)

    def note(self, noted: _Noted) -> None:
        """Note those that come later than all that was noted before."""
        kernels.note_latest(
            self.call,
            self.cause,
            self.until,
            self.whom,
            self.communicator,
            self.kind,
            *noted,
        )


def _needs(  # noqa: PLR0913
    trace: Trace, rows: slice | Ints, call: Ints, cause: Ints, whom: Indices, kind: int
) -> _Needs:
    """Return what calls need of some messages; `call` is -1 where nothing."""
    at = np.flatnonzero(call >= 0)
    some = rows_at(rows, at)
    return _Needs(
        call=call[at],
        cause=cause[at],
        until=trace.calls.enter[cause[at]],
        whom=whom[some],
        communicator=trace.messages.communicator[some],
        kind=np.full(len(at), kind, np.uint8),
    )


def _note_senders(
    part: Part, waits: Ints, deduced: DeducedEnds, noted: _Noted
) -> list[_Needs]:
    """Note whose messages calls need; return what those need that take the first."""
    trace, messages = part.trace, part.trace.messages
    (takes_first,) = _regions_among(trace, FIRST_OF_SOME)
    region, (receives, probes) = part.column(trace.calls.region), _after_probes(part)
    firsts = []
    for rows, done in receives_of(part, deduced, waits):
        send = messages.send_call[rows]
        sooner = kernels.note_senders(
            done,
            send,
            messages.sender[rows],
            messages.communicator[rows],
            trace.calls.enter,
            region,
            takes_first,
            *noted,
        )
        if takes_first.any():
            firsts.append(_needs(trace, rows, sooner, send, messages.sender, _SENDER))
        if len(receives):
            # A probe has waited already for what is received next.
            at = places_among(receives, received_by(trace, deduced, rows))
            probe = np.where((at >= 0) & (done >= 0) & (send >= 0), probes[at], -1)
            _needs(trace, rows, probe, send, messages.sender, _SENDER).note(noted)
    return firsts


def _note_receivers(
    part: Part, waits: Ints, deduced: DeducedEnds, noted: _Noted, firsts: list[_Needs]
) -> None:
    """Note whose receives calls need, once it is noted what they need for certain.

    Most messages do not need their receive: small ones are sent ahead. A call that
    waits for nothing else has waited for the receive that was posted meanwhile, unless
    the rank has been seen to send as much ahead. One that also waits for something
    else, as a Waitall may, has waited for the receive if that explains its end better:
    it is posted later, and nearer to the end.
    """
    trace, messages = part.trace, part.trace.messages
    blocking, certain, takes_first = _regions_among(
        trace, SYNCHRONOUS, _NEED_THE_RECEIVE, FIRST_OF_SOME
    )
    ahead = _sent_ahead(part, waits, deduced)
    calls = _OwnCalls.of(part, waits)
    for rows in rows_in_batches(part.sent):
        receive = received_by(trace, deduced, rows)
        sooner = kernels.note_receivers(
            *calls,
            messages.send_call[rows],
            receive,
            messages.send_completion_call[rows],
            messages.sender[rows],
            messages.receiver[rows],
            messages.size[rows],
            messages.communicator[rows],
            trace.calls.enter,
            ahead,
            blocking,
            certain,
            takes_first,
            *noted,
        )
        if takes_first.any():
            needs = _needs(trace, rows, sooner, receive, messages.receiver, _RECEIVER)
            firsts.append(needs)
    if not firsts:
        return
    columns = (np.concatenate(column) for column in zip(*firsts, strict=True))
    either = _Needs._make(columns)
    order = np.lexsort((either.until, either.call))
    earliest = order[np.diff(either.call[order], prepend=-1) > 0]
    either.some(earliest).note(noted)


def _sent_ahead(part: Part, waits: Ints, deduced: DeducedEnds) -> Ints:
    """Find up to which size ranks send messages before their receive is posted.

    That is the eager limit of the MPI library as far as the trace shows it. Sizes are
    told apart by powers of two.

    Returns
    -------
    int64, shape (ranks,)
        Bytes; -1 for ranks of which that is not seen.
    """
    trace, messages = part.trace, part.trace.messages
    error = np.zeros(trace.ranks, np.int64)
    if trace.clock.alignment is not None:
        error = np.maximum(trace.clock.alignment.half_width, 0)
    blocking, tells_nothing = _regions_among(
        trace, SYNCHRONOUS, _NEED_THE_RECEIVE | _BUFFERED
    )
    lengths = np.zeros(64, np.bool_)
    for rows in rows_in_batches(part.sent):
        kernels.mark_lengths(messages.size[rows], lengths)
    column = np.cumsum(lengths) - 1  # of each length in bits that there is
    shape = part.ranks.stop - part.ranks.start, int(lengths.sum())
    could_wait, did_not = np.zeros((2, *shape), np.int64)
    largest = np.full(shape, -1, np.int64)
    calls = _OwnCalls.of(part, waits)
    for rows in rows_in_batches(part.sent):
        kernels.count_sent_ahead(
            *calls,
            messages.send_call[rows],
            received_by(trace, deduced, rows),
            messages.send_completion_call[rows],
            messages.sender[rows],
            messages.receiver[rows],
            messages.size[rows],
            trace.calls.enter,
            error,
            blocking,
            tells_nothing,
            column,
            part.ranks.start,
            could_wait,
            did_not,
            largest,
        )
    largest[did_not / np.maximum(could_wait, 1) < _SENT_AHEAD] = -1
    ahead = np.full(trace.ranks, -1, np.int64)
    ahead[part.ranks] = largest.max(axis=1, initial=-1)
    return ahead


def _regions_among(trace: Trace, *names: frozenset[str]) -> list[Bools]:
    """Return which regions are among operations: bool, shape (regions,), each."""
    regions = trace.regions
    return [is_one_of(regions, some)[regions.operation] for some in names]


class _OwnCalls(NamedTuple):
    """A part's calls, as kernels take them: see `kernels.note_receivers`."""

    stretches: Ints
    waits: Ints
    region: Indices
    enter: Ints
    leave: Ints

    @staticmethod
    def of(part: Part, waits: Ints) -> "_OwnCalls":
        """Gather them: views where they are one stretch."""
        calls = part.trace.calls
        return _OwnCalls(
            stretches=_stretches(part),
            waits=waits,
            region=part.column(calls.region),
            enter=part.column(calls.enter),
            leave=part.column(calls.leave),
        )


def _stretches(part: Part) -> Ints:
    """Return the stretches of a part's calls: see `kernels.place_of`."""
    bounds = np.array([(own.start, own.stop) for own in part.calls], np.int64)
    first, stop = bounds.reshape(-1, 2).T
    return np.column_stack([first, stop, np.cumsum(stop - first) - (stop - first)])


def _after_probes(part: Part) -> tuple[Ints, Ints]:
    """Find the calls that are the first to receive after a probe.

    Returns
    -------
    int64, shape (n,), twice
        Their numbers in the trace, ascending; which of the part's calls probed.
    """
    regions, calls = part.trace.regions, part.trace.calls
    probes, receives = (
        is_one_of(regions, names)[regions.operation] for names in (PROBES, _RECEIVING)
    )
    some = [np.zeros(0, np.int64)]
    if probes.any():
        some += [
            stretch.start + np.flatnonzero((probes | receives)[calls.region[stretch]])
            for stretch in part.calls
        ]
    call = np.concatenate(some)
    is_probe = probes[calls.region[call]]
    row = np.searchsorted(calls.offsets, call, side="right")
    before = is_probe[:-1] & ~is_probe[1:] & (row[:-1] == row[1:])
    return call[1:][before], part.places(call[:-1][before])


def _note_collectives(
    part: Part, waits: Ints, times: CollectiveTimes, noted: _Noted
) -> None:
    parts = whole_operations(part, times)
    needed = needed_by(part.trace, parts, times)
    done = part.places(parts.done)
    recorded = (parts.done != parts.call) & (done >= 0)
    kernels.note_latest(
        np.where(recorded, done, waits[part.places(parts.call)]),
        needed.cause,
        needed.until,
        needed.whom.astype(np.int32),
        communicator_of_group(part.trace, parts.group),
        parts.kind,
        *noted,
    )


def _note_windows(
    part: Part, waits: Ints, on_windows: WindowWaits, noted: _Noted
) -> None:
    for table, through in ((on_windows.met, waits), (on_windows.needs, None)):
        call, cause, until, whom, kind = np.concatenate(
            [
                table[:, :0],
                *(
                    table[:, slice(*np.searchsorted(table[0], (own.start, own.stop)))]
                    for own in part.calls
                ),
            ],
            axis=1,
        )
        place = part.places(call)
        kernels.note_latest(
            place if through is None else through[place],
            cause,
            until,
            whom.astype(np.int32),
            np.full(len(call), -1, np.int32),
            kind.astype(np.uint8),
            *noted,
        )
