"""One selection in all panels, as a user makes it."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.live.moments.moment import TimeCursor
from topoview.live.picking.occurrences import positions_at
from topoview.model import Trace
from topoview.report.logical.lines import logical_lines
from topoview.session import Selection
from topoview.ui.panels.logical.panel import LogicalPanel
from topoview.ui.panels.matrix.frame import MatrixZoom
from topoview.ui.panels.matrix.panel import MatrixPanel
from topoview.ui.panels.matrix.view import cell_words
from topoview.ui.panels.selected_calls import call_filter
from topoview.ui.shell.window import MainWindow

PATIENCE = 60_000
LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def trace_of(window: MainWindow) -> Trace:
    known = window.session.state.analysis
    assert known is not None
    return known.trace


def logical(window: MainWindow) -> LogicalPanel:
    assert window.workspace is not None
    window.workspace.open_panel("logical", shown=True)
    panel: LogicalPanel = window.workspace.panel("logical")
    return panel


@pytest.fixture
def matrix(loaded: MainWindow, qtbot: QtBot) -> MatrixPanel:
    assert loaded.workspace is not None
    loaded.workspace.open_panel("matrix", shown=True)
    panel: MatrixPanel = loaded.workspace.panel("matrix")
    qtbot.waitUntil(lambda: panel.view.picture is not None, timeout=PATIENCE)
    qtbot.waitUntil(lambda: panel.settled, timeout=PATIENCE)
    return panel


def click_row(panel: LogicalPanel, number: int, *, twice: bool = False) -> None:
    """Click a node of the tree on its words."""
    assert panel.model.tree is not None
    node = panel.model.tree.nodes[number]
    index = panel.model.createIndex(node.row, 0, number)
    panel.view.scrollTo(index)
    place = panel.view.visualRect(index).center()
    if twice:
        QTest.mouseClick(panel.view.viewport(), LEFT, pos=place)
        QTest.mouseDClick(panel.view.viewport(), LEFT, pos=place)
    else:
        QTest.mouseClick(panel.view.viewport(), LEFT, pos=place)


def node_of(panel: LogicalPanel, kind: str) -> int:
    assert panel.model.tree is not None
    kinds = [node.kind for node in panel.model.tree.nodes]
    return kinds.index(kind)


def test_a_click_selects_a_loop_and_keeps_ranks(loaded: MainWindow) -> None:
    panel = logical(loaded)
    loaded.session.select(ranks=(3,))
    click_row(panel, node_of(panel, "loop"))
    chosen = loaded.session.state.selection
    assert chosen.ranks == (3,)
    assert chosen.lines is not None
    line = logical_lines(loaded.session.state.analysis)[chosen.lines[0]]
    assert (line.kind, line.end) == ("loop", chosen.lines[1])
    expected = set(range(line.first, line.last))
    assert expected <= set(call_filter(loaded.session.state).statements)
    click_row(panel, node_of(panel, "loop"))
    assert loaded.session.state.selection == Selection(ranks=(3,))


def test_a_double_click_steps_through_iterations(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    panel = logical(loaded)
    loaded.session.select(ranks=(5,))
    loaded.session.update(time=0)
    with qtbot.waitSignal(panel.message) as message:
        click_row(panel, node_of(panel, "loop"), twice=True)
    assert message.args is not None
    assert message.args[0].startswith("Iteration 1 of ")
    assert message.args[0].endswith("on rank 5")
    state = loaded.session.state
    assert state.selection.lines is not None
    assert state.selection.ranks == (5,)
    first = state.time
    loaded.actions_shown.refresh()
    QTest.keyClick(loaded, Qt.Key.Key_I)
    assert loaded.session.state.time > first
    QTest.keyClick(loaded, Qt.Key.Key_I, SHIFT)
    assert loaded.session.state.time == first
    QTest.keyClick(loaded, Qt.Key.Key_I, SHIFT)
    assert loaded.session.state.time > first  # none is before: the last one
    QTest.keyClick(loaded, Qt.Key.Key_I)
    assert loaded.session.state.time == first


def test_a_statement_shows_its_edges_in_the_scene(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: scene.scene.ranks == 12 and not scene.busy)
    drawn: list[np.ndarray | None] = []
    monkeypatch.setattr(scene.scene, "select_edges", drawn.append)
    known = loaded.session.state.analysis
    assert known is not None
    calls = [line for line in logical_lines(known) if line.kind == "call"]
    sends = next(c for c in calls if "EAST" in c.text and "Isend" in c.text)
    loaded.session.choose(statement=sends.first)
    qtbot.waitUntil(lambda: bool(drawn) and drawn[-1] is not None, timeout=PATIENCE)
    assert known.identification is not None
    match = known.identification.best
    places = match.coordinates
    assert drawn[-1] is not None
    for a, b in drawn[-1].tolist():
        step = (places[b] - places[a]) % match.topology.dims
        assert step[1] == 0
        assert step[0] in (1, match.topology.dims[0] - 1)
    loaded.session.select()
    assert drawn[-1] is None


def test_a_call_of_the_timeline_is_found_in_the_logical_trace(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    assert loaded.workspace is not None
    panel, view = logical(loaded), loaded.workspace.panel("timeline")
    qtbot.waitUntil(lambda: view.settled, timeout=PATIENCE)
    trace, known = trace_of(loaded), loaded.session.state.analysis
    assert known is not None
    assert known.logical is not None
    calls = trace.calls
    begin, end = calls.offsets[4:6].tolist()
    call = begin + int(np.argmax((calls.leave - calls.enter)[begin:end]))
    length = int(calls.leave[call] - calls.enter[call])
    middle = int(calls.enter[call]) + length // 2
    loaded.session.update(window=(middle - length, middle + length))
    frame, bands = view.frame, view.bands
    row = int(bands.index_of_rank((4,))[0])
    y = frame.y(float(bands.top[row] + bands.bottom[row]) / 2)
    QTest.mouseClick(view, LEFT, pos=QPoint(round(frame.x(middle)), round(y)))
    chosen = loaded.session.state.selection
    assert chosen.ranks == (4,)
    assert chosen.call == call
    statement = int(known.logical.statement_of_call[call])
    assert panel.model.tree is not None
    node = panel.model.tree.nodes[int(panel.model.tree.node_of[statement])]
    assert panel.model.is_framed(node)
    index = panel.model.index_of(statement)
    middle = panel.view.visualRect(index).center()
    assert panel.view.viewport().rect().contains(middle)


def test_a_cell_selects_its_pair_and_marks_its_statements(
    loaded: MainWindow, matrix: MatrixPanel
) -> None:
    numbers = matrix.view.picture
    assert numbers is not None
    coo = numbers.matrix.calls.tocoo()
    sender, receiver = int(coo.row[3]), int(coo.col[3])
    box = matrix.view.frame.box(receiver, sender, receiver + 1, sender + 1)
    QTest.mouseClick(matrix.view, LEFT, pos=box.center().toPoint())
    edge = (min(sender, receiver), max(sender, receiver))
    assert loaded.session.state.selection == Selection(edge=edge)
    assert len(logical(loaded).model.marked)


def test_a_drag_selects_the_ranks_that_communicate_in_it(
    loaded: MainWindow, matrix: MatrixPanel
) -> None:
    view = matrix.view
    assert view.picture is not None
    dense = view.picture.matrix.calls.toarray()
    box = view.frame.box(0.3, 0.3, 5.7, 5.7)
    corners = box.topLeft().toPoint(), box.bottomRight().toPoint()
    QTest.mousePress(view, LEFT, pos=corners[0])
    QTest.mouseMove(view, (corners[0] + corners[1]) / 2)
    QTest.mouseMove(view, corners[1])
    QTest.mouseRelease(view, LEFT, pos=corners[1])
    inside = np.argwhere(dense[:6, :6])
    assert loaded.session.state.selection.ranks == tuple(np.unique(inside).tolist())


def test_the_matrix_zooms_at_the_pointer_and_tells_of_cells(
    loaded: MainWindow, matrix: MatrixPanel, qtbot: QtBot
) -> None:
    view = matrix.view
    before = view.frame.place(view.frame.area.center())
    zoomed = MatrixZoom(0, 0, 12).magnified(2.0, *before, 12)
    assert zoomed.count == 6
    view._look(zoomed)
    qtbot.waitUntil(lambda: matrix.settled, timeout=PATIENCE)
    after = view.frame.place(view.frame.area.center())
    assert after == pytest.approx(before)
    QTest.mouseDClick(view, LEFT, pos=view.frame.area.center().toPoint())
    assert view.frame.zoom.count == 12
    assert view.picture is not None
    known = loaded.session.state.analysis
    assert known is not None
    assert known.logical is not None
    partners = known.logical.partners
    east = partners.names.index("EAST")
    entry = int(np.flatnonzero(partners.direction[: partners.offsets[1]] == east)[0])
    other = int(partners.partner[entry])
    words = cell_words(view.picture, (other, other + 1), (0, 1))
    assert f"rank 0 → rank {other}" in words
    assert "EAST" in words
    assert "messages" in words
    assert cell_words(view.picture, (0, 1), (0, 1)) == ""


def test_the_matrix_counts_the_window_and_what_is_selected(
    loaded: MainWindow, matrix: MatrixPanel, qtbot: QtBot
) -> None:
    view, messages = matrix.view, trace_of(loaded).messages

    def counted() -> int:
        qtbot.waitUntil(lambda: matrix.settled, timeout=PATIENCE)
        assert view.picture is not None
        return int(view.picture.matrix.calls.sum())

    length = trace_of(loaded).clock.length
    window = (length // 3, length // 2)
    loaded.session.select()
    loaded.session.update(window=window)
    loaded.session.update(scope="window")
    sent = messages.send_time
    expected = int(((sent >= window[0]) & (sent < window[1])).sum())
    assert 0 < expected < len(messages)
    assert counted() == expected
    loaded.session.update(scope="selected")
    assert counted() == len(messages)  # nothing is selected
    loaded.session.select(ranks=(2,))
    own = int(((messages.sender == 2) | (messages.receiver == 2)).sum())
    assert counted() == own


def test_every_rank_is_at_one_line(loaded: MainWindow) -> None:
    """In a call, past one, or before the first: all are counted once."""
    panel, trace = logical(loaded), trace_of(loaded)
    assert panel.model.tree is not None
    nodes = [node for node in panel.model.tree.nodes if node.call]
    known = loaded.session.state.analysis
    assert known is not None
    assert known.positions is not None
    for share in (0.2, 0.4, 0.6, 0.8):
        time = round(share * trace.clock.length)
        loaded.session.update(time=time)
        ranks = panel.model.ranks
        counted = sum(ranks.here(node) + ranks.after(node) for node in nodes)
        there = ~np.isnan(positions_at(TimeCursor(trace), known.positions, time))
        assert counted == there.sum()


def test_a_selected_call_marks_its_pairs_in_one_frame(
    matrix: MatrixPanel,
    loaded: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert loaded.workspace is not None
    scene, view = loaded.workspace.scene, loaded.workspace.panel("timeline")
    trace = trace_of(loaded)
    loaded.session.select()
    loaded.session.update(window=(0, trace.clock.length))
    qtbot.waitUntil(lambda: scene.scene.ranks == 12 and not scene.busy)
    names = np.array(trace.regions.operations)
    operation = names[trace.regions.operation[trace.calls.region]]
    first, last = trace.calls.offsets[5:7].tolist()
    waits = [k for k in range(first, last) if operation[k] == "Waitall"]
    messages = trace.messages
    call = waits[1]
    own = messages.completion_call == call
    expected = set(
        zip(messages.sender[own].tolist(), messages.receiver[own].tolist(), strict=True)
    )
    assert len(expected) > 1
    # a slow machine has its time, too
    monkeypatch.setattr(scene._links, "_late", QTimer(scene, interval=PATIENCE))
    frames = scene.canvas.frames
    loaded.session.select(ranks=(5,), call=call)
    assert scene.busy
    qtbot.waitUntil(lambda: scene.canvas.frames > frames, timeout=PATIENCE)
    assert not scene._links.busy
    assert scene.canvas.frames == frames + 1
    drawn = {tuple(pair) for pair in scene._links._edges.tolist()}
    assert drawn == {(min(pair), max(pair)) for pair in expected}

    def framed() -> bool:
        picture = matrix.view.picture
        return picture is not None and len(picture.framed) > 0

    qtbot.waitUntil(framed, timeout=PATIENCE)
    assert matrix.view.picture is not None
    assert {tuple(pair) for pair in matrix.view.picture.framed.tolist()} == expected
    lines = view.content.messages(loaded.session.state, view.frame)
    ends = zip(lines.sender.tolist(), lines.receiver.tolist(), strict=True)
    assert set(ends) == expected
    loaded.session.select()
    qtbot.waitUntil(lambda: not framed(), timeout=PATIENCE)


def test_ranks_are_counted_some_times_a_second_while_playing(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = logical(loaded)
    looked: list[int] = []
    move = panel.model.move

    def noted(ticks: int, ranks: tuple[int, ...]) -> bool:
        looked.append(ticks)
        return move(ticks, ranks)

    monkeypatch.setattr(panel.model, "move", noted)
    end = trace_of(loaded).clock.length // 2
    for time in range(1, 51):
        loaded.session.update(time=time, playing=True)
    assert not looked
    qtbot.waitUntil(lambda: bool(looked), timeout=PATIENCE)
    loaded.session.update(time=end, playing=False)
    assert looked[-1] == end  # at once


def test_a_selected_statement_focuses_the_scene(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    """Ranks in it stand out, the others shrink; edges are no longer all in ink."""
    assert loaded.workspace is not None
    scene, session = loaded.workspace.scene, loaded.session
    known = session.state.analysis
    assert known is not None
    assert known.logical is not None
    statements = known.logical.statement_of_call
    calls = known.trace.calls
    waits = np.array(known.trace.regions.operation)[calls.region]
    names = known.trace.regions.operations
    call = next(k for k in range(len(waits)) if names[waits[k]] == "Waitall")
    middle = int(calls.enter[call] + calls.leave[call]) // 2
    session.update(time=middle)
    session.choose(statement=int(statements[call]))
    qtbot.waitUntil(lambda: not scene.busy, timeout=PATIENCE)
    here = np.zeros(known.trace.ranks, bool)
    for rank in range(known.trace.ranks):
        for each in range(*calls.offsets[rank : rank + 2].tolist()):
            inside = calls.enter[each] <= middle < calls.leave[each]
            here[rank] |= inside and statements[each] == statements[call]
    assert here.any()
    shown = scene._shown
    assert shown is not None
    assert shown.shading.stands_out is not None
    assert shown.shading.stands_out.tolist() == here.tolist()
    assert not scene.scene.edges._marked.actor.GetVisibility() or (
        len(scene._links._edges) <= 0.6 * len(scene.scene.edges.edges)
    )
    session.select()
    qtbot.waitUntil(lambda: not scene.busy, timeout=PATIENCE)
    assert scene._shown is not None
    assert scene._shown.shading.stands_out is None
