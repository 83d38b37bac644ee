"""A field that finds lines of the logical trace: the others are left out."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QWidget

from topoview.analysis.logical.filter import Filter, parse_filter
from topoview.ui.fonts import font
from topoview.ui.formats import plural

REST = 120
"""Milliseconds that the typing rests before lines are looked for."""


class Finder(QWidget):
    """The field; hidden until it is asked for.

    Signals
    -------
    wanted
        What is to be shown, a `Filter`.
    left
        The field was left.
    """

    wanted = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText("Words, > 5 %, rank 0-3")
        self.field.setClearButtonEnabled(True)
        self.field.setFont(font(12))
        self.field.setAccessibleName("Find lines of the logical trace")
        self.field.setToolTip(
            "Lines that hold all words; > 5 %: those that take more of the run;\n"
            "rank 0-3: those that one of these ranks runs"
        )
        self.field.installEventFilter(self)
        self.note = QLabel(self)
        self.note.setFont(font(12))
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 8, 4)
        row.addWidget(self.field, 1)
        row.addWidget(self.note)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST)
        self._rest.timeout.connect(self._ask)
        self.field.textChanged.connect(lambda _: self._rest.start())
        self.hide()

    def open(self) -> None:
        """Show the field and let the user type."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def close_up(self) -> None:
        """Hide the field and show all lines."""
        if self.isHidden():
            return
        self.hide()
        self.field.clear()
        self._rest.stop()
        self.wanted.emit(Filter())
        self.left.emit()

    def tell(self, hidden: int, shown: int) -> None:
        """Say how many lines are left out, or that none is left."""
        told = f"{plural(hidden, 'line')} left out" if shown else "no line found"
        self.note.setText(told if hidden else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Esc closes the field, Enter goes on to the lines."""
        if watched is self.field and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape:
                self.close_up()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._rest.stop()
                self._ask()
                self.left.emit()
                return True
        return super().eventFilter(watched, event)

    def _ask(self) -> None:
        self.wanted.emit(parse_filter(self.field.text()))
