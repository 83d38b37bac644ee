"""What a trace defines: clock, locations, regions, communicators, other names."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from operator import attrgetter
from typing import Final, overload

import numpy as np

from topoview.base.text import mark, tr
from topoview.model.frozen.arrays import AlsoListed, Bools, Bytes, Frozen, Indices, Ints


@dataclass(frozen=True, slots=True, eq=False)
class ClockAlignment(Frozen):
    """What was added to the times of ranks, and how well that is known."""

    offset: Ints
    """int64, shape (ranks,): ticks added to the times of each rank, of which the first
    event was time 0."""
    half_width: Ints
    """int64, shape (ranks,): the offset against the rank that has 0 is uncertain by
    that many ticks to both sides; -1 for ranks that nothing bounds, and for silent
    ones."""
    slack: int
    """Ticks by which no constant offsets fit what was recorded: clocks drift, or
    records are wrong."""
    before: int
    after: int
    """`before` and `after`: messages received before they were sent, with each rank's
    first event as time 0, and with the offsets."""
    worst: int
    """By how many ticks at most, with the offsets."""
    unbounded: int = 0
    """Ranks with events that nothing bounds."""

    @property
    def typical(self) -> int:
        """Median half width of the ranks that are bounded, in ticks."""
        valid = self.half_width[self.half_width >= 0]
        return int(np.median(valid)) if len(valid) else -1

    @property
    def widest(self) -> int:
        """Largest half width of the ranks that are bounded, in ticks."""
        return int(self.half_width.max(initial=-1))


class TimeState(IntEnum):
    """What a location does at a time; the code is stored as uint8.

    Regions tell the states up to ``COPY``. That a call waits for another rank, and
    what a Wait does besides, is told by `topoview.analysis.account` alone: there
    ``WAIT`` is one of the last states, ``SEND`` or ``RECEIVE``.
    """

    OUTSIDE = 0
    """Before the location's first event, after its last one, while measurement was off,
    and for threads other than a rank's main one and GPU streams while they are in no
    region."""
    COMPUTE = 1
    """Everything that is none of the others."""
    SEND = 2
    RECEIVE = 3
    WAIT = 4
    """In a call that completes requests."""
    COLLECTIVE = 5
    BARRIER = 6
    ONE_SIDED = 7
    IO = 8
    SETUP = 9
    MEASUREMENT = 10
    """The tracer's own time, such as that in which it writes its buffer."""
    GPU_CALL = 11
    """In a call of a GPU's interface that does not wait for the device."""
    WAIT_FOR_GPU = 12
    WAIT_FOR_THREADS = 13
    KERNEL = 14
    COPY = 15
    """`KERNEL` and `COPY`: what a GPU does."""
    LATE_SENDER = 16
    LATE_RECEIVER = 17
    WAIT_AT_COLLECTIVE = 18
    WAIT_AT_BARRIER = 19
    WAIT_ONE_SIDED = 20
    WAIT_AT_IO = 21
    WAIT_AT_SETUP = 22
    """`LATE_SENDER` to `WAIT_AT_SETUP`: waiting for another rank, in a call of the
    kind that `WAITED_IN` names."""
    NEVER_COMPLETED = 23
    """In a call that is never left, to the end of the trace."""

    @property
    def label(self) -> str:
        """Name shown to the user, lower case: ``send``, ``one-sided``, ``I/O``."""
        return tr(_LABELS[self])


_LABELS = {
    TimeState.OUTSIDE: mark("not recorded"),
    TimeState.COMPUTE: mark("compute"),
    TimeState.SEND: mark("send"),
    TimeState.RECEIVE: mark("receive"),
    TimeState.WAIT: mark("wait"),
    TimeState.COLLECTIVE: mark("collective"),
    TimeState.BARRIER: mark("barrier"),
    TimeState.ONE_SIDED: mark("one-sided"),
    TimeState.IO: mark("I/O"),
    TimeState.SETUP: mark("MPI setup/teardown"),
    TimeState.MEASUREMENT: mark("measurement"),
    TimeState.GPU_CALL: mark("GPU call"),
    TimeState.WAIT_FOR_GPU: mark("wait for GPU"),
    TimeState.WAIT_FOR_THREADS: mark("wait for threads"),
    TimeState.KERNEL: mark("kernel"),
    TimeState.COPY: mark("copy"),
    TimeState.LATE_SENDER: mark("late sender"),
    TimeState.LATE_RECEIVER: mark("late receiver"),
    TimeState.WAIT_AT_COLLECTIVE: mark("wait at collective"),
    TimeState.WAIT_AT_BARRIER: mark("wait at barrier"),
    TimeState.WAIT_ONE_SIDED: mark("wait in one-sided"),
    TimeState.WAIT_AT_IO: mark("wait at I/O"),
    TimeState.WAIT_AT_SETUP: mark("wait in MPI setup/teardown"),
    TimeState.NEVER_COMPLETED: mark("never completed"),
}

WAITED_IN: Final = {
    TimeState.LATE_SENDER: TimeState.RECEIVE,
    TimeState.LATE_RECEIVER: TimeState.SEND,
    TimeState.WAIT_AT_COLLECTIVE: TimeState.COLLECTIVE,
    TimeState.WAIT_AT_BARRIER: TimeState.BARRIER,
    TimeState.WAIT_ONE_SIDED: TimeState.ONE_SIDED,
    TimeState.WAIT_AT_IO: TimeState.IO,
    TimeState.WAIT_AT_SETUP: TimeState.SETUP,
    TimeState.WAIT_FOR_GPU: TimeState.KERNEL,
}
"""States of waiting, and the state whose end, or begin elsewhere, ends the wait."""

WAITING_STATES: Final = (
    *WAITED_IN,
    TimeState.WAIT_FOR_THREADS,
    TimeState.NEVER_COMPLETED,
    TimeState.WAIT,
)
"""States in which a location waits."""


OUTSIDE_MPI: Final = (
    TimeState.OUTSIDE,
    TimeState.COMPUTE,
    TimeState.MEASUREMENT,
    TimeState.GPU_CALL,
    TimeState.WAIT_FOR_GPU,
    TimeState.WAIT_FOR_THREADS,
    TimeState.KERNEL,
    TimeState.COPY,
)
"""States in which a location is in no MPI call."""


def in_states(codes: Bytes, states: Iterable[int]) -> Bools:
    """Return which codes of `TimeState` are among some: shape of codes, read-only.

    By a table of bytes, which takes a tenth of the time of an array's.
    """
    wanted = bytearray(256)
    for state in states:
        wanted[state] = True
    within = np.frombuffer(codes.tobytes().translate(wanted), np.bool_)
    return within.reshape(codes.shape)


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
    """The clock of a trace."""

    resolution: int
    """Ticks a second."""
    length: int
    """Ticks from the trace's beginning (time 0) to its last event."""
    origin: int = 0
    """Time stamp of the trace's beginning, in ticks of the producer's clock."""
    aligned: bool = True
    """Whether times of different ranks can be compared. If False each rank's first
    event was taken as time 0."""
    alignment: ClockAlignment | None = field(default=None, compare=False)
    """How topoview aligned the clocks; None if the producer did, or nobody."""
    begin: int = 0
    """Tick from which on the trace was read: 0 but for a part of it."""

    @property
    def whole(self) -> tuple[int, int]:
        """The whole run in ticks: at least one."""
        return 0, max(self.length, 1)

    @property
    def ticks_read(self) -> int:
        """How long that is which was read: one tick at least."""
        return max(self.length - self.begin, 1)

    @property
    def decimals(self) -> int:
        """Decimals of a second in which ticks can be told apart."""
        return math.ceil(math.log10(self.resolution))

    def seconds(self, ticks: float) -> float:
        """Convert ticks to seconds."""
        return ticks / self.resolution

    def ticks(self, seconds: float) -> int:
        """Convert seconds to ticks, as `to_ticks` does."""
        return to_ticks(seconds, self.resolution)


@dataclass(frozen=True, slots=True)
class Location:
    """A stream of events: a process' main thread, another thread, a GPU stream."""

    id: int
    """The trace's own identifier (uint64)."""
    rank: int
    """MPI rank in the world that the location belongs to."""
    name: str
    """Name in the trace, such as ``Master thread`` or ``OMP thread 1``."""
    kind: str = "thread"
    """``thread``, ``accelerator`` or ``metric``."""
    node: str = ""
    """Name of the machine node it ran on, empty if the trace does not say."""
    group: str = field(default="", compare=False)
    """Name of its process or device, such as ``MPI Rank 3``."""


@dataclass(frozen=True, slots=True, eq=False)
class Locations(Frozen, Sequence[Location]):
    """Very many locations: columns, of which each is made as it is asked for."""

    id: tuple[int, ...]
    rank: tuple[int, ...]
    name: tuple[str, ...]
    kind: tuple[str, ...]
    node: tuple[str, ...]
    group: tuple[str, ...]
    """The fields of `Location`."""

    @classmethod
    def of(cls, locations: Iterable[Location]) -> "Locations":
        """Return locations in columns."""
        if isinstance(locations, Locations):
            return locations
        some = tuple(locations)
        names = (each.name for each in fields(Location))
        return cls(*(tuple(map(attrgetter(name), some)) for name in names))

    def __len__(self) -> int:
        """Count the locations."""
        return len(self.id)

    @overload
    def __getitem__(self, at: int) -> Location: ...

    @overload
    def __getitem__(self, at: slice) -> "Locations": ...

    def __getitem__(self, at: int | slice) -> "Location | Locations":
        """Return one of the locations, or several."""
        columns = (getattr(self, each.name)[at] for each in fields(self))
        return Locations(*columns) if isinstance(at, slice) else Location(*columns)

    def __eq__(self, other: object) -> bool:
        """Compare them with others, one by one."""
        if not isinstance(other, Locations):
            return NotImplemented
        compared = (each.name for each in fields(Location) if each.compare)
        return all(getattr(self, name) == getattr(other, name) for name in compared)

    def __hash__(self) -> int:
        """Hash their identifiers."""
        return hash(self.id)


@dataclass(frozen=True, slots=True, eq=False)
class Regions(AlsoListed, Frozen):
    """Code regions, numbered densely; copies that differ in nothing are one."""

    names: tuple[str, ...]
    """Name of each region as the trace has it: ``MPI_Isend``, ``mpi_isend_``,
    ``solve``."""
    state: Bytes
    """uint8, shape (regions,): `TimeState` of a location whose innermost region this
    is."""
    operation: Indices
    """int32, shape (regions,): index into `operations` for an MPI call, -1 for other
    regions."""
    operations: tuple[str, ...]
    """MPI operations without prefix, spelled as in the C binding: ``Isend``,
    ``Allreduce``, ``Comm_split``; those of C and Fortran are one."""
    files: tuple[str, ...] = ()
    """Source file of each region, empty where the trace does not say; none if it says
    none."""
    lines: Indices = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    """int32, shape (regions, 2) or (0, 2): first and last line in it, 0 where the trace
    does not say."""

    def title(self, region: int) -> str:
        """Name a region as all views do: an MPI call without its prefix."""
        operation = int(self.operation[region])
        return self.operations[operation] if operation >= 0 else self.names[region]

    def source(self, region: int) -> str:
        """Return where a region is: ``solve.f90:120``; empty if no line is known.

        Libraries such as MPI are recorded as files without lines.
        """
        if not self.files or region < 0 or not self.lines[region, 0]:
            return ""
        return f"{self.files[region]}:{int(self.lines[region, 0])}"


@dataclass(frozen=True, slots=True, eq=False)
class Communicator(Frozen):
    """A communicator."""

    name: str
    """Name in the trace, or a description such as ``MPI_COMM_WORLD``."""
    ranks: Indices
    """int32, shape (size,): world rank of each member, in order of the communicator's
    own ranks; -1 for members that the trace does not hold. Empty for ``MPI_COMM_SELF``,
    in which every rank is alone."""


@dataclass(frozen=True, slots=True, eq=False)
class CartesianTopology(Frozen):
    """A Cartesian topology that the program declared (MPI_Cart_create)."""

    name: str
    """Name in the trace."""
    communicator: int
    """Index into the trace's communicators, -1 if unknown."""
    dims: tuple[int, ...]
    periodic: Bools
    """`dims` and `periodic`: as declared to MPI: the last dimension changes fastest."""
    names: tuple[str, ...]
    """Names of the dimensions, if any."""
    ranks: Indices
    """int32, shape (n,): world ranks whose coordinates are recorded."""
    coordinates: Indices
    """int32, shape (n, len(dims)): coordinates of these ranks."""


@dataclass(frozen=True, slots=True)
class MetricCounter:
    """A number that a trace records over time: one value of its metrics' records."""

    metric: int
    place: int
    """`metric` and `place`: what the records of type ``Metric`` call it: their metric,
    and the place of the value among the record's values."""
    name: str
    unit: str = ""
    """`name` and `unit`: such as ``PAPI_TOT_CYC``; the unit may be empty."""
    mode: str = "value"
    """``grows`` if values count up from the begin, ``value`` if each stands for itself,
    ``change`` if each is what came since the one before."""
    base: int = 10
    power: int = 0
    """`base` and `power`: A recorded number must be multiplied by `base` to the
    `power`."""
    description: str = ""
    """As in the trace."""
    kind: str = "other"
    """``other``, ``PAPI``, ``rusage`` or ``user``."""
    timing: str = "point"
    """For which time a value holds: from the ``start``, at the ``point``, since the
    ``last`` one, until the ``next``."""
    recorder: int = -1
    """Location that recorded an instance of the metric, -1 for its own location."""
    scope: str = ""
    """What an instance of it was recorded for, such as ``node kn1``; empty for its
    location."""

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
    """A part of the machine: the machine, a rack, a node, a device."""

    name: str
    """Name in the trace."""
    kind: str
    """What the trace calls it: ``machine``, ``node``."""
    parent: int = -1
    """Index of what it is in, -1 for nothing."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A remark on a moment that a tool or its user left in the trace."""

    time: int
    duration: int
    """`time` and `duration`: in ticks of the trace, as times of events."""
    group: str
    category: str
    severity: str
    """`group`, `category` and `severity`: what kind of remark it is; severity is
    ``none``, ``low``, ``medium``, ``high``."""
    scope: str
    """What it is about, such as ``rank 3``; empty for the whole trace."""
    row: int
    """Index of the location that it is about, -1 if it is about more."""
    text: str
    """The remark."""


@dataclass(frozen=True, slots=True, eq=False)
class IdentifierNames(Frozen):
    """Names of identifiers that records hold."""

    kind: str
    """``parameter``, ``text of a parameter``, ``attribute``, ``RMA window``, ``I/O
    file``, ``I/O handle``, ``source line``, ``call path``, ``sampling``; ``property
    of location`` and the like, where an identifier can have several names, ``PID:
    4711``."""
    identifiers: Ints
    """int64, shape (n,): the trace's own, ascending."""
    names: tuple[str, ...]
    """Of each."""


def _no_identifiers() -> Ints:
    return np.zeros(0, np.int64)


def _no_indices() -> Indices:
    return np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class SourceLines(Frozen):
    """What the definitions say of the lines that calls were made from."""

    places: tuple[str, ...] = ()
    """Lines of source code, ``solve.c:120``."""
    place_identifiers: Ints = field(default_factory=_no_identifiers)
    """int64, shape (n,): the trace's own, ascending, of the first n lines, as
    attributes of events hold them. Lines of call sites have none."""
    contexts: Ints = field(default_factory=_no_identifiers)
    """int64, shape (contexts,): the trace's identifiers of calling contexts,
    ascending, as records of type ``CallingContextEnter`` and
    ``CallingContextSample`` hold them."""
    context_region: Indices = field(default_factory=_no_indices)
    """int32, shape (contexts,): region that each is in; -1 if unknown."""
    context_parent: Indices = field(default_factory=_no_indices)
    """int32, shape (contexts,): index of the context that it was called from, -1 for
    none."""
    context_place: Indices = field(default_factory=_no_indices)
    """int32, shape (contexts,): index of its line, -1 for none."""
    site_entered: Indices = field(default_factory=_no_indices)
    site_left: Indices = field(default_factory=_no_indices)
    site_place: Indices = field(default_factory=_no_indices)
    """`site_entered`, `site_left` and `site_place`: int32, shape (sites,): call sites:
    region that is called, region that calls it, index of the line."""

    def __len__(self) -> int:
        """Count what tells of lines: contexts, call sites, lines by themselves."""
        return len(self.contexts) + len(self.site_entered) + len(self.places)


@dataclass(frozen=True, slots=True, eq=False)
class DefinitionTable(Frozen):
    """Definitions of one type."""

    name: str
    """Type of the records, such as ``Region`` or ``IoHandle``."""
    fields: tuple[str, ...]
    """Name of each field."""
    values: Ints
    """int64, shape (n, fields): values in the trace's order: its own identifiers, and
    OTF2's codes (as in ``otf2.enums``); unsigned ones as their bit pattern. -1 where a
    reference leads nowhere."""
    written: tuple[str, ...] = ()
    """Fields that are texts: their values count in `texts`."""
    texts: tuple[str, ...] = ()
    """Each text once."""

    def __len__(self) -> int:
        """Count the definitions."""
        return len(self.values)

    def column(self, field: str) -> Ints:
        """Return the values of a field: int64, shape (n,).

        Raises
        ------
        ValueError
            If there is no such field.
        """
        return self.values[:, self.fields.index(field)]

    def words(self, field: str) -> tuple[str, ...]:
        """Return the texts of a field, empty where there is none.

        Raises
        ------
        ValueError
            If it is no text.
        """
        if field not in self.written:
            raise ValueError(f"{field} of {self.name} is no text")
        return tuple(self.texts[k] if k >= 0 else "" for k in self.column(field))
