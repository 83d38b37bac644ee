"""What statements took, against sums made call by call."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from parts import parts_of
from same import assert_same
from traces import read_real, results_of_real, simulated

from topoview.analysis.logical import iterations
from topoview.analysis.logical.iterations import iteration_sums, joined_iterations
from topoview.analysis.logical.lines import joined_lines, line_sums
from topoview.analysis.logical.positions import call_positions
from topoview.analysis.logical.statements import computed_before, statement_figures
from topoview.analysis.waits.deduced import deduced_ends
from topoview.analysis.waits.states import lateness, wait_states
from topoview.model import (
    LineSums,
    LogicalTrace,
    Part,
    StatementFigures,
    Trace,
    whole_part,
)
from topoview.pipeline import analyse


def known(trace: Trace) -> tuple[Trace, LogicalTrace]:
    *_, found = analyse(trace)
    assert found.logical is not None
    return trace, found.logical


def known_of_real(name: str) -> tuple[Trace, LogicalTrace]:
    results = results_of_real(name)
    return results.trace, results.make("logical")


def sums_of(part: Part, logical: LogicalTrace) -> LineSums:
    trace = part.trace
    return line_sums(part, logical, wait_states(trace), deduced_ends(whole_part(trace)))


def figures_of(trace: Trace, logical: LogicalTrace) -> StatementFigures:
    return statement_figures(trace, sums_of(whole_part(trace), logical))


def test_times_are_those_of_the_calls() -> None:
    trace, logical = known(simulated("torus", (4, 3), allreduce_every=2))
    figures = figures_of(trace, logical)
    times = defaultdict(list)
    gaps = defaultdict(list)
    calls = trace.calls
    for row in range(trace.ranks):
        for call in range(int(calls.offsets[row]), int(calls.offsets[row + 1])):
            statement = int(logical.statement_of_call[call])
            if statement < 0:
                continue
            times[statement].append(int(calls.leave[call] - calls.enter[call]))
            if call > calls.offsets[row]:
                gaps[statement].append(int(calls.enter[call] - calls.leave[call - 1]))
    for statement in range(logical.statements):
        own = np.array(times[statement])
        assert figures.calls[statement] == len(own)
        assert figures.spent.total[statement] == own.sum()
        assert figures.spent.most[statement] == own.max()
        assert figures.spent.mean[statement] == pytest.approx(own.mean())
        assert figures.spent.deviation[statement] == pytest.approx(own.std(), abs=1e-6)
        slow = int(figures.slowest[statement])
        assert logical.statement_of_call[slow] == statement
        assert calls.leave[slow] - calls.enter[slow] == own.max()
        if len(gaps[statement]) == len(own):
            assert figures.before.total[statement] == sum(gaps[statement])
    assert figures.share().sum() == pytest.approx(
        figures.spent.total.sum() / (trace.clock.length * trace.ranks)
    )


def test_bytes_are_those_of_the_messages() -> None:
    trace, logical = known(simulated("grid", (3, 3)))
    figures = figures_of(trace, logical)
    collective = int(trace.collectives.sent.sum())
    assert figures.sent.sum() == trace.messages.size.sum() + collective


def test_first_call_waits_from_the_begin_of_its_location() -> None:
    trace = simulated("torus", (4, 3))
    gaps = computed_before(trace)
    first = trace.calls.offsets[:-1]
    assert (gaps[first] <= trace.calls.enter[first]).all()
    assert (gaps >= 0).all()


def test_late_partners_of_a_known_program() -> None:
    trace = read_real("public-casita-4_mpi_ls_barr")
    waits = wait_states(trace)
    assert waits is not None
    late = lateness(trace, waits)
    assert late is not None
    operation = trace.regions.operation[trace.calls.region]
    names = np.array([*trace.regions.operations, ""])[operation]
    seconds = late / trace.clock.resolution
    received = np.sort(seconds[(names == "Recv") & (late >= 0)])
    np.testing.assert_allclose(received, [9, 10, 11], atol=0.1)
    barrier = np.sort(seconds[names == "Barrier"])
    np.testing.assert_allclose(barrier, [0, 6.7, 6.8, 7.8], atol=0.1)


def test_lateness_is_not_told_where_clocks_are_not_aligned() -> None:
    trace, logical = known(simulated("torus", (4, 3)))
    apart = replace(trace, clock=replace(trace.clock, aligned=False))
    assert wait_states(apart) is None
    assert figures_of(apart, logical).late is None


def test_nobody_waits_longer_than_the_call_takes() -> None:
    trace, logical = known(simulated("torus", (4, 3)))
    waits = wait_states(trace)
    assert waits is not None
    late = lateness(trace, waits)
    assert late is not None
    assert (late <= trace.calls.leave - trace.calls.enter).all()
    figures = figures_of(trace, logical)
    assert figures.late is not None
    assert (figures.late.total <= figures.spent.total).all()
    assert figures.late.total.sum() > 0


@pytest.mark.parametrize(
    "name",
    ["sp-twophase-6x6-user-metrics", "public-casita-4_mpi_ls_barr", "ez-cg-8"],
)
@pytest.mark.parametrize("count", [2, 3])
def test_sums_of_parts_are_those_of_the_whole(name: str, count: int) -> None:
    trace, logical = known_of_real(name)
    found = [sums_of(part, logical) for part in parts_of(trace, count)]
    tree = [joined_lines(found[:2], trace.regions), *found[2:]]
    assert_same(joined_lines(tree, trace.regions), sums_of(whole_part(trace), logical))


@pytest.mark.parametrize("limit", ["all", "parts", "none"])
def test_iterations_of_parts_are_those_of_the_whole(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as all have, as a part has, or fewer may be kept."""
    trace, logical = known_of_real("sp-jacobi2d-8x4-periodic-idlewave")
    whole, waits = whole_part(trace), wait_states(trace)
    positions = call_positions(whole, logical)
    every = iteration_sums(whole, waits, positions)
    assert every is not None
    most = {"all": len(every), "parts": len(every) - 1, "none": 1}[limit]
    monkeypatch.setattr(iterations, "MAX_ITERATIONS", most)
    of_parts = [iteration_sums(one, waits, positions) for one in parts_of(trace, 3)]
    assert (None in of_parts) == (limit == "none")
    found = joined_iterations(of_parts, trace.regions)
    assert_same(found, iteration_sums(whole, waits, positions))
    assert (found is None) == (limit != "all")
