"""One pass over the whole timeline before anything is shown of it.

It finds the first and last communication and the states that occur, and makes sums
of time by state at every 256th interval: two of them give all that lies between, so
that pictures of any window look at few intervals (prefix sums; levels of ever fewer of
them as in Chan, Xiao, Shen, Chen 2008, Maintaining interactivity while exploring
massive time series). What is shown first is the time between the first message and the
last at which the states of the ranks differ most. When each region was visited is found
by a pass of its own.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from topoview.analysis import kernels
from topoview.base.progress import Report, batches, silent
from topoview.model import (
    Account,
    Bytes,
    Floats,
    Ints,
    Overview,
    Part,
    Regions,
    StateSums,
    Timeline,
    TimelineFacts,
    TimeState,
    Trace,
    distinct,
    elements,
    occurring,
    recorded_run,
    rows_in_batches,
    whole_part,
)

INTERVALS_PER_SUM: Final = 256
"""Intervals from one sum to the next one."""

LEVEL_FACTOR: Final = 16
"""Sums of a level for one of the next level."""

MAX_COARSEST_SUMS: Final = 1 << 14
"""Sums of the last level: so many are looked at for a preview of a whole run."""

MIN_SUMS_OF_ROW: Final = 2
"""Sums that a row has at least if it has any."""

_CHUNK_FACTOR: Final = 16
_NEVER: Final = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class TimelineScan:
    """What one look through a timeline finds."""

    communication: tuple[int, int]
    """Begin of the first communication and end of the last one; -1 without any."""
    states: tuple[int, ...]
    """Codes of the states that they are in, ascending."""
    sums: StateSums
    """Sums of time by state."""


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
    ticks = np.zeros((offsets[-1], len(TimeState)), np.int64)
    seen = np.zeros((2, len(TimeState)), np.bool_)
    extremes = np.full(2, -1, np.int64)
    columns = timeline.offsets, timeline.time, timeline.state
    for some in batches(
        len(timeline.time), report, "adding up states", scale=_CHUNK_FACTOR
    ):
        kernels.scan_part(
            *columns,
            some.start,
            some.stop,
            ranks,
            every,
            offsets,
            begin,
            ticks,
            seen,
            extremes,
        )
    kernels.cumulate(offsets, ticks)
    states = np.flatnonzero(seen.any(axis=0)).astype(np.uint8)
    ticks = ticks.take(states, axis=1)  # row by row, as kernels take it
    first, last = extremes.tolist()
    return TimelineScan(
        (first, last),
        tuple(np.flatnonzero(seen[0]).tolist()),
        _levels(every, few, offsets, begin, ticks, states),
    )


def _while_all_run(timeline: Timeline, ranks: int) -> tuple[int, int]:
    """From when the last rank begins to when the first one ends, of those seen at all.

    What waits for a process to be started, or has others end before it, tells little.
    """
    begin, end = _lives(timeline, ranks)
    return int(begin.max(initial=0)), int(end.min(initial=_NEVER))


def _lives(timeline: Timeline, rows: int) -> tuple[Ints, Ints]:
    """Return when the first rows begin and end, of those seen at all; in ticks."""
    first, last = timeline.offsets[:rows], timeline.offsets[1 : rows + 1] - 1
    first, last = first[last > first], last[last > first]
    later = timeline.state[first] == TimeState.OUTSIDE
    return timeline.time[first + later], timeline.time[last]


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
        # every `LEVEL_FACTOR`th sum of a row, but never beyond its last one
        count = np.diff(new)
        steps = np.repeat(old[:-1] - LEVEL_FACTOR * new[:-1], count)
        steps += LEVEL_FACTOR * np.arange(new[-1])
        places = np.minimum(steps, np.repeat(old[1:] - 1, count))
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


CALLS_SHOWN: Final = 64
"""MPI calls of a rank in the window shown first: some iterations of most loops."""

MAX_TIMES_COMPARED: Final = 512
"""Times at which the states of all ranks are looked at, at most."""

MAX_STRETCHES: Final = 32
"""Stretches of the run whose mean entropies are compared, at most."""

TIMES_OF_STRETCH: Final = 8
"""Times that each of them has at least."""

_MAX_STATES_COMPARED: Final = 1 << 22
_MIN_TIMES_COMPARED: Final = 16
_MAX_SAMPLED_TIMES: Final = 1 << 17

_STATES_AT_ONCE: Final = 1 << 18
"""States that are looked at in one piece: memory."""

_NOT_RUNNING: Final = (TimeState.OUTSIDE, TimeState.SETUP)
"""States before a rank takes part, and after."""


def message_window(
    trace: Trace, first_send: int, exchange: tuple[int, int]
) -> tuple[int, int]:
    """Window from the first message that is sent to the last, as far as all ranks run.

    Who waits after that waits for all to end: it is where to look first. Without
    messages it is that of all communication.
    """
    window = (first_send, _last_send(trace)) if first_send >= 0 else exchange
    if not window[0] < window[1]:
        window = 0, max(trace.clock.length, 1)
    running = _while_all_run(trace.timeline, trace.ranks)
    both = max(window[0], running[0]), min(window[1], running[1])
    return both if both[0] < both[1] else window


def _run(trace: Trace) -> tuple[int, int]:
    """From the first event of any row to the last one; at least a tick."""
    begins, ends = _lives(trace.timeline, trace.timeline.rows)
    begin, end = recorded_run(begins, ends, hangs=len(trace.never_left) > 0)
    return (begin, end) if begin < end else (0, 1)


def _last_send(trace: Trace) -> int:
    """When the last call that sends a message begins; -1 if none was recorded."""
    send, calls = trace.messages.send_call, trace.calls
    end = bisect_left(range(len(send)), True, key=lambda i: bool(send[i] < 0))
    last = np.searchsorted(send[:end], calls.offsets[1 : trace.ranks + 1]) - 1
    return int(calls.enter[send[last[last >= 0]]].max(initial=-1))


def most_mixed_time(trace: Trace, window: tuple[int, int]) -> int:
    """Find when the states of the ranks differ most within a window.

    That is where the entropy of the states of the ranks that take part is largest,
    times their share of all ranks, within the stretch of the run in which its mean is
    largest: else it would often be when the first ranks leave the start-up. Compared
    are times at which MPI calls begin, without any those at which ranks, else their
    threads, begin to do what is recorded, and if nothing is recorded at all times
    spread evenly.
    """
    times = _begins_within(trace, window)
    entropy = _entropy(_counts_of_states(trace, times), trace.ranks)
    stretches = min(MAX_STRETCHES, max(len(times) // TIMES_OF_STRETCH, 1))
    parts = np.array_split(np.arange(len(times)), stretches)
    best = parts[_greatest(np.array([entropy[part].mean() for part in parts]))]
    return int(times[best[_greatest(entropy[best])]])


def _greatest(numbers: Floats) -> int:
    """Place of the greatest number, of equal ones of that nearest to the middle."""
    best = np.flatnonzero(numbers >= numbers.max() - 1e-9)
    return int(best[np.argmin(np.abs(best - (len(numbers) - 1) / 2))])


def _counts_of_states(trace: Trace, times: Ints) -> Floats:
    """Count the ranks in each state at some times: shape (times, states).

    Some ranks at all times, rather than all at some: of a trace beyond memory each
    rank's intervals are read once.
    """
    line, kinds = trace.timeline, len(TimeState)
    places, together = len(times) * kinds, max(_STATES_AT_ONCE // len(times), 1)
    count = np.zeros(places, np.int64)
    for first in range(0, trace.ranks, together):
        ranks = np.arange(first, min(first + together, trace.ranks))[:, None]
        state = line.state[line.at(times, ranks)] + np.arange(0, places, kinds)
        count += np.bincount(state.ravel(), minlength=places)
    return count.reshape(-1, kinds).astype(np.float64)


def _entropy(count: Floats, ranks: int) -> Floats:
    """Compute the entropy of the ranks' states, times the share that takes part.

    Parameters
    ----------
    count : float64, shape (times, states)
        Ranks in each state.

    Returns
    -------
    float64, shape (times,)
        In nats, of those ranks that take part.
    """
    count[:, list(_NOT_RUNNING)] = 0
    there = count.sum(axis=1)
    share = count / np.maximum(there, 1)[:, None]
    nats = -(share * np.log(np.where(share > 0, share, 1))).sum(axis=1)
    result: Floats = nats * there / max(ranks, 1)
    return result


def _begins_within(trace: Trace, window: tuple[int, int]) -> Ints:
    """Sample the times at which something begins, as many as can be compared."""
    most = _MAX_STATES_COMPARED // max(trace.timeline.rows, 1)
    most = min(max(most, _MIN_TIMES_COMPARED), MAX_TIMES_COMPARED)
    timeline = trace.timeline
    end = int(timeline.offsets[trace.ranks])
    calls = trace.calls.enter[: int(trace.calls.offsets[trace.ranks])]
    for begins in (
        calls[:: -(-len(calls) // _MAX_SAMPLED_TIMES) or 1],  # no copy of all of them
        _begins_of_states(timeline.time[:end], timeline.state[:end]),
        _begins_of_states(timeline.time[end:], timeline.state[end:]),
    ):
        some = begins[(begins >= window[0]) & (begins <= window[1])]
        if len(some):
            shares = (np.arange(most) + 0.5) / most
            return np.unique(np.quantile(some, shares, method="lower"))
    return np.linspace(*window, most).astype(np.int64)


def window_around(trace: Trace, time: int, bounds: tuple[int, int]) -> tuple[int, int]:
    """Window with a time in its middle, as long as `CALLS_SHOWN` calls around it take.

    They are of the rank with most calls; where it makes no more than twice as many
    within the bounds the window has all of these.
    """
    offsets = trace.calls.offsets[: trace.ranks + 1]
    rank = int(np.diff(offsets).argmax()) if trace.ranks else 0
    enter = trace.calls.enter[int(offsets[rank]) : int(offsets[rank + 1])]
    low, at, high = np.searchsorted(enter, (bounds[0], time, bounds[1])).tolist()
    margin = (bounds[1] - bounds[0]) // 50 + 1
    window = bounds[0] - margin, bounds[1] + margin
    if high - low > 2 * CALLS_SHOWN:
        first = min(max(at - CALLS_SHOWN // 2, low), high - 1 - CALLS_SHOWN)
        half = (int(enter[first + CALLS_SHOWN]) - int(enter[first])) // 2 + 1
        window = time - half, time + half
    return max(window[0], 0), min(window[1], max(trace.clock.length, 1))


def _begins_of_states(time: Ints, state: Bytes) -> Ints:
    """Sample the times at which something begins that is recorded."""
    step = -(-len(time) // _MAX_SAMPLED_TIMES) | 1  # odd: states often alternate
    result: Ints = time[::step][state[::step] != TimeState.OUTSIDE]
    return result


def overview(trace: Trace, report: Report = silent) -> Overview:
    """Look through a trace's timeline, as it is.

    Raises
    ------
    Cancelled
        From `report`.
    """
    facts = timeline_facts(whole_part(trace), report)
    return with_sums(trace, Account(trace.timeline), outline(trace, facts), report)


def with_sums(
    trace: Trace, account: Account, overview: Overview, report: Report = silent
) -> Overview:
    """Add to an overview which states the account tells, and sums of their time."""
    scan = scan_timeline(account.timeline, trace.ranks, report)
    return replace(overview, states=scan.states, sums=scan.sums)


_FAR: Final = 1000
"""A stamp that lies so many times the rest of the run apart from that is far."""


def _without_far(timeline: Timeline, window: tuple[int, int]) -> tuple[int, int]:
    """Leave out of a window what one row alone does far before or behind all others."""
    first, last = timeline.offsets[:-1], timeline.offsets[1:] - 1
    first, last = first[last > first], last[last > first]
    if len(first) < 2:
        return window
    later = timeline.state[first] == TimeState.OUTSIDE
    begins, ends = timeline.time[first + later], timeline.time[last]
    begin, end = int(np.partition(begins, 1)[1]), int(np.partition(ends, -2)[-2])
    run = max(end - begin, 1)
    low = max(window[0], begin) if begin - begins.min() > _FAR * run else window[0]
    high = min(window[1], end) if ends.max() - end > _FAR * run else window[1]
    return (low, high) if low < high else window


def outline(trace: Trace, facts: TimelineFacts, _report: Report = silent) -> Overview:
    """Compute an overview of what ranks did, without sums of time by state."""
    begin, end = facts.communication
    exchange = (begin, end) if 0 <= begin < end else (0, max(trace.clock.length, 1))
    exchange = _without_far(trace.timeline, exchange)
    bounds = message_window(trace, facts.first_send, exchange)
    time = most_mixed_time(trace, bounds)
    rows, none = len(trace.timeline.offsets), np.zeros(0, np.int64)
    visits = np.minimum(facts.visits, (_NEVER, trace.clock.length))
    visits[visits[:, 0] >= visits[:, 1]] = -1
    return Overview(
        time=time,
        window=window_around(trace, time, bounds),
        communication=(begin, end) if 0 <= begin < end else None,
        run=_run(trace),
        exchange=exchange,
        states=facts.states,
        sums=StateSums(
            INTERVALS_PER_SUM,
            np.zeros((1, rows), np.int64),
            none,
            none.reshape(0, 0),
            none.astype(np.uint8),
        ),
        visits=visits,
        regions_used=facts.regions_used,
    )


def timeline_facts(part: Part, report: Report = silent) -> TimelineFacts:
    """Look through the timeline and the messages of some ranks."""
    trace, line = part.trace, part.trace.timeline
    scans = []
    for rows in part.rows:
        own = elements(rows, line.offsets)
        offsets = line.offsets[rows.start : rows.stop + 1] - own.start
        own_line = Timeline(offsets, line.time[own], line.state[own], line.region[own])
        main = max(min(trace.ranks, rows.stop) - rows.start, 0)
        scans.append(
            scan_timeline(own_line, main, report, every=max(len(own_line.time), 1))
        )
    return TimelineFacts(
        _first_send(part),
        _joined_windows([*(one.communication for one in scans), _shared_io(part)]),
        tuple(sorted({state for one in scans for state in one.states})),
        _region_visits(part),
        _regions_used(part),
    )


def joined_facts(parts: Sequence[TimelineFacts], _regions: Regions) -> TimelineFacts:
    """Join what parts of a trace did."""
    visits = np.stack([one.visits for one in parts])
    begin, end = visits[..., 0], visits[..., 1]
    first = np.where(begin < 0, _NEVER, begin).min(axis=0)
    visits = np.stack([np.where(first == _NEVER, -1, first), end.max(axis=0)], axis=1)
    kinds = dict.fromkeys(kind for one in parts for kind in one.regions_used)
    return TimelineFacts(
        min((one.first_send for one in parts if one.first_send >= 0), default=-1),
        _joined_windows([one.communication for one in parts]),
        tuple(sorted({state for one in parts for state in one.states})),
        visits,
        {
            kind: distinct(np.concatenate([one.regions_used[kind] for one in parts]))
            for kind in kinds
        },
    )


def _joined_windows(windows: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the first begin, and the last end; -1 without any."""
    return (
        min((begin for begin, _ in windows if begin >= 0), default=-1),
        max((end for _, end in windows), default=-1),
    )


_SHARED_IO: Final = re.compile(r"File_(read|write)(_at_all|_all|_ordered)")
"""Names of the calls in which all ranks of a group read or write together."""


def _shared_io(part: Part) -> tuple[int, int]:
    """Find the first begin and the last end of reading and writing together."""
    regions, calls = part.trace.regions, part.trace.calls
    shared = [bool(_SHARED_IO.fullmatch(name)) for name in regions.operations]
    if not any(shared):
        return -1, -1
    is_shared = np.array([*shared, False])[regions.operation]
    some = np.concatenate(
        [own.start + np.flatnonzero(is_shared[calls.region[own]]) for own in part.calls]
    )
    if not len(some):
        return -1, -1
    return int(calls.enter[some].min()), int(calls.leave[some].max())


def _first_send(part: Part) -> int:
    messages, first = part.trace.messages, int(_NEVER)
    for rows in rows_in_batches(part.sent):
        sent, received = messages.send_time[rows], messages.receive_time[rows]
        whole = (sent >= 0) & (sent < received)
        whole &= messages.sender[rows] != messages.receiver[rows]
        first = min(first, int(sent[whole].min(initial=_NEVER)))
    return -1 if first == _NEVER else first


def _region_visits(part: Part) -> Ints:
    """Find when ranks are first in each region, and last; -1 for none."""
    trace, timeline = part.trace, part.trace.timeline
    last = int(timeline.offsets[trace.ranks])
    own = elements(part.ranks, timeline.offsets)
    some = slice(own.start, min(own.stop + 1, last))  # with the end of the last one
    regions = len(trace.regions.names)
    return kernels.find_visits(timeline.time[some], timeline.region[some], regions)


def _regions_used(part: Part) -> dict[str, Ints]:
    trace, timeline = part.trace, part.trace.timeline
    kinds = {"rank": (0, trace.ranks)}
    kinds |= {kind: (row[0], row[-1] + 1) for kind, row in trace.rows_of_kind.items()}
    result = {}
    for kind, (low, high) in kinds.items():
        pieces = [
            timeline.region[
                elements(slice(max(low, one.start), stop), timeline.offsets)
            ]
            for one in part.rows
            if (stop := min(high, one.stop)) > max(low, one.start)
        ]
        used = [occurring(one, len(trace.regions.names)) for one in pieces]
        result[kind] = distinct(np.concatenate([np.zeros(0, np.int64), *used]))
    return result
