"""The moment that is shown first where no delay is worth it."""

from dataclasses import replace

import numpy as np
import pytest
import traces
from simulation import Delay, silent_program, simulate

from topoview.analysis import overview as module
from topoview.analysis.message_index import message_index
from topoview.analysis.overview import (
    CALLS_SHOWN,
    message_window,
    most_mixed_time,
    overview,
    window_around,
)
from topoview.model import Overview, Timeline, TimeState, Trace


def overview_of(trace: Trace) -> Overview:
    return overview(trace)


def entropy_at(trace: Trace, ticks: int) -> float:
    """Entropy of the states of ranks that take part, times their share, plainly."""
    line, states = trace.timeline, []
    for rank in range(trace.ranks):
        first, stop = line.offsets[rank : rank + 2]
        at = int(np.searchsorted(line.time[first:stop], ticks, side="right")) - 1
        states.append(TimeState(int(line.state[first + max(at, 0)])))
    there = [s for s in states if s not in (TimeState.OUTSIDE, TimeState.SETUP)]
    shares = [there.count(s) / len(there) for s in set(there)]
    return -sum(p * np.log(p) for p in shares) * len(there) / len(states)


def exchange(trace: Trace) -> tuple[int, int]:
    """First send and last one between two ranks."""
    sent, calls = trace.messages, trace.calls
    some = sent.sender != sent.receiver
    return (
        int(calls.enter[sent.send_call[some]].min()),
        int(calls.enter[sent.send_call[some]].max()),
    )


def test_states_differ_most_at_the_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_TIMES_COMPARED", 1 << 13)  # all of them
    trace = traces.simulated("torus", (4, 3), delays=(Delay(2, 1, 0.01),))
    found = overview_of(trace)
    begin, end = exchange(trace)
    assert begin <= found.time <= end
    assert found.window[0] <= found.time <= found.window[1]
    times = trace.calls.enter[(trace.calls.enter >= begin) & (trace.calls.enter <= end)]
    entropy = np.array([entropy_at(trace, t) for t in np.unique(times).tolist()])
    parts = np.array_split(entropy, min(32, len(entropy) // 8))
    best = max(parts, key=np.mean)
    assert entropy_at(trace, found.time) == pytest.approx(best.max())


@pytest.mark.parametrize("name", ["sp-jacobi2d-6x6-idlewave", "sp-lu-8-flush"])
def test_real_traces_are_shown_within_their_messages(name: str) -> None:
    trace = traces.read_real(name)
    index = message_index(trace.messages)
    found = overview_of(trace)
    begin, end = message_window(trace, int(index.begin.min()), (0, 1))
    assert begin <= found.time <= end
    states = trace.timeline.state[trace.timeline.at(found.time)[: trace.ranks]]
    assert len(set(states.tolist())) > 1
    assert not np.isin(states, [TimeState.OUTSIDE, TimeState.SETUP]).any()


def test_a_window_has_some_calls_or_all() -> None:
    trace = traces.simulated("torus", (4, 3), delays=(Delay(2, 1, 0.01),))
    enter = trace.calls.enter[: trace.calls.offsets[1]]
    bounds = int(enter[0]), int(enter[-1])
    assert window_around(trace, int(enter[len(enter) // 2]), bounds)[0] <= bounds[0]
    real = traces.read_real("sp-jacobi2d-8x4-periodic-idlewave")
    calls = real.calls
    first, stop = calls.offsets[np.diff(calls.offsets[: real.ranks + 1]).argmax() :][:2]
    enter = calls.enter[first:stop]
    lengths = enter[CALLS_SHOWN:] - enter[:-CALLS_SHOWN]
    for at in (len(enter) // 4, len(enter) // 2, 3 * len(enter) // 4):
        begin, end = window_around(
            real, int(enter[at]), (int(enter[0]), int(enter[-1]))
        )
        first = min(max(at - CALLS_SHOWN // 2, 0), len(lengths) - 1)
        assert (begin + end) // 2 == pytest.approx(int(enter[at]), abs=1)
        assert end - begin == pytest.approx(int(lengths[first]), abs=3)


def test_without_messages_the_moment_is_within_the_run() -> None:
    trace = simulate(silent_program(1))
    found = overview_of(trace)
    assert 0 <= found.window[0] <= found.time <= found.window[1] <= trace.clock.length


def test_where_only_threads_record_something_is_seen() -> None:
    trace = simulate(silent_program(1))
    out, busy = int(TimeState.OUTSIDE), int(TimeState.COMPUTE)
    turns = 100
    line = Timeline(
        np.array([0, 1, 1 + 2 * turns]),
        np.append(0, 7 * np.arange(2 * turns)),
        np.append(out, np.tile([out, busy], turns)).astype(np.uint8),
        np.full(1 + 2 * turns, -1, np.int32),
    )
    calls = replace(trace.calls, offsets=np.zeros(3, np.int64))
    some = replace(trace, timeline=line, calls=calls)
    time = most_mixed_time(some, (0, 7 * 2 * turns))
    assert line.state[line.at(time)].tolist() == [out, busy]
