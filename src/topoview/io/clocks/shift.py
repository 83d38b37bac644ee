"""Shift the times of recorded events, rank by rank."""

from dataclasses import replace
from typing import Final

import numpy as np

from topoview.io.decoder import library
from topoview.io.decoder.decoding import RecordedEvents
from topoview.io.decoder.library import address, addresses, load_decoder
from topoview.io.record_types import RECORDS, WHOLE
from topoview.model import EventRecords, Indices, Ints, Timeline, TimeState, writable
from topoview.store.arrays import Allocate

_OUTSIDE: Final = np.uint8(TimeState.OUTSIDE)

_TIME_FIELDS: Final = {
    record.name: [i for i, field in enumerate(record.fields) if field.form == WHOLE]
    for record in RECORDS.values()
}
"""Fields of records that are times."""


def shift_events(
    events: RecordedEvents, of_row: Ints, of_rank: Ints, allocate: Allocate
) -> RecordedEvents:
    """Add to the times of all rows, and to those of messages: in place, but intervals.

    Parameters
    ----------
    of_row, of_rank : int64
        Ticks for each row; for the ends of messages, by rank.
    """
    calls, messages = events.calls, events.messages
    for column in (calls.enter, calls.leave):
        _add_to_rows(writable(column), calls.offsets, of_row)
    _add_to_message_ends(writable(messages.send_time), messages.sender, of_rank)
    _add_to_message_ends(writable(messages.receive_time), messages.receiver, of_rank)
    for records in events.further:
        _shift_records(records, of_row)
    for array in (calls.enter, calls.leave, messages.send_time, messages.receive_time):
        array.flags.writeable = False
    return replace(
        events,
        timeline=_shift_timeline(events.timeline, of_row, allocate),
        last=np.where(events.last >= 0, events.last + of_row, -1),
        first=np.where(events.first >= 0, events.first + of_row, -1),
    )


def _shift_records(records: EventRecords, of_row: Ints) -> None:
    _add_to_rows(writable(records.time), records.offsets, of_row)
    records.time.flags.writeable = False
    values = writable(records.values)
    for place in _TIME_FIELDS.get(records.name, ()):
        _add_to_rows(values[:, place], records.offsets, of_row)
    values.flags.writeable = False


def _shift_timeline(timeline: Timeline, of_row: Ints, allocate: Allocate) -> Timeline:
    """Shift intervals; what begins later is outside until then."""
    timeline = _without_leads(timeline, of_row)
    first = timeline.offsets[:-1]
    lead = (of_row > 0) & (timeline.state[first] != _OUTSIDE)
    count = np.diff(timeline.offsets) + lead
    offsets = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    size = int(offsets[-1])
    time = allocate("timeline.time", size, np.int64)
    state = allocate("timeline.state", size, np.uint8)
    region = allocate("timeline.region", size, np.int32)
    old = timeline.offsets, timeline.time, timeline.state, timeline.region
    both = [
        library.Timeline(*addresses(*arrays))
        for arrays in (old, (offsets, time, state, region))
    ]
    load_decoder().shift_timeline(
        both[0].address, len(of_row), address(of_row),
        address(lead.view(np.uint8)), both[1].address,
    )  # fmt: skip
    return Timeline(offsets, time, state, region)


def begin_of_rows(timeline: Timeline) -> Ints:
    """Find when the first interval of each row that is no lead begins.

    Returns
    -------
    int64, shape (rows,)
        0 where the row is not outside at first; -1 where it is nothing else.
    """
    first, stop = timeline.offsets[:-1], timeline.offsets[1:]
    outside = timeline.state[first] == _OUTSIDE
    second = np.minimum(first + 1, len(timeline.time) - 1)
    begin = np.where(first + 1 < stop, timeline.time[second], -1)
    result: Ints = np.where(outside, begin, 0)
    return result


def _without_leads(timeline: Timeline, of_row: Ints) -> Timeline:
    """Drop the first interval of rows that begin with the trace when shifted."""
    begin = begin_of_rows(timeline)
    rows = np.flatnonzero((begin > 0) & (begin + of_row <= 0))
    if not len(rows):
        return timeline
    first = timeline.offsets[rows]
    time = timeline.time.copy()
    time[first + 1] = 0
    counts = np.diff(timeline.offsets)
    counts[rows] -= 1
    return Timeline(
        np.append(0, np.cumsum(counts)),
        np.delete(time, first),
        np.delete(timeline.state, first),
        np.delete(timeline.region, first),
    )


def _add_to_rows(times: Ints, offsets: Ints, of_row: Ints) -> None:
    load_decoder().shift_rows(
        address(times), times.strides[0], address(offsets), address(of_row), len(of_row)
    )


def _add_to_message_ends(times: Ints, rank: Indices, of_rank: Ints) -> None:
    """Shift ends of messages; -1 is one that was not recorded."""
    load_decoder().shift_ends(
        address(times), address(rank), len(times), address(of_rank)
    )
