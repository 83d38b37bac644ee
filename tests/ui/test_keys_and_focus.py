"""Keys, menus and the focus, as hands on a keyboard use them."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDockWidget, QWidget
from pytestqt.qtbot import QtBot

from topoview.ui.actions.action import Action
from topoview.ui.actions.key_help import _sections
from topoview.ui.actions.menus import with_mnemonics
from topoview.ui.actions.table import ACTIONS, MENU_BAR, MENUS
from topoview.ui.panels.table import PANELS
from topoview.ui.settings import MemoryStore, Settings
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.dialogs import progress_dialog

ALT, NO_KEYS = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.NoModifier


def open_popup(qtbot: QtBot) -> QWidget:
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    popup = QApplication.activePopupWidget()
    assert popup is not None
    return popup


def press(key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    """Press a key where the keyboard is: an open list has it before the window."""
    popup = QApplication.activePopupWidget()
    focus = popup.focusWidget() or popup if popup else QApplication.focusWidget()
    assert focus is not None
    QTest.keyClick(focus, key, keys)


def test_an_open_list_has_the_keys_to_itself(loaded: MainWindow, qtbot: QtBot) -> None:
    """`End` chooses the last entry of the list; it does not move the cursor."""
    box: QComboBox = loaded.tool_bar.layouts
    before = loaded.session.state
    box.setFocus()
    box.showPopup()
    open_popup(qtbot)
    press(Qt.Key.Key_End)
    press(Qt.Key.Key_W)
    press(Qt.Key.Key_Home)
    press(Qt.Key.Key_End)
    assert loaded.session.state.time == before.time
    assert loaded.session.state.window == before.window
    press(Qt.Key.Key_Return)
    assert box.currentIndex() == box.count() - 1
    loaded.setFocus()
    press(Qt.Key.Key_End)
    assert loaded.session.state.time == loaded.session.state.window[1]


def test_an_open_menu_has_the_keys_to_itself(loaded: MainWindow, qtbot: QtBot) -> None:
    before = loaded.session.state.time
    menu = loaded.menus["Edit"]
    menu.popup(loaded.mapToGlobal(QPoint(80, 60)))
    open_popup(qtbot)
    press(Qt.Key.Key_End)
    assert loaded.session.state.time == before
    press(Qt.Key.Key_Escape)


@pytest.mark.parametrize("name", MENU_BAR)
def test_alt_and_a_letter_open_each_menu(
    window: MainWindow, qtbot: QtBot, name: str
) -> None:
    title = window.menus[name].menuAction().text()
    letter = title[title.index("&") + 1]
    QTest.keyClick(window, getattr(Qt.Key, f"Key_{letter.upper()}"), ALT)
    assert open_popup(qtbot) is window.menus[name]
    press(Qt.Key.Key_Escape)


def test_f10_opens_the_menu_bar(window: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_F10)
    popup = open_popup(qtbot)
    assert popup is window.menus["File"]
    press(Qt.Key.Key_Escape)


def test_every_menu_has_mnemonics_of_its_own(window: MainWindow) -> None:
    for menu in window.menus.values():
        texts = [a.text() for a in menu.actions() if a.text()]
        marked = [t[t.index("&") + 1].lower() for t in texts if "&" in t]
        assert len(set(marked)) == len(marked)
        assert len(marked) == len(texts) or len(texts) > 12
    assert with_mnemonics(["Edges", "Edit", "E"]) == ["&Edges", "E&dit", "E"]


def test_actions_know_whether_they_make_sense_before_the_first_show(
    window: MainWindow,
) -> None:
    """Without a trace nothing can be zoomed, played or turned."""
    for name in ("play", "zoom-in", "fit", "screenshot", "undo", "edges"):
        assert not window.actions_shown.qt[name].isEnabled(), name
    assert window.actions_shown.qt["open"].isEnabled()


@pytest.mark.usefixtures("window")
def test_the_list_of_keys_has_those_of_submenus() -> None:
    told = {text for _, rows in _sections() for _, text in rows}
    wanted = {
        action.text.rstrip("…")
        for menu, entries in MENUS.items()
        for action in entries
        if isinstance(action, Action) and action.keys and menu != "Camera"
    }
    assert wanted <= told
    assert {a.name for a in ACTIONS if a.keys} >= {"mark", "play-selected"}


def test_tab_shows_where_it_leads_to(loaded: MainWindow, qtbot: QtBot) -> None:
    """Every stop of the keyboard is seen: each changes the picture of the window."""
    qtbot.waitUntil(lambda: bool(loaded.workspace and loaded.workspace.settled))
    loaded.setFocus()
    stops: list[QWidget] = []
    for _ in range(60):
        press(Qt.Key.Key_Tab)
        focus = loaded.focusWidget()
        assert focus is not None
        if focus in stops:
            break
        stops.append(focus)
        assert loaded.focus_ring.framed is focus
        assert _edge_of(loaded, focus), focus
    names = {type(stop).__name__ for stop in stops}
    assert {"SceneCanvas", "TimelineView", "LogicalView"} <= names
    loaded.setFocus()
    assert loaded.focus_ring.isHidden()


@pytest.mark.parametrize("front", ["logical", "find", "statistics", "delays"])
def test_tab_goes_round_the_window_with_all_panels_open(
    loaded: MainWindow, qtbot: QtBot, front: str
) -> None:
    """No panel keeps the keyboard, and none behind a tab stops it, either way round."""
    assert loaded.workspace is not None
    for name in (*PANELS, front):
        loaded.workspace.open_panel(name, shown=True)
        qtbot.waitUntil(lambda: bool(loaded.workspace and loaded.workspace.settled))
    rounds = []
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        loaded.setFocus()
        stops: list[QWidget] = []
        for _ in range(300):
            press(key)
            focus = loaded.focusWidget()
            assert focus is not None
            assert not focus.visibleRegion().isEmpty(), focus
            stops.append(focus)
            if focus in stops[:1] and len(stops) > 1:
                break
        rounds.append(len(set(stops)))
        assert stops[0] in stops[1:], "it never came round"
        panel = loaded.workspace.panel(front)
        assert any(panel.isAncestorOf(stop) for stop in stops)
    assert rounds[0] == rounds[1]


def _edge_of(window: MainWindow, widget: QWidget) -> bool:
    """Whether the edge of a widget has the accent's colour in the window's picture."""
    image: QImage = window.grab().toImage()
    ratio = image.devicePixelRatio()
    corner = widget.mapTo(window, QPoint(0, 0))
    accent = window.palette().color(window.palette().ColorRole.Accent).rgb()
    return any(
        image.pixel(round((corner.x() + x) * ratio), round(corner.y() * ratio))
        == accent
        for x in range(0, widget.width(), 3)
    )


def test_enter_does_not_cancel_what_is_going_on(
    window: MainWindow, qtbot: QtBot
) -> None:
    title, ended = "Compare with another trace", list[bool]()
    dialog = progress_dialog(window, title, "Comparing", lambda: ended.append(True))
    dialog.setValue(1)
    qtbot.waitUntil(dialog.isVisible)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not dialog.wasCanceled()
    assert not ended
    assert dialog.windowTitle() == title
    dialog.close()


def test_the_dialog_opens_where_the_last_trace_is(tmp_path: Path) -> None:
    settings = Settings(MemoryStore())
    settings.remember(tmp_path / "run" / "traces.otf2")
    assert settings.folder == str(tmp_path / "run")


def test_keys_act_from_a_panel_that_is_torn_off(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    assert loaded.workspace is not None
    dock = loaded.workspace.findChild(QDockWidget, "timeline")
    assert dock is not None
    dock.setFloating(True)
    with qtbot.waitActive(dock):
        dock.activateWindow()
    QTest.keyClick(dock.widget(), Qt.Key.Key_End)
    assert loaded.session.state.time == loaded.session.state.window[1]
