"""Times of ranks whose clocks were not aligned, made comparable.

Offsets come from what happened on one rank before what on another
(`clock_bounds`, `clocks`). Columns are shifted in place; only the timeline needs
other ones, because rows begin later now.
"""

# mypy: allow-untyped-defs
# ruff: noqa: ANN001, ANN202 - numba finds the types of what has none

from dataclasses import replace
from typing import Final

import numba
import numpy as np
from numpy.typing import NDArray

from topoview.io.allocation import Allocate
from topoview.io.clock_bounds import Bounds, find_bounds
from topoview.io.clocks import find_offsets
from topoview.io.recorded import Recorded
from topoview.io.records import RECORDS, WHOLE
from topoview.model import (
    Alignment,
    Bools,
    Communicator,
    Indices,
    Ints,
    MPIState,
    Records,
    Regions,
    Timeline,
)

_OUTSIDE: Final = np.uint8(MPIState.OUTSIDE)
_LONGEST: Final = 1 << 58
"""Ticks; sums of a few times stay in range. Longer traces hold wrong times."""

_TIMES: Final = {
    record.name: [i for i, field in enumerate(record.fields) if field.form == WHOLE]
    for record in RECORDS.values()
}
"""Fields of records that are times."""


def align(  # noqa: PLR0913
    found: Recorded,
    rank: Indices,
    ranks: int,
    regions: Regions,
    communicators: tuple[Communicator, ...],
    allocate: Allocate,
) -> Recorded:
    """Align the clocks of ranks, if they are not and most of them can be.

    Parameters
    ----------
    found
        Times count from each rank's first event. Its arrays are written to.
    rank : int32, shape (rows,)
        Rank of each row.
    """
    if found.aligned or not found.length < _LONGEST:
        return found
    active = np.zeros(ranks, np.bool_)
    active[rank[found.last >= 0]] = True
    if np.count_nonzero(active) < 2:
        return found
    bounds = find_bounds(
        ranks,
        found.messages,
        found.calls,
        found.collectives,
        regions,
        np.array([np.count_nonzero(active[c.ranks]) for c in communicators], np.int64),
        rank,
    )
    offsets = find_offsets(ranks, bounds, _reference(ranks, bounds, active))
    known = active & (offsets.half_width >= 0)
    if 2 * np.count_nonzero(known) <= np.count_nonzero(active):
        return found
    offset = np.where(active, offsets.offset, 0)
    offset[active] -= offset[active].min()
    if found.length + int(offset.max()) >= _LONGEST:
        return found
    shifted = _shift(found, offset[rank], offset, allocate)
    after, worst = _violations(found.messages.send_time, found.messages.receive_time)
    alignment = Alignment(
        offset=offset,
        half_width=np.where(known, offsets.half_width, -1),
        slack=offsets.slack,
        before=found.tally.backwards,
        after=int(after),
        worst=int(worst),
        unbounded=int(np.count_nonzero(active & ~known)),
    )
    tally = found.tally._replace(backwards=int(after), worst=int(worst))
    return replace(shifted, tally=tally, aligned=True, alignment=alignment)


def _reference(ranks: int, bounds: Bounds, active: Bools) -> int:
    """Choose the rank that others are compared with: the one with most bounds."""
    to = np.bincount(bounds.before, minlength=bounds.nodes)[:ranks]
    back = np.bincount(bounds.after, minlength=bounds.nodes)[:ranks]
    return int(np.argmax(np.where(active, np.minimum(to, back), -1)))


def _shift(
    found: Recorded, of_row: Ints, of_rank: Ints, allocate: Allocate
) -> Recorded:
    """Add to the times of all rows, and to those of messages."""
    calls, messages = found.calls, found.messages
    for column in (calls.enter, calls.leave):
        _add_to_rows(_writable(column), calls.offsets, of_row)
    _add_to_ends(_writable(messages.send_time), messages.sender, of_rank)
    _add_to_ends(_writable(messages.receive_time), messages.receiver, of_rank)
    for records in found.further:
        _shift_records(records, of_row)
    for array in (calls.enter, calls.leave, messages.send_time, messages.receive_time):
        array.flags.writeable = False
    return replace(
        found,
        timeline=_shift_timeline(found.timeline, of_row, allocate),
        last=np.where(found.last >= 0, found.last + of_row, -1),
    )


def _shift_records(records: Records, of_row: Ints) -> None:
    _add_to_rows(_writable(records.time), records.offsets, of_row)
    records.time.flags.writeable = False
    values = _writable(records.values)
    for place in _TIMES.get(records.name, ()):
        _add_to_rows(values[:, place], records.offsets, of_row)
    values.flags.writeable = False


def _shift_timeline(timeline: Timeline, of_row: Ints, allocate: Allocate) -> Timeline:
    """Shift intervals; what begins later is outside until then."""
    first = timeline.offsets[:-1]
    lead = (of_row > 0) & (timeline.state[first] != _OUTSIDE)
    count = np.diff(timeline.offsets) + lead
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    size = int(offsets[-1])
    time = allocate("timeline.time", size, np.int64)
    state = allocate("timeline.state", size, np.uint8)
    region = allocate("timeline.region", size, np.int32)
    old = timeline.offsets, timeline.time, timeline.state, timeline.region
    _move(old, of_row, lead, offsets, (time, state, region))
    return Timeline(offsets, time, state, region)


def _writable(array: Ints) -> Ints:
    array.flags.writeable = True
    return array


@numba.njit(nogil=True, cache=True)
def _add_to_rows(times: NDArray[np.int64], offsets: Ints, of_row: Ints) -> None:
    for row in range(len(of_row)):
        for i in range(offsets[row], offsets[row + 1]):
            times[i] += of_row[row]


@numba.njit(nogil=True, cache=True)
def _add_to_ends(times: Ints, rank: Indices, of_rank: Ints) -> None:
    """Shift ends of messages; -1 is one that was not recorded."""
    for i in range(len(times)):
        if times[i] >= 0:
            times[i] += of_rank[rank[i]]


@numba.njit(nogil=True, cache=True)
def _violations(sent: Ints, received: Ints) -> tuple[int, int]:
    """Count messages that were received before they were sent; the worst."""
    count, worst = 0, np.int64(0)
    for i in range(len(sent)):
        if sent[i] >= 0 and received[i] >= 0 and received[i] < sent[i]:
            count += 1
            worst = max(worst, sent[i] - received[i])
    return count, int(worst)


@numba.njit(nogil=True, cache=True)
def _move(old, of_row, lead, offsets, new):
    begins, time, state, region = old
    new_time, new_state, new_region = new
    for row in range(len(of_row)):
        at = offsets[row]
        first = begins[row]
        if lead[row]:
            new_time[at], new_state[at], new_region[at] = 0, _OUTSIDE, -1
            at += 1
        for i in range(first, begins[row + 1]):
            is_outside = i == first and not lead[row]
            new_time[at] = time[i] if is_outside else time[i] + of_row[row]
            new_state[at] = state[i]
            new_region[at] = region[i]
            at += 1
