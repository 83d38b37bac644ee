"""What is recorded of devices' streams and of teams of threads, in the timeline.

Score-P records copies as one-sided transfers of the stream, without a region. Here
they become intervals of their own, where the stream is in no region; and whatever
region a tracer names there without telling that it is a kernel's is one. A thread that
has forked a team waits until it is in it, and from its own end there until all have
joined: that is no computation, whatever region it is in.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.model import (
    Bools,
    Bytes,
    EventRecords,
    Indices,
    Ints,
    Location,
    Timeline,
    TimeState,
)
from topoview.store.arrays import Allocate

_COMPLETIONS: Final = ("RmaOpCompleteBlocking", "RmaOpCompleteNonBlocking")

_TEAM_RECORDS: Final = ("ThreadTeamEnd", "ThreadJoin", "ThreadFork", "ThreadTeamBegin")
_END, _JOIN, _FORK, _BEGIN = range(4)
"""Records of teams, as they follow each other at one time."""


class Copies(NamedTuple):
    """Copies that are recorded as transfers of streams: int64, by row and begin."""

    row: Ints
    begin: Ints
    end: Ints
    size: Ints
    """Bytes: to the host, or from it if negative."""


def recorded_copies(further: Sequence[EventRecords], rows: Ints) -> Copies:
    """List the copies that are recorded as transfers of streams.

    A transfer ends with the next record of the same number; if that is no completion,
    it is left out.

    Parameters
    ----------
    rows : int64, shape (n,)
        Rows of the streams.
    """
    records = {table.name: table for table in further}
    parts = [np.zeros((5, 0), np.int64)]
    for name, sign in (("RmaPut", 1), ("RmaGet", -1)):
        parts.append(_transfers(records.get(name), rows, sign))
    parts += [_transfers(records.get(name), rows, 0) for name in _COMPLETIONS]
    row, matching, time, sign, size = np.concatenate(parts, axis=1)
    # at one time what ends comes first: streams do one thing after the other
    order = np.lexsort((sign != 0, time, matching, row))
    row, matching, time, sign, size = (
        column[order] for column in (row, matching, time, sign, size)
    )
    begun = np.flatnonzero((sign[:-1] != 0) & (sign[1:] == 0))
    end = begun + 1
    same = (row[end] == row[begun]) & (matching[end] == matching[begun])
    begun, end = begun[same], end[same]
    order = np.lexsort((time[begun], row[begun]))
    begun, end = begun[order], end[order]
    return Copies(row[begun], time[begun], time[end], sign[begun] * size[begun])


def _transfers(records: EventRecords | None, rows: Ints, sign: int) -> Ints:
    """List row, number, time, sign and bytes of some rows' records."""
    if records is None:
        return np.zeros((5, 0), np.int64)
    counts = np.diff(records.offsets)
    row = np.repeat(np.arange(len(counts)), counts)
    some = np.flatnonzero(np.isin(row, rows))
    size = records.column("bytes")[some] if sign else np.zeros(len(some), np.int64)
    return np.stack(
        [
            row[some],
            records.column("matching")[some],
            records.time[some],
            np.full(len(some), sign),
            size,
        ]
    )


def team_waits(further: Sequence[EventRecords]) -> Ints:
    """Find where threads wait for the teams that they have forked.

    Returns
    -------
    int64, shape (3, n)
        Row, begin and end of each wait, by row and begin.
    """
    tables = {table.name: table for table in further}
    parts = [np.zeros((3, 0), np.int64)]
    for code, name in enumerate(_TEAM_RECORDS):
        if table := tables.get(name):
            row = np.repeat(np.arange(len(table.offsets) - 1), np.diff(table.offsets))
            parts.append(np.stack([row, table.time, np.full(len(row), code)]))
    records = np.concatenate(parts, axis=1)
    row, time, code = (
        records[:, np.lexsort(records[::-1])] if len(parts) > 1 else records
    )
    waits = (code[:-1] == _FORK) & (code[1:] == _BEGIN)
    waits |= (code[:-1] == _END) & (code[1:] == _JOIN)
    begun = np.flatnonzero(waits & (row[:-1] == row[1:]))
    return np.stack([row[begun], time[begun], time[begun + 1]])


def show_streams_and_teams(
    timeline: Timeline,
    further: Sequence[EventRecords],
    locations: Sequence[Location],
    allocate: Allocate,
) -> Timeline:
    """Show copies, kernels as kernels, and waits for teams.

    A timeline without streams and teams is given back as it is.
    """
    is_stream = np.zeros(timeline.rows, np.bool_)
    for row, place in enumerate(locations[: timeline.rows]):
        is_stream[row] = place.kind == "accelerator"
    streams = np.flatnonzero(is_stream)
    copies, teams = recorded_copies(further, streams), team_waits(further)
    changed = np.union1d(streams, teams[0])
    if not len(changed):
        return timeline
    counts, columns, before = np.diff(timeline.offsets), _columns(timeline), 0
    pieces: list[tuple[NDArray[Any], ...]] = []
    for row in changed.tolist():
        own = slice(*timeline.offsets[[row, row + 1]].tolist())
        if is_stream[row]:
            some = slice(*np.searchsorted(copies.row, (row, row + 1)).tolist())
            new = _with_copies(timeline, own, copies.begin[some], copies.end[some])
        else:
            some = slice(*np.searchsorted(teams[0], (row, row + 1)).tolist())
            new = _with_waits(timeline, own, teams[1, some], teams[2, some])
        between = slice(before, own.start)
        pieces += [tuple(column[between] for column in columns), new]
        counts[row], before = len(new[0]), own.stop
    pieces.append(tuple(column[before:] for column in columns))
    size = int(counts.sum())
    shown = Timeline(
        np.append(0, np.cumsum(counts)),
        allocate("timeline.time", size, np.int64),
        allocate("timeline.state", size, np.uint8),
        allocate("timeline.region", size, np.int32),
    )
    for target, parts in zip(_columns(shown), zip(*pieces, strict=True), strict=True):
        target.flags.writeable = True
        np.concatenate(parts, out=target)
        target.flags.writeable = False
    return shown


def _columns(timeline: Timeline) -> tuple[NDArray[Any], ...]:
    return timeline.time, timeline.state, timeline.region


def _with_copies(
    timeline: Timeline, own: slice, begin: Ints, end: Ints
) -> tuple[Ints, Bytes, Indices]:
    """Return a stream's intervals, with its copies."""
    time, state, region, copying = _cut(timeline, own, begin, end)
    state[state == TimeState.COMPUTE] = TimeState.KERNEL
    copying &= state == TimeState.OUTSIDE
    state[copying], region[copying] = TimeState.COPY, -1
    return _without_repeats(time, state, region)


def _with_waits(
    timeline: Timeline, own: slice, begin: Ints, end: Ints
) -> tuple[Ints, Bytes, Indices]:
    """Return a thread's intervals, with its waits for teams."""
    time, state, region, waiting = _cut(timeline, own, begin, end)
    state[waiting & (state == TimeState.COMPUTE)] = TimeState.WAIT_FOR_THREADS
    return _without_repeats(time, state, region)


def _cut(
    timeline: Timeline, own: slice, begin: Ints, end: Ints
) -> tuple[Ints, Bytes, Indices, Bools]:
    """Cut a row's intervals where spans begin and end; return which are in any."""
    old = timeline.time[own]
    time = np.unique(np.concatenate([old, begin, end]))
    at = np.searchsorted(old, time, side="right") - 1
    begun = np.searchsorted(np.sort(begin), time, side="right")
    inside = begun > np.searchsorted(np.sort(end), time, side="right")
    return time, timeline.state[own][at], timeline.region[own][at], inside


def _without_repeats(
    time: Ints, state: Bytes, region: Indices
) -> tuple[Ints, Bytes, Indices]:
    """Return intervals of which neighbours differ."""
    new = np.append(True, (state[1:] != state[:-1]) | (region[1:] != region[:-1]))
    return time[new], state[new], region[new]
