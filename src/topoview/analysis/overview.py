"""One pass over the whole timeline before anything is shown of it.

It finds the longest wait, the first and last communication and the states that
occur, and makes sums of time by state at every 256th interval: two of them give all
that lies between, so that pictures of any window look at few intervals (prefix sums;
levels of ever fewer of them as in Chan, Xiao, Shen, Chen 2008, Maintaining
interactivity while exploring massive time series). Of the longest wait, or without
one of the calls, it takes the times that are worth looking at first. When each
region was visited is found by a pass of its own.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from topoview.kernels import kernel
from topoview.model import (
    Bools,
    Bytes,
    Indices,
    Ints,
    MPIState,
    Overview,
    StateSums,
    Timeline,
    Trace,
    occurring,
)
from topoview.progress import Report, batches, silent

INTERVALS_PER_SUM: Final = 256
"""Intervals from one sum to the next one."""

LEVEL_FACTOR: Final = 16
"""Sums of a level for one of the next level."""

MAX_COARSEST_SUMS: Final = 1 << 14
"""Sums of the last level: so many are looked at for a preview of a whole run."""

MIN_SUMS_OF_ROW: Final = 2
"""Sums that a row has at least if it has any."""

_CHUNK_FACTOR: Final = 16
_WAIT: Final = np.uint8(MPIState.WAIT)
_SEND: Final = np.uint8(MPIState.SEND)
_ONE_SIDED: Final = np.uint8(MPIState.ONE_SIDED)


@dataclass(frozen=True, slots=True, eq=False)
class TimelineScan:
    """What one look through a timeline finds.

    Attributes
    ----------
    longest
        Begin and length in ticks of the longest wait of a rank's main thread while all
        ranks run, the first of equals; -1 without any.
    communication
        Begin of their first communication and end of the last one; -1 without any.
    states
        Codes of the states that they are in, ascending.
    sums
        Sums of time by state.
    """

    longest: tuple[int, int]
    communication: tuple[int, int]
    states: tuple[int, ...]
    sums: StateSums


def scan_timeline(
    timeline: Timeline,
    ranks: int,
    report: Report = silent,
    *,
    every: int = INTERVALS_PER_SUM,
    few: int = MAX_COARSEST_SUMS,
) -> TimelineScan:
    """Look through all intervals once.

    Parameters
    ----------
    ranks
        Rows that are main threads: the first ones.
    every
        As in `StateSums`.
    few
        Sums of the last level, at most, unless each row has few.

    Raises
    ------
    Cancelled
        From `report`.
    """
    counts = np.diff(timeline.offsets)
    sums = np.where(counts >= MIN_SUMS_OF_ROW * every, -(-counts // every) + 1, 0)
    offsets = np.append(0, np.cumsum(sums)).astype(np.int64)
    begin = np.zeros(offsets[-1], np.int64)
    ticks = np.zeros((offsets[-1], len(MPIState)), np.int64)
    seen = np.zeros((2, len(MPIState)), np.bool_)
    extremes = np.full(4, -1, np.int64)
    columns = timeline.offsets, timeline.time, timeline.state
    running = _while_all_run(timeline, ranks)
    for some in batches(
        len(timeline.time), report, "looking for waits", scale=_CHUNK_FACTOR
    ):
        part = some.start, some.stop
        rows = ranks, running, every
        _scan_part(*columns, part, *rows, offsets, begin, ticks, seen, extremes)
    _cumulate(offsets, ticks)
    states = np.flatnonzero(seen.any(axis=0)).astype(np.uint8)
    ticks = ticks.take(states, axis=1)  # row by row, as kernels take it
    longest, length, first, last = extremes.tolist()
    return TimelineScan(
        (longest, length),
        (first, last),
        tuple(np.flatnonzero(seen[0]).tolist()),
        _levels(every, few, offsets, begin, ticks, states),
    )


def _while_all_run(timeline: Timeline, ranks: int) -> tuple[int, int]:
    """From when the last rank begins to when the first one ends, of those seen at all.

    What waits for a process to be started, or has others end before it, tells little.
    """
    first, last = timeline.offsets[:ranks], timeline.offsets[1 : ranks + 1] - 1
    first, last = first[last > first], last[last > first]
    later = timeline.state[first] == MPIState.OUTSIDE
    begun = int(timeline.time[first + later].max(initial=0))
    return begun, int(timeline.time[last].min(initial=np.iinfo(np.int64).max))


@kernel
def _scan_part(  # noqa: PLR0913
    offsets: Ints,
    time: Ints,
    state: Bytes,
    part: tuple[int, int],
    ranks: int,
    running: tuple[int, int],
    every: int,
    places: Ints,
    begin: Ints,
    ticks: Ints,
    seen: Bools,
    extremes: Ints,
) -> None:
    """Add up the time between sums, and look for extremes, in a part of a timeline."""
    row = np.searchsorted(offsets, part[0], side="right") - 1
    at = part[0]
    while at < part[1]:
        first, stop = offsets[row], offsets[row + 1]
        place, many = places[row], places[row + 1] > places[row]
        main = row < ranks
        for i in range(at, min(stop, part[1])):
            code = state[i]
            length = time[i + 1] - time[i] if i + 1 < stop else 0
            if many:
                own = place + (i - first) // every
                if (i - first) % every == 0:
                    begin[own] = time[i]
                ticks[own, code] += length
            seen[0 if main else 1, code] = True
            if not main:
                continue
            inside = running[0] <= time[i] and time[i] + length <= running[1]
            if code == _WAIT and length > extremes[1] and inside:
                extremes[0], extremes[1] = time[i], length
            if _SEND <= code <= _ONE_SIDED:
                if extremes[2] < 0 or time[i] < extremes[2]:
                    extremes[2] = time[i]
                extremes[3] = max(extremes[3], time[i] + length)
        if many and stop <= part[1]:
            begin[places[row + 1] - 1] = time[stop - 1]
        at = stop
        row += 1


@kernel
def _cumulate(offsets: Ints, ticks: Ints) -> None:
    """Turn time from each sum to the next into time from the row's begin."""
    total = np.zeros(ticks.shape[1], np.int64)
    for row in range(len(offsets) - 1):
        total[:] = 0
        for place in range(offsets[row], offsets[row + 1]):
            for code in range(len(total)):
                length = ticks[place, code]
                ticks[place, code] = total[code]
                total[code] += length


def _levels(  # noqa: PLR0913
    every: int, few: int, offsets: Ints, begin: Ints, ticks: Ints, states: Bytes
) -> StateSums:
    """Put levels of ever fewer sums before all of them: those previews look at."""
    levels = [(offsets, begin, ticks)]
    while len(levels[-1][1]) > few:
        old = levels[-1][0]
        sums = np.diff(old)
        # Of each row one of `LEVEL_FACTOR` sums, and the last one, that of its end.
        kept = np.where(sums > 0, -(-(sums - 1) // LEVEL_FACTOR) + 1, 0)
        new = np.append(0, np.cumsum(kept)).astype(np.int64)
        if 2 * new[-1] > old[-1]:
            break
        places = _thinned(old, new)
        levels.append((new, levels[-1][1][places], levels[-1][2][places]))
    sizes = np.array([len(level[1]) for level in levels])
    before = sizes[::-1].cumsum()[::-1] - sizes
    return StateSums(
        every,
        np.array(
            [level[0] + shift for level, shift in zip(levels, before, strict=True)]
        ),
        np.concatenate([level[1] for level in levels[::-1]]),
        np.concatenate([level[2] for level in levels[::-1]]),
        states,
    )


@kernel
def _thinned(old: Ints, new: Ints) -> Ints:
    """Places in a level of the sums of the next one."""
    found = np.empty(new[-1], np.int64)
    for row in range(len(old) - 1):
        count = new[row + 1] - new[row]
        for k in range(count - 1):
            found[new[row] + k] = old[row] + k * LEVEL_FACTOR
        if count:
            found[new[row + 1] - 1] = old[row + 1] - 1
    return found


WAIT_FRACTIONS = (0.1, 0.4, 0.7, 1.0)
"""Times looked at, in lengths of the longest wait from its begin."""

QUINTILES = (0.2, 0.4, 0.6, 0.8)

_MAX_SAMPLED_TIMES: Final = 1 << 17


def times_around(trace: Trace, begin: int, length: int) -> list[int]:
    """Find times around the longest wait of a rank; without one its length is -1.

    Then they are the quintiles of the times at which MPI calls begin: the middle of a
    run may well be its set-up. Without such calls they are those of the times at which
    ranks begin to do anything that is recorded, else those of their threads, so that
    something is seen then; and if nothing is recorded at all they are spread over the
    run.
    """
    if length >= 0:
        return [
            min(begin + round(length * f), trace.clock.length) for f in WAIT_FRACTIONS
        ]
    timeline = trace.timeline
    end = int(timeline.offsets[trace.ranks])
    calls = trace.calls.enter[: int(trace.calls.offsets[trace.ranks])]
    for begins in (
        calls,
        _begins_of_states(timeline.time[:end], timeline.state[:end]),
        _begins_of_states(timeline.time[end:], timeline.state[end:]),
    ):
        if len(begins):
            return _quintiles(begins)
    return [round(trace.clock.length * f) for f in QUINTILES]


def _quintiles(times: Ints) -> list[int]:
    """Quintiles that are among the times."""
    some = times[:: -(-len(times) // _MAX_SAMPLED_TIMES)]  # no copy of all of them
    return [int(time) for time in np.quantile(some, QUINTILES, method="lower")]


def _begins_of_states(time: Ints, state: Bytes) -> Ints:
    """Sample the times at which something begins that is recorded."""
    step = -(-len(time) // _MAX_SAMPLED_TIMES) | 1  # odd: states often alternate
    found: Ints = time[::step][state[::step] != MPIState.OUTSIDE]
    return found


def overview(trace: Trace, report: Report = silent) -> Overview:
    """Look through a trace's timeline.

    Raises
    ------
    Cancelled
        From `report`.
    """
    found = scan_timeline(trace.timeline, trace.ranks, report)
    begin, end = found.communication
    return Overview(
        tuple(times_around(trace, *found.longest)),
        (begin, end) if 0 <= begin < end else None,
        found.states,
        found.sums,
        _region_visits(trace),
        _regions_used(trace),
    )


def _region_visits(trace: Trace) -> Ints:
    """Find when ranks are in each region: from the first visit to the last's end."""
    timeline, regions = trace.timeline, len(trace.regions.names)
    last = int(timeline.offsets[trace.ranks])
    found = _find_visits(timeline.time[:last], timeline.region[:last], regions)
    found[:, 1] = np.minimum(found[:, 1], trace.clock.length)
    found[found[:, 0] >= found[:, 1]] = -1
    return found


@kernel
def _find_visits(time: Ints, region: Indices, regions: int) -> Ints:
    found = np.full((regions, 2), -1, np.int64)
    for i in range(len(time) - 1):
        own = region[i]
        if own >= 0:
            if found[own, 0] < 0 or time[i] < found[own, 0]:
                found[own, 0] = time[i]
            found[own, 1] = max(found[own, 1], time[i + 1])
    return found


def _regions_used(trace: Trace) -> dict[str, Ints]:
    timeline, size = trace.timeline, len(trace.regions.names)
    parts = {"rank": (0, trace.ranks)}
    parts |= {kind: (row[0], row[-1] + 1) for kind, row in trace.rows_of_kind.items()}
    found = {}
    for kind, (low, high) in parts.items():
        some = slice(*timeline.offsets[[low, high]].tolist())
        found[kind] = occurring(timeline.region[some], size)
    return found
