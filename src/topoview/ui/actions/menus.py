"""Makes Qt's actions and menus out of the table of actions."""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from itertools import chain

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar
from shiboken6 import isValid

from topoview.scene.palette import THEMES
from topoview.session import State
from topoview.ui.actions.action import (
    SEPARATOR,
    Action,
    Condition,
    Context,
    HasValue,
    Setting,
)
from topoview.ui.actions.appearance import COUNTER_MENU, fill_counters
from topoview.ui.actions.bookmarks import BOOKMARKS_MENU, fill_bookmarks
from topoview.ui.actions.selection import NAMED_SELECTIONS_MENU, fill_named_selections
from topoview.ui.actions.table import ACTIONS, MENU_BAR, MENUS
from topoview.ui.widgets.icons import themed_icon


def with_mnemonics(texts: Sequence[str]) -> list[str]:
    """Mark a letter of each text of a menu, each letter once: ``&Edges``.

    Letters that begin a word are taken first. Where all letters of a text are taken
    it has none.
    """
    taken: set[str] = set()
    result = []
    for text in texts:
        begins = (k for k, _ in enumerate(text) if k == 0 or not text[k - 1].isalnum())
        places = chain(begins, range(len(text)))
        free = (k for k in places if text[k].isalnum() and text[k].lower() not in taken)
        place = next(free, None)
        if place is None:
            result.append(text)
            continue
        taken.add(text[place].lower())
        result.append(f"{text[:place]}&{text[place:]}")
    return result


def add_mnemonics(menu: QMenu | QMenuBar) -> None:
    """Add mnemonics to all entries of a menu."""
    entries = [entry for entry in menu.actions() if entry.text()]
    bare = [entry.text().replace("&", "") for entry in entries]
    for entry, text in zip(entries, with_mnemonics(bare), strict=True):
        entry.setText(text)


FILLED_MENUS = {
    COUNTER_MENU: fill_counters,
    BOOKMARKS_MENU: fill_bookmarks,
    NAMED_SELECTIONS_MENU: fill_named_selections,
}
"""Menus that are filled when they are opened."""

OFTEN_CHANGED = ("time", "camera", "second_camera", "opening", "derived")
"""Fields of the state that no action asks for, but whether a trace is being opened."""

MOVED_ABOUT = ("selection", "picked", "window", "delay", "reason")
"""Fields that change while the user looks around: only actions with keys or on the tool
bar follow at once, the others when their menu opens."""


class ActionSet(QObject):
    """The window's actions as QActions, enabled and checked as the state says."""

    def __init__(self, context: Context) -> None:
        super().__init__(context.window)
        self._context, self._window = context, context.window
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._refresh_now)
        self._all_later = False
        self.qt = {action.name: self._made(action) for action in ACTIONS}
        self._at_hand = [action for action in ACTIONS if action.keys or action.icon]
        self.tint()
        self.refresh()
        rarely = {each.name for each in fields(State)}.difference(
            OFTEN_CHANGED, MOVED_ABOUT
        )
        subscribe = context.session.subscribe
        subscribe(lambda *_: self.refresh_soon(), to=rarely)
        subscribe(lambda *_: self.refresh_at_hand(), to=MOVED_ABOUT)
        subscribe(self._follow_opening, to=("opening",))
        subscribe(lambda *_: self.tint(), to=("theme",))

    def _follow_opening(self, old: State, new: State) -> None:
        if (old.opening is None) != (new.opening is None):  # not at each report
            self.refresh_soon()

    def _made(self, action: Action) -> QAction:
        made = QAction(action.text, self._window)
        made.setObjectName(action.name)
        keys = action.keys.split()
        made.setShortcuts([QKeySequence(key) for key in keys])
        # not of the application: an open list, menu or dialog has the keys to itself
        made.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        made.setCheckable(action.on is not None)
        made.triggered.connect(lambda: self.run(action))
        hint = f" ({native_key_text(keys[0])})" if keys else ""
        made.setToolTip(action.text.rstrip("…") + hint)
        if keys:  # else the window would hear of each change of it
            self._window.addAction(made)
        return made

    def possible(self) -> list[Action]:
        """List the actions that make sense now."""
        return [action for action in ACTIONS if action.when(self._context)]

    def run(self, action: Action) -> None:
        """Run an action if it makes sense now."""
        if action.when(self._context):
            action.run(self._context)
        self.refresh()

    def refresh_soon(self) -> None:
        """Refresh all once, however often this is called in a turn of the loop."""
        self._all_later = True
        self._later.start()

    def refresh_at_hand(self) -> None:
        """Refresh the actions with keys or on the tool bar in the same way."""
        self._later.start()

    def catch_up(self) -> None:
        """Refresh at once what was put off: a key is pressed."""
        if self._later.isActive():
            self._later.stop()
            self._refresh_now()

    def _refresh_now(self) -> None:
        actions = ACTIONS if self._all_later else self._at_hand
        self._all_later = False
        self.refresh(actions)

    def refresh(self, actions: Sequence[Action] = ACTIONS) -> None:
        """Enable and check what the state says.

        Many actions share a condition, or choose values of one setting: each of these
        is looked at once.
        """
        if not isValid(self._window):
            return  # its panels close while it goes away
        context = self._context
        possible: dict[Condition, bool] = {}
        values: dict[Setting, object] = {}
        for action in actions:
            made = self.qt[action.name]
            if action.when not in possible:
                possible[action.when] = action.when(context)
            made.setEnabled(possible[action.when])
            if isinstance(action.on, HasValue):
                setting = action.on.setting
                if setting not in values:
                    values[setting] = setting.get(context)
                made.setChecked(bool(values[setting] == action.on.value))
            elif action.on is not None:
                made.setChecked(action.on(context))

    def tint(self) -> None:
        """Draw the icons in the colours of the theme."""
        theme = THEMES[self._context.state.theme]
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
            menu.aboutToShow.connect(self.refresh)
            self._fill(menu, name, menus)
        add_mnemonics(bar)
        for name, fill in FILLED_MENUS.items():
            menus[name].aboutToShow.connect(partial(fill, menus[name], self._context))
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
        add_mnemonics(menu)


def native_key_text(key: str) -> str:
    """Spell a shortcut as the keyboard has it."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
