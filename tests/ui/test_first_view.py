"""The first view of a trace: the front of its costliest delay, said and drawn."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import traces
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from topoview.base.text import plural
from topoview.live.timeline.orders import NOT_CONNECTED, row_order
from topoview.live.waits.delays import (
    CROWDED_FRONT,
    OPERATIONS_SHOWN,
    first_view,
    front_of,
    sparse_front,
    worth_showing,
)
from topoview.live.waits.waits import changes_to_advice, window_efficiency
from topoview.model import WAITING_STATES, Analysis, TimeState, Trace
from topoview.pipeline import analyse
from topoview.report.advice import advice_of
from topoview.report.claims import MIN_SHARE_WAITED, late
from topoview.report.waits.delays import delay_headline
from topoview.scene.flat.timeline_pixels import state_colour_table
from topoview.scene.palette import THEMES
from topoview.session import Picked, State
from topoview.ui.actions.table import ACTIONS
from topoview.ui.panels.lists.delays import DelaysPanel
from topoview.ui.panels.options import DelayOptions
from topoview.ui.panels.scene.moment import MomentFinder
from topoview.ui.panels.timeline.content import TimelineContent, front_lines
from topoview.ui.panels.timeline.critical_path import shown_path
from topoview.ui.shell.reason_bar import ReasonBar, gpu_words, show_delay
from topoview.ui.shell.window import MainWindow

CASES = Path(__file__).parents[1] / "data" / "cases"
PATIENCE = 60_000
LEFT = Qt.MouseButton.LeftButton
WAVE = "sp-jacobi2d-8x4-periodic-idlewave"

IDLE_WAVES = {
    "sp-jacobi2d-6x6-idlewave": (14, 11),
    "sp-jacobi2d-8x4-periodic-idlewave": (5, 9),
    "ez-jacobi2d-8x4-periodic-idlewave": (5, 9),
    "ez-ring24-idlewave": (7, 9),
}
"""Rank and iteration of a delay of 60 ms; on the ring rank 18 cost more. In
ez-jacobi2d-6x6-idlewave preemptions of other ranks are as long: it is not first."""


@pytest.fixture(scope="module")
def wave() -> Analysis:
    """Analyse a torus with a delayed rank."""
    return traces.analysis_of_real(WAVE)


@pytest.fixture
def opened(shared_window: Any, wave: Analysis, qtbot: QtBot) -> MainWindow:  # noqa: ANN401 - of conftest
    """Show the torus as it is at first."""
    del qtbot
    window: MainWindow = shared_window.take((wave,))
    return window


def test_kernels_can_be_told_apart_at_first() -> None:
    known = traces.analysis_of_real("public-casita-2_cuda_simple")
    view, trace = first_view(known), known.trace
    assert known.overview is not None
    low, high = known.overview.window
    assert low <= view.window[0] <= view.time <= view.window[1] <= high
    line = trace.timeline
    lengths = []
    for row in trace.further_rows("accelerator").tolist():
        first, stop = line.offsets[row : row + 2].tolist()
        for place in range(first, stop - 1):
            begin, end = line.time[place : place + 2].tolist()
            runs = line.state[place] in (TimeState.KERNEL, TimeState.COPY)
            if runs and low <= begin and end < high:
                lengths.append(end - begin)
    long = (view.window[1] - view.window[0]) // OPERATIONS_SHOWN
    assert sum(x for x in lengths if x < long) < sum(lengths) / 2
    assert sum(x for x in lengths if x <= long) >= sum(lengths) / 2


def reason(window: MainWindow) -> ReasonBar:
    assert window.workspace is not None
    return window.workspace.reason


def run(name: str, window: MainWindow) -> None:
    """Run an action as menus and palette do."""
    (action,) = (action for action in ACTIONS if action.name == name)
    assert action.when(window.context)
    action.run(window.context)


def panel(window: MainWindow) -> DelaysPanel:
    assert window.workspace is not None
    found = window.workspace.panel("delays")
    assert isinstance(found, DelaysPanel)
    return found


@pytest.mark.parametrize("name", IDLE_WAVES)
def test_the_first_view_is_at_the_front_of_the_delay(
    load: Callable[[Path], MainWindow], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known_in_steps = partial(analyse, traces.read_real(name))
    monkeypatch.setattr(
        "topoview.worker.analyse_in_process", lambda *_: known_in_steps()
    )
    window = load(Path(f"{name}.otf2"))
    state, (rank, iteration) = window.session.state, IDLE_WAVES[name]
    known = state.analysis
    assert known is not None
    assert known.delays is not None
    if name == "ez-ring24-idlewave":
        rank, iteration = 18, int(known.delays.iteration[0])
    assert state.delay == 0
    assert state.selection.ranks == (rank,)
    assert state.timeline.order == "distance"
    assert row_order(state).ranks[0] == rank
    sentence = reason(window).sentence.text()
    assert sentence.startswith(f"Rank {rank} was late by ")
    assert sentence.endswith(f" in iteration {iteration}.")
    assert f"{known.delays.reached[0]} ranks waited" in reason(window).facts.text()
    assert state.window[0] < state.time < state.window[1]
    front = front_of(known.delays, 0, known.trace.ranks)
    reached = front.reached(state.time)
    assert rank in reached
    assert 1 < len(reached) < known.trace.ranks
    states = known.trace.timeline.state[known.trace.timeline.at(state.time)]
    assert np.isin(states[np.setdiff1d(reached, [rank])], WAITING_STATES).mean() > 0.8


def test_at_the_front_those_behind_wait_and_those_ahead_compute(
    wave: Analysis,
) -> None:
    view, trace = first_view(wave), wave.trace
    assert wave.delays is not None
    reached = front_of(wave.delays, view.delay, trace.ranks).reached(view.time)
    states = trace.timeline.state[trace.timeline.at(view.time)[: trace.ranks]]
    waits = np.flatnonzero(np.isin(states, WAITING_STATES)).tolist()
    assert waits == [rank for rank in reached if rank != 5]


@pytest.mark.parametrize("share", [0.49, 0.5])
def test_a_rank_is_late_where_its_excess_explains_the_wait(
    wave: Analysis, share: float
) -> None:
    delays = wave.delays
    assert delays is not None
    assert delays.is_late(0)
    mean = delays.caused[0] / delays.reached[0]
    excess = np.full(len(delays), int(np.ceil(share * mean)))
    assert replace(delays, excess=excess).is_late(0) == (share == 0.5)
    assert not replace(delays, excess=0 * excess).is_late(0)


@pytest.mark.parametrize("times", [0.99, 1.01])
def test_a_rank_is_late_beyond_noise(wave: Analysis, times: float) -> None:
    delays = wave.delays
    assert delays is not None
    noise = np.full(len(delays), times * delays.excess[0])
    known = replace(wave, delays=replace(delays, noise=noise))
    assert late(known.trace, known.delays, 0).holds == (times < 1)
    assert ("was late by" in delay_headline(known, 0)) == (times < 1)
    assert (first_view(known).delay == 0) == (times < 1)


def test_a_delay_that_is_usual_is_not_shown_first(wave: Analysis) -> None:
    assert wave.delays is not None
    usual = replace(wave, delays=replace(wave.delays, excess=0 * wave.delays.excess))
    assert usual.overview is not None
    view = first_view(usual)
    assert (view.delay, view.time) == (-1, usual.overview.time)


def test_a_delay_at_which_all_ranks_look_alike_is_not_shown_first(
    wave: Analysis,
) -> None:
    line = wave.trace.timeline
    alike = replace(line, state=np.full_like(line.state, TimeState.COLLECTIVE))
    shown = first_view(replace(wave, trace=replace(wave.trace, timeline=alike)))
    assert shown.delay == -1


@pytest.mark.parametrize("ranks", [4, 5, 9])
def test_of_a_crowded_front_the_shortest_edge_to_each_rank_ahead_is_left(
    ranks: int,
) -> None:
    """Half of the ranks of a complete graph are reached; brute force."""
    places = np.random.default_rng(ranks).random((ranks, 3))
    reached, ahead = range(ranks // 2), range(ranks // 2, ranks)
    pairs = np.array([(a, b) for a in reached for b in ahead], np.int32)
    kept = sparse_front(pairs, places)
    if len(pairs) <= CROWDED_FRONT * ranks:
        assert kept is pairs
        return
    nearest = [
        (min(reached, key=lambda a: np.linalg.norm(places[a] - places[b])), b)
        for b in ahead
    ]
    assert sorted(map(tuple, kept.tolist())) == sorted(nearest)


def test_edges_of_the_front_are_between_reached_and_later_ones(wave: Analysis) -> None:
    assert wave.identification is not None
    assert wave.delays is not None
    match, trace = wave.identification.best, wave.trace
    front = front_of(wave.delays, 0, trace.ranks)
    own = range(int(wave.delays.offsets[0]), int(wave.delays.offsets[1]))
    first: dict[int, int] = {}
    for i in own:
        who, begin = int(wave.delays.wait_rank[i]), int(wave.delays.wait_begin[i])
        first[who] = min(begin, first.get(who, begin))
    first[5] = front.begin
    for ticks in np.linspace(front.begin, front.end.max(), 20).astype(int).tolist():
        expected = {
            (a, b) if first[a] <= ticks else (b, a)
            for a, b in match.rank_edges.tolist()
            if (first[a] <= ticks) != (first[b] <= ticks)
        }
        found = front.edges(match, ticks).tolist()
        assert {(a, b) for a, b in found} == expected
        assert len(found) == len(expected)


def test_stairs_are_where_the_waits_of_a_group_begin(opened: MainWindow) -> None:
    state = opened.session.state
    known = state.analysis
    assert known is not None
    assert known.delays is not None
    order = row_order(state)
    found = front_lines(state, order)
    assert found is not None
    front = front_of(known.delays, 0, known.trace.ranks)
    groups = np.split(order.ranks, order.groups[1:])
    assert found.group.tolist() == list(range(1, len(groups)))
    for group, begin, end in zip(found.group, found.begin, found.end, strict=True):
        assert begin == int(np.median(front.arrival[groups[group]]))
        assert end == int(np.median(front.end[groups[group]]))
    assert "1 hop per iteration" in found.words
    by_rank = replace(state, timeline=replace(state.timeline, order="rank"))
    assert front_lines(by_rank, row_order(by_rank)) is None


def test_no_front_is_drawn_over_rows_that_are_not_connected(
    opened: MainWindow, qtbot: QtBot
) -> None:
    """*Back to delay* drew it over rows that the topology shown by then left apart."""
    session, bar = opened.session, reason(opened)
    session.show_match(len(session.state.analysis.identification.matches) - 1)
    session.update(time=0)
    qtbot.mouseClick(bar.back, LEFT)
    state = session.state
    order = row_order(state)
    shown = front_lines(state, order)
    if shown is not None:
        assert (np.diff(shown.begin) >= 0).all(), "it goes from hop to hop"
    session.show_match(0)
    state = session.state
    order = row_order(state)
    apart = replace(order, labels=(*order.labels[:-1], NOT_CONNECTED))
    found = front_lines(state, apart)
    assert found is not None
    assert found.group.tolist() == list(range(1, len(order.labels) - 1))
    assert front_lines(state, replace(order, ranks=order.ranks[::-1])) is None


def test_the_front_is_drawn_in_ink_in_the_scene(
    opened: MainWindow, qtbot: QtBot
) -> None:
    workspace = opened.workspace
    assert workspace is not None
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)
    shown = workspace.scene._shown
    assert shown is not None
    assert len(shown.pairs[-1])
    assert workspace.scene.scene._chains.actors[-1].GetVisibility()
    opened.session.update(delay=-1)
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)
    assert workspace.scene._shown is not None
    assert not len(workspace.scene._shown.pairs[-1])
    assert not workspace.scene.scene._chains.actors[-1].GetVisibility()


@pytest.mark.parametrize(("share", "shown"), [(1.01, True), (0.99, False)])
def test_no_delay_is_worth_showing_where_hardly_anybody_waits(
    wave: Analysis, share: float, shown: bool
) -> None:
    assert wave.delays is not None
    time = wave.trace.ranks * wave.trace.clock.length
    waiting = round(share * MIN_SHARE_WAITED * time)
    few = replace(wave, delays=replace(wave.delays, waiting=waiting))
    assert (worth_showing(few) > 0) is shown


def test_the_line_leads_on_and_comes_back(
    opened: MainWindow, qtbot: QtBot, wave: Analysis
) -> None:
    bar, session = reason(opened), opened.session
    assert bar.isVisible()
    assert bar.height() == 34
    assert wave.delays is not None
    assert bar.place.text() == f"1 of {worth_showing(wave)} by cost"
    assert not bar.previous.isEnabled()
    show_delay(session, 1)  # as a click in the list does
    assert bar.place.text() == f"2 of {len(wave.delays)} by cost"
    qtbot.mouseClick(bar.next, LEFT)
    assert session.state.delay == 2
    rank = int(wave.delays.rank[2])
    assert session.state.selection.ranks == (rank,)
    assert session.state.timeline.origin == (rank,)
    begin, end = session.state.window
    assert begin <= wave.delays.begin[2] <= end
    qtbot.mouseClick(bar.previous, LEFT)
    assert session.state.delay == 1
    session.update(delay=0)
    run("previous-delay", opened)
    front = session.state.time
    session.update(time=0)
    run("previous-delay", opened)  # the first one: back to it
    assert (session.state.delay, session.state.time) == (0, front)
    session.update(reason=False)
    assert not bar.isVisible()
    run("reason", opened)
    assert bar.isVisible()


def test_the_line_says_what_the_cursor_stands_at(
    opened: MainWindow, qtbot: QtBot, wave: Analysis
) -> None:
    bar, session = reason(opened), opened.session
    late, first = bar.sentence.text(), session.state.time
    begin, end = session.state.window
    assert not bar.back.isVisible()
    for time in (begin, end):  # the wave travels there
        session.update(time=time)
        assert bar.sentence.text() == late
    session.update(time=end + 1)
    assert wave.efficiencies is not None
    spans = wave.efficiencies.iterations
    (under_way,) = np.nonzero((spans[:, 0] <= end + 1) & (end + 1 <= spans[:, 1]))
    assert f"{under_way[0] + 1}" in bar.sentence.text()
    assert bar.sentence.text().endswith(f" of {len(spans)}.")
    assert not bar.next.isVisible()
    qtbot.mouseClick(bar.back, LEFT)
    assert (bar.sentence.text(), session.state.time) == (late, first)
    session.update(time=0)
    assert bar.sentence.text() == "Before the first iteration."
    session.update(time=wave.trace.clock.length)
    assert bar.sentence.text() == "After the last iteration."
    # what leads elsewhere says where, and never what was shown before
    for action in ("slowest-iteration", "next-iteration", "next-iteration"):
        run(action, opened)
        inside = begin <= session.state.time <= end
        assert (bar.sentence.text() == late) is inside
    told = [advice for advice in advice_of(wave) if advice.delay < 0]
    for advice in told:
        session.update(**changes_to_advice(session.state, advice))
        assert late != bar.sentence.text()
        assert "differ most" not in bar.sentence.text()


def test_a_click_in_the_list_shows_a_delay(
    opened: MainWindow, qtbot: QtBot, wave: Analysis
) -> None:
    assert opened.workspace is not None
    qtbot.mouseClick(reason(opened).list, LEFT)
    shown = panel(opened)
    qtbot.waitUntil(shown.isVisible, timeout=PATIENCE)
    assert wave.delays is not None
    assert shown.model.rowCount() == len(wave.delays)
    assert shown.view.selectionModel().selectedRows()[0].row() == 0
    place = shown.view.visualRect(shown.model.index(2, 0)).center()
    qtbot.mouseClick(shown.view.viewport(), LEFT, pos=place)
    assert opened.session.state.delay == 2
    assert opened.session.state.selection.ranks == (int(wave.delays.rank[2]),)
    heads = shown.view.horizontalHeader()
    heads.sectionClicked.emit(2)
    late = [
        int(wave.delays.excess[shown.model.row(row)]) for row in range(len(wave.delays))
    ]
    assert late == sorted(late, reverse=True)
    assert shown.view.selectionModel().selectedRows()[0].row() == shown.model.place(2)
    heads.sectionClicked.emit(2)
    late = [
        int(wave.delays.excess[shown.model.row(row)]) for row in range(len(wave.delays))
    ]
    assert late == sorted(late)
    shown.view.copy(range(shown.model.rowCount()))
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == len(wave.delays) + 1
    assert int(lines[1].split("\t")[0]) == wave.delays.rank[shown.model.row(0)]


def test_delays_are_filtered_and_grouped_by_their_cause(
    opened: MainWindow, qtbot: QtBot, wave: Analysis
) -> None:
    qtbot.mouseClick(reason(opened).list, LEFT)
    shown, delays = panel(opened), wave.delays
    qtbot.waitUntil(shown.isVisible, timeout=PATIENCE)
    assert delays is not None
    iteration = int(delays.iteration[0])
    qtbot.keyClicks(shown.field, f"iteration {iteration}")
    wanted = np.flatnonzero(delays.iteration == iteration)
    assert shown.model.rowCount() == len(wanted) < len(delays)
    place = shown.view.visualRect(shown.model.index(0, 0)).center()
    qtbot.mouseClick(shown.view.viewport(), LEFT, pos=place)
    assert opened.session.state.delay == wanted[delays.caused[wanted].argmax()]
    shown.field.clear()
    qtbot.keyClicks(shown.field, "> 1 ms rank 0-9")
    late = delays.excess / wave.trace.clock.resolution > 1e-3
    assert shown.model.rowCount() == int((late & (delays.rank < 10)).sum())
    qtbot.keyClicks(shown.field, " to 5")
    assert "rank 0-7" in shown.reason.text(), "delays have no partners"
    shown.field.clear()
    assert not shown.reason.isVisible()
    qtbot.keyClicks(shown.field, "rank 5 > 100 s")
    assert not shown.model.rowCount()
    assert shown.reason.isVisible()
    fives = plural(int((delays.rank == 5).sum()), "delay")
    assert f"rank 5: {fives}, > 100 s: 0 delays" in shown.reason.text()
    shown.field.clear()
    qtbot.keyClicks(shown.field, "rank 31-31 iteration 4000")
    assert not shown.model.rowCount()
    assert shown.reason.text()
    shown.field.clear()
    shown.kinds._buttons["groups"].click()
    caused: dict[tuple[int, int], int] = {}
    for delay in range(len(delays)):
        key = int(delays.rank[delay]), int(delays.iteration[delay])
        caused[key] = caused.get(key, 0) + int(delays.caused[delay])
    table = shown.model.table
    names = zip(table["rank"].tolist(), table["iteration"].tolist(), strict=True)
    listed = dict(zip(names, table["caused_seconds"].tolist(), strict=True))
    second = wave.trace.clock.resolution
    rest = sum(caused.values())
    for key, seconds in listed.items():
        if key[0] >= 0:
            assert seconds == pytest.approx(caused[key] / second)
            assert caused[key] >= 0.01 * delays.waiting or len(listed) == len(caused)
            rest -= caused[key]
    if (-1, 0) in listed:
        assert listed[-1, 0] == pytest.approx(rest / second)
    else:
        assert rest == 0
    assert table["delays"].sum() == len(delays)
    assert table["share"].sum() == pytest.approx(delays.caused.sum() / delays.waiting)
    place = shown.view.visualRect(shown.model.index(0, 0)).center()
    qtbot.mouseClick(shown.view.viewport(), LEFT, pos=place)
    assert opened.session.state.delay == int(table["delay"][shown.model.row(0)])


def test_the_timeline_pins_what_distances_are_from(
    opened: MainWindow, qtbot: QtBot
) -> None:
    assert opened.workspace is not None
    view = opened.workspace.panel("timeline")
    order = row_order(opened.session.state).ranks.tolist()
    opened.session.select(ranks=(20,))
    assert row_order(opened.session.state).ranks.tolist() == order
    run("pin", opened)
    assert row_order(opened.session.state).ranks[0] == 20
    bar = opened.workspace._docks["timeline"].titleBarWidget()
    assert "rank 20" in bar.pin.text()  # type: ignore[union-attr]
    opened.session.select(ranks=(3,))
    qtbot.mouseClick(bar.pin, LEFT)  # type: ignore[union-attr]
    assert row_order(opened.session.state).ranks[0] == 3
    assert view.isVisible()


@pytest.fixture
def in_two_steps(
    wave: Analysis, monkeypatch: pytest.MonkeyPatch
) -> Iterator[threading.Event]:
    """Give the trace first without its delays, with them when the event is set."""
    found = threading.Event()

    def steps(*_: object) -> Iterator[Analysis]:
        yield replace(wave, delays=None, logical=None)
        found.wait(60)
        yield wave

    monkeypatch.setattr("topoview.worker.analyse_in_process", steps)
    yield found
    found.set()


@pytest.mark.parametrize("touched", [False, True])
def test_delays_found_later_move_nobody_who_looks_elsewhere(
    window: MainWindow, in_two_steps: threading.Event, qtbot: QtBot, touched: bool
) -> None:
    session = window.session
    window.open(f"{WAVE}.otf2")
    qtbot.waitUntil(lambda: session.state.analysis is not None, timeout=PATIENCE)
    assert session.state.delay == -1
    assert not reason(window).isVisible()
    if touched:
        session.select(ranks=(9,))
    in_two_steps.set()
    qtbot.waitUntil(lambda: session.state.opening is None, timeout=PATIENCE)
    assert session.state.delay == (-1 if touched else 0)
    assert session.state.selection.ranks == ((9,) if touched else (5,))
    assert reason(window).isVisible()
    assert reason(window).list.isEnabled()


def test_without_a_costly_delay_it_says_that_states_differ(
    loaded: MainWindow, no_reading: Trace
) -> None:
    state = loaded.session.state
    assert state.analysis is not None
    bare = replace(state.analysis, delays=None)
    assert bare.overview is not None
    loaded.session.update(analysis=bare, delay=-1, time=bare.overview.time)
    bar = reason(loaded)
    assert bar.sentence.text().startswith("The states of the ranks differ most at ")
    assert not bar.next.isVisible()
    assert not bar.list.isEnabled()
    assert no_reading.ranks == 12


def test_the_line_stays_where_the_program_has_no_iterations(
    opened: MainWindow, wave: Analysis, qtbot: QtBot
) -> None:
    """It leads back to the delay from wherever the cursor is."""
    bar, session = reason(opened), opened.session
    late = bar.sentence.text()
    session.update(analysis=replace(wave, efficiencies=None))
    session.update(time=0)
    assert bar.isVisible()
    assert bar.sentence.text().startswith("The states of the ranks differ most at ")
    qtbot.mouseClick(bar.back, LEFT)
    assert bar.sentence.text() == late


def test_undo_of_a_restored_session_shows_the_delay(
    window: MainWindow, wave: Analysis, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delays are known long after the session has been restored."""
    early = replace(wave, delays=None)
    monkeypatch.setattr(
        "topoview.worker.analyse_in_process", lambda *_: iter([early, wave])
    )
    where = wave.trace.clock.length // 2

    def restore(old: State, new: State) -> None:
        if old.analysis is None and new.analysis is not None:
            window.session.update(time=where, window=(0, where + 1))

    window.session.subscribe(restore, to=("analysis",))
    window.open(f"{WAVE}.otf2")
    qtbot.waitUntil(lambda: window.session.state.opening is None, timeout=PATIENCE)
    assert window.session.state.time == where
    window.actions_shown.qt["undo"].trigger()
    state, view = window.session.state, first_view(wave)
    assert (state.delay, state.time, state.window) == (0, view.time, view.window)
    assert state.selection.ranks == (5,)
    assert state.picked == Picked("rank", 5)


def test_columns_of_iterations_go_where_there_are_none(
    window: MainWindow, wave: Analysis, qtbot: QtBot
) -> None:
    assert wave.delays is not None
    delays = wave.delays
    nowhere = np.full(len(delays), np.nan)
    bare = replace(
        delays,
        iteration=np.zeros_like(delays.iteration),
        hops_per_iteration=nowhere,
        hops_per_second=nowhere,
        decay=nowhere,
    )
    for found, hidden in ((delays, []), (bare, [1, *range(4, 9)]), (delays, [])):
        window.session.update(analysis=replace(wave, delays=found))
        assert window.workspace is not None
        window.workspace.open_panel("delays", shown=True)
        shown = panel(window)
        qtbot.waitUntil(lambda shown=shown: shown.settled, timeout=PATIENCE)
        shown.view.resize(1400, 300)  # room for all
        shown.view.grab()
        assert [k for k in range(11) if shown.view.isColumnHidden(k)] == hidden


def test_below_the_list_are_advice_wait_states_and_efficiencies(
    opened: MainWindow, qtbot: QtBot
) -> None:
    assert opened.workspace is not None
    session, known = opened.session, opened.session.state.analysis
    assert known is not None
    assert known.wait_sums is not None
    assert known.efficiencies is not None
    opened.workspace.open_panel("delays", shown=True)
    panel = opened.workspace.panel("delays")
    assert isinstance(panel, DelaysPanel)
    sorted_by = [
        name
        for column, name in enumerate(panel.model.names)
        if panel.model.headerData(column, Qt.Orientation.Horizontal)[-1]
        in "\u2191\u2193"
    ]
    assert sorted_by == ["caused_seconds"]
    told = advice_of(known)
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
    assert [card.advice for card in panel.below.advice.cards] == list(told)
    # a card isolates what it is about
    pages = {card.advice.rule: card for card in reversed(panel.below.advice.cards)}
    qtbot.mouseClick(pages["rank"], LEFT)
    assert session.state.selection.ranks == (5,)
    assert session.state.selection.isolated == (5,)
    workspace = opened.workspace
    qtbot.waitUntil(lambda: workspace.scene.content is not None, timeout=PATIENCE)
    content = workspace.scene.content
    assert content is not None
    stands_out = MomentFinder().at(session.state, content).shading.stands_out
    assert stands_out is not None
    assert np.flatnonzero(stands_out).tolist() == [5]
    assert _rows_in_full_colour(session.state) == [5]
    assert session.state.window == known.efficiencies.exchange_window
    qtbot.mouseClick(pages["delay"], LEFT)
    assert session.state.delay == pages["delay"].advice.delay == 0
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
    assert "it reached the boundary" in panel.course.text()
    # full colour: due to the delay
    session.change(DelayOptions, page="states")
    kinds = panel.below.states.kinds
    assert kinds is not None
    assert kinds.ticks.sum() == known.wait_sums.total
    assert 0.6 * kinds.ticks.sum() < kinds.due.sum() < kinds.ticks.sum()
    assert len(panel.below.states.hops) == 6  # on a torus of 8 x 4
    assert (panel.below.states.hops > 50e-3).all()
    # efficiencies of the run, and of the window
    session.change(DelayOptions, page="efficiency")
    view = panel.below.efficiency
    qtbot.waitUntil(
        lambda: view.efficiency == known.efficiencies.exchange[0], timeout=20_000
    )
    session.change(DelayOptions, scope="window")
    expected = window_efficiency(known, session.state.window)
    qtbot.waitUntil(lambda: view.efficiency == expected, timeout=20_000)
    # a bar shows its iteration
    place = 12 + (view.width() - 24) * 8.5 / 60
    view.show_part(QPointF(place, view.height() - 20))
    assert session.state.window == tuple(known.efficiencies.iterations[8].tolist())


def test_bars_of_waits_tell_the_delay_that_they_are_of(
    opened: MainWindow, qtbot: QtBot
) -> None:
    """Those of another delay are found in a thread: until then nothing is mixed."""
    assert opened.workspace is not None
    session = opened.session
    opened.workspace.open_panel("delays", shown=True)
    session.change(DelayOptions, page="states")
    panel = opened.workspace.panel("delays")
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
    bars = panel.below.states
    before, hops = bars.grab().toImage(), bars.hops
    session.update(delay=6)
    assert bars.hops is hops
    assert bars.grab().toImage() == before
    qtbot.waitUntil(lambda: bars.hops is not hops, timeout=PATIENCE)
    assert bars.grab().toImage() != before


def _rows_in_full_colour(state: State) -> list[int]:
    """List the ranks whose rows of the timeline have but the colours of states."""
    content = TimelineContent()
    asked = content.rows_request(state, content.frame(state, 800, 400, 1.0))
    theme, bands = THEMES[state.theme], asked.bands
    strong = np.isin(asked.pixels().pixels, state_colour_table(theme))
    return [
        int(bands.rank[row])
        for band, row in enumerate(bands.bounds[:-1].tolist())
        if strong[bands.band_of_line == band].all()
    ]


def test_the_critical_path_is_drawn_where_it_is_asked_for(opened: MainWindow) -> None:
    session, known = opened.session, opened.session.state.analysis
    assert known is not None
    content = TimelineContent()
    frame = content.frame(session.state, 800, 240, 1.0)
    assert shown_path(session.state, frame) is None
    session.change("scene", path=True)
    found = shown_path(session.state, frame)
    assert found is not None
    # it stays with the rank that is late for as long as it is
    longest = int((found.end - found.begin).argmax())
    assert found.rank[longest] == 5
    longest_seconds = (found.end - found.begin)[longest] / known.trace.clock.resolution
    assert longest_seconds > 60e-3


def test_a_kept_delay_that_is_not_found_any_more_is_not_counted(
    opened: MainWindow,
) -> None:
    """A view of the trace may be restored that was kept when delays were found."""
    known = opened.session.state.analysis
    assert known is not None
    opened.session.update(analysis=replace(known, delays=None), delay=0)
    bar = reason(opened)
    assert bar.place.text() == ""
    assert bar.previous.isHidden()
    assert bar.next.isHidden()


def test_that_hosts_wait_for_their_gpus_is_said(wave: Analysis) -> None:
    """Where they do so for half of the time or longer, with what MPI takes."""
    known = wave
    assert gpu_words(known) == ("", "")
    profile = known.profile
    assert profile is not None
    whole = int(np.diff(profile.span.window)[0])
    codes = np.array([TimeState.SEND, TimeState.WAIT_FOR_GPU], np.uint8)
    spent = np.tile([whole - whole * 3 // 4, whole * 3 // 4], (32, 1))
    known = replace(known, profile=replace(profile, classes=codes, class_ticks=spent))
    text, facts = gpu_words(known)
    assert text == "The hosts wait 75.0 % of the time for their GPUs."
    assert facts.startswith("MPI takes 25.0 % (exchange, ")


@pytest.mark.traces
def test_that_hosts_wait_leads_to_efficiencies_of_hosts_and_gpus(
    window: MainWindow, qtbot: QtBot
) -> None:
    """In CloverLeaf they wait for 74 % of the time, and kernels run for 71 %."""
    window.resize(1280, 800)
    window.open(str(traces.real_path("public-casita-2_cloverleaf_cuda")))
    bar = reason(window)
    qtbot.waitUntil(lambda: "GPUs compute 7" in bar.facts.text(), timeout=PATIENCE)
    assert "for their GPUs" in bar.sentence.text()
    assert bar.list.text() == "Efficiency"
    qtbot.mouseClick(bar.list, LEFT)
    assert window.session.state.of(DelayOptions).page == "efficiency"


def test_a_hang_leads_to_the_calls_that_never_return(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1280, 800)
    window.open(str(CASES / "deadlock.tar.xz"))
    qtbot.waitUntil(lambda: bool(reason(window).sentence.text()), timeout=PATIENCE)
    assert "never returned" in reason(window).sentence.text()
    assert reason(window).list.text() == "Hung"
    qtbot.mouseClick(reason(window).list, LEFT)
    assert window.workspace is not None
    hung = window.workspace.panel("hung")
    qtbot.waitUntil(hung.isVisible, timeout=PATIENCE)
    qtbot.waitUntil(lambda: hung.model.rowCount() > 0, timeout=PATIENCE)
    assert "function" in hung.model.names
    assert hung.evidence.text().startswith("Rank 0 waits for rank 3. Evidence: ")
