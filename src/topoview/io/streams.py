"""What runs on devices' streams, in the timeline: kernels and copies.

Score-P records copies as one-sided transfers of the stream, without a region. Here
they become intervals of their own, where the stream is in no region; and whatever
region a tracer names there without telling that it is a kernel's is one.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from topoview.model import EventRecords, Ints, Location, Timeline, TimeState
from topoview.store.arrays import Allocate

_COMPLETIONS: Final = ("RmaOpCompleteBlocking", "RmaOpCompleteNonBlocking")


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


def show_streams(
    timeline: Timeline,
    further: Sequence[EventRecords],
    locations: Sequence[Location],
    allocate: Allocate,
) -> Timeline:
    """Show copies, and kernels as kernels; gives a timeline without streams back."""
    rows = [
        row
        for row, place in enumerate(locations[: timeline.rows])
        if place.kind == "accelerator"
    ]
    if not rows:
        return timeline
    # streams are neighbours: threads come before them, metrics after
    first, stop = rows[0], rows[-1] + 1
    part = slice(*timeline.offsets[[first, stop]].tolist())
    old_row = np.repeat(np.arange(first, stop), np.diff(timeline.offsets)[first:stop])
    copies = recorded_copies(further, np.arange(first, stop))
    row = np.concatenate([old_row, copies.row, copies.row])
    time = np.concatenate([timeline.time[part], copies.begin, copies.end])
    change = np.zeros(len(row), np.int64)
    change[len(old_row) : len(old_row) + len(copies.row)] = 1
    change[len(old_row) + len(copies.row) :] = -1
    order = np.lexsort((change != 0, time, row))
    row, time, change = row[order], time[order], change[order]
    # of what begins at one time the last one knows of all
    number = np.where(order < len(old_row), order, -1)
    interval = part.start + np.maximum.accumulate(number)
    copying = np.cumsum(change) > 0
    last = np.append((row[1:] != row[:-1]) | (time[1:] != time[:-1]), True)
    row, time, interval, copying = (
        column[last] for column in (row, time, interval, copying)
    )
    state, region = timeline.state[interval], timeline.region[interval]
    state[state == TimeState.COMPUTE] = TimeState.KERNEL
    copying &= state == TimeState.OUTSIDE
    state[copying], region[copying] = TimeState.COPY, -1
    new = np.append(
        True,
        (row[1:] != row[:-1]) | (state[1:] != state[:-1]) | (region[1:] != region[:-1]),
    )
    counts = np.diff(timeline.offsets)
    counts[first:stop] = np.bincount(row[new] - first, minlength=stop - first)
    shown = Timeline(
        np.append(0, np.cumsum(counts)),
        allocate("timeline.time", int(counts.sum()), np.int64),
        allocate("timeline.state", int(counts.sum()), np.uint8),
        allocate("timeline.region", int(counts.sum()), np.int32),
    )
    columns = (time[new], state[new], region[new])
    for name, column in zip(("time", "state", "region"), columns, strict=True):
        target, source = getattr(shown, name), getattr(timeline, name)
        target.flags.writeable = True
        np.concatenate([source[: part.start], column, source[part.stop :]], out=target)
        target.flags.writeable = False
    return shown
