"""A trace's events as the model has them, read through libotf2.

Slow, on one core, and with all records in memory.
"""

import contextlib
from collections.abc import Callable, Iterator
from unittest import mock

import numpy as np
from numpy.typing import DTypeLike

from otf2_reader.events import read_locations
from otf2_reader.messages import ends_of, make_collectives, make_messages
from otf2_reader.replay import Paths, Row, replay
from topoview.base.progress import Report
from topoview.io.decoder.decoding import RecordedEvents
from topoview.io.decoder.window import origins
from topoview.io.otf2 import DefinedTrace
from topoview.model import Calls, Subset, Timeline, TimeState


def read_through_library(
    defined: DefinedTrace, report: Report, subset: Subset
) -> RecordedEvents:
    """Read the events of all ranks; parameters as for `decode_whole`."""
    assert subset == Subset()
    places, flat = defined.processes.locations, defined.is_eztrace
    paths, rows, offsets = Paths(), list[Row](), 0
    found = read_locations(defined.anchor.file, [place.id for place in places])
    for number, location in enumerate(found):
        idle = TimeState.COMPUTE if number < defined.ranks else TimeState.OUTSIDE
        rows.append(
            replay(
                location.events, defined.meaning, paths, int(idle), flat, location.ends
            )
        )
        if not location.is_whole:
            rows[-1].open_word = -1
        offsets += location.offsets
        report("reading", number / len(places))
    rank = np.array([place.rank for place in places], np.int32)
    first = np.array([row.first for row in rows], np.int64)
    aligned = not (flat and not offsets)
    beginning = origins(first, rank, aligned)
    for row, origin in zip(rows, beginning.tolist(), strict=True):
        count_from(row, origin)
    ends = ends_of(rows, rank.tolist(), defined.communicators)
    messages, tally = make_messages(ends, defined.communicators, flat)
    return RecordedEvents(
        timeline=Timeline(
            _offsets([len(row.time) for row in rows]),
            _joined([row.time for row in rows], np.int64),
            _joined([row.state for row in rows], np.uint8),
            _joined([row.region for row in rows], np.int32),
        ),
        calls=_calls(rows),
        messages=messages,
        collectives=make_collectives(ends),
        tally=tally,
        paths=paths.as_model(),
        path_cut=paths.cut,
        count=sum(row.count for row in rows),
        origin=int(np.min(beginning, initial=np.iinfo(np.int64).max)),
        last=np.array([row.last for row in rows], np.int64),
        first=np.where(first >= 0, first - beginning, -1),
        open_word=np.array([row.open_word for row in rows], np.int64),
        aligned=aligned,
        astray=sum(row.astray for row in rows),
    )


def count_from(row: Row, origin: int) -> None:
    """Count the times of a row from an origin.

    The first interval, which lasts until the first event, begins at time 0, or is left
    out if the event is there already.
    """
    if len(row.time) > 1 and row.time[1] <= origin:
        for column in (row.time, row.state, row.region):
            del column[0]
    row.time = [0, *(time - origin for time in row.time[1:])]
    row.enter = [time - origin for time in row.enter]
    row.leave = [time - origin for time in row.leave]
    row.last = -1 if row.last < 0 else row.last - origin
    for record in row.records:
        record.when -= origin


def _calls(rows: list[Row]) -> Calls:
    before = _offsets([len(row.enter) for row in rows])
    completes = [
        [call + int(first) if call >= 0 else -1 for call in row.completes]
        for row, first in zip(rows, before[:-1], strict=True)
    ]
    return Calls(
        before,
        _joined([row.call_region for row in rows], np.int32),
        _joined([row.enter for row in rows], np.int64),
        _joined([row.leave for row in rows], np.int64),
        _joined(completes, np.int64),
        _joined([row.path for row in rows], np.int32),
        _joined([row.kept for row in rows], np.uint8),
    )


def _offsets(sizes: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _joined(columns: list[list[int]], dtype: DTypeLike) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype), *(np.array(c, dtype) for c in columns)])


@contextlib.contextmanager
def read_by(read: Callable[..., RecordedEvents]) -> Iterator[None]:
    """Have traces read by another reader, which matches messages, too."""

    def matched(_defined: object, events: RecordedEvents, _: object) -> RecordedEvents:
        return events

    whole = "topoview.io.reading.whole"
    with (
        mock.patch(f"{whole}.decode_whole", read),
        mock.patch(f"{whole}.match_whole", matched),
    ):
        yield
