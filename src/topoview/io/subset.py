"""Reading a subset of a trace: some ranks, a time interval.

Ranks that are left out are not read at all. A time interval is cut out after all
messages were matched, since which receive belongs to which send follows from all that
came before. What is kept moves to the front of its columns, and references to calls
are renumbered. Operations in which the k-th of each rank belong together are counted:
what came before the part tells which is the k-th of the whole (`EarlierRecords`).
"""

from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.errors import PartError
from topoview.grouping import combined
from topoview.io.decoder import library
from topoview.io.decoder.blocks import gather
from topoview.io.decoder.library import address, addresses, load_decoder
from topoview.io.unrecorded import find_unrecorded
from topoview.model import (
    PARTS_BEFORE,
    PARTS_MISSED,
    Bools,
    Calls,
    Collectives,
    EarlierRecords,
    EventRecords,
    Indices,
    Ints,
    Messages,
    Subset,
    Timeline,
    TimeState,
    Trace,
    writable,
)
from topoview.store.arrays import Allocate, MemoryAllocator


def check_ranks(subset: Subset, ranks: int, name: str) -> None:
    """Refuse ranks that a trace does not have.

    Raises `PartError` if there is one.
    """
    last = max((last for _, last in subset.ranks), default=0)
    if subset.ranks and last >= ranks:
        raise PartError(f"{name} has no rank {last}: its ranks are 0 to {ranks - 1}")


def restrict_to_subset(trace: Trace, subset: Subset) -> Trace:
    """Cut a trace of which the right ranks were read, and tell what it is.

    It is cut in place: the trace that is given is not to be used any more.

    Raises `PartError` if it ends before the part begins.
    """
    if subset.is_all:
        return trace
    clock, warnings = trace.clock, trace.warnings
    begin, end = clock.ticks(subset.begin or 0.0), clock.length
    if begin > end:
        raise PartError(
            f"{trace.name} has nothing after {subset.begin:g} s: it lasts "
            f"{clock.seconds(clock.length):.6g} s"
        )
    if subset.end is not None:
        end = min(end, clock.ticks(subset.end))
    if begin or end < clock.length:
        trace = cut_to_interval(trace, begin, end, None)
        kept = tuple(m for m in trace.markers if begin <= m.time < end)
        trace = replace(trace, markers=kept)
    note = (
        f"Only a part of the trace was read: {subset.words}. Messages from and to "
        "what was left out are incomplete, and so may the topology be."
    )
    before = {one.operation for one in trace.unrecorded}
    left = find_unrecorded(trace, is_eztrace=bool(before))
    unrecorded = tuple(one for one in left if one.operation in before)
    return replace(trace, warnings=(*warnings, note), unrecorded=unrecorded)


_OUTSIDE: Final = np.uint8(TimeState.OUTSIDE)
_MESSAGE_COLUMNS: Final = tuple(field.name for field in fields(Messages))
_COLLECTIVE_COLUMNS: Final = tuple(field.name for field in fields(Collectives))


def cut_to_interval(
    trace: Trace, begin: int, end: int, allocate: Allocate | None
) -> Trace:
    """Keep what happens in a stretch of time.

    Times stay as they are, from the trace's beginning. Kept are calls that begin in
    it; their end is the stretch's at the latest. A message is kept if the call that
    sent it or the one in which it arrived is; of the other it is not known then.

    Parameters
    ----------
    begin, end
        In ticks, the end not included; one tick at least.
    allocate
        Gives the arrays; None: those of the trace are taken, which is not to be used
        any more.
    """
    end = max(end, begin + 1)
    earlier = _count_earlier(trace, begin)
    timeline = _cut_timeline(trace.timeline, begin, end, allocate)
    calls = trace.calls
    low = _count_before(calls.offsets, calls.enter, begin)
    high = np.maximum(low, _count_before(calls.offsets, calls.enter, end))
    kept = KeptElements(low, high, calls.offsets)
    kept_calls = Calls(
        offsets=kept.offsets,
        region=kept.take("calls.region", calls.region, allocate),
        enter=kept.take("calls.enter", calls.enter, allocate),
        leave=kept.take("calls.leave", calls.leave, allocate),
        completes=kept.take("calls.completes", calls.completes, allocate),
        path=kept.take("calls.path", calls.path, allocate),
        kept=kept.take("calls.kept", calls.kept, allocate),
    )
    arrays = [
        writable(kept_calls.leave),
        writable(kept_calls.completes),
        writable(kept_calls.kept),
    ]
    np.minimum(arrays[0], end, out=arrays[0])
    renumber_calls(arrays[1], kept)
    arrays[2][kept.offsets[:-1][np.diff(kept.offsets) > 0]] = 0
    for array in arrays:
        array.flags.writeable = False
    never_left = trace.never_left.copy()
    renumber_calls(never_left, kept)
    return replace(
        trace,
        clock=replace(trace.clock, begin=begin, length=min(end, trace.clock.length)),
        timeline=timeline,
        calls=kept_calls,
        messages=_cut_messages(trace.messages, kept, allocate),
        collectives=_cut_collectives(trace.collectives, kept, allocate),
        further=tuple(_cut_records(r, begin, end, allocate) for r in trace.further),
        earlier=(*_earlier_of(trace, kept, begin), *earlier),
        never_left=never_left[never_left >= 0],
    )


def _earlier_of(
    trace: Trace, kept: "KeptElements", begin: int
) -> tuple[EarlierRecords, ...]:
    """Return what came before a trace; missed parts are before it, or in it."""
    result = []
    for one in trace.earlier:
        if one.name != PARTS_MISSED:
            result.append(one)
            continue
        old = one.column("call")
        call = old.copy()
        renumber_calls(call, kept)
        before = (old >= 0) & (trace.calls.enter[old] < begin)
        values = one.values.copy()
        values[:, one.fields.index("call")] = call
        result.append(_some_records(one, (call >= 0) | (old < 0), values))
        cut = _some_records(one, before, one.values[:, :1])
        result.append(replace(cut, name=PARTS_BEFORE, fields=("communicator",)))
    return tuple(one for one in result if len(one))


def _some_records(records: EarlierRecords, some: Bools, values: Ints) -> EarlierRecords:
    return replace(
        records,
        rank=records.rank[some],
        region=records.region[some],
        values=values[some],
        count=records.count[some],
    )


COUNTED_RECORDS: Final = (
    "RmaWinCreate",
    "RmaCollectiveEnd",
    "RmaGroupSync",
    "RmaRequestLock",
    "RmaAcquireLock",
    "RmaReleaseLock",
)
"""Records whose number on a window matters, and those that tell whose it is."""


def _count_earlier(trace: Trace, begin: int) -> tuple[EarlierRecords, ...]:
    """Count the operations before a moment."""
    calls, parts = trace.calls, trace.collectives
    low = _count_before(calls.offsets, calls.enter, begin)
    row = np.searchsorted(calls.offsets, parts.call, side="right") - 1
    before = np.flatnonzero((parts.call >= 0) & (parts.call < low[row]))
    keys = np.stack([row[before], parts.communicator[before]], 1).astype(np.int64)
    distinct, count = _distinct_rows(keys)
    operations = parts_before(
        np.column_stack([distinct, count]),
        trace.rank_of_location,
        len(trace.communicators),
    )
    return (*operations, *(
        _count_records(trace, records, begin)
        for records in trace.further
        if records.name in COUNTED_RECORDS
    ))  # fmt: skip


def parts_before(
    rows: Ints, rank_of_row: Ints | Indices, communicators: int
) -> tuple[EarlierRecords, ...]:
    """Find how many collective operations came before a part.

    Parameters
    ----------
    rows : int64, shape (n, 3)
        Row, communicator and number.
    communicators
        How many there are; others are left out.
    """
    rank = rank_of_row[rows[:, 0]].astype(np.int64)
    valid = (rank >= 0) & (rows[:, 1] >= 0) & (rows[:, 1] < communicators)
    if not valid.any():
        return ()
    rows, rank = rows[valid], rank[valid]
    nowhere = np.full(len(rank), -1, np.int64)
    values = rows[:, 1:2].copy()
    return (
        EarlierRecords(
            name=PARTS_BEFORE,
            fields=("communicator",),
            rank=rank,
            region=nowhere,
            values=values,
            count=rows[:, 2].copy(),
        ),
    )


def _count_records(trace: Trace, records: EventRecords, begin: int) -> EarlierRecords:
    """Count the records in calls that are cut off, and those before in no call."""
    calls, offsets = trace.calls, records.offsets
    chunks = [np.zeros((0, 2 + len(records.fields)), np.int64)]
    for row in np.flatnonzero(np.diff(offsets)[: trace.ranks]).tolist():
        here = slice(offsets[row], offsets[row + 1])
        first, stop = calls.offsets[row], calls.offsets[row + 1]
        time = records.time[here]
        call = first + np.searchsorted(calls.enter[first:stop], time, "right") - 1
        inside = call >= first
        inside[inside] = calls.leave[call[inside]] >= time[inside]
        began = time.copy()
        began[inside] = calls.enter[call[inside]]
        region = np.full(len(time), -1, np.int64)
        region[inside] = calls.region[call[inside]]
        of_rank = np.full(len(time), row)
        columns = np.column_stack([of_rank, region, records.values[here]])
        chunks.append(columns[began < begin])
    distinct, count = _distinct_rows(np.concatenate(chunks))
    return EarlierRecords(
        name=records.name,
        fields=records.fields,
        rank=distinct[:, 0].copy(),
        region=distinct[:, 1].copy(),
        values=distinct[:, 2:].copy(),
        count=count,
    )


def _distinct_rows(rows: Ints) -> tuple[Ints, Ints]:
    """Find the different rows of a table, and how often each is there."""
    _, first, count = np.unique(
        combined(tuple(rows.T)), return_index=True, return_counts=True
    )
    return rows[first], count


class KeptElements:
    """Which elements of each row are kept: those from `low` to `high`.

    The decoder is told of `rows`, with where the rows began and begin now.
    """

    def __init__(self, low: Ints, high: Ints, begins: Ints) -> None:
        self.low, self.high, self._begins = (
            np.ascontiguousarray(array, np.int64) for array in (low, high, begins)
        )
        self.offsets = np.concatenate([[0], np.cumsum(high - low)]).astype(np.int64)
        arrays = self._begins, self.low, self.high, self.offsets
        self.rows = library.Kept(*addresses(*arrays), len(low))

    def take(
        self, name: str, column: NDArray[Any], allocate: Allocate | None
    ) -> NDArray[Any]:
        """Copy the kept elements of a column, or move them to its begin."""
        size = int(self.offsets[-1])
        target = _target_array(name, size, column, allocate)
        self.copy(column, target)
        return target[:size]

    def copy(self, column: NDArray[Any], target: NDArray[Any]) -> None:
        """Copy the kept elements of a column to the begin of another, or its own."""
        size = column.itemsize
        gather(target, column, self.low * size, (self.high - self.low) * size)


def _target_array(
    name: str, size: int, column: NDArray[Any], allocate: Allocate | None
) -> NDArray[Any]:
    """Return room for so many elements: the column's own, or an array."""
    if allocate is not None:
        return allocate(name, size, column.dtype)
    return writable(column)


def renumber_calls(calls: Ints, kept: KeptElements) -> None:
    """Renumber calls, in place; -1 for those that are cut off."""
    load_decoder().renumber(address(calls), len(calls), kept.rows.address)


def _arrived(messages: Messages, chosen: KeptElements, kept: KeptElements) -> Ints:
    """Find messages that are not chosen and arrive in a call that is kept."""
    indices = np.empty(len(messages), np.int64)
    count = load_decoder().arrived(
        address(messages.completion_call), address(messages.receiver), len(messages),
        address(chosen.low), address(chosen.high), len(chosen.low),
        kept.rows.address, address(indices),
    )  # fmt: skip
    return indices[:count].copy()


def _cut_timeline(
    timeline: Timeline, begin: int, end: int, allocate: Allocate | None
) -> Timeline:
    """Cut the intervals; before and behind the stretch every row is outside."""
    first = timeline.at(begin)
    last = _count_before(timeline.offsets, timeline.time, end)
    last = np.maximum(last, first + 1)
    state_before = timeline.state[first]
    lead = (begin > 0) & (state_before != _OUTSIDE)
    tail = timeline.state[last - 1] != _OUTSIDE
    count = last - first + lead + tail
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    size = int(offsets[-1])
    # An interval more at both ends can need room that others still have.
    fits = (offsets[1:] <= np.append(first[1:], len(timeline.time))).all()
    time, state, region = (
        _target_array(
            name, size, column, allocate if allocate or fits else MemoryAllocator()
        )
        for name, column in (
            ("timeline.time", timeline.time),
            ("timeline.state", timeline.state),
            ("timeline.region", timeline.region),
        )
    )
    for row in range(timeline.rows):
        at, stop = offsets[row], offsets[row + 1]
        here = slice(at + lead[row], stop - tail[row])
        there = slice(first[row], last[row])
        shown = max(begin, int(timeline.time[first[row]]))
        time[here] = timeline.time[there]
        state[here] = timeline.state[there]
        region[here] = timeline.region[there]
        time[at + lead[row]] = shown
        if lead[row]:
            time[at], state[at], region[at] = 0, _OUTSIDE, -1
        elif state[at] == _OUTSIDE:
            time[at] = 0
        if tail[row]:
            time[stop - 1], state[stop - 1], region[stop - 1] = end, _OUTSIDE, -1
    return Timeline(offsets, time[:size], state[:size], region[:size])


def _cut_messages(
    messages: Messages, kept: KeptElements, allocate: Allocate | None
) -> Messages:
    """Keep messages that are sent, or arrive, in a call that is kept.

    Those with a send are in order of its call, so that those of a row which are kept
    by it lie together.
    """
    sends = messages.send_call[: _count_sends(messages.send_call)]
    low, high = np.searchsorted(sends, kept.low), np.searchsorted(sends, kept.high)
    chosen = KeptElements(low, high, low)
    sent = int(chosen.offsets[-1])
    alone = _arrived(messages, chosen, kept)
    columns: dict[str, NDArray[Any]] = {}
    for name in _MESSAGE_COLUMNS:
        old = getattr(messages, name)
        size = sent + len(alone)
        received = old[alone]
        target = _target_array(f"messages.{name}", size, old, allocate)
        chosen.copy(old, target)
        target[sent:size] = received
        columns[name] = target[:size]
    for name in ("send_call", "send_completion_call"):
        renumber_calls(columns[name][:sent], kept)
    for name in ("send_call", "send_completion_call", "send_time"):
        columns[name][sent:] = -1
    ends = "receive_call", "completion_call", "receive_time", "receiver"
    arrays = [columns[name] for name in ends]
    load_decoder().renumber_ends(
        *addresses(*arrays), sent + len(alone), kept.rows.address
    )
    return Messages(**columns)


def _cut_collectives(
    parts: Collectives, kept: KeptElements, allocate: Allocate | None
) -> Collectives:
    begin = np.searchsorted(parts.call, kept.low)
    end = np.searchsorted(parts.call, kept.high)
    chosen = KeptElements(begin, end, begin)
    columns = {
        name: chosen.take(f"collectives.{name}", getattr(parts, name), allocate)
        for name in _COLLECTIVE_COLUMNS
    }
    for name in ("call", "completion_call"):
        renumber_calls(columns[name], kept)
    return Collectives(**columns)


def _cut_records(
    records: EventRecords, begin: int, end: int, allocate: Allocate | None
) -> EventRecords:
    low = _count_before(records.offsets, records.time, begin)
    high = np.maximum(low, _count_before(records.offsets, records.time, end))
    kept = KeptElements(low, high, records.offsets)
    width = len(records.fields)
    flat = KeptElements(low * width, high * width, records.offsets * width)
    name = f"further.{records.name}"
    values = flat.take(f"{name}.values", records.values.reshape(-1), allocate)
    time = kept.take(f"{name}.time", records.time, allocate)
    return EventRecords(
        name=records.name,
        fields=records.fields,
        offsets=kept.offsets,
        time=time,
        values=values.reshape(len(time), width),  # there are records without fields
    )


def _count_before(offsets: Ints, time: Ints, ticks: int) -> Ints:
    """First element of each row whose time is not before `ticks`."""
    rows = range(len(offsets) - 1)
    return np.array(
        [
            offsets[row] + np.searchsorted(time[offsets[row] : offsets[row + 1]], ticks)
            for row in rows
        ],
        np.int64,
    )


def _count_sends(send_call: Ints) -> int:
    """Count the messages with a send: those without one come last."""
    low, high = 0, len(send_call)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if send_call[middle] >= 0 else (low, middle)
    return low
