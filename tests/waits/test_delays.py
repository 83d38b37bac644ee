"""Delays: injected ones are found, costs are conserved and equal a slow sum."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from same import assert_same
from traces import (
    BUNDLED_NAMES,
    MORE_NAMES,
    Delay,
    Program,
    analysis_of_real,
    examples,
    lattice,
    programs,
    read_real,
    results_of_real,
    results_of_small,
    simulate,
)

from topoview.analysis.waits.costs.costs import WaitCosts, wait_costs
from topoview.analysis.waits.costs.kernels import causal_order
from topoview.analysis.waits.delays import delays
from topoview.analysis.waits.fronts import line_through, rank_correlation
from topoview.analysis.waits.states import bounds, completion_calls
from topoview.base import progress, scratch
from topoview.base.memory import granted_memory
from topoview.model import Delays, Floats, Ints, Trace
from topoview.pipeline import Results

IDLE_WAVES = {
    "sp-jacobi2d-6x6-idlewave": (14, 11),
    "ez-jacobi2d-6x6-idlewave": (14, 11),
    "sp-jacobi2d-8x4-periodic-idlewave": (5, 9),
    "ez-jacobi2d-8x4-periodic-idlewave": (5, 9),
}
"""Rank and iteration of a delay of 60 ms; `ez-ring24-idlewave` has larger others."""


def delays_of(name: str) -> Delays | None:
    found: Delays | None = results_of_real(name).make("delays")
    return found


@cache
def costs_of_real(name: str) -> WaitCosts:
    return costs_of(results_of_real(name))


def costs_of(results: Results) -> WaitCosts:
    waits, logical = results.make("waits"), results.make("logical")
    return wait_costs(results.trace, waits, logical)


def due_to_all(costs: WaitCosts, own: Ints | None = None) -> tuple[Floats, Floats]:
    return costs.due_to_pieces(own).of(slice(0, 2 * len(costs.rank)))


@pytest.mark.parametrize("name", IDLE_WAVES)
def test_an_injected_delay_stands_first(name: str) -> None:
    found, second = delays_of(name), read_real(name).clock.resolution
    assert found is not None
    assert (found.rank[0], found.iteration[0]) == IDLE_WAVES[name]
    assert found.region[0] == -1
    assert found.excess[0] / second == pytest.approx(60e-3, rel=0.1)
    assert found.hops_per_iteration[0] == pytest.approx(1, abs=0.1)
    ranks = read_real(name).ranks
    assert found.reached[0] == ranks - 1
    own = slice(found.offsets[0], found.offsets[1])
    assert (found.wait_end[own] > found.begin[0]).all()
    front, hops = found.arrivals(0, ranks), np.full(ranks, -1)
    hops[found.wait_rank[own]] = found.wait_hops[own]
    middle = [np.median(front[hops == hop]) for hop in range(1, hops.max() + 1)]
    assert (np.diff(middle) > 0).all(), "each hop takes it time"


@pytest.mark.traces
def test_the_delay_on_the_ring_is_among_the_first() -> None:
    found = delays_of("ez-ring24-idlewave")
    assert found is not None
    at = np.flatnonzero((found.rank == 7) & (found.iteration == 9))[0]
    assert at < 10
    second = read_real("ez-ring24-idlewave").clock.resolution
    assert found.excess[at] / second == pytest.approx(60e-3, rel=0.1)


@pytest.mark.parametrize(
    "name",
    [
        *BUNDLED_NAMES,
        *(pytest.param(name, marks=pytest.mark.slow) for name in MORE_NAMES),
    ],
)
def test_no_tick_of_waiting_is_lost_or_counted_twice(name: str) -> None:
    trace = read_real(name)
    if not trace.clock.aligned:
        assert delays_of(name) is None
        return
    costs = costs_of_real(name)
    total, (caused, _) = costs.late.sum(), due_to_all(costs)
    assert (caused >= -1e-6 * max(total, 1)).all()
    followed = costs.late[costs.order].sum()
    assert caused.sum() == pytest.approx(followed, rel=1e-3, abs=10)
    assert followed >= 0.99 * total


def meetings(trace: Trace) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """List the pairs of calls in which two ranks met, of all pairs of ranks."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    messages, done = trace.messages, completion_calls(trace)
    for i in range(len(messages)):
        ends = int(messages.sender[i]), int(messages.receiver[i])
        calls = int(messages.send_call[i]), int(done[i])
        if min(calls) >= 0:
            found.setdefault(ends, []).append(calls)
            found.setdefault(ends[::-1], []).append(calls[::-1])
    parts = trace.collectives  # of all ranks, in the simulated programs
    own = parts.call.reshape(trace.ranks, -1)
    for one in range(trace.ranks):
        for other in range(trace.ranks):
            pairs = zip(own[one].tolist(), own[other].tolist(), strict=True)
            found.setdefault((one, other), []).extend(pairs)
    return found


def slow_costs(trace: Trace, costs: WaitCosts, cause: Sequence[int]) -> np.ndarray:
    """Split each wait's cost by the definition, wait by wait."""
    met, late = meetings(trace), costs.late
    ticks, excess = np.diff(costs.own.ticks), np.diff(costs.own.excess)
    first = trace.calls.offsets
    caused = np.zeros(len(ticks))

    def split(call: int, cost: float) -> None:
        mine, its = int(costs.rank[call]), int(costs.rank[cause[call]])
        before = [
            pair
            for pair in met.get((mine, its), [])
            if pair[0] < call and pair[1] < cause[call]
        ]
        since, begin = max(before, default=(first[mine] - 1, first[its] - 1))
        pieces = range(2 * begin + 2, 2 * cause[call] + 1)
        waits = range(begin + 1, cause[call])
        its_own, its_waits = ticks[pieces].sum(), late[waits].sum()
        more = its_own - ticks[2 * since + 2 : 2 * call + 1].sum()
        longer = its_waits - late[since + 1 : call].sum()
        if more <= 0 and longer <= 0:
            more, longer = its_own, 0
        more, longer = max(more, 0), max(longer, 0)
        unusual = min(more, excess[pieces].sum())
        each = cost / (more + longer)
        for piece in pieces:
            if more > unusual:
                share = ticks[piece] / its_own
                caused[piece] += each * (more - unusual) * share
            if unusual:
                share = excess[piece] / excess[pieces].sum()
                caused[piece] += each * unusual * share
        for wait in waits:
            if longer and late[wait]:
                split(wait, each * longer * late[wait] / its_waits)

    for call in np.flatnonzero(late).tolist():
        split(call, float(late[call]))
    return caused


@examples(30)
@given(programs())
def test_costs_are_those_of_the_definition(program: Program) -> None:
    trace = simulate(program)
    results = results_of_small(trace)
    costs = costs_of(results)
    cause = results.make("waits").cause.tolist()
    caused, _ = due_to_all(costs)
    assert np.allclose(caused, slow_costs(trace, costs, cause), atol=1e-3)


def test_bounds_of_causes_are_those_of_the_waits_that_they_split() -> None:
    """Where clocks were aligned: as the waits, and on both sides of what is told."""
    trace = read_real("ez-threads-halo")
    costs = costs_of_real("ez-threads-halo")
    waits = results_of_real("ez-threads-halo").make("waits")
    sides = bounds(trace, waits, costs.order, costs.rank[costs.order])
    for own in sides:
        caused, delayed = due_to_all(costs, own)
        assert caused.sum() == pytest.approx(own.sum(), rel=1e-3, abs=10)
        assert (delayed <= caused + 1e-3).all()
    found, waves = delays_of("ez-threads-halo"), delays_of("ez-cg-8")
    assert found is not None
    assert waves is not None
    for name, sums, between in (
        ("delay", waves.caused, waves.between),
        ("rank", found.of_rank, found.between),
        ("statement", found.of_statement, found.between),
    ):
        least, most = between[name]
        assert (least <= sums + 1).all()
        assert (sums <= most + 1).all()
        assert least.sum() < most.sum()
    unaligned = delays_of("sp-rowcol-6x4")
    assert unaligned is not None
    assert unaligned.between == {}


@examples(20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["exponential", "half-normal"]))
def test_a_long_delay_is_found_in_noise(seed: int, distribution: str) -> None:
    random = np.random.default_rng(seed)
    late = Delay(int(random.integers(64)), int(random.integers(3, 12)), 60e-3)
    trace = simulate(
        Program(
            lattice((8, 8), (True, True)),
            iterations=20,
            noise=0.5,
            distribution=distribution,
            delays=(late,),
            seed=seed,
        )
    )
    found = results_of_small(trace).make("delays")
    assert (found.rank[0], found.iteration[0]) == (late.rank, late.iteration + 1)
    assert found.excess[0] / trace.clock.resolution == pytest.approx(60e-3, rel=0.1)
    assert found.hops_per_iteration[0] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", ["sp-jacobi2d-8x4-periodic-idlewave", "ez-cg-8"])
def test_waits_lie_as_far_away_as_the_topology_says(name: str) -> None:
    known = analysis_of_real(name)
    found, trace = known.delays, known.trace
    assert found is not None
    assert known.wait_sums is not None
    assert known.critical_path is not None
    assert known.identification is not None
    assert found.waiting == known.wait_sums.total
    assert (found.wait_begin == trace.calls.enter[found.wait_call]).all()
    assert (found.wait_end <= trace.calls.leave[found.wait_call]).all()
    assert (np.diff(found.caused) <= 0).all()
    assert found.caused.sum() + found.unattributed == found.waiting
    graph = nx.Graph(known.identification.best.rank_edges.tolist())
    for delay in range(0, len(found), 37):
        own = slice(found.offsets[delay], found.offsets[delay + 1])
        there = nx.single_source_shortest_path_length(graph, int(found.rank[delay]))
        ranks = found.wait_rank[own].tolist()
        assert found.wait_hops[own].tolist() == [there.get(rank, -1) for rank in ranks]
        others = set(ranks) - {int(found.rank[delay])}
        assert found.reached[delay] == len(others)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(-99, 99)),
        min_size=1,
    )
)
def test_lines_go_through_the_medians_of_each_distance(
    rows: list[tuple[int, int, int]],
) -> None:
    delay, hops, values = np.array(rows, np.int64).T
    line = line_through(delay, hops, values, 4)
    found = line.slope
    for one in range(4):
        own = delay == one
        there = np.unique(hops[own])
        if len(there) < 2:
            assert np.isnan(found[one])
            continue
        medians = [np.median(values[own & (hops == hop)]) for hop in there]
        assert found[one] == pytest.approx(np.polyfit(there, medians, 1)[0], abs=1e-6)
        assert line.points[one] == len(there)
        if len(there) > 2:
            fit = scipy.stats.linregress(there, medians)
            assert line.error[one] == pytest.approx(fit.stderr, abs=1e-6)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(-9, 9)), min_size=1
    )
)
def test_rank_correlations_are_those_of_scipy(rows: list[tuple[int, int, int]]) -> None:
    group, one, other = np.array(rows, np.int64).T
    found = rank_correlation(group, one, other, 4)
    for number in range(4):
        x, y = one[group == number], other[group == number]
        if len(set(x.tolist())) < 2 or len(set(y.tolist())) < 2:
            assert np.isnan(found[number])
        else:
            expected = scipy.stats.spearmanr(x, y).statistic
            assert found[number] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("late", "kept"), [([7, 0, 2, 0], 0), ([2, 0, 7, 0], 2)])
def test_the_shorter_of_two_waits_for_each_other_is_left_out(
    late: list[int], kept: int
) -> None:
    """Two ranks each of which waits for what the other does after its wait.

    A third one waits for one of them.
    """
    offsets, rank = np.array([0, 2, 4, 5]), np.array([0, 0, 1, 1, 2], np.int32)
    cause, held = np.array([3, -1, 1, -1, 1]), np.zeros(5, np.bool_)
    waited = np.append(0, np.cumsum([*late, 1]))
    order = causal_order(offsets, rank, cause, held, waited)
    assert set(order.tolist()) == {kept, 4}


@pytest.mark.parametrize("name", ["ez-cg-8", "ez-threads-halo", "sp-rowcol-6x4"])
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_delays_do_not_depend_on_memory(
    name: str, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All columns are files, and are gone through some calls after the other."""
    results = results_of_real(name)
    of = ("waits", "identification", "logical", "positions", "outline")
    given = [results.make(one) for one in of]
    whole = delays(results.trace, *given)
    monkeypatch.setattr(scratch, "_SMALL_BYTES", 0)
    monkeypatch.setattr(progress, "BATCH_ROWS", len(results.trace.calls) // parts + 1)
    with granted_memory(1):
        found = delays(results.trace, *given)
    assert found is not None
    assert whole is not None
    for side, column in whole.between.items():
        np.testing.assert_array_equal(found.between[side], column)
    assert_same(replace(found, between={}), replace(whole, between={}))
