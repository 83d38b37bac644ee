"""Clicking things in a real window: the panel Selection, its links, the cursor."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from topoview.live.picking.picked import changes_to_pick
from topoview.report.write import card, page_text
from topoview.session import Picked, Selection
from topoview.ui.panels.picked.panel import PickedPanel
from topoview.ui.panels.picked.words import page_of
from topoview.ui.panels.scene.overlay.annotations import annotate
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.shell.window import MainWindow

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(loaded: MainWindow) -> PickedPanel:
    found = loaded.workspace.panel("picked")
    assert isinstance(found, PickedPanel)
    return found


def longest_wait(window: MainWindow) -> int:
    known = window.session.state.analysis
    calls = known.trace.calls
    late = np.clip(known.waits.until - calls.enter, 0, calls.leave - calls.enter)
    return int(late.argmax())


def click_call(window: MainWindow, qtbot: QtBot, call: int) -> None:
    """Zoom to a call, and click into its last third."""
    session, calls = window.session, window.session.state.analysis.trace.calls
    enter, leave = int(calls.enter[call]), int(calls.leave[call])
    length = leave - enter
    session.update(window=(enter - length, leave + length), time=enter - length)
    view = window.workspace.panel("timeline")
    assert isinstance(view, TimelineView)
    row = int(np.searchsorted(calls.offsets, call, side="right")) - 1
    k = int(view.bands.index_of_rank((row,))[0])
    y = view.frame.y(float((view.bands.top[k] + view.bands.bottom[k]) / 2))
    x = view.frame.x(leave - length // 3)
    qtbot.mouseClick(view, LEFT, pos=QPointF(x, y).toPoint())


def in_front(window: MainWindow, name: str) -> bool:
    dock = window.workspace._docks[name]
    return not dock.visibleRegion().isEmpty()


def open_link(panel: PickedPanel, text: str) -> None:
    links = panel.result.links
    number = next(n for n, link in enumerate(links) if link.text == text)
    panel.text.anchorClicked.emit(QUrl(str(number)))


def test_a_click_moves_the_cursor_into_the_call_and_shows_it(
    loaded: MainWindow, panel: PickedPanel, qtbot: QtBot
) -> None:
    call = longest_wait(loaded)
    click_call(loaded, qtbot, call)
    state = loaded.session.state
    calls = state.analysis.trace.calls
    assert state.picked == Picked("call", call)
    assert calls.enter[call] < state.time < calls.leave[call]
    assert in_front(loaded, "picked")
    rank = state.selection.ranks[0]
    assert panel.result.title.endswith(f", rank {rank}")
    told = {fact.name: fact for fact in panel.result.facts}
    assert {"Rank", "Time", "Took", "Waited", "For", "Cause", "Statement"} <= set(told)
    whom = int(state.analysis.waits.whom[call])
    assert f"rank {whom}" in [link.text for link in panel.result.links]


def test_the_card_in_the_scene_says_what_the_panel_does(
    loaded: MainWindow, panel: PickedPanel, qtbot: QtBot
) -> None:
    click_call(loaded, qtbot, longest_wait(loaded))
    scene, state = loaded.workspace.scene, loaded.session.state
    loaded.session.update(time=0)  # also while the cursor is elsewhere
    state = loaded.session.state
    notes = annotate(state, scene.content, scene.scene, scene._shown)
    (shown,) = notes.cards
    assert shown.lines == card(panel.result)
    assert shown.lines[0] == f"{panel.result.title}  {panel.result.subtitle}"
    whole = page_text(panel.result)
    for line in shown.lines[1:]:
        name, _, words = line.partition(" ")
        assert name in whole
        assert words in whole


def test_links_lead_to_partner_statement_and_matching_call_and_back(
    loaded: MainWindow, panel: PickedPanel, qtbot: QtBot
) -> None:
    call = longest_wait(loaded)
    click_call(loaded, qtbot, call)
    state = loaded.session.state
    whom = int(state.analysis.waits.whom[call])
    statement = int(state.analysis.logical.statement_of_call[call])
    link = next(x for x in panel.result.links if x.to.kind == "statement")
    open_link(panel, link.text)
    state = loaded.session.state
    assert state.picked == Picked("statement", statement)
    assert state.selection.statement == statement
    loaded.actions_shown.refresh()  # as it does when nothing is left to do
    loaded.actions_shown.qt["undo"].trigger()
    assert loaded.session.state.picked == Picked("call", call)
    link = next(x for x in panel.result.links if x.to.kind == "message")
    open_link(panel, link.text)
    message = loaded.session.state.picked.number
    them = state.analysis.trace.messages
    ends = {int(them.sender[message]), int(them.receiver[message])}
    assert set(loaded.session.state.selection.ranks) == ends
    open_link(panel, f"rank {int(them.sender[message])}")
    assert loaded.session.state.picked == Picked("rank", int(them.sender[message]))
    assert whom >= 0


@pytest.mark.parametrize("kind", ["call", "message", "collective", "rank", "pair"])
def test_next_and_previous_occurrence_by_key(
    loaded: MainWindow, qtbot: QtBot, kind: str
) -> None:
    session = loaded.session
    trace = session.state.analysis.trace
    number = {
        "call": int(trace.calls.offsets[3]) + 20,
        "message": 100,
        "collective": int(trace.collectives.call[1]),
        "rank": 5,
        "pair": int(trace.messages.sender[100]),
    }[kind]
    other = int(trace.messages.receiver[100]) if kind == "pair" else -1
    picked = Picked(kind, number, other)
    session.update(**changes_to_pick(session.state, picked, trace.clock.length // 3))
    before = session.state
    qtbot.keyClick(loaded, Qt.Key.Key_I)
    after = session.state
    assert after.time > before.time
    assert after.picked.kind == kind
    assert (after.picked.number != number) == (kind not in ("rank", "pair"))
    qtbot.keyClick(loaded, Qt.Key.Key_I, Qt.KeyboardModifier.ShiftModifier)
    assert session.state.picked == picked
    assert session.state.time < after.time


def test_a_rank_an_edge_and_a_statement_are_shown(
    loaded: MainWindow, panel: PickedPanel
) -> None:
    session = loaded.session
    session.select(ranks=(4,))
    assert panel.result.title == "Rank 4"
    session.select(edge=(0, 1))
    assert panel.result.title == "Ranks 0 and 1"
    session.choose(statement=1)
    assert panel.result == page_of(session.state)
    communicator = Picked("communicator", 0)
    session.update(**changes_to_pick(session.state, communicator))
    assert len(session.state.selection.ranks) == 12
    assert "12 ranks" in panel.result.subtitle
    session.update(selection=Selection())
    assert panel.result is None


def test_what_is_told_is_copied(
    loaded: MainWindow, panel: PickedPanel, qtbot: QtBot
) -> None:
    click_call(loaded, qtbot, longest_wait(loaded))
    panel.copy()
    text = QGuiApplication.clipboard().text()
    assert text == page_text(panel.result)
    assert "<" not in text
    assert panel.result.title in text


def test_it_stays_away_where_the_user_chose_another_panel(
    loaded: MainWindow, panel: PickedPanel, qtbot: QtBot
) -> None:
    rows = loaded.workspace.rail.rows
    assert in_front(loaded, "logical")
    loaded.session.select(ranks=(3,))
    qtbot.waitUntil(lambda: in_front(loaded, "picked"))
    qtbot.mouseClick(rows["profile"], LEFT)
    qtbot.waitUntil(lambda: in_front(loaded, "profile"))
    loaded.session.select(ranks=(4,))
    qtbot.wait(50)
    assert in_front(loaded, "profile")
    qtbot.mouseClick(rows["picked"], LEFT)
    qtbot.waitUntil(lambda: in_front(loaded, "picked"))
    assert panel.result.title == "Rank 4", "it shows what was clicked meanwhile"


def test_it_does_not_hide_the_panel_that_was_clicked_in(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    assert in_front(loaded, "logical")
    loaded.workspace.panel("logical").setFocus()
    view = loaded.workspace.panel("logical").findChildren(type(loaded.focusWidget()))
    assert loaded.workspace._docks["logical"].isAncestorOf(loaded.focusWidget())
    loaded.session.choose(statement=2)
    qtbot.wait(50)
    assert in_front(loaded, "logical")
    assert view is not None


def test_clicking_a_rank_in_the_scene(loaded: MainWindow, qtbot: QtBot) -> None:
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: not scene.busy, timeout=20_000)
    x, y = scene.scene.project(np.array([5], np.int32))[0]
    time = loaded.session.state.time
    qtbot.mouseClick(scene.canvas, LEFT, pos=QPoint(round(x), round(y)))
    state = loaded.session.state
    assert state.picked.kind == "rank"
    assert state.selection.ranks == (state.picked.number,)
    assert state.time == time, "a rank is not a time"
