"""Times worth looking at."""

import traces

from topoview.analysis.interest import interesting_times
from topoview.analysis.simulation.program import silent_program
from topoview.analysis.simulation.simulate import Delay, simulate
from topoview.model import MPIState, Trace


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
    times = interesting_times(trace)
    assert times == sorted(times)
    assert begin < times[0] < times[-1] <= begin + length


def test_without_a_wait_times_are_within_the_run() -> None:
    trace = simulate(silent_program(1))
    assert all(0 <= time <= trace.clock.length for time in interesting_times(trace))
