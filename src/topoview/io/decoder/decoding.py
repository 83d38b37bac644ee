"""Events of all locations, decoded from their files in two passes.

The first pass counts, the second writes straight to columns of the right size.
All cores work, each on a location at a time. Memory: the columns, a chunk for
each core, what is open at a time, and small files between the passes.
"""

import ctypes
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topoview.base.memory import memory_budget
from topoview.base.progress import Report
from topoview.io.archive.contents import INFLATE, EventFiles
from topoview.io.decoder.blocks import (
    CALL_TABLE,
    SPECIAL_FIELDS,
    Blocks,
    Layout,
    Receives,
)
from topoview.io.decoder.library import (
    COUNT_ALL,
    FAULTS,
    FILL,
    IS_CALL,
    LOCATION,
    MAX_TIME,
    MISSING,
    NO_PART,
    NO_REGION,
    SIDE_WORDS,
    SOUND,
    UNREADABLE,
    Archive,
    address,
    load_decoder,
)
from topoview.io.decoder.threads import Readers, largest_first
from topoview.io.decoder.window import Window, bytes_of, lend_sizes, origins
from topoview.io.definitions.communicators import Communicators
from topoview.io.definitions.regions import RegionLookup
from topoview.io.record_types import (
    ATTRIBUTES,
    BARE,
    COLLECTIVE_END,
    FORMATS,
    MEASUREMENT,
    RECORDS,
)
from topoview.model import (
    COMMUNICATOR_PARENT,
    Bools,
    CallPaths,
    Calls,
    ClockAlignment,
    Collectives,
    EventRecords,
    Indices,
    Ints,
    Location,
    Messages,
    Subset,
    Timeline,
    TimeState,
)
from topoview.store.arrays import Allocate

MAX_TRACE_PATHS: Final = 1 << 18
"""Call paths that are kept of a trace."""

_CHUNK_HEADER_BYTES: Final = 18
_PASSES: Final = 2
_MAX_HELD_BYTES: Final = 1 << 27
"""Of small files, in memory between the passes."""

_MEMORY_SHARE: Final = 8
"""Small files take no more than this part of the budget of memory."""

_UNKNOWN_REGION: Final = NO_REGION | int(TimeState.COMPUTE) << 32


@dataclass(frozen=True, slots=True)
class Source:
    """Where the events of an archive are, and which of them are wanted."""

    files: EventFiles
    subset: Subset
    """Which ranks are to be read."""
    begin: int = 0
    until: int | None = None
    """`begin` and `until`: ticks from the trace's beginning: what begins before or not
    before them is not wanted; None: all."""


class MessageTally(NamedTuple):
    """Messages that did not fit."""

    no_receive: int = 0
    no_send: int = 0
    """`no_receive` and `no_send`: messages of which that is not recorded."""
    unknown_partners: int = 0
    """Records that name a partner outside of their communicator."""
    backwards: int = 0
    worst: int = 0
    """`backwards` and `worst`: messages received before they were sent; by how many
    ticks at most."""
    loosely: int = 0
    """Receives matched though they name another communicator."""
    unknown_senders: int = 0
    """Those of `unknown_partners` that are receives."""
    null_receives: int = 0
    """Receives from nobody (MPI_PROC_NULL), or from a process without a rank."""
    from_self: int = 0
    """Receives that match nothing and claim to come from their own rank (EZTrace)."""
    stale: int = 0
    """Receives with the envelope of another, as sends to their rank show (EZTrace)."""
    unset: int = 0
    """Receives that hold memory which was never set (EZTrace)."""
    between: tuple[tuple[int, int], ...] = ()
    """Numbers of communicators that are one between two groups (EZTrace)."""


@dataclass(frozen=True, slots=True)
class UnmatchedMessages:
    """Sends and receives before they are matched with each other."""

    columns: dict[str, NDArray[Any]]
    """Columns by name: of messages, one for each send, with room for receives that have
    none; and of receives."""
    sends: int
    """How many there are."""
    receives: Receives
    """Where the receives of each row are, perhaps with gaps between rows."""
    unknown_partners: int
    """Sends to a partner outside of their communicator, which are left out."""


class LocationFacts(NamedTuple):
    """What decoding found of each location, before it is settled with all others."""

    rows: NDArray[np.void]
    """shape (rows,): as the decoder filled them; the addresses in them mean nothing any
    more."""
    beginning: Ints
    """int64, shape (rows,): time stamp that is taken as time 0."""
    sends: Ints
    receives: Ints
    """`sends` and `receives`: int64, shape (rows + 1,): where those of each row
    begin."""
    paths: tuple[Indices, ...]
    """tuple of int32, shape (2, paths): different tables of call paths: the paths
    around each, and the regions."""
    paths_of: Ints
    """int64, shape (rows,): which of them each row has."""
    records: dict[int, int]
    """Events of each type, by its number."""
    further: tuple[int, ...]
    """Numbers of the types of `RecordedEvents.further`."""


def _no_integers() -> Ints:
    return np.zeros(0, np.int64)


def _no_gaps() -> Ints:
    return np.zeros((0, 3), np.int64)


@dataclass(frozen=True, slots=True)
class RecordedEvents:
    """The events of a trace, as the decoder finds them and the model has them.

    What follows replaces fields: messages are matched, clocks aligned.
    """

    timeline: Timeline
    calls: Calls
    messages: Messages
    collectives: Collectives
    count: int
    """Events in all."""
    origin: int
    """Time stamp of the trace's beginning."""
    last: Ints
    """int64, shape (rows,): ticks to the last event of each row, -1 without events."""
    aligned: bool
    """Whether clocks of different ranks can be compared."""
    open_word: Ints = field(default_factory=_no_integers)
    """int64, shape (rows,): region and state (``c/reader.h``) at the end of each row
    whose last call is not left there, though its file is whole; -1 for others."""
    first: Ints = field(default_factory=_no_integers)
    """int64, shape (rows,): ticks to the first event of each row, -1 without
    events."""
    gaps: Ints = field(default_factory=_no_gaps)
    """int64, shape (n, 3): rank, and begin and end in ticks of each stretch in which it
    was not recorded."""
    never_left: Ints = field(default_factory=_no_integers)
    """As in the model."""
    tally: MessageTally = MessageTally()  # noqa: RUF009 - it is immutable
    """Messages that did not fit."""
    unmatched: UnmatchedMessages | None = None
    """What is to be matched; None once it is."""
    paths: CallPaths = field(default_factory=CallPaths)
    further: tuple[EventRecords, ...] = ()
    """`timeline`, `calls`, `messages`, `collectives` and `further`: as the model has
    them. Messages are sends until they are matched."""
    counts: tuple[tuple[str, int], ...] = ()
    """Events of each type, by its name; empty if they were not told apart."""
    astray: int = 0
    spoilt: int = 0
    """`astray` and `spoilt`: records of messages outside of any MPI call; records that
    hold numbers which are none."""
    cancelled: int = 0
    overlaps: int = 0
    """`cancelled` and `overlaps`: messages that were cancelled, which are none; regions
    that were left while others, entered later, stayed open."""
    path_cut: int = 0
    """`paths` and `path_cut`: call paths; how many times one was told shorter than it
    is."""
    faults: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """What is wrong with files: kind of file and description, and the files that they
    hold for."""
    lost: int = 0
    lost_in: dict[str, int] = field(default_factory=dict)
    """`lost` and `lost_in`: events that are known to be there, but could not be read;
    how many of them in each file that has some."""
    unread: int = 0
    """Bytes of files before and behind what was asked for."""
    parts_before: Ints = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    """int64, shape (n, 3): collective operations before what was decoded: row,
    communicator, number."""
    alignment: ClockAlignment | None = None
    """How the clocks were aligned; None if they were, or could not be."""
    facts: LocationFacts | None = None
    """Of each location, if these are not all locations of the trace: call paths are
    numbered for each location then, and times count from the first event here."""

    @property
    def length(self) -> int:
        """Ticks from the trace's beginning to its last event."""
        return int(self.last.max(initial=0))


def decode(  # noqa: PLR0913
    source: Source,
    locations: tuple[Location, ...],
    ranks: int,
    meaning: RegionLookup,
    communicators: Communicators,
    flat: bool,
    report: Report,
    allocate: Allocate,
    *,
    whole: bool = True,
    beginning: Ints | None = None,
) -> RecordedEvents:
    """Decode the events of all locations, or of some.

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
    whole
        Whether these are all locations of the trace; else what has to be settled with
        the others is left, see `RecordedEvents.facts`.
    beginning : int64, shape (rows,)
        Time stamp that is time 0, of each location; None: these tell it themselves.
    """
    rows = _rows(source, locations, ranks)
    sizes = np.array(
        [source.files.size(row["id"]) if row["wanted"] else 0 for row in rows], np.int64
    )
    archive, alive = _archive(source, rows, meaning, communicators, flat)
    window = None
    if source.begin or source.until is not None:
        stretch = source.begin, source.until
        window = Window(archive, rows, sizes, *stretch, report)
    try:
        while True:
            left = bytes_of(rows, sizes, archive.event_chunk)
            with Readers(archive, _PASSES * left, report) as readers:
                result = _decode(
                    readers, archive, source, rows, sizes, allocate, whole, beginning
                )
            if result is not None:
                break
            assert window is not None
            window.extend(np.flatnonzero(rows["unsettled"]))
    finally:
        if window is not None:
            window.close()
    del alive
    if window is None:
        return result
    unread = int(sizes.sum()) - bytes_of(rows, sizes, archive.event_chunk)
    return replace(result, unread=unread, parts_before=window.parts_before())


def _rows(
    source: Source, locations: tuple[Location, ...], ranks: int
) -> NDArray[np.void]:
    """Fill in the decoder's row of each location, all of whose file is to be read."""
    rows = np.zeros(len(locations), LOCATION)
    rows["id"] = [place.id for place in locations]
    rows["rank"] = [place.rank for place in locations]
    rows["wanted"] = [source.subset.has_rank(place.rank) for place in locations]
    rows["idle"] = int(TimeState.OUTSIDE)
    rows["idle"][:ranks] = int(TimeState.COMPUTE)
    rows["part"] = np.iinfo(np.int64).max
    rows["until"] = rows["start_chunk"] = -1
    return rows


def _archive(
    source: Source,
    rows: NDArray[np.void],
    meaning: RegionLookup,
    communicators: Communicators,
    flat: bool,
) -> tuple[Archive, list[object]]:
    """Return what all locations share, and the objects that must live as long as it."""
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
    files = source.files
    archive = Archive(
        folder=os.fsencode(files.folder),
        inflate=INFLATE if files.compressed else None,
        event_chunk=min(max(files.event_chunk, _CHUNK_HEADER_BYTES), MAX_TIME),
        definition_chunk=min(
            max(files.definition_chunk, _CHUNK_HEADER_BYTES), MAX_TIME
        ),
        flat=flat,
        until=source.until or 0,
        direct_count=len(meaning.direct),
        identifier_count=len(meaning.identifiers),
        context_count=len(meaning.contexts),
        comm_count=len(members.identifiers),
        room=min(_MAX_HELD_BYTES, memory_budget() // _MEMORY_SHARE),
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
    words = meaning.state[numbers].astype(np.int64) << 32 | numbers
    words |= np.where(meaning.operation[numbers] >= 0, IS_CALL, 0)
    return np.where(numbers >= 0, words, _UNKNOWN_REGION)


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
    whole: bool,
    given: Ints | None,
) -> RecordedEvents | None:
    """Decode a part of each file; None if some part is too short: see its row."""
    # Threads take the largest files first: the last one to end should be a small one.
    order = largest_first(np.minimum(rows["part"], sizes))
    readers.work(COUNT_ALL, order)
    rank = rows["rank"].astype(np.int32)
    aligned = not archive.flat or bool(rows["offsets"].any())
    beginning = given
    if beginning is None:
        beginning = origins(rows["first"].copy(), rank, aligned)
    # The first pass has counted: every row has its place before anything is decoded.
    layout = Layout(rows, beginning)
    ordered = not whole or layout.several(rank) or MEASUREMENT in layout.totals()
    blocks = Blocks(layout, allocate, ordered)
    rows["origin"] = beginning
    archive.columns = blocks.fields.address
    archive.further = address(blocks.further)
    readers.work(FILL, order)
    # A part may begin amid what its own events do not explain: it is read with more.
    if rows["unsettled"].any():
        return None
    # Rows were counted generously; the gaps behind them are closed.
    offsets = blocks.squeeze()
    paths, cut = CallPaths(), 0
    if whole:
        paths, cut = _join_paths(rows, offsets.main[CALL_TABLE], blocks)
    receives = Receives(blocks)
    if rows["started"].any():
        lend_sizes(blocks.columns, rows, rank, offsets.main[2], receives.squeeze())
    columns, counts = blocks.columns, layout.totals()
    timeline, calls, sends = offsets.main[:3]
    oddities = readers.oddities()
    faults, lost_in = faults_of(source, rows)
    # Of a part of a trace the other parts need to know what follows.
    facts = None
    if not whole:
        tables, own = _path_tables(rows)
        facts = LocationFacts(
            rows=rows.copy(),
            beginning=beginning,
            sends=sends,
            receives=receives.squeeze(),
            paths=tables,
            paths_of=own,
            records=counts,
            further=tuple(offsets.further),
        )
    return RecordedEvents(
        timeline=Timeline(timeline, *_columns_of(Timeline, "timeline", columns)),
        calls=Calls(calls, *_columns_of(Calls, "calls", columns)),
        messages=messages_of(columns, int(sends[-1])),
        collectives=_collectives(columns),
        unmatched=UnmatchedMessages(
            columns, int(sends[-1]), receives, oddities["unknown_senders"]
        ),
        further=tuple(
            _further_records(columns, kind, begins)
            for kind, begins in offsets.further.items()
        ),
        count=sum(counts.values()),
        counts=tuple((record_name(kind), n) for kind, n in counts.items()),
        origin=int(np.min(beginning, initial=np.iinfo(np.int64).max)),
        last=np.where(rows["last"] >= 0, rows["last"] - beginning, -1),
        aligned=aligned,
        open_word=np.where(_is_whole(rows), rows["open_word"], -1),
        first=np.where(rows["first"] >= 0, rows["first"] - beginning, -1),
        paths=paths,
        path_cut=oddities["path_cut"] + cut,
        astray=oddities["astray"],
        spoilt=oddities["spoilt"],
        cancelled=oddities["cancelled"],
        overlaps=oddities["overlaps"],
        faults=faults,
        lost=sum(lost_in.values()),
        lost_in=lost_in,
        facts=facts,
    )


def messages_of(columns: dict[str, NDArray[Any]], count: int) -> Messages:
    """Return the first rows of the decoder's columns of messages."""
    return Messages(
        *(columns[f"messages.{field.name}"][:count] for field in fields(Messages))
    )


def _columns_of(
    table: type, name: str, columns: dict[str, NDArray[Any]]
) -> list[NDArray[Any]]:
    """Return the columns of a table whose first field is where its rows begin."""
    return [columns[f"{name}.{field.name}"] for field in fields(table)[1:]]


def _collectives(columns: dict[str, NDArray[Any]]) -> Collectives:
    """Put together the parts in collectives, in order of the call.

    A non-blocking one belongs to the call that posted it. One that was never
    completed is left out, and one before any call: nothing tells whose it is.
    """
    names = (
        "call", "communicator", "root", "sent", "received", "completion_call",
        "operation",
    )  # fmt: skip
    done = columns["collectives.operation"] != NO_PART
    count = int(np.count_nonzero(done))
    kept = {name: columns[f"collectives.{name}"] for name in names}
    if count < len(done):
        for name, column in kept.items():
            column[:count] = column[done]
            kept[name] = column[:count]
    call = kept["call"]
    if (call[1:] < call[:-1]).any() or call.min(initial=0) < 0:
        order = np.argsort(call, kind="stable")
        order = order[np.count_nonzero(call < 0) :]
        kept = {name: column[order] for name, column in kept.items()}
    return Collectives(**kept)


def _join_paths(
    rows: NDArray[np.void], offsets: Ints, blocks: Blocks
) -> tuple[CallPaths, int]:
    """Join equal call paths of different locations: they share one number.

    Returns
    -------
    Paths, int
        All paths, and how many others were not kept: their calls have the path
        around them.
    """
    return _joined(rows, offsets, blocks.columns["calls.path"])


def _joined(
    rows: NDArray[np.void], offsets: Ints, column: Indices
) -> tuple[CallPaths, int]:
    room = min(int(rows["path_count"].sum()) + 1, MAX_TRACE_PATHS)
    parent, region = np.zeros((2, room), np.int32)
    tally = np.zeros(2, np.int64)
    load_decoder().join_paths(
        address(rows), len(rows), address(offsets), address(column), room,
        address(parent), address(region), address(tally),
    )  # fmt: skip
    count, cut = tally.tolist()
    return CallPaths(parent[:count].copy(), region[:count].copy()), cut


def _path_tables(rows: NDArray[np.void]) -> tuple[tuple[Indices, ...], Ints]:
    """Copy the different tables of call paths of locations: see `LocationFacts`."""
    numbers: dict[bytes, int] = {}
    own = np.zeros(len(rows), np.int64)
    for row, (place, count) in enumerate(rows[["paths", "path_count"]].tolist()):
        table = ctypes.string_at(place, 8 * count) if count > 0 else b""
        own[row] = numbers.setdefault(table, len(numbers))
    return tuple(np.frombuffer(t, np.int32).reshape(2, -1) for t in numbers), own


def join_path_tables(tables: Sequence[Indices]) -> tuple[CallPaths, list[Indices], int]:
    """Join equal call paths of different tables: they share one number.

    Parameters
    ----------
    tables
        Different ones, as in `LocationFacts`, in order of the first location of each.

    Returns
    -------
    Paths, list of int32, int
        All paths; the number of each path of each table; how many others were not
        kept, which have that of the path around them.
    """
    kept = [np.ascontiguousarray(table) for table in tables]
    rows = np.zeros(len(kept), LOCATION)
    rows["path_count"] = [table.shape[1] for table in kept]
    rows["paths"] = [address(table) for table in kept]
    offsets = np.append(0, np.cumsum(rows["path_count"]))
    column = np.concatenate(
        [np.zeros(0, np.int32)]
        + [np.arange(table.shape[1], dtype=np.int32) for table in kept]
    )
    paths, cut = _joined(rows, offsets, column)
    return paths, np.split(column, offsets[1:-1]), cut


def _is_whole(rows: NDArray[np.void]) -> Bools:
    """Return which files were read to their end, with nothing wrong in them."""
    whole: Bools = (rows["fault"] == SOUND) & (rows["changed"] == SOUND)
    whole &= rows["is_whole"] != 0
    return whole


def _fault(number: int, error: int) -> str:
    """Describe what is wrong with a file."""
    text = FAULTS[number]
    return f"{text} ({os.strerror(error)})" if number == UNREADABLE else text


def faults_of(
    source: Source, rows: NDArray[np.void]
) -> tuple[dict[tuple[str, str], list[str]], dict[str, int]]:
    """Find what is wrong with files, in the order of the locations.

    Returns
    -------
    faults, lost_in
        As `RecordedEvents` has them.
    """
    faults: dict[tuple[str, str], list[str]] = {}
    lost_in: dict[str, int] = {}
    fine = (rows["fault"] == SOUND) & (rows["changed"] == SOUND)
    fine &= rows["definitions_fault"] == SOUND
    for row in rows[~fine]:
        location, fault = int(row["id"]), int(row["fault"])
        if fault != SOUND and (fault != MISSING or location not in source.files.silent):
            text = _fault(fault, int(row["fault_errno"]))
            faults.setdefault(("evt", text), []).append(f"{location}.evt")
            if row["lost"]:
                lost_in[f"{location}.evt"] = int(row["lost"])
        if row["definitions_fault"] != SOUND and row["chunk_count"]:
            error = int(row["definitions_errno"])
            text = _fault(int(row["definitions_fault"]), error)
            faults.setdefault(("def", text), []).append(f"{location}.def")
        if row["changed"] != SOUND:
            text = _fault(int(row["changed"]), int(row["changed_errno"]))
            faults.setdefault(("evt", text), []).append(f"{location}.evt")
    return faults, lost_in


_SPECIAL_NAMES: Final = {
    ATTRIBUTES: "Attribute",
    COLLECTIVE_END: COMMUNICATOR_PARENT,
}


def record_name(kind: int) -> str:
    """Name a type of records as OTF2 does."""
    return RECORDS[kind].name if kind in RECORDS else f"type {kind}"


def _further_records(
    columns: dict[str, NDArray[Any]], kind: int, offsets: Ints
) -> EventRecords:
    title, fields = further_fields(kind)
    time = columns[f"further.{kind}.time"]
    values = columns[f"further.{kind}.fields"]
    return EventRecords(
        name=title,
        fields=fields,
        offsets=offsets,
        time=time,
        values=values.reshape(len(time), len(fields)),
    )


def further_fields(kind: int) -> tuple[str, tuple[str, ...]]:
    """Name a table of further records, and its fields besides the time."""
    if kind in _SPECIAL_NAMES:
        return _SPECIAL_NAMES[kind], SPECIAL_FIELDS[kind]
    names = tuple(field.name for field in RECORDS[kind].fields)
    return record_name(kind), SPECIAL_FIELDS.get(kind, names)
