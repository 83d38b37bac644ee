"""The rail: panels by name, two at once, and the three views, by mouse and by keys."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from topoview.base.text import grouped
from topoview.live.tables.parts.communicator_tree import communicator_tree, tree_table
from topoview.model import Analysis
from topoview.session import Bookmark, Session, State, choices
from topoview.ui.panels.table import PANELS
from topoview.ui.shell.history import STEP_PAUSE_SECONDS
from topoview.ui.shell.rail import RailRow, panel_counts
from topoview.ui.shell.window import MainWindow
from topoview.ui.shell.workspace import Workspace
from topoview.ui.widgets.formats import count_text
from topoview.ui.widgets.theme import text_width

PATIENCE = 60_000
LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


def workspace_of(window: MainWindow) -> Workspace:
    assert window.workspace is not None
    return window.workspace


def panels(window: MainWindow) -> set[str]:
    """Name the panels that are seen, beside the three views."""
    docks = workspace_of(window)._docks
    views = ("timeline", "second")
    return {
        name
        for name, dock in docks.items()
        if name not in views and not dock.visibleRegion().isEmpty()
    }


def click(
    window: MainWindow,
    name: str,
    keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    QTest.mouseClick(workspace_of(window).rail.rows[name], LEFT, keys)


@pytest.mark.parametrize("size", [(900, 600), (1280, 800), (1920, 1080)])
def test_every_panel_stands_there_in_words(
    loaded: MainWindow, qtbot: QtBot, size: tuple[int, int]
) -> None:
    loaded.resize(*size)
    rail = workspace_of(loaded).rail
    qtbot.waitUntil(lambda: rail.height() == workspace_of(loaded).height())
    bottoms = []
    for name, row in rail.rows.items():
        if name == "hung":
            assert not row.isVisible(), "nothing hangs"
            continue
        assert row.visibleRegion().contains(QPoint(40, 8)), name
        title = PANELS[name].title if name in PANELS else "Scene"
        assert row.text() == title
        room = row.width() - 36 - 12 - text_width(row.count, 11) - 4
        assert text_width(title, 12, 600) <= room, "words are never cut"
        bottoms.append(row.mapTo(rail, QPoint(0, row.height())).y())
    assert bottoms == sorted(bottoms)
    assert bottoms[-1] <= rail.height()


def test_there_are_no_tabs(loaded: MainWindow) -> None:
    for name in PANELS:
        workspace_of(loaded).open_panel(name, shown=True)
    bars = workspace_of(loaded).findChildren(QTabBar)
    assert not [bar for bar in bars if bar.isVisible()]


def test_a_click_opens_in_the_place_used_last_and_closes(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: panels(loaded) == {"logical"})
    width = workspace_of(loaded).panel("logical").width()
    click(loaded, "profile")
    qtbot.waitUntil(lambda: panels(loaded) == {"profile"})
    qtbot.waitUntil(lambda: workspace_of(loaded).panel("profile").width() == width)
    click(loaded, "profile")
    qtbot.waitUntil(lambda: not panels(loaded))
    click(loaded, "delays")
    qtbot.waitUntil(lambda: panels(loaded) == {"delays"})
    qtbot.waitUntil(lambda: workspace_of(loaded).panel("delays").width() == width)


def test_two_stand_below_each_other(loaded: MainWindow, qtbot: QtBot) -> None:
    workspace = workspace_of(loaded)
    click(loaded, "profile", CONTROL)
    qtbot.waitUntil(lambda: panels(loaded) == {"logical", "profile"})
    upper, lower = (workspace._docks[name] for name in ("logical", "profile"))
    qtbot.waitUntil(lambda: upper.geometry().bottom() < lower.geometry().top())
    click(loaded, "matrix")
    qtbot.waitUntil(lambda: panels(loaded) == {"logical", "matrix"})
    click(loaded, "find", CONTROL)
    qtbot.waitUntil(lambda: panels(loaded) == {"find", "matrix"})
    upper, lower = (workspace._docks[name] for name in ("find", "matrix"))
    qtbot.waitUntil(lambda: upper.geometry().bottom() < lower.geometry().top())


def test_one_that_is_torn_off_leaves_its_place_to_another(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    workspace = workspace_of(loaded)
    workspace.panel("logical")
    dock = workspace._docks["logical"]
    dock.titleBarWidget().float_asked.emit()
    qtbot.waitUntil(dock.isFloating)
    click(loaded, "profile")
    qtbot.waitUntil(lambda: panels(loaded) == {"logical", "profile"})
    assert dock.isFloating()
    assert workspace.rail.rows["logical"].isChecked()


def scene_and_timeline(window: MainWindow) -> tuple[bool, bool]:
    workspace = workspace_of(window)
    seen = (workspace.scene, workspace.panel("timeline"))
    return tuple(each.isVisible() for each in seen)


def test_keys_show_scene_both_or_timeline(loaded: MainWindow, qtbot: QtBot) -> None:
    workspace = workspace_of(loaded)
    half = workspace.scene.height()
    for key, wanted in (
        (Qt.Key.Key_1, (True, False)),
        (Qt.Key.Key_3, (False, True)),
        (Qt.Key.Key_2, (True, True)),
    ):
        QTest.keyClick(loaded, key)
        qtbot.waitUntil(lambda wanted=wanted: scene_and_timeline(loaded) == wanted)
        if wanted != (True, True):
            part = workspace.scene if wanted[0] else workspace.panel("timeline")
            qtbot.waitUntil(lambda part=part: part.height() > 1.6 * half)
    qtbot.waitUntil(lambda: abs(workspace.scene.height() - half) <= 2)
    # else it is one step with what was done before
    loaded.context.history._changed -= STEP_PAUSE_SECONDS
    loaded.actions_shown.qt["views-scene"].trigger()
    loaded.actions_shown.qt["undo"].trigger()
    qtbot.waitUntil(lambda: scene_and_timeline(loaded) == (True, True))


def test_a_double_click_on_its_bar_gives_the_timeline_all(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    workspace = workspace_of(loaded)
    bar = workspace._docks["timeline"].titleBarWidget()
    QTest.mouseDClick(bar.title, LEFT)
    qtbot.waitUntil(lambda: scene_and_timeline(loaded) == (False, True))
    assert not workspace._docks["timeline"].isFloating()
    QTest.mouseDClick(bar.title, LEFT)
    qtbot.waitUntil(lambda: scene_and_timeline(loaded) == (True, True))


def test_the_rail_is_reached_and_used_by_keys(loaded: MainWindow, qtbot: QtBot) -> None:
    rail = workspace_of(loaded).rail
    QTest.keyClick(loaded, Qt.Key.Key_F6)
    assert loaded.focusWidget() is rail.rows["logical"]

    def press(key: Qt.Key) -> None:
        focus = loaded.focusWidget()
        assert isinstance(focus, RailRow)
        QTest.keyClick(focus, key)

    press(Qt.Key.Key_Down)
    assert loaded.focusWidget() is rail.rows["phases"]
    press(Qt.Key.Key_Up)
    press(Qt.Key.Key_Up)
    assert loaded.focusWidget() is rail.rows["topology"]
    colouring = loaded.session.state.scene.colouring
    press(Qt.Key.Key_C)  # elsewhere the next colouring
    assert loaded.focusWidget() is rail.rows["communicators"]
    assert loaded.session.state.scene.colouring == colouring
    press(Qt.Key.Key_P)
    press(Qt.Key.Key_P)
    assert loaded.focusWidget() is rail.rows["phases"], "after the last the first"
    press(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panels(loaded) == {"phases"})


def test_the_arrangement_is_kept(window: MainWindow, qtbot: QtBot) -> None:
    workspace = workspace_of(window)
    workspace.open_panel("profile", shown=True)
    workspace.show_views("timeline")
    kept = workspace.kept_arrangement(), window.session.state.open_panels
    fresh = Workspace(Session(), window, draws=False)
    qtbot.addWidget(fresh)
    fresh.resize(workspace.size())
    fresh.restore(kept[0])
    assert fresh._open_panels() - {"scene"} == kept[1] - {"scene"}
    assert fresh.is_open("scene"), "a trace is seen in 3D first"


def test_counts_are_those_of_the_panels(torus: Analysis) -> None:
    state = State(analysis=torus, bookmarks=(Bookmark("here", 5, (0, 9)),))
    counts = panel_counts(state)
    assert counts["topology"] == len(choices(torus.identification))
    assert counts["logical"] == torus.logical.listed
    assert counts["events"] == torus.trace.events
    assert counts["bookmarks"] == 1
    listed = tree_table(communicator_tree(torus, None))["communicator"]
    assert counts["communicators"] == (listed >= 0).sum() == 2
    assert counts["iterations"] == 2, "of ten steps and an Allreduce each"
    assert panel_counts(State()) == {}


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (9_999, grouped(9_999)),
        (10_000, "10k"),
        (66_560, "67k"),
        (999_400, "999k"),
        (2_900_000, "2.9M"),
        (7 * 10**9, "7.0G"),
    ],
)
def test_a_count_takes_four_digits_at_most(count: int, text: str) -> None:
    assert count_text(count) == text


def test_the_name_of_the_trace_is_written_as_it_is(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    """The font's contextual alternates would join an x between digits."""
    label = loaded.trace_name
    assert label.text() == loaded.session.state.analysis.trace.name
    assert label.isVisible()
    assert label.font().isFeatureSet(QFont.Tag("calt"))
    assert loaded.tool_bar.time_box.font().isFeatureSet(QFont.Tag("calt"))
    qtbot.waitUntil(lambda: not label.visibleRegion().isEmpty())


def test_the_last_of_two_changes_of_panels_counts(loaded: MainWindow) -> None:
    """Each undid the other without end."""
    session, workspace = loaded.session, workspace_of(loaded)
    before = session.state.open_panels

    def change(*_: State) -> None:
        session.update(open_panels=before - {"timeline"})
        session.update(open_panels=before)

    end = session.subscribe(change, to=("time",))
    session.update(time=session.state.time + 1)
    end()
    assert session.state.open_panels == workspace._open_panels() == before
