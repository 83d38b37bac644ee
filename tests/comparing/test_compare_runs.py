"""Two simulated runs whose difference is known, and scaling that is known."""

from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bad_traces import UNUSUAL
from hypothesis import given
from hypothesis import strategies as st
from traces import Delay, Program, lattice, permutation, results_of_small, simulate

from topoview.analysis.comparing.counterparts import places, planes
from topoview.analysis.comparing.effects import EVERYWHERE, effects, polish
from topoview.analysis.comparing.lines import align_listings
from topoview.analysis.comparing.runs import RunComparison, compare_runs
from topoview.analysis.comparing.scaling import STRONG, WEAK, scaling
from topoview.analysis.comparing.series import Run, run_of, sums
from topoview.analysis.comparing.spread import (
    ALIKE,
    DIFFERENT,
    FEW,
    MIN_ITERATIONS,
    NOT_JUDGED,
    verdict,
)
from topoview.model import Table
from topoview.pipeline import Results
from topoview.report.logical.comparison import compare_sizes
from topoview.report.run_comparison import (
    BY,
    RUN_RESULTS,
    comparison_page,
    comparison_table,
    headline,
    run_comparison_record,
)
from topoview.report.scaling import scaling_page, scaling_record
from topoview.report.write import page_text
from topoview.worker import open_trace


@cache
def whole_run(
    dims: tuple[int, ...] = (6, 6),
    *,
    iterations: int = 40,
    late: bool = False,
    seed: int = 0,
    numbering: int | None = None,
    compute: float = 3e-3,
) -> Results:
    """Run a grid of ranks; `late`: vertex 14 is 60 ms late in iteration 10."""
    n = int(np.prod(dims))
    ranks = None if numbering is None else permutation(n, numbering)
    who = 14 if ranks is None else int(ranks[14])
    trace = simulate(
        Program(
            lattice(dims, (False,) * len(dims)),
            numbering=ranks,
            iterations=iterations,
            compute=compute,
            delays=(Delay(who, 9, 60e-3),) if late else (),
            seed=seed,
        )
    )
    return results_of_small(trace)


@cache
def run(
    dims: tuple[int, ...] = (6, 6),
    *,
    window: tuple[int, int] | None = None,
    **options: Any,  # noqa: ANN401 - of `whole_run`
) -> Run:
    """Make a run's comparable numbers, or those of a window of it."""
    found = whole_run(dims, **options)
    names = ("identification", "logical", "positions", "waits")
    return run_of(found.trace, *map(found.make, names), window=window)


def sizes_of(*runs: Run) -> tuple[str, Table]:
    """Compare the listings of runs."""
    return compare_sizes(
        [one.logical for one in runs], [one.match.topology for one in runs]
    )


def compared(a: Run, b: Run) -> RunComparison:
    return compare_runs(a, b, align_listings(a.logical, b.logical), ("a", "b"))


@pytest.mark.parametrize("numbering", [None, 5])
def test_the_known_delay_is_found_first(numbering: int | None) -> None:
    found = compared(run(seed=1), run(late=True, seed=2, numbering=numbering))
    first = found.causes[0]
    assert first.iteration == 10
    assert first.what == "computation before Irecv"
    assert first.total == pytest.approx(60e-3, rel=0.05)
    places = [name.split(", ", 1)[1] for name in (first.place,)]
    if numbering is None:
        assert first.place == "rank 14, x 2, y 2"
    else:  # a renumbered grid may be found turned: its middle stays in the middle
        assert places[0] in {f"x {x}, y {y}" for x, y in product((2, 3), repeat=2)}
    assert found.seconds[1] > found.seconds[0]
    assert "B is" in headline(found)
    assert "slower" in headline(found)
    assert found.waiting.verdict == FEW
    assert 10 <= min(found.waiting.iterations) <= max(found.waiting.iterations) <= 20


def test_a_slower_computer_is_one_cause_everywhere() -> None:
    found = compared(run(seed=1), run(seed=2, compute=3.6e-3))
    first = found.causes[0]
    assert (first.place, first.iteration) == ("", 0)
    assert first.b / first.a == pytest.approx(1.2, rel=0.02)
    calls = {row.name: row.changes for row in found.rows["function"]}
    assert calls["Irecv"]["computation"].verdict == DIFFERENT
    assert np.nanmedian(found.computation) == pytest.approx(1.2, rel=0.02)


def test_the_same_program_again_is_alike() -> None:
    found = compared(run(seed=1), run(seed=3))
    judged = [
        change.verdict
        for row in found.rows["statement"]
        for name, change in row.changes.items()
        if change.verdict and name in ("computation", "bytes")
    ]
    assert judged.count(ALIKE) >= 0.9 * len(judged)
    assert not [one for one in found.causes if abs(one.total) > 10e-3]


def test_twice_the_iterations_are_alike_by_iteration() -> None:
    found = compared(run(seed=1, iterations=20), run(seed=2, iterations=40))
    assert found.iterations == (20, 40)
    assert found.aligned_iterations == 20
    waits = {row.name: row.changes for row in found.rows["function"]}["Irecv"]
    assert waits["computation"].ratio == pytest.approx(1, rel=0.03)
    a, b = waits["computation"].a, waits["computation"].b
    assert a is not None
    assert b is not None
    assert b / a == pytest.approx(2, rel=0.05)


def test_two_windows_of_one_run() -> None:
    whole = run(late=True, seed=2)
    clock = whole.trace.clock
    middle = clock.length // 2
    late = run(late=True, seed=2, window=(0, middle))
    rest = run(late=True, seed=2, window=(middle, clock.length))
    assert late.iterations + rest.iterations in range(
        30, 41
    )  # of some a part is in either
    found = compared(rest, late)
    assert found.causes[0].place == "rank 14, x 2, y 2"
    assert found.causes[0].iteration == 10


def test_sums_are_those_of_the_profile() -> None:
    one = run(seed=1)
    profile = Results(one.trace).make("profile_of_run")
    found = compared(one, run(seed=2))
    told = {row.name: row.changes["time"].a for row in found.rows["function"]}
    second = one.trace.clock.resolution
    for column, name in enumerate(profile.operations):
        ticks = int(profile.ticks[:, column].sum())
        if ticks:
            assert told[name] == pytest.approx(ticks / second / one.trace.ranks)


def test_grids_of_other_extents_meet_by_their_sides() -> None:
    a, b = run((6, 6), iterations=20).match, run((8, 4), iterations=20).match
    found = places(a, b)
    assert len(found.names) == 9
    for match, of in ((a, found.of_a), (b, found.of_b)):
        dims = match.topology.dims
        for rank, place in enumerate(match.coordinates.tolist()):
            words = [
                "first" if c == 0 else "last" if c == extent - 1 else "inner"
                for c, extent in zip(place, dims, strict=True)
            ]
            told = f"x {words[0]}, y {words[1]}"
            told = "inner ranks" if set(words) == {"inner"} else told
            assert found.names[of[rank]] == told
    assert [one.names for one in planes(a, b)] == [
        ("x first", "x inner", "x last"),
        ("y first", "y inner", "y last"),
    ]
    compared(run((6, 6), iterations=20), run((8, 4), iterations=20))


@pytest.mark.parametrize("name", sorted(UNUSUAL))
def test_there_may_be_little_to_compare(name: str, tmp_path: Path) -> None:
    trace = open_trace(UNUSUAL[name](tmp_path))
    found = Results(trace)
    odd = run_of(trace, *map(found.make, RUN_RESULTS))
    for a, b in ((odd, odd), (odd, run()), (run(), odd)):
        one = compared(a, b)
        for by in BY:
            assert page_text(comparison_page(one, by))
            rows = sum(len(row.changes) for row in one.rows[by])
            assert len(comparison_table(one, by)) == rows
        both = (
            [a.iterations, b.iterations] if min(a.iterations, b.iterations) else [0, 0]
        )
        assert run_comparison_record(one)["iterations"] == both
        scaled = scaling((a, b), ("a", "b"))
        assert page_text(scaling_page(*scaled, sizes_of(a, b)))
    window = 0, trace.clock.length // 2
    part = run_of(trace, *map(found.make, RUN_RESULTS), window=window)
    assert run_comparison_record(compared(part, part))["headline"]


def test_a_loop_is_not_held_against_a_whole_run() -> None:
    looped = run(iterations=10)
    once = looped.without_loop()
    trace = looped.trace
    length = trace.clock.seconds(looped.whole[1] - looped.whole[0])
    assert looped.seconds < length
    for found in (compared(looped, once), compared(once, looped)):
        assert found.seconds == (length, length)
        assert found.efficiency[0] == found.efficiency[1]
        assert np.nanmax(np.abs(found.computation - 1)) < 1e-12
    _, points = scaling((looped, once), ("a", "b"))
    assert [one.seconds for one in points] == [length, length]
    assert points[0].computed == points[1].computed


def test_calls_that_do_not_wait_wait_for_nothing() -> None:
    """A zero that is known is no gap, without a loop either."""
    label, zeros = np.array([0, 2]), np.zeros(2)
    found = sums(label, np.zeros(2, np.int64), zeros, 3, 0)
    assert found.there.tolist() == [True, False, True]
    assert found.total.tolist() == [0, 0, 0]
    assert sums(label[:0], label[:0], zeros[:0], 0, 4).by_iteration.shape == (0, 4)


def test_waiting_is_not_known_without_aligned_clocks() -> None:
    known = run(iterations=10)
    blind = replace(known, waits=None)
    found = compared(known, blind)
    assert (found.waiting.a, found.waiting.b) == (None, None)
    assert "Waiting" not in page_text(comparison_page(found))
    for by in ("statement", "function", "place", "plane", "iteration"):
        assert not any("wait" in row.changes for row in found.rows[by])


def test_what_is_told_of_a_comparison() -> None:
    found = compared(run(seed=1), run(late=True, seed=2))
    record = run_comparison_record(found)
    assert record["causes"][0]["iteration"] == 10
    for by in BY:
        table = comparison_table(found, by)
        assert len(table) == sum(len(row.changes) for row in found.rows[by])
        told = [(row.name, m) for row in found.rows[by] for m in row.changes]
        frame = table.to_pandas()
        assert list(zip(frame[by], frame.measure, strict=True)) == told
        text = page_text(comparison_page(found, by))
        assert "rank 14, x 2, y 2, iteration 10" in text


def test_verdicts_on_both_sides() -> None:
    chance = np.random.default_rng(0)
    a, b = chance.normal(1, 0.1, (2, 60))
    assert verdict(a, b) == ALIKE
    assert verdict(a, b + 0.1) == DIFFERENT
    b[7] += 10
    assert verdict(a, b) == FEW
    assert verdict(a, b[: MIN_ITERATIONS - 1]) == NOT_JUDGED
    assert verdict(a, b[:MIN_ITERATIONS]) != NOT_JUDGED


def test_chance_alone_is_seldom_a_difference() -> None:
    chance = np.random.default_rng(1)
    told = [verdict(*chance.exponential(1, (2, 60))) for _ in range(300)]
    assert told.count(ALIKE) >= 285


@given(
    st.integers(1, 6),
    st.integers(1, 7),
    st.integers(0, 2**32 - 1),
)
def test_polish_sums_up_to_the_table(rows: int, columns: int, seed: int) -> None:
    table = np.random.default_rng(seed).normal(size=(rows, columns))
    shared, by_row, by_column, rest = polish(table)
    assert shared + by_row[:, None] + by_column + rest == pytest.approx(table)


@pytest.mark.parametrize(
    ("rows", "columns"), [((3,), ()), ((), (11,)), ((), ()), ((3,), (11,))]
)
def test_a_planted_effect_is_the_first(
    rows: tuple[int, ...], columns: tuple[int, ...]
) -> None:
    table = np.random.default_rng(2).normal(0, 0.01, (12, 40))
    where = np.ix_(rows or range(12), columns or range(40))
    table[where] += 1.0
    first = effects(table, np.ones(12))[0]
    assert first.place == (rows[0] if rows else EVERYWHERE)
    assert first.iteration == (columns[0] if columns else EVERYWHERE)
    assert first.seconds == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("kind", "growth"), [(STRONG, 4.0), (WEAK, 1.0)])
def test_scaling_that_is_known(kind: str, growth: float) -> None:
    small = run((3, 3), iterations=20, compute=12e-3)
    large = run((6, 6), iterations=20, compute=12e-3 / growth)
    told, points = scaling([large, small], ["large", "small"])
    assert told == kind
    assert [point.ranks for point in points] == [9, 36]
    assert points[0].speed_up == 1
    assert points[1].speed_up == pytest.approx(4, rel=0.1)
    assert points[1].computation == pytest.approx(1, rel=0.05)
    both = points[1].efficiency
    assert both is not None
    assert points[1].whole == pytest.approx(both.parallel * points[1].computation)
    listings = sizes_of(large, small)
    record = scaling_record(told, points, listings)
    assert record["runs"][1]["global_efficiency"] == points[1].whole
    assert record["listings"] == listings[0]
    page = page_text(scaling_page(told, points, listings))
    assert page.startswith(kind.capitalize())
    assert listings[0] in page
