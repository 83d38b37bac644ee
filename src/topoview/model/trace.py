"""A trace: its definitions, and what its ranks did, as tables of columns.

The timeline, calls and all further records are in CSR form: a row for each location,
and offsets that say where its elements begin. Messages and collectives refer to calls.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import plural
from topoview.model.arrays import (
    Bytes,
    ColumnTable,
    Floats,
    Frozen,
    Indices,
    Ints,
    to_seconds,
)
from topoview.model.definitions import (
    CartesianTopology,
    Clock,
    Communicator,
    DefinitionTable,
    IdentifierNames,
    Location,
    Marker,
    MetricCounter,
    MPIState,
    Regions,
    SourceLines,
    SystemNode,
)
from topoview.model.health import Health


@dataclass(frozen=True, slots=True, eq=False)
class Timeline(ColumnTable):
    """States of all locations over time, row after row.

    Row ``r`` owns the intervals ``offsets[r]`` to ``offsets[r + 1]``. Each
    interval lasts from its `time` to that of the next one; they leave no gap.
    The first begins at time 0, the last (``OUTSIDE``) where the location ends
    and lasts for ever. So every row has at least one interval. Neighbouring
    intervals differ in state or region, and none is empty (events at equal
    times leave the last one's state).

    Attributes
    ----------
    offsets : int64, shape (rows + 1,)
    time : int64, shape (intervals,)
        Begin of the interval in ticks, ascending within a row.
    state : uint8, shape (intervals,)
        `MPIState` of the interval.
    region : int32, shape (intervals,)
        Innermost region, -1 if none.
    """

    TICKS: ClassVar = ("time",)
    NAMED: ClassVar = {"state": "states", "region": "regions"}

    offsets: Ints
    time: Ints
    state: Bytes
    region: Indices

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.offsets) - 1

    def at(self, ticks: int, rows: Ints | slice = slice(None)) -> Ints:
        """Index of the interval that each row, or some rows, are in at a time.

        One binary search for all rows at once: O(rows log intervals).

        Returns
        -------
        int64, shape (rows,)
        """
        low = self.offsets[:-1][rows].copy()
        high = self.offsets[1:][rows].copy()
        while np.any(high - low > 1):
            middle = (low + high) >> 1
            after = self.time[middle] > ticks
            high = np.where(after, middle, high)
            low = np.where(after, low, middle)
        return low


_NO_ROWS: Final = np.zeros(0, np.int64)

# Codes of OTF2_Type.
_UINT64: Final = 4
_FLOAT: Final = 9
_DOUBLE: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class EventRecords(ColumnTable):
    """All records of one type: metrics, parameters, RMA, threads, I/O, and so on.

    Attributes
    ----------
    name
        The type, as OTF2 names it: ``RmaPut``, ``ParameterInt``, ``Metric``.
    fields
        Names of what a record holds besides its time. A metric's record is a row
        for each of its values: ``metric, place, type, value``, the value being
        the bits of a number of the type (OTF2_Type: 8 is int64, 4 uint64, 10 a
        float64). That of an event's attribute holds ``attribute, type, value`` and
        ``record``, the number of the event's type; its value may be an identifier.
    offsets : int64, shape (rows + 1,)
        Row ``r`` of the trace owns the records ``offsets[r]`` to
        ``offsets[r + 1]``.
    time : int64, shape (records,)
        Times in ticks.
    values : int64, shape (records, len(fields))
        Numbers, or the trace's own identifiers; unsigned ones as their bits. When a
        buffer's flush stopped is in ticks, as times are.
    """

    TICKS: ClassVar = ("time",)

    name: str
    fields: tuple[str, ...]
    offsets: Ints
    time: Ints
    values: Ints

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
        found: dict[str, NDArray[Any]] = {}
        if rows:
            numbers = np.arange(len(self.offsets) - 1, dtype=np.int32)
            found["row"] = np.repeat(numbers, np.diff(self.offsets))
        found["time"] = self.time
        found |= {field: self.column(field) for field in self.fields}
        if {"type", "value"} <= found.keys():
            found["number"] = self.numbers()
        return found

    def column(self, field: str) -> Ints:
        """Give one field of all records: int64, shape (records,).

        Raises
        ------
        ValueError
            If the records have no such field.
        """
        return self.values[:, self.fields.index(field)]

    def numbers(self) -> Floats:
        """Give the values of metrics or attributes, whatever their type.

        Returns
        -------
        float64, shape (records,)

        Raises
        ------
        ValueError
            If the records are neither.
        """
        bits, kind = np.ascontiguousarray(self.column("value")), self.column("type")
        found = bits.astype(np.float64)
        is_unsigned = (kind == _UINT64) & (bits < 0)
        found[is_unsigned] = bits.view(np.uint64)[is_unsigned]
        is_short = kind == _FLOAT
        found[is_short] = bits.astype(np.uint32).view(np.float32)[is_short]
        is_real = kind == _DOUBLE
        found[is_real] = bits.view(np.float64)[is_real]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class EarlierRecords(Frozen):
    """Records before the begin of a part of a trace, counted.

    Ranks do not come to the begin at the same operation: which of theirs belong
    together follows from how many came before.

    Attributes
    ----------
    name
        The type, as OTF2 names it.
    fields
        As `EventRecords.fields`; of ``MpiCollectiveEnd`` the communicator.
    rank : int64, shape (n,)
    region : int64, shape (n,)
        The MPI call around them, -1 if it is not known.
    values : int64, shape (n, len(fields))
    count : int64, shape (n,)
        How many of these values there were.
    """

    name: str
    fields: tuple[str, ...]
    rank: Ints
    region: Ints
    values: Ints
    count: Ints

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.count)

    def column(self, field: str) -> Ints:
        """Give one field: int64, shape (n,); -1 if they have no such field."""
        if field not in self.fields:
            return np.full(len(self.count), -1, np.int64)
        return self.values[:, self.fields.index(field)]


PARTS_BEFORE: Final = "MpiCollectiveEnd"
"""Name of the `EarlierRecords` of collective operations."""


def _root_path() -> Indices:
    return np.full(1, -1, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class CallPaths(ColumnTable):
    """Call paths as a tree: each is another one, and a region in it.

    Attributes
    ----------
    parent : int32, shape (paths,)
        Path around each, a smaller number; -1 for the first.
    region : int32, shape (paths,)
        Innermost region, -1 if it is not defined. The first path is that of calls in
        no region: -1.
    """

    NAMED: ClassVar = {"region": "regions"}

    parent: Indices = field(default_factory=_root_path)
    region: Indices = field(default_factory=_root_path)

    def __len__(self) -> int:
        """Count the paths, the empty one too."""
        return len(self.parent)

    def regions_of(self, path: int) -> tuple[int, ...]:
        """Regions of a path, the outermost first."""
        found: list[int] = []
        while path > 0:
            found.append(int(self.region[path]))
            path = int(self.parent[path])
        return tuple(reversed(found))


@dataclass(frozen=True, slots=True, eq=False)
class Calls(ColumnTable):
    """MPI calls, row after row, each row in program order.

    Attributes
    ----------
    offsets : int64, shape (rows + 1,)
        Row ``r`` owns the calls ``offsets[r]`` to ``offsets[r + 1]``.
    region : int32, shape (calls,)
        Region of the call; its operation is ``regions.operation[region]``.
    enter, leave : int64, shape (calls,)
        Times in ticks.
    completes : int64, shape (calls,)
        Index of the call that posted the request which this one completes; -1
        if it completes none, or several (Waitall).
    path : int32, shape (calls,)
        Index into the trace's `CallPaths`: the regions that were open around the call.
    kept : uint8, shape (calls,)
        How many of them, the outermost ones, were open since the row's call before:
        those inside were entered anew. 0 for the first call, 255 for that or more.
    """

    TICKS: ClassVar = ("enter", "leave")
    NAMED: ClassVar = {"region": "regions"}

    offsets: Ints
    region: Indices
    enter: Ints
    leave: Ints
    completes: Ints
    path: Indices
    kept: Bytes

    def __len__(self) -> int:
        """Count the calls of all rows."""
        return len(self.region)


@dataclass(frozen=True, slots=True, eq=False)
class Messages(ColumnTable):
    """Point-to-point messages, in order of the call that sent them.

    A message whose send was not recorded has `send_call` -1 and comes after
    the others; one whose receive was not recorded has `receive_call` and
    `completion_call` -1. A send and its receive are one row.

    Attributes
    ----------
    sender, receiver : int32, shape (messages,)
        World ranks, never -1.
    size : int64, shape (messages,)
        Bytes.
    tag : int32, shape (messages,)
    communicator : int32, shape (messages,)
        Index into the trace's communicators.
    send_call : int64, shape (messages,)
        Index into `Calls` of the call that sent it (or posted the send).
    receive_call : int64, shape (messages,)
        Call that received it, or posted the receive.
    completion_call : int64, shape (messages,)
        Call in which the receive completed.
    send_time, receive_time : int64, shape (messages,)
        Times of the records in ticks: when it was sent, when the receive
        completed; -1 if not recorded.
    """

    TICKS: ClassVar = ("send_time", "receive_time")
    NAMED: ClassVar = {"communicator": "communicators"}

    sender: Indices
    receiver: Indices
    size: Ints
    tag: Indices
    communicator: Indices
    send_call: Ints
    receive_call: Ints
    completion_call: Ints
    send_time: Ints
    receive_time: Ints

    def __len__(self) -> int:
        """Count the messages."""
        return len(self.sender)

    @property
    def sends(self) -> int:
        """Count the messages whose send was recorded, which come first."""
        return bisect_left(self.send_call, 1, key=lambda call: call < 0)

    @property
    def times(self) -> Ints:
        """When each was sent, or received where only that was recorded; in ticks."""
        return np.where(self.send_time >= 0, self.send_time, self.receive_time)


@dataclass(frozen=True, slots=True, eq=False)
class Collectives(ColumnTable):
    """Parts that ranks took in collective operations, in order of the call.

    Attributes
    ----------
    call : int64, shape (parts,)
        Index into `Calls`.
    communicator : int32, shape (parts,)
        Index into the trace's communicators.
    operation : uint8, shape (parts,)
        OTF2_CollectiveOp code.
    root : int32, shape (parts,)
        World rank of the root; -1 if there is none.
    sent, received : int64, shape (parts,)
        Bytes, as recorded (Score-P: totals; EZTrace: per peer for alltoall).
    """

    NAMED: ClassVar = {"communicator": "communicators", "operation": "operations"}

    call: Ints
    communicator: Indices
    operation: Bytes
    root: Indices
    sent: Ints
    received: Ints

    def __len__(self) -> int:
        """Count the parts."""
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False)
class UnrecordedCalls(Frozen):
    """Calls that reach another rank, of which the tracer did not record whom.

    Attributes
    ----------
    operation
        What they call, without ``MPI_``.
    of_rank : int64, shape (ranks,)
        How many each rank makes.
    """

    operation: str
    of_rank: Ints

    @property
    def calls(self) -> int:
        """How many there are."""
        return int(self.of_rank.sum())

    @property
    def words(self) -> str:
        """How many of what: ``4,752 calls of MPI_Sendrecv``."""
        return f"{plural(self.calls, 'call')} of MPI_{self.operation}"


COLLECTIVE_OPERATIONS: Final = (
    *("Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather"),
    *("Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Allreduce", "Reduce"),
    *("Reduce_scatter", "Scan", "Exscan", "Reduce_scatter_block", "create handle"),
    *("destroy handle", "allocate", "deallocate", "create handle and allocate"),
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

    def seconds(self, ticks: NDArray[Any]) -> Floats:
        """Turn ticks to seconds; NaN for times that were not recorded."""
        return to_seconds(ticks, self.clock.resolution)

    def names(self, kind: str) -> list[str]:
        """List the names of regions, communicators, states, or operations."""
        match kind:
            case "regions":
                return [self.regions.title(n) for n in range(len(self.regions.names))]
            case "communicators":
                return [communicator.name for communicator in self.communicators]
            case "states":
                return [state.label for state in MPIState]
            case _:
                return list(COLLECTIVE_OPERATIONS)


DIGEST_SUFFIX: Final = ".topoview"
"""What the names of digests, and of fetched parts of traces, end in."""


@dataclass(frozen=True, slots=True)
class Digest:
    """What a digest holds in place of a trace's events.

    Of the timeline it has how long each location was in each state, exactly, in each
    of some equal steps of time; of calls and messages the slowest, and those that
    results refer to.

    Attributes
    ----------
    trace
        Path of the trace that it was made of.
    steps
        Number of steps; step ``i`` ends at ``(i + 1) * length // steps`` ticks.
    calls, messages, collective_parts, intervals
        How many the trace has.
    without_receive
        How many of its messages have no receive.
    """

    trace: str
    steps: int
    calls: int
    messages: int
    collective_parts: int
    intervals: int
    without_receive: int


@dataclass(frozen=True, slots=True, eq=False)
class Slowest:
    """The slowest calls and messages of some ranks; of equally slow ones the first.

    Attributes
    ----------
    call, call_ticks : int64, shape (n,)
        Calls, and how long they took.
    message, message_ticks : int64, shape (m,)
        Messages, and the time from their send to their receive.
    without_receive
        How many messages have no receive.
    """

    call: Ints
    call_ticks: Ints
    message: Ints
    message_ticks: Ints
    without_receive: int


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class Trace:
    """A trace that was read.

    Rows of `timeline` and `calls` are locations, in the order of `locations`:
    row ``r < ranks`` is the main thread of MPI rank ``r``; other threads and
    GPU streams follow. A program without MPI is one rank per process.

    Attributes
    ----------
    path
        The anchor file, folder or archive that was opened.
    name
        Short name for titles.
    producer
        What wrote the trace, such as ``Score-P 8.4`` or ``EZTrace``.
    clock
        Resolution and length.
    ranks
        Number of MPI ranks.
    locations
        All locations with events, and metric locations.
    regions, communicators, topologies
        Definitions. Communicator 0 is the world.
    metrics
        Names of recorded metrics.
    events
        Number of event records in all locations' files.
    timeline, calls, messages, collectives, further
        What was recorded.
    counts
        Number of event records of each type, by OTF2's name of it.
    warnings
        What the user should know about the trace or about its repair, a
        sentence each.
    unrecorded
        Calls that reach other ranks, of which the trace does not tell whom.
    health
        What reading accounted for; None if the trace was not read from files.
    groups
        World ranks of the groups that records in `further` name, by the trace's own
        identifier: int32, shape (members,).
    counters, names
        What values of metrics are, and what other identifiers in `further` mean.
    nodes
        The machine: its parts, outer ones first in most traces.
    sources
        Source lines that calls were made from.
    markers
        Remarks on moments, in order of time.
    paths
        Call paths of the calls.
    definitions
        Definitions as they stand in the trace, by type.
    digest
        What is here in place of the events; None if all of them are.
    earlier
        Of a part of a trace what came before it, as far as operations are counted.
    rank_of_location : int64, shape (locations,)
        -1 for a location of no rank of the trace.
    rows_of_kind
        Rows of the ranks' further locations of each kind (``thread``,
        ``accelerator``, ...), ascending: int64.
    communicator_sizes : int64, shape (communicators,)
        Members of each.
    has_nodes
        Whether the trace says on which nodes its ranks ran.
    """

    path: str
    name: str
    producer: str
    clock: Clock
    ranks: int
    locations: tuple[Location, ...]
    regions: Regions
    communicators: tuple[Communicator, ...]
    topologies: tuple[CartesianTopology, ...]
    metrics: tuple[str, ...]
    events: int
    timeline: Timeline
    calls: Calls
    messages: Messages
    collectives: Collectives
    warnings: tuple[str, ...] = ()
    unrecorded: tuple[UnrecordedCalls, ...] = ()
    further: tuple[EventRecords, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    health: Health | None = None
    groups: Mapping[int, Indices] = field(default_factory=dict)
    counters: tuple[MetricCounter, ...] = ()
    names: tuple[IdentifierNames, ...] = ()
    nodes: tuple[SystemNode, ...] = ()
    sources: SourceLines = field(default_factory=SourceLines)
    markers: tuple[Marker, ...] = ()
    paths: CallPaths = field(default_factory=CallPaths)
    definitions: tuple[DefinitionTable, ...] = ()
    digest: Digest | None = None
    earlier: tuple[EarlierRecords, ...] = ()
    rank_of_location: Ints = field(init=False)
    rows_of_kind: Mapping[str, Ints] = field(init=False)
    communicator_sizes: Ints = field(init=False)
    has_nodes: bool = field(init=False)

    def __post_init__(self) -> None:
        """Gather what follows from the definitions; makes the arrays read-only."""
        ranks = np.array([place.rank for place in self.locations], np.int64)
        ranks[ranks >= self.ranks] = -1
        rows: dict[str, list[int]] = {}
        for row in range(self.ranks, len(self.locations)):
            if ranks[row] >= 0:
                rows.setdefault(self.locations[row].kind, []).append(row)
        sizes = np.array([len(each.ranks) for each in self.communicators], np.int64)
        kinds = {kind: np.array(found, np.int64) for kind, found in rows.items()}
        for array in (ranks, sizes, *kinds.values()):
            array.flags.writeable = False
        object.__setattr__(self, "rank_of_location", ranks)
        object.__setattr__(self, "rows_of_kind", kinds)
        object.__setattr__(self, "communicator_sizes", sizes)
        nodes = any(place.node for place in self.locations[: self.ranks])
        object.__setattr__(self, "has_nodes", nodes)
        self._explain_tables()

    def further_rows(self, kind: str) -> Ints:
        """Rows of the ranks' further locations of a kind: int64, ascending."""
        return self.rows_of_kind.get(kind, _NO_ROWS)

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
        """Tell in a line what it is: all of it would fill pages."""
        return (
            f"<Trace {self.name}: {self.ranks} ranks, {self.events} events, "
            f"{len(self.calls)} calls, {len(self.messages)} messages, "
            f"{self.clock.seconds(self.clock.length):.6g} s>"
        )
