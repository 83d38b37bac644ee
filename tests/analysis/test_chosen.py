"""Selected calls, their messages and profiles against plain loops."""

import numpy as np
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from traces import profile_of_run

from topoview.analysis.logical.iterations import iterations
from topoview.live.moments.moment import call_at, moment
from topoview.live.moments.window_sums import profile_within
from topoview.live.picking.occurrences import (
    most_waiting,
    occurrences,
    step_to_occurrence,
)
from topoview.live.picking.selection import (
    selected_edges,
    selected_messages,
    selected_spans,
)
from topoview.logical.listing import lines
from topoview.model import Analysis, TimeState, statements_of_lines
from topoview.report.profile import function_table, state_table
from topoview.session import CallFilter


@pytest.fixture(scope="module")
def known() -> Analysis:
    return traces.analysed(traces.simulated("grid", (4, 3), iterations=6))


def by_hand(known: Analysis, wanted: CallFilter) -> list[int]:
    """Find the calls that are meant."""
    trace, logical = known.trace, known.logical
    assert logical is not None
    names = trace.regions.operations
    found = []
    for call in range(len(trace.calls)):
        name = names[trace.regions.operation[trace.calls.region[call]]]
        if wanted.operation:
            there = name == wanted.operation
        else:
            there = int(logical.statement_of_call[call]) in wanted.statements
        if there:
            found.append(call)
    return found


def wishes(known: Analysis) -> list[CallFilter]:
    assert known.logical is not None
    some = range(known.logical.statements)
    names = known.trace.regions.operations
    return [
        *(CallFilter((s,)) for s in some),
        CallFilter(tuple(some)),
        *(CallFilter(operation=name) for name in names),
    ]


def test_calls_messages_and_edges(known: Analysis) -> None:
    trace, messages = known.trace, known.trace.messages
    for wanted in wishes(known):
        calls = by_hand(known, wanted)
        spans = selected_spans(trace, known.logical, wanted)
        assert spans.call.tolist() == calls
        for rank in range(trace.ranks):
            own = spans.call[spans.offsets[rank] : spans.offsets[rank + 1]]
            begin, end = trace.calls.offsets[rank : rank + 2]
            assert own.tolist() == [c for c in calls if begin <= c < end]
            assert spans.ranks[rank] == bool(len(own))
        assert spans.enter.tolist() == trace.calls.enter[calls].tolist()
        among = set(calls)
        expected = [
            bool(among & {int(a), int(b), int(c)})
            for a, b, c in zip(
                messages.send_call,
                messages.receive_call,
                messages.completion_call,
                strict=True,
            )
        ]
        found = selected_messages(trace, known.logical, wanted=wanted)
        assert found.tolist() == expected
        ends = {
            (min(a, b), max(a, b))
            for a, b, there in zip(
                messages.sender.tolist(),
                messages.receiver.tolist(),
                expected,
                strict=True,
            )
            if there and a != b
        }
        edges = selected_edges(known, wanted)
        assert [tuple(edge) for edge in edges.tolist()] == sorted(ends)


@given(data=st.data())
def test_messages_of_a_window_and_of_ranks(
    known: Analysis, data: st.DataObject
) -> None:
    trace, messages = known.trace, known.trace.messages
    ends = st.integers(-5, trace.clock.length + 5)
    begin, end = sorted((data.draw(ends), data.draw(ends)))
    ranks = tuple(sorted(data.draw(st.sets(st.integers(0, 11)))))
    found = selected_messages(trace, None, window=(begin, end), ranks=ranks)
    for i, there in enumerate(found.tolist()):
        inside = begin <= messages.send_time[i] < end
        own = not ranks or messages.sender[i] in ranks or messages.receiver[i] in ranks
        assert there == (inside and own)


@given(data=st.data())
def test_the_profile_of_a_window(known: Analysis, data: st.DataObject) -> None:
    trace, calls = known.trace, known.trace.calls
    ends = st.integers(0, trace.clock.length)
    begin, end = sorted((data.draw(ends), data.draw(ends)))
    found = profile_within(known, (begin, end))
    names = trace.regions.operations
    for rank in range(trace.ranks):
        count = dict.fromkeys(names, 0)
        ticks = dict.fromkeys(names, 0)
        for call in range(calls.offsets[rank], calls.offsets[rank + 1]):
            name = names[trace.regions.operation[calls.region[call]]]
            enter, leave = int(calls.enter[call]), int(calls.leave[call])
            count[name] += begin <= enter < end
            ticks[name] += max(min(leave, end) - max(enter, begin), 0)
        for column, name in enumerate(found.operations):
            assert found.calls[rank, column] == count.pop(name)
            assert found.ticks[rank, column] == ticks.pop(name)
        assert not any(count.values())
        assert not any(ticks.values())


def test_the_whole_run_is_the_widest_window(known: Analysis) -> None:
    whole = profile_of_run(known.trace)
    found = profile_within(known, (0, known.trace.clock.length + 1))
    assert found.operations == whole.operations
    np.testing.assert_array_equal(found.calls, whole.calls)
    np.testing.assert_array_equal(found.ticks, whole.ticks)


@pytest.mark.parametrize("ranks", [None, (2, 5, 7)])
def test_lines_of_the_profile(known: Analysis, ranks: tuple[int, ...] | None) -> None:
    found = profile_of_run(known.trace)
    some = list(range(12)) if ranks is None else list(ranks)
    given_ = None if ranks is None else np.array(ranks)
    whole = sum(int(found.state_ticks[rank].sum()) for rank in some)
    second = known.trace.clock.resolution
    table = function_table(known.trace, found, given_)
    for row in table:
        column = found.operations.index(row["name"])
        ticks = [int(found.ticks[rank, column]) for rank in some]
        assert row["calls"] == sum(int(found.calls[r, column]) for r in some)
        sums = [row[key] * second for key in TIMES]
        assert sums == pytest.approx([sum(ticks), min(ticks), max(ticks)])
        assert ticks[some.index(row["most_rank"])] == max(ticks)
        assert ticks[some.index(row["least_rank"])] == min(ticks)
        assert row["share"] == pytest.approx(sum(ticks) / whole)
        if sum(ticks):
            mean = sum(ticks) / len(ticks)
            assert row["imbalance"] == pytest.approx(max(ticks) / mean - 1)
    states = state_table(known.trace, found, given_)
    assert states["seconds"].sum() * second == pytest.approx(whole)


TIMES = "seconds", "least_seconds", "most_seconds"


def test_instances_are_calls_one_by_one(known: Analysis) -> None:
    assert known.logical is not None
    trace = known.trace
    for wanted in wishes(known)[: known.logical.statements]:
        for rank in range(trace.ranks):
            begin, end = trace.calls.offsets[rank : rank + 2]
            expected = [c for c in by_hand(known, wanted) if begin <= c < end]
            own = occurrences(trace, known.logical, wanted, rank)
            assert own.tolist() == expected
            time, seen = -1, []
            while (step := step_to_occurrence(trace, own, rank, time, 1)) is not None:
                seen.append((step.call, step.number, step.count))
                time = step.begin
                assert call_at(trace, rank, time) == step.call
            count = len(expected)
            assert seen == [(c, k, count) for k, c in enumerate(expected, 1)]
            back = step_to_occurrence(trace, own, rank, time, -1)
            assert (back.call if back else None) == (
                expected[-2] if count > 1 else None
            )


def test_instances_of_a_loop_are_its_iterations(known: Analysis) -> None:
    assert known.logical is not None
    assert known.positions is not None
    listed = lines(known.logical)
    heads = [k for k, line in enumerate(listed) if line.kind == "loop"]
    assert heads
    for loop, head in enumerate(heads):
        wanted = CallFilter(statements_of_lines(listed, head, listed[head].end))
        for rank in range(known.trace.ranks):
            own = occurrences(
                *(known.trace, known.logical, wanted, rank),
                positions=known.positions,
                loop=loop,
            )
            turns = iterations(known.positions, own, loop)
            count = known.positions.loops[loop][0][-1].count
            assert turns.tolist() == [k + 1 for k in range(len(own))]
            assert len(own) % count == 0


def test_who_waits_longest(known: Analysis) -> None:
    trace, logical = known.trace, known.logical
    assert logical is not None
    wanted = CallFilter(tuple(range(logical.statements)))
    for time in np.linspace(0, trace.clock.length, 30).astype(int).tolist():
        found = most_waiting(trace, logical, wanted, time)
        now = moment(trace, time)
        assert found is not None
        waits = [
            time - int(now.since[rank])
            if TimeState.SEND <= now.state[rank] <= TimeState.BARRIER
            else -1
            for rank in range(trace.ranks)
        ]
        if max(waits) >= 0:
            assert waits[found] == max(waits)


@pytest.mark.traces
def test_a_loop_holds_the_statements_of_its_blocks() -> None:
    known = traces.analysis_of_real("sp-cg-32")
    assert known.logical is not None
    listed = lines(known.logical)
    everything = statements_of_lines(listed, 0, len(listed))
    assert everything == tuple(range(known.logical.statements))
    body = next(k for k, line in enumerate(listed) if line.kind == "block")
    assert statements_of_lines(listed, 0, body) == everything
