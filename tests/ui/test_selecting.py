"""Ranks selected by others, in boxes and lassos, as a user does it."""

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import traces
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from topoview.live.moments.moment import moment
from topoview.live.picking.relations import RELATIONS, RelationRequest, related_ranks
from topoview.model import WAITING_STATES, Analysis, TimeState, Trace
from topoview.ui.actions.selection import forget_selection
from topoview.ui.panels.scene.pointer import points_inside
from topoview.ui.shell.window import MainWindow

CONTROL = Qt.KeyboardModifier.ControlModifier
LOOP = ((-9, -9), (9, -9), (15, 15), (-9, 9))
"""Corners about a rank; halfway from the first to the third is not its centre."""


@pytest.fixture(scope="module")
def torus() -> Analysis:
    return traces.analysed(traces.simulated("torus", (5, 4), numbering=3))


def ask(known: Analysis, name: str, *ranks: int, time: int = 0) -> set[int]:
    assert known.identification is not None
    match = known.identification.best
    assert RELATIONS[name].given(known, match)
    return set(
        related_ranks(name, RelationRequest(known, match, np.array(ranks), time))
    )


def test_neighbours(torus: Analysis) -> None:
    assert torus.identification is not None
    graph = nx.Graph(torus.identification.best.rank_edges.tolist())
    for rank in range(20):
        assert ask(torus, "neighbours", rank) == {rank, *graph[rank]}
    both = {0, 7, *graph[0], *graph[7]}
    assert ask(torus, "neighbours", 0, 7) == both


def test_lines(torus: Analysis) -> None:
    assert torus.identification is not None
    places = torus.identification.best.coordinates
    for rank in range(20):
        for axis, name in enumerate("xy"):
            other = 1 - axis
            same = np.flatnonzero(places[:, other] == places[rank, other])
            assert ask(torus, f"line-{name}", rank) == set(same.tolist())
    assert not RELATIONS["line-z"].given(torus, torus.identification.best)
    assert not RELATIONS["plane-x"].given(torus, torus.identification.best)


def test_planes() -> None:
    known = traces.identified(traces.simulated("torus", (3, 4, 5), numbering=2))
    assert known.identification is not None
    places = known.identification.best.coordinates
    for axis, name in enumerate("xyz"):
        same = np.flatnonzero(places[:, axis] == places[11, axis])
        assert ask(known, f"plane-{name}", 11) == set(same.tolist())


def test_those_waited_for_are_still_to_come(torus: Analysis) -> None:
    """Whoever waits alone is waited for by nobody; the cause computes."""
    assert torus.identification is not None
    graph = nx.Graph(torus.identification.best.rank_edges.tolist())
    trace = torus.trace
    checked = 0
    for time in np.linspace(0, trace.clock.length, 60).astype(int).tolist():
        states = moment(trace, time).state
        for rank in np.flatnonzero(np.isin(states, WAITING_STATES)).tolist():
            found = ask(torus, "awaited", rank, time=time) - {rank}
            if states[rank] == TimeState.LATE_SENDER:
                assert found <= set(graph[rank])
                checked += bool(found)
    assert checked > 10


def test_latecomers_of_a_collective(real_trace: Callable[[str], Trace]) -> None:
    trace = real_trace("public-casita-4_mpi_ls_barr")
    known = traces.analysis_of_real("public-casita-4_mpi_ls_barr")
    barrier = [
        int(trace.calls.enter[call])
        for call in trace.collectives.call
        if trace.regions.operations[trace.regions.operation[trace.calls.region[call]]]
        == "Barrier"
    ]
    time = sorted(barrier)[-2] + 1  # all but one are there
    states = moment(trace, time).state
    waiting = np.flatnonzero(states == TimeState.BARRIER)
    late = set(range(4)) - set(waiting.tolist())
    assert len(late) == 1
    rank = int(waiting[0])
    assert ask(known, "awaited", rank, time=time) == {rank, *late}


def test_same_state(torus: Analysis) -> None:
    time = torus.trace.clock.length // 2
    states = moment(torus.trace, time).state
    expected = set(np.flatnonzero(states == states[4]).tolist())
    assert ask(torus, "state", 4, time=time) == expected


def test_inside_a_polygon() -> None:
    random = np.random.default_rng(1)
    points = random.uniform(-2, 2, (400, 2))
    triangle = np.array([[-1.0, -1.0], [1.5, -0.5], [0.0, 1.5]])
    d = [
        (b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0])
        for a, b in zip(triangle, np.roll(triangle, -1, axis=0), strict=True)
    ]
    expected = np.all(np.array(d) > 0, axis=0)
    np.testing.assert_array_equal(points_inside(points, triangle), expected)


@pytest.fixture
def loaded(
    no_reading: Trace, load: Callable[..., MainWindow], tmp_path: object, qtbot: QtBot
) -> MainWindow:
    from pathlib import Path

    del no_reading
    window = load(Path(str(tmp_path)))
    assert window.workspace is not None
    window.session.select()
    scene = window.workspace.scene
    qtbot.waitUntil(lambda: scene.scene.ranks == 12 and not scene.busy, timeout=60_000)
    return window


def drag(window: MainWindow, modifiers: Qt.KeyboardModifier, *way: QPoint) -> None:
    assert window.workspace is not None
    canvas = window.workspace.scene.canvas
    left = Qt.MouseButton.LeftButton
    QTest.mousePress(canvas, left, modifiers, way[0])
    for point in way[1:]:
        for share in (0.5, 1.0):
            step = (QPoint(point) - way[0]) * share + way[0]
            QTest.mouseMove(canvas, step)
    QTest.mouseRelease(canvas, left, modifiers, way[-1])


def test_a_box_selects_what_is_in_it(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    loaded.session.select()
    places = scene.scene.project(np.arange(12, dtype=np.int32))
    middle = float(np.median(places[:, 0]))
    left = set(np.flatnonzero(places[:, 0] < middle).tolist())
    top, bottom = int(places[:, 1].min()) - 8, int(places[:, 1].max()) + 8
    corner = QPoint(int(places[:, 0].min()) - 8, top)
    drag(loaded, CONTROL, corner, QPoint(int(middle), bottom))
    assert set(loaded.session.state.selection.ranks) == left
    other = QPoint(int(places[:, 0].max()) + 8, top)
    drag(loaded, CONTROL, other, QPoint(int(middle) - 1, bottom))
    assert set(loaded.session.state.selection.ranks) == set(range(12))


def test_a_lasso_follows_the_mouse(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    loaded.session.select()
    x, y = loaded.workspace.scene.scene.project(np.array([5], np.int32))[0]
    corners = [QPoint(round(x) + dx, round(y) + dy) for dx, dy in LOOP]
    drag(loaded, CONTROL | Qt.KeyboardModifier.ShiftModifier, *corners)
    assert loaded.session.state.selection.ranks == (5,)


def test_a_lasso_may_end_where_it_began(loaded: MainWindow) -> None:
    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    loaded.session.select()
    x, y = scene.scene.project(np.array([5], np.int32))[0]
    corners = [QPoint(round(x) + dx, round(y) + dy) for dx, dy in LOOP]
    modifiers = CONTROL | Qt.KeyboardModifier.ShiftModifier
    drag(loaded, modifiers, *corners, corners[0])
    assert loaded.session.state.selection.ranks == (5,)
    assert scene._lasso.outline.isEmpty()


def test_actions_select_by_what_is_selected(loaded: MainWindow) -> None:
    qt = loaded.actions_shown.qt
    loaded.session.select()
    loaded.actions_shown.refresh()
    assert not qt["select-neighbours"].isEnabled()
    loaded.session.select(ranks=(5,))
    loaded.actions_shown.refresh()
    assert qt["select-neighbours"].isEnabled()
    assert not qt["select-plane-z"].isEnabled()
    qt["select-neighbours"].trigger()
    assert len(loaded.session.state.selection.ranks) == 5
    qt["select-others"].trigger()
    assert len(loaded.session.state.selection.ranks) == 7
    qt["select-all"].trigger()
    assert loaded.session.state.selection.ranks == tuple(range(12))


def test_colours_are_chosen_by_key_and_box(loaded: MainWindow) -> None:
    box = loaded.tool_bar.colourings
    assert box.currentText() == "State"
    QTest.keyClick(loaded, Qt.Key.Key_C)
    assert loaded.session.state.scene.colouring == "call"
    assert box.currentText() == "Progress in the MPI call"
    loaded.actions_shown.qt["colour-waiting"].trigger()
    assert box.currentText() == "Wait time, % of window"
    loaded.actions_shown.qt["span-data"].trigger()
    assert loaded.session.state.scene.span == "data"
    loaded.actions_shown.qt["colour-state"].trigger()
    loaded.actions_shown.refresh()
    assert not loaded.actions_shown.qt["span-data"].isEnabled()


def test_selections_have_names(
    loaded: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("corner", True))
    loaded.session.select(ranks=(0, 1, 2, 7))
    loaded.actions_shown.refresh()  # as it does when nothing is left to do
    loaded.actions_shown.qt["name-selection"].trigger()
    loaded.session.select(ranks=(5,))
    menu = loaded.menus["Named selections"]
    menu.aboutToShow.emit()
    assert menu.actions()[0].text() == "corner  (4 ranks)"
    menu.actions()[0].trigger()
    assert loaded.session.state.selection.ranks == (0, 1, 2, 7)
    forget_selection("corner", loaded.context)
    menu.aboutToShow.emit()
    assert menu.actions()[0].text() == "None yet"
