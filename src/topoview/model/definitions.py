"""What a trace defines: clock, locations, regions, communicators, other names."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np

from topoview.base.text import mark, tr
from topoview.model.arrays import Bools, Bytes, Frozen, Indices, Ints


@dataclass(frozen=True, slots=True, eq=False)
class ClockAlignment(Frozen):
    """What was added to the times of ranks, and how well that is known.

    Attributes
    ----------
    offset : int64, shape (ranks,)
        Ticks added to the times of each rank, of which the first event was time 0.
    half_width : int64, shape (ranks,)
        The offset against the rank that has 0 is uncertain by that many ticks to
        both sides; -1 for ranks that nothing bounds, and for silent ones.
    slack
        Ticks by which no constant offsets fit what was recorded: clocks drift, or
        records are wrong.
    before, after
        Messages received before they were sent, with each rank's first event as
        time 0, and with the offsets.
    worst
        By how many ticks at most, with the offsets.
    unbounded
        Ranks with events that nothing bounds.
    """

    offset: Ints
    half_width: Ints
    slack: int
    before: int
    after: int
    worst: int
    unbounded: int = 0

    @property
    def typical(self) -> int:
        """Median half width of the ranks that are bounded, in ticks."""
        known = self.half_width[self.half_width >= 0]
        return int(np.median(known)) if len(known) else -1

    @property
    def widest(self) -> int:
        """Largest half width of the ranks that are bounded, in ticks."""
        return int(self.half_width.max(initial=-1))


class MPIState(IntEnum):
    """What a location does at a time; the code is stored as uint8.

    ``OUTSIDE`` is before the location's first event, after its last one, while
    measurement was off, and for threads other than a rank's main one and GPU
    streams while they are in no region. ``COMPUTE`` is everything else that is
    no MPI call and no I/O.
    """

    OUTSIDE = 0
    COMPUTE = 1
    SEND = 2
    RECEIVE = 3
    WAIT = 4
    COLLECTIVE = 5
    BARRIER = 6
    ONE_SIDED = 7
    IO = 8
    SETUP = 9

    @property
    def label(self) -> str:
        """Name shown to the user, lower case: ``send``, ``one-sided``, ``I/O``."""
        return tr(_LABELS[self])


_LABELS = {
    MPIState.OUTSIDE: mark("not recorded"),
    MPIState.COMPUTE: mark("compute"),
    MPIState.SEND: mark("send"),
    MPIState.RECEIVE: mark("receive"),
    MPIState.WAIT: mark("wait"),
    MPIState.COLLECTIVE: mark("collective"),
    MPIState.BARRIER: mark("barrier"),
    MPIState.ONE_SIDED: mark("one-sided"),
    MPIState.IO: mark("I/O"),
    MPIState.SETUP: mark("MPI management"),
}

WAITING_STATES: Final = (
    MPIState.SEND,
    MPIState.RECEIVE,
    MPIState.WAIT,
    MPIState.COLLECTIVE,
    MPIState.BARRIER,
)
"""States in which a rank may stand still for others."""


def in_states(codes: Bytes, states: Iterable[int]) -> Bools:
    """Tell which codes of `MPIState` are among some, by a table: shape of `codes`."""
    wanted = np.zeros(len(MPIState), np.bool_)
    wanted[list(states)] = True
    found: Bools = wanted[codes]
    return found


MAX_TICKS: Final = 1 << 60
"""Ticks that any time is told to be at most: sums of a few still fit into int64."""


def to_ticks(seconds: float, resolution: int) -> int:
    """Convert seconds to ticks, rounded; `MAX_TICKS` at most, to both sides.

    Parameters
    ----------
    resolution
        Ticks a second.

    Examples
    --------
    >>> to_ticks(1.5e-6, 10**9), to_ticks(1e300, 10**9) == MAX_TICKS
    (1500, True)
    """
    return round(min(max(seconds * resolution, -MAX_TICKS), MAX_TICKS))


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a trace.

    Attributes
    ----------
    resolution
        Ticks a second.
    length
        Ticks from the trace's beginning (time 0) to its last event.
    origin
        Time stamp of the trace's beginning, in ticks of the producer's clock.
    aligned
        Whether times of different ranks can be compared. If False each rank's
        first event was taken as time 0.
    alignment
        How topoview aligned the clocks; None if the producer did, or nobody.
    begin
        Tick from which on the trace was read: 0 but for a part of it.
    """

    resolution: int
    length: int
    origin: int = 0
    aligned: bool = True
    alignment: ClockAlignment | None = field(default=None, compare=False)
    begin: int = 0

    @property
    def ticks_read(self) -> int:
        """How long that is which was read: one tick at least."""
        return max(self.length - self.begin, 1)

    def seconds(self, ticks: float) -> float:
        """Convert ticks to seconds."""
        return ticks / self.resolution

    def ticks(self, seconds: float) -> int:
        """Convert seconds to ticks, as `to_ticks` does."""
        return to_ticks(seconds, self.resolution)


@dataclass(frozen=True, slots=True)
class Location:
    """A stream of events: a process' main thread, another thread, a GPU stream.

    Attributes
    ----------
    id
        The trace's own identifier (uint64).
    rank
        MPI rank in the world that the location belongs to.
    name
        Name in the trace, such as ``Master thread`` or ``OMP thread 1``.
    kind
        ``thread``, ``accelerator`` or ``metric``.
    node
        Name of the machine node it ran on, empty if the trace does not say.
    group
        Name of its process or device, such as ``MPI Rank 3``.
    """

    id: int
    rank: int
    name: str
    kind: str = "thread"
    node: str = ""
    group: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Regions(Frozen):
    """Code regions, numbered densely; copies that differ in nothing are one.

    Attributes
    ----------
    names
        Name of each region as the trace has it: ``MPI_Isend``, ``mpi_isend_``,
        ``solve``.
    state : uint8, shape (regions,)
        `MPIState` of a location whose innermost region this is.
    operation : int32, shape (regions,)
        Index into `operations` for an MPI call, -1 for other regions.
    operations
        MPI operations without prefix, spelled as in the C binding: ``Isend``,
        ``Allreduce``, ``Comm_split``; those of C and Fortran are one.
    files
        Source file of each region, empty where the trace does not say; none if it
        says none.
    lines : int32, shape (regions, 2) or (0, 2)
        First and last line in it, 0 where the trace does not say.
    """

    names: tuple[str, ...]
    state: Bytes
    operation: Indices
    operations: tuple[str, ...]
    files: tuple[str, ...] = ()
    lines: Indices = field(default_factory=lambda: np.zeros((0, 2), np.int32))

    def title(self, region: int) -> str:
        """Name a region as all views do: an MPI call without its prefix."""
        operation = int(self.operation[region])
        return self.operations[operation] if operation >= 0 else self.names[region]

    def source(self, region: int) -> str:
        """Tell where a region is: ``solve.f90:120``; empty if no line is known.

        Libraries such as MPI are recorded as files without lines.
        """
        if not self.files or region < 0 or not self.lines[region, 0]:
            return ""
        return f"{self.files[region]}:{int(self.lines[region, 0])}"


@dataclass(frozen=True, slots=True, eq=False)
class Communicator(Frozen):
    """A communicator.

    Attributes
    ----------
    name
        Name in the trace, or a description such as ``MPI_COMM_WORLD``.
    ranks : int32, shape (size,)
        World rank of each member, in order of the communicator's own ranks; -1
        for members that the trace does not hold.
        Empty for ``MPI_COMM_SELF``, in which every rank is alone.
    """

    name: str
    ranks: Indices


@dataclass(frozen=True, slots=True, eq=False)
class CartesianTopology(Frozen):
    """A Cartesian topology that the program declared (MPI_Cart_create).

    Attributes
    ----------
    name
        Name in the trace.
    communicator
        Index into the trace's communicators, -1 if unknown.
    dims, periodic
        As declared to MPI: the last dimension changes fastest.
    names
        Names of the dimensions, if any.
    ranks : int32, shape (n,)
        World ranks whose coordinates are recorded.
    coordinates : int32, shape (n, len(dims))
        Coordinates of these ranks.
    """

    name: str
    communicator: int
    dims: tuple[int, ...]
    periodic: Bools
    names: tuple[str, ...]
    ranks: Indices
    coordinates: Indices


@dataclass(frozen=True, slots=True)
class MetricCounter:
    """A number that a trace records over time: one value of its metrics' records.

    Attributes
    ----------
    metric, place
        What the records of type ``Metric`` call it: their metric, and the place of
        the value among the record's values.
    name, unit
        Such as ``PAPI_TOT_CYC``; the unit may be empty.
    mode
        ``grows`` if values count up from the begin, ``value`` if each stands for
        itself, ``change`` if each is what came since the one before.
    base, power
        A recorded number must be multiplied by `base` to the `power`.
    description
        As in the trace.
    kind
        ``other``, ``PAPI``, ``rusage`` or ``user``.
    timing
        For which time a value holds: from the ``start``, at the ``point``, since the
        ``last`` one, until the ``next``.
    recorder
        Location that recorded an instance of the metric, -1 for its own location.
    scope
        What an instance of it was recorded for, such as ``node kn1``; empty for its
        location.
    """

    metric: int
    place: int
    name: str
    unit: str = ""
    mode: str = "value"
    base: int = 10
    power: int = 0
    description: str = ""
    kind: str = "other"
    timing: str = "point"
    recorder: int = -1
    scope: str = ""

    @property
    def scale(self) -> float:
        """What a recorded number must be multiplied by to be in the unit."""
        return float(self.base) ** self.power

    @property
    def words(self) -> str:
        """Unit of the recorded numbers: ``bytes``, ``10^-6 s``, ``2^10 bytes``."""
        if not self.power:
            return self.unit
        return f"{self.base}^{self.power} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class SystemNode:
    """A part of the machine: the machine, a rack, a node, a device.

    Attributes
    ----------
    name
        Name in the trace.
    kind
        What the trace calls it: ``machine``, ``node``.
    parent
        Index of what it is in, -1 for nothing.
    """

    name: str
    kind: str
    parent: int = -1


@dataclass(frozen=True, slots=True)
class Marker:
    """A remark on a moment that a tool or its user left in the trace.

    Attributes
    ----------
    time, duration
        In ticks of the trace, as times of events.
    group, category, severity
        What kind of remark it is; severity is ``none``, ``low``, ``medium``, ``high``.
    scope
        What it is about, such as ``rank 3``; empty for the whole trace.
    row
        Index of the location that it is about, -1 if it is about more.
    text
        The remark.
    """

    time: int
    duration: int
    group: str
    category: str
    severity: str
    scope: str
    row: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class IdentifierNames(Frozen):
    """Names of identifiers that records hold.

    Attributes
    ----------
    kind
        ``parameter``, ``text of a parameter``, ``attribute``, ``RMA window``, ``I/O
        file``, ``I/O handle``, ``source line``, ``call path``, ``sampling``; ``property
        of location`` and the like, where an identifier can have several names, ``PID:
        4711``.
    identifiers : int64, shape (n,)
        The trace's own, ascending.
    names
        Of each.
    """

    kind: str
    identifiers: Ints
    names: tuple[str, ...]


def _no_identifiers() -> Ints:
    return np.zeros(0, np.int64)


def _no_indices() -> Indices:
    return np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class SourceLines(Frozen):
    """What the definitions say of the lines that calls were made from.

    Attributes
    ----------
    places
        Lines of source code, ``solve.c:120``.
    place_identifiers : int64, shape (n,)
        The trace's own, ascending, of the first n lines, as attributes of events
        hold them. Lines of call sites have none.
    contexts : int64, shape (contexts,)
        The trace's identifiers of calling contexts, ascending, as records of type
        ``CallingContextEnter`` and ``CallingContextSample`` hold them.
    context_region : int32, shape (contexts,)
        Region that each is in; -1 if unknown.
    context_parent : int32, shape (contexts,)
        Index of the context that it was called from, -1 for none.
    context_place : int32, shape (contexts,)
        Index of its line, -1 for none.
    site_entered, site_left, site_place : int32, shape (sites,)
        Call sites: region that is called, region that calls it, index of the line.
    """

    places: tuple[str, ...] = ()
    place_identifiers: Ints = field(default_factory=_no_identifiers)
    contexts: Ints = field(default_factory=_no_identifiers)
    context_region: Indices = field(default_factory=_no_indices)
    context_parent: Indices = field(default_factory=_no_indices)
    context_place: Indices = field(default_factory=_no_indices)
    site_entered: Indices = field(default_factory=_no_indices)
    site_left: Indices = field(default_factory=_no_indices)
    site_place: Indices = field(default_factory=_no_indices)

    def __len__(self) -> int:
        """Count what tells of lines: contexts, call sites, lines by themselves."""
        return len(self.contexts) + len(self.site_entered) + len(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class DefinitionTable(Frozen):
    """Definitions of one type.

    Attributes
    ----------
    name
        Type of the records, such as ``Region`` or ``IoHandle``.
    fields
        Name of each field.
    values : int64, shape (n, fields)
        Values in the trace's order: its own identifiers, and OTF2's codes (as in
        ``otf2.enums``); unsigned ones as their bit pattern. -1 where a reference
        leads nowhere.
    written
        Fields that are texts: their values count in `texts`.
    texts
        Each text once.
    """

    name: str
    fields: tuple[str, ...]
    values: Ints
    written: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Count the definitions."""
        return len(self.values)

    def column(self, field: str) -> Ints:
        """Give the values of a field: int64, shape (n,).

        Raises
        ------
        ValueError
            If there is no such field.
        """
        return self.values[:, self.fields.index(field)]

    def words(self, field: str) -> tuple[str, ...]:
        """Give the texts of a field, empty where there is none.

        Raises
        ------
        ValueError
            If it is no text.
        """
        if field not in self.written:
            raise ValueError(f"{field} of {self.name} is no text")
        return tuple(self.texts[k] if k >= 0 else "" for k in self.column(field))
