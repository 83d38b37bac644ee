"""Times worth looking at."""

from dataclasses import replace

import numpy as np
import pytest
import traces
from simulation import Delay, silent_program, simulate

from topoview import progress
from topoview.analysis.overview import overview
from topoview.model import MPIState, Timeline, Trace


def longest_wait(trace: Trace) -> tuple[int, int]:
    """Search interval by interval."""
    line, found = trace.timeline, (0, 0)
    for row in range(trace.ranks):
        for i in range(line.offsets[row], line.offsets[row + 1] - 1):
            length = int(line.time[i + 1] - line.time[i])
            if line.state[i] == MPIState.WAIT and length > found[1]:
                found = int(line.time[i]), length
    return found


def test_times_are_around_the_longest_wait() -> None:
    trace = traces.simulated("torus", (4, 3), delays=(Delay(2, 1, 0.01),))
    begin, length = longest_wait(trace)
    times = overview(trace).times
    assert list(times) == sorted(times)
    assert begin < times[0] < times[-1] <= begin + length


def test_without_a_wait_times_are_within_the_run() -> None:
    trace = simulate(silent_program(1))
    assert all(0 <= time <= trace.clock.length for time in overview(trace).times)


def test_where_only_threads_record_something_is_seen() -> None:
    trace = simulate(silent_program(1))
    out, busy = int(MPIState.OUTSIDE), int(MPIState.COMPUTE)
    turns = 100
    line = Timeline(
        np.array([0, 1, 1 + 2 * turns]),
        np.append(0, 7 * np.arange(2 * turns)),
        np.append(out, np.tile([out, busy], turns)).astype(np.uint8),
        np.full(1 + 2 * turns, -1, np.int32),
    )
    calls = replace(trace.calls, offsets=np.zeros(3, np.int64))
    times = overview(replace(trace, timeline=line, calls=calls)).times
    assert list(times) == sorted(set(times))
    assert all(line.state[line.at(time)].tolist() == [out, busy] for time in times)


@pytest.mark.parametrize("length", [0, 1, 7, 100])
def test_the_longest_wait_is_found_in_portions(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = traces.simulated("torus", (4, 3), delays=(Delay(2, 1, 0.01),))
    whole = overview(trace).times
    if length:
        monkeypatch.setattr(progress, "BATCH_ROWS", length)
    assert overview(trace).times == whole
