"""The scene in a real widget: one frame a change, mouse, links to the session."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from topoview.model import TimeState, Trace
from topoview.scene.level_of_detail import DETAIL_STEPS, FULL_DETAIL
from topoview.scene.palette import THEMES, rgb
from topoview.session import Camera
from topoview.ui.panels.scene.canvas import ROTATE, SMOOTH_DELAY_MILLISECONDS
from topoview.ui.panels.scene.view import SceneView

pytestmark = pytest.mark.usefixtures("with_smoothing")

LEFT = Qt.MouseButton.LeftButton
PATIENCE = 20_000


@pytest.fixture
def view(
    qtbot: QtBot, simulated: Callable[..., Trace], show_scene: Callable[..., SceneView]
) -> SceneView:
    """Show a torus of 6x4 ranks."""
    shown = show_scene(simulated("torus", (6, 4), numbering=1), (640, 420))
    settle(qtbot, shown)
    return shown


def settle(qtbot: QtBot, view: SceneView) -> None:
    """Wait until the still picture was smoothed and nothing is left to draw."""

    def is_still() -> bool:
        rests = not view.busy
        QApplication.processEvents()  # the last frame may begin another motion
        return rests and not view.busy

    qtbot.waitUntil(is_still, timeout=PATIENCE)


def difference(one: QImage, other: QImage) -> str:
    """Tell how many pixels differ, by how much, and where; empty if none does."""
    assert one.size() == other.size()
    assert one.depth() == other.depth() == 32
    shape = one.height(), one.bytesPerLine() // 4, 4
    left, right = (
        np.frombuffer(image.constBits(), np.uint8).reshape(shape).astype(int)
        for image in (one, other)
    )
    far = abs(left - right).max(axis=2)
    y, x = np.nonzero(far)
    if not len(x):
        return ""
    where = f"x {x.min()} to {x.max()}, y {y.min()} to {y.max()}"
    return f"{len(x)} pixels differ by up to {far.max()}: {where}"


def at(view: SceneView, rank: int) -> QPoint:
    """Pixel at which a rank is seen."""
    x, y = view.scene.project(np.array([rank], np.int32))[0]
    return QPoint(round(x), round(y))


def visible(view: SceneView) -> list[int]:
    """Ranks that are not hidden by others."""
    return [
        rank
        for rank in range(view.scene.ranks)
        if view.scene.pick(*at(view, rank).toTuple()) == rank
    ]


def seen(view: SceneView, rank: int) -> tuple[int, int, int]:
    """Colour at a rank in what the widget shows."""
    colour = view.canvas.image.pixelColor(at(view, rank))
    return colour.red(), colour.green(), colour.blue()


def test_one_frame_for_many_changes(qtbot: QtBot, view: SceneView) -> None:
    session, canvas = view.session, view.canvas
    frames = canvas.frames
    for ticks in (10, 20, 30):
        session.update(time=ticks)
    session.select(ranks=(3,))
    session.change("scene", edges=False)
    QApplication.processEvents()
    assert canvas.frames == frames + 1
    settle(qtbot, view)
    assert canvas.frames == frames + 2, "and one when it is still"
    frames = canvas.frames
    view.update()
    view.repaint()
    QApplication.processEvents()
    assert canvas.frames == frames, "the last frame is shown again"


def test_hover_costs_no_frame(qtbot: QtBot, view: SceneView) -> None:
    frames = view.canvas.frames
    rank = visible(view)[0]
    qtbot.mouseMove(view.canvas, at(view, rank))
    qtbot.waitUntil(lambda: view.hovered == rank, timeout=PATIENCE)
    assert view.canvas.frames == frames


def test_shows_the_state_of_the_time(qtbot: QtBot, view: SceneView) -> None:
    trace = view.session.state.analysis.trace  # type: ignore[union-attr]
    timeline = trace.timeline
    view.session.change(
        "scene", edges=False, messages=False
    )  # they may pass before a rank
    for share in (0.0, 0.3, 0.55, 0.8):
        ticks = int(trace.clock.length * share)
        view.session.update(time=ticks)
        settle(qtbot, view)
        states = timeline.state[timeline.at(ticks)[:24]]
        for rank in visible(view)[:8]:
            wanted = np.array(rgb(THEMES["light"].state_colour(states[rank])))
            pixel = np.array(seen(view, rank))
            others = [np.array(rgb(THEMES["light"].state_colour(s))) for s in TimeState]
            apart = [np.linalg.norm(pixel - other) for other in others]
            assert np.linalg.norm(pixel - wanted) <= min(apart) + 45, rank


def test_click_selects(qtbot: QtBot, view: SceneView) -> None:
    first, second = visible(view)[:2]
    qtbot.mouseClick(view.canvas, LEFT, pos=at(view, first))
    assert view.session.state.selection.ranks == (first,)
    ctrl = Qt.KeyboardModifier.ControlModifier
    qtbot.mouseClick(view.canvas, LEFT, ctrl, at(view, second))
    assert view.session.state.selection.ranks == tuple(sorted((first, second)))
    qtbot.mouseClick(view.canvas, LEFT, ctrl, at(view, first))
    assert view.session.state.selection.ranks == (second,)
    qtbot.mouseClick(view.canvas, LEFT, pos=QPoint(3, 200))
    assert view.session.state.selection.ranks == ()


def test_click_on_an_edge(qtbot: QtBot, view: SceneView) -> None:
    view.session.change("scene", layout="flat")
    qtbot.waitUntil(lambda: view.layout_name == "flat", timeout=PATIENCE)
    edges = view.scene.edges
    ends = edges.ends.mean(axis=1)
    for piece in range(len(ends)):
        from topoview.scene.camera import project

        x, y = project(view.scene.pose, ends[piece : piece + 1], view.scene.size)[0]
        if view.scene.pick(x, y) is None:
            break
    qtbot.mouseClick(view.canvas, LEFT, pos=QPoint(round(x), round(y)))
    assert view.session.state.selection.edge == view.scene.pick_edge(x, y)
    assert view.session.state.selection.edge is not None


def test_drag_turns_and_selects_nothing(qtbot: QtBot, view: SceneView) -> None:
    before = view.scene.pose
    start = at(view, visible(view)[0])
    qtbot.mousePress(view.canvas, LEFT, pos=start)
    for step in (10, 20, 40):
        qtbot.mouseMove(view.canvas, start + QPoint(step, step // 2))
    qtbot.mouseRelease(view.canvas, LEFT, pos=start + QPoint(40, 20))
    pose = view.scene.pose
    assert (pose.azimuth, pose.elevation) != (before.azimuth, before.elevation)
    assert pose.distance == before.distance
    assert view.session.state.selection.ranks == ()


def test_wheel_zooms_at_the_pointer(view: SceneView) -> None:
    rank = visible(view)[-1]
    place = at(view, rank)
    distance = view.scene.pose.distance
    event = QWheelEvent(
        QPointF(place),
        view.canvas.mapToGlobal(QPointF(place)),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.canvas, event)
    assert view.scene.pose.distance < distance
    assert (at(view, rank) - place).manhattanLength() < 12


def test_messages_of_ranks_below_six_pixels_are_left_out(
    qtbot: QtBot, view: SceneView
) -> None:
    session = view.session
    assert session.state.analysis is not None
    messages = session.state.analysis.trace.messages
    late = int(np.argmax(messages.receive_time - messages.send_time))
    ticks = int(messages.send_time[late] + messages.receive_time[late]) // 2
    session.update(time=ticks)
    settle(qtbot, view)
    assert view._shown is not None
    assert view._shown.flying.total > 0
    at = QPointF(300, 200)
    while view.scene.rank_pixels >= 6:
        view.canvas.wheeled.emit(-1.0, at)
    assert view._shown.small
    assert view._shown.flying.total == 0
    view.repaint()
    assert view.written.notes is not None
    texts = [line.text for line in view.written.notes.legends]
    assert "ranks are too small for their messages" in texts
    session.select(ranks=(int(messages.sender[late]),))
    assert view._shown.flying.total > 0, "those of a selected rank are drawn"
    session.select()
    assert view._shown.flying.total == 0
    session.change("scene", messages=True)
    assert view._shown.flying.total > 0, "and all that are asked for"
    session.change("scene", messages=None)
    while view.scene.rank_pixels < 6:
        view.canvas.wheeled.emit(1.0, at)
    assert view._shown.flying.total > 0


def test_cameras_and_fit(qtbot: QtBot, view: SceneView) -> None:
    home = view.scene.pose
    view.session.update(camera=Camera("above"))
    qtbot.waitUntil(lambda: view.scene.pose.elevation == 90, timeout=PATIENCE)
    view.session.update(camera=Camera())
    qtbot.waitUntil(
        lambda: view.scene.pose.elevation == home.elevation, timeout=PATIENCE
    )
    view.session.update(camera=Camera(parallel=True))
    assert view.scene.pose.parallel
    view.session.update(camera=Camera(turned=True))
    view.session.update(camera=Camera())
    settle(qtbot, view)


def test_the_mouse_moves_the_camera_of_the_state(qtbot: QtBot, view: SceneView) -> None:
    canvas = view.canvas
    canvas.dragged.emit(ROTATE, 40.0, 10.0)
    turned = view.session.state.camera
    assert (turned.pose, turned.whole, turned.turned) == (view.scene.pose, True, True)
    canvas.wheeled.emit(2.0, QPointF(200, 150))
    near = view.session.state.camera
    assert (near.pose, near.whole) == (view.scene.pose, False)
    view.session.update(camera=turned)
    qtbot.waitUntil(lambda: view.scene.pose == turned.pose, timeout=PATIENCE)
    view.session.update(camera=Camera())
    qtbot.waitUntil(lambda: not view.camera.turning, timeout=PATIENCE)
    assert view.scene.pose == view.scene.look("home")


def test_layouts_are_offered_and_followed(qtbot: QtBot, view: SceneView) -> None:
    assert view.layout_name == "torus"
    view.session.change("scene", layout="flat")
    qtbot.waitUntil(lambda: view.layout_name == "flat", timeout=PATIENCE)
    places = view.scene.axis_labels()
    assert len({label.text for label in places if label.strong}) == 2
    view.session.change("scene", layout="")
    qtbot.waitUntil(lambda: view.layout_name == "torus", timeout=PATIENCE)


def test_theme(qtbot: QtBot, view: SceneView) -> None:
    view.session.update(theme="dark")
    settle(qtbot, view)
    corner = view.canvas.image.pixelColor(5, 300)
    assert corner.name() == THEMES["dark"].panel
    grabbed = view.grab().toImage().pixelColor(5, 300)
    assert (grabbed.alpha(), grabbed.name()) == (255, THEMES["dark"].panel)


def test_closing_the_trace_empties_the_scene(qtbot: QtBot, view: SceneView) -> None:
    view.session.update(analysis=None)
    settle(qtbot, view)
    assert view.scene.ranks == 0
    image = view.grab().toImage()
    assert {image.pixelColor(x, y).name() for x in (9, 320) for y in (20, 210)} == {
        "#ffffff"
    }


def test_a_small_change_of_analysis_builds_nothing_anew(view: SceneView) -> None:
    from dataclasses import replace

    pose = view.scene.pose
    known = view.session.state.analysis
    view.session.update(analysis=replace(known, profile=None))  # type: ignore[type-var]
    end = time.monotonic() + 0.2
    while time.monotonic() < end:
        QApplication.processEvents()
    assert view.scene.pose is pose


def test_a_closed_view_can_still_be_painted(view: SceneView) -> None:
    view.session.select(ranks=(3,))
    view.close()
    assert not view.grab().isNull()


@pytest.mark.usefixtures("with_motion")
def test_ranks_wander_to_another_layout(qtbot: QtBot, view: SceneView) -> None:
    scene, way = view.scene, view._change._way

    def show(layout: str) -> None:
        view.session.change("scene", layout=layout)
        qtbot.waitUntil(lambda: view.layout_name == layout, timeout=PATIENCE)

    show("flat")
    settle(qtbot, view)
    pose, before = None, view.canvas.image
    while pose != scene.pose:  # a slow machine finds room for all keys on the way
        pose, before = scene.pose, view.canvas.image
        show("ranks")
        assert view.busy
        frames = view.canvas.frames
        way.pause()  # by itself it takes as many steps as there is time for
        for step in range(1, 5):
            way.setCurrentTime(step * way.duration() // 5)
            QApplication.processEvents()
        assert view.canvas.frames >= frames + 4, "steps on the way"
        way.resume()
        settle(qtbot, view)
        assert view.canvas.image != before
        state = TimeState(view._shown.now.state[3])  # type: ignore[union-attr]
        expected = np.array(rgb(THEMES["light"].state_colour(state)))
        assert np.abs(np.array(seen(view, 3)) - expected).max() < 60
        show("flat")
        settle(qtbot, view)
    assert not difference(view.canvas.image, before), "the same again"
    assert scene.ranks == 24


def test_a_scene_filled_in_motion_is_counted_anew(
    qtbot: QtBot, view: SceneView
) -> None:
    view._smooth._moving = True
    view._smooth._rule.begin(0)  # of the scene that was empty before
    view._smooth.move()
    assert view._smooth._rule.ranks == view.scene.ranks
    settle(qtbot, view)
    assert view.scene.detail == FULL_DETAIL


def test_nothing_is_drawn_when_nothing_changes(qtbot: QtBot, view: SceneView) -> None:
    session, frames, painted = view.session, view.canvas.frames, view.written.painted
    session.update(time=session.state.time, window=session.state.window)
    qtbot.wait(300)
    assert view.canvas.frames == frames
    view.repaint()
    view.canvas.update()
    qtbot.wait(50)
    assert (view.canvas.frames, view.written.painted) == (frames, painted)


def test_a_frame_for_each_step_of_time(view: SceneView) -> None:
    frames, painted = view.canvas.frames, view.written.painted
    for ticks in (10, 20, 30, 40):
        view.session.update(time=ticks)
        QApplication.processEvents()
    assert view.canvas.frames - frames == 4
    assert view.written.painted - painted == 4


MOTIONS_TO_REST = 4
"""Motions within which all is in its place: a slow machine makes room for keys late."""


def move_slowly(view: SceneView) -> None:
    """Let time run in slow frames; no pause of the machine's is taken for rest."""
    now, rest = view.session.state.time, view._smooth._later
    rest.setInterval(PATIENCE)
    for ticks in range(now - 40, now + 1):
        view._smooth._spent += 1.0  # as if the machine were slow
        view.session.update(time=ticks)
        QApplication.processEvents()
    rest.setInterval(SMOOTH_DELAY_MILLISECONDS)


def visible_props(view: SceneView) -> int:
    """Count the things that VTK draws."""
    return sum(
        bool(prop.GetVisibility()) for prop in view.canvas.renderer.GetViewProps()
    )


def test_slow_frames_drop_detail_and_rest_restores_it(
    qtbot: QtBot, view: SceneView
) -> None:
    scene, now = view.scene, view.session.state.time
    move_slowly(view)  # finds room for all keys
    settle(qtbot, view)
    changed = ""
    for _ in range(MOTIONS_TO_REST):
        before, shown = view.canvas.image, visible_props(view)
        move_slowly(view)
        assert scene.detail == DETAIL_STEPS[-1]
        assert not any(actor.GetVisibility() for actor in scene._messages.actors)
        assert view._shown is not None
        assert not view._shown.sought, "nobody looks for messages that are not drawn"
        assert visible_props(view) < shown, "edges are left out, too"
        settle(qtbot, view)
        assert scene.detail == FULL_DETAIL
        assert visible_props(view) == shown
        assert view._shown.sought
        assert view.session.state.time == now
        changed = difference(view.canvas.image, before)
        if not changed:
            break
    assert not changed


def test_a_rough_frame_fills_the_view(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, view: SceneView
) -> None:
    monkeypatch.setattr("topoview.scene.ranks.rank_actors.MAX_RANKS_AS_MESHES", 8)
    assert view.content is not None
    view._show_content(view.content)
    view.resize(641, 421)  # odd, so that the last samples are of less
    settle(qtbot, view)
    view.scene.reduce(DETAIL_STEPS[-1])
    view._again()
    pose = view.scene.pose
    found = []
    for azimuth, shape in ((pose.azimuth + 0.1, (321, 211)), (None, (641, 421))):
        if azimuth is not None:
            view.scene.look_with(replace(pose, azimuth=azimuth))
        view.canvas.redraw()
        picture = view.canvas.grab().toImage()
        drawn = view.canvas.image
        assert (drawn.width(), drawn.height()) == shape
        empty = picture.pixelColor(0, 0)
        places = [
            (x, y)
            for x in range(0, 641, 2)
            for y in range(0, 421, 2)
            if picture.pixelColor(x, y) != empty
        ]
        found.append((*np.min(places, axis=0), *np.max(places, axis=0)))
    assert found[0] == pytest.approx(found[1], abs=4), "where ranks are"
    left, _, right, _ = found[1]
    assert right - left > 300
