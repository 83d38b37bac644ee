"""Clock offsets against linear programs, simulated clocks, and Score-P's own."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from topoview.io.clocks import (
    ClockBounds,
    ClockOffsets,
    find_clock_bounds,
    find_clock_offsets,
    shortest_transfers,
)
from topoview.model import Indices, Ints, Trace


def bounds_of(nodes: int, rows: list[tuple[int, int, int]]) -> ClockBounds:
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return ClockBounds(
        nodes,
        columns[:, 0].astype(np.int32),
        columns[:, 1].astype(np.int32),
        columns[:, 2].copy(),
    )


def least_slack(bounds: ClockBounds) -> float:
    """Find the slack by which constraints must be loosened, as a linear program."""
    rows = np.zeros((len(bounds.most), bounds.nodes + 1))
    for row, (before, after) in enumerate(
        zip(bounds.before, bounds.after, strict=True)
    ):
        rows[row, before] += 1
        rows[row, after] -= 1
    rows[:, -1] = -1
    free = [(None, None)] * bounds.nodes
    cost = np.zeros(bounds.nodes + 1)
    cost[-1] = 1
    found = linprog(cost, rows, bounds.most, bounds=[*free, (0, None)])
    assert found.fun is not None
    return float(found.fun)


def shortfall(bounds: ClockBounds, found: ClockOffsets) -> int:
    """Ticks by which the worst constraint is not kept."""
    apart = found.offset[bounds.before] - found.offset[bounds.after]
    return int(np.max(apart - bounds.most, initial=0))


arcs = st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(-1000, 1000))


@given(st.lists(arcs.filter(lambda arc: arc[0] != arc[1]), max_size=40))
def test_slack_is_the_least_that_resolves_all_contradictions(
    rows: list[tuple[int, int, int]],
) -> None:
    bounds = bounds_of(8, rows)
    found = find_clock_offsets(8, bounds)
    assert shortfall(bounds, found) <= found.slack
    needed = least_slack(bounds) if rows else 0.0
    assert needed - 1e-6 <= found.slack <= needed + 1


@given(st.integers(2, 12), st.integers(0, 60), st.integers(0, 2**32 - 1))
def test_the_true_offset_lies_in_the_interval(
    ranks: int, count: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    true = random.integers(-(10**9), 10**9, ranks)
    true[0] = 0
    sender = random.integers(0, ranks, count).astype(np.int32)
    receiver = random.integers(0, ranks, count).astype(np.int32)
    sent = random.integers(10**10, 10**11, count)
    received = sent + random.integers(1, 10**6, count)
    before, after, most = shortest_transfers(
        ranks, sender, receiver, sent - true[sender], received - true[receiver]
    )
    pairs = {(int(a), int(b)) for a, b in zip(sender, receiver, strict=True) if a != b}
    assert set(zip(before.tolist(), after.tolist(), strict=True)) == pairs
    bounds = ClockBounds(ranks, before.astype(np.int32), after.astype(np.int32), most)
    found = find_clock_offsets(ranks, bounds)
    assert found.slack == 0
    assert shortfall(bounds, found) == 0
    known = found.half_width >= 0
    # The interval's middle may be moved within it, and is rounded.
    error = np.abs(found.offset - true)[known]
    assert np.all(error <= 2 * found.half_width[known] + 2)


def bounds_in(
    trace: Trace, shift: Ints
) -> tuple[ClockBounds, Indices]:  # the clock of each rank is `shift` late
    rows = len(trace.calls.offsets) - 1
    rank = np.array([place.rank for place in trace.locations[:rows]], np.int32)
    late = np.repeat(shift[rank], np.diff(trace.calls.offsets))
    calls, messages = trace.calls, trace.messages
    early = -int(shift.min(initial=0)) + int(shift.max(initial=0))
    sent = messages.send_time - shift[messages.sender] + early
    received = messages.receive_time - shift[messages.receiver] + early
    bounds = find_clock_bounds(
        trace.ranks,
        replace(
            messages,
            send_time=np.where(messages.send_time < 0, -1, sent),
            receive_time=np.where(messages.receive_time < 0, -1, received),
        ),
        replace(calls, enter=calls.enter - late, leave=calls.leave - late),
        trace.collectives,
        trace.regions,
        np.array([len(c.ranks) for c in trace.communicators]),
        rank,
    )
    return bounds, rank


@pytest.mark.parametrize(
    "name",
    [
        "sp-bt-16",
        "sp-cg-32",
        "sp-ft-16",
        "sp-rowcol-6x4",
        "sp-jacobi2d-8x4-periodic-idlewave",
        "sp-bintree-32",
        "public-sstmacro-10",
    ],
)
def test_shifted_clocks_are_recovered(
    real_trace: Callable[[str], Trace], name: str
) -> None:
    """Score-P aligned these clocks itself, to some 70 microseconds."""
    trace = real_trace(name)
    tick = 1 / trace.clock.resolution
    random = np.random.default_rng(1)
    span = 3 * trace.clock.resolution
    shift = random.integers(-span, span, trace.ranks)
    shift[0] = 0
    bounds, _ = bounds_in(trace, shift)
    found = find_clock_offsets(trace.ranks, bounds)
    assert np.all(found.half_width >= 0)
    error = np.abs(found.offset - shift)
    assert np.all(error * tick <= found.half_width * tick + 100e-6)
    assert found.slack * tick < 20e-6


def test_a_rank_that_nobody_hears_of_keeps_its_clock() -> None:
    found = find_clock_offsets(3, bounds_of(3, [(0, 1, 5), (1, 0, 5)]))
    assert found.half_width.tolist() == [0, 5, -1]
    assert found.offset.tolist() == [0, 0, 0]


def test_a_rank_that_only_sends_is_moved_no_further_than_it_must() -> None:
    # o[1] - o[0] <= -100: rank 1's clock is at least 100 ticks fast.
    found = find_clock_offsets(2, bounds_of(2, [(1, 0, -100)]))
    assert found.offset.tolist() == [0, -100]
    assert found.half_width[1] == -1
