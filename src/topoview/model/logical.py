"""The logical trace: one program that stands for all ranks."""

from dataclasses import dataclass

from topoview.model.arrays import Bools, Indices, Ints, freeze
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
    sizes, source_sizes
        Least and most bytes where they vary by rank or from one repetition to
        the next; `size` or `source_size` is None then, and `LogicalTrace.sizes`
        tells each.
    awaits_to, awaits_source
        For a Wait: direction of the message whose request it completes.
    """

    index: int
    operation: str
    to: str | None
    source: str | None
    size: int | None
    source_size: int | None
    detail: str
    state: MPIState
    sizes: tuple[int, int] | None = None
    source_sizes: tuple[int, int] | None = None
    awaits_to: str | None = None
    awaits_source: str | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """Statements that are repeated."""

    count: int
    body: tuple["Statement", ...]


Statement = Call | Loop


@dataclass(frozen=True, slots=True, eq=False)
class SizeTable:
    """Sizes of the statements whose size varies, by rank.

    A rank takes the sizes of its cell in turn, from the first again after the
    last: one number where a statement's size varies by rank only.

    Attributes
    ----------
    statement : int32, shape (columns,)
        `Call.index` of each column.
    received : bool, shape (columns,)
        Whether the column is of `Call.source_size`, not of `Call.size`.
    offsets : int64, shape (columns * ranks + 1,)
        Cell ``column * ranks + rank`` owns ``values[offsets[cell]:offsets[cell + 1]]``;
        empty where the rank does not take part.
    values : int64, shape (numbers,)
        Bytes.
    """

    statement: Indices
    received: Bools
    offsets: Ints
    values: Ints

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class Partners:
    """In which directions each rank sends and receives.

    A statement stands for a rank if the rank has its direction: a message is
    sent or received only where there is a neighbour.

    Attributes
    ----------
    names
        Names of the directions.
    offsets : int64, shape (ranks + 1,)
        Rank ``r`` owns ``halves[offsets[r]:offsets[r + 1]]``.
    halves : int32, shape (entries,)
        ``2 * direction`` for sending there, ``2 * direction + 1`` for receiving
        from there; ascending for each rank.
    """

    names: tuple[str, ...]
    offsets: Ints
    halves: Indices

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


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
    partners
        In which directions each rank sends and receives.
    sizes
        Sizes that vary.
    notes
        What the logical trace does not show, a sentence each.
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
    partners: Partners
    sizes: SizeTable
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)
