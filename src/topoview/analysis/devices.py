"""What devices do, what threads wait for on them, and what they wait for.

A wait for a device is a stretch of a thread in calls that return when a device is done.
It is blamed tick by tick on the operation that runs meanwhile on the stream that is
waited for, or on any stream of the rank where the trace does not tell which; of several
on the one that ends last, as that one decides when the call returns. A wait for an
event is one for the stream on which it was recorded; while a stream waits for another
one's event, the other's operations count. What is left is
the interface's own time. The other way round, the gaps of a device between its
operations are blamed on what its host does meanwhile. (Blame for idle devices and hosts
as in Schmitt, Stolle, Dietrich 2014, "CASITA: A tool for identifying critical
optimization targets in distributed heterogeneous applications".)

Efficiencies are those of Rahimi, Lopez, Clascà, Vinyals Ylla Català, Labarta and
Garcia-Gasulla 2026, "Hardware-agnostic and insightful efficiency metrics for
accelerated systems: definition and implementation within TALP" (arXiv 2603.26576), as
DLB computes them (``perf_metrics.h``, hybrid model, version 2). They go on from Wagner,
Mohr, Giménez, Labarta 2017, "A structured approach to performance analysis" (POP).
Orchestration is what they call communication times orchestration. Those of hosts are
sums over the account (`topoview.analysis.waits.efficiency`).
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.analysis.account.sums import state_ticks
from topoview.base.progress import Report, silent
from topoview.grouping import begins_run, index_in_run
from topoview.io.streams import recorded_copies
from topoview.model import (
    COPY_ONLY,
    FROM_HOST,
    TO_HOST,
    BlamedTime,
    Bools,
    Bytes,
    DeviceActivity,
    DeviceEfficiency,
    DeviceOperations,
    DeviceWaits,
    Indices,
    Ints,
    Overview,
    TimeState,
    Trace,
    device_name,
    distinct,
    in_states,
)

_NEVER: Final = np.iinfo(np.int64).max
_LOCATION_TYPE: Final = 13
"""OTF2_Type of an attribute that is a location: the stream that a call is about."""
_LEAVE_RECORDS: Final = (13, 67)
"""Records of leaving a region, as records of attributes number them."""
_RECORDS_EVENT: Final = re.compile("EventRecord")
_STREAM_WAITS: Final = re.compile("StreamWaitEvent")
"""What names of calls have that record an event on a stream, and by which a stream
waits for one."""

_INTERVALS_AT_ONCE: Final = 1 << 20

_COMMUNICATION: Final = (
    *range(TimeState.SEND, TimeState.ONE_SIDED + 1),
    *range(TimeState.LATE_SENDER, TimeState.WAIT_ONE_SIDED + 1),
)
_IDLE: Final = (TimeState.OUTSIDE, TimeState.MEASUREMENT)
_HOST_STATES: Final = (
    TimeState.COMPUTE,
    TimeState.GPU_CALL,
    TimeState.WAIT_FOR_GPU,
    TimeState.WAIT_FOR_THREADS,
    TimeState.MEASUREMENT,
)
"""Columns of `DeviceActivity.host`."""


# What runs on devices.


class _Intervals(NamedTuple):
    """Intervals of some rows of a timeline, but the last of each, which never ends."""

    row: Ints
    begin: Ints
    end: Ints
    state: Bytes
    region: Indices


def _intervals(trace: Trace, rows: Ints) -> _Intervals:
    timeline = trace.timeline
    first, count = timeline.offsets[rows], np.diff(timeline.offsets)[rows] - 1
    place = np.repeat(first, count) + index_in_run(count)
    return _Intervals(
        row=np.repeat(rows, count),
        begin=timeline.time[place],
        end=timeline.time[place + 1],
        state=timeline.state[place],
        region=timeline.region[place],
    )


def device_operations(trace: Trace) -> DeviceOperations:
    """List the kernels and copies on the rows of devices' streams.

    Of copies that are recorded as transfers of a stream (`recorded_copies`), as
    Score-P does, these records tell more than the timeline.
    """
    rows = trace.further_rows("accelerator")
    rows = rows[rows < trace.timeline.rows]
    there = _intervals(trace, rows)
    is_idle = in_states(there.state, _IDLE)
    is_copy = there.state == TimeState.COPY
    runs = np.flatnonzero(~is_idle & ~(is_copy & (there.region < 0)))
    copies = recorded_copies(trace.further, rows)
    nothing = np.zeros(len(runs), np.int64)
    row = np.concatenate([there.row[runs], copies.row])
    begin = np.concatenate([there.begin[runs], copies.begin])
    order = np.lexsort((begin, row))
    is_copy = np.append(is_copy[runs], np.ones(len(copies.row), np.bool_))
    kind = np.where(is_copy, TimeState.COPY, TimeState.KERNEL)
    region = np.append(there.region[runs], np.full(len(copies.row), -1, np.int32))
    return DeviceOperations(
        row=row[order].astype(np.int32),
        begin=begin[order],
        end=np.concatenate([there.end[runs], copies.end])[order],
        region=region[order],
        kind=kind[order].astype(np.uint8),
        size=np.concatenate([nothing, copies.size])[order],
    )


class Cover(NamedTuple):
    """Stretches in which any of some operations runs: ascending, disjoint."""

    begin: Ints
    end: Ints
    operation: Ints
    """Which of those that run ends last."""

    def ticks_between(self, begin: Ints, end: Ints) -> Ints:
        """Return how much of some intervals is covered: int64, shape of `begin`."""
        if not len(self.begin):
            return np.zeros(len(begin), np.int64)
        sums = np.append(0, np.cumsum(self.end - self.begin))

        def before(time: Ints) -> Ints:
            place = np.searchsorted(self.begin, time, side="right")
            latest = np.maximum(place - 1, 0)
            over = np.maximum(self.end[latest] - time, 0)
            return sums[place] - np.where(place > 0, over, 0)

        return before(end) - before(begin)


def cover(operations: DeviceOperations, some: Ints) -> Cover:
    """Join operations that may overlap: of those that run at once the last to end.

    Parameters
    ----------
    some : int64, shape (n,)
        Which operations.
    """
    some = some[np.argsort(operations.begin[some], kind="stable")]
    begin, end = operations.begin[some], operations.end[some]
    # of all that have begun the one that ends last runs, if any does
    latest = np.maximum.accumulate(end)
    is_later = np.append(True, latest[1:] > latest[:-1])[: len(some)]
    which = np.maximum.accumulate(np.where(is_later, np.arange(len(some)), 0))
    end = np.minimum(latest, np.append(begin[1:], _NEVER)[: len(some)])
    runs = end > begin
    return Cover(begin[runs], end[runs], some[which[runs]])


def _one_or_else(first: Cover, second: Cover) -> Cover:
    """Join stretches: those of the second count where the first has none."""
    edges = np.unique(np.concatenate([*first[:2], *second[:2]]))
    begin, end = edges[:-1], edges[1:]
    operation = np.full(len(begin), -1)
    for runs in (second, first):
        if len(runs.begin):
            place = np.searchsorted(runs.begin, begin, side="right") - 1
            inside = (place >= 0) & (runs.end[np.maximum(place, 0)] > begin)
            operation[inside] = runs.operation[place[inside]]
    some = operation >= 0
    return Cover(begin[some], end[some], operation[some])


def _overlaps(
    begin: Ints, end: Ints, start: Ints, stop: Ints
) -> tuple[Ints, Ints, Ints]:
    """Pair intervals with the stretches that they overlap; both disjoint, ascending.

    Returns
    -------
    int64, shape (pairs,), three times
        Interval, stretch, and ticks that they share.
    """
    low = np.searchsorted(stop, begin, side="right")
    count = np.maximum(np.searchsorted(start, end, side="left") - low, 0)
    which = np.repeat(np.arange(len(begin)), count)
    stretch = low[which] + index_in_run(count)
    shared = np.minimum(stop[stretch], end[which]) - np.maximum(
        start[stretch], begin[which]
    )
    some = shared > 0
    return which[some], stretch[some], shared[some]


# What threads wait for.


def device_waits(
    trace: Trace, operations: DeviceOperations, calls: "_StreamCalls | None" = None
) -> DeviceWaits:
    """Find all stretches in which threads wait for devices, and what ends them.

    That is the last operation to end, of the stream that is waited for or of all of the
    rank's, if it ends within the wait. Calls of an interface inside of each other, as
    ``cuStreamSynchronize`` in ``acc_wait``, are one wait, named by the region with most
    of it.
    """
    timeline = trace.timeline
    waiting = timeline.state == TimeState.WAIT_FOR_GPU
    devices = trace.further_rows("accelerator")
    for row in devices[devices < timeline.rows].tolist():
        waiting[timeline.offsets[row] : timeline.offsets[row + 1]] = False
    waiting[timeline.offsets[1:] - 1] = False  # what lasts for ever
    inside = np.flatnonzero(waiting)
    starts = np.flatnonzero(np.diff(inside, prepend=-2) > 1)
    first = inside[starts]
    last = inside[np.append(starts[1:], len(inside))[: len(starts)] - 1]
    row = np.searchsorted(timeline.offsets, first, side="right") - 1
    # One that goes on behind the tracer's own time is in the same region as before.
    goes_on = timeline.state[np.maximum(first - 1, 0)] == TimeState.MEASUREMENT
    goes_on &= np.append(-2, last)[: len(first)] == first - 2
    origin = first[np.maximum.accumulate(np.where(goes_on, 0, np.arange(len(first))))]
    before = timeline.region[np.maximum(origin - 1, 0)]
    begin, end = timeline.time[first], timeline.time[last + 1]
    calls = calls or _stream_calls(trace)
    stream = _streams(trace, calls, row, begin, end)
    return DeviceWaits(
        row=row.astype(np.int32),
        begin=begin,
        end=end,
        call=_longest_regions(trace, inside, starts),
        around=np.where(origin > timeline.offsets[row], before, -1).astype(np.int32),
        stream=stream,
        operation=_awaited(trace, operations, row, stream, calls.needs, begin, end),
    )


def _longest_regions(trace: Trace, inside: Ints, starts: Ints) -> Indices:
    """Find the region of the longest interval of each run of intervals."""
    timeline = trace.timeline
    length = timeline.time[inside + 1] - timeline.time[inside]
    longest = np.maximum.reduceat(length, starts)
    run = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(inside))))
    _, first = np.unique(
        np.where(length == longest[run], run, len(starts)), return_index=True
    )
    return timeline.region[inside[first[: len(starts)]]]


class _StreamCalls(NamedTuple):
    """Calls that tell of a stream or an event, by row and time: int64, shape (n,)."""

    row: Ints
    time: Ints
    """`row` and `time`: of the thread, and when it leaves the call."""
    stream: Ints
    """Row of the stream, -1 where the call tells of none."""
    event: Ints
    """The event as the trace numbers it, -1 for none."""
    region: Ints
    """The call's."""
    needs: dict[int, set[int]]
    """Streams that each stream waits for."""


def _stream_calls(trace: Trace) -> _StreamCalls:
    """List the calls whose attributes tell of a stream or an event."""
    table = next((r for r in trace.further if r.name == "Attribute"), None)
    if table is None:
        none = np.zeros(0, np.int64)
        return _StreamCalls(
            row=none, time=none, stream=none, event=none, region=none, needs={}
        )
    events = [
        number
        for names in trace.names
        if names.kind == "attribute"
        for number, name in zip(names.identifiers.tolist(), names.names, strict=True)
        if name.endswith("EVENT_REF")
    ]
    is_stream = table.column("type") == _LOCATION_TYPE
    is_event = np.isin(table.column("attribute"), events)
    is_leave = np.isin(table.column("record"), _LEAVE_RECORDS)
    place = np.flatnonzero(is_leave & (is_stream | is_event))
    row = np.searchsorted(table.offsets, place, side="right") - 1
    time, value = table.time[place], table.column("value")[place]
    new = begins_run(row, time)
    call = np.cumsum(new) - 1
    stream, event = np.full((2, int(new.sum())), -1)
    rows = {location.id: number for number, location in enumerate(trace.locations)}
    streams = np.flatnonzero(is_stream[place])
    numbers = [rows.get(one, -1) for one in value[streams].astype(np.uint64).tolist()]
    stream[call[streams]] = numbers
    event[call[~is_stream[place]]] = value[~is_stream[place]]
    row, time = row[new], time[new]
    region = np.full(len(row), -1)
    for one in np.unique(row).tolist():
        own, mine = slice(*trace.timeline.offsets[[one, one + 1]].tolist()), row == one
        before = np.searchsorted(trace.timeline.time[own], time[mine]) - 1
        region[mine] = trace.timeline.region[own][np.maximum(before, 0)]
    calls = _StreamCalls(
        row=row, time=time, stream=stream, event=event, region=region, needs={}
    )
    return calls._replace(needs=_needed_streams(trace, calls))


def _streams(
    trace: Trace, calls: _StreamCalls, row: Ints, begin: Ints, end: Ints
) -> Indices:
    """Find the stream that each wait is for, where its call tells it.

    Of a wait for an event that is the stream on which it was recorded last.
    """
    result = np.full(len(row), -1, np.int32)
    latest = _latest(calls.row, calls.time, row, end)
    some = np.flatnonzero(latest >= 0)
    some = some[calls.time[latest[some]] > begin[some]]
    call = latest[some]
    result[some] = calls.stream[call]
    by_event = some[(calls.stream[call] < 0) & (calls.event[call] >= 0)]
    records = _named_calls(trace, calls, _RECORDS_EVENT)
    # events by rank: numbers of other processes' may be the same
    ranks = trace.rank_of_location[calls.row]
    events = distinct(calls.event)
    key = ranks * len(events) + np.searchsorted(events, calls.event)
    order = records[np.lexsort((calls.time[records], key[records]))]
    wanted = key[latest[by_event]]
    recorded = _latest(key[order], calls.time[order], wanted, begin[by_event])
    there = recorded >= 0
    result[by_event[there]] = calls.stream[order[recorded[there]]]
    return result


def _latest(group: Ints, time: Ints, wanted: Ints, until: Ints) -> Ints:
    """Find the last element of a group up to a time; -1 for none. Sorted by both."""
    result = np.full(len(wanted), -1)
    for one in np.unique(wanted).tolist():
        own = slice(*np.searchsorted(group, [one, one + 1]).tolist())
        mine = np.flatnonzero(wanted == one)
        place = np.searchsorted(time[own], until[mine], side="right") - 1
        result[mine] = np.where(place >= 0, place + own.start, -1)
    return result


def _named_calls(trace: Trace, calls: _StreamCalls, name: re.Pattern[str]) -> Ints:
    """List calls by their name that tell of a stream and of an event."""
    named = [bool(name.search(region)) for region in trace.regions.names]
    wanted = np.array([*named, False])[calls.region]
    return np.flatnonzero(wanted & (calls.stream >= 0) & (calls.event >= 0))


def _needed_streams(trace: Trace, calls: _StreamCalls) -> dict[int, set[int]]:
    """Return which streams each stream waits for: those of events that it waits for."""
    recorded: dict[tuple[int, int], int] = {}
    result: dict[int, set[int]] = {}
    records = _named_calls(trace, calls, _RECORDS_EVENT)
    waits = _named_calls(trace, calls, _STREAM_WAITS)
    both = np.concatenate([records, waits])
    is_wait = np.arange(len(both)) >= len(records)
    for place in np.lexsort((is_wait, calls.time[both])).tolist():
        call = both[place]
        stream = int(calls.stream[call])
        rank = int(trace.rank_of_location[calls.row[call]])
        key = rank, int(calls.event[call])
        if not is_wait[place]:
            recorded[key] = stream
        elif recorded.get(key, stream) != stream:
            result.setdefault(stream, set()).add(recorded[key])
    return result


def _candidates(
    trace: Trace,
    operations: DeviceOperations,
    row: Ints | Indices,
    stream: Indices,
    needs: dict[int, set[int]],
) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Iterate over waits by what they may wait for.

    That is a stream, and then those that it waits for itself; or all streams of a
    rank, for waits that no stream is known of.

    Returns
    -------
    int64, three times
        Waits, operations, and operations that count where none of these runs.
    """
    rank, own = trace.rank_of_location[operations.row], trace.rank_of_location[row]
    for one in np.unique(stream[stream >= 0]).tolist():
        some = np.flatnonzero(operations.row == one)
        further = np.flatnonzero(np.isin(operations.row, list(needs.get(one, ()))))
        yield np.flatnonzero(stream == one), some, further
    for one in np.unique(own[stream < 0]).tolist():
        waits = np.flatnonzero((stream < 0) & (own == one))
        yield waits, np.flatnonzero(rank == one), np.zeros(0, np.int64)


def _awaited(  # noqa: PLR0913
    trace: Trace,
    operations: DeviceOperations,
    row: Ints,
    stream: Indices,
    needs: dict[int, set[int]],
    begin: Ints,
    end: Ints,
) -> Ints:
    result = np.full(len(row), -1, np.int64)
    for waits, *groups in _candidates(trace, operations, row, stream, needs):
        for some in groups:
            some = some[np.argsort(operations.end[some], kind="stable")]
            ends = np.append(np.iinfo(np.int64).min, operations.end[some])
            left = waits[result[waits] < 0]
            latest = np.searchsorted(ends, end[left], side="right") - 1
            within = ends[latest] > begin[left]
            result[left[within]] = some[latest[within] - 1]
    return result


# Who is to blame.


class _Blame:
    """Sums up ticks by who waits where and for what.

    Parameters
    ----------
    regions
        Number of regions; below 1.6 million, as three are written in one number.
    """

    def __init__(self, regions: int) -> None:
        self._base = regions - COPY_ONLY
        self._sums: list[Ints] = []

    def add(  # noqa: PLR0913
        self,
        by_device: int,
        around: Ints | Indices,
        call: Ints | Indices | int,
        waited_for: Ints | Indices,
        ticks: Ints,
        instance: Ints,
    ) -> None:
        """Add stretches of waits; those of one `instance` and kind count once."""
        code = np.full(len(ticks), by_device, np.int64)
        for column in (around, call, waited_for):
            code = code * self._base + (column - COPY_ONLY)
        kinds = distinct(code)
        kind = np.searchsorted(kinds, code)
        sums = np.zeros((3, len(kinds)), np.int64)
        sums[0] = kinds
        np.add.at(sums[1], kind, ticks)
        each = distinct(instance * max(len(kinds), 1) + kind)
        sums[2] = np.bincount(each % max(len(kinds), 1), minlength=len(kinds))
        self._sums.append(sums)

    def total(self) -> BlamedTime:
        """Return all sums, most time first."""
        code, *parts = np.concatenate([np.zeros((3, 0), np.int64), *self._sums], axis=1)
        kinds = distinct(code)
        totals = np.zeros((2, len(kinds)), np.int64)
        for total, part in zip(totals, parts, strict=True):
            np.add.at(total, np.searchsorted(kinds, code), part)
        order = np.argsort(-totals[0], kind="stable")
        rest, columns = kinds[order], list[Ints]()
        for _ in range(3):
            columns.append(rest % self._base + COPY_ONLY)
            rest = rest // self._base
        return BlamedTime(
            by_device=rest.astype(np.uint8),
            around=columns[2].astype(np.int32),
            call=columns[1].astype(np.int32),
            waited_for=columns[0].astype(np.int32),
            ticks=totals[0][order],
            count=totals[1][order],
        )


def _code(operations: DeviceOperations, some: Ints) -> Ints:
    """Return the region of operations, or what kind of copy they are."""
    size = operations.size[some]
    copies = np.where(size > 0, TO_HOST, np.where(size < 0, FROM_HOST, COPY_ONLY))
    region = operations.region[some]
    return np.where(region >= 0, region, copies)


def device_activity(
    trace: Trace, overview: Overview, report: Report = silent
) -> DeviceActivity | None:
    """Sum up what devices and their hosts do while ranks exchange messages.

    Returns
    -------
    DeviceActivity or None
        None if nothing of devices is recorded.
    """
    return activity_between(trace, overview.exchange, report)


def activity_between(
    trace: Trace, span: tuple[int, int], report: Report = silent
) -> DeviceActivity | None:
    """Sum up what devices and their hosts do in a span: see `device_activity`.

    Parameters
    ----------
    span
        Begin and end in ticks.
    """
    report("looking at devices", 0.0)
    operations = device_operations(trace)
    calls = _stream_calls(trace)
    waits = device_waits(trace, operations, calls)
    if not len(operations) and not len(waits):
        return None
    devices = _devices(trace, operations)
    begin, end = np.array([span[0]]), np.array([span[1]])
    kernels = operations.kind == TimeState.KERNEL
    kernel, copy = np.zeros((2, len(devices)), np.int64)
    for number, (_, _, some) in enumerate(devices):
        busy = cover(operations, some).ticks_between(begin, end)[0]
        kernel[number] = cover(operations, some[kernels[some]]).ticks_between(
            begin, end
        )[0]
        copy[number] = busy - kernel[number]
    blame = _Blame(len(trace.regions.names))
    _blame_operations(trace, operations, waits, calls.needs, span, blame)
    report("looking at devices", 0.4)
    _blame_hosts(trace, operations, devices, span, blame)
    report("looking at devices", 0.7)
    communicating, overlapped = _overlap(trace, operations, span, kernels)
    return DeviceActivity(
        span=span,
        devices=tuple(name for name, _, _ in devices),
        rank=np.array([rank for _, rank, _ in devices], np.int32),
        kernel=kernel,
        copy=copy,
        host=host_ticks(trace, span),
        communicating=communicating,
        overlapped=overlapped,
        blamed=blame.total(),
    )


def _devices(trace: Trace, operations: DeviceOperations) -> list[tuple[str, int, Ints]]:
    """List the devices: name, rank, operations of all its streams."""
    rows: dict[tuple[int, str], list[int]] = {}
    for row in np.unique(operations.row).tolist():
        place = trace.locations[row]
        name = device_name(place) or f"device {row}"
        rows.setdefault((place.rank, name), []).append(row)
    edges = np.searchsorted(operations.row, np.arange(len(trace.locations) + 1))
    return [
        (name, rank, np.concatenate([np.arange(*edges[[r, r + 1]]) for r in own]))
        for (rank, name), own in sorted(rows.items())
    ]


def _blame_operations(  # noqa: PLR0913 - what blame follows from
    trace: Trace,
    operations: DeviceOperations,
    waits: DeviceWaits,
    needs: dict[int, set[int]],
    span: tuple[int, int],
    blame: _Blame,
) -> None:
    """Blame waits of threads on what runs on the device meanwhile."""
    begin = np.clip(waits.begin, *span)
    end = np.clip(waits.end, *span)
    left = end - begin
    code = _code(operations, np.arange(len(operations)))
    groups = _candidates(trace, operations, waits.row, waits.stream, needs)
    for own, some, further in groups:
        runs = cover(operations, some)
        if len(further):
            runs = _one_or_else(runs, cover(operations, further))
        for row in np.unique(waits.row[own]).tolist():  # of one thread: disjoint
            mine = own[waits.row[own] == row]
            which, stretch, ticks = _overlaps(begin[mine], end[mine], *runs[:2])
            which = mine[which]
            np.subtract.at(left, which, ticks)
            what = code[runs.operation[stretch]]
            blame.add(0, waits.around[which], waits.call[which], what, ticks, which)
    rest = np.flatnonzero(left > 0)
    nothing = np.full(len(rest), -1)
    blame.add(0, waits.around[rest], waits.call[rest], nothing, left[rest], rest)


def _blame_hosts(
    trace: Trace,
    operations: DeviceOperations,
    devices: Sequence[tuple[str, int, Ints]],
    span: tuple[int, int],
    blame: _Blame,
) -> None:
    """Blame gaps between a device's operations on what its host does meanwhile."""
    timeline = trace.timeline
    code = _code(operations, np.arange(len(operations)))
    for _, rank, some in devices:
        runs = cover(operations, some)
        begin, end = np.clip(runs.end[:-1], *span), np.clip(runs.begin[1:], *span)
        gaps = np.flatnonzero(end > begin)
        own = slice(*timeline.offsets[[rank, rank + 1]].tolist())
        time = timeline.time[own]
        which, interval, ticks = _overlaps(begin[gaps], end[gaps], time[:-1], time[1:])
        after = code[runs.operation[gaps[which] + 1]]
        blame.add(1, after, -1, timeline.region[own][interval], ticks, which)


def _overlap(
    trace: Trace, operations: DeviceOperations, span: tuple[int, int], kernels: Bools
) -> tuple[Ints, Ints]:
    """Sum up time in MPI calls, and with kernels meanwhile: int64, shape (ranks,)."""
    communicating, overlapped = np.zeros((2, trace.ranks), np.int64)
    some = np.flatnonzero(kernels)
    some = some[np.argsort(trace.rank_of_location[operations.row[some]], kind="stable")]
    rank_of_kernel = trace.rank_of_location[operations.row[some]]
    using = np.unique(rank_of_kernel)
    for ranks in _batches(trace):
        there = _intervals(trace, np.arange(ranks.start, ranks.stop))
        calls = np.flatnonzero(in_states(there.state, _COMMUNICATION))
        row, *times = (column[calls] for column in there[:3])
        begin, end = (np.clip(time, *span) for time in times)
        np.add.at(communicating, row, end - begin)
        for rank in using[(using >= ranks.start) & (using < ranks.stop)].tolist():
            own = slice(*np.searchsorted(row, [rank, rank + 1]).tolist())
            mine = slice(*np.searchsorted(rank_of_kernel, [rank, rank + 1]).tolist())
            runs = cover(operations, some[mine])
            overlapped[rank] = runs.ticks_between(begin[own], end[own]).sum()
    return communicating, overlapped


def _batches(trace: Trace) -> Iterator[slice]:
    """Iterate over the ranks in batches of some intervals."""
    offsets = trace.timeline.offsets
    first = 0
    while first < trace.ranks:
        most = offsets[first] + _INTERVALS_AT_ONCE
        stop = int(np.searchsorted(offsets[: trace.ranks + 1], most, side="right")) - 1
        yield slice(first, max(stop, first + 1))
        first = max(stop, first + 1)


def host_ticks(trace: Trace, span: tuple[int, int]) -> Ints:
    """Sum up what main threads do in a span, outside of MPI.

    Returns
    -------
    int64, shape (ranks, 5)
        Ticks, in the order of `DeviceActivity.host`.
    """
    edges = np.array(span, np.int64)
    parts = [
        state_ticks(trace.timeline, ranks, edges)[:, 0, list(_HOST_STATES)]
        for ranks in _batches(trace)
    ]
    return np.concatenate([np.zeros((0, len(_HOST_STATES)), np.int64), *parts])


# Efficiencies.


def device_efficiency(
    activity: DeviceActivity, ranks: Sequence[int] | None = None
) -> DeviceEfficiency:
    """Return the efficiencies of hosts and devices in a span.

    Parameters
    ----------
    ranks
        World ranks that count, with their devices; None: all.
    """
    some = np.arange(len(activity.host)) if ranks is None else np.array(ranks, np.int64)
    _, _, waits, _, measurement = activity.host[some].T
    length = activity.span[1] - activity.span[0]
    return device_efficiencies(
        gpu_waits=waits,
        time=length - measurement,
        kernels=activity.kernel[np.isin(activity.rank, some)],
        communicating=activity.communicating[some],
        overlapped=activity.overlapped[some],
    )


def device_efficiencies(
    *, gpu_waits: Ints, time: Ints, kernels: Ints, communicating: Ints, overlapped: Ints
) -> DeviceEfficiency:
    """Compute the efficiencies of devices.

    ``device = kernels / time = load balance x orchestration``. Those of hosts are told
    by `topoview.analysis.waits.efficiency`.

    Parameters
    ----------
    gpu_waits, time : int64, shape (ranks,)
        Ticks in which each rank's main thread waits for a device, and those of the
        span, without measurement.
    kernels : int64, shape (devices,)
        Ticks in which each device runs kernels.
    communicating, overlapped : int64, shape (ranks,)
        Ticks in MPI calls, and of them those in which kernels run.
    """
    mean = time.mean() if len(time) else 0.0
    most = kernels.max(initial=0)
    return DeviceEfficiency(
        device=_ratio(kernels.sum(), mean * len(kernels)),
        device_load_balance=_ratio(kernels.sum(), most * len(kernels)),
        orchestration=_ratio(most, mean),
        gpu_waiting=_ratio(gpu_waits.sum(), time.sum()),
        overlapped=_ratio(overlapped.sum(), communicating.sum()),
    )


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else float("nan")
