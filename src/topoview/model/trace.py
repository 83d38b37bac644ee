"""A trace: its definitions, and what its ranks did, as tables of columns.

The timeline, calls and all further records are in CSR form: a row for each location,
and offsets that say where its elements begin. Messages and collectives refer to calls.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import plural
from topoview.model.definitions import (
    CartesianTopology,
    Clock,
    Communicator,
    DefinitionTable,
    IdentifierNames,
    Location,
    Locations,
    Marker,
    MetricCounter,
    Regions,
    SourceLines,
    SystemNode,
    TimeState,
)
from topoview.model.frozen import arrays
from topoview.model.health import Health


@dataclass(frozen=True, slots=True, eq=False)
class Timeline(arrays.ColumnTable):
    """States of all locations over time, row after row.

    Row ``r`` owns the intervals ``offsets[r]`` to ``offsets[r + 1]``. Each
    interval lasts from its `time` to that of the next one; they leave no gap.
    The first begins at time 0, the last (``OUTSIDE``) where the location ends
    and lasts for ever. So every row has at least one interval. Neighbouring
    intervals differ in state or region, and none is empty (events at equal
    times leave the last one's state).
    """

    TICKS: ClassVar = ("time",)
    NAMED: ClassVar = {"state": "states", "region": "regions"}

    offsets: arrays.Ints
    """int64, shape (rows + 1,)"""
    time: arrays.Ints
    """int64, shape (intervals,): begin of the interval in ticks, ascending within a
    row."""
    state: arrays.Bytes
    """uint8, shape (intervals,): `TimeState` of the interval."""
    region: arrays.Indices
    """int32, shape (intervals,): innermost region, -1 if none."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.offsets) - 1

    def at(
        self, ticks: int | arrays.Ints, rows: arrays.Ints | slice = slice(None)
    ) -> arrays.Ints:
        """Index of the interval that each row, or some rows, are in at a time.

        One binary search for all rows at once: O(rows log intervals).

        Parameters
        ----------
        ticks
            A time, or int64 of a shape that broadcasts with that of the rows.

        Returns
        -------
        int64, shape of both: (rows,), or (times, rows) for times of shape (times, 1)
        """
        from topoview.base.ordering import last_places

        columns = np.broadcast_arrays(
            self.offsets[:-1][rows], self.offsets[1:][rows], ticks
        )
        first, last, bound = (arrays.readonly(column).ravel() for column in columns)
        places = np.empty(len(first), np.int64)
        last_places(arrays.readonly(self.time), first, last, bound, places)
        result: arrays.Ints = places.reshape(columns[0].shape)
        return result


_NO_ROWS: Final = np.zeros(0, np.int64)

# Codes of OTF2_Type.
_UINT64: Final = 4
_FLOAT: Final = 9
_DOUBLE: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class EventRecords(arrays.ColumnTable):
    """All records of one type: metrics, parameters, RMA, threads, I/O, and so on."""

    TICKS: ClassVar = ("time",)

    name: str
    """The type, as OTF2 names it: ``RmaPut``, ``ParameterInt``, ``Metric``."""
    fields: tuple[str, ...]
    """Names of what a record holds besides its time. A metric's record is a row for
    each of its values: ``metric, place, type, value``, the value being the bits of a
    number of the type (OTF2_Type: 8 is int64, 4 uint64, 10 a float64). That of an
    event's attribute holds ``attribute, type, value`` and ``record``, the number of the
    event's type; its value may be an identifier."""
    offsets: arrays.Ints
    """int64, shape (rows + 1,): row ``r`` of the trace owns the records ``offsets[r]``
    to ``offsets[r + 1]``."""
    time: arrays.Ints
    """int64, shape (records,): times in ticks."""
    values: arrays.Ints
    """int64, shape (records, len(fields)): numbers, or the trace's own identifiers;
    unsigned ones as their bits. When a buffer's flush stopped is in ticks, as times
    are."""

    def __len__(self) -> int:
        """Count the records."""
        return len(self.time)

    def columns(self, *, rows: bool = False) -> dict[str, NDArray[Any]]:
        """Columns by name: the time and what else a record holds.

        Those of metrics and attributes have ``number`` too, as `numbers` makes it.
        Fields lie side by side, a record after the other: Arrow copies them.

        Parameters
        ----------
        rows
            Add ``row`` in front, the location of each record; that column is made.
        """
        result: dict[str, NDArray[Any]] = {}
        if rows:
            numbers = np.arange(len(self.offsets) - 1, dtype=np.int32)
            result["row"] = np.repeat(numbers, np.diff(self.offsets))
        result["time"] = self.time
        result |= {field: self.column(field) for field in self.fields}
        if {"type", "value"} <= result.keys():
            result["number"] = self.numbers()
        return result

    def column(self, field: str) -> arrays.Ints:
        """Return one field of all records: int64, shape (records,).

        Raises
        ------
        ValueError
            If the records have no such field.
        """
        return self.values[:, self.fields.index(field)]

    def numbers(self) -> arrays.Floats:
        """Return the values of metrics or attributes, whatever their type.

        Returns
        -------
        float64, shape (records,)

        Raises
        ------
        ValueError
            If the records are neither.
        """
        bits, kind = np.ascontiguousarray(self.column("value")), self.column("type")
        result = bits.astype(np.float64)
        is_unsigned = (kind == _UINT64) & (bits < 0)
        result[is_unsigned] = bits.view(np.uint64)[is_unsigned]
        is_short = kind == _FLOAT
        result[is_short] = bits.astype(np.uint32).view(np.float32)[is_short]
        is_real = kind == _DOUBLE
        result[is_real] = bits.view(np.float64)[is_real]
        return result


@dataclass(frozen=True, slots=True, eq=False)
class EarlierRecords(arrays.Frozen):
    """Records before the begin of a part of a trace, counted.

    Ranks do not come to the begin at the same operation: which of theirs belong
    together follows from how many came before.
    """

    name: str
    """The type, as OTF2 names it."""
    fields: tuple[str, ...]
    """As `EventRecords.fields`; of ``MpiCollectiveEnd`` the communicator."""
    rank: arrays.Ints
    """int64, shape (n,)"""
    region: arrays.Ints
    """int64, shape (n,): the MPI call around them, -1 if unknown."""
    values: arrays.Ints
    """int64, shape (n, len(fields))"""
    count: arrays.Ints
    """int64, shape (n,): how many of these values there were."""

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.count)

    def column(self, field: str) -> arrays.Ints:
        """Return one field: int64, shape (n,); -1 if they have no such field."""
        if field not in self.fields:
            return np.full(len(self.count), -1, np.int64)
        return self.values[:, self.fields.index(field)]


COMMUNICATOR_PARENT: Final = "CommunicatorParent"
"""Records in calls that make communicators, where they are recorded: the index of the
communicator all of whose members call."""

PARTS_BEFORE: Final = "MpiCollectiveEnd"
"""Name of the `EarlierRecords` of collective operations."""

PARTS_MISSED: Final = "MpiCollectiveEnd not recorded"
"""Name of those in which a rank took part while it was not recorded. Their fields are
``communicator``, ``call``, the rank's next one with a part there, -1 if there is none,
and ``turn``, how many operations of the communicator came before."""


def _root_path() -> arrays.Indices:
    return np.full(1, -1, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class CallPaths(arrays.ColumnTable):
    """Call paths as a tree: each is another one, and a region in it."""

    NAMED: ClassVar = {"region": "regions"}

    parent: arrays.Indices = field(default_factory=_root_path)
    """int32, shape (paths,): path around each, a smaller number; -1 for the first."""
    region: arrays.Indices = field(default_factory=_root_path)
    """int32, shape (paths,): innermost region, -1 if it is not defined. The first path
    is that of calls in no region: -1."""

    def __len__(self) -> int:
        """Count the paths, the empty one too."""
        return len(self.parent)

    def regions_of(self, path: int) -> tuple[int, ...]:
        """Regions of a path, the outermost first."""
        chain: list[int] = []
        while path > 0:
            chain.append(int(self.region[path]))
            path = int(self.parent[path])
        return tuple(reversed(chain))


@dataclass(frozen=True, slots=True, eq=False)
class Calls(arrays.AlsoListed, arrays.ColumnTable):
    """MPI calls, row after row, each row in program order."""

    TICKS: ClassVar = ("enter", "leave")
    NAMED: ClassVar = {"region": "regions"}

    offsets: arrays.Ints
    """int64, shape (rows + 1,): row ``r`` owns the calls ``offsets[r]`` to ``offsets[r
    + 1]``."""
    region: arrays.Indices
    """int32, shape (calls,): region of the call; its operation is
    ``regions.operation[region]``."""
    enter: arrays.Ints
    leave: arrays.Ints
    """`enter` and `leave`: int64, shape (calls,): times in ticks."""
    completes: arrays.Ints
    """int64, shape (calls,): index of the call that posted the request which this one
    completes; -1 if it completes none, or several (Waitall): `Messages` and
    `Collectives` know of each where it completed."""
    path: arrays.Indices
    """int32, shape (calls,): index into the trace's `CallPaths`: the regions that were
    open around the call."""
    kept: arrays.Bytes
    """uint8, shape (calls,): how many of them, the outermost ones, were open since the
    row's call before: those inside were entered anew. 0 for the first call, 255 for
    that or more."""

    def __len__(self) -> int:
        """Count the calls of all rows."""
        return len(self.region)


MESSAGE_CALLS: Final = (
    "send_call",
    "receive_call",
    "completion_call",
    "send_completion_call",
)
"""Columns of `Messages` that hold indices of calls."""


@dataclass(frozen=True, slots=True, eq=False)
class Messages(arrays.AlsoListed, arrays.ColumnTable):
    """Point-to-point messages, in order of the call that sent them.

    A message whose send was not recorded has `send_call` -1 and comes after
    the others; one whose receive was not recorded has `receive_call` and
    `completion_call` -1. A send and its receive are one row.
    """

    TICKS: ClassVar = ("send_time", "receive_time")
    NAMED: ClassVar = {"communicator": "communicators"}

    sender: arrays.Indices
    receiver: arrays.Indices
    """`sender` and `receiver`: int32, shape (messages,): world ranks, never -1."""
    size: arrays.Ints
    """int64, shape (messages,): bytes."""
    tag: arrays.Indices
    """int32, shape (messages,)"""
    communicator: arrays.Indices
    """int32, shape (messages,): index into the trace's communicators."""
    send_call: arrays.Ints
    """int64, shape (messages,): index into `Calls` of the call that sent it (or posted
    the send)."""
    receive_call: arrays.Ints
    """int64, shape (messages,): call that received it, or posted the receive."""
    completion_call: arrays.Ints
    """int64, shape (messages,): call in which the receive completed."""
    send_completion_call: arrays.Ints
    """int64, shape (messages,): call in which the send completed: the same one, or the
    Wait or Waitall of an Isend; -1 where that is not known."""
    send_time: arrays.Ints
    receive_time: arrays.Ints
    """`send_time` and `receive_time`: int64, shape (messages,): times of the records in
    ticks: when it was sent, when the receive completed; -1 if not recorded."""

    def __len__(self) -> int:
        """Count the messages."""
        return len(self.sender)

    @property
    def sends(self) -> int:
        """Count the messages whose send was recorded, which come first."""
        return bisect_left(self.send_call, 1, key=lambda call: call < 0)

    @property
    def times(self) -> arrays.Ints:
        """When each was sent, or received where only that was recorded; in ticks."""
        return self.times_of(slice(None))

    def times_of(self, rows: arrays.Ints | slice) -> arrays.Ints:
        """Return when some were sent, or received where only that was recorded."""
        sent = self.send_time[rows]
        return np.where(sent >= 0, sent, self.receive_time[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Collectives(arrays.ColumnTable):
    """Parts that ranks took in collective operations, in order of the call."""

    NAMED: ClassVar = {"communicator": "communicators", "operation": "operations"}

    call: arrays.Ints
    """int64, shape (parts,): index into `Calls`."""
    communicator: arrays.Indices
    """int32, shape (parts,): index into the trace's communicators."""
    operation: arrays.Bytes
    """uint8, shape (parts,): OTF2_CollectiveOp code."""
    root: arrays.Indices
    """int32, shape (parts,): world rank of the root; -1 if there is none."""
    sent: arrays.Ints
    received: arrays.Ints
    """`sent` and `received`: int64, shape (parts,): bytes of the buffer that the rank
    gives, and of the one that it gets filled, whatever the tracer records: of an
    Allgather among n ranks n times as many are received as sent."""
    completion_call: arrays.Ints
    """int64, shape (parts,): call in which it completed: the same one, or of a
    non-blocking operation the Wait or Waitall; -1 where unknown."""

    def __len__(self) -> int:
        """Count the parts."""
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False)
class UnrecordedCalls(arrays.Frozen):
    """Calls that reach another rank, of which the tracer did not record whom."""

    operation: str
    """What they call, without ``MPI_``."""
    of_rank: arrays.Ints
    """int64, shape (ranks,): how many each rank makes."""

    @property
    def calls(self) -> int:
        """How many there are."""
        return int(self.of_rank.sum())

    @property
    def words(self) -> str:
        """How many of what: ``4,752 calls of MPI_Sendrecv``."""
        return f"{plural(self.calls, 'call')} of MPI_{self.operation}"


COLLECTIVE_OPERATIONS: Final = (
    "Barrier",
    "Bcast",
    "Gather",
    "Gatherv",
    "Scatter",
    "Scatterv",
    "Allgather",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Alltoallw",
    "Allreduce",
    "Reduce",
    "Reduce_scatter",
    "Scan",
    "Exscan",
    "Reduce_scatter_block",
    "create handle",
    "destroy handle",
    "allocate",
    "deallocate",
    "create handle and allocate",
    "destroy handle and deallocate",
)
"""Names of the OTF2_CollectiveOp codes, in their order."""

FIRST_WITHOUT_DATA: Final = COLLECTIVE_OPERATIONS.index("create handle")
"""Codes below are collective operations; those above make and free handles."""


@dataclass(frozen=True, slots=True, eq=False)
class TraceLegend:
    """What numbers in a trace's tables mean."""

    clock: Clock
    regions: Regions
    communicators: tuple[Communicator, ...]

    def seconds(self, ticks: NDArray[Any]) -> arrays.Floats:
        """Turn ticks to seconds; NaN for times that were not recorded."""
        return arrays.to_seconds(ticks, self.clock.resolution)

    def names(self, kind: str) -> list[str]:
        """List the names of regions, communicators, states, or operations."""
        match kind:
            case "regions":
                return [self.regions.title(n) for n in range(len(self.regions.names))]
            case "communicators":
                return [communicator.name for communicator in self.communicators]
            case "states":
                return [state.label for state in TimeState]
            case _:
                return list(COLLECTIVE_OPERATIONS)


@dataclass(frozen=True, slots=True)
class Digest:
    """What a digest holds in place of a trace's events.

    Of the timeline it has how long each location was in each state, exactly, in each
    of some equal steps of time; of calls and messages the slowest, and those that
    results refer to.
    """

    trace: str
    """Path of the trace that it was made of."""
    steps: int
    """Number of steps; step ``i`` ends at ``(i + 1) * length // steps`` ticks."""
    calls: int
    messages: int
    collective_parts: int
    intervals: int
    """`calls`, `messages`, `collective_parts` and `intervals`: how many the trace
    has."""
    without_receive: int
    """How many of its messages have no receive."""


@dataclass(frozen=True, slots=True, eq=False)
class Slowest:
    """The slowest calls and messages of some ranks; of equally slow ones the first."""

    call: arrays.Ints
    call_ticks: arrays.Ints
    """`call` and `call_ticks`: int64, shape (n,): calls, and how long they took."""
    message: arrays.Ints
    message_ticks: arrays.Ints
    """`message` and `message_ticks`: int64, shape (m,): messages, and the time from
    their send to their receive."""
    without_receive: int
    """How many messages have no receive."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class Trace:
    """A trace that was read.

    Rows of `timeline` and `calls` are locations, in the order of `locations`:
    row ``r < ranks`` is the main thread of MPI rank ``r``; other threads and
    GPU streams follow. A program without MPI is one rank per process.
    """

    path: str
    """The anchor file, folder or archive that was opened."""
    name: str
    """Short name for titles."""
    producer: str
    """What wrote the trace, such as ``Score-P 8.4`` or ``EZTrace``."""
    clock: Clock
    """Resolution and length."""
    ranks: int
    """Number of MPI ranks."""
    locations: Sequence[Location]
    """All locations with events, and metric locations."""
    regions: Regions
    communicators: tuple[Communicator, ...]
    topologies: tuple[CartesianTopology, ...]
    """`regions`, `communicators` and `topologies`: definitions. Communicator 0 is the
    world."""
    metrics: tuple[str, ...]
    """Names of recorded metrics."""
    events: int
    """Number of event records in all locations' files."""
    timeline: Timeline
    calls: Calls
    messages: Messages
    collectives: Collectives
    warnings: tuple[str, ...] = ()
    """What the user should know about the trace or about its repair, a sentence
    each."""
    unrecorded: tuple[UnrecordedCalls, ...] = ()
    """Calls that reach other ranks, of which the trace does not tell whom."""
    further: tuple[EventRecords, ...] = ()
    """`timeline`, `calls`, `messages`, `collectives` and `further`: what was
    recorded."""
    counts: tuple[tuple[str, int], ...] = ()
    """Number of event records of each type, by OTF2's name of it."""
    health: Health | None = None
    """What reading accounted for; None if the trace was not read from files."""
    groups: Mapping[int, arrays.Indices] = field(default_factory=dict)
    """World ranks of the groups that records in `further` name, by the trace's own
    identifier: int32, shape (members,)."""
    windows: Mapping[int, arrays.Indices] = field(default_factory=dict)
    """World ranks of the communicators of windows, by the trace's own identifiers of
    these: int32, shape (members,)."""
    counters: tuple[MetricCounter, ...] = ()
    names: tuple[IdentifierNames, ...] = ()
    """`counters` and `names`: what values of metrics are, and what other identifiers in
    `further` mean."""
    nodes: tuple[SystemNode, ...] = ()
    """The machine: its parts, outer ones first in most traces."""
    sources: SourceLines = field(default_factory=SourceLines)
    """Source lines that calls were made from."""
    markers: tuple[Marker, ...] = ()
    """Remarks on moments, in order of time."""
    paths: CallPaths = field(default_factory=CallPaths)
    """Call paths of the calls."""
    definitions: tuple[DefinitionTable, ...] = ()
    """Definitions as they stand in the trace, by type."""
    digest: Digest | None = None
    """What is here in place of the events; None if all of them are."""
    earlier: tuple[EarlierRecords, ...] = ()
    """Of a part of a trace what came before it, as far as operations are counted; and
    operations that are missing because recording was off."""
    never_left: arrays.Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64, shape (n,): calls that are never left, ascending: they last to the end of
    the trace."""
    rank_of_location: arrays.Ints = field(init=False)
    """int64, shape (locations,): -1 for a location of no rank of the trace."""
    rows_of_kind: Mapping[str, arrays.Ints] = field(init=False)
    """Rows of the ranks' further locations of each kind (``thread``, ``accelerator``,
    ...), ascending: int64."""
    communicator_sizes: arrays.Ints = field(init=False)
    """int64, shape (communicators,): members of each."""
    has_nodes: bool = field(init=False)
    """Whether the trace says on which nodes its ranks ran."""

    def __post_init__(self) -> None:
        """Gather what follows from the definitions; makes the arrays read-only."""
        locations = Locations.of(self.locations)
        object.__setattr__(self, "locations", locations)
        ranks = np.array(locations.rank, np.int64)
        ranks[ranks >= self.ranks] = -1
        rows: dict[str, list[int]] = {}
        for row in range(self.ranks, len(locations)):
            if ranks[row] >= 0:
                rows.setdefault(locations.kind[row], []).append(row)
        sizes = np.array([len(each.ranks) for each in self.communicators], np.int64)
        kinds = {kind: np.array(values, np.int64) for kind, values in rows.items()}
        for array in (ranks, sizes, self.never_left, *kinds.values()):
            array.flags.writeable = False
        object.__setattr__(self, "rank_of_location", ranks)
        object.__setattr__(self, "rows_of_kind", kinds)
        object.__setattr__(self, "communicator_sizes", sizes)
        object.__setattr__(self, "has_nodes", any(locations.node[: self.ranks]))
        self._explain_tables()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Name of the node that each rank ran on, empty if the trace does not say."""
        return Locations.of(self.locations).node[: self.ranks]

    def further_rows(self, kind: str) -> arrays.Ints:
        """Rows of the ranks' further locations of a kind: int64, ascending."""
        return self.rows_of_kind.get(kind, _NO_ROWS)

    def ranks_of_calls(self, call: arrays.Ints) -> arrays.Ints:
        """Return the rank of each call, of further threads too; -1 if it has none.

        Parameters
        ----------
        call : int64, shape (n,)
            Indices into `calls`.
        """
        row = np.searchsorted(self.calls.offsets, call, side="right") - 1
        return self.rank_of_location[row]

    @property
    def has_parts(self) -> bool:
        """Whether any communicator has several of the ranks, but not all."""
        sizes = self.communicator_sizes
        return bool(((sizes > 1) & (sizes < self.ranks)).any())

    def _explain_tables(self) -> None:
        """Let the tables know what their numbers mean."""
        legend = TraceLegend(self.clock, self.regions, self.communicators)
        tables = (self.timeline, self.calls, self.messages, self.collectives)
        for table in (*tables, self.paths, *self.further):
            table.explain(legend)

    def __reduce__(self) -> tuple[type["Trace"], tuple[object, ...]]:
        """Pickle as what it is made of: what follows from that is gathered again."""
        given = [getattr(self, field.name) for field in fields(self) if field.init]
        return type(self), tuple(given)

    def __repr__(self) -> str:
        """Return in a line what it is: all of it would fill pages."""
        return (
            f"<Trace {self.name}: {self.ranks} ranks, {self.events} events, "
            f"{len(self.calls)} calls, {len(self.messages)} messages, "
            f"{self.clock.seconds(self.clock.length):.6g} s>"
        )
