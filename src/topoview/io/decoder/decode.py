"""Events of all locations, decoded from their files in two passes.

The first pass counts, the second writes straight to columns of the right size.
All cores work, each on a location at a time. Memory: the columns, a chunk for
each core, and what is open at a time.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from topoview.io.decoder.columns import Blocks, Layout
from topoview.io.decoder.common import common_fields
from topoview.io.decoder.counted import NOTHING, Counted, Part
from topoview.io.decoder.pool import Pool, largest_first
from topoview.io.decoder.regions import NOWHERE
from topoview.io.decoder.seek import file_size, peek
from topoview.io.decoder.sizes import lend_sizes
from topoview.io.decoder.source import Source
from topoview.io.decoder.squeeze import Receives, squeeze
from topoview.io.decoder.window import Window, bytes_of, is_settled, looking, with_room
from topoview.io.decoder.worker import WHOLE_FILE, Worker
from topoview.io.definitions.communicators import Communicators
from topoview.io.definitions.regions import RegionLookup
from topoview.io.paths import Tables
from topoview.io.settle import origins
from topoview.model import CallPaths, Ints, Location, MPIState
from topoview.progress import Report
from topoview.store.arrays import Allocate


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

    columns: dict[str, np.ndarray]
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


_PASSES: Final = 2


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
    wanted = [source.subset.has_rank(place.rank) for place in locations]
    sizes = [
        file_size(f"{source.folder}/{place.id}.evt") if read else 0
        for place, read in zip(locations, wanted, strict=True)
    ]
    common, alive = common_fields(meaning, communicators, flat)

    def make(advance: Callable[[int], bool]) -> Worker:
        chunks = source.event_chunk, source.definition_chunk
        return Worker(source.folder, *chunks, common, advance)

    parts = [WHOLE_FILE] * len(sizes)
    rank = np.array([place.rank for place in locations], np.int32)
    window = None
    if source.begin or source.until is not None:
        seeking = Pool(make, sum(sizes), looking(report))
        stretch = source.begin, source.until
        window = Window(seeking.each, locations, rank, sizes, *stretch, flat)
        parts = window.parts
    while True:
        pool = Pool(make, _PASSES * bytes_of(parts, sizes, source.event_chunk), report)
        found = _decode(pool, source, locations, ranks, parts, flat, allocate)
        if isinstance(found, Decoded):
            break
        assert window is not None
        window.extend(pool.each, found)
    if window is not None:
        found.unread = sum(sizes) - bytes_of(parts, sizes, source.event_chunk)
    del alive
    return found


def _decode(  # noqa: PLR0913
    pool: Pool[Worker],
    source: Source,
    locations: tuple[Location, ...],
    ranks: int,
    parts: list[Part],
    flat: bool,
    allocate: Allocate,
) -> Decoded | list[int]:
    """Decode a part of each file, or tell which are too short."""
    wanted = [source.subset.has_rank(place.rank) for place in locations]
    order = largest_first([part.size for part in parts])
    counted: list[Counted | None] = [None] * len(locations)

    def count(worker: Worker, row: int) -> None:
        place = locations[row].id
        if wanted[row]:
            counted[row] = with_room(worker.count(place, parts[row]))
        else:
            found = peek(worker, place)
            counted[row] = NOTHING._replace(first=found.first, offsets=found.offsets)

    pool.each(count, order)
    rows = [found for found in counted if found is not None]
    rank = np.array([place.rank for place in locations], np.int32)
    first = np.array([found.first for found in rows], np.int64)
    clock_offsets = sum(found.offsets for found in rows)
    aligned = not flat or clock_offsets > 0
    beginning = origins(first, rank, aligned)
    layout = Layout(rows, beginning)
    blocks = Blocks(layout, allocate, flat, layout.several(rank))
    faults = [""] * len(locations)
    last = np.full(len(locations), -1, np.int64)
    tables = Tables(len(locations))
    unsettled: list[int] = []

    def fill(worker: Worker, row: int) -> None:
        idle = MPIState.COMPUTE if row < ranks else MPIState.OUTSIDE
        blocks.further_row(worker.further, row)
        worker.set(
            rank=int(rank[row]),
            origin=int(beginning[row]),
            idle=NOWHERE | int(idle) << 32,
            **blocks.row(row),
        )
        faults[row] = worker.fill(locations[row].id, rows[row])
        blocks.take_stock(worker.frame, worker.further, row)
        if not rows[row].is_whole and not is_settled(
            worker, blocks.columns, source.until or 0
        ):
            unsettled.append(row)
        if rows[row].chunks or rows[row].start is not None:
            tables.take(row, worker.paths.table())
            last[row] = worker.frame[0]["now"] - beginning[row]

    for worker in pool.tools:
        worker.set(**blocks.fields())
        blocks.place_further(worker.further)
    pool.each(fill, order)
    if unsettled:
        return unsettled
    offsets = squeeze(blocks)
    paths, cut = tables.join(offsets.main[1], blocks.columns["calls.path"])
    receives = Receives(blocks)
    if any(row.start is not None for row in rows):
        lend_sizes(blocks.columns, rows, rank, offsets.main[2], receives.squeeze())
    found = Decoded(
        columns=blocks.columns,
        interval_offsets=offsets.main[0],
        call_offsets=offsets.main[1],
        send_offsets=offsets.main[2],
        receives=receives,
        further_offsets=offsets.further,
        origin=int(np.min(beginning, initial=np.iinfo(np.int64).max)),
        last=last,
        aligned=aligned,
        counts=layout.totals(),
        paths=paths,
        clock_offsets=clock_offsets,
    )
    for name in ("unbalanced", "astray", "unknown_senders", "spoilt", "path_cut"):
        total = sum(int(worker.frame[0][name]) for worker in pool.tools)
        setattr(found, name, total)
    found.path_cut += cut
    _blame(found, source, locations, rows, faults)
    return found


def _blame(
    found: Decoded,
    source: Source,
    locations: tuple[Location, ...],
    rows: list[Counted],
    faults: list[str],
) -> None:
    for place, row, changed in zip(locations, rows, faults, strict=True):
        missed = row.fault != "missing" or place.id not in source.silent
        if row.fault and missed:
            found.blame(row.fault, f"{place.id}.evt", row.lost)
        if row.definitions_fault and row.chunks:
            found.blame(row.definitions_fault, f"{place.id}.def")
        if changed:
            found.blame(changed, f"{place.id}.evt")
