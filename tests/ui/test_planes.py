"""Planes and the cut block under the mouse and the keys, against the coordinates."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from topoview.model import WAITING_STATES, Trace, in_states
from topoview.pipeline import analyse
from topoview.scene.axes.plane_faces import PlaneFace
from topoview.scene.axes.plane_sheet import PlaneSheet
from topoview.scene.level_of_detail import DETAIL_STEPS
from topoview.ui.panels.scene.overlay.sheet import flag_of
from topoview.ui.panels.scene.view import SceneView
from topoview.ui.shell.window import MainWindow

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PATIENCE = 20_000
DIMS = (6, 5, 4)


@pytest.fixture
def view(
    qtbot: QtBot, simulated: Callable[..., Trace], show_scene: Callable[..., SceneView]
) -> SceneView:
    """Show a grid of 6x5x4 ranks by its planes."""
    shown = show_scene(simulated("grid", DIMS, numbering=1), (1200, 520))
    show(qtbot, shown, "planes")
    return shown


def show(qtbot: QtBot, view: SceneView, layout: str) -> None:
    view.session.show_layout(layout)

    def is_drawn() -> bool:
        return (
            view.layout_name == layout
            and not view.busy
            and view.written.notes is not None
            and view.written.notes.sheet is not None
            and (layout == "planes") == bool(view.written.notes.sheet.planes)
        )

    qtbot.waitUntil(is_drawn, timeout=PATIENCE)


def sheet_of(view: SceneView) -> PlaneSheet:
    view.repaint()
    notes = view.written.notes
    assert notes is not None
    assert notes.sheet is not None
    return notes.sheet


def middle_of(face: PlaneFace, row: int, column: int) -> QPoint:
    x, y = face.pixels(np.array([column + 0.5, row + 0.5])).tolist()
    return QPoint(round(x), round(y))


def turn_wheel(
    view: SceneView, at: QPoint, down: int, keys: Qt.KeyboardModifier = NONE
) -> None:
    place = QPointF(at)
    event = QWheelEvent(
        place,
        view.canvas.mapToGlobal(place),
        QPoint(),
        QPoint(0, -120 * down),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.canvas, event)


def place_of(view: SceneView, rank: int) -> list[int]:
    assert view.content is not None
    return view.content.match.coordinates[rank].tolist()


def rank_at(view: SceneView, place: list[int]) -> int:
    assert view.content is not None
    coordinates = view.content.match.coordinates
    return int(np.flatnonzero((coordinates == place).all(axis=1))[0])


def test_a_click_on_a_cell_of_planes_or_block_selects_its_rank(
    qtbot: QtBot, view: SceneView
) -> None:
    for layout in ("planes", "block"):
        show(qtbot, view, layout)
        sheet = sheet_of(view)
        faces = [plane.face for plane in sheet.planes] or [f.face for f in sheet.flats]
        assert sheet.block is not None
        for face in (*faces, sheet.block.faces[-1]):
            rows, columns = face.ranks.shape
            row, column = rows - 1, columns - 1
            view.session.select()
            QTest.mouseClick(view.canvas, LEFT, NONE, middle_of(face, row, column))
            assert view.session.state.selection.ranks == (face.ranks[row, column],)
            view.session.select()


@pytest.mark.parametrize("width", [380, 560, 1200])
def test_a_click_leaves_planes_where_they_are(view: SceneView, width: int) -> None:
    """What explains the marks of a selected rank has room before there are any."""
    view.resize(width, 520)
    QTest.qWait(50)
    before = sheet_of(view).planes[1].face
    QTest.mouseClick(view.canvas, LEFT, NONE, middle_of(before, 1, 2))
    assert view.session.state.selection.ranks == (before.ranks[1, 2],)
    after = sheet_of(view).planes[1].face
    assert after.corner.tolist() == before.corner.tolist()


def test_hovering_a_cell_marks_it(qtbot: QtBot, view: SceneView) -> None:
    for layout in ("planes", "block"):
        show(qtbot, view, layout)
        sheet = sheet_of(view)
        assert sheet.block is not None
        face = sheet.block.faces[-1]
        at = middle_of(face, 0, face.ranks.shape[1] - 1)
        move(view, QPointF(at), Qt.MouseButton.NoButton)
        assert view.hovered == face.ranks[0, -1]
        notes = view.written.notes
        view.repaint()
        assert view.written.notes is not notes
        assert view.written.notes is not None
        hovered = [r for r in view.written.notes.rings if r.weight == "hovered"]
        # in the block once or twice, where its planes meet, and in its flat planes
        assert len(hovered) == 1 if layout == "planes" else len(hovered) >= 2


def test_the_wheel_and_keys_go_from_plane_to_plane(view: SceneView) -> None:
    sheet, session = sheet_of(view), view.session
    first = rank_at(view, [2, 3, 1])
    session.select(ranks=(first,))
    beside = QPoint(20, 200)
    turn_wheel(view, beside, 1)
    assert session.state.selection.ranks == (rank_at(view, [2, 3, 2]),)
    turn_wheel(view, beside, 1, SHIFT)  # five: as far as there are planes
    assert session.state.selection.ranks == (rank_at(view, [2, 3, 3]),)
    turn_wheel(view, beside, -1)
    assert session.state.selection.ranks == (rank_at(view, [2, 3, 2]),)
    chosen = [plane.chosen for plane in sheet_of(view).planes]
    assert chosen == [False, False, True, False]
    pose = view.scene.pose
    turn_wheel(view, middle_of(sheet.planes[0].face, 0, 0), -2, CONTROL)
    assert view.scene.pose.distance < pose.distance, "with Ctrl it zooms"
    session.select()
    turn_wheel(view, beside, 1)
    assert session.state.scene.cut == (3, 2, 3), "from the middle, without a selection"
    assert session.state.selection.ranks == ()


def test_a_drag_selects_ranks_of_planes(view: SceneView) -> None:
    face = sheet_of(view).planes[1].face
    begin, end = middle_of(face, 1, 1), middle_of(face, 2, 3)
    out = QPoint(round(face.across[0] * 0.4), round(face.down[1] * 0.4))
    pose = view.scene.pose
    QTest.mousePress(view.canvas, LEFT, NONE, begin - out)
    drag(view, begin - out, end + out)
    wanted = sorted(face.ranks[1:3, 1:4].ravel().tolist())
    assert list(view.session.state.selection.ranks) == wanted
    assert view.scene.pose == pose


def drag(view: SceneView, begin: QPoint, end: QPoint) -> None:
    """Move the held mouse, and let go."""
    for share in (0.5, 1.0):
        way = QPointF(begin) + QPointF(end - begin) * share
        move(view, way, LEFT)
    QTest.mouseRelease(view.canvas, LEFT, NONE, end)


def move(view: SceneView, at: QPointF, held: Qt.MouseButton) -> None:
    place, kind = view.canvas.mapToGlobal(at), QEvent.Type.MouseMove
    QApplication.sendEvent(
        view.canvas, QMouseEvent(kind, at, place, Qt.MouseButton.NoButton, held, NONE)
    )


def test_a_flag_and_a_plane_of_the_block_are_dragged_along_their_axis(
    qtbot: QtBot, view: SceneView
) -> None:
    show(qtbot, view, "block")
    rank = rank_at(view, [1, 1, 1])
    view.session.select(ranks=(rank,))
    for axis in range(3):
        before = sheet_of(view)
        assert before.block is not None
        flag = flag_of(before.block.axes[axis]).center().toPoint()
        step = QPointF(*(2 * before.block.steps[axis]).tolist()).toPoint()
        QTest.mousePress(view.canvas, LEFT, NONE, flag)
        drag(view, flag, flag + step)
        wanted = list(before.through)
        wanted[axis] += 2
        assert list(sheet_of(view).through) == wanted
    assert view.session.state.selection.ranks == (rank,), "who is selected stays"
    block = sheet_of(view).block
    assert block is not None
    assert {face.axis for face in block.faces} == {0, 1, 2}
    for face in block.faces:
        places = np.array([place_of(view, r) for r in face.ranks.ravel().tolist()])
        assert (places[:, face.axis] == sheet_of(view).through[face.axis]).all()


def test_sliders_and_boxes_move_the_cut(qtbot: QtBot, view: SceneView) -> None:
    show(qtbot, view, "block")
    session, cuts = view.session, view.cuts
    assert cuts.isVisible()
    session.select(ranks=(rank_at(view, [1, 2, 3]),))
    shown = {axis: each.slider.value() for axis, each in cuts.axes.items()}
    assert shown == {0: 1, 1: 2, 2: 3}
    cuts.axes[2].slider.setFocus()
    QTest.keyClick(cuts.axes[2].slider, Qt.Key.Key_Left)
    assert session.state.scene.cut == (1, 2, 2)
    cuts.axes[0].box.setValue(5)
    assert session.state.scene.cut == (5, 2, 2)
    assert sheet_of(view).through == (5, 2, 2)


def waiting_ranks(view: SceneView) -> np.ndarray:
    """Go to a time at which some ranks wait, and list them."""
    analysis = view.session.state.analysis
    assert analysis is not None
    for ticks in np.linspace(0, analysis.trace.clock.length, 200).astype(int).tolist():
        view.session.update(time=ticks)
        assert view._shown is not None
        waits = in_states(view._shown.now.state, WAITING_STATES)
        if 5 < waits.sum() < 100:
            return np.flatnonzero(waits)
    raise AssertionError("nobody waits")


def test_the_block_is_cut_where_most_wait_in_the_middle_or_at_who_is_selected(
    qtbot: QtBot, view: SceneView
) -> None:
    show(qtbot, view, "block")
    session = view.session
    rank = rank_at(view, [5, 0, 3])
    session.select(ranks=(rank,))
    view.cuts.through._buttons["middle"].click()
    assert session.state.scene.cut == (3, 2, 2)
    waits = waiting_ranks(view)
    view.cuts.through._buttons["waiting"].click()
    places = np.array([place_of(view, r) for r in waits.tolist()])
    for axis, at in enumerate(session.state.scene.cut):
        counts = [(places[:, axis] == k).sum() for k in range(DIMS[axis])]
        assert counts[at] == max(counts)
    view.cuts.through._buttons["selected"].click()
    assert session.state.scene.cut == ()
    assert sheet_of(view).through == (5, 0, 3)
    other = rank_at(view, [0, 4, 1])
    session.select(ranks=(other,))
    assert sheet_of(view).through == (0, 4, 1), "it follows the selection"
    flat = sheet_of(view).flats[0].face
    row, column = np.argwhere(flat.ranks == rank_at(view, [4, 3, 1]))[0].tolist()
    QTest.mouseDClick(view.canvas, LEFT, NONE, middle_of(flat, row, column))
    assert session.state.scene.cut == (4, 3, 1), "a double click cuts there"


def test_where_nobody_waits_the_fullest_planes_are_cut(
    qtbot: QtBot, view: SceneView
) -> None:
    """Also where a rank has no place, as silent ones have none."""
    show(qtbot, view, "block")
    view.session.update(time=0)
    assert view._shown is not None
    assert not in_states(view._shown.now.state, WAITING_STATES).any()
    planes = view.scene.planes
    assert planes is not None
    planes.coordinates = planes.coordinates.copy()
    planes.coordinates[rank_at(view, [0, 0, 0])] = -1
    view.cuts.through._buttons["waiting"].click()
    assert view.session.state.scene.cut == (1, 1, 1)


def test_keys_step_through_planes_but_page_lists(
    load: Callable[[Path], MainWindow],
    simulated: Callable[..., Trace],
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
    tmp_path: Path,
) -> None:
    steps = tuple(analyse(simulated("grid", (4, 3, 3), numbering=1)))
    monkeypatch.setattr("topoview.worker.analyse_in_process", lambda *_: iter(steps))
    window = load(tmp_path / "grid.otf2")
    assert window.workspace is not None
    session, scene = window.session, window.workspace.scene
    assert scene is not None
    session.select(ranks=(0,))
    QTest.keyClick(window, Qt.Key.Key_PageDown)
    assert session.state.selection.ranks == (0,), "a cloud of balls has no planes"
    session.show_layout("planes")
    qtbot.waitUntil(lambda: scene.layout_name == "planes", timeout=PATIENCE)
    first = rank_at(scene, [1, 1, 0])
    session.select(ranks=(first,))
    scene.canvas.setFocus()
    for key, held, place in (
        (Qt.Key.Key_PageDown, NONE, [1, 1, 1]),
        (Qt.Key.Key_PageDown, NONE, [1, 1, 2]),
        (Qt.Key.Key_PageUp, NONE, [1, 1, 1]),
        (Qt.Key.Key_Right, CONTROL, [2, 1, 1]),
        (Qt.Key.Key_Up, CONTROL, [2, 0, 1]),
        (Qt.Key.Key_Down, CONTROL, [2, 1, 1]),
        (Qt.Key.Key_Left, CONTROL, [1, 1, 1]),
    ):
        QTest.keyClick(scene.canvas, key, held)
        assert session.state.selection.ranks == (rank_at(scene, place),)
    face = sheet_of(scene).planes[1].face
    qtbot.mouseDClick(scene.canvas, LEFT, pos=middle_of(face, 1, 1))
    qtbot.waitUntil(lambda: names_of(scene) == ["z 1"], timeout=PATIENCE)
    QTest.keyClick(scene.canvas, Qt.Key.Key_Escape)
    assert session.state.selection.ranks == ()
    QTest.keyClick(scene.canvas, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(names_of(scene)) == 3, timeout=PATIENCE)
    session.select(ranks=(first,))
    window.workspace.open_panel("events", shown=True)
    qtbot.waitUntil(lambda: window.workspace.settled, timeout=PATIENCE)
    lists = window.workspace.panel("events").findChildren(QTableView)
    shown = next(each for each in lists if each.isVisible())
    shown.setFocus()
    qtbot.waitUntil(shown.hasFocus)
    before = session.state.selection.ranks
    QTest.keyClick(shown, Qt.Key.Key_PageDown)
    assert session.state.selection.ranks == before, "the list has turned its page"
    assert shown.currentIndex().row() > 0


def names_of(view: SceneView) -> list[str]:
    view.repaint()
    notes = view.written.notes
    if notes is None or notes.sheet is None:
        return []
    return [plane.name for plane in notes.sheet.planes]


def test_a_double_click_lets_a_plane_fill_the_view(
    qtbot: QtBot, view: SceneView
) -> None:
    """Page keys go on to the next; another double click shows all again."""
    face, cell = sheet_of(view).planes[2].face, sheet_of(view).cell
    qtbot.mouseDClick(view.canvas, LEFT, pos=middle_of(face, 1, 1))
    qtbot.waitUntil(lambda: names_of(view) == ["z 2"], timeout=PATIENCE)
    alone = sheet_of(view)
    assert alone.cell > 1.5 * cell
    assert view.scene.visible.sum() == DIMS[0] * DIMS[1]
    at = middle_of(alone.planes[0].face, 4, 5)
    assert view.scene.pick(at.x(), at.y()) == rank_at(view, [5, 4, 2])
    view.cuts.step(-1, 1)
    qtbot.waitUntil(lambda: names_of(view) == ["z 3"], timeout=PATIENCE)
    middle = middle_of(sheet_of(view).planes[0].face, 1, 1)
    qtbot.mouseDClick(view.canvas, LEFT, pos=middle)
    qtbot.waitUntil(lambda: len(names_of(view)) == DIMS[2], timeout=PATIENCE)


def test_planes_are_cut_across_another_axis(qtbot: QtBot, view: SceneView) -> None:
    geometry = view.session.state.scene.geometry
    view.session.change("scene", geometry=replace(geometry, across=0))
    wanted = [f"x {k}" for k in range(DIMS[0])]
    qtbot.waitUntil(lambda: names_of(view) == wanted, timeout=PATIENCE)
    view.session.select(ranks=(rank_at(view, [2, 3, 1]),))
    view.cuts.step(-1, 1)
    assert view.session.state.selection.ranks == (rank_at(view, [3, 3, 1]),)
    at = middle_of(sheet_of(view).planes[3].face, 1, 3)
    assert view.scene.pick(at.x(), at.y()) == rank_at(view, [3, 3, 1])


def test_ranks_that_share_a_pixel_are_painted_by_their_majority(
    qtbot: QtBot, simulated: Callable[..., Trace], show_scene: Callable[..., SceneView]
) -> None:
    """In a view too small for a pixel a rank the picture has the colours of most."""
    view = show_scene(simulated("grid", (40, 40, 4), numbering=1), (150, 150))
    show(qtbot, view, "planes")
    sheet = sheet_of(view)
    side = round(1 / sheet.cell)
    assert side > 1
    qtbot.waitUntil(lambda: not view.busy, timeout=PATIENCE)
    notes = view.written.notes
    assert notes is not None
    assert notes.sheet_moment is not None
    ground = view.scene.pixels()
    assert ground is not None, "no rank is left for VTK to draw"
    assert (ground == ground[:1, :1]).all()
    picture = view.grab().toImage()
    moment, face = notes.sheet_moment, sheet.planes[0].face
    codes = moment.codes[face.ranks[:side, :side]].ravel().tolist()
    most = max(codes, key=lambda code: (codes.count(code), code))
    corner = face.corner.round().astype(int).tolist()
    assert picture.pixelColor(*corner).name() == moment.colours[most]


def test_planes_are_drawn_without_vtk_while_they_play(
    qtbot: QtBot, view: SceneView
) -> None:
    """Hidden rims and ghosts of ranks were shown: VTK had to draw each frame."""
    qtbot.waitUntil(lambda: not view.busy, timeout=PATIENCE)
    view.grab()
    view.scene.reduce(DETAIL_STEPS[1])
    assert view.scene.pixels() is not None


def test_the_map_beside_a_torus_is_hovered_and_clicked(loaded: MainWindow) -> None:
    """It shows which ranks are neighbours, which a bent surface hides."""
    loaded.actions_shown.qt["views-scene"].trigger()
    view = loaded.workspace.scene
    for _ in range(500):
        if not view.busy and view.height() > 400:
            break
        QTest.qWait(20)
    assert view.content is not None
    assert view.content.layout.shape == "torus"
    view.repaint()
    face = sheet_of(view).flat_map
    assert face is not None
    coordinates = view.content.match.coordinates
    assert sorted(face.ranks.ravel().tolist()) == list(range(len(coordinates)))
    row, column = 0, face.ranks.shape[1] - 1
    rank, at = int(face.ranks[row, column]), middle_of(face, row, column)
    outlines = view.scene.outlines(range(len(coordinates)))
    assert face.outline[:, 0].min() > max(o[:, 0].max() for o in outlines), "beside"
    before = view.grab().toImage()
    move(view, QPointF(at), Qt.MouseButton.NoButton)
    assert view.hovered == rank
    QTest.mouseClick(view.canvas, LEFT, NONE, at)
    assert loaded.session.state.selection.ranks == (rank,)
    after, ratio = view.grab().toImage(), view.devicePixelRatioF()
    x, y = (face.cell_of(rank).min(axis=0) * ratio).round().astype(int).tolist()
    near = [after.pixelColor(x + a, y + 4) for a in range(-5, 6)]
    was = [before.pixelColor(x + a, y + 4) for a in range(-5, 6)]
    assert near != was, "it is framed"


def test_no_card_stands_over_the_block_beside_planes(
    qtbot: QtBot, view: SceneView
) -> None:
    """The card of the first picture of 12x10x10 ranks covered half of it."""
    show(qtbot, view, "planes")
    view.session.select(ranks=(rank_at(view, [0, 0, 0]),))
    view.repaint()
    notes, sheet = view.written.notes, sheet_of(view)
    assert notes is not None
    assert sheet.block is not None
    edges = np.concatenate([sheet.block.before, sheet.block.behind]).reshape(-1, 2)
    low, high = edges.min(axis=0), edges.max(axis=0)
    spared = notes.obstacles
    for x, y in np.linspace(low, high, 12):
        assert np.hypot(*(spared - (x, y)).T).min() < notes.clearance


def test_the_view_grows_for_ranks_that_are_too_small(
    qtbot: QtBot, view: SceneView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 100,000 ranks at 1920x1080 to two pixels each, where half gives them one."""
    assert view.height_for_planes(220, 420) == 220, "they are large"
    monkeypatch.setattr("topoview.ui.panels.scene.view.LEAST_GAPPED", 1000)
    height = view.height_for_planes(220, 420)
    assert 220 < height <= 420

    def cell(height: int) -> float:
        view.resize(1200, height)
        qtbot.waitUntil(lambda: not view.busy, timeout=PATIENCE)
        return sheet_of(view).cell

    largest = cell(420)
    assert cell(height) == largest
    assert cell(height - 20) < largest
    show(qtbot, view, "block")
    assert view.height_for_planes(220, 420) == 220
