"""A part of the card about the shape: rows under a title that folds them."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from topoview.ui.fonts import font

NAMES = 68
"""Pixels that names of rows take: the same in all parts."""


class Section(QWidget):
    """Rows with names; a click on the title folds or unfolds them.

    Attributes
    ----------
    clear
        A small button at the right end of the title; hidden at first.

    Signals
    -------
    folded
        Whether the rows are open from now on.
    """

    folded = Signal(bool)

    def __init__(self, title: str, *, open_: bool) -> None:
        super().__init__()
        self._title = title
        self.head = QToolButton()
        self.head.setObjectName("fold")
        self.head.setFont(font(12, 600))
        self.head.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.head.clicked.connect(self._toggle)
        self.clear = QToolButton()
        self.clear.setObjectName("link")
        self.clear.setFont(font(12))
        self.clear.hide()
        above = QHBoxLayout()
        above.setContentsMargins(0, 0, 0, 0)
        above.addWidget(self.head)
        above.addStretch(1)
        above.addWidget(self.clear)
        self.body = QWidget()
        self._grid = QGridLayout(self.body)
        self._grid.setContentsMargins(0, 0, 0, 2)
        self._grid.setVerticalSpacing(4)
        self._grid.setHorizontalSpacing(4)
        self._grid.setColumnMinimumWidth(0, NAMES)
        self._grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addLayout(above)
        column.addWidget(self.body)
        self._show(open_=open_)

    def add(self, text: str, row: QWidget) -> None:
        """Add a row under its name."""
        number = self._grid.rowCount()
        label = QLabel(text)
        label.setProperty("dim", True)
        label.setFont(font(12))
        row.setAccessibleName(text)
        self._grid.addWidget(label, number, 0)
        self._grid.addWidget(row, number, 1)

    def offer(self, text: str, act: Callable[[], None]) -> None:
        """Give the small button a meaning."""
        self.clear.setText(text)
        self.clear.clicked.connect(act)

    def _toggle(self) -> None:
        self._show(open_=self.body.isHidden())
        self.folded.emit(not self.body.isHidden())

    def _show(self, *, open_: bool) -> None:
        self.body.setVisible(open_)
        self.head.setText(f"{chr(0x25BE) if open_ else chr(0x25B8)} {self._title}")
        self.head.setAccessibleName(f"{'Fold' if open_ else 'Unfold'} {self._title}")
