"""Kernels that sum up what statements took: counters, calls, bytes."""

import cython
import numpy as np

if not cython.compiled:
    from math import nan as NAN  # noqa: N812 - as in C

    from topoview.base.kinds import *
    from topoview.base.ordering import search_right


def look(values: IntRows, wanted: IntRows, seen: OutBools) -> None:
    """Find which pairs of metric and place records have.

    Parameters
    ----------
    values : int64, shape (records, fields)
        Metric and place come first.
    wanted : int64, shape (n, 2)
    seen : bool, shape (n,)
        Set where a record has the pair.
    """
    left: Int = len(wanted)
    k: Int
    row: Int
    with cython.nogil:
        for row in range(len(wanted)):
            if seen[row]:
                left -= 1
        for k in range(len(values)):
            if left == 0:
                break
            for row in range(len(wanted)):
                if (
                    not seen[row]
                    and values[k, 0] == wanted[row, 0]
                    and values[k, 1] == wanted[row, 1]
                ):
                    seen[row] = True
                    left -= 1


def measure(  # noqa: PLR0913
    times: Ints, values: Floats, mode: Int, begin: Ints, end: Ints, counted: OutFloats
) -> None:
    """Read a counter over intervals in order.

    Parameters
    ----------
    times : int64, shape (records,)
        In ticks, ascending.
    values : float64, shape (records,)
    mode
        0: values; 1: grows; 2: changes.
    begin, end : int64, shape (intervals,)
        In ticks.
    counted : float64, shape (intervals,)
        Gets the last value, or how much was counted; left as it is where that is not
        known.
    """
    k: Int
    with cython.nogil:
        for k in range(len(begin)):
            last: Int = search_right(times, end[k]) - 1
            if mode == 0:
                if last >= 0:
                    counted[k] = values[last]
                continue
            first: Int = search_right(times, begin[k]) - 1
            if mode == 2:
                before: Float = values[first] if first >= 0 else 0.0
                counted[k] = (values[last] if last >= 0 else 0.0) - before
                continue
            if first < 0 or last < 0:
                continue
            low: Float = between_samples(times, values, first, begin[k])
            high: Float = between_samples(times, values, last, end[k])
            if high >= low:
                counted[k] = high - low


def between_samples(times: Ints, values: Floats, sample: Int, time: Int) -> Float:
    """Compute the value at a time from the records around it; NaN after the last."""
    value: Float = values[sample]
    if times[sample] == time:
        return value
    if sample + 1 >= len(times):
        return NAN
    span: Int = times[sample + 1] - times[sample]
    grown: Float = values[sample + 1] - value
    value += grown * (time - times[sample]) / span
    return value


def iterations_begun(places: Ints, steps: IntRows, ways: Ints) -> OutIndices:
    """Return the iteration of a loop that positions are in.

    Parameters
    ----------
    places : int64, shape (n,)
        Positions in the logical trace; below 0 where unknown.
    steps : int64, shape (steps, 4)
        Fields of a `LoopStep` on the way to the loop, and how many iterations of the
        loop there are in one of the step.
    ways : int64, shape (ways + 1,)
        Where the steps of each way begin.

    Returns
    -------
    int32, shape (n,)
        From 1; 0 outside.
    """
    numbers = np.zeros(len(places), np.int32)
    number: OutIndices = numbers
    k: Int
    way: Int
    i: Int
    with cython.nogil:
        for k in range(len(places)):
            begun: Int = 0
            within: Bool = False
            for way in range(len(ways) - 1):
                rest: Int = places[k]
                inside: Bool = rest >= 0
                for i in range(ways[way], ways[way + 1]):
                    rest -= steps[i, 0]
                    if not inside or rest < 0:
                        inside = False
                        break
                    turn: Int = min(rest // steps[i, 2], steps[i, 1])
                    is_last: Int = i == ways[way + 1] - 1
                    begun += min(turn + is_last, steps[i, 1]) * steps[i, 3]
                    inside = turn < steps[i, 1]
                    rest -= turn * steps[i, 2]
                within = within or inside
            if within:
                number[k] = begun
    return numbers


def count_ranks(
    rank: Int, offsets: Ints, statement: Indices, seen: OutInts, ranks: OutInts
) -> None:
    """Count the ranks that make calls of each statement.

    Parameters
    ----------
    rank
        The first one.
    offsets : int64, shape (ranks + 1,)
        Where the calls of each begin; `statement` begins with the first one.
    statement : int32, shape (calls,)
        Statement of each call; -1 for none.
    seen : int64, shape (statements,)
        The last rank that was counted; -1 at first.
    ranks : int64, shape (statements,)
        Ranks are added.
    """
    row: Int
    call: Int
    with cython.nogil:
        for row in range(len(offsets) - 1):
            for call in range(offsets[row] - offsets[0], offsets[row + 1] - offsets[0]):
                s: Int = statement[call]
                if s >= 0 and seen[s] != rank + row:
                    seen[s] = rank + row
                    ranks[s] += 1


def add_bytes(call: Ints, size: Ints, statement: Indices, total: OutInts) -> None:
    """Add up bytes by the statement of the call that sends or receives them.

    Parameters
    ----------
    call, size : int64, shape (n,)
        Calls, -1 where unknown, and bytes.
    statement : int32, shape (calls,)
        -1 for none.
    total : int64, shape (statements,)
        Bytes are added.
    """
    i: Int
    with cython.nogil:
        for i in range(len(call)):
            place: Int = call[i]
            amount: Int = size[i]
            if place >= 0 and amount > 0:
                number: Int = statement[place]
                if number >= 0:
                    total[number] += amount
