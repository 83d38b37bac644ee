"""Kernel that puts each tick of each location in its class."""

import cython
import numpy as np

if not cython.compiled:
    from numpy.typing import NDArray

    from topoview.base.kinds import *
    from topoview.model import AS_SHOWN, CLASSES, TimeState

    NEVER = np.iinfo(np.int64).max
    """Time at which the last interval of a row ends."""

    MAX_OPEN = 64
    """Calls within each other that are told apart: those deeper are left out."""

    OUTSIDE, MEASUREMENT, IO = TimeState.OUTSIDE, TimeState.MEASUREMENT, TimeState.IO
    GPU_CALL, WAIT_FOR_GPU = TimeState.GPU_CALL, TimeState.WAIT_FOR_GPU
    WAIT_FOR_THREADS = TimeState.WAIT_FOR_THREADS
    KERNEL, COPY = TimeState.KERNEL, TimeState.COPY

    CLASS_COUNT = CLASSES


def add_within(  # noqa: PLR0913
    begin: Int, end: Int, spans: IntRows, code: Int, ticks: OutIntRows, first: Int
) -> None:
    """Add the ticks between two times to a class, in each span that they lie in.

    Parameters
    ----------
    spans : int64, shape (spans, 2)
    ticks : int64, shape (n, classes)
        Has a row for each span from `first` on.
    """
    k: Int
    for k in range(len(spans)):
        low: Int = max(begin, spans[k, 0])
        high: Int = min(end, spans[k, 1])
        if low < high:
            ticks[first + k, code] += high - low


def account_rows(  # noqa: PLR0913, C901 - one pass
    rows: tuple[int, int],
    offsets: Ints,
    time: Ints,
    state: Bytes,
    region: Indices,
    call_offsets: Ints,
    enter: Ints,
    leave: Ints,
    until: Ints,
    waiting: Bytes,
    rest: Bytes,
    state_of_class: Bytes,
    spans: IntRows,
    write: Bool,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.uint8],
    NDArray[np.int32],
]:
    """Put each tick of some rows in its class.

    Of the calls that are open at a time the innermost one that still waits says what
    it is; if none does, the innermost region. Only where that is the program's own is
    it the class of the call around it. The tracer's own time comes before all.

    Parameters
    ----------
    rows
        The first row, and the one after the last.
    offsets, time, state, region
        Columns of the timeline; states of waiting are what calls said before.
    call_offsets, enter, leave
        Columns of the calls.
    until : int64, shape (calls of these rows,)
        When each stops waiting, in ticks; before its begin where it does not wait.
    waiting, rest : uint8, shape (calls of these rows,)
        Class in which it waits, and its class when it does not: 255 (`AS_SHOWN`)
        where the timeline has what an account said before.
    state_of_class : uint8, shape (CLASSES,)
    spans : int64, shape (spans, 2)
        Windows for sums, in ticks: only what lies between the first begin and the last
        end is looked at, unless intervals are written.
    write
        Whether intervals are written, not only sums.

    Returns
    -------
    ticks : int64, shape (rows, spans, CLASSES)
    counts : int64, shape (rows,)
        Intervals of each row; zeros unless they are written.
    time, state, region
        Columns of the intervals.
    """
    first: Int = rows[0]
    many: Int = rows[1] - rows[0]
    base: Int = call_offsets[first]
    number: Int = len(spans)
    sums = np.zeros((many, number, CLASS_COUNT), np.int64)
    flat: OutIntRows = sums.reshape(many * number, CLASS_COUNT)
    counts = np.zeros(many, np.int64)
    count: OutInts = counts
    # An interval is cut where a call begins, stops to wait, or ends.
    room: Int = offsets[rows[1]] - offsets[first] + 3 * (call_offsets[rows[1]] - base)
    room = room if write else 0
    times, states = np.empty(room, np.int64), np.empty(room, np.uint8)
    regions = np.empty(room, np.int32)
    out_time: OutInts = times
    out_state: OutBytes = states
    out_region: OutIndices = regions
    open_calls: OutInts = np.zeros(MAX_OPEN, np.int64)
    row: Int
    i: Int
    k: Int
    since: Int = 0 if write else NEVER
    until_when: Int = NEVER if write else 0
    with cython.nogil:
        for k in range(number):
            since = min(since, spans[k, 0])
            until_when = max(until_when, spans[k, 1])
        size: Int = 0
        for row in range(many):
            call: Int = call_offsets[first + row] - base
            stop: Int = call_offsets[first + row + 1] - base
            begun: Int = size
            depth: Int = 0
            for i in range(offsets[first + row], offsets[first + row + 1]):
                now: Int = time[i]
                end: Int = NEVER
                if i + 1 < offsets[first + row + 1]:
                    end = time[i + 1]
                if now >= until_when:
                    break
                if end <= since:
                    continue  # calls that are open then are found below
                code: Int = state[i]
                # Within an interval of the timeline the class changes as calls begin,
                # wait or end.
                while now < end:
                    while depth and leave[base + open_calls[depth - 1]] <= now:
                        depth -= 1
                    while call < stop and enter[base + call] <= now:
                        if leave[base + call] > now and depth < MAX_OPEN:
                            open_calls[depth] = call
                            depth += 1
                        call += 1
                    # Up to `change` the same calls are open, and wait or do not.
                    change: Int = end
                    if call < stop:
                        change = min(change, enter[base + call])
                    # Some states say more than any call: they are not asked about
                    # calls.
                    kind: Int = code
                    if depth and code not in (
                        OUTSIDE,
                        MEASUREMENT,
                        WAIT_FOR_GPU,
                        WAIT_FOR_THREADS,
                    ):
                        inner: Int = open_calls[depth - 1]
                        change = min(change, leave[base + inner])
                        if code not in (GPU_CALL, KERNEL, COPY, IO):
                            kind = code if rest[inner] == AS_SHOWN else rest[inner]
                        for k in range(depth - 1, -1, -1):
                            if rest[open_calls[k]] == IO:
                                kind = IO  # whatever is called inside of it
                        for k in range(depth - 1, -1, -1):
                            if until[open_calls[k]] > now:
                                kind = waiting[open_calls[k]]
                                change = min(change, until[open_calls[k]])
                                break
                    # Up to the change all is of one class; neighbours of one look are
                    # one interval.
                    add_within(now, change, spans, kind, flat, row * number)
                    if write:
                        shown: Int = state_of_class[kind]
                        if (
                            size == begun
                            or out_state[size - 1] != shown
                            or out_region[size - 1] != region[i]
                        ):
                            out_time[size] = now
                            out_state[size] = shown
                            out_region[size] = region[i]
                            size += 1
                    now = change
            count[row] = size - begun
    return sums, counts, times[:size], states[:size], regions[:size]


def sums_until(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    members: BoolRows,
    rows: Ints,
    times: Ints,
) -> NDArray[np.int64]:
    """Sum up how long rows were in some of the states up to some times.

    Parameters
    ----------
    offsets, time, state
        Columns of the timeline.
    rows, times : int64, shape (n,)
        Where times of a row ascend its intervals are gone through once.
    members : bool, shape (len(TimeState), sums)
        Which states count for each sum.

    Returns
    -------
    int64, shape (n, sums)
    """
    number: Int = members.shape[1]
    sums = np.zeros((len(times), number), np.int64)
    out: OutIntRows = sums
    spent: OutInts = np.zeros(number, np.int64)
    # the sums that each state counts for, one state after the other
    counted: Ints = np.ascontiguousarray(np.nonzero(members)[1])
    begins: Ints = np.append(0, np.cumsum(np.count_nonzero(members, axis=1)))
    k: Int
    j: Int
    s: Int
    row: Int = -1
    i: Int = 0
    stop: Int = 0
    with cython.nogil:
        for k in range(len(times)):
            if rows[k] != row or times[k] < times[k - 1]:
                row = rows[k]
                i, stop = offsets[row], offsets[row + 1]
                for s in range(number):
                    spent[s] = 0
            if i == stop:
                continue
            while i + 1 < stop and time[i + 1] <= times[k]:
                for j in range(begins[state[i]], begins[state[i] + 1]):
                    spent[counted[j]] += time[i + 1] - time[i]
                i += 1
            for s in range(number):
                out[k, s] = spent[s]
            for j in range(begins[state[i]], begins[state[i] + 1]):
                out[k, counted[j]] += times[k] - time[i]  # the interval it is in
    return sums
