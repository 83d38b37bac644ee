"""Events of a trace, from its files to the model."""

from typing import Final

import numpy as np

from topoview.io.allocation import Allocate
from topoview.io.assembly import make_collectives, make_messages
from topoview.io.columns import Meaning
from topoview.io.communicators import Communicators
from topoview.io.decoder.attributes import ATTRIBUTE_FIELDS
from topoview.io.decoder.decode import Decoded, decode
from topoview.io.decoder.source import Source
from topoview.io.open_archive import Archive
from topoview.io.processes import Processes
from topoview.io.recorded import Recorded
from topoview.io.records import ATTRIBUTES, METRIC, RECORDS
from topoview.model import Calls, Records, Regions, Subset, Timeline, to_ticks
from topoview.progress import Report

_FIELDS: Final = {
    METRIC: ("metric", "place", "type", "value"),
    ATTRIBUTES: ATTRIBUTE_FIELDS,
}
_ATTRIBUTE: Final = "Attribute"


def record(  # noqa: PLR0913
    archive: Archive,
    processes: Processes,
    meaning: Meaning,
    communicators: Communicators,
    is_eztrace: bool,
    report: Report,
    allocate: Allocate,
    subset: Subset,
    regions: Regions,
) -> Recorded:
    """Read the events of all locations.

    Parameters
    ----------
    is_eztrace
        EZTrace wrote them: calls are never nested, clocks not aligned, and
        receives can name a wrong communicator.
    subset
        Which part is to be read. Some of what is outside of it is read, too.
    regions
        Those of `meaning`.
    """
    source = Source(
        archive.folder,
        archive.event_chunk,
        archive.definition_chunk,
        archive.silent,
        subset,
        to_ticks(subset.begin or 0.0, archive.resolution),
        _until(subset, archive.resolution),
    )
    locations, ranks = processes.locations, len(processes.mains)
    found = decode(
        source, locations, ranks, meaning, communicators, is_eztrace, report, allocate
    )
    if not found.count and any(kind == "evt" for kind, _ in found.faults):
        # Perhaps a format that only the library knows. Its callbacks take as long
        # to load as all else.
        from topoview.io.fallback import read_through_library

        read = read_through_library(
            archive, processes, meaning, communicators, is_eztrace, report, subset
        )
        if read.count:
            return read
    report("matching messages", 0.0)
    rank = np.array([place.rank for place in locations], np.int32)
    messages, tally = make_messages(
        found, rank, ranks, communicators, is_eztrace, allocate, regions
    )
    report("matching messages", 1.0)
    columns = found.columns
    return Recorded(
        timeline=Timeline(
            found.interval_offsets,
            columns["timeline.time"],
            columns["timeline.state"],
            columns["timeline.region"],
        ),
        calls=Calls(
            found.call_offsets,
            columns["calls.region"],
            columns["calls.enter"],
            columns["calls.leave"],
            columns["calls.completes"],
            columns["calls.path"],
            columns["calls.kept"],
        ),
        messages=messages,
        collectives=make_collectives(found),
        tally=tally,
        paths=found.paths,
        count=found.count,
        origin=found.origin,
        last=found.last,
        aligned=found.aligned,
        further=tuple(_records(found, kind) for kind in found.further_offsets),
        counts=tuple((_name(kind), n) for kind, n in found.counts.items()),
        astray=found.astray,
        spoilt=found.spoilt,
        path_cut=found.path_cut,
        faults=found.faults,
        lost=found.lost,
        lost_in=found.lost_in,
        unread=found.unread,
    )


def _until(subset: Subset, resolution: int) -> int | None:
    """Ticks at which a part of a trace ends; at least one is in it."""
    if subset.end is None:
        return None
    begin = to_ticks(subset.begin or 0.0, resolution)
    return max(to_ticks(subset.end, resolution), begin + 1)


def _name(kind: int) -> str:
    return RECORDS[kind].name if kind in RECORDS else f"type {kind}"


def _records(found: Decoded, kind: int) -> Records:
    fields: tuple[str, ...] = _FIELDS.get(kind, ())
    if kind not in _FIELDS:
        fields = tuple(field.name for field in RECORDS[kind].fields)
    time = found.columns[f"further.{kind}.time"]
    values = found.columns[f"further.{kind}.fields"]
    return Records(
        name=_ATTRIBUTE if kind == ATTRIBUTES else _name(kind),
        fields=fields,
        offsets=found.further_offsets[kind],
        time=time,
        values=values.reshape(len(time), len(fields)),
    )
