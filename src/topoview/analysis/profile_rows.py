"""The lines of a profile: what an MPI function or a state took, and how evenly.

Imbalance is how much the rank with most time has above the mean of all ranks, as
a share of it: ``most / mean - 1`` (Pearce, Gamblin, de Supinski, Schulz, Amato
2012, "Quantifying the effectiveness of load balance algorithms", section 2).
"""

from dataclasses import dataclass

import numpy as np

from topoview.model import Ints, MPIState, Profile, Trace


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """What a function or a state took, of the ranks that count.

    Attributes
    ----------
    name
        ``Isend``, ``wait``.
    column
        Its column in the profile.
    state
        `MPIState` that has its colour.
    calls
        Number of calls, -1 for a state.
    ticks
        Time of all ranks.
    share
        Of the time of all ranks, in [0, 1].
    mean
        Ticks of a call; of a rank for a state.
    least, least_rank, most, most_rank
        Ticks of the ranks that spend least and most in it, and these ranks.
    imbalance
        See above; 0 where nothing was spent.
    """

    name: str
    column: int
    state: int
    calls: int
    ticks: int
    share: float
    mean: float
    least: int
    least_rank: int
    most: int
    most_rank: int
    imbalance: float


def function_rows(
    trace: Trace, found: Profile, ranks: Ints | None = None
) -> tuple[ProfileRow, ...]:
    """List the MPI functions that were called, most time first.

    Parameters
    ----------
    ranks : int64, shape (n,)
        Ranks that count, all if None.
    """
    states = _states_of(trace)
    whole = int(_of(found.state_ticks, ranks).sum())
    calls = _of(found.calls, ranks).sum(axis=0)
    rows = [
        _row(
            name,
            column,
            int(states.get(name, MPIState.SETUP)),
            int(calls[column]),
            _of(found.ticks, ranks)[:, column],
            whole,
            ranks,
        )
        for column, name in enumerate(found.operations)
        if calls[column]
    ]
    return tuple(sorted(rows, key=lambda row: -row.ticks))


def state_rows(found: Profile, ranks: Ints | None = None) -> tuple[ProfileRow, ...]:
    """List the states that ranks were in, most time first."""
    ticks = _of(found.state_ticks, ranks)
    whole = int(ticks.sum())
    rows = [
        _row(MPIState(c).label, c, c, -1, ticks[:, c], whole, ranks)
        for c in range(ticks.shape[1])
        if ticks[:, c].any()
    ]
    return tuple(sorted(rows, key=lambda row: -row.ticks))


def _of(table: Ints, ranks: Ints | None) -> Ints:
    return table if ranks is None else table[ranks]


def _row(  # noqa: PLR0913
    name: str,
    column: int,
    state: int,
    calls: int,
    ticks: Ints,
    whole: int,
    ranks: Ints | None,
) -> ProfileRow:
    least, most = int(ticks.argmin()), int(ticks.argmax())
    number = np.arange(len(ticks)) if ranks is None else ranks
    total = int(ticks.sum())
    return ProfileRow(
        name,
        column,
        state,
        calls,
        total,
        total / max(whole, 1),
        total / max(calls if calls >= 0 else len(ticks), 1),
        int(ticks[least]),
        int(number[least]),
        int(ticks[most]),
        int(number[most]),
        float(ticks[most]) * len(ticks) / total - 1 if total else 0.0,
    )


def _states_of(trace: Trace) -> dict[str, int]:
    """State of each MPI operation."""
    regions = trace.regions
    found: dict[str, int] = {}
    for operation, state in zip(
        regions.operation.tolist(), regions.state.tolist(), strict=True
    ):
        if operation >= 0:
            found.setdefault(regions.operations[operation], state)
    return found
