"""How long the iterations of a logical trace's loops take."""

from dataclasses import dataclass

import numpy as np

from topoview.analysis.loop_program import loop_program
from topoview.analysis.loop_walk import walk
from topoview.model import Floats, Ints, LogicalTrace, Trace, freeze
from topoview.progress import Report, silent

MANY = 1_000
"""Calls of a rank that take long enough to ask whether the user gave up."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopFigures:
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
        Its number, from 0, within its run of the loop, and its rank; -1 if none.
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

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        freeze(self)


def loop_figures(
    trace: Trace, logical: LogicalTrace, report: Report = silent
) -> LoopFigures:
    """Follow every rank through the program, and time the loops' iterations.

    O(calls + iterations): the program runs beside the rank's calls.

    Raises
    ------
    Cancelled
        From `report`.
    """
    program = loop_program(logical, trace.ranks)
    tallies = np.zeros((max(program.loops, 1), 8))
    numbers = np.full((max(program.loops, 1), 7), -1, np.int64)
    numbers[:, :2] = 0
    uses = np.zeros(program.uses + 1, np.int64)
    followed = 0
    for rank in range(trace.ranks):
        begin, end = trace.calls.offsets[rank : rank + 2].tolist()
        if rank % 64 == 0 or end - begin > MANY:
            report("timing loops", rank / trace.ranks)
        given = (
            program.words,
            program.nodes,
            program.loops,
            program.guards[:, rank].copy(),
            *program.patterns,
            *program.trips,
            program.rank_trips[:, rank].copy(),
            logical.statement_of_call,
            trace.calls.enter,
            trace.calls.leave,
            begin,
            end,
            program.polls,
            rank,
        )
        if walk(*given, False, tallies, numbers, uses):
            followed += 1
            walk(*given, True, tallies, numbers, uses)
    n = program.loops
    count = np.maximum(numbers[:n, 0], 1)
    return LoopFigures(
        numbers[:n, 0],
        numbers[:n, 1],
        tallies[:n, 0],
        np.sqrt(tallies[:n, 1] / count),
        np.maximum(numbers[:n, 2], 0),
        numbers[:n, 3],
        numbers[:n, 4],
        numbers[:n, 5],
        numbers[:n, 6],
        uses[: program.uses],
        followed,
    )
