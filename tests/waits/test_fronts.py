"""What ends a front: nobody is left, another delay, or time to spare."""

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from traces import Delay, Program, lattice, results_of_small, simulate

from topoview.live.waits.delays import shown_front
from topoview.live.waits.waits import iterations_of_delay, waits_of_functions
from topoview.model import (
    FRONT_ENDS,
    MIN_SHARE_LISTED,
    Analysis,
    ClockAlignment,
    Delays,
)
from topoview.pipeline import analyse
from topoview.report.claims import front, late
from topoview.report.waits.delays import (
    course_text,
    directions_travelled,
    ending_text,
    front_words,
)
from topoview.session import State


def analysed(program: Program) -> Analysis:
    *_, known = analyse(simulate(program))
    return known


def delays_of(program: Program) -> tuple[Analysis, Delays]:
    known = analysed(program)
    assert known.delays is not None
    return known, known.delays


def ending(found: Delays, rank: int) -> tuple[str, int]:
    own = int(np.flatnonzero(found.rank == rank)[0])
    return FRONT_ENDS[found.ending[own]], int(found.met[own])


def chain(ranks: int, *delays: Delay, periodic: bool = False) -> Program:
    return Program(
        lattice((ranks,), (periodic,)), iterations=2 * ranks, noise=0.0, delays=delays
    )


def test_a_front_ends_where_no_rank_is_left() -> None:
    known, found = delays_of(chain(8, Delay(2, 3, 50e-3)))
    assert ending(found, 2) == ("boundary", -1)
    assert directions_travelled(found, known.logical, 0, 1) == [{"EAST": 5, "WEST": 2}]
    assert ending_text(known, 0) == "reached the boundary"
    assert "wave to EAST 5, WEST 2; it reached" in course_text(known, 0)


def test_two_fronts_annihilate_each_other() -> None:
    """On a ring the two of equal delays meet halfway."""
    late = (Delay(3, 3, 50e-3), Delay(11, 3, 50e-3))
    known, found = delays_of(chain(16, *late, periodic=True))
    first, second = (int(np.flatnonzero(found.rank == r)[0]) for r in (3, 11))
    assert ending(found, 3) == ("annihilated", second)
    assert ending(found, 11) == ("annihilated", first)
    assert "annihilated by that of rank 11" in ending_text(known, first)


@pytest.mark.parametrize("dims", [(40,), (12, 10)])
def test_where_fronts_meet_waits_have_not_decayed(dims: tuple[int, ...]) -> None:
    """All up to there wait as long as the delay: 9 hops of a ring and one."""
    first, second = (5, 25) if len(dims) == 1 else (20, 90)
    program = Program(
        lattice(dims, (len(dims) == 1,) * len(dims)),
        iterations=40,
        noise=0.0,
        delays=(Delay(first, 10, 60e-3), Delay(second, 10, 60e-3)),
    )
    _, found = delays_of(program)
    for delay in (0, 1):
        assert found.decay[delay] == 0
        assert found.hops_per_iteration[delay] == pytest.approx(1, abs=0.01)
        assert FRONT_ENDS[found.ending[delay]] == "annihilated"
    if len(dims) == 1:
        assert found.reached[:2].tolist() == [19, 19]


def test_a_delay_before_a_reduction_does_not_travel() -> None:
    """All wait at once, whatever their distance."""
    program = Program(
        lattice((6, 4), (False, False)),
        iterations=20,
        noise=0.02,
        delays=(Delay(7, 6, 60e-3),),
        allreduce_every=1,
    )
    known, found = delays_of(program)
    assert (found.rank[0], found.reached[0]) == (7, 23)
    assert not front(known.trace, found, 0).holds
    assert np.isnan([found.hops_per_iteration[0], found.decay[0]]).all()
    assert late(known.trace, found, 0).holds
    assert "by other ways" in course_text(known, 0)
    assert front_words(known, 0) == ""
    assert shown_front(State(analysis=known, delay=0)) is None


def test_a_wave_ends_with_the_excess_wait() -> None:
    """Two hops of a ring with each iteration, and an echo in all that follow."""
    ring = Program(
        lattice((16,), (True,)), iterations=40, noise=0.05, delays=(Delay(4, 5, 60e-3),)
    )
    known, _ = delays_of(ring)
    assert iterations_of_delay(known, 0) == (6, 13)


def test_a_front_is_told_from_three_distances_on() -> None:
    for ranks, travels in ((4, False), (8, True)):
        program = replace(chain(ranks, Delay(0, 3, 50e-3)), iterations=24)
        known, found = delays_of(program)
        assert front(known.trace, found, 0).holds == travels, ranks


def test_all_ranks_that_are_reached_are_accounted_for() -> None:
    """Those that waits come to from neighbours by direction, the others as others."""
    program = Program(
        lattice((4, 4), (True, True)),
        iterations=12,
        noise=0.05,
        delays=(Delay(5, 4, 60e-3),),
        allreduce_every=3,
    )
    known, found = delays_of(program)
    text = course_text(known, 0).split("; ")[1]
    counts = [int(number) for number in re.findall(r"\d+", text)]
    assert sum(counts) == found.reached[0] == 15


@pytest.mark.parametrize(("excess", "is_listed"), [(0.9, False), (1.1, True)])
def test_a_delay_is_listed_above_the_clocks_error(
    excess: float, is_listed: bool
) -> None:
    """Of 2 ms, where clocks are known to a little more, or less."""
    trace = simulate(chain(8, Delay(2, 3, 2e-3)))
    half = np.full(8, round(2e6 / excess), np.int64)
    alignment = ClockAlignment(
        offset=np.zeros(8, np.int64),
        half_width=half,
        slack=0,
        before=0,
        after=0,
        worst=0,
    )
    trace = replace(trace, clock=replace(trace.clock, alignment=alignment))
    found = results_of_small(trace).make("delays")
    assert (2 in found.rank) == is_listed


def test_what_causes_next_to_nothing_is_summed_up() -> None:
    late_ranks = (Delay(2, 3, 50e-3), Delay(5, 9, 49e-6), Delay(6, 12, 52e-6))
    _, found = delays_of(chain(8, *late_ranks))
    least = MIN_SHARE_LISTED * found.caused[0]
    assert (found.caused >= least).all()
    assert found.left_out > 0
    assert found.caused.sum() + found.left_out_caused <= found.waiting


def test_a_short_delay_is_absorbed_by_a_long_one() -> None:
    """Simulated: what the ranks near the longer one had to wait for anyway."""
    late = (Delay(4, 3, 80e-3), Delay(6, 3, 20e-3))
    _, found = delays_of(chain(12, *late))
    assert ending(found, 4)[0] == "boundary"
    assert ending(found, 6)[0] in ("annihilated", "absorbed")
    assert found.reached[np.flatnonzero(found.rank == 6)[0]] < 11


def test_it_is_told_whom_they_waited_for() -> None:
    known, found = delays_of(chain(8, Delay(2, 3, 50e-3)))
    assert known.waits is not None
    assert (found.wait_whom == known.waits.whom[found.wait_call]).all()
    assert (found.wait_due <= found.wait_end - found.wait_begin + 1).all()
    assert (found.excess > 0).all()


def test_functions_waited_and_caused() -> None:
    known, found = delays_of(chain(8, Delay(2, 3, 50e-3)))
    assert known.profile is not None
    exchange = known.profile.span.window
    waited, caused = waits_of_functions(known, exchange, ())
    assert sum(waited.values()) == found.waiting
    assert sum(caused.values()) == pytest.approx(found.of_statement.sum())
    assert max(waited, key=waited.__getitem__) == "Waitall"
    begin, end = int(found.begin[0]), int(found.end[0])
    calls, late = known.trace.calls, known.waits.until  # type: ignore[union-attr]
    inside = [
        max(0, min(u, leave, end) - max(enter, begin))
        for u, enter, leave in zip(late, calls.enter, calls.leave, strict=True)
    ]
    some, nothing = waits_of_functions(known, (begin, end), ())
    assert (sum(some.values()), nothing) == (sum(inside), {})
    one, _ = waits_of_functions(known, exchange, (0,))
    assert sum(one.values()) == known.wait_sums.suffered[:, 0].sum()  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("dims", [(64, 64), (16, 16, 16), (4096,)])
def test_of_thousands_of_ranks_rank_delay_and_speed_are_found(
    dims: tuple[int, ...],
) -> None:
    late = Delay(1234, 4, 60e-3)
    program = Program(
        lattice(dims, (True,) * len(dims)), iterations=16, noise=0.2, delays=(late,)
    )
    trace = simulate(program)
    found = results_of_small(trace).make("delays")
    assert (found.rank[0], found.iteration[0]) == (late.rank, late.iteration + 1)
    assert found.excess[0] / trace.clock.resolution == pytest.approx(60e-3, rel=0.05)
    assert found.hops_per_iteration[0] == pytest.approx(1, abs=0.05)
    graph = nx.convert_node_labels_to_integers(  # in the order of ranks
        nx.grid_graph(dims[::-1], periodic=True), ordering="sorted"
    )
    near = nx.single_source_shortest_path_length(graph, late.rank, cutoff=8)
    assert found.reached[0] >= len(near) - 1
