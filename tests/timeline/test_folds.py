"""Folded groups and zoomed rows, against integration by hand; orders by numbers."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot
from timelines import LENGTH, STATES, Row, grid_match, rows_of_states, trace_of
from traces import profile_of_run

from topoview.live.timeline.cached_raster import folded_shares, row_state_pixels
from topoview.live.timeline.orders import (
    GROUPINGS,
    MAX_RANKS_CLUSTERED,
    order_by_number,
    order_by_rank,
    order_by_similarity,
    parts_of,
    possible_groups,
    possible_row_orders,
    row_order,
)
from topoview.live.timeline.raster import raster
from topoview.live.timeline.rows import (
    fitted_rows,
    place_rows,
    scrolled_rows,
    zoomed_rows,
)
from topoview.model import Analysis, Identification, Match, Profile, Span, TimeState
from topoview.session import Session, State, TimelineOptions
from topoview.topology import lattice
from topoview.ui.panels.timeline.hover import folded_words, ranks_of_row
from topoview.ui.panels.timeline.labels import group_labels
from topoview.ui.panels.timeline.view import TimelineBar, TimelineView

WIDTH, HEIGHT = 3, 2
six_rows = st.lists(rows_of_states, min_size=6, max_size=6)
views = st.tuples(st.floats(0, 0.9), st.floats(0.02, 1)).map(
    lambda v: fitted_rows((v[0], v[0] + v[1]))
)


def opened(rows: list[Row], **options: object) -> State:
    trace = trace_of(rows, LENGTH)
    match = grid_match(WIDTH, HEIGHT, seed=1)
    known = Analysis(
        trace, identification=Identification(6, (match,)), profile=profile_of_run(trace)
    )
    return State(analysis=known, timeline=TimelineOptions(**options))  # type: ignore[arg-type]


def time_in_state(row: Row, window: tuple[int, int]) -> list[int]:
    ends = [begin for begin, _ in row[1:]] + [10 * LENGTH]
    found = [0] * STATES
    for (begin, state), end in zip(row, ends, strict=True):
        found[state] += max(0, min(end, window[1]) - max(begin, window[0]))
    return found


@given(
    rows=six_rows,
    folded=st.booleans(),
    turned=st.frozensets(st.integers(0, 3)),
    group=st.sampled_from(["", "none", "same-x", "same-y", "selection"]),
    view=views,
    window=st.tuples(st.integers(0, LENGTH - 2), st.integers(1, LENGTH)).filter(
        lambda w: w[0] < w[1]
    ),
    width=st.integers(1, 30),
    height=st.integers(1, 300),
)
def test_what_rows_show_sums_to_the_true_times_at_every_zoom_and_fold(
    rows: list[Row],
    folded: bool,
    turned: frozenset[int],
    group: str,
    view: tuple[float, float],
    window: tuple[int, int],
    width: int,
    height: int,
) -> None:
    state = opened(rows, folded=folded, turned=turned, group=group, apart=(1, 4))
    state = replace(state, timeline=replace(state.timeline, view=view))
    assert state.analysis is not None
    known, order = state.analysis, row_order(state)
    bands = place_rows(known.trace, order, height, 1.0, state.timeline)
    stacks, exact = folded_shares(known, bands, window, width)
    codes, _ = row_state_pixels(known, bands, window, width)
    assert exact
    assert len(stacks) == bands.folded.sum()
    assert len(codes) == (~bands.folded).sum()
    span = window[1] - window[0]
    for band, share in zip(np.flatnonzero(bands.folded), stacks, strict=True):
        ranks = bands.rows[bands.bounds[band] : bands.bounds[band + 1]].tolist()
        true = np.sum([time_in_state(rows[r], window) for r in ranks], axis=0)
        shown = share.sum(axis=1) * span / width * len(ranks)
        np.testing.assert_allclose(shown, true, atol=1e-9)
    alone = [
        band
        for band in np.flatnonzero(~bands.folded)
        if bands.bounds[band + 1] - bands.bounds[band] == 1
    ]
    own = bands.rows[bands.bounds[:-1][alone]]
    place = np.cumsum(~bands.folded) - 1
    wanted = raster(known.trace.timeline, own, *window, width)
    np.testing.assert_array_equal(codes[place[alone]], wanted)
    # each row once, in order; a row that is seen has its line
    assert len(set(bands.rows.tolist())) == len(bands.rows)
    place_of = {rank: k for k, rank in enumerate(order.ranks.tolist())}
    assert np.all(np.diff([place_of[r] for r in bands.rows.tolist()]) > 0)
    seen = bands.band_of_line[bands.band_of_line >= 0]
    assert np.all(np.diff(seen) >= 0)
    if view == (0.0, 1.0):
        assert len(bands.rows) == 6
        assert bands.whole <= height + 1e-6


@given(views, st.floats(0.1, 50), st.floats(0, 1))
def test_zooming_rows_keeps_the_place_under_the_pointer(
    view: tuple[float, float], factor: float, share: float
) -> None:
    before = view[0] + share * (view[1] - view[0])
    new = zoomed_rows(view, factor, share)
    assert 0 <= new[0] < new[1] <= 1 + 1e-12
    assert new[1] - new[0] <= 1
    after = new[0] + share * (new[1] - new[0])
    inside = new[0] > 0 and new[1] < 1
    if inside and factor < 50:
        assert after == pytest.approx(before, abs=1e-9)
    down = scrolled_rows(new, 0.5)
    assert down[0] >= new[0] - 1e-12


def test_a_row_of_many_can_be_zoomed_to() -> None:
    trace = trace_of([[(0, 1)]] * 5000, 10)
    order = order_by_rank(5000)
    options = TimelineOptions(view=(0.5, 0.502))
    bands = place_rows(trace, order, 200, 1.0, options)
    assert bands.row_height == 20 - 1
    assert 2499 <= bands.rows[0] <= 2500
    assert len(bands.rows) <= 11


def test_ranks_are_ordered_by_numbers_of_the_profile() -> None:
    rows = [[(0, 1), (30 + 5 * (r * 5 % 6), 4), (60, 0)] for r in range(6)]
    state = opened(rows, order="number", number="state-2")
    assert state.analysis is not None
    assert state.analysis.profile is not None
    ranks = row_order(state).ranks.tolist()
    waits = state.analysis.profile.state_ticks[:, 2]
    assert ranks == sorted(range(6), key=lambda r: (-waits[r], r))
    by_call = order_by_number(state.analysis.profile, "MPI_Wait", 1.0)
    assert by_call.ranks.tolist() == ranks
    unknown = opened(rows, order="number", number="state-7")
    assert row_order(unknown).ranks.tolist() == list(range(6))


def profile_of(ticks: np.ndarray) -> Profile:
    none = np.zeros((len(ticks), 0), np.int64)
    return Profile(
        span=Span("run", 0, int(ticks[0].sum())),
        operations=(),
        calls=none,
        ticks=none,
        classes=np.arange(len(TimeState), dtype=np.uint8),
        class_ticks=ticks.astype(np.int64),
    )


@pytest.mark.parametrize("count", [8, MAX_RANKS_CLUSTERED, MAX_RANKS_CLUSTERED + 1])
def test_similar_ranks_stand_together(count: int) -> None:
    kinds = np.arange(count) * 7 % 4  # four kinds of ranks, numbered to and fro
    ticks = np.zeros((count, len(TimeState)))
    ticks[:, 1], ticks[:, 4] = 100 + 200 * kinds, 1000 - 100 * kinds
    found = kinds[order_by_similarity(profile_of(ticks)).ranks]
    assert np.count_nonzero(np.diff(found)) == 3
    same = order_by_similarity(profile_of(np.ones((count, len(TimeState)))))
    assert same.ranks.tolist() == list(range(count))


def test_groups_are_those_of_the_lattice_and_of_the_selection() -> None:
    state = opened([[(0, 1)]] * 6)
    assert set(possible_groups(state)) >= {"", "none", "same-x", "same-y"}
    assert "along-x" not in possible_groups(state)
    assert set(possible_row_orders(state)) >= {"place", "similarity"}
    match = grid_match(WIDTH, HEIGHT, seed=1)
    for name, axis in (("same-x", 0), ("same-y", 1)):
        state = replace(state, timeline=TimelineOptions(group=name))
        order = row_order(state)
        bounds = [*order.groups.tolist(), 6]
        for label, begin, end in zip(
            order.labels, bounds[:-1], bounds[1:], strict=True
        ):
            places = match.coordinates[order.ranks[begin:end], axis]
            assert label == f"{'xy'[axis]} {places[0]}"
            assert len(set(places.tolist())) == 1
    chosen = TimelineOptions(group="selection", apart=(2, 5), only=(0, 2, 5))
    order = row_order(replace(state, timeline=chosen))
    assert order.labels == ("selected", "others")
    assert set(order.ranks[:2].tolist()) == {2, 5}
    assert order.ranks.tolist()[2:] == [0]
    assert set(GROUPINGS) >= {"node", "communicator"}


@pytest.mark.parametrize("along", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_groups_of_coordinates_are_of_ranks_with_equal_ones(
    axis: int, *, along: bool
) -> None:
    rng = np.random.default_rng(4)
    grid = lattice((4, 3, 2), (False,) * 3)
    vertex = rng.permutation(np.append(np.arange(24), [-1, -1])).astype(np.int32)
    none = np.zeros((0, 2), np.int32)
    match = Match(grid, vertex, len(grid.edges), none, none, 1.0, 1.0)
    state = opened([[(0, 1)]] * 26)
    assert state.analysis is not None
    found = Identification(26, (match,))
    state = replace(state, analysis=replace(state.analysis, identification=found))
    parts = parts_of(state, f"{'along' if along else 'same'}-{'xyz'[axis]}")
    assert parts is not None
    assert parts.several
    silent = vertex < 0
    kept = [k for k in range(3) if (k == axis) != along]
    keys = [
        None if quiet else tuple(place[kept].tolist())
        for quiet, place in zip(silent, match.coordinates, strict=True)
    ]
    for key, number in zip(keys, parts.number.tolist(), strict=True):
        words = [f"{'xyz'[k]} {c}" for k, c in zip(kept, key or (), strict=bool(key))]
        assert parts.names[number] == (", ".join(words) if key else "silent")
    assert len(parts.names) == len(set(keys)) == len(set(parts.names))


def test_folding_shows_selects_and_tells(
    qtbot: QtBot, session: Session, view: TimelineView
) -> None:
    session.change("timeline", turned=frozenset({1}))
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    bands, frame = view.bands, view.frame
    assert bands.folded.tolist().count(True) == 1
    assert [label.folded for label in group_labels(bands, frame)] == [
        *(False, True, False)
    ]
    index = int(bands.bounds[np.flatnonzero(bands.folded)[0]])
    ranks = ranks_of_row(bands, index)
    assert len(ranks) == 4
    at = frame.rows.topLeft()
    at.setY(frame.y(float(bands.top[index]) + 3))
    at.setX(frame.rows.left() + 100)
    told = folded_words(session.state, frame, bands, at)
    assert "4 ranks" in told
    assert "y 1" in told
    ticks = round(frame.ticks(at.x()))
    assert session.state.analysis is not None
    line = session.state.analysis.trace.timeline
    codes = line.state[line.at(ticks)[list(ranks)]]
    for code in set(codes.tolist()):
        assert f"{np.count_nonzero(codes == code)} {TimeState(code).label}" in told


def test_folds_of_other_groups_are_forgotten(session: Session) -> None:
    session.change("timeline", turned=frozenset({1}))
    session.group_rows("same-x")
    assert session.state.timeline.turned == frozenset()
    session.select(ranks=(3, 4))
    session.group_rows("selection")
    assert session.state.timeline.apart == (3, 4)


def test_half_a_pixel_is_shared_exactly() -> None:
    """Two ranks of which one waits for a third of a column."""
    state = opened([[(0, 1), (10, 4), (20, 1)], *([[(0, 1)]] * 5)], folded=True)
    assert state.analysis is not None
    bands = place_rows(state.analysis.trace, row_order(state), 100, 1.0, state.timeline)
    stacks, _ = folded_shares(state.analysis, bands, (0, 30), 1)
    waits = sorted(Fraction(float(s[4, 0])).limit_denominator(100) for s in stacks)
    assert waits == [0, Fraction(1, 9)]


def test_where_names_of_groups_would_touch_the_larger_group_has_its_own(
    qtbot: QtBot, view: TimelineView, session: Session
) -> None:
    session.update(selection=replace(session.state.selection, ranks=(4,)))
    session.order_rows("distance")
    left_out = 0
    for height in (130, 140, 160, 190):
        view.resize(800, height)
        qtbot.waitUntil(lambda: view.settled, timeout=20_000)
        bands = view.bands
        ends = np.append(bands.groups[1:], len(bands.rows))
        size = dict(zip(bands.group.tolist(), ends - bands.groups, strict=True))
        found = group_labels(bands, view.frame)
        heights = [label.y for label in found]
        assert heights == sorted(heights)
        assert min(np.diff(heights)) >= 13
        named = [label.group for label in found]
        for group in size.keys() - set(named):
            left_out += 1
            before = [other for other in named if other < group][-1:]
            after = [other for other in named if other > group][:1]
            assert max(size[other] for other in before + after) >= size[group]
    assert left_out


def test_no_order_is_marked_that_does_not_hold(session: Session, qtbot: QtBot) -> None:
    bar = TimelineBar(session, "Timeline")
    qtbot.addWidget(bar)

    def marked() -> list[str]:
        buttons = bar.findChildren(QToolButton)
        return [each.text() for each in buttons if each.isChecked()]

    session.order_rows("rank")
    assert marked() == ["Rank"]
    session.order_rows("similarity")
    assert marked() == []
    session.order_rows("place")
    assert marked() == ["Topology"]
