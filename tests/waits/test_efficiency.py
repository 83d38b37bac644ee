"""Efficiencies of POP equal those that are calculated by hand."""

import math

import pytest
from handmade import handmade
from hypothesis import given, settings
from traces import programs, simulate

from topoview.analysis.waits.efficiency import efficiency_of
from topoview.analysis.waits.states import wait_states
from topoview.model import Efficiency, Trace


def found_in(trace: Trace, **how: object) -> Efficiency:
    waits = wait_states(trace)
    assert waits is not None
    return efficiency_of(trace, waits, **how)  # type: ignore[arg-type]


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


@settings(max_examples=30, deadline=None)
@given(programs())
def test_they_are_fractions_and_multiply(program) -> None:  # noqa: ANN001
    found = found_in(simulate(program))
    if math.isnan(found.parallel):
        return
    for value in (found.load_balance, found.serialisation, found.transfer):
        assert 0 <= value <= 1
    assert found.communication == pytest.approx(found.serialisation * found.transfer)
    assert found.parallel == pytest.approx(found.load_balance * found.communication)
