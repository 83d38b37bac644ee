"""A card in the window's corner: how completely the trace was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from topoview.model import Health
from topoview.session import Session, State
from topoview.ui.fonts import font
from topoview.ui.formats import with_gaps
from topoview.ui.notes_card import NotesCard
from topoview.ui.status_bar import StatusBar

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow


class HealthCard(NotesCard):
    """Lists what was found about files, events, messages and clocks."""

    def __init__(self, window: QWidget, session: Session, status: StatusBar) -> None:
        super().__init__(window, "Trace health")
        self._session, self._status = session, status
        status.health_asked.connect(self.toggle_health)
        self.text.hide()
        self._list = QWidget(self)
        self._grid = QGridLayout(self._list)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(2, 1)
        self.rows.addWidget(self._list)
        session.subscribe(self._follow)

    def toggle_health(self) -> None:
        """Show what was found above the status bar, or hide it."""
        known = self._session.state.analysis
        health = known.trace.health if known else None
        if self.isVisible() or health is None:
            self.hide()
            return
        self._fill(health)
        self.place(self._status.geometry().top())

    def _fill(self, health: Health) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self.title.setText(f"Trace health: {health.verdict}")
        for row, finding in enumerate(health.findings):
            told = with_gaps(finding.text)
            words = (finding.subject.capitalize(), finding.verdict, told)
            for column, text in enumerate(words):
                label = QLabel(text, self._list)
                label.setTextFormat(Qt.TextFormat.PlainText)
                label.setFont(font(12, 600 if column == 0 else 400))
                label.setAlignment(Qt.AlignmentFlag.AlignTop)
                label.setWordWrap(column == len(words) - 1)
                label.setProperty("dim", column == 1)
                self._grid.addWidget(label, row, column)
                label.show()

    def texts(self) -> list[str]:
        """Everything that is written in the card, row by row."""
        return [
            label.text()
            for label in self._list.findChildren(QLabel)
            if self._grid.indexOf(label) >= 0
        ]

    def _follow(self, old: State, new: State) -> None:
        if old.analysis is not new.analysis:
            known = (old.analysis, new.analysis)
            traces = [state.trace if state else None for state in known]
            if traces[0] is not traces[1]:
                self.hide()


def show_health(w: MainWindow) -> None:
    """Show how completely the trace was read, or hide it."""
    w.health.toggle_health()
