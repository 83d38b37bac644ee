"""What OTF2 holds besides events, and the trace that both make.

Definitions are read first, then the events (`topoview.io.reading`); then samples are
put into the timeline, and what is damaged is told in the trace's warnings and health.
"""

from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from topoview.errors import TraceError
from topoview.io.archive.anchor import read_anchor_file
from topoview.io.archive.contents import EventFiles
from topoview.io.decoder.decoding import RecordedEvents, Source
from topoview.io.decoder.library import Timeline as TimelineColumns
from topoview.io.decoder.library import address, addresses, load_decoder
from topoview.io.definitions.communicators import (
    Communicators,
    find_communicators,
    find_groups,
    find_topologies,
)
from topoview.io.definitions.locations import RanksAndLocations, find_locations
from topoview.io.definitions.markers import find_markers, read_markers
from topoview.io.definitions.names import find_counters, find_names, find_nodes
from topoview.io.definitions.records import Definitions, read_records
from topoview.io.definitions.regions import (
    RegionLookup,
    find_regions,
    find_source_lines,
)
from topoview.io.definitions.tables import find_definition_tables
from topoview.io.health import ReadOutcome, add_warnings_and_health
from topoview.io.readers import Anchor
from topoview.io.repairs.missed import find_missed_parts
from topoview.io.streams import show_streams_and_teams
from topoview.io.subset import parts_before
from topoview.model import (
    Clock,
    EventRecords,
    Indices,
    Regions,
    SourceLines,
    Subset,
    Timeline,
    Trace,
    to_ticks,
)
from topoview.store.arrays import Allocate

_EZTRACE: Final = "EZTrace"


class DefinedTrace(NamedTuple):
    """A trace of which the definitions are read, and no events: it pickles."""

    anchor: Anchor
    files: EventFiles
    """`anchor` and `files`: its files."""
    definitions: Definitions
    """What was read."""
    is_eztrace: bool
    """EZTrace wrote it."""
    processes: RanksAndLocations
    communicators: Communicators
    regions: Regions
    meaning: RegionLookup
    """`processes`, `communicators`, `regions` and `meaning`: what the definitions
    mean."""

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.processes.mains)

    @property
    def producer(self) -> str:
        """What wrote the trace."""
        lines = self.definitions.creator.strip().splitlines()
        if lines:
            return lines[0].strip()
        return _EZTRACE if self.is_eztrace else "unknown"

    @property
    def rank_of_row(self) -> Indices:
        """Rank of each location: int32, shape (rows,)."""
        return np.array([place.rank for place in self.processes.locations], np.int32)

    def joined(self, between: tuple[tuple[int, int], ...]) -> "DefinedTrace":
        """Return it with pairs of communicators as ones between two groups."""
        return self._replace(communicators=self.communicators.joined(between))


def read_definitions_of(anchor: Anchor) -> DefinedTrace:
    """Read the definitions of the trace that an anchor file belongs to.

    Raises `TraceError` if there are none.
    """
    head = read_anchor_file(anchor.file, anchor.shown)
    definitions = read_records(anchor.file.with_suffix(".def"), head)
    if not definitions.locations:
        raise TraceError(
            f"{anchor.shown.with_suffix('.def')} is missing or damaged: it holds the "
            "definitions, without which events mean nothing; copy the trace again"
        )
    silent = frozenset(p.id for p in definitions.locations.values() if not p.events)
    processes = find_locations(definitions)
    regions, meaning = find_regions(definitions)
    return DefinedTrace(
        anchor=anchor,
        files=EventFiles(
            folder=anchor.file.with_suffix(""),
            event_chunk=head.event_chunk,
            definition_chunk=head.definition_chunk,
            compressed=head.compressed,
            silent=silent,
            resolution=definitions.resolution,
        ),
        definitions=definitions,
        is_eztrace=_is_eztrace(definitions, anchor),
        processes=processes,
        communicators=find_communicators(definitions, processes.mains),
        regions=regions,
        meaning=meaning,
    )


def complete_trace(
    defined: DefinedTrace,
    events: RecordedEvents,
    of_samples: Allocate,
    of_streams: Allocate,
) -> Trace:
    """Put together a trace of its definitions and its events, and say how whole it is.

    Parameters
    ----------
    events
        With messages matched and clocks aligned.
    of_samples, of_streams
        Give the arrays of a timeline that shows samples, and of one that shows what
        runs on streams, and waits for teams of threads.
    """
    definitions = defined.definitions
    sources = find_source_lines(definitions, defined.meaning)
    timeline = add_samples_to_timeline(
        events.timeline, events.further, sources, defined.regions, of_samples
    )
    timeline = show_streams_and_teams(
        timeline, events.further, defined.processes.locations, of_streams
    )
    events = replace(events, timeline=timeline)
    remarks, marker_fault = read_markers(
        defined.anchor.file.with_suffix(".marker"), defined.files.definition_chunk
    )
    markers = find_markers(remarks, definitions, defined.processes, events.origin)
    trace = replace(trace_of(defined, events), markers=markers)
    missed = find_missed_parts(trace, events.gaps)
    trace = replace(trace, earlier=(*trace.earlier, *missed.missed))
    snapshots = sum(1 for _ in defined.files.folder.glob("*.snap"))
    outcome = ReadOutcome(
        definitions_whole=definitions.whole,
        events=events,
        is_eztrace=defined.is_eztrace,
        marker_fault=marker_fault,
        snapshots=snapshots,
        incomplete_operations=missed.incomplete,
    )
    return add_warnings_and_health(trace, outcome)


def trace_of(defined: DefinedTrace, events: RecordedEvents) -> Trace:
    """Put together definitions and events, without saying how whole that is."""
    definitions, anchor = defined.definitions, defined.anchor
    return Trace(
        path=str(anchor.given),
        name=anchor.name,
        producer=defined.producer,
        clock=Clock(
            resolution=definitions.resolution,
            length=events.length,
            origin=events.origin,
            aligned=events.aligned,
            alignment=events.alignment,
        ),
        ranks=defined.ranks,
        locations=defined.processes.locations,
        regions=defined.regions,
        communicators=defined.communicators.items,
        topologies=find_topologies(definitions, defined.communicators),
        metrics=tuple(
            definitions.string(member.name)
            for member in definitions.further.members.values()
        ),
        events=events.count,
        timeline=events.timeline,
        calls=events.calls,
        messages=events.messages,
        collectives=events.collectives,
        further=events.further,
        counts=events.counts,
        groups=find_groups(definitions, defined.processes.mains, events.further),
        windows=defined.communicators.of_windows(definitions.kept.get("RmaWin", ())),
        paths=events.paths,
        never_left=events.never_left,
        earlier=parts_before(
            events.parts_before, defined.rank_of_row, len(defined.communicators.items)
        ),
        **_identifier_meanings(definitions, defined.meaning),
    )


def source_of(files: EventFiles, subset: Subset) -> Source:
    """Describe which of a trace's events are wanted, and how they are read."""
    return Source(
        files=files,
        subset=subset,
        begin=to_ticks(subset.begin or 0.0, files.resolution),
        until=_end_ticks(subset, files.resolution),
    )


def _end_ticks(subset: Subset, resolution: int) -> int | None:
    """Ticks at which a part of a trace ends; at least one is in it."""
    if subset.end is None:
        return None
    begin = to_ticks(subset.begin or 0.0, resolution)
    return max(to_ticks(subset.end, resolution), begin + 1)


def _identifier_meanings(
    definitions: Definitions, meaning: RegionLookup
) -> dict[str, Any]:
    """Return the meanings of identifiers that only further records hold."""
    further, text = definitions.further, definitions.string
    groups = {
        ref: text(group.name) for ref, group in definitions.location_groups.items()
    }
    return {
        "counters": find_counters(further, text, groups),
        "names": find_names(definitions),
        "nodes": find_nodes(further, text),
        "definitions": find_definition_tables(definitions.kept, text),
        "sources": find_source_lines(definitions, meaning),
    }


def _is_eztrace(definitions: Definitions, anchor: Anchor) -> bool:
    if definitions.creator:
        return _EZTRACE.lower() in definitions.creator.lower()
    return (
        anchor.file.stem == "eztrace_log"
        or "EZTrace finalize" in definitions.strings.values()
    )


# Samples of where locations were, shown in the timeline.
#
# From a sample to the next event or sample a location is taken to be in the region of
# the sample, unless its events say that it is in an MPI call.

_SAMPLE_RECORD: Final = "CallingContextSample"


def add_samples_to_timeline(
    timeline: Timeline,
    further: tuple[EventRecords, ...],
    sources: SourceLines,
    regions: Regions,
    allocate: Allocate,
) -> Timeline:
    """Show samples in a timeline; it is given back as it is if there are none.

    A location of which nothing but samples is recorded is outside of its recorded
    time before the first and from the last one on.
    """
    samples = [records for records in further if records.name == _SAMPLE_RECORD]
    if not samples or not len(samples[0]) or not len(sources.contexts):
        return timeline
    (records,) = samples
    region = _sample_regions(records, sources)
    most = len(timeline.time) + 2 * len(records)
    time = allocate("timeline.time", most, np.int64)
    state = allocate("timeline.state", most, np.uint8)
    shown = allocate("timeline.region", most, np.int32)
    offsets = np.zeros(len(timeline.offsets), np.int64)
    old = timeline.offsets, timeline.time, timeline.state, timeline.region
    both = [
        TimelineColumns(*addresses(*arrays))
        for arrays in (old, (offsets, time, state, shown))
    ]
    count = load_decoder().show_samples(
        both[0].address, timeline.rows, address(records.offsets),
        address(records.time), address(region), address(regions.state),
        address(regions.operation), address(offsets), both[1].address,
    )  # fmt: skip
    return Timeline(offsets, time[:count], state[:count], shown[:count])


def _sample_regions(records: EventRecords, sources: SourceLines) -> Indices:
    """Region of each sample, -1 where its context is not defined."""
    context = records.column("context")
    at = np.searchsorted(sources.contexts, context)
    at = np.minimum(at, len(sources.contexts) - 1)
    matches = sources.contexts[at] == context
    return np.where(matches, sources.context_region[at], -1).astype(np.int32)
