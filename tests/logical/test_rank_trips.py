"""Loops whose trip count differs by rank: one loop, and a count for each rank."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from parts import logicalise, measure_lines
from programs import Step, entries_of, trace_of
from traces import examples

from topoview.analysis.logical.positions import call_positions
from topoview.logical import expand
from topoview.logical.listing import listing
from topoview.model import LogicalTrace, Match, Trace, whole_part
from topoview.topology import directions, star


def served(trips: list[int], rounds: int = 1) -> Trace:
    """Workers 1, 2, ... send to rank 0 so often, twice each time, round after round."""
    part = (0, -1, 8)
    steps: list[list[Step]] = [[] for _ in range(len(trips) + 1)]
    for _ in range(rounds):
        for worker, often in enumerate(trips, start=1):
            for _ in range(often):
                steps[worker] += [Step("Send", sends=((0, size),)) for size in (64, 32)]
                steps[0] += [Step("Recv", receives=(worker,))] * 2
        for own in steps:
            own.append(Step("Allreduce", part=part))
    return trace_of(steps)


def logical_of(trace: Trace) -> LogicalTrace:
    n = trace.ranks
    none = np.zeros((0, 2), np.int32)
    match = Match(star(n), np.arange(n, dtype=np.int32), 0, none, none, 1.0, 1.0)
    return logicalise(trace, directions(match), match=match)


@examples(60)
@given(st.lists(st.integers(2, 9), min_size=4, max_size=9), st.integers(1, 3))
def test_counts_are_kept_for_each_rank(trips: list[int], rounds: int) -> None:
    trace = served(trips, rounds)
    logical = logical_of(trace)
    assert logical.ranks_verified == trace.ranks
    for rank in range(trace.ranks):
        assert expand(logical, rank) == entries_of(trace, rank)
    assert (
        measure_lines(
            trace, logical, None, call_positions(whole_part(trace), logical)
        ).loops.ranks
        == trace.ranks
    )


@examples(60)
@given(st.lists(st.integers(2, 40), min_size=5, max_size=9))
@example([2, 2, 2, 2, 2, 4, 6, 17, 3])
def test_workers_of_many_counts_are_one_loop(trips: list[int]) -> None:
    logical = logical_of(served(trips))
    if len(set(trips)) > 4:  # of fewer, a table of the messages is shorter
        assert logical.statements <= 5
        told = listing(logical)
        (table, *_) = (t for t in logical.rank_trips if (t[1:] > 0).all())
        if f"repeat {min(trips)}..{max(trips)} by rank:" in told:
            assert table.tolist() == [0, *trips]
        else:  # few calls: their sizes in a table are shorter
            assert "times by rank" in told
            assert table.tolist() == [0, *(2 * t for t in trips)]
