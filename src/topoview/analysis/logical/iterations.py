"""Iterations of loops: which loop's are the program's, and how they are numbered.

An iteration is numbered from 1 through all runs of its loop, so that numbers only grow
with time: a rank that is one iteration ahead is one ahead too if that begins the next
run. Where no loop is named the iterations are those of the program's main loop.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from topoview.analysis.logical import statement_kernels
from topoview.base.progress import Report, batches, silent
from topoview.grouping import begins_run
from topoview.logical.listing import lines
from topoview.model import (
    CallPositions,
    Indices,
    Ints,
    Iterations,
    IterationSums,
    LogicalTrace,
    Loop,
    LoopStep,
    Part,
    Regions,
    TimeState,
    Trace,
    WaitStates,
    statements_of_lines,
)

MAX_ITERATIONS: Final = 1 << 20
"""Iterations of all ranks that are kept in a digest."""

Ways = tuple[tuple[LoopStep, ...], ...]
"""Ways to a loop: the loops around it from the outermost on, and itself."""


def main_loop(logical: LogicalTrace, loops: tuple[Ways, ...]) -> int:
    """Find the loop whose iterations are the program's.

    Of the loops that lie in no other that repeats, the one in whose calls all ranks
    together spend most time; where its body is mostly another loop with more
    iterations, such as twenty steps between two reductions, that one. A loop over
    numbers is one only where it is all of the body: a collective of each root in turn
    belongs to one step.

    Parameters
    ----------
    loops
        The ways to each loop, in order of lines.

    Returns
    -------
    int
        Its number in order of lines; the first of several; -1 if nothing repeats.
    """
    listed = lines(logical)
    heads = [k for k, line in enumerate(listed) if line.kind == "loop"]
    ways = [{_repeated(way) for way in each if way[-1].count > 1} for each in loops]
    longest, most = -1, -1
    for number, (head, nests) in enumerate(zip(heads, ways, strict=True)):
        if any(len(nest) == 1 for nest in nests):
            own = list(statements_of_lines(listed, head, listed[head].end))
            ticks = int(logical.ticks[own].sum())
            if ticks > most:
                longest, most = number, ticks
    loops_of = [listed[head].statement for head in heads]
    over = [isinstance(loop, Loop) and bool(loop.over) for loop in loops_of]
    return longest if longest < 0 else _main_nest(longest, ways, over)


def _repeated(way: tuple[LoopStep, ...]) -> tuple[LoopStep, ...]:
    """Leave out loops that run once; others keep their places."""
    repeated, before = [], 0
    for step in way:
        before += step.offset
        if step.count > 1:
            repeated.append(replace(step, offset=before))
            before = 0
    return tuple(repeated)


def _main_nest(
    number: int, ways: list[set[tuple[LoopStep, ...]]], over: list[bool]
) -> int:
    """Go down to the loop whose iterations are the program's."""
    for inner, nests in enumerate(ways):
        for nest in nests:
            if len(nest) > 1 and nest[:-1] in ways[number]:
                outer, own = nest[-2:]
                filled, whole = own.count * own.size, outer.size
                mostly = filled == whole if over[inner] else 2 * filled > whole
                if mostly and own.count > outer.count:
                    return _main_nest(inner, ways, over)
    return number


def iterations(
    positions: CallPositions, calls: Ints | slice, loop: int | None = None
) -> Indices:
    """Return the iteration of a loop that calls are in.

    Parameters
    ----------
    calls : int64, shape (n,)
        Indices of calls.
    loop
        Its number in order of lines; None: the program's main loop.

    Returns
    -------
    int32, shape (n,)
        From 1; 0 outside, and of calls whose position is not known.
    """
    number = positions.main_loop if loop is None else loop
    return iterations_at(positions, positions.of_call[calls], number)


def iterations_at(positions: CallPositions, place: Ints, loop: int) -> Indices:
    """Return the iteration of a loop that positions are in.

    Parameters
    ----------
    place : int64, shape (n,)
        Positions in the logical trace; below 0 where unknown.
    loop
        Its number in order of lines.

    Returns
    -------
    int32, shape (n,)
        From 1; 0 outside.
    """
    if not 0 <= loop < len(positions.loops):
        return np.zeros(len(place), np.int32)
    ways = positions.loops[loop]
    steps = [
        (
            step.offset,
            step.count,
            step.size,
            math.prod(inner.count for inner in way[depth + 1 :]),
        )
        for way in ways
        for depth, step in enumerate(way)
    ]
    return statement_kernels.iterations_begun(
        np.ascontiguousarray(place, np.int64),
        np.array(steps, np.int64).reshape(-1, 4),
        np.cumsum([0, *map(len, ways)]),
    )


def iterations_of_ranks(
    part: Part, positions: CallPositions, loop: int | None = None
) -> Iterations:
    """Find the iterations of a loop on some ranks.

    Parameters
    ----------
    loop
        Its number in order of lines; None: the program's main loop.
    """
    calls, own, ranks = part.trace.calls, part.main, part.ranks
    turn = iterations(positions, own, loop)
    inside = np.flatnonzero(turn)
    now = turn[inside]
    inside += own.start
    of_ranks = np.searchsorted(inside, calls.offsets[ranks.start : ranks.stop + 1])
    new = begins_run(now)
    new[of_ranks[:-1][np.diff(of_ranks) > 0]] = True
    start = np.flatnonzero(new)
    first, stop = inside[start], inside[np.append(start, len(inside))[1:] - 1] + 1
    number = np.diff(np.searchsorted(start, of_ranks))
    rank = np.repeat(np.arange(ranks.start, ranks.stop, dtype=np.int32), number)
    alone = first == calls.offsets[rank]
    begin = np.where(alone, calls.enter[first], calls.leave[first - 1])
    return Iterations(
        rank=rank,
        iteration=now[start],
        first=first,
        stop=stop,
        begin=begin,
        end=calls.leave[stop - 1],
    )


def loop_window(
    part: Part, positions: CallPositions, _report: Report = silent
) -> tuple[int, int] | None:
    """Find when the iterations of the main loop begin on some ranks, and end.

    What a rank computes before the first one may be set-up: it counts as far as it is
    no longer than before any other of the rank's iterations. Calls of MPI set-up
    at the end of the last one are tear-down.

    Returns
    -------
    tuple or None
        Begin and end in ticks; None if nothing repeats.
    """
    every = iterations_of_ranks(part, positions)
    if not len(every):
        return None
    calls, regions = part.trace.calls, part.trace.regions
    computed = calls.enter[every.first] - every.begin
    is_first = np.append(True, every.rank[1:] != every.rank[:-1])
    start = np.flatnonzero(is_first)
    longest = np.maximum.reduceat(np.where(is_first, -1, computed), start)
    before = np.where(longest < 0, computed[start], longest)
    begins = every.begin[start] + np.maximum(computed[start] - before, 0)
    last = np.append(start[1:], len(every)) - 1
    first, stop = every.first[last], every.stop[last]
    while True:
        manages = regions.state[calls.region[stop - 1]] == TimeState.SETUP
        manages &= stop - first > 1
        if not manages.any():
            return int(begins.min()), int(calls.leave[stop - 1].max())
        stop = stop - manages


def joined_loop(
    parts: Sequence[tuple[int, int] | None], _regions: Regions
) -> tuple[int, int] | None:
    """Join the windows of parts of a trace: see `loop_window`."""
    some = [window for window in parts if window is not None]
    if not some:
        return None
    return min(begin for begin, _ in some), max(end for _, end in some)


def sum_of_iterations(
    trace: Trace, waits: WaitStates | None, every: Iterations, name: str
) -> NDArray[Any]:
    """Sum up what the calls of iterations took or sent.

    Parameters
    ----------
    name
        ``mpi`` for ticks in MPI calls, ``wait`` for those of waiting, or ``bytes``.

    Returns
    -------
    int64 or float64, shape (n,)
        NaN for waiting that is not known.
    """
    calls, messages = trace.calls, trace.messages
    if name == "mpi":
        return _sums(lambda some: calls.leave[some] - calls.enter[some], every)
    if name == "wait":
        if waits is None:
            return np.full(len(every), np.nan)
        from topoview.analysis.waits.states import lateness  # loads scipy

        return _sums(lambda some: lateness(trace, waits, some), every)
    sends = messages.send_call[: messages.sends]

    def sent(some: slice) -> Ints:
        own = slice(*np.searchsorted(sends, (some.start, some.stop)).tolist())
        place, count = sends[own] - some.start, some.stop - some.start
        return np.bincount(place, messages.size[own], count).astype(np.int64)

    return _sums(sent, every)


def _sums(numbers: Callable[[slice], Ints], every: Iterations) -> Ints:
    """Add up what calls have, that below 0 is nothing, over those of each iteration."""
    totals, before = np.zeros((2, len(every)), np.int64), np.int64(0)
    begin = int(every.first[0]) if len(every) else 0
    stop = int(every.stop.max(initial=begin))
    for rows in batches(stop - begin):
        some = slice(begin + rows.start, begin + rows.stop)
        sums = np.cumsum(np.append(before, np.maximum(numbers(some), 0)))
        for sum_to, ends in zip(totals, (every.first, every.stop), strict=True):
            low = np.searchsorted(ends, some.start)
            high = np.searchsorted(ends, some.stop, side="right")
            sum_to[low:high] = sums[ends[low:high] - some.start]
        before = sums[-1]
    result: Ints = totals[1] - totals[0]
    return result


def iteration_sums(
    part: Part,
    waits: WaitStates | None,
    positions: CallPositions,
    report: Report = silent,
) -> IterationSums | None:
    """Sum up the iterations of the main loop on some ranks.

    None of more than `MAX_ITERATIONS`.
    """
    report("summing up iterations", 0.0)
    every = iterations_of_ranks(part, positions)
    if len(every) > MAX_ITERATIONS:
        return None
    mpi, wait, size = (
        sum_of_iterations(part.trace, waits, every, name)
        for name in ("mpi", "wait", "bytes")
    )
    return IterationSums(
        rank=every.rank,
        iteration=every.iteration,
        begin=every.begin,
        end=every.end,
        mpi=mpi,
        wait=wait,
        size=size,
    )


def joined_iterations(
    parts: Sequence[IterationSums | None], _regions: Regions
) -> IterationSums | None:
    """Join those of parts of a trace, in order of their ranks."""
    some = [one for one in parts if one is not None]
    if len(some) < len(parts) or sum(map(len, some)) > MAX_ITERATIONS:
        return None
    columns = (
        [getattr(one, field.name) for one in some] for field in fields(IterationSums)
    )
    return IterationSums(*map(np.concatenate, columns))
