"""A box to choose from a long list: its entries in groups, found by typing."""

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyleOptionComboBox,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import tr
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.theme import font

GROUP_ROLE = Qt.ItemDataRole.UserRole + 1
"""Of an entry of the box: the group that it stands in."""

_PLACE_ROLE = Qt.ItemDataRole.UserRole
_HEADING = -1
TEXT_INSET = 4
"""Pixels that a style leaves beside the text of a box."""

MIN_LIST_WIDTH, MAX_ROWS_SHOWN, ROW_HEIGHT = 280, 18, 24


def matching_entries(entries: list[tuple[str, str]], typed: str) -> list[int]:
    """Places of the entries (group, text) that hold all words that were typed."""
    words = typed.lower().split()
    return [
        place
        for place, (group, text) in enumerate(entries)
        if all(word in f"{group} {text}".lower() for word in words)
    ]


class SearchList(QFrame):
    """The list that opens below the box: a field to type in, headings, entries."""

    def __init__(self, box: "SearchBox") -> None:
        super().__init__(box, Qt.WindowType.Popup)
        self._box = box
        self.setObjectName("card")
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(tr("Type to search"))
        self.field.setFont(font(13))
        self.field.setAccessibleName(tr("Search the list"))
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list = QListWidget(self)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemEntered.connect(self._point_at)
        self.list.itemClicked.connect(lambda _: self._take())
        filled(
            QVBoxLayout(self), self.field, self.list, margins=(6, 6, 6, 6), spacing=4
        )

    def open(self) -> None:
        """Show all entries below the box, the chosen one marked."""
        box = self._box
        self.field.clear()
        self._fill("")
        width = max(MIN_LIST_WIDTH, box.width())
        rows = min(self.list.count(), MAX_ROWS_SHOWN)
        self.list.setFixedHeight(rows * ROW_HEIGHT + 4)
        self.setFixedWidth(width)
        self.adjustSize()
        at = box.mapToGlobal(QPoint(0, box.height() + 1))
        screen = box.screen().availableGeometry()
        left = min(at.x(), screen.right() - width)
        top = min(at.y(), screen.bottom() - self.height())
        self.move(max(left, screen.left()), max(top, screen.top()))
        self.show()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def texts(self) -> list[str]:
        """Texts of what is listed, headings too."""
        return [self.list.item(row).text() for row in range(self.list.count())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the keys of the field move in the list."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        count = self.list.count()
        steps = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: MAX_ROWS_SHOWN // 2,
            Qt.Key.Key_PageUp: -MAX_ROWS_SHOWN // 2,
        }
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
        elif key in steps:
            self._move(self.list.currentRow() + steps[key], 1 if steps[key] > 0 else -1)
        elif key == Qt.Key.Key_Home and not self.field.text():
            self._move(0, 1)
        elif key == Qt.Key.Key_End and not self.field.text():
            self._move(count - 1, -1)
        else:
            return super().eventFilter(watched, event)
        return True

    def _fill(self, typed: str) -> None:
        entries = self._box.entries()
        self.list.clear()
        before = None
        for place in matching_entries(entries, typed):
            group, text = entries[place]
            if group != before and group:
                self._add(group, _HEADING)
            before = group
            self._add(text, place)
        chosen = -1 if typed else self._box.currentIndex()
        if not self.list.count():
            self._add(tr("nothing matches"), _HEADING)
        rows = [self._place(row) for row in range(self.list.count())]
        start = rows.index(chosen) if chosen in rows else 0
        self._move(start, 1)

    def _add(self, text: str, place: int) -> None:
        item = QListWidgetItem(text, self.list)
        item.setData(_PLACE_ROLE, place)
        item.setSizeHint(QSize(0, ROW_HEIGHT))
        if place == _HEADING:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
            item.setFont(font(11, 600))
        else:
            item.setFont(font(13))

    def _place(self, row: int) -> int:
        return int(self.list.item(row).data(_PLACE_ROLE))

    def _move(self, row: int, by: int) -> None:
        """Mark the entry at a row, or the next one if a heading is there."""
        count = self.list.count()
        row = max(min(row, count - 1), 0)
        rows = range(row, count) if by > 0 else range(row, -1, -1)
        target = next((r for r in rows if self._place(r) != _HEADING), None)
        if target is not None:
            self.list.setCurrentRow(target)

    def _point_at(self, item: QListWidgetItem) -> None:
        if item.data(_PLACE_ROLE) != _HEADING:
            self.list.setCurrentItem(item)

    def _take(self) -> None:
        row = self.list.currentRow()
        self.hide()
        if row >= 0 and self._place(row) != _HEADING:
            place = self._place(row)
            self._box.setCurrentIndex(place)
            self._box.activated.emit(place)


class SearchBox(QComboBox):
    """A box whose list has headings and is searched by typing.

    Its entries have their group as `GROUP_ROLE`; those of a group stand together.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.results = SearchList(self)

    def entries(self) -> list[tuple[str, str]]:
        """Group and text of each entry."""
        return [
            (str(self.itemData(place, GROUP_ROLE) or ""), self.itemText(place))
            for place in range(self.count())
        ]

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        """Cut what has no room with an ellipsis: Qt would cut it within a letter."""
        super().initStyleOption(option)
        style, part = self.style(), QStyle.SubControl.SC_ComboBoxEditField
        kind = QStyle.ComplexControl.CC_ComboBox
        room = style.subControlRect(kind, option, part, self).width() - TEXT_INSET
        end = Qt.TextElideMode.ElideRight
        text = self.fontMetrics().elidedText(option.currentText, end, room)
        option.currentText = text

    def showPopup(self) -> None:
        """Open the list."""
        self.results.open()

    def hidePopup(self) -> None:
        """Close the list."""
        self.results.hide()
