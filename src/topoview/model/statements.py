"""Statements of a logical trace, the program that stands for all ranks.

A program is a body of statements. Run for a rank it gives that rank's calls:
a `When` runs its body for some ranks only, a `Sometimes` in some iterations only,
a `BlockCall` runs a body that is written once and used in several places.
Tables that vary from turn to turn are read as the program runs: each time that
their statement is reached it takes the next entry, the first again after the last.
"""

from dataclasses import dataclass

from topoview.model.states import MPIState


@dataclass(frozen=True, slots=True)
class Call:
    """A statement: one MPI call with its partners as directions.

    Attributes
    ----------
    index
        Number of the statement in the order of the listing: the body, then the
        blocks.
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
    to_guard, source_guard
        Ranks that have the partner, where not all that make the call have (the
        halves of a Sendrecv at an edge): index into `LogicalTrace.guards`, else -1.
    communicator
        Of a collective: name of its communicator, as all ranks share it; empty for
        that of all ranks. Of one-sided calls and files: name of the window or file.
    root
        Of a collective: rank of its root in the communicator, -1 if it has none.
    polls
        Whether the call is repeated until something has happened.
    path
        Functions or regions of the program around the call, the outermost first.
        Where they differ from call to call ``…`` stands for those that do.
    kept
        How many of them, the outermost ones, were open since the call before, at
        most: those inside are entered anew each time.

    Notes
    -----
    In a loop over numbers names hold the number as ``k``: ``EXCHANGE k``.
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
    to_guard: int = -1
    source_guard: int = -1
    communicator: str = ""
    root: int = -1
    polls: bool = False
    path: tuple[str, ...] = ()
    kept: int = 0


@dataclass(frozen=True, slots=True)
class Loop:
    """Statements that are repeated.

    Attributes
    ----------
    count
        How often the body runs; the most where that varies.
    body
        What is repeated.
    over
        The numbers that it goes through, in a loop over numbers: one an
        iteration, written ``k`` in the names of the body's calls.
    trips
        Index into `LogicalTrace.trips` where the count varies from turn to turn,
        else -1.
    rank_trips
        Index into `LogicalTrace.rank_trips` where the count varies by rank, else -1.
    growth
        1 if the turns differ in the sizes of messages, which grow; -1 if they shrink.
    kept
        How many of the functions around its first call, the outermost first, stay
        open from turn to turn; -1 if `Call.kept` of that call tells it.
    """

    count: int
    body: tuple["Statement", ...]
    over: tuple[int, ...] = ()
    trips: int = -1
    rank_trips: int = -1
    growth: int = 0
    kept: int = -1


@dataclass(frozen=True, slots=True)
class When:
    """Statements of some ranks only: those of ``LogicalTrace.guards[guard]``."""

    guard: int
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Sometimes:
    """Statements of some iterations only.

    Attributes
    ----------
    share
        Fraction of the times it is reached that the body runs.
    pattern
        Index into `LogicalTrace.patterns`.
    body
        What runs then.
    """

    share: float
    pattern: int
    body: tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class BlockCall:
    """The statements of ``LogicalTrace.blocks[block]``, here."""

    block: int


Statement = Call | Loop | When | Sometimes | BlockCall


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that are used in several places, and their name."""

    name: str
    body: tuple[Statement, ...]
