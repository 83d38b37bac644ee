"""Frames of films: even, by calls, and without what is at rest."""

import numpy as np
import pytest
from simulation import Delay, Program, simulate

from topoview.errors import UsageError
from topoview.live.moments.film_times import (
    film_seconds,
    film_times,
    without_idle_periods,
)
from topoview.live.picking.navigation import IDLE_SECONDS, LEAD_SECONDS, Pace, busiest
from topoview.model import Trace
from topoview.topology import lattice


@pytest.fixture(scope="module")
def trace() -> Trace:
    """Make a ring wait for one rank that computes for long."""
    delays = (Delay(2, 3, 2.0),)
    return simulate(Program(lattice((6,), (True,)), iterations=8, delays=delays))


def test_even(trace: Trace) -> None:
    span = (0, trace.clock.length)
    found = film_times(trace, span, Pace(2.0), 25.0)
    assert len(found) == 50
    assert (found[0], found[-1]) == span
    assert np.ptp(np.diff(found)) <= 1


def test_rest_is_left_out(trace: Trace) -> None:
    """Each frame has an event near by, but for the last before one."""
    span = (0, trace.clock.length)
    found = np.array(film_times(trace, span, Pace(4.0, skip=True), 25.0))
    assert len(found) == 100
    assert (np.diff(found) >= 0).all()
    assert found[-1] == span[1]
    parts = without_idle_periods(trace, span, 4.0)
    second = np.diff(parts, axis=1).sum() / 4.0
    assert second < trace.clock.length / 4.0 / 2  # most of it is the one wait
    times = np.unique(trace.timeline.time)
    for at in found.tolist():
        before = at - times[times <= at].max()
        after = min((times[times >= at] - at).tolist(), default=0)
        assert min(before, after) <= IDLE_SECONDS * second + 1
    inner = parts[1:, 0]
    for begin in inner:  # it goes on just before an event
        assert (times[times >= begin].min() - begin) == pytest.approx(
            LEAD_SECONDS * second, rel=0.05
        )


def test_calls_come_evenly(trace: Trace) -> None:
    rank = busiest(trace)
    pace, span = Pace(calls=5.0, rank=rank), (0, trace.clock.length)
    low, high = trace.calls.offsets[rank : rank + 2]
    assert film_seconds(trace, span, pace) == pytest.approx((high - low) / 5.0, abs=0.5)
    found = np.array(film_times(trace, span, pace, 20.0))
    assert (found[0], found[-1]) == span
    assert (np.diff(found) >= 0).all()
    enter = trace.calls.enter[low:high]
    seen = np.searchsorted(enter, found[1:-1], side="right")
    steps = np.arange(1, len(found) - 1) / 20.0 * 5.0
    assert np.abs(seen - seen[0] - (steps - steps[0])).max() <= 1.5


def test_a_film_without_end_is_refused(trace: Trace) -> None:
    for pace in (Pace(seconds=1e9), Pace(seconds=10.0, calls=1e-300)):
        with pytest.raises(UsageError, match="too long: it may have 1,000,000"):
            film_times(trace, (0, trace.clock.length), pace, 25.0)


def test_no_calls_no_rest() -> None:
    quiet = simulate(Program(lattice((2,), (False,)), iterations=1))
    span = (0, quiet.clock.length)
    assert len(film_times(quiet, span, Pace(0.01), 25.0)) == 2
    parts = without_idle_periods(quiet, span, 1e-9)
    assert parts[0, 0] == 0
    assert parts[-1, 1] == quiet.clock.length
