"""The rail: all panels and views by name, in groups, with how much each holds."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QSizePolicy,
    QSpacerItem,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import grouped, tr
from topoview.scene.palette import THEMES
from topoview.session import Session, State, choices
from topoview.ui.panels.table import GROUPS, PANELS, SCENE
from topoview.ui.widgets.controls import follow
from topoview.ui.widgets.formats import count_text
from topoview.ui.widgets.icons import icon
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.theme import font, letter, text_width

LEAST_WIDTH = 156
"""Pixels; the rail is wider where a word needs more: none is ever cut."""

EDGE, ICON_PIXELS, WORD_LEFT, OPEN_LINE = 12, 16, 36, 3
"""Pixels at both ends, of icons, before words, and of the line of what is open."""

ROW_HEIGHTS, HEADING_HEIGHTS = (16, 24), (16, 22)
"""Least and usual heights: a low window still shows all of them."""

WIDEST_COUNT = "9 999"

COUNTED = (
    "topology",
    "logical",
    "phases",
    "communicators",
    "hung",
    "delays",
    "iterations",
    "events",
    "bookmarks",
)
"""Panels of which `panel_counts` says how much they hold."""

GAP, LOW = 12, QSizePolicy.Policy.Maximum
"""Pixels above a group; less in a low window."""


def panel_counts(state: State) -> dict[str, int]:
    """Count what panels list, by their names; without those of which it is unknown."""
    analysis = state.analysis
    if analysis is None:
        return {}
    result = {
        "communicators": int((analysis.trace.communicator_sizes > 0).sum()),
        "events": analysis.trace.events,
        "bookmarks": len(state.bookmarks) + len(state.notes),
    }
    if analysis.identification is not None:
        result["topology"] = len(choices(analysis.identification))
        by = [part.by for part in analysis.identification.parts]
        result["phases"] = by.count("phase")
    if analysis.logical is not None:
        result["logical"] = analysis.logical.listed
    if analysis.delays is not None:
        result["delays"] = len(analysis.delays)  # as many as are listed
    if analysis.efficiencies is not None:
        result["iterations"] = len(analysis.efficiencies.iterations)
    if analysis.hung is not None:
        result["hung"] = len(analysis.hung.call)
    return result


class RailRow(QAbstractButton):
    """A panel's icon, word and count; a click opens or closes it."""

    def __init__(self, name: str, title: str, parent: "Rail") -> None:
        super().__init__(parent)
        self.name, self._rail, self.count = name, parent, ""
        self.setText(title)
        self.setCheckable(True)
        self.setFixedWidth(parent.width())
        self.setMinimumHeight(ROW_HEIGHTS[0])
        self.setMaximumHeight(ROW_HEIGHTS[1])
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.show_count(None)

    def show_count(self, count: int | None) -> None:
        """Show how much the panel holds; None where that is unknown."""
        self.count = "" if count is None else count_text(count)
        exact = "" if count is None else f", {grouped(count)}"
        self.setAccessibleName(self.text() + exact)
        self.setToolTip(
            tr(
                "{title}: F6, {letter}, Enter; Ctrl+click opens it beside",
                title=self.text() + exact,
                letter=self.text()[:1],
            )
        )
        self.update()

    def nextCheckState(self) -> None:
        """Leave it to the window what is open."""

    def sizeHint(self) -> QSize:
        """Return the usual height."""
        return QSize(self.width(), ROW_HEIGHTS[1])

    def event(self, event: QEvent) -> bool:
        """Keep the keys by which one moves here from the window's shortcuts."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._rail.takes(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open with Enter, and move by arrows and first letters."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        elif not self._rail.move_from(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw icon, word, count; what is open has a panel's ground and a line."""
        theme = THEMES[self._rail.theme]
        is_open, is_view = self.isChecked(), PANELS_GROUP[self.name] == "views"
        with QPainter(self) as painter:
            if is_open and not is_view:
                painter.fillRect(self.rect(), QColor(theme.panel))
                line = QRectF(self.rect())
                line.setLeft(line.right() - OPEN_LINE)
                painter.fillRect(line, QColor(theme.accent))
            elif self.underMouse() or self.hasFocus():
                painter.fillRect(self.rect(), QColor(theme.hairline))
            colour = theme.text if is_open or self.hasFocus() else theme.text2
            pixmap = icon(self.name, colour, ICON_PIXELS).pixmap(
                QSize(ICON_PIXELS, ICON_PIXELS), self.devicePixelRatioF()
            )
            painter.drawPixmap(EDGE, (self.height() - ICON_PIXELS) // 2, pixmap)
            letter(painter, font(12, 600 if is_open else 400), colour)
            middle = Qt.AlignmentFlag.AlignVCenter
            room = self.rect().adjusted(WORD_LEFT, 0, -EDGE, 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | middle, self.text())
            letter(painter, font(11), theme.text2)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, self.count)


class Heading(QWidget):
    """The name of a group: a strong word, and how the sentence goes on."""

    def __init__(self, words: tuple[str, str], parent: "Rail") -> None:
        super().__init__(parent)
        self._words, self._rail = words, parent
        self.setMinimumHeight(HEADING_HEIGHTS[0])
        self.setMaximumHeight(HEADING_HEIGHTS[1])

    def sizeHint(self) -> QSize:
        """Return the usual height."""
        return QSize(self._rail.width(), HEADING_HEIGHTS[1])

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw both."""
        first, rest = self._words
        with QPainter(self) as painter:
            painter.setPen(QColor(THEMES[self._rail.theme].text2))
            line = self.rect().adjusted(EDGE, 0, 0, 0)
            align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            for text, weight in ((first + " ", 600), (rest, 400)):
                strong = font(11, weight)
                painter.setFont(strong)
                painter.drawText(line, align, text)
                line.setLeft(line.left() + QFontMetrics(strong).horizontalAdvance(text))


PANELS_GROUP = {SCENE: "views", **{name: row.group for name, row in PANELS.items()}}


class Rail(QWidget):
    """All panels and views in groups."""

    chosen = Signal(str, bool)
    """The user wants a panel opened or closed: its name, and whether beside what is
    open instead of in its place."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Panels"))
        self.theme = session.state.theme
        titles = {SCENE: tr("Scene"), **{n: row.title for n, row in PANELS.items()}}
        widest = [
            WORD_LEFT
            + EDGE
            + text_width(title, 12, 600)
            + (6 + text_width(WIDEST_COUNT, 11) if name in COUNTED else 0)
            for name, title in titles.items()
        ]
        words = [
            2 * EDGE + text_width(f"{a} ", 11, 600) + text_width(b, 11)
            for a, b in GROUPS.values()
        ]
        self.setFixedWidth(max(LEAST_WIDTH, round(max(*words, *widest))))
        self.rows: dict[str, RailRow] = {}
        column = filled(QVBoxLayout(self), margins=(0, 8, 0, 4), spacing=0)
        for number, (group, heading) in enumerate(GROUPS.items()):
            if number:
                column.addSpacerItem(QSpacerItem(0, GAP, LOW, LOW))
            column.addWidget(Heading(heading, self))
            for name in [n for n in titles if PANELS_GROUP[n] == group]:
                row = self.rows[name] = RailRow(name, titles[name], self)
                row.clicked.connect(lambda _=False, name=name: self._choose(name))
                column.addWidget(row)
        column.addStretch(1)
        follow(
            self,
            session,
            self._show,
            to=("analysis", "bookmarks", "notes", "theme", "open_panels"),
        )
        self._show(session.state, session.state)

    def take_keyboard(self) -> None:
        """Move the keyboard to what is open."""
        there = [row for row in self.rows.values() if row.isChecked()]
        self._focus(next(iter(there), self.rows["topology"]))

    def show_open(self, names: frozenset[str]) -> None:
        """Show which panels and views are open."""
        for name, row in self.rows.items():
            row.setChecked(name in names)

    def takes(self, event: QKeyEvent) -> bool:
        """Return whether a key moves within the rail, or opens."""
        moves = (
            Qt.Key.Key_Up,
            Qt.Key.Key_Down,
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
            Qt.Key.Key_Space,
        )
        return event.key() in moves or bool(self._lettered(event))

    def move_from(self, row: RailRow, event: QKeyEvent) -> bool:
        """Move the keyboard as a key says; return whether it says so."""
        seen = [each for each in self.rows.values() if each.isVisibleTo(self)]
        steps: Mapping[int, int] = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if event.key() in steps:
            place = seen.index(row) + steps[event.key()]
            self._focus(seen[place % len(seen)])
            return True
        lettered = self._lettered(event)
        after = [each for each in lettered if seen.index(each) > seen.index(row)]
        if lettered:
            self._focus((after or lettered)[0])
        return bool(lettered)

    def _lettered(self, event: QKeyEvent) -> list[RailRow]:
        """List the rows that begin with the letter of a key."""
        letter = event.text().lower()
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not letter.strip() or control:
            return []
        return [
            row
            for row in self.rows.values()
            if row.isVisibleTo(self) and row.text().lower().startswith(letter)
        ]

    def _focus(self, row: RailRow) -> None:
        row.setFocus(Qt.FocusReason.ShortcutFocusReason)
        row.update()

    def _choose(self, name: str) -> None:
        held = QApplication.keyboardModifiers()
        self.chosen.emit(name, bool(held & Qt.KeyboardModifier.ControlModifier))

    def _show(self, _: State, new: State) -> None:
        self.theme = new.theme
        counts = panel_counts(new)
        for name, row in self.rows.items():
            row.show_count(counts.get(name))
        hangs = bool(counts.get("hung")) or "hung" in new.open_panels
        self.rows["hung"].setVisible(hangs)
        self.update()
