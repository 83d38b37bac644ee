"""A trace: its definitions, and what its ranks did."""

from dataclasses import dataclass, field

from topoview.model.arrays import Bytes, Indices, Ints, freeze
from topoview.model.definition_tables import DefinitionTable
from topoview.model.definitions import (
    CartesianTopology,
    Clock,
    Communicator,
    Location,
    Regions,
)
from topoview.model.health import Health
from topoview.model.meanings import Counter, Marker, Named, SystemNode
from topoview.model.paths import Paths
from topoview.model.records import Records
from topoview.model.sources import Sources
from topoview.model.tables import Table
from topoview.model.timeline import Timeline


@dataclass(frozen=True, slots=True, eq=False)
class Calls(Table):
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
        Index into the trace's `Paths`: the regions that were open around the call.
    kept : uint8, shape (calls,)
        How many of them, the outermost ones, were open since the row's call before:
        those inside were entered anew. 0 for the first call, 255 for that or more.
    """

    offsets: Ints
    region: Indices
    enter: Ints
    leave: Ints
    completes: Ints
    path: Indices
    kept: Bytes

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count the calls of all rows."""
        return len(self.region)


@dataclass(frozen=True, slots=True, eq=False)
class Messages(Table):
    """Point-to-point messages, in order of the call that sent them.

    A message whose send was not recorded has `send_call` -1 and comes after
    the others; one whose receive was not recorded has `receive_call` and
    `completion_call` -1. A send and its receive are one row.

    Attributes
    ----------
    sender, receiver : int32, shape (messages,)
        World ranks.
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

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count the messages."""
        return len(self.sender)


@dataclass(frozen=True, slots=True, eq=False)
class Collectives(Table):
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

    call: Ints
    communicator: Indices
    operation: Bytes
    root: Indices
    sent: Ints
    received: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

    def __len__(self) -> int:
        """Count the parts."""
        return len(self.call)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    health
        What reading accounted for; None if the trace was not read from files.
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
    further: tuple[Records, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    health: Health | None = None
    counters: tuple[Counter, ...] = ()
    names: tuple[Named, ...] = ()
    nodes: tuple[SystemNode, ...] = ()
    sources: Sources = field(default_factory=Sources)
    markers: tuple[Marker, ...] = ()
    paths: Paths = field(default_factory=Paths)
    definitions: tuple[DefinitionTable, ...] = ()

    def __repr__(self) -> str:
        """Tell in a line what it is: all of it would fill pages."""
        return (
            f"<Trace {self.name}: {self.ranks} ranks, {self.events} events, "
            f"{len(self.calls)} calls, {len(self.messages)} messages, "
            f"{self.clock.seconds(self.clock.length):.6g} s>"
        )
