"""libotf2's readers of single locations.

Local readers are three times as fast as its global one, which merges all
locations by time.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_uint64, c_void_p
from typing import Final, Protocol

from otf2_reader import callbacks
from otf2_reader.chunks import EventFile, count_definitions
from otf2_reader.libotf2 import ALL, ClockOffsetCallback
from otf2_reader.library import OpenArchive
from topoview.model import Location

BATCH: Final = 1 << 16


class Journal(Protocol):
    """Takes down what reading meets."""

    clock_offsets: int

    def blame(self, fault: str, file: str, lost: int = 0) -> None:
        """Note that something is wrong with a file."""


class LocationReaders:
    """Readers of the locations of one archive."""

    def __init__(
        self, archive: OpenArchive, journal: Journal, has_definitions: bool
    ) -> None:
        library = archive.library
        self._archive, self._journal = archive, journal
        self._has_definitions = has_definitions
        self._callbacks = callbacks.register(library)
        self._offsets = library.DefReaderCallbacks_New()
        self._count_offset = ClockOffsetCallback(self._clock_offset)
        library.DefReaderCallbacks_SetClockOffsetCallback(
            self._offsets, ctypes.cast(self._count_offset, c_void_p)
        )

    def close(self) -> None:
        """Free the callbacks."""
        self._archive.library.EvtReaderCallbacks_Delete(self._callbacks)
        self._archive.library.DefReaderCallbacks_Delete(self._offsets)

    def batches(
        self, location: Location, file: EventFile, tape: callbacks.Words
    ) -> Iterator[int]:
        """Read the events of a location to the tape; yields how many, repeatedly.

        Local definitions come first: mappings of identifiers and corrections
        of the clock apply to events that are read after them.
        """
        name = f"{location.id}.evt"
        lost = file.announced - file.readable
        missed = file.fault != "missing" or location.id not in self._archive.silent
        if file.fault and missed:
            self._journal.blame(file.fault, name, lost)
        if not file.readable:
            return
        self._read_definitions(location.id)
        library, reader = self._archive.library, self._archive.reader
        events = library.Reader_GetEvtReader(reader, location.id)
        if not events:
            self._journal.blame("damaged", name, file.readable)
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
                self._journal.blame("damaged", name, left)
        finally:
            library.Reader_CloseEvtReader(reader, events)

    def _read_definitions(self, location: int) -> None:
        library, reader = self._archive.library, self._archive.reader
        definitions = None
        if self._has_definitions:
            definitions = library.Reader_GetDefReader(reader, location)
        if not definitions:
            self._journal.blame("missing", f"{location}.def")
            return
        library.Reader_RegisterDefCallbacks(reader, definitions, self._offsets, None)
        file = self._archive.folder / f"{location}.def"
        count = count_definitions(file, self._archive.definition_chunk)
        if count is not None:
            self._journal.blame("cut short", file.name)
        if library.Reader_ReadLocalDefinitions(
            reader, definitions, ALL if count is None else count, c_uint64()
        ):
            self._journal.blame("damaged", file.name)
        library.Reader_CloseDefReader(reader, definitions)

    def _clock_offset(self, user: int, time: int, offset: int, deviation: float) -> int:
        del user, time, offset, deviation
        self._journal.clock_offsets += 1
        return 0


@contextmanager
def location_readers(
    archive: OpenArchive, locations: tuple[Location, ...], journal: Journal
) -> Iterator[LocationReaders]:
    """Open the files of locations."""
    library, reader = archive.library, archive.reader
    for location in locations:
        library.Reader_SelectLocation(reader, location.id)
    has_definitions = library.Reader_OpenDefFiles(reader) == 0
    library.Reader_OpenEvtFiles(reader)
    readers = LocationReaders(archive, journal, has_definitions)
    try:
        yield readers
    finally:
        readers.close()
        library.Reader_CloseEvtFiles(reader)
        if has_definitions:
            library.Reader_CloseDefFiles(reader)
