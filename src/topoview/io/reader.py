"""Opening a trace: from a path to the model."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from topoview.errors import TraceError
from topoview.io.alignment import align
from topoview.io.allocation import Allocate, Memory
from topoview.io.anchor import is_plausible
from topoview.io.archive import Anchor, find_anchor
from topoview.io.chunks import definitions_in
from topoview.io.columns import Meaning
from topoview.io.communicators import find_communicators, find_topologies
from topoview.io.counters import find_counters
from topoview.io.definitions import Definitions, read_definitions
from topoview.io.definitions_kept import find_tables
from topoview.io.library import Handle, Library, load, quiet
from topoview.io.markers import find_markers, read_markers
from topoview.io.names import find_names, find_nodes
from topoview.io.notices import Outcome, tell
from topoview.io.open_archive import Archive
from topoview.io.processes import find_processes
from topoview.io.recording import record
from topoview.io.regions import find_regions
from topoview.io.restriction import check_ranks, restrict
from topoview.io.sampling import show_samples
from topoview.io.sources import find_sources
from topoview.io.survey import survey
from topoview.model import Clock, Extent, Subset, Trace
from topoview.progress import Report, silent

_EZTRACE: Final = "EZTrace"


def open_trace(
    path: str | Path, report: Report = silent, subset: Subset | None = None
) -> Trace:
    """Read a trace in this process, and keep nothing of it.

    What is damaged is left out and told in the trace's `warnings`.

    Parameters
    ----------
    path
        An anchor file (``traces.otf2``), a folder that holds exactly one, or an
        archive (``.tar``, ``.tar.gz``, ``.tar.xz``, ``.zip``, ...) of one, which
        is unpacked to a temporary folder.
    report
        Called after every few ten thousand events.
    subset
        What to read of it; None: all.

    Raises
    ------
    TraceError
        If there is no trace, it cannot be read at all, or has no such part.
    Cancelled
        From `report`.
    """
    with tempfile.TemporaryDirectory(prefix="topoview-") as scratch:
        anchor = find_anchor(Path(path), Path(scratch), report)
        return read_anchor(anchor, report, subset or Subset())


def read_anchor(
    anchor: Anchor,
    report: Report,
    subset: Subset,
    allocate: Allocate | None = None,
    before: Callable[[Extent], None] = lambda _: None,
) -> Trace:
    """Read the trace that an anchor file belongs to.

    Parameters
    ----------
    subset
        What to read of it.
    allocate
        Gives the arrays for the trace's columns; None: from memory.
    before
        Called before the events are read if that takes long.
    """
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
            columns = allocate or Memory()
            return _read(library, reader, anchor, report, subset, columns, before)
        finally:
            library.Reader_Close(reader)


def _read(  # noqa: PLR0913
    library: Library,
    reader: Handle,
    anchor: Anchor,
    report: Report,
    subset: Subset,
    allocate: Allocate,
    before: Callable[[Extent], None],
) -> Trace:
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
    archive = Archive(
        library,
        reader,
        anchor.file.with_suffix(""),
        *chunks,
        silent,
        definitions.resolution,
    )
    is_eztrace = _is_eztrace(definitions, anchor)
    processes = find_processes(definitions)
    communicators = find_communicators(definitions, processes.mains)
    regions, meaning = find_regions(definitions)
    check_ranks(subset, len(processes.mains), anchor.name)
    extent = survey(
        anchor.name,
        archive.folder,
        [place.id for place in processes.locations],
        len(processes.mains),
        chunks[0],
        definitions.resolution,
    )
    if extent is not None:
        before(extent)
    while True:
        found = record(
            archive, processes, meaning, communicators, is_eztrace, report, allocate,
            subset, regions,
        )  # fmt: skip
        if not found.tally.between:
            break
        # Partners were taken for ranks of the wrong group: read once more.
        communicators = communicators.joined(found.tally.between)
        del found
    rank = np.array([place.rank for place in processes.locations], np.int32)
    remarks, marker_fault = read_markers(file.with_suffix(".marker"), chunks[1])
    snapshots = sum(1 for _ in archive.folder.glob("*.snap"))
    found = align(
        found, rank, len(processes.mains), regions, communicators.items, allocate
    )
    meanings = _meanings(definitions, meaning)
    timeline = show_samples(
        found.timeline, found.further, meanings["sources"], regions, allocate
    )
    trace = Trace(
        path=str(anchor.given),
        name=anchor.name,
        producer=_producer(definitions, is_eztrace),
        clock=Clock(
            resolution=definitions.resolution,
            length=found.length,
            origin=found.origin,
            aligned=found.aligned,
            alignment=found.alignment,
        ),
        ranks=len(processes.mains),
        locations=processes.locations,
        regions=regions,
        communicators=communicators.items,
        topologies=find_topologies(definitions, communicators),
        metrics=tuple(
            definitions.string(member.name)
            for member in definitions.further.members.values()
        ),
        events=found.count,
        timeline=timeline,
        calls=found.calls,
        messages=found.messages,
        collectives=found.collectives,
        further=found.further,
        counts=found.counts,
        paths=found.paths,
        markers=find_markers(remarks, definitions, processes, found.origin),
        **meanings,
    )
    outcome = Outcome(whole, found, is_eztrace, marker_fault, snapshots)
    whole_trace = tell(trace, outcome)
    return restrict(whole_trace, subset)


def _meanings(definitions: Definitions, meaning: Meaning) -> dict[str, Any]:
    """Say what identifiers mean that only further records hold."""
    further, text = definitions.further, definitions.string
    groups = {
        ref: text(group.name) for ref, group in definitions.location_groups.items()
    }
    return {
        "counters": find_counters(further, text, groups),
        "names": find_names(definitions),
        "nodes": find_nodes(further, text),
        "definitions": find_tables(definitions.rows, text),
        "sources": find_sources(definitions, meaning),
    }


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
