"""A user chooses geometries, slices, gaps and a second view of the ranks."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from topoview.live.layouts import LAYOUT_TEXTS, all_layouts
from topoview.model import Geometry
from topoview.ui.actions.layout import read_placement_file
from topoview.ui.panels.scene.overlay.shape_card import (
    FoldingSection,
    LabelledSlider,
    RangeRow,
)
from topoview.ui.panels.scene.view import SceneView
from topoview.ui.shell.window import MainWindow

LEFT = Qt.MouseButton.LeftButton
PATIENCE = 60_000


def settle(qtbot: QtBot, window: MainWindow) -> SceneView:
    """Wait until the scene shows what the session wants."""
    assert window.workspace is not None
    scene = window.workspace.scene
    qtbot.waitUntil(
        lambda: scene.content is not None and scene.content.shows(scene.state),
        timeout=PATIENCE,
    )
    qtbot.waitUntil(lambda: not scene.busy, timeout=PATIENCE)
    QApplication.processEvents()
    return scene


def test_every_geometry_by_menu(loaded: MainWindow, qtbot: QtBot) -> None:
    """Each moves the ranks; one that is seen is picked at its own pixel."""
    scene = settle(qtbot, loaded)
    before = scene.scene.places.copy()
    names = all_layouts(loaded.session.state)
    assert {"line", "circle", "grid", "sphere", "cube", "helix", "ranks"} <= set(names)
    for name in names[1:]:
        loaded.actions_shown.qt[f"layout-{name}"].trigger()
        settle(qtbot, loaded)
        assert scene.layout_name == name
        assert loaded.actions_shown.qt[f"layout-{name}"].isChecked()
        assert not np.array_equal(scene.scene.places, before)
        pixels = scene.scene.project(np.arange(12, dtype=np.int32))
        own = [r for r in range(12) if scene.scene.pick(*pixels[r]) == r]
        assert own
        x, y = pixels[own[0]]
        qtbot.mouseClick(scene.canvas, LEFT, pos=QPoint(round(x), round(y)))
        assert loaded.session.state.selection.ranks == (own[0],)
        before = scene.scene.places.copy()
    loaded.actions_shown.qt["natural-shape"].trigger()
    settle(qtbot, loaded)
    assert scene.layout_name == names[0]


def test_the_tool_bar_offers_the_same(loaded: MainWindow, qtbot: QtBot) -> None:
    scene = settle(qtbot, loaded)
    box = loaded.tool_bar.layouts
    assert not (set(all_layouts(loaded.session.state)) - set(LAYOUT_TEXTS))
    index = box.findData("helix")
    box.setCurrentIndex(index)
    box.activated.emit(index)
    settle(qtbot, loaded)
    assert scene.layout_name == "helix"
    assert box.currentText() == "Helix"


def card(window: MainWindow, qtbot: QtBot) -> dict[str, object]:
    settle(qtbot, window)
    assert window.workspace is not None
    if not window.workspace.scene.shape.isVisible():
        window.actions_shown.qt["shape"].trigger()
    return dict(window.workspace.scene.shape.rows)


def test_the_card_changes_what_is_shown(loaded: MainWindow, qtbot: QtBot) -> None:
    loaded.session.show_layout("flat")
    rows = card(loaded, qtbot)
    scene = settle(qtbot, loaded)
    width = np.ptp(scene.scene.places[:, 0])
    spacing = rows["spacing"]
    assert isinstance(spacing, LabelledSlider)
    spacing.slider.setValue(40)
    settle(qtbot, loaded)
    assert loaded.session.state.scene.geometry.spacing == 2.0
    assert np.ptp(scene.scene.places[:, 0]) == pytest.approx(2 * width, rel=1e-4)
    first = rows["range 0"]
    assert isinstance(first, RangeRow)
    first.last.setValue(1)
    ranges = loaded.session.state.scene.geometry.ranges
    made = Geometry(ranges=ranges, outside="hidden")
    loaded.session.change("scene", geometry=made)
    settle(qtbot, loaded)
    content = scene.content
    assert content is not None
    assert (scene.scene.visible == (content.match.coordinates[:, 0] <= 1)).all()
    first.slider.setValue(1)
    assert loaded.session.state.scene.geometry.ranges == ((0, 1, 2),)
    loaded.session.show_layout("helix")
    settle(qtbot, loaded)
    assert loaded.session.state.scene.geometry.ranges == ()
    assert scene.scene.visible.all()


def test_layers_and_order_of_the_card(loaded: MainWindow, qtbot: QtBot) -> None:
    loaded.session.show_layout("cube")
    rows = card(loaded, qtbot)
    scene = settle(qtbot, loaded)
    before = scene.scene.places.copy()
    for name, value in (("explode", 0), ("order", "place")):
        box = rows[name]
        assert isinstance(box, QComboBox)
        box.setCurrentIndex(box.findData(value))
        box.activated.emit(box.currentIndex())
        settle(qtbot, loaded)
        assert not np.array_equal(scene.scene.places, before)
        before = scene.scene.places.copy()
    assert loaded.session.state.scene.geometry.order == "place"


def test_esc_closes_the_card(loaded: MainWindow, qtbot: QtBot) -> None:
    card(loaded, qtbot)
    assert loaded.workspace is not None
    shape = loaded.workspace.scene.shape
    assert shape.isVisible()
    assert shape.geometry().right() <= loaded.workspace.scene.width()
    qtbot.keyClick(shape, Qt.Key.Key_Escape)
    assert not shape.isVisible()


def test_a_placement_file(
    loaded: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = settle(qtbot, loaded)
    path = tmp_path / "where.csv"
    lines = [f"{rank},kn{rank // 4},{rank % 4},{rank // 4},0" for rank in range(12)]
    path.write_text("rank,node,x,y,z\n" + "\n".join(lines))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    loaded.actions_shown.qt["placement"].trigger()
    settle(qtbot, loaded)
    assert loaded.session.state.scene.geometry.gaps == "node"
    assert {"nodes", "places"} <= set(all_layouts(loaded.session.state))
    loaded.session.show_layout("places")
    settle(qtbot, loaded)
    assert scene.layout_name == "places"
    places = scene.scene.places
    assert np.ptp(places[:, 0]) == pytest.approx(3)
    loaded.actions_shown.qt["no-placement"].trigger()
    settle(qtbot, loaded)
    assert loaded.session.state.scene.geometry.placement == ""


def test_a_placement_file_that_changed_is_read_anew(
    loaded: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path, scene = tmp_path / "where.csv", loaded.workspace.scene
    ranks = loaded.session.state.analysis.trace.ranks
    qtbot.waitUntil(lambda: scene.content is not None, timeout=PATIENCE)
    for level in ("node", "rack"):
        lines = [f"rank,{level}", *(f"{rank},u{rank % 2}" for rank in range(ranks))]
        path.write_text("\n".join(lines))
        read_placement_file(str(path), loaded.context)
        qtbot.waitUntil(
            lambda level=level: scene.content.machine.levels == (level,),
            timeout=PATIENCE,
        )
    path.write_text("rank,x,y\n0,0,0\n")
    assert "places" in all_layouts(loaded.session.state)


def test_a_wrong_placement_file_is_told(
    loaded: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(
        "topoview.ui.widgets.dialogs.show_fault", lambda *words: told.append(words[2])
    )
    path = tmp_path / "wrong.csv"
    path.write_text("rank,node\n0,a\nfive,b\n")
    read_placement_file(str(path), loaded.context)
    assert "line 3: 'five' is no rank" in told[0]
    assert loaded.session.state.scene.geometry == Geometry()


def test_a_second_view_of_the_same_ranks(loaded: MainWindow, qtbot: QtBot) -> None:
    first = settle(qtbot, loaded)
    assert loaded.workspace is not None
    loaded.actions_shown.qt["second-helix"].trigger()
    panel = loaded.workspace.panel("second")
    qtbot.waitUntil(lambda: panel.view is not None, timeout=PATIENCE)
    second: SceneView = panel.view
    qtbot.waitUntil(lambda: second.layout_name == "helix", timeout=PATIENCE)
    qtbot.waitUntil(lambda: not second.busy, timeout=PATIENCE)
    assert first.layout_name == "torus"
    for view, keyed in ((first, True), (second, False)):
        panel.window().grab()
        assert view.written.painted
        notes = view.written.notes
        assert notes is not None
        assert bool(notes.key) == keyed, "one key for both"
    pixels = second.scene.project(np.arange(12, dtype=np.int32))
    rank = next(r for r in range(12) if second.scene.pick(*pixels[r]) == r)
    x, y = pixels[rank]
    qtbot.mouseClick(second.canvas, LEFT, pos=QPoint(round(x), round(y)))
    assert loaded.session.state.selection.ranks == (rank,), "in both"
    second.canvas.setFocus()
    qtbot.waitUntil(lambda: second.canvas.hasFocus(), timeout=PATIENCE)
    pose, other = first.scene.pose, second.scene.pose
    loaded.actions_shown.qt["camera-4"].trigger()
    qtbot.waitUntil(lambda: not second.busy, timeout=PATIENCE)
    assert second.scene.pose != other
    assert first.scene.pose == pose
    loaded.workspace.open_panel("second", shown=False)
    QApplication.processEvents()
    frames = second.canvas.frames
    loaded.session.update(time=loaded.session.state.time + 10)
    QApplication.processEvents()
    assert second.canvas.frames == frames, "nothing is drawn that nobody sees"
    loaded.workspace.open_panel("second", shown=True)
    qtbot.waitUntil(lambda: second.canvas.frames > frames, timeout=PATIENCE)


def test_the_second_view_has_a_shape_of_its_own(
    loaded: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Its card, menus and keys change it alone; its picture is made again."""
    from topoview.ui.export.render_spec import read_render_spec

    first = settle(qtbot, loaded)
    assert loaded.workspace is not None
    actions = loaded.actions_shown.qt
    actions["second-flat"].trigger()
    panel = loaded.workspace.panel("second")
    qtbot.waitUntil(lambda: panel.view is not None, timeout=PATIENCE)
    second: SceneView = panel.view

    def settled() -> bool:
        content = second.content
        return content is not None and content.shows(second.state) and not second.busy

    qtbot.waitUntil(settled, timeout=PATIENCE)
    places, pose = first.scene.places.copy(), first.scene.pose
    second.canvas.setFocus()
    qtbot.waitUntil(lambda: loaded.workspace.active is second, timeout=PATIENCE)
    actions["shape"].trigger()
    assert panel.view.shape.isVisible()
    assert not loaded.workspace.scene.shape.isVisible()
    row = panel.view.shape.rows["range 0"]
    assert isinstance(row, RangeRow)
    row.last.setValue(1)
    layers = panel.view.shape.rows["explode"]
    layers.setCurrentIndex(layers.findData(1))
    layers.activated.emit(layers.currentIndex())
    actions["wider"].trigger()
    actions["copies"].trigger()
    actions["wrap-arcs"].trigger()
    actions["labels-rank"].trigger()
    qtbot.waitUntil(settled, timeout=PATIENCE)
    state = loaded.session.state
    assert (state.scene.geometry, state.scene.labels) == (Geometry(), "")
    own = state.second.geometry
    assert own.ranges == ((0, 0, 1),)
    assert (own.spacing, own.explode) == (1.2, 1)
    assert (own.copies, own.wrap, state.second.labels) == (True, "arcs", "rank")
    assert np.array_equal(first.scene.places, places)
    assert first.scene.pose == pose
    loaded.save_picture(str(tmp_path / "second.png"))
    spec = read_render_spec(tmp_path / "second.png")
    assert (spec.scene.layout, spec.scene.geometry) == ("flat", own)
    assert spec.scene.labels == "rank"
    assert spec.pose == second.scene.pose
    first.canvas.setFocus()
    qtbot.waitUntil(lambda: loaded.workspace.active is first, timeout=PATIENCE)
    actions["wider"].trigger()
    assert loaded.session.state.scene.geometry.spacing == 1.2
    assert loaded.session.state.second.geometry == own
    second.canvas.setFocus()
    qtbot.waitUntil(lambda: loaded.workspace.active is second, timeout=PATIENCE)
    loaded.workspace.open_panel("second", shown=False)
    assert loaded.workspace.active is first
    assert not isinstance(QApplication.focusWidget(), QLineEdit)
    loaded.session.show_match(1)
    assert loaded.session.state.second.geometry == own.elsewhere


def test_the_picture_keeps_the_shape(loaded: MainWindow, tmp_path: Path) -> None:
    from topoview.ui.export.render_spec import read_render_spec

    made = Geometry(ranges=((0, 0, 1),), outside="hidden", spacing=1.5, wrap="arcs")
    loaded.session.change("scene", layout="flat", geometry=made)
    loaded.save_picture(str(tmp_path / "shape.png"))
    spec = read_render_spec(tmp_path / "shape.png")
    assert spec.scene.geometry == made
    assert spec.scene.layout == "flat"


def test_slices_fit_the_camera_of_any_view(loaded: MainWindow, qtbot: QtBot) -> None:
    scene = settle(qtbot, loaded)
    loaded.session.change("scene", layout="flat")
    settle(qtbot, loaded)
    pose = scene.scene.pose
    loaded.session.change(
        "scene", geometry=Geometry(ranges=((1, 0, 0),), outside="hidden")
    )
    settle(qtbot, loaded)
    assert scene.scene.pose == pose, "nothing moves unasked"
    loaded.actions_shown.qt["projection"].trigger()
    assert scene.scene.pose.parallel
    loaded.actions_shown.qt["camera-1"].trigger()
    settle(qtbot, loaded)
    assert scene.scene.pose.parallel


def test_the_card_folds_and_a_slice_is_left_by_one_control(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    loaded.session.show_layout("flat")
    card(loaded, qtbot)
    settle(qtbot, loaded)
    shape = loaded.workspace.scene.shape
    part = shape.rows["range 0"].parentWidget().parentWidget()
    assert isinstance(part, FoldingSection)
    assert part.clear.isHidden()
    loaded.session.change("scene", geometry=Geometry(ranges=((0, 0, 1),)))
    assert part.clear.isVisible()
    qtbot.mouseClick(part.clear, LEFT)
    assert loaded.session.state.scene.geometry.ranges == ()
    assert not loaded.actions_shown.qt["all-coordinates"].isEnabled()
    loaded.session.change("scene", geometry=Geometry(ranges=((1, 0, 0),)))
    loaded.actions_shown.refresh()  # as it does when nothing is left to do
    loaded.actions_shown.qt["all-coordinates"].trigger()
    assert loaded.session.state.scene.geometry.ranges == ()
    high = shape.height()
    qtbot.mouseClick(part.head, LEFT)
    qtbot.waitUntil(lambda: shape.height() < high, timeout=PATIENCE)
    qtbot.mouseClick(shape.title, LEFT)
    assert shape.height() < 60
    assert shape.geometry().right() <= loaded.workspace.scene.width()
    qtbot.mouseClick(shape.title, LEFT)
    assert shape.height() > 100
    assert not part.isHidden(), "parts stay as they were"
    assert part.body.isHidden()


def test_a_new_layout_enables_what_it_can(loaded: MainWindow, qtbot: QtBot) -> None:
    settle(qtbot, loaded)
    copies = loaded.actions_shown.qt["copies"]
    assert not copies.isEnabled()
    loaded.session.show_layout("flat")
    settle(qtbot, loaded)
    assert copies.isEnabled()
