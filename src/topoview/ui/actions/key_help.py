"""The list of keys, drawn over the window; made from the table of actions."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from topoview.base.text import tr
from topoview.scene.palette import THEMES, Theme
from topoview.session import Session
from topoview.ui.actions.action import Action
from topoview.ui.actions.menus import native_key_text
from topoview.ui.actions.table import MENU_BAR, MENUS
from topoview.ui.widgets.controls import give_focus_back
from topoview.ui.widgets.theme import font, letter, set_shape, translucent

MOUSE_HABITS = (
    (tr("the scene"), tr("drag"), tr("turn")),
    (tr("the scene"), tr("Shift drag"), tr("move")),
    (tr("the scene"), tr("Ctrl click"), tr("select more")),
    (tr("the scene"), tr("Ctrl drag"), tr("select in a box")),
    (tr("the scene"), tr("Ctrl+Shift drag"), tr("select with a lasso")),
    (tr("the scene"), tr("wheel"), tr("zoom")),
    (tr("the scene"), tr("click"), tr("select a rank or an edge")),
    (tr("the scene"), tr("click in the key"), tr("bring out, select")),
    (tr("the scene"), tr("double-click"), tr("centre a rank")),
    (tr("the timeline"), tr("click, drag the axis"), tr("move the cursor")),
    (tr("the timeline"), tr("drag"), tr("select a time window")),
    (tr("the timeline"), tr("Enter, double-click"), tr("zoom to it")),
    (tr("the timeline"), tr("wheel"), tr("zoom at the pointer")),
    (tr("the timeline"), tr("Ctrl+Shift wheel"), tr("zoom the rows")),
    (tr("the timeline"), tr("Ctrl drag"), tr("measure with a ruler")),
    (tr("the timeline"), tr("Ctrl+Shift drag"), tr("zoom to time and rows")),
    (tr("the timeline"), tr("click"), tr("select a rank and its call")),
    (tr("any panel"), tr("right click"), tr("actions on what is there")),
    (tr("the logical trace"), tr("click"), tr("select a statement or a loop")),
    (tr("the logical trace"), tr("double-click"), tr("go to its next time")),
    (tr("the matrix"), tr("wheel, Shift drag"), tr("zoom, move")),
    (tr("the matrix"), tr("click, drag"), tr("select a pair, ranks")),
)

LINE_HEIGHT, HEADING_HEIGHT, EDGE_MARGIN, COLUMN_GAP = 22, 30, 24, 14
MAX_COLUMNS = 3

MAX_LINE_WIDTH = 1000
"""More than any line takes, so that none is cut."""


class KeyHelp(QWidget):
    """Lists keys and mouse; any key or click closes it."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._window = session, window
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Keys and mouse"))
        window.installEventFilter(self)
        self.hide()

    def toggle(self) -> None:
        """Show or hide the list."""
        if self.isVisible():
            self.hide()
            return
        self.setGeometry(self._window.rect())
        self.show()
        self.raise_()
        self.setFocus()

    def setVisible(self, visible: bool) -> None:
        """Show it, or hide it and give the keyboard back."""
        if not visible:
            give_focus_back(self)
        super().setVisible(visible)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep covering the window."""
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        return False

    def event(self, event: QEvent) -> bool:
        """Accept every key, so that no shortcut acts behind the list."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close."""
        modifiers = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt)
        if event.key() not in modifiers:
            self.hide()

    def mousePressEvent(self, _: QMouseEvent) -> None:
        """Close."""
        self.hide()

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw the card."""
        with QPainter(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        theme = THEMES[self._session.state.theme]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shade = translucent(theme.window, 190 / 255)
        painter.fillRect(self.rect(), shade)
        sections = _sections()
        keys, words = _widths(sections)
        pitch = keys + COLUMN_GAP + words + EDGE_MARGIN
        columns = _columns(sections, MAX_COLUMNS)
        height = (
            EDGE_MARGIN * 2 + 36 + max(sum(map(_height, column)) for column in columns)
        )
        width = pitch * MAX_COLUMNS + EDGE_MARGIN
        scale = min(
            1.0,
            self.width() / (width + EDGE_MARGIN),
            self.height() / (height + EDGE_MARGIN),
        )
        painter.scale(scale, scale)  # in a small window all of it, but smaller
        card = QRectF(
            (self.width() / scale - width) / 2,
            (self.height() / scale - height) / 2,
            width,
            height,
        )
        set_shape(painter, fill=theme.panel, edge=theme.rule)
        painter.drawRoundedRect(card, 6, 6)
        letter(painter, font(15, 600), theme.text)
        painter.drawText(
            card.adjusted(EDGE_MARGIN, EDGE_MARGIN, 0, 0),
            Qt.AlignmentFlag.AlignLeft,
            tr("Keys and mouse"),
        )
        for place, column in enumerate(columns):
            x = card.left() + EDGE_MARGIN + place * pitch
            y = card.top() + EDGE_MARGIN + 36
            for section in column:
                _draw(painter, theme, section, (x, x + keys + COLUMN_GAP), y)
                y += _height(section)


Section = tuple[str, list[tuple[str, str]]]


def _sections() -> list[Section]:
    """Menus and their keys, families of actions in one line, then the mouse."""
    sections: list[Section] = []
    for menu in MENU_BAR:
        rows = _rows(menu)
        if rows:
            sections.append((menu, rows))
    for place in dict.fromkeys(where for where, _, _ in MOUSE_HABITS):
        rows = [(how, what) for where, how, what in MOUSE_HABITS if where == place]
        sections.append((tr("Mouse in {place}", place=place), rows))
    return sections


def _rows(menu: str) -> list[tuple[str, str]]:
    """Keys and texts of a menu and of those within it."""
    rows: list[tuple[str, str]] = []
    for entry in MENUS.get(menu, ()):
        if isinstance(entry, Action):
            if entry.keys:
                rows.append((_keys(entry), entry.text.rstrip("…")))
        elif entry == tr("Camera"):
            rows.append((tr("1 to 7"), tr("Camera")))
        else:
            rows += _rows(entry)
    return rows


def _keys(action: Action) -> str:
    """Spell the shortcuts, as many as there is room for."""
    first, *others = (native_key_text(key) for key in action.keys.split())
    for key in others:
        joined = f"{first}, {key}"
        if len(joined) <= 14:
            first = joined
    return first


def _widths(sections: list[Section]) -> tuple[float, float]:
    """Pixels that the longest keys and the longest words take."""
    keys = max(
        QFontMetricsF(_key_font(section)).horizontalAdvance(row[0])
        for section in sections
        for row in section[1]
    )
    metrics = QFontMetricsF(font(13))
    words = max(
        metrics.horizontalAdvance(row[1]) for section in sections for row in section[1]
    )
    return keys, words


def _key_font(section: Section) -> QFont:
    return font(12, mono=not section[0].startswith(tr("Mouse")))


def _height(section: Section) -> int:
    return HEADING_HEIGHT + LINE_HEIGHT * len(section[1])


def _columns(sections: list[Section], count: int) -> list[list[Section]]:
    """Fill columns of about the same height, in order."""
    share = sum(map(_height, sections)) / count
    columns: list[list[Section]] = [[] for _ in range(count)]
    done = 0.0
    for section in sections:
        middle = done + _height(section) / 2
        columns[min(int(middle / share), count - 1)].append(section)
        done += _height(section)
    return columns


def _draw(
    painter: QPainter, theme: Theme, section: Section, xs: tuple[float, float], y: float
) -> None:
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    letter(painter, font(12, 600), theme.text2)
    painter.drawText(
        QRectF(xs[0], y, MAX_LINE_WIDTH, HEADING_HEIGHT - 6), left, section[0]
    )
    for row, (keys, text) in enumerate(section[1]):
        top = y + HEADING_HEIGHT - 4 + row * LINE_HEIGHT
        letter(painter, _key_font(section), theme.text2)
        painter.drawText(QRectF(xs[0], top, MAX_LINE_WIDTH, LINE_HEIGHT), left, keys)
        letter(painter, font(13), theme.text)
        painter.drawText(QRectF(xs[1], top, MAX_LINE_WIDTH, LINE_HEIGHT), left, text)
