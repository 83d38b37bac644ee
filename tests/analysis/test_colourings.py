"""Colourings against a plain walk over the trace, rank by rank."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from topoview.live.colourings.scales import IN_MPI, ColouringRequest
from topoview.live.colourings.table import COLOURINGS, STATE, ColouringValues, offered
from topoview.model import WAITING_STATES, Analysis, RankValues, TimeState, Trace


@pytest.fixture(scope="module")
def known() -> Analysis:
    import traces

    return traces.analysed(traces.simulated("torus", (5, 4), numbering=3))


@pytest.fixture(scope="module")
def simulated_grid() -> Analysis:
    import traces

    return traces.analysed(traces.simulated("grid", (4, 3)))


def intervals(trace: Trace, rank: int) -> list[tuple[int, int, TimeState]]:
    """Begin, end and state of all that a rank does."""
    line = trace.timeline
    begin, stop = line.offsets[rank], line.offsets[rank + 1]
    times = [*line.time[begin:stop].tolist(), 1 << 60]
    return [
        (times[i], times[i + 1], TimeState(line.state[begin + i]))
        for i in range(stop - begin)
    ]


def state_at(trace: Trace, rank: int, time: int) -> tuple[int, TimeState]:
    return next(
        (begin, state)
        for begin, end, state in intervals(trace, rank)
        if begin <= time < end
    )


def times_of(trace: Trace) -> list[int]:
    random = np.random.default_rng(4)
    events = random.choice(trace.timeline.time, 12)
    return [0, trace.clock.length, *events.tolist(), *(events + 1).tolist()]


def ask(known: Analysis, name: str, time: int) -> RankValues:
    found = ColouringValues().of(
        name, ColouringRequest(known, time, (0, known.trace.clock.length))
    )
    assert found is not None
    return found


def test_progress_in_the_call_and_calls_done(known: Analysis) -> None:
    trace = known.trace
    for time in times_of(trace):
        progress, done = ask(known, "call", time), ask(known, "done", time)
        for rank in range(trace.ranks):
            low, high = trace.calls.offsets[rank : rank + 2]
            pairs = zip(
                trace.calls.enter[low:high].tolist(),
                trace.calls.leave[low:high].tolist(),
                strict=True,
            )
            expected, complete = np.nan, 0
            for enter, leave in pairs:
                complete += leave <= time
                if enter <= time < leave:
                    expected = (time - enter) / (leave - enter)
            np.testing.assert_allclose(progress.values[rank], expected)
            assert done.values[rank] == complete
        assert done.low == done.values.min()
        assert done.high == done.values.max()


def test_wait_so_far_and_time_since_the_last_change(known: Analysis) -> None:
    trace = known.trace
    longest = max(
        end - begin
        for rank in range(trace.ranks)
        for begin, end, state in intervals(trace, rank)[:-1]
        if state in WAITING_STATES
    )
    for time in times_of(trace):
        wait, change = ask(known, "wait", time), ask(known, "change", time)
        assert wait.high == pytest.approx(trace.clock.seconds(longest))
        for rank in range(trace.ranks):
            begin, state = state_at(trace, rank, time)
            seconds = trace.clock.seconds(time - begin)
            expected = seconds if state in WAITING_STATES else np.nan
            np.testing.assert_allclose(wait.values[rank], expected)
            if state != TimeState.OUTSIDE:
                np.testing.assert_allclose(change.values[rank], seconds)


@pytest.mark.parametrize(
    ("name", "states"), [("mpi", IN_MPI), ("waiting", WAITING_STATES)]
)
def test_shares_of_the_window(
    known: Analysis, name: str, states: tuple[TimeState, ...]
) -> None:
    trace, length = known.trace, known.trace.clock.length
    for window in ((0, length), (length // 3, length // 2), (5, 6), (0, 3 * length)):
        found = ColouringValues().of(name, ColouringRequest(known, 0, window))
        assert found is not None
        for rank in range(trace.ranks):
            inside = recorded = 0
            for begin, end, state in intervals(trace, rank):
                part = max(min(end, window[1]) - max(begin, window[0]), 0)
                recorded += part * (state != TimeState.OUTSIDE)
                inside += part * (state in states)
            expected = inside / recorded if recorded else np.nan
            np.testing.assert_allclose(found.values[rank], expected)


def test_waiting_against_the_neighbours(known: Analysis) -> None:
    assert known.matrix is not None
    linked = known.matrix.calls.toarray() > 0
    linked |= linked.T
    share = ask(known, "waiting", 0).values
    found = ask(known, "neighbours", 0)
    for rank in range(known.trace.ranks):
        expected = share[rank] - share[linked[rank]].mean()
        np.testing.assert_allclose(found.values[rank], expected, atol=1e-12)
    assert found.low == -found.high
    assert found.high >= np.abs(found.values).max()


def test_numbers_of_the_run(known: Analysis) -> None:
    messages = known.trace.messages
    for name, ranks in (("sent", messages.sender), ("received", messages.receiver)):
        expected = np.bincount(ranks, messages.size, known.trace.ranks)
        np.testing.assert_array_equal(ask(known, name, 0).values, expected)
    counts = np.diff(known.trace.calls.offsets)[: known.trace.ranks]
    np.testing.assert_array_equal(ask(known, "calls", 0).values, counts)


def test_categories(real_trace: Callable[[str], Trace]) -> None:
    known = Analysis(real_trace("sp-rowcol-6x4"))
    found = ask(known, "communicator", 0)
    assert found.names == tuple(f"column {number}" for number in range(1, 7))
    for rank in range(24):
        same = np.flatnonzero(found.values == found.values[rank]).tolist()
        assert same == list(range(rank % 6, 24, 6))


def test_symmetry_of_a_grid(simulated_grid: Analysis) -> None:
    found = ask(simulated_grid, "symmetry", 0)
    # a grid 4x3: corners, the ends of the middle row, the long sides, the inside
    expected = [0, 1, 1, 0, 2, 3, 3, 2, 0, 1, 1, 0]
    groups = {tuple(np.flatnonzero(found.values == v)) for v in set(found.values)}
    assert groups == {
        tuple(np.flatnonzero(np.array(expected) == v)) for v in set(expected)
    }
    assert found.names[0] == "class 1"


def test_what_is_not_known_is_not_offered(known: Analysis) -> None:
    assert offered(known)[0] == STATE
    assert set(offered(known)) <= {STATE, *COLOURINGS}
    bare = Analysis(known.trace)
    assert "sent" not in offered(bare)
    assert ColouringValues().of("sent", ColouringRequest(bare, 0, (0, 1))) is None
    assert ColouringValues().of(STATE, ColouringRequest(known, 0, (0, 1))) is None
    assert "node" not in offered(
        replace(
            known,
            trace=replace(
                known.trace,
                locations=tuple(replace(p, node="") for p in known.trace.locations),
            ),
        )
    )


def test_what_does_not_follow_time_is_found_once(known: Analysis) -> None:
    values = ColouringValues()
    first = values.of("mpi", ColouringRequest(known, 0, (0, 1000)))
    assert values.of("mpi", ColouringRequest(known, 7, (0, 1000))) is first
    assert values.of("mpi", ColouringRequest(known, 7, (0, 2000))) is not first


def test_shares_of_a_scale() -> None:
    linear = RankValues(np.array([0.0, 5.0, 10.0, 20.0, np.nan]), 0, 10)
    np.testing.assert_allclose(linear.shares, [0, 0.5, 1, 1, np.nan])
    log = RankValues(np.array([0.0, 1.0, 10.0, 100.0]), 1, 100, log=True)
    np.testing.assert_allclose(log.shares, [0, 0, 0.5, 1])
    flat = RankValues(np.array([3.0, np.nan]), 3, 3)
    np.testing.assert_allclose(flat.shares, [0, np.nan])
    stretched = RankValues(np.array([0.2, 0.4, np.nan])).stretched
    assert (stretched.low, stretched.high) == (0.2, 0.4)
    both = RankValues(np.array([-0.1, 0.4]), -1, 1, middle=True).stretched
    assert (both.low, both.high) == (-0.4, 0.4)
