"""Events read through libotf2: what the own decoder is proved against.

Slower, on one core, and with all records in memory; it reads what the decoder
does not accept, if the library does.
"""

import numpy as np

from otf2_reader.events import read_events
from otf2_reader.library import open_archive
from otf2_reader.messages import (
    COLLECTIVES,
    RECEIVES,
    SENDS,
    make_collectives,
    make_messages,
)
from otf2_reader.selection import select
from otf2_reader.settle import settle_intervals
from topoview.base.progress import Report
from topoview.io.decoder.decoding import RecordedEvents
from topoview.io.decoder.window import origins
from topoview.io.otf2 import DefinedTrace
from topoview.model import Calls, Ints, Subset, Timeline


def read_through_library(
    defined: DefinedTrace, report: Report, subset: Subset
) -> RecordedEvents:
    """Read the events of some ranks; parameters as for `read_all_events`.

    All of their time is read.
    """
    processes, communicators = defined.processes, defined.communicators
    is_eztrace = defined.is_eztrace
    with open_archive(defined) as archive:
        events = read_events(
            archive,
            processes.locations,
            len(processes.mains),
            defined.meaning,
            is_eztrace,
            report,
            subset,
        )
    aligned = not (is_eztrace and not events.clock_offsets)
    report("matching messages", 0.0)
    columns = events.columns
    rank = np.array([place.rank for place in processes.locations], np.int32)
    beginning = origins(events.first, rank, aligned)
    kept = settle_intervals(
        events.interval_offsets, columns.time, columns.state, columns.region, beginning
    )
    _subtract(columns.enter, events.call_offsets, beginning)
    _subtract(columns.leave, events.call_offsets, beginning)
    _subtract(columns.when, events.record_offsets, beginning)
    sends, receives, parts = (
        select(columns, kinds, events.record_offsets, rank, communicators)
        for kinds in (SENDS, RECEIVES, COLLECTIVES)
    )
    messages, tally = make_messages(columns, sends, receives, communicators, is_eztrace)
    report("matching messages", 1.0)
    return RecordedEvents(
        timeline=Timeline(
            events.interval_offsets,
            columns.time[:kept],
            columns.state[:kept],
            columns.region[:kept],
        ),
        calls=Calls(
            events.call_offsets,
            columns.call_region,
            columns.enter,
            columns.leave,
            columns.completes,
            columns.path,
            columns.kept,
        ),
        messages=messages,
        collectives=make_collectives(columns, parts),
        tally=tally,
        paths=events.paths,
        count=events.count,
        origin=int(np.min(beginning, initial=np.iinfo(np.int64).max)),
        last=np.where(events.last < 0, -1, events.last - beginning),
        aligned=aligned,
        astray=events.astray,
        path_cut=events.path_cut,
        faults=events.faults,
        lost=events.lost,
        lost_in=events.lost_in,
    )


def _subtract(times: Ints, offsets: Ints, origin: Ints) -> None:
    for row in range(len(origin)):
        times[offsets[row] : offsets[row + 1]] -= origin[row]
