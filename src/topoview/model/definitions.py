"""What a trace defines before its first event."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from topoview.model.alignment import Alignment
from topoview.model.arrays import Bools, Bytes, Indices, freeze

MOST_TICKS: Final = 1 << 60
"""Ticks that any time is told to be at most: sums of a few still fit into int64."""


def to_ticks(seconds: float, resolution: int) -> int:
    """Convert seconds to ticks, rounded; `MOST_TICKS` at most, to both sides.

    Parameters
    ----------
    resolution
        Ticks a second.

    Examples
    --------
    >>> to_ticks(1.5e-6, 10**9), to_ticks(1e300, 10**9) == MOST_TICKS
    (1500, True)
    """
    return round(min(max(seconds * resolution, -MOST_TICKS), MOST_TICKS))


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
    """

    resolution: int
    length: int
    origin: int = 0
    aligned: bool = True
    alignment: Alignment | None = field(default=None, compare=False)

    def seconds(self, ticks: float) -> float:
        """Convert ticks to seconds."""
        return ticks / self.resolution

    def ticks(self, seconds: float) -> int:
        """Convert seconds to ticks, as `to_ticks` does."""
        return to_ticks(seconds, self.resolution)

    def words(self, ticks: float) -> str:
        """Write how long something took, to three digits.

        Examples
        --------
        >>> Clock(10**9, 0).words(517_000), Clock(10**9, 0).words(2_150_000_000)
        ('517 µs', '2.15 s')
        """
        seconds = self.seconds(ticks)
        for unit, scale in (("s", 1.0), ("ms", 1e-3)):
            if seconds >= 0.9995 * scale:
                return f"{seconds / scale:.3g} {unit}"
        return f"{seconds * 1e6:.3g} µs"


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
class Regions:
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

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)

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
class Communicator:
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

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class CartesianTopology:
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

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)
