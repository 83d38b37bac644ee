"""The critical path: by hand, against a longest path, and as long as the run."""

from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from handmade import handmade
from hypothesis import given, settings
from simulation.tables import timeline_of
from traces import (
    Program,
    examples,
    programs,
    results_of_real,
    results_of_small,
    simulate,
)

from topoview.analysis.waits.states import lateness, lifetimes
from topoview.live.waits.critical_path import path_within
from topoview.model import CriticalPath, Trace


def path_of(trace: Trace) -> CriticalPath:
    found: CriticalPath = results_of_small(trace).make("critical_path")
    return found


def stretches(found: CriticalPath) -> list[tuple[int, int, int]]:
    columns = found.rank.tolist(), found.begin.tolist(), found.end.tolist()
    return list(zip(*columns, strict=True))


def test_it_goes_on_with_who_was_waited_for() -> None:
    trace = handmade(
        [
            [("Send", 60, 60)],
            [("Recv", 10, 62), ("Send", 70, 71)],
            [("Recv", 20, 80)],
        ],
        [((0, 0), (1, 0), (1, 0)), ((1, 1), (2, 0), (2, 0))],
    )
    # all ranks end at 90: the first of them is taken
    assert stretches(path_of(trace)) == [(0, 0, 90)]
    late = handmade(
        [
            [("Recv", 20, 80)],
            [("Recv", 10, 62), ("Send", 70, 71)],
            [("Send", 60, 60)],
        ],
        [((2, 0), (1, 0), (1, 0)), ((1, 1), (0, 0), (0, 0))],
    )
    found = path_of(late)
    assert stretches(found) == [(2, 0, 60), (1, 60, 70), (0, 70, 90)]
    assert found.of_rank.tolist() == [20, 10, 60]


def test_it_goes_on_where_clocks_err() -> None:
    """The sender seems to begin after the message has arrived: by a tick or many."""
    for late in (1, 5):
        trace = handmade(
            [[("Send", 62 + late, 64 + late)], [("Recv", 10, 62), ("Send", 80, 81)]],
            [((0, 0), (1, 0), (1, 0))],
        )
        own = replace(trace.clock, length=91)
        line = timeline_of(
            trace.calls, trace.regions, np.zeros(2, np.int64), np.array([90, 91])
        )
        path = path_of(replace(trace, clock=own, timeline=line))
        assert stretches(path) == [(0, 0, 62), (1, 62, 91)]


@settings(max_examples=30, deadline=None)
@given(programs())
def test_it_has_no_gap_and_no_wait(program: Program) -> None:
    trace = simulate(program)
    results = results_of_small(trace)
    found, waits = results.make("critical_path"), results.make("waits")
    assert (found.begin[1:] == found.end[:-1]).all()
    begins, ends = lifetimes(trace)
    assert found.end[-1] == ends.max()
    assert found.begin[0] == begins[found.rank[0]]
    assert found.of_rank.sum() == found.end[-1] - found.begin[0]
    # where it changes ranks the one waits for the other, until then
    late = lateness(trace, waits)
    for k in range(len(found) - 1):
        rank, since = int(found.rank[k + 1]), int(found.begin[k + 1])
        own = slice(trace.calls.offsets[rank], trace.calls.offsets[rank + 1])
        met = (waits.until[own] == since) & (late[own] > 0)
        assert (met & (waits.whom[own] == found.rank[k])).any()


@examples(15)
@given(programs())
def test_nothing_is_longer(program: Program) -> None:
    """Every way through waits and own time is at most as long: it has no waiting."""
    trace = simulate(program)
    results = results_of_small(trace)
    waits, calls = results.make("waits"), trace.calls
    late, graph = lateness(trace, waits), nx.DiGraph()
    begins, ends = lifetimes(trace)
    for rank in range(trace.ranks):
        at = ("begin", rank)
        time = int(begins[rank])
        graph.add_edge("begin", at, weight=time - int(begins.min()))
        for call in range(calls.offsets[rank], calls.offsets[rank + 1]):
            graph.add_edge(at, ("enter", call), weight=int(calls.enter[call]) - time)
            wait = max(int(late[call]), 0)
            if wait:
                other = ("enter", int(waits.cause[call]))
                graph.add_edge(other, ("ready", call), weight=0)
            graph.add_edge(("enter", call), ("ready", call), weight=0)
            at, time = ("leave", call), int(calls.leave[call])
            spent = time - int(calls.enter[call]) - wait
            graph.add_edge(("ready", call), at, weight=spent)
        graph.add_edge(at, "end", weight=int(ends[rank]) - time)
    found = results.make("critical_path")
    longest = nx.dag_longest_path_length(graph)
    assert longest == found.end[-1] - begins.min()


@pytest.mark.parametrize("name", ["sp-jacobi2d-8x4-periodic-idlewave", "ez-cg-8"])
def test_statements_and_ranks_add_up(name: str) -> None:
    found = results_of_real(name).make("critical_path")
    whole = int(found.of_rank.sum())
    told = int((found.in_statement + found.before_statement).sum())
    assert told <= whole
    assert told > 0
    assert (found.imbalance <= found.before_statement).all()
    assert found.of_region.sum() == whole


def test_a_window_of_it() -> None:
    results = results_of_real("sp-jacobi2d-8x4-periodic-idlewave")
    path = results.make("critical_path")
    begin, end = int(path.begin[len(path) // 3]) + 1, int(path.end[-2])
    found = path_within(path, (begin, end))
    slow = np.clip(path.end, begin, end) - np.clip(path.begin, begin, end)
    expected = np.bincount(path.rank, slow, 32)
    assert found.ticks(32).tolist() == expected.tolist()
    assert found.ticks(32).sum() == end - begin
    steps = {(int(b), int(a)) for a, b in pairwise(found.rank) if a != b}
    assert {tuple(pair) for pair in found.jumps.tolist()} == steps
    thin = found.thinned((end - begin) / 5)
    assert 0 < len(thin.rank) <= 6
    assert (thin.begin[0], thin.end[-1]) == (begin, end)
