"""A profile as rows of a table, as text, and as JSON.

Imbalance is how much the rank with most time has above the mean of all ranks, as a
share of it: ``most / mean - 1`` (Pearce, Gamblin, de Supinski, Schulz, Amato 2012,
"Quantifying the effectiveness of load balance algorithms", section 2).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from topoview.base.text import column_lines
from topoview.model import Ints, MPIState, Profile, Trace

MAX_RANKS_SHOWN = 64
"""Ranks that the table lists; a record holds all."""


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """What a function or a state took, of the ranks that count."""

    name: str
    """``Isend``, ``wait``."""
    column: int
    """Its column in the profile."""
    state: int
    """`MPIState` that has its colour."""
    calls: int
    """Number of calls, -1 for a state."""
    ticks: int
    """Time of all ranks."""
    share: float
    """Of the time of all ranks, in [0, 1]."""
    mean: float
    """Ticks of a call; of a rank for a state."""
    least: int
    least_rank: int
    most: int
    most_rank: int
    """`least`, `least_rank`, `most` and `most_rank`: ticks of the ranks that spend
    least and most in it, and these ranks."""
    imbalance: float
    """See above; 0 where nothing was spent."""
    wait: int = -1
    caused: int = -1
    """`wait` and `caused`: ticks that its calls waited, and that others waited because
    of it and of what was computed before it; -1 where that is not known."""


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
    whole = int(_of_ranks(found.state_ticks, ranks).sum())
    calls = _of_ranks(found.calls, ranks).sum(axis=0)
    rows = [
        _profile_row(
            name,
            column,
            int(states.get(name, MPIState.SETUP)),
            int(calls[column]),
            _of_ranks(found.ticks, ranks)[:, column],
            whole,
            ranks,
        )
        for column, name in enumerate(found.operations)
        if calls[column]
    ]
    return tuple(sorted(rows, key=lambda row: -row.ticks))


def state_rows(found: Profile, ranks: Ints | None = None) -> tuple[ProfileRow, ...]:
    """List the states that ranks were in, most time first."""
    ticks = _of_ranks(found.state_ticks, ranks)
    whole = int(ticks.sum())
    rows = [
        _profile_row(MPIState(c).label, c, c, -1, ticks[:, c], whole, ranks)
        for c in range(ticks.shape[1])
        if ticks[:, c].any()
    ]
    return tuple(sorted(rows, key=lambda row: -row.ticks))


def _of_ranks(table: Ints, ranks: Ints | None) -> Ints:
    return table if ranks is None else table[ranks]


def _profile_row(  # noqa: PLR0913
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


def profile_record(trace: Trace, found: Profile) -> dict[str, Any]:
    """Describe a profile as JSON-able values: what ``topoview profile`` prints.

    Times are seconds. Lists by rank are in the order of ranks; names are in
    the order of the whole run's time, most first.
    """
    second = 1.0 / trace.clock.resolution
    return {
        "ranks": trace.ranks,
        "duration_seconds": trace.clock.seconds(trace.clock.length),
        "functions": {
            f"MPI_{row.name}": {
                "calls": row.calls,
                **_figures(row, second),
                "calls_by_rank": found.calls[:, row.column].tolist(),
                "seconds_by_rank": (found.ticks[:, row.column] * second).tolist(),
            }
            for row in function_rows(trace, found)
        },
        "states": {
            row.name: {
                **_figures(row, second),
                "seconds_by_rank": (found.state_ticks[:, row.column] * second).tolist(),
            }
            for row in state_rows(found)
        },
    }


def _figures(row: ProfileRow, second: float) -> dict[str, Any]:
    return {
        "seconds": row.ticks * second,
        "share": row.share,
        "mean_seconds": row.mean * second,
        "least_seconds": row.least * second,
        "least_rank": row.least_rank,
        "most_seconds": row.most * second,
        "most_rank": row.most_rank,
        "imbalance": row.imbalance,
    }


SPREAD_COLUMNS = ("least", "on", "most", "on", "imbalance")
"""Titles of the columns that tell how ranks differ."""


def profile_table(trace: Trace, found: Profile) -> str:
    """Write a profile as tables for a reader; times are seconds.

    The mean is that of a call in µs, or of a rank.
    """
    second = 1.0 / trace.clock.resolution
    functions = [
        (f"MPI_{row.name}", f"{row.calls}", *_cells(row, second, call=True))
        for row in function_rows(trace, found)
    ]
    states = state_rows(found)
    summed = [(row.name, *_cells(row, second, call=False)) for row in states]
    ranks = [
        (
            f"{rank}",
            f"{found.calls[rank].sum()}",
            *(f"{found.state_ticks[rank, row.column] * second:.6f}" for row in states),
        )
        for rank in range(min(trace.ranks, MAX_RANKS_SHOWN))
    ]
    labels = tuple(row.name for row in states)
    per_call = ("seconds", "of all", "µs a call", *SPREAD_COLUMNS)
    blocks = [
        _columns(("function", "calls", *per_call), functions),
        _columns(("state", "seconds", "of all", "a rank", *SPREAD_COLUMNS), summed),
        _columns(("rank", "MPI calls", *labels), ranks),
    ]
    if trace.ranks > MAX_RANKS_SHOWN:
        blocks[-1] += (
            f"\nand {trace.ranks - MAX_RANKS_SHOWN} ranks more; --json has all"
        )
    return "\n\n".join(blocks)


def _cells(row: ProfileRow, second: float, *, call: bool) -> tuple[str, ...]:
    mean = f"{row.mean * second * 1e6:.1f}" if call else f"{row.mean * second:.6f}"
    return (
        f"{row.ticks * second:.6f}",
        f"{100 * row.share:.1f} %",
        mean,
        f"{row.least * second:.6f}",
        f"{row.least_rank}",
        f"{row.most * second:.6f}",
        f"{row.most_rank}",
        f"{100 * row.imbalance:.0f} %",
    )


def _columns(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join(column_lines((head, *rows)))
