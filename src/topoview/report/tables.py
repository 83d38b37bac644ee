"""Results as tables for pandas and Arrow, with names and seconds; and to print."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.logical.expansion import ExpandedCall, expand
from topoview.logical.listing import listing
from topoview.model import (
    WAIT_KINDS,
    Column,
    Delays,
    LogicalTrace,
    Match,
    Profile,
    Table,
    Trace,
    WaitStates,
    WaitSums,
    named,
)
from topoview.report.profile import ProfileRow, function_rows, state_rows


def profile_table(
    trace: Trace, profile: Profile, *, states: bool = False, ranks: bool = False
) -> Table:
    """Tell time and calls by MPI function, most time first.

    Parameters
    ----------
    states
        By state instead.
    ranks
        For each rank apart.
    """
    rows = state_rows(profile) if states else function_rows(trace, profile)
    names = [row.name for row in rows]
    if ranks:
        return _table_of_ranks(trace, profile, rows, names, states)
    seconds = {
        key: np.array([getattr(row, key) for row in rows]) / trace.clock.resolution
        for key in ("ticks", "mean", "least", "most")
    }
    plain = {
        key: np.array([getattr(row, key) for row in rows])
        for key in ("calls", "share", "least_rank", "most_rank", "imbalance")
    }
    found: dict[str, Column] = {
        "name": (np.arange(len(rows), dtype=np.int32), names),
        "calls": plain.pop("calls"),
        "seconds": seconds.pop("ticks"),
        **seconds,
        **plain,
    }
    if states:
        del found["calls"]
    return Table(found)


def _table_of_ranks(
    trace: Trace,
    profile: Profile,
    rows: Sequence[ProfileRow],
    names: list[str],
    states: bool,
) -> Table:
    columns = [row.column for row in rows]
    ticks = (profile.state_ticks if states else profile.ticks)[:, columns]
    number, place = np.indices(ticks.shape, np.int32).reshape(2, -1)
    found: dict[str, Column] = {
        "rank": number,
        "name": (place, names),
        "seconds": ticks.ravel() / trace.clock.resolution,
    }
    if not states:
        found["calls"] = profile.calls[:, columns].ravel()
    return Table(found)


def waits_table(trace: Trace, waits: WaitStates) -> Table:
    """List the calls that waited for another rank: for whom, and how long."""
    calls, last = trace.calls, int(trace.calls.offsets[trace.ranks])
    late = np.minimum(waits.until, calls.leave)[:last] - calls.enter[:last]
    call = np.flatnonzero((waits.until[:last] >= 0) & (late > 0))
    region, ticks = calls.region[call], trace.clock.resolution
    names = [trace.regions.title(n) for n in range(len(trace.regions.names))]
    rank = np.searchsorted(calls.offsets, call, side="right") - 1
    return Table(
        {
            "call": call,
            "rank": rank.astype(np.int32),
            "name": named(region, names),
            "begin": calls.enter[call] / ticks,
            "seconds": late[call] / ticks,
            "cause": waits.whom[call],
        }
    )


def wait_sums_table(trace: Trace, sums: WaitSums, by: str) -> Table:
    """List waiting in total, by what `WAIT_GROUPS` names, in order of its rows."""
    told = WAIT_GROUPS[by](trace, sums)
    ticks = told.pop("ticks")
    assert not isinstance(ticks, tuple)
    return Table({**told, "seconds": ticks / trace.clock.resolution})


def _names(names: Sequence[str]) -> Column:
    return np.arange(len(names), dtype=np.int32), list(names)


def _pairs(trace: Trace, sums: WaitSums) -> dict[str, Column]:
    del trace
    return {
        "rank": sums.pair_rank,
        "cause": sums.pair_whom,
        "calls": sums.pair_calls,
        "ticks": sums.pair_ticks,
    }


WAIT_GROUPS: Final[dict[str, Callable[[Trace, WaitSums], dict[str, Column]]]] = {
    "kind": lambda _, sums: {
        "kind": _names(WAIT_KINDS),
        "ticks": sums.suffered.sum(axis=1),
    },
    "rank": lambda trace, sums: {
        "rank": np.arange(trace.ranks),
        "ticks": sums.suffered.sum(axis=0),
    },
    "cause": lambda trace, sums: {
        "cause": np.arange(trace.ranks),
        "ticks": sums.held_up,
    },
    "pair": _pairs,
    "direction": lambda _, sums: {
        "direction": _names(sums.directions),
        "ticks": sums.by_direction,
    },
    "statement": lambda _, sums: {
        "statement": np.arange(len(sums.by_statement)),
        "ticks": sums.by_statement,
    },
    "communicator": lambda trace, sums: {
        "communicator": _names([one.name for one in trace.communicators]),
        "ticks": sums.by_communicator,
    },
    "phase": lambda _, sums: {"phase": _names(sums.phases), "ticks": sums.by_phase},
    "iteration": lambda _, sums: {
        "iteration": np.arange(len(sums.by_iteration)),
        "ticks": sums.by_iteration,
    },
}
"""What waiting can be summed up by: columns, of which ``ticks`` is how long."""


def delays_table(trace: Trace, delays: Delays | None) -> Table:
    """List delays, costliest first: the fields of ``topoview idle-waves``."""
    if delays is None:
        return Table({})
    second = trace.clock.resolution
    return Table(
        {
            "rank": delays.rank,
            "begin": delays.begin / second,
            "end": delays.end / second,
            "seconds": delays.excess / second,
            "name": named(
                delays.region,
                [trace.regions.title(n) for n in range(len(trace.regions.names))],
            ),
            "iteration": delays.iteration,
            "caused_seconds": delays.caused / second,
            "ranks_reached": delays.reached,
            "hops_per_iteration": delays.hops_per_iteration,
            "hops_per_second": delays.hops_per_second,
            "decay_seconds_per_hop": delays.decay,
        }
    )


@dataclass(frozen=True, slots=True, eq=False)
class LogicalProgram:
    """The logical trace of a program, to be printed.

    Attributes
    ----------
    trace, match, logical
        The trace, what its directions are named by, and the logical trace.
    """

    trace: Trace
    match: Match
    logical: LogicalTrace

    def __str__(self) -> str:
        """Write it as ``topoview logical`` does."""
        return listing(self.logical)

    def __repr__(self) -> str:
        """Tell in a line what it is."""
        return (
            f"<logical trace of {self.trace.name}: {self.logical.statements} "
            f"statements, {self.logical.ranks_verified} ranks exact>"
        )

    def expand(self, rank: int) -> list[ExpandedCall]:
        """List what it says that a rank does, in program order."""
        return expand(self.logical, rank)
