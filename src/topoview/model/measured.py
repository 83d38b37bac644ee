"""Figures of statements, loops and lines of a logical trace; of ranks; the profile."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import quantity_text
from topoview.model.arrays import Floats, Frozen, Indices, Ints
from topoview.model.definitions import MetricCounter
from topoview.model.logical import Line, LogicalTrace
from topoview.model.trace import Trace

NO_METRICS: Final = "no metrics are recorded on the main threads of ranks"

NOWHERE: Final = -1
"""Position of a call of which the logical trace does not tell."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeSpread(Frozen):
    """Times of each statement's calls.

    Attributes
    ----------
    total : int64, shape (statements,)
        Sum in ticks.
    mean, deviation : float64, shape (statements,)
        Mean and standard deviation in ticks, over the calls of all ranks.
    most : int64, shape (statements,)
        Longest in ticks.
    """

    total: Ints
    mean: Floats
    deviation: Floats
    most: Ints


@dataclass(frozen=True, slots=True, eq=False)
class TickSums(Frozen):
    """Exact sums of times, of which `TimeSpread` is made.

    Attributes
    ----------
    count, total : int64, shape (n,)
        How many times, and their sum in ticks.
    squares : uint32, shape (n, digits)
        Sum of their squares: see `topoview.analysis.logical.exact_sums`.
    most, call : int64, shape (n,)
        The longest, and the first call that took it, -1 if there is none.
    """

    count: Ints
    total: Ints
    squares: NDArray[np.uint32]
    most: Ints
    call: Ints


@dataclass(frozen=True, slots=True, eq=False)
class LineSums(Frozen):
    """What `MeasuredLines` are made of, of some ranks.

    Attributes
    ----------
    spent, before, late
        Time in the calls of each statement, from the rank's call before, and of
        waiting; None if that is not known.
    ranks, sent, received : int64, shape (statements,)
        As in `StatementFigures`.
    iterations
        Time of the iterations of each loop, with the last call of each.
    uses : int64, shape (uses,)
    followed : int
        Ranks that could be followed.
    counters : int64, shape (n,)
        Which of `Trace.counters` have records on these ranks, ascending.
    counted : int64, shape (n, statements)
        Calls of which the trace tells what they counted.
    counts : uint32, shape (n, statements, digits)
        Sums of what they counted.
    work : uint32, shape (2, statements, digits)
        Sums of instructions and cycles, of calls of which both are known.
    places : int64, shape (n, 2)
        Statements, and the source lines that their calls were made from.
    """

    spent: TickSums
    before: TickSums
    late: TickSums | None
    ranks: Ints
    sent: Ints
    received: Ints
    iterations: TickSums
    uses: Ints
    followed: int
    counters: Ints
    counted: Ints
    counts: NDArray[np.uint32]
    work: NDArray[np.uint32]
    places: Ints


@dataclass(frozen=True, slots=True, eq=False)
class StatementFigures(Frozen):
    """What each statement took, over all ranks and repetitions.

    Attributes
    ----------
    calls, ranks : int64, shape (statements,)
        How many calls are of the statement, and how many ranks made them.
    spent
        Time in the call.
    slowest : int64, shape (statements,)
        The trace's call that took longest, -1 if there is none.
    before
        Time from the end of the rank's call before to the begin of this one:
        what the rank computes.
    sent, received : int64, shape (statements,)
        Bytes sent point-to-point or put into a collective, and received.
    late
        Time that calls waited for partners (`lateness`); None if the clocks are
        not aligned.
    waiting : int64, shape (statements,)
        Calls of which the trace tells whom they wait for.
    run
        Ticks of the whole run, all ranks together; of which a share is told.
    """

    calls: Ints
    ranks: Ints
    spent: TimeSpread
    slowest: Ints
    before: TimeSpread
    sent: Ints
    received: Ints
    late: TimeSpread | None
    waiting: Ints
    run: int

    def share(self) -> Floats:
        """Share of the run that each statement takes, float64, shape (statements,)."""
        shares: Floats = self.spent.total / max(self.run, 1)
        return shares


@dataclass(frozen=True, slots=True, eq=False)
class MetricFigures(Frozen):
    """What each counter counted before the calls of each statement.

    Attributes
    ----------
    counters
        The counters, in the order of the rows of the arrays.
    calls : int64, shape (counters, statements)
        Calls of which the trace tells it.
    mean : float64, shape (counters, statements)
        On average over those calls, in the counter's unit; NaN where there are
        none. Of a counter that grows or tells changes: how much came between the
        rank's call before and this one. Of others: the value when the call begins.
    ipc : float64, shape (statements,)
        Instructions per cycle of that computation; NaN where not recorded.
    """

    counters: tuple[MetricCounter, ...]
    calls: Ints
    mean: Floats
    ipc: Floats

    @property
    def has_ipc(self) -> bool:
        """Whether the IPC of any statement is known."""
        return bool(np.any(~np.isnan(self.ipc)))

    @property
    def names(self) -> tuple[str, ...]:
        """Titles of `texts`: of the IPC where it is known, of each counter."""
        return (*(["IPC"] if self.has_ipc else []), *(c.name for c in self.counters))

    def texts(self, statement: int) -> tuple[str, ...]:
        """Write what is known of a statement, an empty text for what is not."""
        ipc, means = float(self.ipc[statement]), self.mean[:, statement].tolist()
        return (
            *([f"{ipc:.2f}" if ipc == ipc else ""] if self.has_ipc else []),
            *(map(quantity_text, means, (c.unit for c in self.counters))),
        )

    @property
    def absent(self) -> str:
        """Say that there is nothing, empty if there is something."""
        return "" if self.counters else NO_METRICS


@dataclass(frozen=True, slots=True, eq=False)
class LoopFigures(Frozen):
    """What each loop took; loops in order of their lines.

    An iteration lasts from the end of the rank's call before it to the end of
    its last call.

    Attributes
    ----------
    iterations : int64, shape (loops,)
        Iterations of all ranks in which a rank made calls.
    total : int64, shape (loops,)
        Their time in ticks.
    mean, deviation : float64, shape (loops,)
        Of an iteration, in ticks.
    most : int64, shape (loops,)
        Longest iteration in ticks.
    slowest, slowest_rank : int64, shape (loops,)
        Its number, from 1 through all runs of the loop, and its rank; 0 and -1 if
        none.
    begin, end : int64, shape (loops,)
        When it began and ended.
    uses : int64, shape (uses,)
        Ticks in calls that each use of a block took; in order of their lines.
    ranks : int
        Ranks that could be followed; the others' calls differ from the program.
    """

    iterations: Ints
    total: Ints
    mean: Floats
    deviation: Floats
    most: Ints
    slowest: Ints
    slowest_rank: Ints
    begin: Ints
    end: Ints
    uses: Ints
    ranks: int


@dataclass(frozen=True, slots=True)
class LoopStep:
    """A loop on the way to another: where it begins in what is around it.

    Attributes
    ----------
    offset
        Positions before it, in an iteration of the loop around it.
    count
        Most iterations.
    size
        Positions of an iteration.
    """

    offset: int
    count: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class CallPositions(Frozen):
    """Positions of all calls.

    Attributes
    ----------
    of_call : int64, shape (calls,)
        A call to ``MPI_PROC_NULL`` has that of the statement that reaches a neighbour
        elsewhere; another that the logical trace does not hold has that of the one
        before it. `NOWHERE` where there is none, and for ranks whose calls differ.
    length
        Positions that there are.
    loops
        For each loop, in order of their lines, the ways to it: the loops around it
        from the outermost on, and itself. A loop of a block has one for every use.
    main_loop
        Number of the loop whose iterations are the program's, -1 if nothing repeats.
    """

    of_call: Ints
    length: int
    loops: tuple[tuple[tuple[LoopStep, ...], ...], ...]
    main_loop: int


@dataclass(frozen=True, slots=True, eq=False)
class Iterations(Frozen):
    """Every iteration of a loop on every rank, rank after rank, in order of time.

    Attributes
    ----------
    rank, iteration : int32, shape (n,)
        Iteration from 1, through all runs of the loop.
    first, stop : int64, shape (n,)
        Its calls are those of the trace from `first` to before `stop`.
    begin, end : int64, shape (n,)
        Ticks: from the end of the rank's call before, if there is one, to the end of
        its last call.
    """

    rank: Indices
    iteration: Indices
    first: Ints
    stop: Ints
    begin: Ints
    end: Ints

    def __len__(self) -> int:
        """Count the iterations of all ranks."""
        return len(self.rank)

    def within(
        self, window: tuple[int, int] | None, ranks: Sequence[int] = ()
    ) -> "Iterations":
        """Keep those that begin in a window, and those of some ranks; empty: of all."""
        keep = np.ones(len(self), bool)
        if window is not None:
            keep &= (self.begin >= window[0]) & (self.begin < window[1])
        if ranks:
            keep &= np.isin(self.rank, ranks)
        columns = (getattr(self, field.name) for field in fields(self))
        return Iterations(*(column[keep] for column in columns))


@dataclass(frozen=True, slots=True, eq=False)
class IterationSums(Frozen):
    """What each rank did in each iteration of the main loop, rank after rank.

    Attributes
    ----------
    rank, iteration : int32, shape (n,)
        Iteration from 1, through all runs of the loop; ascending for each rank.
    begin, end : int64, shape (n,)
        Ticks: from the end of the rank's call before, if there is one, to the end of
        its last call.
    mpi : int64, shape (n,)
        Ticks within MPI calls.
    wait : float64, shape (n,)
        Ticks of waiting for late partners; NaN where that is not known.
    size : int64, shape (n,)
        Bytes that it sent.
    """

    rank: Indices
    iteration: Indices
    begin: Ints
    end: Ints
    mpi: Ints
    wait: Floats
    size: Ints

    def __len__(self) -> int:
        """Count the iterations of all ranks."""
        return len(self.rank)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredLines(Frozen):
    """A logical trace line by line, with what each took.

    Attributes
    ----------
    lines
        The lines.
    statements
        Figures of the statements, by `Call.index`.
    loops
        Figures of the loops, in order of their lines.
    loop_of
        Number of a loop's figures for its line.
    shares : float64, shape (lines,)
        Share of the run that the calls below each line take.
    metrics
        What counters counted before the statements.
    places
        Source lines that the calls of each statement were made from; empty where the
        trace does not tell.
    """

    trace: Trace
    logical: LogicalTrace
    lines: tuple[Line, ...]
    statements: StatementFigures
    loops: LoopFigures
    loop_of: dict[int, int]
    shares: Floats
    metrics: MetricFigures
    places: tuple[tuple[str, ...], ...]


# Numbers for each rank: what colours them, and the profile of their time and calls.


@dataclass(frozen=True, slots=True, eq=False)
class RankValues(Frozen):
    """A number for each rank, or the category that it belongs to.

    Attributes
    ----------
    values : float64, shape (ranks,)
        Numbers, or indices into `names`; NaN where there is none.
    low, high
        Numbers that have the first and the last colour.
    unit
        ``s``, ``B``, ``%`` (numbers are fractions then) or empty for counts.
    log
        Whether colours follow the logarithm; `low` is above 0 then.
    middle
        Whether the middle between `low` and `high` is what differs from nothing.
    names
        Names of categories; empty for numbers.
    none
        What it means to have no number.
    """

    values: Floats
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    log: bool = False
    middle: bool = False
    names: tuple[str, ...] = ()
    none: str = ""

    @property
    def stretched(self) -> "RankValues":
        """The same numbers with colours from the least to the greatest of them."""
        known = self.values[~np.isnan(self.values)]
        if self.log:
            known = known[known > 0]
        if self.names or not len(known):
            return self
        low, high = float(known.min()), float(known.max())
        if self.middle:
            high = max(abs(low), abs(high))
            low = -high
        return replace(self, low=low, high=high)

    def spanning(self, low: float, high: float) -> "RankValues":
        """Take the same numbers with colours from one number to another."""
        if self.names:
            return self
        return replace(self, low=low, high=high)._logarithmic(log=self.log)

    def stepping(self, *, log: bool) -> "RankValues":
        """Take the same numbers with colours that follow the logarithm, or not."""
        if self.names or self.middle:
            return self
        return self._logarithmic(log=log)

    def _logarithmic(self, *, log: bool) -> "RankValues":
        """Begin above 0 if colours follow the logarithm."""
        if not log or self.low > 0:
            return replace(self, log=log)
        above = self.values[self.values > 0]
        least = float(above.min()) if len(above) else 1.0
        low = max(min(least, self.high), self.high / 1e6)
        return replace(self, low=low or 1.0, high=max(self.high, low, 1e-300), log=log)

    @property
    def shares(self) -> Floats:
        """Place of it from `low` to `high`: in [0, 1], shape (ranks,); NaN if none."""
        values, low, high = self.values, self.low, self.high
        if self.log:
            values = np.log(np.maximum(values, self.low))
            low, high = np.log(low), np.log(max(high, low))
        if high <= low:
            return np.where(np.isnan(values), np.nan, 0.5 if self.middle else 0.0)
        return np.clip((values - low) / (high - low), 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Profile(Frozen):
    """Time and calls by MPI operation and by state, for each rank.

    Attributes
    ----------
    operations
        Names of the operations that were called.
    calls : int64, shape (ranks, operations)
        Number of calls.
    ticks : int64, shape (ranks, operations)
        Time in them.
    state_ticks : int64, shape (ranks, len(MPIState))
        Time in each state, over the main thread's timeline.
    """

    operations: tuple[str, ...]
    calls: Ints
    ticks: Ints
    state_ticks: Ints
