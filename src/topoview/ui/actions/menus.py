"""Makes Qt's actions and menus out of the table of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar
from shiboken6 import isValid

from topoview.scene.palette import THEMES
from topoview.ui.actions.action import SEPARATOR, Action
from topoview.ui.actions.appearance import COUNTER_MENU, connect_counters
from topoview.ui.actions.selection import NAMED_SELECTIONS_MENU, fill_named_selections
from topoview.ui.actions.table import ACTIONS, MENU_BAR, MENUS
from topoview.ui.widgets.icons import themed_icon

if TYPE_CHECKING:
    from topoview.ui.shell.window import MainWindow


class ActionSet(QObject):
    """The window's actions as QActions, enabled and checked as the state says."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.refresh)
        self.qt: dict[str, QAction] = {}
        for action in ACTIONS:
            self.qt[action.name] = self._made(action)
        self.tint()

    def _made(self, action: Action) -> QAction:
        made = QAction(action.text, self._window)
        made.setObjectName(action.name)
        keys = action.keys.split()
        made.setShortcuts([QKeySequence(key) for key in keys])
        made.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        made.setCheckable(action.on is not None)
        made.triggered.connect(lambda: self.run(action))
        hint = f" ({native_key_text(keys[0])})" if keys else ""
        made.setToolTip(action.text.rstrip("…") + hint)
        self._window.addAction(made)
        return made

    def run(self, action: Action) -> None:
        """Do an action if it makes sense now."""
        if action.when(self._window):
            action.run(self._window)
        self.refresh()

    def refresh_soon(self) -> None:
        """Refresh once, however often this is called in one turn of the event loop."""
        self._later.start()

    def refresh(self) -> None:
        """Enable and check what the state says."""
        if not isValid(self._window):
            return  # its panels close while it goes away
        for action in ACTIONS:
            made = self.qt[action.name]
            made.setEnabled(action.when(self._window))
            if action.on is not None:
                made.setChecked(action.on(self._window))

    def tint(self) -> None:
        """Draw the icons in the colours of the theme."""
        theme = THEMES[self._window.session.state.view.theme]
        for action in ACTIONS:
            if action.icon:
                self.qt[action.name].setIcon(
                    themed_icon(action.icon, theme.text, theme.text3)
                )

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Put all menus into a menu bar; returns every menu by its name."""
        menus: dict[str, QMenu] = {}
        for name in MENU_BAR:
            menu = bar.addMenu(name)
            self._fill(menu, name, menus)
        connect_counters(menus[COUNTER_MENU], self._window)
        named = menus[NAMED_SELECTIONS_MENU]
        named.aboutToShow.connect(lambda: fill_named_selections(named, self._window))
        return menus

    def _fill(self, menu: QMenu, name: str, menus: dict[str, QMenu]) -> None:
        menus[name] = menu
        for entry in MENUS.get(name, ()):
            if isinstance(entry, Action):
                menu.addAction(self.qt[entry.name])
                self.qt[entry.name].setIconVisibleInMenu(False)
            elif entry == SEPARATOR:
                menu.addSeparator()
            else:
                self._fill(menu.addMenu(entry), entry, menus)


def native_key_text(key: str) -> str:
    """Spell a shortcut as the keyboard has it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
