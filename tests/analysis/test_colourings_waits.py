"""Waiting, counters, threads: against plain walks over the records."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import traces

from topoview.analysis.waits.states import wait_states
from topoview.live.colourings.scales import ColouringRequest
from topoview.live.colourings.table import ColouringValues, offered, row_of
from topoview.live.moments.moment import TimeCursor, calls_at, moment
from topoview.live.moments.wait_chains import wait_chains, waiting_for
from topoview.live.moments.window_sums import STATE_PRIORITY
from topoview.model import Analysis, Calls, RankValues, TimeState, Trace
from topoview.pipeline import first_look


@pytest.fixture(scope="module")
def known() -> Analysis:
    return traces.analysed(traces.simulated("torus", (5, 4), numbering=3))


def ask(known: Analysis, name: str, time: int, window: tuple[int, int]) -> RankValues:
    found = ColouringValues().of(name, ColouringRequest(known, time, window))
    assert found is not None
    return found


def times_of(trace: Trace) -> list[int]:
    random = np.random.default_rng(5)
    return sorted(random.choice(trace.timeline.time, 40).tolist())


def test_a_receive_waits_for_the_message_that_is_sent_last(known: Analysis) -> None:
    trace = known.trace
    found = wait_states(trace)
    assert found is not None
    assert known.waits is not None
    assert known.waits.until.tolist() == found.until.tolist()
    assert known.waits.whom.tolist() == found.whom.tolist()
    latest: dict[int, tuple[int, int]] = {}
    messages = trace.messages
    for i in range(len(messages)):
        call, send = messages.completion_call[i], messages.send_call[i]
        if call >= 0 and send >= 0:
            sent = int(trace.calls.enter[send])
            if sent > latest.get(int(call), (-1, -1))[0]:
                latest[int(call)] = (sent, int(messages.sender[i]))
    assert latest
    for call, (sent, sender) in latest.items():
        if found.until[call] == sent:
            assert found.whom[call] in (
                sender,
                *messages.sender[
                    (messages.completion_call == call)
                    & (trace.calls.enter[messages.send_call] == sent)
                ],
            )
        else:
            assert found.until[call] > sent  # a collective operation that it is, too


def test_chains_end_at_ranks_that_wait_for_nobody(known: Analysis) -> None:
    trace = known.trace
    assert known.waits is not None
    seen = 0
    for time in times_of(trace):
        found = wait_chains(TimeCursor(trace), known.waits, time)
        whom = waiting_for(TimeCursor(trace), known.waits, time)
        np.testing.assert_array_equal(found.whom, whom)
        held = np.zeros(trace.ranks, int)
        for rank in range(trace.ranks):
            way = [rank]
            while whom[way[-1]] >= 0 and len(way) <= trace.ranks:
                way.append(int(whom[way[-1]]))
            if len(way) > trace.ranks:
                assert found.depth[rank] == -1
                continue
            assert found.of(rank) == way
            assert found.depth[rank] == len(way) - 1
            for other in way[1:]:
                held[other] += 1
        np.testing.assert_array_equal(
            found.held[found.depth >= 0], held[found.depth >= 0]
        )
        assert len(found.longest) == (0 if held.max() == 0 else found.depth.max() + 1)
        seen = max(seen, int(held.max()))
        counts = ask(known, "held", time, (0, 1))
        np.testing.assert_array_equal(counts.values, held)
    assert seen > 0


def test_a_circle_is_told_apart() -> None:
    from topoview.live.moments.wait_chains import _trees

    whom = np.array([1, 2, 0, 0, -1, 4], np.int32)
    depth, held = _trees(whom)
    assert depth.tolist() == [-1, -1, -1, -1, 0, 1]
    assert held[4] == 1


def test_share_of_the_window_for_late_ranks(known: Analysis) -> None:
    trace = known.trace
    assert known.waits is not None
    length = trace.clock.length
    for window in ((0, length), (length // 3, length // 2)):
        found = ask(known, "late-window", 0, window)
        for rank in range(trace.ranks):
            low, high = trace.calls.offsets[rank : rank + 2]
            late = 0
            for call in range(low, high):
                until = min(known.waits.until[call], trace.calls.leave[call], window[1])
                late += max(until - max(trace.calls.enter[call], window[0]), 0)
            begin, end = trace.timeline.offsets[rank : rank + 2]
            times = trace.timeline.time[begin:end].tolist()
            states = trace.timeline.state[begin:end].tolist()
            recorded = sum(
                max(min(until, window[1]) - max(since, window[0]), 0)
                for since, until, state in zip(
                    times, [*times[1:], 1 << 60], states, strict=True
                )
                if state != TimeState.OUTSIDE
            )
            assert found.values[rank] == pytest.approx(late / recorded)


def test_counters_of_a_real_trace(real_trace: Callable[[str], Trace]) -> None:
    known = first_look(real_trace("sp-twophase-6x6-user-metrics"))
    trace = known.trace
    names = [name for name in offered(known) if name.startswith("counter-")]
    assert [row_of(name, known).text for name in names] == [  # type: ignore[union-attr]
        "ru_utime, % of window",
        "ru_maxrss",
    ]
    records = next(r for r in trace.further if r.name == "Metric")
    place = records.column("place")
    length = trace.clock.length
    time = int(0.9 * length)
    memory = ask(known, "counter-0-1", time, (0, length))
    grown = ask(known, "counter-0-0", time, (length // 2, length))
    numbers = records.numbers()
    for rank in range(trace.ranks):
        low, high = records.offsets[rank : rank + 2]
        own = [i for i in range(low, high) if place[i] == 1 and records.time[i] <= time]
        assert memory.values[rank] == numbers[own[-1]] * 1024
        own = [i for i in range(low, high) if place[i] == 0]
        at = records.time[own]
        ends = np.interp([length // 2, length], at, numbers[own] * 1e-6)
        rate = (ends[1] - ends[0]) / trace.clock.seconds(length - length // 2)
        assert grown.values[rank] == pytest.approx(rate)


def test_threads_of_a_real_trace(real_trace: Callable[[str], Trace]) -> None:
    known = first_look(real_trace("ez-threads-halo"))
    trace = known.trace
    line = trace.timeline
    for time in times_of(trace):
        found = ask(known, "threads", time, (0, 1))
        for rank in range(trace.ranks):
            states = [
                line.state[line.at(time)[row]]
                for row in range(trace.ranks, line.rows)
                if trace.locations[row].rank == rank
            ]
            busy = np.mean([state != TimeState.OUTSIDE for state in states])
            assert found.values[rank] == pytest.approx(busy)
    assert "gpu" not in offered(known)
    share = ask(known, "threads-window", 0, (0, trace.clock.length))
    assert (share.values > 0).all()
    assert (share.values < 1).all()


@pytest.mark.parametrize(
    ("name", "colour", "kind"),
    [
        ("sp-threads-halo", "thread-region", "thread"),
        ("public-casita-2_cuda_simple", "gpu-region", "accelerator"),
    ],
)
def test_regions_of_other_locations(
    real_trace: Callable[[str], Trace], name: str, colour: str, kind: str
) -> None:
    known = first_look(real_trace(name))
    trace = known.trace
    line, told = trace.timeline, set()
    rows = [
        row
        for row in range(trace.ranks, line.rows)
        if trace.locations[row].kind == kind
    ]
    for time in np.linspace(0, trace.clock.length, 200).astype(int).tolist():
        found, at = ask(known, colour, time, (0, 1)), line.at(time)
        for rank in range(trace.ranks):
            own = [
                int(line.region[at[row]])
                for row in rows
                if trace.locations[row].rank == rank and line.region[at[row]] >= 0
            ]
            if not own:
                assert np.isnan(found.values[rank])
                continue
            most = max(sorted(set(own)), key=own.count)
            assert found.names[int(found.values[rank])] == trace.regions.title(most)
            told.add(most)
    assert told


def test_gpu_streams_and_regions(real_trace: Callable[[str], Trace]) -> None:
    known = first_look(real_trace("public-casita-2_cuda_simple"))
    assert "gpu" in offered(known)
    share = ask(known, "gpu-window", 0, (0, known.trace.clock.length))
    assert ((share.values > 0) & (share.values < 1)).all()
    time = known.trace.clock.length // 2
    region = ask(known, "region", time, (0, 1))
    at = known.trace.timeline.at(time)
    for rank in range(2):
        name = known.trace.regions.names[known.trace.timeline.region[at[rank]]]
        assert region.names[int(region.values[rank])] == name


def test_the_range_of_a_window(known: Analysis) -> None:
    length = known.trace.clock.length
    values = ColouringValues()
    asked = ColouringRequest(known, 0, (length // 3, length // 2))
    ends = values.span("done", asked)
    first = ask(known, "done", length // 3, (0, 1)).values.min()
    last = ask(known, "done", length // 2 - 1, (0, 1)).values.max()
    assert ends == (first, last)
    assert values.span("state", asked) is None


def test_the_searches_of_a_frame(known: Analysis) -> None:
    trace = known.trace
    calls = trace.calls
    for time in [0, *times_of(trace), trace.clock.length, 10 * trace.clock.length]:
        found = TimeCursor(trace).intervals(time)
        np.testing.assert_array_equal(found, trace.timeline.at(time)[: trace.ranks])
        last, inside = calls_at(trace, time)
        for rank in range(trace.ranks):
            low, high = calls.offsets[rank : rank + 2]
            before = low + np.sum(calls.enter[low:high] <= time)
            assert last[rank] == before - 1
            expected = before > low and calls.leave[before - 1] > time
            assert inside[rank] == expected


def test_the_foremost_state_since_the_last_frame(known: Analysis) -> None:
    trace = known.trace
    line = trace.timeline
    times = times_of(trace)
    for begin, end in pairwise(times):
        found = moment(trace, end, begin)
        assert found.begin == begin
        for rank in range(trace.ranks):
            low, high = line.offsets[rank : rank + 2]
            seen = [
                int(STATE_PRIORITY[line.state[i]])
                for i in range(low, high)
                if line.time[i] <= end
                and (i + 1 == high or line.time[i + 1] > begin or line.time[i] == end)
            ]
            assert STATE_PRIORITY[found.state[rank]] == max(seen)


def test_nobody_waits_in_a_trace_without_calls() -> None:
    """Damage may leave the messages of a trace whose calls are lost."""
    trace = traces.simulated("torus", (4, 3))
    kept = trace.calls
    lost = Calls(
        np.zeros_like(kept.offsets),
        kept.region[:0],
        kept.enter[:0],
        kept.leave[:0],
        kept.completes[:0],
        kept.path[:0],
        kept.kept[:0],
    )
    found = wait_states(replace(trace, calls=lost))
    assert found is not None
    assert not len(found.until)
