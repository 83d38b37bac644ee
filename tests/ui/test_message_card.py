"""Marks of messages under the mouse: what is told of them, and the ways from there."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.analysis.message_index import message_index
from topoview.model import Trace
from topoview.scene.camera import project
from topoview.session import Picked
from topoview.ui.panels.scene.view import SceneView

LEFT = Qt.MouseButton.LeftButton
PATIENCE = 30_000


@pytest.fixture
def view(
    qtbot: QtBot, simulated: Callable[..., Trace], show_scene: Callable[..., SceneView]
) -> SceneView:
    """Show a grid of 5x3 ranks at a time when a message is under way."""
    trace = simulated("grid", (5, 3))
    shown = show_scene(trace, (900, 440), message_index=message_index(trace.messages))
    flight = trace.messages.receive_time - trace.messages.send_time
    longest = int(np.argmax(flight))
    middle = int(trace.messages.send_time[longest] + flight[longest] // 2)
    shown.session.update(time=middle, window=(0, trace.clock.length))
    qtbot.waitUntil(lambda: not shown.busy, timeout=PATIENCE)
    return shown


def under_way(view: SceneView) -> dict[tuple[int, int], list[int]]:
    """Messages under way by sender and receiver, looked for one by one."""
    known = view.state.analysis
    assert known is not None
    messages, now = known.trace.messages, view.state.time
    found: dict[tuple[int, int], list[int]] = {}
    for k in range(len(messages.sender)):
        if 0 <= messages.send_time[k] <= now < messages.receive_time[k]:
            pair = int(messages.sender[k]), int(messages.receiver[k])
            found.setdefault(pair, []).append(k)
    return found


def mark_at(view: SceneView) -> tuple[QPoint, tuple[int, int]]:
    """Pixel of a mark that no rank hides, and its sender and receiver."""
    scene = view.scene
    ends = scene._messages._ends
    for x, y in project(scene.pose, ends.mean(axis=1), scene.size):
        point = QPoint(round(x), round(y))
        flow = scene.pick_messages(*point.toTuple())
        if flow is not None and scene.pick(*point.toTuple()) is None:
            return point, flow
    raise AssertionError("no mark is seen")


def test_a_mark_is_told_about_and_lists_its_messages(view: SceneView) -> None:
    point, flow = mark_at(view)
    own = under_way(view)[flow]
    QTest.mouseMove(view.canvas, point + QPoint(30, 90))
    QTest.mouseMove(view.canvas, point)
    view._pointer.move(point.toPointF())
    hover = view._pointer.hover
    assert hover is not None
    assert hover.flow == flow
    card = view.messages
    assert card is not None
    assert not card.isVisible()
    QTest.mouseClick(view.canvas, LEFT, Qt.KeyboardModifier.NoModifier, point)
    assert view.state.selection.flow == flow
    assert card.isVisible()
    words = re.sub("<[^>]*>", " ", card.list.text())
    assert f"{len(own)} message" in words
    assert words.count("send call") == len(own)
    card.leave()
    assert not card.isVisible()
    assert view.state.selection.flow is None


def test_links_lead_to_ranks_and_calls(qtbot: QtBot, view: SceneView) -> None:
    _, flow = mark_at(view)
    message = under_way(view)[flow][0]
    known, card = view.state.analysis, view.messages
    assert known is not None
    assert card is not None
    view.session.select(flow=flow)
    links = card.page.links
    assert [link.to for link in links[:2]] == [Picked("rank", rank) for rank in flow]
    messages, enter = known.trace.messages, known.trace.calls.enter
    for number, rank, call in zip(
        (2, 3),
        flow,
        (messages.send_call[message], messages.completion_call[message]),
        strict=True,
    ):
        card.follow_link(str(number))
        chosen = view.state.selection
        assert (chosen.ranks, chosen.call, chosen.flow) == ((rank,), call, flow)
        assert view.state.picked == Picked("call", call)
        assert view.state.time == enter[call]
        assert card.isVisible(), "the list stays"
    card.follow_link("1")
    assert view.state.selection.ranks == (flow[1],)
    qtbot.waitUntil(lambda: not view.busy, timeout=PATIENCE)
