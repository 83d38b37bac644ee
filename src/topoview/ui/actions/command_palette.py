"""The command palette: type a few letters of what you want to do."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import tr
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.actions.action import Action
from topoview.ui.actions.menus import ActionSet, native_key_text
from topoview.ui.actions.table import MENUS, SEARCH_WORDS
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.theme import font, letter, set_shape

Index = QModelIndex | QPersistentModelIndex
ACTION_ROLE = Qt.ItemDataRole.UserRole
ROW_HEIGHT = 28
MAX_ROWS_SHOWN = 12
MENU_OF_ACTION = {
    action.name: menu
    for menu, entries in MENUS.items()
    for action in entries
    if isinstance(action, Action)
}
"""Menu that each action is in."""


def matching_actions(actions: Sequence[Action], text: str) -> list[Action]:
    """Actions that fit what was typed, the best ones first.

    Every typed word begins a word of the action's text, menu or further
    words; or the letters occur in the text in that order.
    """
    typed = text.lower().split()
    ranked = []
    for place, action in enumerate(actions):
        score = _score(action, typed)
        if score is not None:
            ranked.append((score, place, action))
    return [action for _, _, action in sorted(ranked, key=lambda r: r[:2])]


def _score(action: Action, typed: list[str]) -> int | None:
    title = action.text.lower()
    own = title.replace("…", "").split()
    further = action.words or SEARCH_WORDS.get(action.name, "")
    others = f"{MENU_OF_ACTION[action.name]} {further}".lower().split()
    worst = 0
    for word in typed:
        if any(w.startswith(word) for w in own):
            score = 0 if title.startswith(word) else 1
        elif any(w.startswith(word) for w in others):
            score = 2
        elif _scattered(word, title):
            score = 3
        else:
            return None
        worst = max(worst, score)
    return worst


def _scattered(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


class CommandPalette(QFrame):
    """A field and a list over the window; Enter does the chosen action."""

    def __init__(
        self, session: Session, actions: ActionSet, button: QWidget, window: QWidget
    ) -> None:
        super().__init__(window)
        self._actions, self._button, self._window = actions, button, window
        self.setObjectName("card")
        self.setFixedWidth(460)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("What do you want to do?"))
        self.field.setFont(font(13))
        self.field.setAccessibleName(tr("Find a command"))
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.list = QListWidget(self)
        self.list.setItemDelegate(_CommandDelegate(session, self))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.clicked.connect(lambda _: self._run())
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        filled(
            QVBoxLayout(self), self.field, self.list, margins=(8, 8, 8, 8), spacing=6
        )
        self.hide()

    def open(self) -> None:
        """Show the palette, empty, below its button."""
        self.field.clear()
        self._search("")
        bar = self._button.parentWidget()
        assert bar is not None
        right, top = self._button.geometry().right(), bar.geometry().top()
        self.move(max(8, right - self.width() + 1), top + 6)
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_palette(self) -> None:
        """Hide the palette and give the keyboard back."""
        self.hide()
        self._window.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the keys of the field move in the list."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(
            event, QKeyEvent
        ):
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
            key = Qt.Key(event.key())
            if key == Qt.Key.Key_Escape:
                self.close_palette()
            elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run()
            elif key in steps:
                self._move(steps[key])
            else:
                return False
            return True
        if event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.hide()
        return super().eventFilter(watched, event)

    def _search(self, text: str) -> None:
        self.list.clear()
        for action in matching_actions(self._actions.possible(), text):
            QListWidgetItem(action.text, self.list).setData(ACTION_ROLE, action)
        count = self.list.count()
        self.list.setVisible(count > 0)
        self.list.setFixedHeight(ROW_HEIGHT * min(count, MAX_ROWS_SHOWN))
        self.list.setCurrentRow(0)
        self.adjustSize()

    def _move(self, by: int) -> None:
        if count := self.list.count():
            self.list.setCurrentRow((self.list.currentRow() + by) % count)

    def _run(self) -> None:
        action = self.list.currentIndex().data(ACTION_ROLE)
        self.close_palette()
        if isinstance(action, Action):
            self._actions.run(action)


class _CommandDelegate(QStyledItemDelegate):
    """Draws an action: its text, its menu, its shortcut."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session

    def sizeHint(self, _: QStyleOptionViewItem, __: Index) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        action: Action = index.data(ACTION_ROLE)
        theme = THEMES[self._session.state.theme]
        rect: QRect = option.rect
        painter.save()
        chosen = (
            QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver
        ) & option.state
        if chosen:
            set_shape(painter, fill=theme.selected)
            painter.drawRoundedRect(rect, 4, 4)
        inner = rect.adjusted(10, 0, -10, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        letter(painter, font(13), theme.text)
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignLeft, action.text)
        width = painter.fontMetrics().horizontalAdvance(action.text)
        letter(painter, font(12), theme.text2)
        menu = MENU_OF_ACTION[action.name]
        painter.drawText(
            inner.adjusted(width + 10, 0, 0, 0),
            middle | Qt.AlignmentFlag.AlignLeft,
            menu,
        )
        if action.keys:
            key = native_key_text(action.keys.split()[0])
            painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, key)
        painter.restore()
