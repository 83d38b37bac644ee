"""Intervals and calls, held against a slow reading of the rules."""

# ruff: noqa: ANN001, ANN201 - plain numbers all

import numpy as np
import tapes
from hypothesis import given
from hypothesis import strategies as st
from otf2_reader import callbacks as kinds
from otf2_reader.columns import BEFORE
from otf2_reader.settle import settle_intervals
from tapes import IRECV, ISEND, MAIN, RECV, SEND, SOLVE, WAIT

from topoview.io.decoder.window import origins
from topoview.model import MPIState

ENTER, LEAVE, MEASUREMENT = kinds.ENTER, kinds.LEAVE, kinds.MEASUREMENT
ON, OFF = 1, 2
OUTSIDE, COMPUTE = int(MPIState.OUTSIDE), int(MPIState.COMPUTE)


def shown(events, idle=COMPUTE):
    """State and region from each time on, by keeping everything in a dict."""
    stack, off, at = [], False, {BEFORE: (OUTSIDE, -1)}
    for kind, time, reference in events:
        if kind == ENTER:
            stack.append(reference)
        elif kind == LEAVE:
            if reference in stack:
                while stack.pop() != reference:
                    pass
        else:
            off = reference == OFF
        if off:
            at[time] = (OUTSIDE, -1)
        elif stack:
            at[time] = (int(tapes.STATE[stack[-1]]), stack[-1])
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


@given(sequences, st.integers(1, 4), st.booleans())
def test_intervals_follow_the_rules(steps, batches, sparse):
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
    row = tapes.run(coded, batches=batches, sparse=sparse)
    found = list(zip(row.time, row.state, row.region, strict=True))
    assert found == shown(events)


@given(sequences)
def test_calls_do_not_overlap(steps):
    events = [(kind, 10 * i, ref % 7 or 1) for i, (kind, _, ref) in enumerate(steps)]
    row = tapes.run(events)
    ends = [0, *(leave for _, _, leave in row.calls)]
    for (region, enter, leave), before in zip(row.calls, ends, strict=False):
        assert tapes.OPERATION[region] >= 0
        assert before <= enter <= leave


@given(sequences, st.integers(1, 4), st.booleans())
def test_paths_are_the_regions_that_are_open(steps, batches, sparse):
    """Those around each call; one within a call is part of it."""
    scale = 1 << 20 if sparse else 1
    events = [(kind, 10 * i, ref % 7) for i, (kind, _, ref) in enumerate(steps)]
    stack, expected, kept, least = [], [], [], 0
    for kind, _, ref in events:
        if kind == ENTER:
            if tapes.OPERATION[ref] >= 0 and all(
                tapes.OPERATION[other] < 0 for other in stack
            ):
                expected.append(list(stack))
                kept.append(least)
                least = len(stack)
            stack.append(ref)
        elif kind == LEAVE and ref in stack:
            while stack.pop() != ref:
                pass
            least = min(least, len(stack))
    coded = [
        (kind, time, ref if kind == MEASUREMENT else ref * scale)
        for kind, time, ref in events
    ]
    row = tapes.run(coded, batches=batches, sparse=sparse)
    assert row.paths == expected
    assert row.kept == kept


def test_a_call_within_a_call_is_part_of_it():
    events = [(ENTER, 1, SEND), (ENTER, 2, ISEND), (LEAVE, 3, ISEND), (LEAVE, 4, SEND)]
    assert tapes.run(events).calls == [(SEND, 1, 4)]


def test_a_call_that_never_ends_does_not_swallow_the_next():
    """EZTrace's Ibarrier begins and never ends."""
    events = [(ENTER, 1, MAIN), (ENTER, 2, IRECV), (ENTER, 5, WAIT), (LEAVE, 6, WAIT)]
    row = tapes.run([*events, (LEAVE, 9, MAIN)], flat=True)
    assert row.calls == [(IRECV, 2, 5), (WAIT, 5, 6)]
    assert row.region == [-1, MAIN, IRECV, WAIT, MAIN, -1]


def test_regions_that_are_not_nested_are_tolerated():
    """HPX: A and B overlap; leaving A ends B as well."""
    events = [(ENTER, 1, MAIN), (ENTER, 2, SOLVE), (LEAVE, 3, MAIN), (LEAVE, 4, SOLVE)]
    row = tapes.run(events)
    assert row.region == [-1, MAIN, SOLVE, -1, -1]
    assert row.state == [OUTSIDE, COMPUTE, COMPUTE, COMPUTE, OUTSIDE]
    assert row.unbalanced == 2


def test_a_worker_thread_is_outside_when_it_does_nothing():
    events = [
        (ENTER, 1, SOLVE),
        (LEAVE, 2, SOLVE),
        (ENTER, 3, SOLVE),
        (LEAVE, 4, SOLVE),
    ]
    assert tapes.run(events, idle=OUTSIDE).state == [0, COMPUTE, 0, COMPUTE, 0]


def test_time_never_goes_back():
    row = tapes.run([(ENTER, 5, MAIN), (ENTER, 3, SEND), (LEAVE, 9, SEND)])
    assert row.calls == [(SEND, 5, 9)]


def test_a_location_without_events_is_one_interval():
    row = tapes.run([])
    assert (row.time, row.state, row.region) == ([BEFORE], [OUTSIDE], [-1])


def test_an_unknown_region_is_computing():
    row = tapes.run([(ENTER, 1, 99), (LEAVE, 2, 99)])
    assert (row.state, row.region) == ([OUTSIDE, COMPUTE, OUTSIDE], [-1, -1, -1])


def test_records_belong_to_the_call_that_they_are_in():
    events = [
        (ENTER, 1, RECV),
        (kinds.RECEIVE, 2, 3, 1, 7, 64),
        (LEAVE, 3, RECV),
        (kinds.SEND, 4, 2, 0, 5, 8),
    ]
    row = tapes.run(events, batches=2)
    assert row.columns.call[: row.records].tolist() == [0, 0]
    assert row.columns.partner[: row.records].tolist() == [3, 2]
    assert row.columns.tag[: row.records].tolist() == [7, 5]
    assert row.columns.communicator[: row.records].tolist() == [1, 0]
    assert row.columns.size[: row.records].tolist() == [64, 8]


def test_times_are_counted_from_the_beginning():
    offsets = np.array([0, 3, 6, 7])
    time = np.array([BEFORE, 10, 12, BEFORE, 15, 20, BEFORE])
    state = np.array([0, 1, 0, 0, 2, 0, 0], np.uint8)
    region = np.array([-1, 4, -1, -1, 5, -1, -1], np.int32)
    first, rank = np.array([10, 15, -1]), np.array([0, 1, 1], np.int32)
    aligned = origins(first, rank, aligned=True)
    assert aligned.tolist() == [10, 10, 10]
    assert origins(first, rank, aligned=False).tolist() == [10, 15, 15]
    kept = settle_intervals(offsets, time, state, region, aligned)
    assert offsets.tolist() == [0, 2, 5, 6]
    assert time[:kept].tolist() == [0, 2, 0, 5, 10, 0]
    assert state[:kept].tolist() == [1, 0, 0, 2, 0, 0]


def test_without_any_event_the_beginning_is_zero():
    never = np.array([-1, -1])
    assert origins(never, np.array([0, 1], np.int32), aligned=True).tolist() == [0, 0]
