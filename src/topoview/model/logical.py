"""The logical trace: one program that stands for all ranks."""

from dataclasses import dataclass

from topoview.model.arrays import Indices, Ints, freeze
from topoview.model.states import MPIState


@dataclass(frozen=True, slots=True)
class Call:
    """A statement: one MPI call with its partners as directions.

    Attributes
    ----------
    index
        Number of the statement, counted over the whole logical trace.
    operation
        ``Isend``, ``Allreduce``, ...
    to, source
        Direction of the partner sent to or received from (``EAST``), or None.
    size, source_size
        Bytes sent (or of the collective), and received; None if not known.
    detail
        Anything else worth showing: root or communicator of a collective, what
        a Wait completes.
    state
        State of a rank that is in the call.
    """

    index: int
    operation: str
    to: str | None
    source: str | None
    size: int | None
    source_size: int | None
    detail: str
    state: MPIState


@dataclass(frozen=True, slots=True)
class Loop:
    """Statements that are repeated."""

    count: int
    body: tuple["Statement", ...]


Statement = Call | Loop


@dataclass(frozen=True, slots=True, eq=False)
class LogicalTrace:
    """The logical trace of a run.

    Attributes
    ----------
    ranks
        Number of ranks.
    maximal_rank
        The rank whose sequence stands for all.
    body
        Statements; `Call.index` counts them in order.
    statements, loops, depth
        Number of calls, number of loops, deepest nesting of loops.
    records
        MPI calls of the rank that has most.
    calls_excluded, bytes_excluded
        Fractions of all ranks' MPI calls, and of the bytes that they sent
        point-to-point, which the logical trace does not hold.
    ranks_verified
        Ranks whose sequence it expands to exactly, bytes included.
    statement_of_call : int32, shape (calls,)
        Statement that each call of the trace belongs to, -1 if it is left out.
    ticks : int64, shape (statements,)
        Time that all ranks spent in each statement.
    seconds
        Wall time that it took to find.
    """

    ranks: int
    maximal_rank: int
    body: tuple[Statement, ...]
    statements: int
    loops: int
    depth: int
    records: int
    calls_excluded: float
    bytes_excluded: float
    ranks_verified: int
    statement_of_call: Indices
    ticks: Ints
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)
