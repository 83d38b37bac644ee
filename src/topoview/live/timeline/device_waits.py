"""Waits for devices in a window, and the kernel or copy that each was for."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.model import Frozen, Indices, Ints, Trace, kept_with_source

MAX_INTERVALS: Final = 1 << 24
"""Intervals of a trace in which it is looked for, in a second or two."""

MIN_COLUMNS: Final = 24
"""Columns that a wait has at least to be drawn: others would be a haze."""


@dataclass(frozen=True, slots=True, eq=False)
class WindowDeviceWaits(Frozen):
    """Waits whose end the end of an operation on a stream brings."""

    row: Indices
    stream: Indices
    """`row` and `stream`: int32, shape (n,): rows of the thread and of the stream."""
    end: Ints
    operation_end: Ints
    """`end` and `operation_end`: int64, shape (n,): when both end, in ticks."""


def window_device_waits(
    trace: Trace, window: tuple[int, int], width: int
) -> WindowDeviceWaits:
    """Find the waits for devices that end in a window of so many columns."""
    waits = _device_waits(trace)
    begin, end, operation = waits[2], waits[3], waits[4]
    long = (end - begin) * width >= MIN_COLUMNS * (window[1] - window[0])
    some = np.flatnonzero(long & (end >= window[0]) & (operation <= window[1]))
    return WindowDeviceWaits(
        row=waits[0][some].astype(np.int32),
        stream=waits[1][some].astype(np.int32),
        end=end[some],
        operation_end=operation[some],
    )


@kept_with_source()
def _device_waits(trace: Trace) -> Ints:
    """List all waits that an operation ends: int64, shape (5, n).

    Rows of thread and stream, begin and end of the wait, end of the operation. None of
    a trace with too many intervals.
    """
    from topoview.analysis.devices import device_operations, device_waits

    if len(trace.timeline.time) > MAX_INTERVALS:
        return np.zeros((5, 0), np.int64)
    operations = device_operations(trace)
    waits = device_waits(trace, operations)
    some = np.flatnonzero(waits.operation >= 0)
    operation = waits.operation[some]
    return np.stack(
        [
            waits.row[some].astype(np.int64),
            operations.row[operation].astype(np.int64),
            waits.begin[some],
            waits.end[some],
            operations.end[operation],
        ]
    )
