"""Kernels that follow the critical path."""

import cython
import numpy as np

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.kinds import *
    from topoview.base.ordering import search_right


def follow_critical_path(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    until: Ints,
    cause: Ints,
    whom: Indices,
    statement: Indices,
    begins: Ints,
    ends: Ints,
    statements: Int,
) -> tuple[
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Follow the path back, call by call; then turn its stretches round.

    Parameters
    ----------
    offsets : int64, shape (ranks + 1,)
        Where the calls of each rank begin.
    enter, leave, until, cause : int64, shape (calls,)
        When calls begin and end; when what they need began, and the call that it
        began in; -1 where unknown.
    whom, statement : int32, shape (calls,)
        The rank that they need, and their statement; -1 for none.
    begins, ends : int64, shape (ranks,)
        When ranks begin and end, in ticks.
    statements
        How many there are.

    Returns
    -------
    int32, shape (stretches,), and int64, shape (stretches,), twice
        Rank of each, its begin and end in ticks.
    int64, shape (statements,), twice
        Ticks of the path in calls of each statement, and before them.
    """
    calls: Int = len(cause)
    # the first entry is of no statement
    in_calls = np.zeros(statements + 1, np.int64)
    before_calls = np.zeros(statements + 1, np.int64)
    inside: OutInts = in_calls
    before: OutInts = before_calls
    ranks = np.empty(calls + 1, np.int32)
    first_ticks, last_ticks = np.empty((2, calls + 1), np.int64)
    of_rank: OutIndices = ranks
    begin: OutInts = first_ticks
    end: OutInts = last_ticks
    count: Int = 0
    r: Int
    with cython.nogil:
        rank: Int = 0
        for r in range(1, len(ends)):
            if ends[r] > ends[rank]:
                rank = r
        time: Int = ends[rank]
        call: Int = offsets[rank + 1] - 1
        following: Int = -1  # statement of the call behind
        of_rank[0], end[0] = rank, time
        while call >= offsets[rank]:
            if leave[call] < time:
                before[following + 1] += time - leave[call]
                time = leave[call]
            other: Int = cause[call]
            is_late: Bool = (
                enter[call] < min(until[call], leave[call])
                and 0 <= other < calls
                and count < calls
            )
            if is_late:
                # clocks may err: the other call may seem to begin after this one's end
                # what is held until the other call ends, a lock, leads into that call
                is_held: Bool = until[call] > enter[other]
                met: Int = min(until[call], time)
                inside[statement[call] + 1] += time - met
                time = met
                begin[count] = time
                rank, following = whom[call], statement[other]
                call = other if is_held else other - 1
                count += 1
                of_rank[count], end[count] = rank, time
                continue
            if enter[call] < time:
                inside[statement[call] + 1] += time - enter[call]
                time = enter[call]
            following = statement[call]
            call -= 1
        first: Int = min(begins[rank], time)
        before[following + 1] += time - first
        begin[count] = first
        count += 1
    return (
        ranks[:count][::-1].copy(),
        first_ticks[:count][::-1].copy(),
        last_ticks[:count][::-1].copy(),
        in_calls[1:].copy(),
        before_calls[1:].copy(),
    )


def ticks_on_path(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    region: Indices,
    rank: Indices,
    begin: Ints,
    end: Ints,
    regions: Int,
) -> Ints:
    """Sum up stretches of the path by the region that their rank is in.

    Parameters
    ----------
    offsets, time, region
        Columns of the timeline.
    rank, begin, end : shape (stretches,)
        Ticks of begin and end, in order of time.

    Returns
    -------
    int64, shape (regions + 1,)
        The last of no region.
    """
    totals: OutInts = np.zeros(regions + 1, np.int64)
    k: Int
    i: Int
    with cython.nogil:
        for k in range(len(rank)):
            first: Int = offsets[rank[k]]
            stop: Int = offsets[rank[k] + 1]
            first += max(search_right(time[first:stop], begin[k]) - 1, 0)
            for i in range(first, stop):
                if time[i] >= end[k]:
                    break
                until: Int = end[k]
                if i + 1 < stop:
                    until = min(until, time[i + 1])
                where: Int = region[i] if region[i] >= 0 else regions
                totals[where] += max(until - max(time[i], begin[k]), 0)
    return np.asarray(totals)


def spread_of_ranks(  # noqa: PLR0913
    offsets: Ints,
    enter: Ints,
    leave: Ints,
    statement: Indices,
    begins: Ints,
    statements: Int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Add up what ranks compute before their calls, and how much that varies.

    Parameters
    ----------
    offsets, enter, leave, statement, begins, statements
        See `follow_critical_path`.

    Returns
    -------
    float64, shape (ranks,)
        Ticks of computation before calls of a statement.
    float64, shape (ranks,)
        Variance of that sum: of computations before the same statement.
    float
        Share of the computations that are not the only one before their statement.
    """
    ranks: Int = len(offsets) - 1
    totals, variances = np.zeros((2, ranks), np.float64)
    total_of: OutFloats = totals
    variance_of: OutFloats = variances
    count: OutInts = np.zeros(statements, np.int64)
    total: OutFloats = np.zeros(statements, np.float64)
    square: OutFloats = np.zeros(statements, np.float64)
    met: OutInts = np.zeros(statements, np.int64)
    every: Int = 0
    repeated: Int = 0
    rank: Int
    call: Int
    k: Int
    with cython.nogil:
        for rank in range(ranks):
            used: Int = 0
            last: Int = begins[rank]
            for call in range(offsets[rank], offsets[rank + 1]):
                line: Int = statement[call]
                if line >= 0:
                    ticks: Float = max(enter[call] - last, 0)
                    if not count[line]:
                        met[used] = line
                        used += 1
                    count[line] += 1
                    total[line] += ticks
                    square[line] += ticks * ticks
                last = leave[call]
            for k in range(used):
                line = met[k]
                times: Float = count[line]
                every += count[line]
                total_of[rank] += total[line]
                if count[line] > 1:
                    repeated += count[line]
                    rest: Float = square[line] - total[line] * total[line] / times
                    variance_of[rank] += rest * times / (times - 1)
                count[line], total[line], square[line] = 0, 0, 0
    return totals, variances, repeated / max(every, 1)
