"""What a run did, call by call, so that it can be summed up by what two runs share."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from topoview.analysis.logical.iterations import iterations
from topoview.analysis.waits.states import lateness, lifetimes
from topoview.analysis.waits.sums import directions_of
from topoview.model import (
    Bools,
    CallPositions,
    Floats,
    Frozen,
    Identification,
    Ints,
    LogicalTrace,
    Match,
    Trace,
    WaitStates,
)

MEASURES = ("time", "wait", "computation", "bytes")
"""What is summed up of calls: time in them, waiting of it, the computation before
them, and bytes sent in them."""


@dataclass(frozen=True, slots=True, eq=False)
class Run(Frozen):
    """A run, or a window of one, and what is known of it."""

    trace: Trace
    match: Match
    logical: LogicalTrace
    """`trace`, `match` and `logical`: the trace, its topology, and its logical
    trace."""
    window: tuple[int, int]
    """Begin and end in ticks of what is looked at: of the loop, where there is one."""
    whole: tuple[int, int]
    """The same with what is before and after the loop."""
    iterations: int
    """Iterations of the program in it; 0 where nothing is repeated."""
    rank: Ints
    statement: Ints
    iteration: Ints
    """`rank`, `statement` and `iteration`: int64, shape (calls,): of each call in the
    window: its rank, its statement in the logical trace, and its iteration from 1 on;
    -1 and 0 where there is none."""
    operation: Ints
    """int64, shape (calls,): index into the operations of the trace's regions."""
    values: dict[str, Floats]
    """By name in `MEASURES`, float64, shape (calls,): seconds, or bytes."""
    directions: dict[str, tuple[Ints, Ints, Floats]]
    """Labels, iterations and values of waits and of bytes by direction: by measure,
    direction as an index into `LogicalTrace.partners.names`."""
    waits: WaitStates | None
    """For whom calls waited; None if clocks are not aligned."""

    @property
    def own(self) -> Floats:
        """Seconds that a rank spent on its own for each call: all but waiting."""
        values = self.values
        result: Floats = values["computation"] + values["time"] - values["wait"]
        return result

    @property
    def seconds(self) -> float:
        """Length of the window."""
        return self.trace.clock.seconds(self.window[1] - self.window[0])

    @property
    def in_loop(self) -> Bools:
        """Mark the calls in the loop; without a loop all: bool, shape (calls,)."""
        result: Bools = (self.iteration > 0) | (not self.iterations)
        return result

    def without_loop(self) -> "Run":
        """Look at all of it: what is compared with a run that has no loop."""
        nothing = np.zeros_like(self.iteration)
        ways = {
            name: (label, np.zeros_like(turn), values)
            for name, (label, turn, values) in self.directions.items()
        }
        return replace(
            self, window=self.whole, iterations=0, iteration=nothing, directions=ways
        )


def looked_at_alike(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Look at the loops of runs only where all have one."""
    if all(run.iterations for run in runs):
        return tuple(runs)
    return tuple(run.without_loop() for run in runs)


def run_of(  # noqa: PLR0913
    trace: Trace,
    identification: Identification,
    logical: LogicalTrace,
    positions: CallPositions,
    waits: WaitStates | None,
    window: tuple[int, int] | None = None,
) -> Run:
    """Gather what a run did.

    Parameters
    ----------
    window
        Begin and end in ticks: calls that begin in it, of iterations all of whose
        calls do; they are numbered from 1 again. None: the whole run.
    """
    calls = trace.calls
    offsets = calls.offsets[: trace.ranks + 1]
    last = int(offsets[-1])
    enter, leave = calls.enter[:last], calls.leave[:last]
    rank = np.repeat(np.arange(trace.ranks), np.diff(offsets))
    # Computation is the time since the call before; before a rank's first, since its
    # begin.
    before = np.empty(last, np.int64)
    before[1:] = leave[:-1]
    begins, ends = lifetimes(trace)
    busy = np.diff(offsets) > 0
    before[offsets[:-1][busy]] = begins[busy]
    # Bytes of a call: what it sends, to one rank or to all of a communicator.
    waited = np.zeros(last, np.int64)
    if waits is not None:
        waited = np.maximum(lateness(trace, waits, slice(0, last)), 0)
    sent = np.zeros(last, np.int64)
    messages, collectives = trace.messages, trace.collectives
    valid = (messages.send_call >= 0) & (messages.send_call < last)
    np.add.at(sent, messages.send_call[valid], messages.size[valid])
    inside = collectives.call < last
    np.add.at(sent, collectives.call[inside], collectives.sent[inside])
    iteration = _iterations_of(logical, positions, rank)

    # An iteration that the window cuts would look short: it is left out whole.
    chosen = np.ones(last, bool)
    if window is not None:
        chosen = (enter >= window[0]) & (enter < window[1])
        every = np.bincount(iteration, minlength=1)
        cut = np.bincount(iteration[chosen], minlength=len(every)) < every
        cut[0] = False
        chosen &= ~cut[iteration]
        in_loop = chosen & (iteration > 0)
        first = int(iteration[in_loop].min()) if in_loop.any() else 1
        iteration = np.where(iteration > 0, iteration - first + 1, 0)
    in_loop = chosen & (iteration > 0)
    whole = window or (int(begins.min(initial=0)), int(ends.max(initial=0)))
    shown = whole
    if in_loop.any():
        shown = int(before[in_loop].min()), int(leave[in_loop].max())

    # What is compared, call by call; `_by_direction` sums up the same by partner.
    second = 1.0 / trace.clock.resolution
    values = {
        "time": (leave - enter) * second,
        "wait": waited * second,
        "computation": np.maximum(enter - before, 0) * second,
        "bytes": sent.astype(np.float64),
    }
    region = calls.region[:last]
    return Run(
        trace=trace,
        match=identification.best,
        logical=logical,
        window=shown,
        whole=whole,
        iterations=int(iteration[in_loop].max(initial=0)),
        rank=rank[chosen],
        statement=logical.statement_of_call[:last][chosen].astype(np.int64),
        iteration=iteration[chosen],
        operation=trace.regions.operation[region[chosen]].astype(np.int64),
        values={name: column[chosen] for name, column in values.items()},
        directions=_by_direction(
            trace, logical, waits, rank, iteration, chosen, values["wait"]
        ),
        waits=waits,
    )


def _iterations_of(logical: LogicalTrace, positions: CallPositions, rank: Ints) -> Ints:
    """Return the iteration of each call, from 1; 0 for none.

    A call that the logical trace leaves out has the position of the one before it: it
    is in the loop only if the rank's next call that is told is so too.
    """
    result = iterations(positions, np.arange(len(rank))).astype(np.int64)
    listed = np.flatnonzero(logical.statement_of_call[: len(rank)] >= 0)
    left_out = np.flatnonzero(logical.statement_of_call[: len(rank)] < 0)
    after = np.searchsorted(listed, left_out)
    following = np.append(listed, -1)[after]
    goes_on = (following >= 0) & (rank[following] == rank[left_out])
    goes_on &= result[following] > 0
    result[left_out[~goes_on]] = 0
    return result


def _by_direction(  # noqa: PLR0913
    trace: Trace,
    logical: LogicalTrace,
    waits: WaitStates | None,
    rank: Ints,
    iteration: Ints,
    chosen: Bools,
    waited: Floats,
) -> dict[str, tuple[Ints, Ints, Floats]]:
    """Label waits, and bytes of messages, by the direction of the partner."""
    messages, last = trace.messages, len(rank)
    call = messages.send_call
    valid = (call >= 0) & (call < last)
    valid[valid] = chosen[call[valid]]
    sender = messages.sender[valid].astype(np.int64)
    result = {
        "bytes": (
            directions_of(logical, sender, messages.receiver[valid]).astype(np.int64),
            iteration[call[valid]],
            messages.size[valid].astype(np.float64),
        )
    }
    if waits is not None:
        some = np.flatnonzero(chosen & (waited > 0))
        label = directions_of(logical, rank[some], waits.whom[some])
        collective = np.zeros(len(trace.calls), bool)
        calls = trace.collectives.call
        collective[calls[calls >= 0]] = True
        label = np.where(collective[some], -1, label)
        result["wait"] = label.astype(np.int64), iteration[some], waited[some]
    return result


@dataclass(frozen=True, slots=True, eq=False)
class Sums(Frozen):
    """Sums by group and iteration."""

    total: Floats
    """float64, shape (groups,): over all calls, outside of the loop too."""
    by_iteration: Floats
    """float64, shape (groups, iterations): in each iteration of the loop."""
    occurs: Bools
    """bool, shape (groups, iterations): whether there is anything of the group in an
    iteration."""
    there: Bools
    """bool, shape (groups,): whether there is anything of the group at all, if only
    zeros."""


def sums(label: Ints, iteration: Ints, values: Floats, groups: int, count: int) -> Sums:
    """Sum up by group, -1 for none, and iteration."""
    there = label >= 0
    label, iteration, values = label[there], iteration[there], values[there]
    iteration = np.where(iteration <= count, iteration, 0)
    key, cells = label * (count + 1) + iteration, groups * (count + 1)
    table = np.bincount(key, values, cells).reshape(groups, count + 1)
    occurs = np.bincount(key, minlength=cells).reshape(groups, count + 1) > 0
    total = np.bincount(label, values, groups).astype(np.float64)
    by_iteration = table[:, 1:].astype(np.float64)
    some = np.bincount(label, minlength=groups) > 0
    return Sums(total, by_iteration, occurs[:, 1:], some)
