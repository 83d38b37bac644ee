"""Events of all locations, decoded from their files in two passes.

The first pass counts, the second writes straight to columns of the right size.
All cores work, each on a location at a time. Memory: the columns, a chunk for
each core, what is open at a time, and small files between the passes.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.io.decoder.blocks import CALL_TABLE, Blocks, Layout, Receives
from topoview.io.decoder.library import (
    COUNT_ALL,
    FAULTS,
    FILL,
    IS_CALL,
    LATEST,
    LOCATION,
    MISSING,
    NOWHERE,
    SIDE_WORDS,
    SOUND,
    UNREADABLE,
    Archive,
    address,
    load_decoder,
)
from topoview.io.decoder.part import Window, bytes_of, lend_sizes
from topoview.io.decoder.readers import Readers, largest_first
from topoview.io.definitions.communicators import Communicators
from topoview.io.definitions.regions import RegionLookup
from topoview.io.record_types import BARE, FORMATS
from topoview.io.settle import origins
from topoview.memory import memory_budget
from topoview.model import CallPaths, Indices, Ints, Location, MPIState, Subset
from topoview.progress import Report
from topoview.store.arrays import Allocate

MOST_PATHS: Final = 1 << 18
"""Call paths that are kept of a trace."""

_HEADER: Final = 18
_PASSES: Final = 2
_HELD: Final = 1 << 27
_SHARE: Final = 8
"""Small files take no more than this part of the budget of memory."""

_UNKNOWN_REGION: Final = NOWHERE | int(MPIState.COMPUTE) << 32


@dataclass(frozen=True, slots=True)
class Source:
    """Where the events of an archive are, and which of them are wanted.

    Attributes
    ----------
    folder
        Folder of the locations' files.
    event_chunk, definition_chunk
        Bytes of the chunks of files.
    silent
        Locations that have no events, by the definitions: no file is missed.
    subset
        Which ranks are to be read.
    begin, until
        Ticks from the trace's beginning: what begins before or not before them is not
        wanted; None: all.
    """

    folder: Path
    event_chunk: int
    definition_chunk: int
    silent: frozenset[int]
    subset: Subset
    begin: int = 0
    until: int | None = None


@dataclass(slots=True)
class Decoded:
    """What was decoded from all locations.

    Attributes
    ----------
    columns
        Filled columns, by name; trimmed, rows without gaps but for receives.
    interval_offsets, call_offsets, send_offsets
        Where each row's part of the columns begins: int64, shape (rows + 1,).
    receives
        Where the receives of each row are, perhaps with gaps between rows.
    further_offsets
        The same for tables of further records, by type.
    origin
        Time stamp of the trace's beginning.
    last : int64, shape (rows,)
        Ticks to the last event of each row, -1 without events.
    aligned
        Whether clocks of different ranks can be compared.
    counts
        Events of each type.
    unbalanced, astray, unknown_senders, spoilt
        Regions that were left but not open; records outside of any MPI call;
        sends to a partner outside of their communicator; records that hold
        numbers which are none.
    paths, path_cut
        Call paths; how many times one was told shorter than it is.
    clock_offsets
        Offsets of clocks that the local definitions hold.
    faults
        What is wrong with files: descriptions, and the files they hold for.
    lost, lost_in
        Events that are known to be there, but could not be read; how many of them in
        each file that has some.
    unread
        Bytes of files before and behind what was asked for.
    """

    columns: dict[str, NDArray[Any]]
    interval_offsets: Ints
    call_offsets: Ints
    send_offsets: Ints
    receives: Receives
    further_offsets: dict[int, Ints]
    origin: int
    last: Ints
    aligned: bool
    counts: dict[int, int]
    paths: CallPaths
    unbalanced: int = 0
    astray: int = 0
    unknown_senders: int = 0
    spoilt: int = 0
    path_cut: int = 0
    clock_offsets: int = 0
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    lost: int = 0
    lost_in: dict[str, int] = field(default_factory=dict)
    unread: int = 0

    @property
    def count(self) -> int:
        """Events that were read."""
        return sum(self.counts.values())

    def blame(self, fault: str, file: str, lost: int = 0) -> None:
        """Note that something is wrong with a file."""
        kind = file.rpartition(".")[2]
        self.faults.setdefault((kind, fault), []).append(file)
        self.lost += lost
        if lost:
            self.lost_in[file] = self.lost_in.get(file, 0) + lost


def decode(  # noqa: PLR0913
    source: Source,
    locations: tuple[Location, ...],
    ranks: int,
    meaning: RegionLookup,
    communicators: Communicators,
    flat: bool,
    report: Report,
    allocate: Allocate,
) -> Decoded:
    """Decode the events of all locations.

    Parameters
    ----------
    locations, ranks
        All locations, and how many of them are main threads of ranks.
    flat
        MPI calls are never nested, and clocks are not aligned unless the
        archive holds their offsets: what EZTrace records.
    report
        Called every few hundredths of a second, with the fraction of bytes read.
    allocate
        Gives the arrays for the columns.
    """
    rows = _rows(source, locations, ranks)
    sizes = np.array([_size(source.folder, row) for row in rows], np.int64)
    archive, alive = _archive(source, rows, meaning, communicators, flat)
    window = None
    if source.begin or source.until is not None:
        stretch = source.begin, source.until
        window = Window(archive, rows, sizes, *stretch, report)
    try:
        while True:
            left = bytes_of(rows, sizes, archive.event_chunk)
            with Readers(archive, _PASSES * left, report) as readers:
                found = _decode(readers, archive, source, rows, sizes, allocate)
            if found is not None:
                break
            assert window is not None
            window.extend(np.flatnonzero(rows["unsettled"]))
    finally:
        if window is not None:
            window.close()
    if window is not None:
        found.unread = int(sizes.sum()) - bytes_of(rows, sizes, archive.event_chunk)
    del alive
    return found


def _rows(
    source: Source, locations: tuple[Location, ...], ranks: int
) -> NDArray[np.void]:
    """Tell the decoder of each location, and that all of its file is to be read."""
    rows = np.zeros(len(locations), LOCATION)
    rows["id"] = [place.id for place in locations]
    rows["rank"] = [place.rank for place in locations]
    rows["wanted"] = [source.subset.has_rank(place.rank) for place in locations]
    rows["idle"] = int(MPIState.OUTSIDE)
    rows["idle"][:ranks] = int(MPIState.COMPUTE)
    rows["part"] = np.iinfo(np.int64).max
    rows["until"] = rows["start_chunk"] = -1
    return rows


def _size(folder: Path, row: np.void) -> int:
    """Bytes of a location's file, 0 if it is not to be read or not known."""
    try:
        path = f"{folder}/{row['id']}.evt"
        return os.stat(path).st_size if row["wanted"] else 0  # noqa: PTH116 - many
    except OSError:
        return 0


def _archive(
    source: Source,
    rows: NDArray[np.void],
    meaning: RegionLookup,
    communicators: Communicators,
    flat: bool,
) -> tuple[Archive, list[object]]:
    """Say what all locations share; and what must be kept while that is used."""
    arrays: dict[str, NDArray[Any]] = {
        "bare": BARE.astype(np.uint8),
        "forms": FORMATS.astype(np.uint8),
        "direct": _words(meaning, meaning.direct),
        "identifiers": meaning.identifiers,
        "packed": _words(meaning, meaning.dense),
        "contexts": _words(meaning, meaning.contexts),
        "locations": rows,
    }
    members = communicators.members()
    for name, array in members._asdict().items():
        arrays[f"comm_{name}"] = array
    sides, alive = _sides(communicators)
    if len(sides):
        arrays["comm_sides"] = sides
    archive = Archive(
        folder=os.fsencode(source.folder),
        event_chunk=min(max(source.event_chunk, _HEADER), LATEST),
        definition_chunk=min(max(source.definition_chunk, _HEADER), LATEST),
        flat=flat,
        until=source.until or 0,
        direct_count=len(meaning.direct),
        identifier_count=len(meaning.identifiers),
        context_count=len(meaning.contexts),
        comm_count=len(members.identifiers),
        room=min(_HELD, memory_budget() // _SHARE),
    )
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)
        setattr(archive, name, address(array))
        alive.append(array)
    return archive, alive


def _words(meaning: RegionLookup, numbers: Indices) -> Ints:
    """Words of regions by their numbers, as in ``c/reader.h``."""
    if not len(meaning.state):
        return np.full(len(numbers), _UNKNOWN_REGION, np.int64)
    known = meaning.state[numbers].astype(np.int64) << 32 | numbers
    known |= np.where(meaning.operation[numbers] >= 0, IS_CALL, 0)
    return np.where(numbers >= 0, known, _UNKNOWN_REGION)


def _sides(communicators: Communicators) -> tuple[Ints, list[object]]:
    """For each communicator the members of both groups, as they are and sorted."""
    kept: list[object] = []
    if not communicators.remote:
        return np.zeros(0, np.int64), kept
    table = np.zeros((len(communicators.items), 2, SIDE_WORDS), np.int64)
    for number, groups in communicators.remote.items():
        for side, group in enumerate(groups):
            members = np.ascontiguousarray(group, np.int32)
            ordered = np.sort(members)
            kept += [members, ordered]
            table[number, side] = address(members), address(ordered), len(members)
    return table, kept


def _decode(  # noqa: PLR0913
    readers: Readers,
    archive: Archive,
    source: Source,
    rows: NDArray[np.void],
    sizes: Ints,
    allocate: Allocate,
) -> Decoded | None:
    """Decode a part of each file; None if some part is too short: see its row."""
    order = largest_first(np.minimum(rows["part"], sizes))
    readers.work(COUNT_ALL, order)
    rank = rows["rank"].astype(np.int32)
    clock_offsets = int(rows["offsets"].sum())
    aligned = not archive.flat or clock_offsets > 0
    beginning = origins(rows["first"].copy(), rank, aligned)
    layout = Layout(rows, beginning)
    blocks = Blocks(layout, allocate, layout.several(rank))
    rows["origin"] = beginning
    archive.columns = blocks.fields.address
    archive.further = address(blocks.further)
    readers.work(FILL, order)
    if rows["unsettled"].any():
        return None
    offsets = blocks.squeeze()
    paths, cut = _join_paths(rows, offsets.main[CALL_TABLE], blocks)
    receives = Receives(blocks)
    if rows["started"].any():
        lend_sizes(blocks.columns, rows, rank, offsets.main[2], receives.squeeze())
    oddities = readers.oddities()
    found = Decoded(
        columns=blocks.columns,
        interval_offsets=offsets.main[0],
        call_offsets=offsets.main[1],
        send_offsets=offsets.main[2],
        receives=receives,
        further_offsets=offsets.further,
        origin=int(np.min(beginning, initial=np.iinfo(np.int64).max)),
        last=np.where(rows["last"] >= 0, rows["last"] - beginning, -1),
        aligned=aligned,
        counts=layout.totals(),
        paths=paths,
        clock_offsets=clock_offsets,
    )
    for name, count in oddities.items():
        setattr(found, name, count)
    found.path_cut += cut
    _blame(found, source, rows)
    return found


def _join_paths(
    rows: NDArray[np.void], offsets: Ints, blocks: Blocks
) -> tuple[CallPaths, int]:
    """Give equal call paths of different locations one number.

    Returns
    -------
    Paths, int
        All paths, and how many others were not kept: their calls have the path
        around them.
    """
    room = min(int(rows["path_count"].sum()) + 1, MOST_PATHS)
    parent, region = np.zeros((2, room), np.int32)
    column, found = blocks.columns["calls.path"], np.zeros(2, np.int64)
    load_decoder().join_paths(
        address(rows), len(rows), address(offsets), address(column), room,
        address(parent), address(region), address(found),
    )  # fmt: skip
    count, cut = found.tolist()
    return CallPaths(parent[:count].copy(), region[:count].copy()), cut


def _fault(number: int, error: int) -> str:
    """Say what is wrong with a file."""
    text = FAULTS[number]
    return f"{text} ({os.strerror(error)})" if number == UNREADABLE else text


def _blame(found: Decoded, source: Source, rows: NDArray[np.void]) -> None:
    """Tell what is wrong with files, in the order of the locations."""
    fine = (rows["fault"] == SOUND) & (rows["changed"] == SOUND)
    fine &= rows["definitions_fault"] == SOUND
    for row in rows[~fine]:
        place, fault = int(row["id"]), int(row["fault"])
        if fault != SOUND and (fault != MISSING or place not in source.silent):
            text = _fault(fault, int(row["fault_errno"]))
            found.blame(text, f"{place}.evt", int(row["lost"]))
        if row["definitions_fault"] != SOUND and row["chunk_count"]:
            error = int(row["definitions_errno"])
            text = _fault(int(row["definitions_fault"]), error)
            found.blame(text, f"{place}.def")
        if row["changed"] != SOUND:
            text = _fault(int(row["changed"]), int(row["changed_errno"]))
            found.blame(text, f"{place}.evt")
