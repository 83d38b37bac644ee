"""Results as tables for pandas and Arrow, with names and seconds; and to print."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topoview.logical.expansion import ExpandedCall, expand
from topoview.logical.listing import listing
from topoview.model import (
    Column,
    LogicalTrace,
    Match,
    Profile,
    Table,
    Trace,
    WaitStates,
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
