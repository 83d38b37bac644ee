"""Searching columns from where the last search ended gives what a search anew gives."""

import itertools
from types import SimpleNamespace
from typing import cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from simulation import Program, simulate

from topoview.live.moments.moment import TimeCursor, calls_at, moment
from topoview.live.moments.window_sums import STATE_PRIORITY
from topoview.model import Timeline, Trace
from topoview.topology import lattice


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """Draw some rows of intervals."""
    rows = draw(
        st.lists(
            st.lists(st.integers(1, 60), max_size=12, unique=True),
            min_size=1,
            max_size=5,
        )
    )
    times = [[0, *sorted(row)] for row in rows]
    offsets = np.cumsum([0, *map(len, times)])
    time = np.concatenate(times).astype(np.int64)
    state = draw(
        st.lists(st.integers(0, 9), min_size=len(time), max_size=len(time)),
    )
    region = np.arange(len(time), dtype=np.int32)
    return Timeline(offsets, time, np.array(state, np.uint8), region)


@given(timelines(), st.lists(st.integers(-2, 64), min_size=1, max_size=8))
def test_intervals_at_any_times_one_after_the_other(
    timeline: Timeline, times: list[int]
) -> None:
    """Forward, backward, and to the same time again."""
    calls = SimpleNamespace(offsets=np.zeros(timeline.rows + 1, np.int64))

    def cursor(rows: int) -> TimeCursor:
        trace = SimpleNamespace(timeline=timeline, calls=calls, ranks=rows)
        return TimeCursor(cast("Trace", trace))

    kept = {rows: cursor(rows) for rows in (timeline.rows, 1)}
    for ticks in times:
        for rows, fresh in itertools.product((timeline.rows, 1), (False, True)):
            own = cursor(rows) if fresh else kept[rows]
            found, now = own.intervals(ticks), own.moment(ticks)
            for row in range(rows):
                first, stop = timeline.offsets[row : row + 2]
                inside = [i for i in range(first, stop) if timeline.time[i] <= ticks]
                assert found[row] == max(inside, default=first)
                assert now.state[row] == timeline.state[found[row]]
                assert now.interval_of(row) == now.interval[row] == found[row]
            assert not found.flags.writeable


def test_calls_and_states_one_after_the_other() -> None:
    """Each rank's call, and its foremost state since the time before."""
    trace = simulate(Program(lattice((4, 3), (True, False)), iterations=3))
    calls, timeline = trace.calls, trace.timeline
    generator, cursor = np.random.default_rng(5), TimeCursor(trace)
    before = 0
    for ticks in generator.integers(0, trace.clock.length + 1, 40).tolist():
        found, inside = cursor.calls(ticks)
        assert found.tolist() == calls_at(trace, ticks)[0].tolist()
        then, until = sorted((before, ticks))
        now = cursor.moment(until, then)
        assert now.state.tolist() == moment(trace, until, then).state.tolist()
        for rank in range(trace.ranks):
            first, stop = calls.offsets[rank : rank + 2]
            entered = int((calls.enter[first:stop] <= ticks).sum())
            assert found[rank] == first + entered - 1
            within = entered > 0 and calls.leave[found[rank]] > ticks
            assert inside[rank] == within
            begin, end = timeline.offsets[rank : rank + 2]
            time = timeline.time[begin:end]
            last = int((time <= until).sum())
            since = max(int((time <= then).sum()), 1)
            seen = timeline.state[begin:end][since - 1 : last]
            assert STATE_PRIORITY[now.state[rank]] == STATE_PRIORITY[seen].max()
            assert timeline.state[now.interval_of(rank)] == now.state[rank]
            assert now.interval[rank] == now.interval_of(rank)
        before = ticks
