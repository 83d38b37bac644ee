"""In which order a location enters and leaves its calls, and where it is outside."""

from dataclasses import dataclass

import numpy as np

from topoview.model import Bools, Calls, Ints, Timeline, TimeState
from writer.records import Block, Kind, Turn, block

ON, OFF = 1, 2
"""OTF2_MeasurementMode."""


@dataclass(frozen=True, slots=True, eq=False)
class CallOrder:
    """Rows of calls, and the places of what happens in them.

    A place is three numbers. Calls are entered in their order; one is left
    after all that were entered before its end, and before those around it.

    Attributes
    ----------
    row : int64, shape (calls,)
    entered, left : int64, shape (calls, 3)
        Places of the records that enter and leave each call.
    """

    row: Ints
    entered: Ints
    left: Ints

    def at_begin(self, calls: Ints) -> Ints:
        """Places just after calls were entered."""
        return self.entered[calls] + (0, 0, 1)

    def at_end(self, calls: Ints) -> Ints:
        """Places just before calls are left."""
        return self.left[calls] - (0, 0, 1)


def call_order(calls: Calls) -> CallOrder:
    """Put the begins and ends of calls in order."""
    row = row_of(calls.offsets)
    number = np.arange(len(calls))
    # one search for all rows: times of each row lie behind those of the last
    length = int(calls.leave.max(initial=0)) + 1
    entered_before = np.searchsorted(
        calls.enter + row * length, calls.leave + row * length
    )
    following = np.maximum(number + 1, entered_before)
    zero = np.zeros(len(calls), np.int64)
    return CallOrder(
        row,
        np.stack([2 * number + 1, zero, zero], 1),
        np.stack([2 * following, -number, zero], 1),
    )


def row_of(offsets: Ints) -> Ints:
    """Row of each element of a table: int64, shape (elements,)."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def call_blocks(calls: Calls, order: CallOrder) -> list[Block]:
    """List the records that enter and leave calls."""
    return [
        block(kind, Turn.CALL, (order.row, time), place, (calls.region,))
        for kind, time, place in (
            (Kind.ENTER, calls.enter, order.entered),
            (Kind.LEAVE, calls.leave, order.left),
        )
    ]


def measurement_blocks(timeline: Timeline) -> list[Block]:
    """List the records that switch measurement on and off.

    They are needed where a location was outside in the course of its row, and
    where it begins or ends in no region.
    """
    row = row_of(timeline.offsets)
    outside = timeline.state == TimeState.OUTSIDE
    free = (timeline.region < 0) & ~outside
    is_first, is_last = _bounds(timeline)
    on = is_first & free
    on[1:] |= outside[:-1] & ~outside[1:] & ~is_last[:-1] & (~is_first[:-1] | free[1:])
    off = np.zeros(len(row), bool)
    off[1:] = outside[1:] & ~outside[:-1] & ~is_first[1:] & (~is_last[1:] | free[:-1])
    return [
        block(
            Kind.MEASUREMENT, turn, (row[where], timeline.time[where]), details=(mode,)
        )
        for where, turn, mode in (
            (on, Turn.MEASUREMENT_ON, ON),
            (off, Turn.MEASUREMENT_OFF, OFF),
        )
    ]


def _bounds(timeline: Timeline) -> tuple[Bools, Bools]:
    """Find which intervals are the first, and the last ones of their rows."""
    first = np.zeros(len(timeline.time), bool)
    last = first.copy()
    first[timeline.offsets[:-1]] = True
    last[timeline.offsets[1:] - 1] = True
    return first, last
