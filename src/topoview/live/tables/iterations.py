"""Iterations of a loop: how long each rank took for each, and waited in it."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.analysis.logical.iterations import iterations as iterations_of_calls
from topoview.analysis.logical.iterations import iterations_of_ranks, sum_of_iterations
from topoview.base.text import tr
from topoview.model import (
    Analysis,
    Column,
    Indices,
    Ints,
    Iterations,
    Schema,
    Table,
    whole_part,
)


def iterations(analysis: Analysis, loop: int | None = None) -> Iterations | None:
    """Find the iterations of a loop.

    Parameters
    ----------
    analysis
        Whose `logical` and `positions` are used; of a digest its `iterations`, which
        are those of the main loop, without their calls.
    loop
        Its number in order of lines; None: the program's main loop.

    Returns
    -------
    Iterations or None
        None if there is no such loop.
    """
    if analysis.positions is None:
        return None
    if analysis.trace.digest is None:
        table = iterations_of_ranks(
            whole_part(analysis.trace), analysis.positions, loop
        )
        return table if len(table) else None
    kept = analysis.iterations
    if not kept or loop not in (None, analysis.positions.main_loop):
        return None
    none = np.full(len(kept), -1)
    return Iterations(
        rank=kept.rank,
        iteration=kept.iteration,
        first=none,
        stop=none,
        begin=kept.begin,
        end=kept.end,
    )


def iteration_of_calls(analysis: Analysis, some: Ints) -> Indices:
    """Return the iteration that each of some calls is in: int32, from 1; 0 outside."""
    if analysis.positions is None:
        return np.zeros(len(some), np.int32)
    return np.where(
        some < int(analysis.trace.calls.offsets[analysis.trace.ranks]),
        iterations_of_calls(analysis.positions, some),
        0,
    )


ITERATIONS: Final = Schema(
    Column("rank", "#", tr("rank"), link="rank"),
    Column("iteration", "#", tr("iteration")),
    Column("begin", "at", tr("begin")),
    Column("seconds", "s", tr("time")),
    Column("mpi", "s", "", "Time within MPI calls"),
    Column(
        "wait", "s", tr("wait"), tr("Late-partner wait: how long partners were late")
    ),
    Column("bytes", "B", tr("bytes"), "Bytes sent"),
)


def iteration_table(analysis: Analysis, every: Iterations) -> Table:
    """Return a table of iterations: a row a rank and iteration.

    Returns
    -------
    Table
        ``rank, iteration, begin, seconds, mpi`` (seconds within MPI calls),
        ``wait`` (for late partners; NaN where unknown) and ``bytes`` sent.
    """
    return Table(
        ITERATIONS,
        {
            "rank": every.rank,
            "iteration": every.iteration,
            "begin": every.begin / analysis.trace.clock.resolution,
            **{name: amount_of(analysis, every, name) for name in AMOUNTS},
        },
    )


AMOUNTS: Final = ("seconds", "mpi", "wait", "bytes")
"""What is known of every iteration."""


def amount_of(analysis: Analysis, every: Iterations, name: str) -> NDArray[Any]:
    """Return one of `AMOUNTS`, as in `iteration_table`: shape (n,)."""
    scale, kept = analysis.trace.clock.resolution, analysis.iterations
    if name == "seconds":
        return (every.end - every.begin) / scale
    if analysis.trace.digest is None or kept is None:
        sums: NDArray[Any] = sum_of_iterations(
            analysis.trace, analysis.waits, every, name
        )
    else:
        key = kept.rank.astype(np.int64) << 32 | kept.iteration
        at = np.searchsorted(key, every.rank.astype(np.int64) << 32 | every.iteration)
        sums = {"mpi": kept.mpi, "wait": kept.wait, "bytes": kept.size}[name][at]
    return sums if name == "bytes" else sums / scale
