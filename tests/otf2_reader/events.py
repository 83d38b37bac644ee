"""Events of all locations, read through compiled callbacks.

Memory: a tape of bounded size, the columns of what was read, and what libotf2
holds of one location (a chunk, 16 MiB at most). Neither the events themselves
nor more than one location's file is held.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from otf2_reader import callbacks
from otf2_reader.chunks import scan
from otf2_reader.columns import (
    ASTRAY,
    CALLS,
    DEPTH,
    INTERVALS,
    NOW,
    RECORDS,
    UNBALANCED,
    Columns,
    make_columns,
)
from otf2_reader.library import OpenArchive
from otf2_reader.location_readers import BATCH, location_readers
from otf2_reader.paths import make_tree, paths_of
from otf2_reader.replay import begin, copy_records, end, replay
from otf2_reader.requests import resolve_requests
from topoview.base.progress import Report
from topoview.io.definitions.regions import RegionLookup
from topoview.model import CallPaths, Indices, Ints, Location, MPIState, Subset

_LENGTHS: Final = dict.fromkeys(("time", "state", "region"), INTERVALS) | dict.fromkeys(
    ("call_region", "enter", "leave", "completes", "path", "kept"), CALLS
)


@dataclass(slots=True)
class Events:
    """What was read from all locations.

    Attributes
    ----------
    columns
        Filled columns, trimmed.
    interval_offsets, call_offsets, record_offsets : int64, shape (rows + 1,)
        Where each row's part of the columns begins.
    first, last : int64, shape (rows,)
        Times of the first and the last event of each row, -1 without events.
    paths, path_cut
        Call paths; how many times one was told shorter than it is.
    count
        Events read.
    unbalanced, astray
        Regions that were left but not open; records outside of any MPI call.
    clock_offsets
        How many corrections of clocks the local definitions hold.
    faults
        What is wrong with files: descriptions, and the files they hold for.
    lost, lost_in
        Events that are known to be there, but could not be read; how many of them in
        each file that has some.
    """

    columns: Columns
    interval_offsets: Ints
    call_offsets: Ints
    record_offsets: Ints
    first: Ints
    last: Ints
    paths: CallPaths = field(default_factory=CallPaths)
    path_cut: int = 0
    count: int = 0
    unbalanced: int = 0
    astray: int = 0
    clock_offsets: int = 0
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    lost: int = 0
    lost_in: dict[str, int] = field(default_factory=dict)

    def blame(self, fault: str, file: str, lost: int = 0) -> None:
        """Note that something is wrong with a file."""
        kind = file.rpartition(".")[2]
        self.faults.setdefault((kind, fault), []).append(file)
        self.lost += lost
        if lost:
            self.lost_in[file] = self.lost_in.get(file, 0) + lost


def read_events(
    archive: OpenArchive,
    locations: tuple[Location, ...],
    ranks: int,
    meaning: RegionLookup,
    flat: bool,
    report: Report,
    subset: Subset,
) -> Events:
    """Read the events of locations.

    Parameters
    ----------
    locations, ranks
        All locations, and how many of them are main threads of ranks.
    flat
        MPI calls are never nested.
    report
        Called after every batch of events, with the fraction of bytes read.
    subset
        Which ranks are to be read; of others only when their first event is.
    """
    files = [
        scan(archive.folder / f"{location.id}.evt", archive.event_chunk)
        for location in locations
    ]
    rows = len(locations)
    columns, cursor = make_columns(sum(f.readable for f in files), rows)
    offsets = np.zeros((3, rows + 1), np.int64)
    never = np.full(rows, -1, np.int64)
    found = Events(columns, offsets[0], offsets[1], offsets[2], never, never.copy())
    tape = callbacks.make_tape(BATCH)
    stack = np.zeros(BATCH, np.int32)
    tree = make_tree()
    total, done = max(sum(f.size for f in files), 1), 0
    with location_readers(archive, locations, found) as readers:
        for row, (location, file) in enumerate(zip(locations, files, strict=True)):
            idle = np.uint8(MPIState.COMPUTE if row < ranks else MPIState.OUTSIDE)
            begin(columns, cursor)
            callbacks.rewind(tape, start=True)
            read = 0
            for count in readers.batches(location, file, tape):
                found.first[row] = min(int(tape[2]), 1 << 62)
                if not subset.has_rank(location.rank):
                    break
                stack = _room(stack, int(cursor[DEPTH]) + BATCH)
                record = int(cursor[RECORDS])
                replay(tape, columns, cursor, stack, meaning, tree, idle, flat)
                copy_records(tape, columns, record)
                callbacks.rewind(tape)
                read += count
                report("reading", (done + file.size * read / file.readable) / total)
            if read:
                end(columns, cursor, tape[3])
                found.last[row] = cursor[NOW]
            resolve_requests(columns, cursor, int(offsets[2, row]))
            offsets[:, row + 1] = cursor[[INTERVALS, CALLS, RECORDS]]
            found.count += read
            done += file.size
            report("reading", done / total)
    found.unbalanced, found.astray = int(cursor[UNBALANCED]), int(cursor[ASTRAY])
    found.paths, found.path_cut = paths_of(tree)
    found.columns = _trim(columns, cursor)
    return found


def _room(stack: Indices, size: int) -> Indices:
    return stack if len(stack) >= size else np.resize(stack, 2 * size)


def _trim(columns: Columns, cursor: Ints) -> Columns:
    return Columns(
        *(
            column[: cursor[_LENGTHS.get(name, RECORDS)]]
            for name, column in columns._asdict().items()
        )
    )
