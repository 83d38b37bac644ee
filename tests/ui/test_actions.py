"""The table of actions, the palette, the list of keys."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from topoview.base.resources import DEMOS
from topoview.ui.actions.action import SEPARATOR, Action, Later
from topoview.ui.actions.command_palette import matching_actions
from topoview.ui.actions.table import ACTIONS, MENU_BAR, MENUS, TOOL_BAR
from topoview.ui.shell.app import application
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.icons import ICONS


def test_names_are_unique() -> None:
    names = [action.name for action in ACTIONS]
    assert len(set(names)) == len(names)


def test_shortcuts_do_not_conflict() -> None:
    keys = [
        QKeySequence(key).toString()
        for action in ACTIONS
        for key in action.keys.split()
    ]
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_no_press_of_keys_stands_for_two_shortcuts() -> None:
    """Qt does neither of two shortcuts that one press fits, even of one action.

    Shift and a full stop are ``Shift+.`` and, on most keyboards, ``>`` too.
    """
    typed = dict(zip(",./;1234567890", "<>?:!@#$%^&*()", strict=True))
    keys = {key for action in ACTIONS for key in action.keys.split()}
    for key in keys:
        if key.startswith("Shift+") and key[6:] in typed:
            assert typed[key[6:]] not in keys


def test_texts_in_the_palette_can_be_told_apart() -> None:
    texts = [action.text for action in ACTIONS]
    assert len(set(texts)) == len(texts)


def test_icons_exist() -> None:
    assert {action.icon for action in ACTIONS if action.icon} <= set(ICONS)


def test_what_is_done_later_is_there() -> None:
    laters = [action.run for action in ACTIONS if isinstance(action.run, Later)]
    assert laters
    assert all(callable(later.function) for later in laters)


def test_every_submenu_is_named_once() -> None:
    named = [
        entry
        for entries in MENUS.values()
        for entry in entries
        if isinstance(entry, str) and entry != SEPARATOR
    ]
    assert sorted(named + list(MENU_BAR)) == sorted({*MENUS, "Open recent"})
    assert set(TOOL_BAR) <= {SEPARATOR, *(action.name for action in ACTIONS)}


@pytest.mark.parametrize(
    "key",
    [
        *("W", "S", "A", "D", "F", "1", "2", "3", ",", ".", "?"),
        *(f"Alt+{number}" for number in range(1, 8)),
        *("Space", "Home", "End", "Esc", "F1", "Ctrl+Z", "Ctrl+O", "Ctrl+S"),
        *("Ctrl+W", "Ctrl+Q", "Ctrl+Shift+P"),
    ],
)
def test_keys_of_the_design_are_there(key: str) -> None:
    assert any(key in action.keys.split() for action in ACTIONS)


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("zoom in", "zoom-in"),
        ("screenshot", "screenshot"),
        ("dark", "theme-dark"),
        ("next ev", "next-event"),
        ("whole run", "fit"),
    ],
)
def test_palette_finds(typed: str, first: str) -> None:
    assert matching_actions(ACTIONS, typed)[0].name == first


def test_palette_finds_nothing_for_nonsense() -> None:
    assert matching_actions(ACTIONS, "qqqq") == []


def test_all_are_found_without_a_word() -> None:
    assert matching_actions(ACTIONS, "") == list(ACTIONS)


def test_palette_runs_an_action(loaded: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(
        loaded,
        Qt.Key.Key_P,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    palette = loaded.command_palette
    assert palette.isVisible()
    before = loaded.session.state.window
    qtbot.keyClicks(palette.field, "zoom in")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    begin, end = loaded.session.state.window
    assert end - begin < before[1] - before[0]


def test_palette_closes_with_escape(window: MainWindow, qtbot: QtBot) -> None:
    window.command_palette.open()
    qtbot.keyClick(window.command_palette.field, Qt.Key.Key_Escape)
    assert not window.command_palette.isVisible()


def test_palette_offers_only_what_makes_sense(window: MainWindow) -> None:
    palette = window.command_palette
    palette.open()
    palette.field.setText("zoom in")
    assert palette.list.model().rowCount() == 0
    palette.field.setText("open trace")
    assert palette.list.model().rowCount() == 1


def test_list_of_keys_opens_and_closes(window: MainWindow, qtbot: QtBot) -> None:
    window.parts["keys"]()
    assert window.key_help.isVisible()
    window.key_help.grab()
    qtbot.keyClick(window.key_help, Qt.Key.Key_Escape)
    assert not window.key_help.isVisible()


def test_actions_run_without_a_fault(loaded: MainWindow) -> None:
    ends = {"quit", "close", "about", "log"} | {f"demo-{name}" for name in DEMOS}
    for action in ACTIONS:
        assert isinstance(action, Action)
        asks = action.text.endswith("…") and action.name not in ("palette", "go-to")
        if not asks and action.name not in ends and action.when(loaded.context):
            loaded.actions_shown.run(action)
    assert loaded.session.state.analysis is not None


@pytest.mark.usefixtures("qtbot")
def test_menus_take_no_notice_of_a_window_that_is_gone() -> None:
    """Panels close, and say so, while their window is taken down."""
    application()
    window = MainWindow()
    actions = window.actions_shown
    actions.setParent(None)
    delete(window)
    actions.refresh()


def test_cards_give_the_keyboard_back(loaded: MainWindow, qtbot: QtBot) -> None:
    """Else the keys of actions would be typed into the box for the time."""
    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: scene.content is not None and not scene.busy)
    for name in ("keys", "shape"):
        loaded.actions_shown.qt[name].trigger()
        card = loaded.focusWidget()
        assert card not in (None, loaded)
        qtbot.keyClick(card, Qt.Key.Key_Escape)
        assert not card.isVisible()
        assert loaded.focusWidget() is loaded
