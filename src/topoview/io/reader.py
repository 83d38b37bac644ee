"""Opening a trace: from a path to the model."""

import os
import tempfile
from pathlib import Path
from typing import Final

import numpy as np

from topoview.errors import TraceError
from topoview.io.anchor import is_plausible
from topoview.io.archive import Anchor, find_anchor
from topoview.io.chunks import definitions_in
from topoview.io.communicators import (
    Communicators,
    find_communicators,
    find_topologies,
)
from topoview.io.definitions import Definitions, read_definitions
from topoview.io.events import Events, read_events
from topoview.io.library import Handle, Library, load, quiet
from topoview.io.location_readers import Archive
from topoview.io.messages import (
    COLLECTIVES,
    RECEIVES,
    SENDS,
    make_collectives,
    make_messages,
)
from topoview.io.notices import Outcome, tell
from topoview.io.processes import Processes, find_processes
from topoview.io.regions import find_regions
from topoview.io.selection import select
from topoview.io.settle import origins, settle_intervals
from topoview.model import Calls, Clock, Ints, Regions, Timeline, Trace
from topoview.progress import Report, silent

_EZTRACE: Final = "EZTrace"


def open_trace(path: str | Path, report: Report = silent) -> Trace:
    """Read a trace.

    What is damaged is left out and told in the trace's `warnings`.

    Parameters
    ----------
    path
        An anchor file (``traces.otf2``), a folder that holds exactly one, or an
        archive (``.tar``, ``.tar.gz``, ``.tar.xz``, ``.zip``, ...) of one, which
        is unpacked to a temporary folder.
    report
        Called after every few ten thousand events.

    Raises
    ------
    TraceError
        If there is no trace, or it cannot be read at all.
    Cancelled
        From `report`.
    """
    with tempfile.TemporaryDirectory(prefix="topoview-") as scratch:
        return read_anchor(find_anchor(Path(path), Path(scratch), report), report)


def read_anchor(anchor: Anchor, report: Report) -> Trace:
    """Read the trace that an anchor file belongs to."""
    report("reading definitions", 0.0)
    library = load()
    with quiet(library):
        reader = None
        if is_plausible(anchor.file):
            reader = library.Reader_Open(os.fsencode(anchor.file))
        if not reader:
            raise TraceError(
                f"{anchor.shown} is damaged or no OTF2 anchor file: nothing of the "
                "trace can be read without it; copy the trace again"
            )
        try:
            library.Reader_SetSerialCollectiveCallbacks(reader)
            return _read(library, reader, anchor, report)
        finally:
            library.Reader_Close(reader)


def _read(library: Library, reader: Handle, anchor: Anchor, report: Report) -> Trace:
    chunks = library.chunk_sizes(reader)
    file = anchor.file.with_suffix(".def")
    definitions, whole = read_definitions(
        library, reader, definitions_in(file, chunks[1])
    )
    if not definitions.locations:
        raise TraceError(
            f"{anchor.shown.with_suffix('.def')} is missing or damaged: it holds the "
            "definitions, without which events mean nothing; copy the trace again"
        )
    silent = frozenset(p.id for p in definitions.locations.values() if not p.events)
    archive = Archive(library, reader, anchor.file.with_suffix(""), *chunks, silent)
    is_eztrace = _is_eztrace(definitions, anchor)
    processes = find_processes(definitions)
    communicators = find_communicators(definitions, processes.mains)
    regions, meaning = find_regions(definitions)
    events = read_events(
        archive,
        processes.locations,
        len(processes.mains),
        meaning,
        is_eztrace,
        report,
    )
    aligned = not (is_eztrace and not events.clock_offsets)
    return _assemble(
        anchor, definitions, whole, processes, communicators, regions, events,
        aligned, is_eztrace, report,
    )  # fmt: skip


def _is_eztrace(definitions: Definitions, anchor: Anchor) -> bool:
    if definitions.creator:
        return _EZTRACE.lower() in definitions.creator.lower()
    return (
        anchor.file.stem == "eztrace_log"
        or "EZTrace finalize" in definitions.strings.values()
    )


def _producer(definitions: Definitions, is_eztrace: bool) -> str:
    lines = definitions.creator.strip().splitlines()
    if lines:
        return lines[0].strip()
    return _EZTRACE if is_eztrace else "unknown"


def _assemble(  # noqa: PLR0913
    anchor: Anchor,
    definitions: Definitions,
    whole: bool,
    processes: Processes,
    communicators: Communicators,
    regions: Regions,
    events: Events,
    aligned: bool,
    is_eztrace: bool,
    report: Report,
) -> Trace:
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
    trace = Trace(
        path=str(anchor.given),
        name=anchor.name,
        producer=_producer(definitions, is_eztrace),
        clock=Clock(
            resolution=definitions.resolution,
            length=int(np.max(events.last - beginning, initial=0)),
            origin=int(np.min(beginning, initial=np.iinfo(np.int64).max)),
            aligned=aligned,
        ),
        ranks=len(processes.mains),
        locations=processes.locations,
        regions=regions,
        communicators=communicators.items,
        topologies=find_topologies(definitions, communicators),
        metrics=tuple(
            definitions.string(name) for name in definitions.metrics.values()
        ),
        events=events.count,
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
        ),
        messages=messages,
        collectives=make_collectives(columns, parts),
    )
    return tell(trace, Outcome(whole, events, tally, is_eztrace))


def _subtract(times: Ints, offsets: Ints, origin: Ints) -> None:
    for row in range(len(origin)):
        times[offsets[row] : offsets[row + 1]] -= origin[row]
