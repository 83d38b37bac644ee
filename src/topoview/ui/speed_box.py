"""The box that tells how fast playing is, and takes another speed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from topoview.session import State
from topoview.ui.clock import parse_speed, speed_text
from topoview.ui.fonts import font

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow

WIDTH = 92


class SpeedBox(QLineEdit):
    """Shows the speed; a typed one is taken with Enter, Esc leaves it."""

    def __init__(self, window: MainWindow, parent: QWidget) -> None:
        super().__init__(parent)
        self._window = window
        self.setFont(font(13))
        self.setFixedWidth(WIDTH)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setToolTip("Speed of playing: type 10 ms/s, 20 calls/s or all in 10 s")
        self.setAccessibleName("Speed")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.returnPressed.connect(self._take)
        window.session.subscribe(self._follow)

    def edit(self) -> None:
        """Put the keyboard into the box."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def _follow(self, old: State, new: State) -> None:
        self.setEnabled(new.analysis is not None)
        same = (old.speed, old.pace, old.window, old.bounds, old.analysis)
        if same != (new.speed, new.pace, new.window, new.bounds, new.analysis):
            self._show()

    def _show(self) -> None:
        if not self.hasFocus():
            self.setText(speed_text(self._window.session.state))

    def _take(self) -> None:
        try:
            speed, pace = parse_speed(self.text())
        except ValueError as error:
            self._window.say(str(error))
            return
        self._window.session.update(speed=speed, pace=pace)
        self.clearFocus()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Show the speed that holds."""
        super().focusOutEvent(event)
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the box with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
            return
        super().keyPressEvent(event)
