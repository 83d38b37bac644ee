"""Clocks that are not aligned: what was moved apart is found together again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from simulation import Program, simulate
from writer import write_trace

from topoview.base.progress import silent
from topoview.io.clocks.bounds import find_clock_bounds
from topoview.io.clocks.correction import find_clock_offsets
from topoview.io.decoder.decoding import MessageTally, RecordedEvents
from topoview.io.otf2 import DefinedTrace
from topoview.io.reading.whole import WholeTrace
from topoview.model import EventRecords, Messages, Subset, TimeState, Trace
from topoview.store.arrays import MemoryAllocator
from topoview.topology.lattices.lattice import lattice
from topoview.worker import open_trace


def recorded(trace: Trace, aligned: bool = False) -> RecordedEvents:
    """Take a trace as if each rank's first event were time 0."""
    rank = np.array([place.rank for place in trace.locations], np.int32)
    line, calls, messages = trace.timeline, trace.calls, trace.messages
    begin = np.array(
        [
            int(
                line.time[
                    low + (line.state[low] == TimeState.OUTSIDE and high > low + 1)
                ]
            )
            for low, high in zip(line.offsets[:-1], line.offsets[1:], strict=True)
        ]
    )[: trace.ranks]
    of_row = begin[rank]
    times = np.maximum(line.time - np.repeat(of_row, np.diff(line.offsets)), 0)
    keep = np.ones(len(times), np.bool_)
    first = line.offsets[:-1][: trace.ranks]
    keep[first] = begin == 0
    counts = np.add.reduceat(keep, line.offsets[:-1])
    late = np.repeat(of_row, np.diff(calls.offsets))
    ends = [
        np.where(time < 0, -1, time - begin[who])
        for time, who in (
            (messages.send_time, messages.sender),
            (messages.receive_time, messages.receiver),
        )
    ]
    return RecordedEvents(
        timeline=replace(
            line,
            offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            time=times[keep],
            state=line.state[keep],
            region=line.region[keep],
        ),
        calls=replace(calls, enter=calls.enter - late, leave=calls.leave - late),
        messages=replace(messages, send_time=ends[0], receive_time=ends[1]),
        collectives=trace.collectives,
        tally=MessageTally(
            0, 0, 0, int(np.sum((ends[0] > ends[1]) & (ends[1] >= 0))), 0
        ),
        count=trace.events,
        origin=0,
        last=line.time[line.offsets[1:] - 1] - of_row,
        first=np.zeros(len(of_row), np.int64),
        open_word=np.full(len(of_row), -1, np.int64),
        aligned=aligned,
    )


def aligned_again(trace: Trace, found: RecordedEvents) -> RecordedEvents:
    rank = np.array([place.rank for place in trace.locations], np.int32)
    whole = WholeTrace(
        cast("DefinedTrace", SimpleNamespace(
            rank_of_row=rank, ranks=trace.ranks, regions=trace.regions,
            communicators=SimpleNamespace(items=trace.communicators),
            files=SimpleNamespace(resolution=trace.clock.resolution),
        )),
        Subset(), MemoryAllocator(), silent,
    )  # fmt: skip
    whole._events = found
    whole.finish(None, whole.correct(None), None, 0)
    return whole.events


def moved_apart(trace: Trace, seed: int) -> Trace:
    """Let every rank begin later by up to the trace's length."""
    random = np.random.default_rng(seed)
    late = random.integers(1, trace.clock.length, trace.ranks)
    late[random.integers(trace.ranks)] = 0
    line, calls, messages = trace.timeline, trace.calls, trace.messages
    rows = np.repeat(late, np.diff(line.offsets))
    first = line.offsets[:-1]
    rows[first] = 0
    has = late > 0
    lead = np.where(has & (line.state[first] != TimeState.OUTSIDE))[0]
    time = np.insert(line.time + rows, first[lead] + 1, late[lead])
    state = np.insert(line.state, first[lead], TimeState.OUTSIDE)
    region = np.insert(line.region, first[lead], -1)
    extra = np.zeros(len(line.offsets), np.int64)
    np.add.at(extra, lead + 1, 1)
    of_call = np.repeat(late, np.diff(calls.offsets))
    return replace(
        trace,
        clock=replace(trace.clock, length=trace.clock.length + int(late.max())),
        timeline=replace(
            line,
            offsets=line.offsets + np.cumsum(extra),
            time=time,
            state=state,
            region=region,
        ),
        calls=replace(calls, enter=calls.enter + of_call, leave=calls.leave + of_call),
        messages=replace(
            messages,
            send_time=messages.send_time + late[messages.sender],
            receive_time=messages.receive_time + late[messages.receiver],
        ),
        producer="EZTrace",
    )


@pytest.mark.parametrize("seed", range(4))
def test_written_apart_and_read_together(
    seed: int, simulated: Callable[..., Trace], tmp_path: Path
) -> None:
    trace = simulated("torus", (4, 3))
    path = write_trace(moved_apart(trace, seed), tmp_path / "apart")
    read = open_trace(path)
    done = read.clock.alignment
    assert done is not None
    assert read.clock.aligned
    assert (done.slack, done.after, done.unbounded) == (0, 0, 0)
    apart = read.calls.enter - trace.calls.enter
    allowed = 2 * (done.half_width + done.half_width.max()) + 2
    row = np.repeat(np.arange(read.ranks), np.diff(read.calls.offsets))
    assert (np.abs(apart - apart[0]) <= allowed[row]).all()
    np.testing.assert_array_equal(
        read.calls.leave - read.calls.enter, trace.calls.leave - trace.calls.enter
    )
    late = read.messages.receive_time < read.messages.send_time
    assert not late.any()
    check_timeline(read)


def check_timeline(trace: Trace) -> None:
    """Hold the timeline to what the model promises, and calls to the timeline."""
    line = trace.timeline
    assert (line.time[line.offsets[:-1]] == 0).all()
    assert trace.clock.length == line.time.max()
    for row in range(line.rows):
        here = slice(line.offsets[row], line.offsets[row + 1])
        assert (np.diff(line.time[here]) > 0).all()
        both = np.stack([line.state[here], line.region[here]])
        assert (np.diff(both, axis=1) != 0).any(axis=0).all()
        calls = slice(trace.calls.offsets[row], trace.calls.offsets[row + 1])
        assert np.isin(trace.calls.enter[calls], line.time[here]).all()


@pytest.mark.parametrize(
    "name",
    [
        *("sp-bt-16", "sp-jacobi2d-6x6-idlewave", "sp-cg-32", "sp-threads-halo"),
        *("sp-jacobi2d-8x4-periodic-idlewave", "sp-rowcol-6x4"),
    ],
)
def test_clocks_of_score_p_are_recovered(
    name: str, real_trace: Callable[[str], Trace]
) -> None:
    trace = real_trace(name)
    found = aligned_again(trace, recorded(trace))
    done = found.alignment
    assert found.aligned
    assert done is not None
    assert done.offset.min() == 0
    rank = np.array([place.rank for place in trace.locations], np.int32)
    rows = len(trace.calls.offsets) - 1
    of_call = np.repeat(rank[:rows], np.diff(trace.calls.offsets))
    error = trace.clock.seconds(1) * (found.calls.enter - trace.calls.enter)
    half = trace.clock.seconds(1) * done.half_width
    reference = int(np.argmin(done.half_width))
    error -= error[of_call == reference][0]
    assert (np.abs(error) <= half[of_call] + 100e-6).all()
    assert trace.clock.seconds(found.tally.worst) <= 20e-6


@pytest.mark.parametrize("every", [0, 4])
def test_shifts_of_a_thousand_clocks_are_found_again(every: int) -> None:
    """By messages alone, and with collective operations; within what is told."""
    torus = lattice((32, 32), (True, True))
    trace = simulate(Program(torus, iterations=8, allreduce_every=every))
    parts = trace.collectives
    if not every:
        none = {name: column[:0] for name, column in parts.columns().items()}
        parts = replace(parts, **none)
    rng = np.random.default_rng(every)
    shift = rng.integers(0, 6 * 10**9, trace.ranks)
    of_call = np.repeat(shift, np.diff(trace.calls.offsets))
    calls, messages = trace.calls, trace.messages
    bounds = find_clock_bounds(
        trace.ranks,
        replace(
            messages,
            send_time=messages.send_time + shift[messages.sender],
            receive_time=messages.receive_time + shift[messages.receiver],
        ),
        replace(calls, enter=calls.enter + of_call, leave=calls.leave + of_call),
        parts,
        trace.regions,
        np.array([len(c.ranks) for c in trace.communicators], np.int64),
        np.arange(trace.ranks, dtype=np.int32),
    )
    found = find_clock_offsets(trace.ranks, bounds)
    assert found.slack == 0
    error = np.abs(found.offset + shift - shift[0])
    assert (error <= found.half_width + 1).all()
    # The farthest ranks are 32 messages of some 3 us apart.
    assert 0 < np.median(found.half_width) < 32 * 3000
    assert np.median(error) < np.median(found.half_width) / 4


def test_aligned_clocks_are_left_alone(simulated: Callable[..., Trace]) -> None:
    trace = simulated("torus", (4, 3))
    found = recorded(trace, aligned=True)
    assert aligned_again(trace, found) is found


def test_clocks_without_bounds_stay_unaligned(simulated: Callable[..., Trace]) -> None:
    trace = simulated("torus", (4, 3))
    found = recorded(trace)
    none = {name: column[:0] for name, column in trace.messages.columns().items()}
    parts = {name: column[:0] for name, column in trace.collectives.columns().items()}
    found = replace(
        found,
        messages=Messages(**none),
        collectives=replace(trace.collectives, **parts),
    )
    assert aligned_again(trace, found) is found


def test_further_records_move_with_their_row(simulated: Callable[..., Trace]) -> None:
    trace = simulated("torus", (4, 3))
    rows = np.arange(trace.ranks + 1)
    flush = EventRecords(
        "BufferFlush",
        ("stop",),
        rows,
        np.full(trace.ranks, 5, np.int64),
        np.full((trace.ranks, 1), 9, np.int64),
    )
    found = replace(
        recorded(moved_apart(trace, 1)), further=(flush,), last=np.full(12, 10)
    )
    shifted = aligned_again(trace, found)
    assert shifted.alignment is not None
    offset = shifted.alignment.offset
    assert offset.max() > 0
    np.testing.assert_array_equal(shifted.further[0].time, 5 + offset)
    np.testing.assert_array_equal(shifted.further[0].values[:, 0], 9 + offset)


def test_some_ranks_are_aligned_among_themselves(
    simulated: Callable[..., Trace], tmp_path: Path
) -> None:
    trace = moved_apart(simulated("torus", (4, 3)), 2)
    path = write_trace(trace, tmp_path / "apart")
    some = open_trace(path, subset=Subset(ranks=((1, 6),)))
    done = some.clock.alignment
    assert done is not None
    assert np.flatnonzero(done.half_width >= 0).tolist() == [1, 2, 3, 4, 5, 6]
    assert done.after == 0
