"""Iterations as a grid, and waits by direction: against loops over its cells."""

import numpy as np
import pytest
import traces
from hypothesis import given
from hypothesis import strategies as st
from simulation import Delay

from topoview.live.picking.occurrences import iteration_times
from topoview.live.tables.calls import Search
from topoview.live.tables.iteration_grid import (
    OUTLIER_RATIO,
    direction_waits,
    iteration_grid,
    merged_cells,
    outlier_groups,
    outliers_of,
)
from topoview.live.tables.iterations import iterations
from topoview.live.tables.search.query import parse_query
from topoview.model import Analysis
from topoview.pipeline import analyse

DELAYED, ITERATION = 5, 3


@pytest.fixture(scope="module")
def known() -> Analysis:
    delays = (Delay(DELAYED, ITERATION, 0.05),)
    return traces.analysed(
        traces.simulated("torus", (4, 3), iterations=12, delays=delays)
    )


def test_cells_equal_a_loop(known: Analysis) -> None:
    every = iterations(known)
    grid = iteration_grid(known, "seconds")
    assert every is not None
    assert grid is not None
    scale = known.trace.clock.resolution
    sums: dict[int, float] = dict.fromkeys(range(known.trace.ranks), 0.0)
    for k in range(len(every)):
        rank, iteration = int(every.rank[k]), int(every.iteration[k])
        column = np.flatnonzero(grid.iteration == iteration)
        took = (every.end[k] - every.begin[k]) / scale
        assert grid.values[rank, column[0]] == took
        assert grid.span(column[0], column[0], rank) == (every.begin[k], every.end[k])
        sums[rank] += took
    assert np.allclose(grid.of_rank, list(sums.values()))
    assert np.isclose(grid.of_iteration.sum(), sum(sums.values()))
    assert (~np.isnan(grid.values)).sum() == len(every)


def test_nested_loops_have_one_numbering() -> None:
    """Four runs of five steps between reductions are iterations 1 to 20 everywhere."""
    late = Delay(DELAYED, 12, 0.05)
    trace = traces.simulated(
        "torus", (4, 3), iterations=20, allreduce_every=5, delays=(late,)
    )
    *_, known = analyse(trace)
    assert known.positions is not None
    assert known.measured is not None
    assert known.delays is not None
    assert known.wait_sums is not None
    every = iterations(known)
    assert every is not None
    for rank in range(trace.ranks):
        assert every.iteration[every.rank == rank].tolist() == list(range(1, 21))
        assert len(iteration_times(known, rank)) == 20
    number = late.iteration + 1
    assert known.delays.iteration[0] == number
    assert known.measured.loops.slowest[known.positions.main_loop] == number
    assert len(known.wait_sums.by_iteration) == 21
    query = parse_query(f"iteration {number} rank {DELAYED}")
    k = np.flatnonzero((every.rank == DELAYED) & (every.iteration == number))[0]
    expected = range(int(every.first[k]), int(every.stop[k]))
    assert Search(known).calls(query).tolist() == list(expected)


def test_bytes_equal_a_loop(known: Analysis) -> None:
    grid = iteration_grid(known, "bytes")
    assert grid is not None
    messages = known.trace.messages
    every = grid.every
    for k in range(0, len(every), 7):
        own = (messages.send_call >= every.first[k]) & (
            messages.send_call < every.stop[k]
        )
        column = int(np.flatnonzero(grid.iteration == every.iteration[k])[0])
        assert grid.values[every.rank[k], column] == messages.size[own].sum()


def test_the_delayed_iteration_is_an_outlier(known: Analysis) -> None:
    grid = iteration_grid(known, "seconds")
    assert grid is not None
    late = np.unravel_index(np.nanargmax(grid.values), grid.values.shape)
    assert grid.outliers[late]
    assert (grid.of_iteration > np.median(grid.of_iteration) * 1.5).any()


def test_a_window_keeps_iterations_that_begin_in_it(known: Analysis) -> None:
    whole = iteration_grid(known)
    assert whole is not None
    begin, end = whole.span(2, 5) or (0, 0)
    part = iteration_grid(known, window=(begin, end))
    assert part is not None
    begins = whole.every.begin
    assert len(part.every) == ((begins >= begin) & (begins < end)).sum()
    assert 0 < len(part.every) < len(whole.every)


CELLS = st.integers(1, 9).flatmap(
    lambda columns: st.lists(
        st.lists(
            st.one_of(st.floats(0, 100), st.just(np.nan)),
            min_size=columns,
            max_size=columns,
        ),
        min_size=1,
        max_size=9,
    )
)


@given(CELLS, st.integers(1, 12), st.integers(1, 12), st.randoms())
def test_merged_cells_are_exact(
    cells: list[list[float]], wide: int, high: int, random: "np.random.Generator"
) -> None:
    """Each merged cell is the maximum, or mean, of all cells that fall into it."""
    values = np.array(cells)
    order = list(range(len(values)))
    random.shuffle(order)
    ranks = np.array(order, np.int32)
    rows, columns = min(len(values), high), min(values.shape[1], wide)
    for how, merge in (("maximum", np.nanmax), ("mean", np.nanmean)):
        found = merged_cells(values, ranks, (wide, high), how)
        assert found.shape == (rows, columns)
        for row in range(rows):
            for column in range(columns):
                own = [
                    values[order[r], c]
                    for r in range(
                        row * len(values) // rows, (row + 1) * len(values) // rows
                    )
                    for c in range(
                        column * values.shape[1] // columns,
                        (column + 1) * values.shape[1] // columns,
                    )
                ]
                there = [value for value in own if not np.isnan(value)]
                if there:
                    assert np.isclose(found[row, column], merge(there))
                else:
                    assert np.isnan(found[row, column])


@pytest.mark.parametrize(("times", "far"), [(OUTLIER_RATIO, False), (4.01, True)])
def test_outliers_on_both_sides(times: float, far: bool) -> None:
    values = np.array([[1.0, 1, 1, np.nan, 0, times], [0, 0, 0, 0, 0, 7]])
    found = outliers_of(values)
    assert found[0].tolist() == [False, False, False, False, False, far]
    assert not found[1].any()  # the one number above 0 is the usual one


def test_waits_by_direction_equal_a_loop(known: Analysis) -> None:
    """By who came last, in the topology's words: on a torus a step along an axis."""
    trace, waits = known.trace, known.waits
    assert waits is not None
    assert known.logical is not None
    calls = np.arange(int(trace.calls.offsets[trace.ranks]))
    found = direction_waits(known, calls)
    partners = known.logical.partners
    names: dict[tuple[int, int], set[str]] = {}
    for rank in range(trace.ranks):
        for k in range(*partners.offsets[rank : rank + 2].tolist()):
            pair = rank, int(partners.partner[k])
            names.setdefault(pair, set()).add(partners.names[partners.direction[k]])
    true: dict[str, list[float]] = {}
    for call in calls.tolist():
        enter, leave = int(trace.calls.enter[call]), int(trace.calls.leave[call])
        late = min(int(waits.until[call]), leave) - enter
        if waits.until[call] < 0 or late <= 0:
            continue
        rank = int(np.searchsorted(trace.calls.offsets, call, "right")) - 1
        label = names.get((rank, int(waits.whom[call])), {"elsewhere"})
        sums = true.setdefault("/".join(sorted(label)), [0.0, 0])
        sums[0] += late / trace.clock.resolution
        sums[1] += 1
    told = {
        "/".join(sorted(label.split("/"))): [seconds, number]
        for label, seconds, number in zip(
            found.labels, found.seconds.tolist(), found.calls.tolist(), strict=True
        )
    }
    assert set(told) == set(true)
    for label, (seconds, number) in true.items():
        assert told[label][1] == number
        assert np.isclose(told[label][0], seconds)
    assert (np.diff(found.seconds) <= 0).all()


def test_outliers_are_put_down_to_the_delay(known: Analysis) -> None:
    """Everybody waited for the one rank that the program delays: one group holds it."""
    assert known.delays is not None
    for amount in ("seconds", "wait"):
        grid = iteration_grid(known, amount)
        assert grid is not None
        groups = outlier_groups(known, grid)
        cells = {
            (int(rank), int(column))
            for group in groups
            for rank, column in zip(group.ranks, group.columns, strict=True)
        }
        assert cells == set(map(tuple, np.argwhere(grid.outliers).tolist()))
        assert sum(len(group.ranks) for group in groups) == len(cells)
        first = groups[0]
        assert known.delays.rank[first.delay] == DELAYED
        assert np.isclose(first.total, grid.values[first.ranks, first.columns].sum())
