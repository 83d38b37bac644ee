"""Clock offsets against linear programs, simulated clocks, and Score-P's own."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from topoview.io.clocks.bounds import ClockBounds, find_clock_bounds, shortest_transfers
from topoview.io.clocks.correction import (
    UNREACHABLE,
    ClockOffsets,
    _arcs,
    find_clock_offsets,
    shortest_paths,
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
    assert found is not None
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


def exact_distances(
    nodes: int, rows: list[tuple[int, int, int]]
) -> dict[int, int] | None:
    """Find distances from node 0 in numbers of any length; None: a negative cycle."""
    distance = {0: 0}
    for _ in range(nodes):
        changed = False
        for before, after, most in rows:
            if after in distance:
                reached = distance[after] + most
                if reached < distance.get(before, reached + 1):
                    distance[before], changed = reached, True
        if not changed:
            return distance
    return None


@pytest.mark.parametrize("seed", range(30))
def test_distances_beyond_all_bits_are_never_another_number(seed: int) -> None:
    """Weights are times of a trace, as large as any that is aligned."""
    random = np.random.default_rng(seed)
    nodes, most = 40, 1 << 58
    chain = [(node + 1, node, int(random.integers(-most, most))) for node in range(39)]
    ends = random.integers(0, nodes, (60, 2))
    low = -most if seed % 3 == 0 else most // 2
    rows = [
        *chain,
        *((int(a), int(b), int(random.integers(low, most))) for a, b in ends),
    ]
    if seed % 3 == 2:  # all the way down, and no cycle
        rows = [(after, before, -abs(w)) for after, before, w in chain]
    bounds = bounds_of(nodes, rows)
    start = np.full(nodes, UNREACHABLE)
    start[0] = 0
    found, lack = shortest_paths(_arcs(bounds), start, np.int64(0))
    exact = exact_distances(nodes, rows)
    far = int(UNREACHABLE)
    if exact is None:
        assert lack != 0
    elif min(exact.values()) <= -far:
        assert lack < 0
        assert find_clock_offsets(nodes, bounds) is None
    else:
        assert lack == 0
        for node, distance in enumerate(found.tolist()):
            assert distance == min(exact.get(node, far), far)


def test_clocks_that_contradict_each_other_by_years_are_not_aligned() -> None:
    far = (1 << 58) - 1
    ring = [(node, (node + 1) % 9, -far) for node in range(9)]
    found = find_clock_offsets(9, bounds_of(9, ring))
    assert found is None or found.slack == far


def test_pairs_come_in_the_order_of_their_first_message() -> None:
    """Whatever the hash table draws: nothing may differ from run to run."""
    random = np.random.default_rng(5)
    sender, receiver = random.integers(0, 90, (2, 3000)).astype(np.int32)
    sent = random.integers(0, 1000, 3000)
    before, after, _ = shortest_transfers(90, sender, receiver, sent, sent + 5)
    pairs = zip(sender.tolist(), receiver.tolist(), strict=True)
    expected = list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))
    assert list(zip(before.tolist(), after.tolist(), strict=True)) == expected
