"""Small controls that panels share: buttons, switches, title bars, column headers."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import tr
from topoview.scene.palette import Theme
from topoview.session import Session, State, Subscriber
from topoview.ui.widgets.icons import icon
from topoview.ui.widgets.layouts import filled, new_label, styled
from topoview.ui.widgets.theme import font, translucent

LABEL_PADDING = 10
"""Of labels in the status bar."""


def follow(
    owner: QWidget, session: Session, view: Subscriber, to: Iterable[str | type] = ()
) -> None:
    """Call `view` at changes of a session, as long as a widget lives."""
    end = session.subscribe(view, to=to)
    owner.destroyed.connect(lambda: end())


def takes_escape(event: QEvent) -> bool:
    """Return whether Esc was pressed, and keep it from the shortcut of that key."""
    if (
        event.type() == QEvent.Type.ShortcutOverride
        and isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_Escape
    ):
        event.accept()
        return True
    return False


def give_focus_back(card: QWidget) -> None:
    """Return the keyboard to the window, of a card that has it and is to be hidden.

    Qt would give it to the first box to type in, and keys would write there.
    """
    focus = card.window().focusWidget()  # may be None, of which it is no ancestor
    if card.isVisible() and (focus is card or card.isAncestorOf(focus)):
        card.window().setFocus()


class IconButton(QToolButton):
    """A flat button with a stroke icon in the colour of secondary text."""

    def __init__(
        self, name: str, tip: str, parent: QWidget | None = None, pixels: int = 14
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._pixels = pixels
        self._colour: QColor | None = None
        self.explain(tip)
        self.setIconSize(QSize(pixels, pixels))
        self.setAutoRaise(True)
        self._draw()

    def explain(self, tip: str) -> None:
        """Set the sentence that explains it."""
        self.setToolTip(tip)
        self.setAccessibleName(tip)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange):
            self._draw()
        super().changeEvent(event)

    def _draw(self) -> None:
        colour = QApplication.palette().color(QPalette.ColorRole.BrightText)
        if colour == self._colour:
            return  # a change of theme is told more than once
        self._colour = colour
        self.setIcon(icon(self._name, colour, self._pixels))


class Card(QFrame):
    """Stands over something else: a title with a button that closes it, and its rows.

    Esc closes it, before the shortcut of that key. Hidden at first.
    """

    def __init__(self, parent: QWidget, title: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        title.setFont(font(13, 600))
        close = IconButton("close", tr("Close this card"), self)
        close.clicked.connect(lambda: self.leave())
        self.head = filled(QHBoxLayout(), title, 1, close)
        self.column = filled(
            QVBoxLayout(self), self.head, margins=(10, 5, 6, 6), spacing=4
        )
        self.hide()

    def leave(self) -> None:
        """Close it, as the user wishes."""
        self.hide()

    def setVisible(self, visible: bool) -> None:
        """Show it, or hide it and give the keyboard back."""
        if not visible:
            give_focus_back(self)
        super().setVisible(visible)

    def event(self, event: QEvent) -> bool:
        """Close with Esc."""
        if takes_escape(event):
            self.leave()
            return True
        return super().event(event)


def leading_clauses(text: str) -> list[str]:
    """List a text, and what is left of it without its last clause, without two, ..."""
    ends = [match.start() for match in re.finditer(r"[,;] ", text)]
    return [text, *(text[:end] for end in reversed(ends))]


LEAST_CUT = 12
"""Letters that are left of a clause at least: of fewer nothing can be told."""


class ElidedLabel(QLabel):
    """A line of text of which the first clauses are shown that there is room for.

    A clause that has no room by itself is cut between words, with an ellipsis: half a
    number would be another one; or left out, if a few letters were left of it.

    Parameters
    ----------
    padding
        Pixels left and right of the text, of those that the style gives it.
    """

    def __init__(
        self, parent: QWidget | None = None, padding: int = LABEL_PADDING
    ) -> None:
        super().__init__(parent)
        self._padding = padding

    def minimumSizeHint(self) -> QSize:
        """Return no width at all: it may be as narrow as need be."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        if self.width() >= self.sizeHint().width():
            super().paintEvent(event)
            return
        with QPainter(self) as painter:
            room = self.contentsRect().adjusted(self._padding, 0, -self._padding, 0)
            metrics = self.fontMetrics()
            text = next(
                (t for t in leading_clauses(self.text())
                 if metrics.horizontalAdvance(t) <= room.width()),
                leading_clauses(self.text())[-1],
            )  # fmt: skip
            least = LEAST_CUT * metrics.averageCharWidth()
            if metrics.horizontalAdvance(text) > room.width() < least:
                return
            end = Qt.TextElideMode.ElideRight
            cut = metrics.elidedText(text, end, room.width())
            words = cut.rpartition(" ")[0]
            text = f"{words}\u2026" if cut != text and words else cut
            painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
            painter.drawText(room, self.alignment(), text)


class ChoiceBox(QComboBox):
    """A box to choose one of several values; it says where a text is cut."""

    def __init__(
        self,
        name: str,
        take: Callable[[Any], object],
        parent: QWidget | None = None,
        tip: str = "",
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.activated.connect(lambda row: take(self.itemData(row)))

    def offer(self, texts: Mapping[Any, str], chosen: object) -> None:
        """Offer values, by their texts, and show which of them holds."""
        rows = range(self.count())
        there = [(self.itemData(row), self.itemText(row)) for row in rows]
        if there != list(texts.items()):
            self.clear()
            for value, text in texts.items():
                self.addItem(text, value)
        self.choose(chosen)

    def choose(self, value: object) -> None:
        """Show which value holds; the first one if it is not among them."""
        self.setCurrentIndex(max(self.findData(value), 0))

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        painter, shown = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(shown)
        control = QStyle.ComplexControl.CC_ComboBox
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(control, shown, part, self).width()
        shown.currentText = self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, room
        )
        painter.drawComplexControl(control, shown)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, shown)


class _Choice(QToolButton):
    """A choice of a row: where there is no room beside its text, it does without."""

    ROOMY, CLOSE = 20, 6
    """Pixels beside the text, both sides together, and how few will do."""

    def _wide(self, beside: int) -> QSize:
        bold = QFontMetrics(font(12, 600))  # chosen or not, it is as wide
        return QSize(bold.horizontalAdvance(self.text()) + beside, 20)

    def sizeHint(self) -> QSize:
        """Return the size where there is room."""
        return self._wide(self.ROOMY)

    def minimumSizeHint(self) -> QSize:
        """Return the least that shows all of the text."""
        return self._wide(self.CLOSE)


class Segmented(QWidget):
    """A row of choices, one of which holds."""

    chosen = Signal(str)
    """The key of the choice that the user clicked."""

    def __init__(
        self,
        parent: QWidget | None = None,
        take: Callable[[str], object] | None = None,
        name: str = "",
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        if take is not None:
            self.chosen.connect(take)
        styled(self, "segmented")
        self.setFixedHeight(26)
        self._row = filled(QHBoxLayout(self), margins=(2, 2, 2, 2), spacing=1)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, _Choice] = {}

    def offer(self, choices: Mapping[str, str], current: str) -> None:
        """Show texts of choices, and which of them holds."""
        if list(choices) != list(self._buttons):
            for button in self._buttons.values():
                self._group.removeButton(button)
                self._row.removeWidget(button)
                button.hide()
                button.deleteLater()
            self._buttons = {k: self._button(k, text) for k, text in choices.items()}
            self.adjustSize()
        for key, text in choices.items():
            self._buttons[key].setText(text)
        self.choose(current)

    def choose(self, key: str) -> None:
        """Show which choice holds; none if it is not among them."""
        self._group.setExclusive(False)  # else the one before would stay
        for name, button in self._buttons.items():
            button.setChecked(name == key)
            button.setFont(font(12, 600 if name == key else 400))
        self._group.setExclusive(True)

    def _button(self, key: str, text: str) -> _Choice:
        button = _Choice(self)
        button.setText(text)
        button.setCheckable(True)
        button.setFont(font(12, 600))
        button.setFixedHeight(20)
        button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        button.clicked.connect(lambda: self.chosen.emit(key))
        self._group.addButton(button)
        self._row.addWidget(button)
        button.show()
        return button


class DockBar(QWidget):
    """Title bar of a panel: title, a dim remark, controls, tear off, close."""

    float_asked = Signal()
    close_asked = Signal()
    """`float_asked` and `close_asked`: the user clicked these buttons."""
    doubled = Signal()
    """The user double-clicked it, where it `takes_double_clicks`; others are torn
    off."""
    takes_double_clicks = False

    BREVITIES = 0
    """Ways to write the controls, the fullest first."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        styled(self, "dockbar")
        self.setFixedHeight(32)
        self.row = filled(QHBoxLayout(self), margins=(12, 0, 8, 0), spacing=4)
        self.title = new_label(self, look=font(13, 600))
        self.remark = ElidedLabel(padding=0)
        self.remark.setFont(font(12))
        self.remark.setProperty("dim", True)
        self.remark.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred
        )
        self.row.addWidget(self.title)
        self.row.addSpacing(6)
        self.row.addWidget(self.remark, 1)
        self._controls = self.row.count()
        self._tear, self._close = IconButton("float", ""), IconButton("close", "")
        self._tear.clicked.connect(self.float_asked)
        self._close.clicked.connect(self.close_asked)
        self.row.addSpacing(4)
        self.row.addWidget(self._tear)
        self.row.addSpacing(2)
        self.row.addWidget(self._close)
        self.rename(title)

    def rename(self, title: str) -> None:
        """Show the title of another panel."""
        self.title.setText(title)
        self._tear.explain(tr("Tear {title} off, or put it back", title=title))
        self._close.explain(tr("Close {title}; the rail opens it again", title=title))

    def fit(self) -> None:
        """Write controls as fully as there is room for."""
        for brevity in range(self.BREVITIES):
            self.write(brevity)
            self.row.invalidate()
            if self.row.sizeHint().width() <= self.width():
                break

    def write(self, brevity: int) -> None:
        """Write controls, more briefly the higher the number."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write controls as fully as there is room for."""
        super().resizeEvent(event)
        self.fit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Signal it, or leave it to the dock."""
        if self.takes_double_clicks:
            self.doubled.emit()
        else:
            super().mouseDoubleClickEvent(event)

    def add_heading(self, widget: QWidget) -> None:
        """Put something between title and remark."""
        self.row.insertWidget(1, widget)
        self._controls += 1

    def add_control(self, widget: QWidget) -> None:
        """Put a control before the buttons at the right end."""
        self.row.insertWidget(self._controls, widget)
        self._controls += 1

    def tell(self, remark: str, more: str = "") -> None:
        """Show a remark beside the title, with more of it when pointed at."""
        self.remark.setText(remark)
        self.remark.setToolTip("\n".join(filter(None, (remark, more))))

    def sizeHint(self) -> QSize:
        """Width does not matter to the dock."""
        return QSize(200, 32)

    def minimumSizeHint(self) -> QSize:
        """Narrow docks cut the remark."""
        return QSize(80, 32)


class Overlay(QWidget):
    """Lies over another widget, paints, and lets the mouse through."""

    def __init__(self, parent: QWidget, paint: Callable[[QPainter], None]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self._paint = paint

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint what was asked for."""
        with QPainter(self) as painter:  # one that is left open crashes Qt
            self._paint(painter)


def dragged_box(one: QPointF, other: QPointF, area: QRectF) -> QRectF:
    """Box of a drag within an area; that of a straight drag has no width or height.

    Qt's own intersection of such a box with an area is empty.
    """
    corners = [
        QPointF(
            min(max(end.x(), area.left()), area.right()),
            min(max(end.y(), area.top()), area.bottom()),
        )
        for end in (one, other)
    ]
    return QRectF(*corners).normalized()


RUBBER_OPACITY = 0.12
"""Of the fill of a rubber band: what is being selected stays visible."""


def paint_rubber(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """Paint the rubber band of a drag."""
    fill = translucent(theme.accent, RUBBER_OPACITY)
    painter.setBrush(fill)
    painter.setPen(QPen(QColor(theme.ink), 1, Qt.PenStyle.DashLine))
    painter.drawRect(box)


SCOPES = {
    "exchange": tr("Exchange"),
    "run": tr("Run"),
    "loop": tr("Loop"),
    "window": tr("Window"),
    "selected": tr("Selected"),
}
SCOPE_TIPS = tr(
    "Scope: the exchange, from the first call that communicates to the last; the whole "
    "run; the iterations of the loop with most time; the time window of the timeline; "
    "or the selection (ranks, a time range, a statement, a loop, an operation)"
)


class ScopeBar(QWidget):
    """A row with the choice, a box where it is narrow, and room for more at its right.

    Where all messages count that there are, the run is the exchange: only what is of
    time offers both.
    """

    def __init__(
        self, session: Session, parent: QWidget, *, of_time: bool = False
    ) -> None:
        super().__init__(parent)
        self._offered = {
            name: text for name, text in SCOPES.items() if of_time or name != "run"
        }
        self.setFixedHeight(36)
        self.row = filled(QHBoxLayout(self), margins=(10, 4, 8, 2), spacing=8)
        name = tr("What is counted")
        self.scopes = Segmented(self, lambda scope: session.update(scope=scope), name)
        self.scopes.setToolTip(SCOPE_TIPS)
        take = self.scopes.chosen.emit
        self.box = ChoiceBox(name, take, self, SCOPE_TIPS)
        self.box.setMinimumContentsLength(6)
        self.box.hide()
        for choice in (self.scopes, self.box):
            self.row.addWidget(choice)
        self.row.addStretch(1)
        follow(self, session, self._show, to=("scope",))
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        there = new.scope in self._offered
        chosen = new.scope if there else "exchange"
        self.scopes.offer(self._offered, chosen)
        self.box.offer(self._offered, chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the row of choices where all of it fits."""
        super().resizeEvent(event)
        others = [
            each
            for each in self.children()
            if isinstance(each, QWidget)
            and each not in (self.scopes, self.box)
            and not each.isHidden()
        ]
        room = self.width() - sum(each.minimumSizeHint().width() for each in others)
        spaces = self.row.spacing() * (len(others) + 1)
        wide = (
            self.scopes.minimumSizeHint().width()
            + 2 * self.row.contentsMargins().left()
        )
        fits = wide + spaces <= room
        self.scopes.setVisible(fits)
        self.box.setVisible(not fits)
