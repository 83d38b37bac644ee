"""Calls that are never left, of a program that hung or was killed, to the trace's end.

The decoder ends each location with its last event. Where an MPI call is open then, and
nothing of the file is lost, the location is in that call for as long as any other one
shows that time goes on.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.decoding import RecordedEvents
from topoview.model import Ints, Regions, Timeline, TimeState, writable
from topoview.store.arrays import Allocate

_LAST_CALLS: Final = ("Finalize", "Session_finalize", "Abort")
"""Calls in which tracers stop recording, or from which nobody returns."""

_OUTSIDE: Final = np.uint8(TimeState.OUTSIDE)
_REGION_BITS: Final = 32


def hanging_words(events: RecordedEvents, regions: Regions) -> Ints:
    """Return the state and region of rows at their end whose last call is never left.

    Returns
    -------
    int64, shape (rows,)
        As `RecordedEvents.open_word`; -1 for others, also for those that end in
        MPI_Finalize and the like.
    """
    calls = events.calls
    open_rows = np.flatnonzero(events.open_word >= 0)
    last = calls.region[calls.offsets[open_rows + 1] - 1]
    final = np.array([name in _LAST_CALLS for name in regions.operations] + [False])
    words = np.full(len(events.open_word), -1, np.int64)
    kept = open_rows[~final[regions.operation[last]]]
    words[kept] = events.open_word[kept]
    return words


def more_intervals(timeline: Timeline, last: Ints, words: Ints) -> Ints:
    """Count the intervals that rows need to stay in their call beyond their last event.

    Parameters
    ----------
    last : int64, shape (rows,)
        Ticks to the last event of each row.

    Returns
    -------
    int64, shape (rows,)
        0 where the last interval but one shows the call and the last one only has to
        begin later; 1 or 2 where the call was entered at the last event, so that
        nothing of it is shown.
    """
    more = np.zeros(len(words), np.int64)
    rows = np.flatnonzero(words >= 0)
    end = timeline.offsets[rows + 1] - 1
    more[rows] = 1 + (timeline.time[end] < last[rows])
    before = np.maximum(end - 1, timeline.offsets[rows])
    shown = (end > before) & (_words_of(timeline, before) == words[rows])
    more[rows[shown & (timeline.time[end] == last[rows])]] = 0
    return more


def _words_of(timeline: Timeline, intervals: Ints) -> Ints:
    state = timeline.state[intervals].astype(np.int64)
    return state << _REGION_BITS | timeline.region[intervals].view(np.uint32)


def last_to_the_end(
    events: RecordedEvents, words: Ints, length: int, allocate: Allocate
) -> RecordedEvents:
    """Let calls that are never left last to the trace's end, in calls and timeline.

    Parameters
    ----------
    words : int64, shape (rows,)
        From `hanging_words`.
    length
        Ticks to the last event of all locations.
    """
    hanging = words >= 0
    if not hanging.any():
        return events
    calls = events.calls
    never_left = calls.offsets[1:][hanging] - 1
    leave = writable(calls.leave)
    leave[never_left] = length
    leave.flags.writeable = False
    going_on = hanging & (events.last < length)
    timeline = _extended(events, np.where(going_on, words, -1), length, allocate)
    return replace(events, timeline=timeline, never_left=never_left)


def _extended(
    events: RecordedEvents, words: Ints, length: int, allocate: Allocate
) -> Timeline:
    old, last = events.timeline, events.last
    more = more_intervals(old, last, words)
    counts = np.diff(old.offsets)
    offsets = np.append(0, np.cumsum(counts + more))
    columns: list[NDArray[Any]] = [old.time, old.state, old.region]
    if more.any():
        place = np.arange(len(old.time)) + np.repeat(
            offsets[:-1] - old.offsets[:-1], counts
        )
        for number, name in enumerate(("time", "state", "region")):
            new = allocate(f"timeline.{name}", int(offsets[-1]), columns[number].dtype)
            new[place] = columns[number]
            columns[number] = new
    time, state, region = (writable(column) for column in columns)
    rows = np.flatnonzero(words >= 0)
    end = offsets[rows + 1] - 1
    time[end], state[end], region[end] = length, _OUTSIDE, -1
    grown = more[rows] > 0
    entered = end[grown] - 1
    time[entered] = last[rows[grown]]
    state[entered] = words[rows[grown]] >> _REGION_BITS
    region[entered] = words[rows[grown]].astype(np.uint32).view(np.int32)
    return Timeline(offsets, time, state, region)
