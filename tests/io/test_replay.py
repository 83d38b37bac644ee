"""Intervals and calls, held against a slow reading of the rules."""

# ruff: noqa: ANN001, ANN201 - plain numbers all

import numpy as np
import replayed
from hypothesis import given
from hypothesis import strategies as st
from otf2_reader.reading import count_from
from otf2_reader.replay import BEFORE, Paths, Row
from replayed import IRECV, ISEND, MAIN, RECV, SEND, SOLVE, WAIT, calls, run, still_open

from topoview.io import record_types as kinds
from topoview.io.decoder.window import origins
from topoview.model import TimeState

ENTER, LEAVE, MEASUREMENT = kinds.ENTER, kinds.LEAVE, kinds.MEASUREMENT
ON, OFF = 1, 2
OUTSIDE, COMPUTE = int(TimeState.OUTSIDE), int(TimeState.COMPUTE)


def without_call(stack):
    """Keep what is open around the call that is open."""
    called = (n for n, ref in enumerate(stack) if replayed.OPERATION[ref] >= 0)
    return stack[: next(called, len(stack))]


def shown(events, idle=COMPUTE):  # noqa: C901 - as the rules are
    """State and region from each time on, by keeping everything in a dict."""
    stack, off, cut, at = [], False, False, {BEFORE: (OUTSIDE, -1)}
    moves = [(kind == ENTER, ref) for kind, _, ref in events if kind in (ENTER, LEAVE)]
    for kind, time, reference in events:
        moves = moves[kind in (ENTER, LEAVE) :]
        if kind == ENTER:
            if cut and replayed.OPERATION[reference] >= 0:
                stack, cut = without_call(stack), False  # it was left meanwhile
            stack.append(reference)
        elif kind == LEAVE:
            cut = False
            if reference in stack:
                stack = [stack[n] for n in still_open(stack, reference, moves)]
        else:
            if reference == OFF and not off:
                cut = without_call(stack) != stack
            off = reference == OFF
        if off:
            at[time] = (OUTSIDE, -1)
        elif stack:
            at[time] = (int(replayed.STATE[stack[-1]]), stack[-1])
        else:
            at[time] = (idle, -1)
    at[max(event[1] for event in events)] = (OUTSIDE, -1)
    merged = []
    for time in sorted(at):
        if not merged or merged[-1][1:] != at[time]:
            merged.append((time, *at[time]))
    return merged


sequences = st.lists(
    st.tuples(
        st.sampled_from([ENTER, ENTER, LEAVE, LEAVE, MEASUREMENT]),
        st.integers(0, 3),
        st.integers(0, 6),
    ),
    min_size=1,
    max_size=40,
)


@given(sequences, st.booleans())
def test_intervals_follow_the_rules(steps, sparse):
    time, events = 5, []
    for kind, step, reference in steps:
        time += step
        mode = ON if reference % 2 else OFF
        events.append((kind, time, mode if kind == MEASUREMENT else reference))
    scale = 1 << 20 if sparse else 1
    coded = [
        (kind, time, ref if kind == MEASUREMENT else ref * scale)
        for kind, time, ref in events
    ]
    row = run(coded, sparse=sparse)
    found = list(zip(row.time, row.state, row.region, strict=True))
    assert found == shown(events)


@given(sequences)
def test_calls_do_not_overlap(steps):
    events = [(kind, 10 * i, ref % 7 or 1) for i, (kind, _, ref) in enumerate(steps)]
    row = run(events)
    ends = [0, *(leave for _, _, leave in calls(row))]
    for (region, enter, leave), before in zip(calls(row), ends, strict=False):
        assert replayed.OPERATION[region] >= 0
        assert before <= enter <= leave


@given(sequences, st.booleans())
def test_paths_are_the_regions_that_are_open(steps, sparse):
    """Those around each call; one within a call is part of it."""
    scale = 1 << 20 if sparse else 1
    events = [(kind, 10 * i, ref % 7) for i, (kind, _, ref) in enumerate(steps)]
    stack, expected, kept, least = [], [], [], 0
    off = cut = False
    for kind, _, ref in events:
        if kind == MEASUREMENT:
            if ref != ON and not off:
                cut = without_call(stack) != stack
            off = ref != ON
        if kind == ENTER:
            if cut and replayed.OPERATION[ref] >= 0:
                stack, cut = without_call(stack), False
                least = min(least, len(stack))
            if replayed.OPERATION[ref] >= 0 and all(
                replayed.OPERATION[other] < 0 for other in stack
            ):
                expected.append(list(stack))
                kept.append(least)
                least = len(stack)
            stack.append(ref)
        elif kind == LEAVE:
            cut = False
            while ref in stack and stack.pop() != ref:
                pass
            least = min(least, len(stack))
    coded = [
        (kind, time, ref if kind == MEASUREMENT else ref * scale)
        for kind, time, ref in events
    ]
    paths = Paths()
    row = run(coded, sparse=sparse, paths=paths)
    found = paths.as_model()
    assert [list(found.regions_of(path)) for path in row.path] == expected
    assert row.kept == kept


def test_a_call_within_a_call_is_part_of_it():
    events = [(ENTER, 1, SEND), (ENTER, 2, ISEND), (LEAVE, 3, ISEND), (LEAVE, 4, SEND)]
    assert calls(run(events)) == [(SEND, 1, 4)]


def test_a_call_that_never_ends_does_not_swallow_the_next():
    """EZTrace's Ibarrier begins and never ends."""
    events = [(ENTER, 1, MAIN), (ENTER, 2, IRECV), (ENTER, 5, WAIT), (LEAVE, 6, WAIT)]
    row = run([*events, (LEAVE, 9, MAIN)], flat=True)
    assert calls(row) == [(IRECV, 2, 5), (WAIT, 5, 6)]
    assert row.region == [-1, MAIN, IRECV, WAIT, MAIN, -1]


def test_regions_that_are_not_nested_are_tolerated():
    """HPX: A and B overlap; each lasts to its own end."""
    events = [(ENTER, 1, MAIN), (ENTER, 2, SOLVE), (LEAVE, 3, MAIN), (LEAVE, 4, SOLVE)]
    row = run(events)
    assert row.region == [-1, MAIN, SOLVE, -1]
    assert row.state == [OUTSIDE, COMPUTE, COMPUTE, OUTSIDE]
    assert row.unbalanced == 1


def test_a_worker_thread_is_outside_when_it_does_nothing():
    events = [
        (ENTER, 1, SOLVE),
        (LEAVE, 2, SOLVE),
        (ENTER, 3, SOLVE),
        (LEAVE, 4, SOLVE),
    ]
    assert run(events, idle=OUTSIDE).state == [0, COMPUTE, 0, COMPUTE, 0]


def test_time_never_goes_back():
    row = run([(ENTER, 5, MAIN), (ENTER, 3, SEND), (LEAVE, 9, SEND)])
    assert calls(row) == [(SEND, 5, 9)]


def test_a_location_without_events_is_one_interval():
    row = run([])
    assert (row.time, row.state, row.region) == ([BEFORE], [OUTSIDE], [-1])


def test_an_unknown_region_is_computing():
    row = run([(ENTER, 1, 99), (LEAVE, 2, 99)])
    assert (row.state, row.region) == ([OUTSIDE, COMPUTE, OUTSIDE], [-1, -1, -1])


def test_records_belong_to_the_call_that_they_are_in():
    events = [
        (ENTER, 1, RECV),
        (kinds.RECV, 2, 3, 1, 7, 64),
        (LEAVE, 3, RECV),
        (kinds.SEND, 4, 2, 0, 5, 8),
    ]
    row = run(events)
    assert [record.call for record in row.records] == [0, 0]
    assert [record.partner for record in row.records] == [3, 2]
    assert [record.tag for record in row.records] == [7, 5]
    assert [record.communicator for record in row.records] == [1, 0]
    assert [record.size for record in row.records] == [64, 8]


def test_times_are_counted_from_the_beginning():
    rows = [
        Row([BEFORE, 10, 12], [0, 1, 0], [-1, 4, -1]),
        Row([BEFORE, 15, 20], [0, 2, 0], [-1, 5, -1]),
        Row([BEFORE], [0], [-1]),
    ]
    first, rank = np.array([10, 15, -1]), np.array([0, 1, 1], np.int32)
    aligned = origins(first, rank, aligned=True)
    assert aligned.tolist() == [10, 10, 10]
    assert origins(first, rank, aligned=False).tolist() == [10, 15, 15]
    for row, origin in zip(rows, aligned.tolist(), strict=True):
        count_from(row, origin)
    assert [row.time for row in rows] == [[0, 2], [0, 5, 10], [0]]
    assert [row.state for row in rows] == [[1, 0], [0, 2, 0], [0]]


def test_without_any_event_the_beginning_is_zero():
    never = np.array([-1, -1])
    assert origins(never, np.array([0, 1], np.int32), aligned=True).tolist() == [0, 0]
