"""Efficiencies of POP equal those that are calculated by hand."""

import math
from collections.abc import Sequence

import pytest
from handmade import handmade
from hypothesis import given, settings
from traces import analysis_of_real, programs, read_real, real_path, simulate

from topoview.analysis.waits.efficiency import efficiency_within
from topoview.analysis.waits.states import wait_states
from topoview.io.archive.finding import open_trace
from topoview.live.waits.waits import window_work
from topoview.model import Efficiency, Subset, Trace, UsefulWork
from topoview.pipeline import Results, analyse
from topoview.report.waits.pages import work_rows


def found_in(
    trace: Trace,
    window: tuple[int, int] | None = None,
    ranks: Sequence[int] | None = None,
) -> Efficiency:
    """Find the efficiencies of a window; else of all the time of the trace."""
    waits = wait_states(trace)
    assert waits is not None
    return efficiency_within(trace, waits, window or (0, trace.clock.length), ranks)


def three_ranks() -> Trace:
    """They compute 40, 80 and 60 of 110 ticks; two wait for 40 and 20."""
    ranks = [[("Barrier", 30, 90)], [("Barrier", 70, 90)], [("Barrier", 50, 90)]]
    places = [(0, 0), (1, 0), (2, 0)]
    return handmade(ranks, collectives=[(0, -1, places)])


def test_a_run_calculated_by_hand() -> None:
    found = found_in(three_ranks())  # it ends 10 ticks after the barrier
    assert found.load_balance == pytest.approx((40 + 80 + 60) / 3 / 80)
    assert found.serialisation == pytest.approx(80 / 80)
    assert found.transfer == pytest.approx(80 / 100)
    assert found.communication == pytest.approx(80 / 100)
    assert found.parallel == pytest.approx(60 / 100)


def test_a_window_and_some_ranks() -> None:
    found = found_in(three_ranks(), window=(20, 80), ranks=[0, 1])
    # computed: 10 and 50; waited: 40 and 0; of 60 ticks
    assert found.load_balance == pytest.approx(30 / 50)
    assert found.serialisation == pytest.approx(50 / 50)
    assert found.transfer == pytest.approx(50 / 60)
    assert found.communication == pytest.approx(50 / 60)
    assert found.parallel == pytest.approx(30 / 60)


def test_ranks_that_were_not_read_do_not_count() -> None:
    """What ranks compute is the same, whatever else is read."""
    name, some = "sp-rowcol-6x4", range(8)
    whole = read_real(name)
    part = open_trace(real_path(name), subset=Subset(ranks=((0, 7),)))
    results = Results(part)
    window = results.make("outline").run
    expected = found_in(whole, window, some)
    for found in (found_in(part, window), results.make("efficiencies").run[0]):
        assert found.load_balance == pytest.approx(expected.load_balance)
        assert found.communication == pytest.approx(expected.communication)
    run = results.make("measured").statements.run
    assert run == part.clock.length * len(some)


def test_serialisation_is_lost_where_ranks_wait_in_turn() -> None:
    trace = handmade(
        [
            [("Send", 40, 40), ("Recv", 40, 90)],
            [("Recv", 0, 50), ("Send", 80, 80)],
        ],
        [((0, 0), (1, 0), (1, 0)), ((1, 1), (0, 1), (0, 1))],
    )
    found = found_in(trace, window=(0, 90))
    # rank 0 computes 40, waits 40; rank 1 waits 40, computes 30 + 10
    assert found.serialisation == pytest.approx(40 / 80)
    assert found.transfer == pytest.approx(80 / 90)
    assert found.load_balance == pytest.approx(1)


def test_nothing_is_told_where_nothing_was_computed() -> None:
    found = found_in(three_ranks(), window=(75, 85))
    assert all(
        math.isnan(value)
        for value in (found.load_balance, found.transfer, found.parallel)
    )


def test_each_iteration_is_of_the_ranks_own_times() -> None:
    """Two ranks, three iterations: they compute 10 and 20, then wait in a Barrier."""
    own = [[("Barrier", 10, 20)], [("Barrier", 20, 20)]]
    ranks = [
        [
            (name, enter + 20 * k, leave + 20 * k)
            for k in range(3)
            for name, enter, leave in one
        ]
        for one in own
    ]
    trace = handmade(ranks, collectives=[(0, -1, [(0, k), (1, k)]) for k in range(3)])
    *_, known = analyse(trace)
    parts = known.efficiencies
    assert parts is not None
    assert len(parts.by_iteration) == 3
    assert parts.iterations.tolist() == [[0, 20], [20, 40], [40, 60]]
    for one in map(parts.by_iteration.__getitem__, range(3)):
        assert one.load_balance == pytest.approx(15 / 20)
        assert one.serialisation == one.transfer == pytest.approx(1)
        assert one.parallel == pytest.approx(15 / 20)


def test_series_are_the_efficiencies_of_each_window() -> None:
    known = analysis_of_real("sp-jacobi2d-8x4-periodic-idlewave")
    trace = known.trace
    parts, waits = known.efficiencies, known.waits
    assert parts is not None
    assert waits is not None
    assert known.overview is not None
    run = efficiency_within(trace, waits, known.overview.run)
    assert parts.run[0] == run
    exchange = parts.exchange_window
    assert parts.exchange[0] == efficiency_within(trace, waits, exchange)
    edges = parts.stretches.tolist()
    for k in (0, 17, len(edges) - 2):
        window = edges[k], edges[k + 1]
        assert parts.over_time[k].parallel == pytest.approx(
            efficiency_within(trace, waits, window).parallel, nan_ok=True
        )
    assert len(parts.planes) == 4 + 8
    coordinates = known.identification.best.coordinates  # type: ignore[union-attr]
    for name, k in zip(parts.planes, range(12), strict=True):
        axis, place = name.split(" = ")
        ranks = (coordinates[:, "xy".index(axis)] == int(place)).nonzero()[0]
        expected = efficiency_within(trace, waits, exchange, ranks.tolist())
        assert parts.by_plane[k].load_balance == pytest.approx(expected.load_balance)


@settings(max_examples=30, deadline=None)
@given(programs())
def test_they_are_fractions_and_multiply(program) -> None:  # noqa: ANN001
    found = found_in(simulate(program))
    if math.isnan(found.parallel):
        return
    for value in (found.load_balance, found.serialisation, found.transfer):
        assert 0 <= value <= 1
    assert found.communication == pytest.approx(found.serialisation * found.transfer)
    assert found.mpi == pytest.approx(found.load_balance * found.communication)
    assert found.parallel == pytest.approx(found.mpi * found.threads * found.offload)


def test_what_counters_count_is_told_of_any_window() -> None:
    known = analysis_of_real("sp-twophase-6x6-user-metrics")
    parts = known.efficiencies
    assert parts is not None
    begin, end = parts.exchange_window
    middle = (begin + end) // 2
    whole, *halves = (
        window_work(known, window)
        for window in ((begin, end), (begin, middle), (middle, end))
    )
    assert whole is not None
    told = sum(half.counted["ru_utime"] for half in halves if half)
    assert told == pytest.approx(whole.counted["ru_utime"])
    assert whole.counted["ru_utime"] > 0
    work = UsefulWork(3e9, 2e9, 0.8, {"ru_utime": 0.25})
    assert work_rows(known.trace, work) == [
        ("instructions a cycle", "1.50"),
        ("cycles a second", "2.50 GHz"),
        ("ru_utime", "250 ms"),
    ]
    *_, without = analyse(three_ranks())
    assert window_work(without, (0, 100)) is None
