"""Events of all locations, read through compiled callbacks.

Memory: a tape of bounded size, the columns of what was read, and what libotf2
holds of one location (a chunk, 16 MiB at most). Neither the events themselves
nor more than one location's file is held.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_uint64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from topoview.io import callbacks
from topoview.io.chunks import EventFile, scan
from topoview.io.columns import (
    ASTRAY,
    CALLS,
    DEPTH,
    INTERVALS,
    NOW,
    RECORDS,
    UNBALANCED,
    Columns,
    Meaning,
    make_columns,
)
from topoview.io.library import ClockOffsetCallback, Handle, Library
from topoview.io.replay import begin, copy_records, end, replay
from topoview.io.requests import resolve_requests
from topoview.model import Indices, Ints, Location, MPIState
from topoview.progress import Report

BATCH: Final = 1 << 16
_LENGTHS: Final = dict.fromkeys(("time", "state", "region"), INTERVALS) | dict.fromkeys(
    ("call_region", "enter", "leave", "completes"), CALLS
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
    count
        Events read.
    unbalanced, astray
        Regions that were left but not open; records outside of any MPI call.
    clock_offsets
        How many corrections of clocks the local definitions hold.
    faults
        What is wrong with files: descriptions, and the files they hold for.
    lost
        Events that are known to be there, but could not be read.
    """

    columns: Columns
    interval_offsets: Ints
    call_offsets: Ints
    record_offsets: Ints
    first: Ints
    last: Ints
    count: int = 0
    unbalanced: int = 0
    astray: int = 0
    clock_offsets: int = 0
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    lost: int = 0

    def blame(self, fault: str, file: str, lost: int = 0) -> None:
        """Note that something is wrong with a file."""
        kind = file.rpartition(".")[2]
        self.faults.setdefault((kind, fault), []).append(file)
        self.lost += lost


def read_events(  # noqa: PLR0913
    library: Library,
    reader: Handle,
    folder: Path,
    locations: tuple[Location, ...],
    ranks: int,
    silent: frozenset[int],
    meaning: Meaning,
    flat: bool,
    report: Report,
) -> Events:
    """Read the events of all locations.

    Parameters
    ----------
    folder
        Folder of the locations' files.
    silent
        Locations that have no events, by the definitions: no file is missed.
    flat
        MPI calls are never nested.
    report
        Called after every batch of events, with the fraction of bytes read.
    """
    files = [
        scan(folder / f"{location.id}.evt", library.event_chunk_size(reader))
        for location in locations
    ]
    rows = len(locations)
    columns, cursor = make_columns(sum(f.announced for f in files), rows)
    offsets = np.zeros((3, rows + 1), np.int64)
    never = np.full(rows, -1, np.int64)
    found = Events(columns, offsets[0], offsets[1], offsets[2], never, never.copy())
    tape = callbacks.make_tape(BATCH)
    stack = np.zeros(BATCH, np.int32)
    total, done = max(sum(f.size for f in files), 1), 0
    with _event_files(library, reader, locations, silent, found) as handles:
        for row, (location, file) in enumerate(zip(locations, files, strict=True)):
            idle = np.uint8(MPIState.COMPUTE if row < ranks else MPIState.OUTSIDE)
            begin(columns, cursor)
            callbacks.rewind(tape, start=True)
            read = 0
            for count in handles.batches(location, file, tape):
                stack = _room(stack, int(cursor[DEPTH]) + BATCH)
                record = int(cursor[RECORDS])
                replay(tape, columns, cursor, stack, meaning, idle, flat)
                copy_records(tape, columns, record)
                callbacks.rewind(tape)
                read += count
                report("reading", (done + file.size * read / file.announced) / total)
            if read:
                end(columns, cursor, tape[3])
                found.first[row] = min(int(tape[2]), 1 << 62)
                found.last[row] = cursor[NOW]
            resolve_requests(columns, cursor, int(offsets[2, row]))
            offsets[:, row + 1] = cursor[[INTERVALS, CALLS, RECORDS]]
            found.count += read
            done += file.size
            report("reading", done / total)
    found.unbalanced, found.astray = int(cursor[UNBALANCED]), int(cursor[ASTRAY])
    found.columns = _trim(columns, cursor)
    return found


class _Handles:
    """Per-location readers of one archive."""

    def __init__(
        self,
        library: Library,
        reader: Handle,
        found: Events,
        silent: frozenset[int],
        local: bool,
    ) -> None:
        self._library, self._reader = library, reader
        self._found, self._silent, self._local = found, silent, local
        self._callbacks = callbacks.register(library)
        self._offsets = library.DefReaderCallbacks_New()
        self._count_offset = ClockOffsetCallback(self._clock_offset)
        library.DefReaderCallbacks_SetClockOffsetCallback(
            self._offsets, ctypes.cast(self._count_offset, c_void_p)
        )

    def close(self) -> None:
        """Free the callbacks."""
        self._library.EvtReaderCallbacks_Delete(self._callbacks)
        self._library.DefReaderCallbacks_Delete(self._offsets)

    def batches(
        self, location: Location, file: EventFile, tape: callbacks.Words
    ) -> Iterator[int]:
        """Read the events of a location to the tape; yields how many, repeatedly.

        Local definitions come first: mappings of identifiers and corrections
        of the clock apply to events that are read after them.
        """
        name = f"{location.id}.evt"
        lost = file.announced - file.readable
        if file.fault and not (file.fault == "missing" and location.id in self._silent):
            self._found.blame(file.fault, name, lost)
        if not file.readable:
            return
        self._read_definitions(location.id)
        library, reader = self._library, self._reader
        events = library.Reader_GetEvtReader(reader, location.id)
        if not events:
            self._found.blame("damaged", name, file.readable)
            return
        try:
            library.Reader_RegisterEvtCallbacks(
                reader, events, self._callbacks, tape.ctypes.data
            )
            left, count = file.readable, c_uint64()
            while left:
                status = library.EvtReader_ReadEvents(
                    events, min(left, BATCH), ctypes.byref(count)
                )
                left -= count.value
                if count.value:
                    yield count.value
                if status or not count.value:
                    break
            if left:
                self._found.blame("damaged", name, left)
        finally:
            library.Reader_CloseEvtReader(reader, events)

    def _read_definitions(self, location: int) -> None:
        library, reader = self._library, self._reader
        definitions = None
        if self._local:
            definitions = library.Reader_GetDefReader(reader, location)
        if not definitions:
            self._found.blame("missing", f"{location}.def")
            return
        library.Reader_RegisterDefCallbacks(reader, definitions, self._offsets, None)
        count = c_uint64()
        if library.Reader_ReadAllLocalDefinitions(
            reader, definitions, ctypes.byref(count)
        ):
            self._found.blame("damaged", f"{location}.def")
        library.Reader_CloseDefReader(reader, definitions)

    def _clock_offset(self, user: int, time: int, offset: int, deviation: float) -> int:
        del user, time, offset, deviation
        self._found.clock_offsets += 1
        return 0


@contextmanager
def _event_files(
    library: Library,
    reader: Handle,
    locations: tuple[Location, ...],
    silent: frozenset[int],
    found: Events,
) -> Iterator[_Handles]:
    for location in locations:
        library.Reader_SelectLocation(reader, location.id)
    local = library.Reader_OpenDefFiles(reader) == 0
    library.Reader_OpenEvtFiles(reader)
    handles = _Handles(library, reader, found, silent, local)
    try:
        yield handles
    finally:
        handles.close()
        library.Reader_CloseEvtFiles(reader)
        if local:
            library.Reader_CloseDefFiles(reader)


def _room(stack: Indices, size: int) -> Indices:
    return stack if len(stack) >= size else np.resize(stack, 2 * size)


def _trim(columns: Columns, cursor: Ints) -> Columns:
    return Columns(
        *(
            column[: cursor[_LENGTHS.get(name, RECORDS)]]
            for name, column in columns._asdict().items()
        )
    )
