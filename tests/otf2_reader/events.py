"""Events of locations, read through libotf2."""

import ctypes
from collections.abc import Iterable, Iterator
from ctypes import POINTER, c_int, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, NamedTuple

from otf2_reader.chunks import chunk_ends, count_definitions, scan
from otf2_reader.libotf2 import ALL, ClockOffsetCallback, Handle, Library, open_archive
from topoview.io.archive.anchor import read_anchor_file
from topoview.io.record_types import BYTE, METRIC, NARROW, RECORDS, WHOLE, WIDE

Event = tuple[int, int, tuple[int, ...]]
"""Time, number of the type (0 for one that is not known), and fields."""

UNKNOWN = 0

_C_TYPES = {BYTE: c_uint8, NARROW: c_uint32, WIDE: c_uint64, WHOLE: c_uint64}
_HEAD = (c_uint64, c_uint64, c_uint64, c_void_p, c_void_p)


class LocationEvents(NamedTuple):
    """Events of a location."""

    events: list[Event]
    offsets: int
    """How many offsets of its clock there are."""
    ends: list[int]
    """How many events there are up to the end of each chunk."""
    is_whole: bool
    """Whether nothing is wrong with the file."""


def read_locations(anchor: Path, locations: Iterable[int]) -> Iterator[LocationEvents]:
    """Read locations one after the other, as far as their files are whole.

    libotf2 trusts what a damaged file says, so that is found out before.
    """
    locations, found = list(locations), list[Event]()
    head = read_anchor_file(anchor, anchor)
    folder = anchor.with_suffix("")
    with open_archive(anchor) as (library, reader):
        callbacks, alive = _event_callbacks(library, found)
        for location in locations:
            library.Reader_SelectLocation(reader, location)
        has_definitions = library.Reader_OpenDefFiles(reader) == 0
        library.Reader_OpenEvtFiles(reader)
        for location in locations:
            found.clear()
            file = scan(folder / f"{location}.evt", head.event_chunk)
            count = file.readable
            offsets = 0
            if count and has_definitions:
                whole = count_definitions(
                    folder / f"{location}.def", head.definition_chunk
                )
                offsets = _read_definitions(library, reader, location, whole)
            events = library.Reader_GetEvtReader(reader, location) if count else None
            if events:
                library.Reader_RegisterEvtCallbacks(reader, events, callbacks, None)
                library.EvtReader_ReadEvents(events, count, c_uint64())
                library.Reader_CloseEvtReader(reader, events)
            ends = chunk_ends(folder / f"{location}.evt", head.event_chunk)
            yield LocationEvents(found, offsets, ends, not file.fault)
        library.EvtReaderCallbacks_Delete(callbacks)
        del alive


def _event_callbacks(library: Library, found: list[Event]) -> tuple[Handle, list[Any]]:
    """Make callbacks that append to a list; they live as long as the second result."""

    def listener(number: int) -> Any:  # noqa: ANN401 - a C function
        def listen(_: int, time: int, *rest: Any) -> int:  # noqa: ANN401 - C types
            found.append((time, number, rest[3:]))
            return 0

        return listen

    def metric(_: int, time: int, *rest: Any) -> int:  # noqa: ANN401 - C types
        name, count, types, values = rest[3:]
        pairs = [n for place in range(count) for n in (types[place], values[place])]
        found.append((time, METRIC, (name, count, *pairs)))
        return 0

    callbacks, alive = library.EvtReaderCallbacks_New(), []
    named = {number: (record.name, record.fields) for number, record in RECORDS.items()}
    for number, (name, fields) in {UNKNOWN: ("Unknown", ()), **named}.items():
        types = [_C_TYPES[field.form] for field in fields]
        listen = listener(number)
        if number == METRIC:
            types, listen = [*types, POINTER(c_uint8), POINTER(c_uint64)], metric
        alive.append(ctypes.CFUNCTYPE(c_int, *_HEAD, *types)(listen))
        setter = getattr(library, f"EvtReaderCallbacks_Set{name}Callback")
        setter(callbacks, ctypes.cast(alive[-1], c_void_p))
    return callbacks, alive


def _read_definitions(
    library: Library, reader: Handle, location: int, count: int | None
) -> int:
    """Read mappings of identifiers and corrections of the clock; count the latter."""
    definitions = library.Reader_GetDefReader(reader, location)
    if not definitions:
        return 0
    seen: list[int] = []

    @ClockOffsetCallback
    def see(user: int, time: int, offset: int, deviation: float) -> int:
        del user, offset, deviation
        seen.append(time)
        return 0

    callbacks = library.DefReaderCallbacks_New()
    library.DefReaderCallbacks_SetClockOffsetCallback(
        callbacks, ctypes.cast(see, c_void_p)
    )
    library.Reader_RegisterDefCallbacks(reader, definitions, callbacks, None)
    library.Reader_ReadLocalDefinitions(
        reader, definitions, ALL if count is None else count, c_uint64()
    )
    library.Reader_CloseDefReader(reader, definitions)
    library.DefReaderCallbacks_Delete(callbacks)
    return len(seen)
