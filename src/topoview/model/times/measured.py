"""Figures of statements, loops and lines of a logical trace; of ranks; the profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from topoview.base.text import write
from topoview.model.frozen.arrays import Bytes, Floats, Frozen, Indices, Ints
from topoview.model.frozen.derived import kept_with_source
from topoview.model.times.account import Span, joined_states

if TYPE_CHECKING:  # whoever shows a profile has no logical trace
    from topoview.model.definitions import MetricCounter
    from topoview.model.logical import Line, LogicalTrace
    from topoview.model.trace import Trace

NO_METRICS: Final = "no metrics are recorded on the main threads of ranks"

NOWHERE: Final = -1
"""Position of a call of which the logical trace does not tell."""


@dataclass(frozen=True, slots=True, eq=False)
class TimeSpread(Frozen):
    """Times of each statement's calls."""

    total: Ints
    """int64, shape (statements,): sum in ticks."""
    mean: Floats
    deviation: Floats
    """`mean` and `deviation`: float64, shape (statements,): mean and standard deviation
    in ticks, over the calls of all ranks."""
    most: Ints
    """int64, shape (statements,): longest in ticks."""


@dataclass(frozen=True, slots=True, eq=False)
class TickSums(Frozen):
    """Exact sums of times, of which `TimeSpread` is made."""

    count: Ints
    total: Ints
    """`count` and `total`: int64, shape (n,): how many times, and their sum in
    ticks."""
    squares: NDArray[np.uint32]
    """uint32, shape (n, digits): sum of their squares: see
    `topoview.analysis.logical.exact_sums`."""
    most: Ints
    call: Ints
    """`most` and `call`: int64, shape (n,): the longest, and the first call that took
    it, -1 if there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class LineSums(Frozen):
    """What `MeasuredLines` are made of, of some ranks."""

    spent: TickSums
    before: TickSums
    late: TickSums | None
    """`spent`, `before` and `late`: time in the calls of each statement, from the
    rank's call before, and of waiting; None if unknown."""
    ranks: Ints
    sent: Ints
    received: Ints
    """`ranks`, `sent` and `received`: int64, shape (statements,): as in
    `StatementFigures`."""
    iterations: TickSums
    """Time of the iterations of each loop, with the last call of each."""
    uses: Ints
    """int64, shape (uses,)"""
    followed: int
    """int: ranks that could be followed."""
    counters: Ints
    """int64, shape (n,): which of `Trace.counters` have records on these ranks,
    ascending."""
    counted: Ints
    """int64, shape (n, statements): calls of which the trace tells what they
    counted."""
    counts: NDArray[np.uint32]
    """uint32, shape (n, statements, digits): sums of what they counted."""
    work: NDArray[np.uint32]
    """uint32, shape (2, statements, digits): sums of instructions and cycles, of calls
    of which both are known."""
    places: Ints
    """int64, shape (n, 2): statements, and the source lines that their calls were made
    from."""


@dataclass(frozen=True, slots=True, eq=False)
class StatementFigures(Frozen):
    """What each statement took, over all ranks and repetitions."""

    calls: Ints
    ranks: Ints
    """`calls` and `ranks`: int64, shape (statements,): how many calls are of the
    statement, and how many ranks made them."""
    spent: TimeSpread
    """Time in the call."""
    slowest: Ints
    """int64, shape (statements,): the trace's call that took longest, -1 if there is
    none."""
    before: TimeSpread
    """Time from the end of the rank's call before to the begin of this one: what the
    rank computes."""
    sent: Ints
    received: Ints
    """`sent` and `received`: int64, shape (statements,): bytes sent point-to-point or
    put into a collective, and received."""
    late: TimeSpread | None
    """Time that calls waited for partners (`lateness`); None if the clocks are not
    aligned."""
    waiting: Ints
    """int64, shape (statements,): calls of which the trace tells whom they wait for."""
    run: int
    """Ticks of the whole run, all ranks together; of which a share is told."""

    def share(self) -> Floats:
        """Share of the run that each statement takes, float64, shape (statements,)."""
        shares: Floats = self.spent.total / max(self.run, 1)
        return shares


@dataclass(frozen=True, slots=True, eq=False)
class MetricFigures(Frozen):
    """What each counter counted before the calls of each statement."""

    counters: tuple[MetricCounter, ...]
    """The counters, in the order of the rows of the arrays."""
    calls: Ints
    """int64, shape (counters, statements): calls of which the trace tells it."""
    mean: Floats
    """float64, shape (counters, statements): on average over those calls, in the
    counter's unit; NaN where there are none. Of a counter that grows or tells changes:
    how much came between the rank's call before and this one. Of others: the value when
    the call begins."""
    ipc: Floats
    """float64, shape (statements,): instructions per cycle of that computation; NaN
    where not recorded."""

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
            *(map(write, means, (c.unit for c in self.counters))),
        )

    @property
    def absent(self) -> str:
        """Explain that there is nothing, empty if there is something."""
        return "" if self.counters else NO_METRICS


@dataclass(frozen=True, slots=True, eq=False)
class LoopFigures(Frozen):
    """What each loop took; loops in order of their lines.

    An iteration lasts from the end of the rank's call before it to the end of
    its last call.
    """

    iterations: Ints
    """int64, shape (loops,): iterations of all ranks in which a rank made calls."""
    total: Ints
    """int64, shape (loops,): their time in ticks."""
    mean: Floats
    deviation: Floats
    """`mean` and `deviation`: float64, shape (loops,): of an iteration, in ticks."""
    most: Ints
    """int64, shape (loops,): longest iteration in ticks."""
    slowest: Ints
    slowest_rank: Ints
    """`slowest` and `slowest_rank`: int64, shape (loops,): its number, from 1 through
    all runs of the loop, and its rank; 0 and -1 if none."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (loops,): when it began and ended."""
    uses: Ints
    """int64, shape (uses,): ticks in calls that each use of a block took; in order of
    their lines."""
    ranks: int
    """int: ranks that could be followed; the others' calls differ from the program."""


@dataclass(frozen=True, slots=True)
class LoopStep:
    """A loop on the way to another: where it begins in what is around it."""

    offset: int
    """Positions before it, in an iteration of the loop around it."""
    count: int
    """Most iterations."""
    size: int
    """Positions of an iteration."""


@dataclass(frozen=True, slots=True, eq=False)
class CallPositions(Frozen):
    """Positions of all calls."""

    of_call: Ints
    """int64, shape (calls,): A call to ``MPI_PROC_NULL`` has that of the statement that
    reaches a neighbour elsewhere; another that the logical trace does not hold has that
    of the one before it. `NOWHERE` where there is none, and for ranks whose calls
    differ."""
    length: int
    """Positions that there are."""
    loops: tuple[tuple[tuple[LoopStep, ...], ...], ...]
    """For each loop, in order of their lines, the ways to it: the loops around it from
    the outermost on, and itself. A loop of a block has one for every use."""
    main_loop: int
    """Number of the loop whose iterations are the program's, -1 if nothing repeats."""


@dataclass(frozen=True, slots=True, eq=False)
class Iterations(Frozen):
    """Every iteration of a loop on every rank, rank after rank, in order of time."""

    rank: Indices
    iteration: Indices
    """`rank` and `iteration`: int32, shape (n,): iteration from 1, through all runs of
    the loop."""
    first: Ints
    stop: Ints
    """`first` and `stop`: int64, shape (n,): its calls are those of the trace from
    `first` to before `stop`."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): ticks: from the end of the rank's call
    before, if there is one, to the end of its last call."""

    def __len__(self) -> int:
        """Count the iterations of all ranks."""
        return len(self.rank)

    def within(
        self, window: tuple[int, int] | None, ranks: Sequence[int] = ()
    ) -> Iterations:
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
    """What each rank did in each iteration of the main loop, rank after rank."""

    rank: Indices
    iteration: Indices
    """`rank` and `iteration`: int32, shape (n,): iteration from 1, through all runs of
    the loop; ascending for each rank."""
    begin: Ints
    end: Ints
    """`begin` and `end`: int64, shape (n,): ticks: from the end of the rank's call
    before, if there is one, to the end of its last call."""
    mpi: Ints
    """int64, shape (n,): ticks within MPI calls."""
    wait: Floats
    """float64, shape (n,): ticks of waiting for late partners; NaN where that is not
    known."""
    size: Ints
    """int64, shape (n,): bytes that it sent."""

    def __len__(self) -> int:
        """Count the iterations of all ranks."""
        return len(self.rank)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredLines(Frozen):
    """A logical trace line by line, with what each took."""

    trace: Trace
    logical: LogicalTrace
    lines: tuple[Line, ...]
    """The lines."""
    statements: StatementFigures
    """Figures of the statements, by `Call.index`."""
    loops: LoopFigures
    """Figures of the loops, in order of their lines."""
    loop_of: dict[int, int]
    """Number of a loop's figures for its line."""
    shares: Floats
    """float64, shape (lines,): share of the run that the calls below each line take."""
    metrics: MetricFigures
    """What counters counted before the statements."""
    places: tuple[tuple[str, ...], ...]
    """Source lines that the calls of each statement were made from; empty where the
    trace does not tell."""


# Numbers for each rank: what colours them, and the profile of their time and calls.


@dataclass(frozen=True, slots=True, eq=False)
class RankValues(Frozen):
    """A number for each rank, or the category that it belongs to."""

    values: Floats
    """float64, shape (ranks,): numbers, or indices into `names`; NaN where there is
    none."""
    low: float = 0.0
    high: float = 1.0
    """`low` and `high`: numbers that have the first and the last colour."""
    unit: str = ""
    """``s``, ``B``, ``%`` (numbers are fractions then) or empty for counts."""
    log: bool = False
    """Whether colours follow the logarithm; `low` is above 0 then."""
    middle: bool = False
    """Whether the middle between `low` and `high` is what differs from nothing."""
    names: tuple[str, ...] = ()
    """Names of categories; empty for numbers."""
    none: str = ""
    """What it means to have no number."""

    @property
    def stretched(self) -> RankValues:
        """The same numbers with colours from the least to the greatest of them."""
        valid = self.values[~np.isnan(self.values)]
        if self.log:
            valid = valid[valid > 0]
        if self.names or not len(valid):
            return self
        low, high = float(valid.min()), float(valid.max())
        if self.middle:
            high = max(abs(low), abs(high))
            low = -high
        return replace(self, low=low, high=high)

    def spanning(self, low: float, high: float) -> RankValues:
        """Return the same numbers with colours from one number to another."""
        if self.names:
            return self
        return replace(self, low=low, high=high)._logarithmic(log=self.log)

    def stepping(self, *, log: bool) -> RankValues:
        """Return the same numbers with colours that follow the logarithm, or not."""
        if self.names or self.middle:
            return self
        return self._logarithmic(log=log)

    def _logarithmic(self, *, log: bool) -> RankValues:
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
    """Time and calls by MPI operation and by class of time, in a span of the run."""

    span: Span
    operations: tuple[str, ...]
    """Names of the operations that were called."""
    calls: Ints
    """int64, shape (ranks, operations): number of calls that begin in the span, those
    of a rank's further threads included."""
    ticks: Ints
    """int64, shape (ranks, operations): time in them, as far as it is in the span."""
    classes: Bytes
    """uint8, shape (classes,): classes of time that there are (`CLASS_NAMES`)."""
    class_ticks: Ints
    """int64, shape (rows, classes): time of each location in each class. The rows of
    ranks' main threads come first; each sums to the span."""

    @property
    def state_ticks(self) -> Ints:
        """Time of main threads in each state: int64, shape (ranks, len(TimeState))."""
        return joined_states(self.classes, self.class_ticks[: len(self.calls)])

    @property
    @kept_with_source()
    def state_totals(self) -> Ints:
        """Time of all main threads in each state: int64, shape (len(TimeState),)."""
        whole = self.class_ticks[: len(self.calls)].sum(axis=0)
        (result,) = joined_states(self.classes, whole[None])
        return np.asarray(result, np.int64)
