"""Cards in the window's corner: warnings on a trace, how completely it was read."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import group_digits_in, tr
from topoview.model import Health
from topoview.session import Session, State
from topoview.ui.shell.status_bar import StatusBar
from topoview.ui.widgets.controls import (
    IconButton,
    follow,
    give_focus_back,
    takes_escape,
)
from topoview.ui.widgets.theme import font


class NotesCard(QFrame):
    """Lists what should be known about a trace, above the status bar."""

    def __init__(self, window: QWidget, title: str = tr("Warnings")) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title = QLabel(title, self)
        self.title.setFont(font(13, 600))
        close = IconButton("close", tr("Close this card"), self)
        close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(close)
        self.text = QLabel(self)
        self.text.setFont(font(12))
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.rows = rows = QVBoxLayout(self)
        rows.setContentsMargins(12, 8, 12, 12)
        rows.setSpacing(8)
        rows.addLayout(head)
        rows.addWidget(self.text)
        self.hide()

    def toggle(self, notes: tuple[str, ...], bottom: int) -> None:
        """Show the notes with the card's lower edge at `bottom`, or hide them."""
        if self.isVisible() or not notes:
            self.hide()
            return
        self.text.setText(group_digits_in("\n\n".join(notes)))
        self.place(bottom)

    def setVisible(self, visible: bool) -> None:
        """Show it, or hide it and give the keyboard back."""
        if not visible:
            give_focus_back(self)
        super().setVisible(visible)

    def place(self, bottom: int) -> None:
        """Show the card alone, as high as what is in it."""
        for other in self._window.findChildren(NotesCard):
            if other is not self:
                other.hide()
        width = min(480, self._window.width() - 32)
        self.setFixedWidth(width)
        height = self.rows.totalHeightForWidth(width)
        self.setGeometry(16, bottom - height - 12, width, height)
        self.show()
        self.raise_()
        self.setFocus()

    def event(self, event: QEvent) -> bool:
        """Close with Esc, before the shortcut of that key."""
        if takes_escape(event):
            self.hide()
            return True
        return super().event(event)


class HealthCard(NotesCard):
    """Lists what was found about files, events, messages and clocks."""

    def __init__(self, window: QWidget, session: Session, status: StatusBar) -> None:
        super().__init__(window, tr("Trace quality"))
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
        follow(self, session, self._follow, to=("analysis",))

    def toggle_health(self) -> None:
        """Show what was found above the status bar, or hide it."""
        analysis = self._session.state.analysis
        health = analysis.trace.health if analysis else None
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
        self.title.setText(tr("Trace quality: {verdict}", verdict=tr(health.verdict)))
        for row, finding in enumerate(health.findings):
            remark = group_digits_in(finding.text)
            words = (tr(finding.subject.capitalize()), tr(finding.verdict), remark)
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
        analyses = (old.analysis, new.analysis)
        traces = [state.trace if state else None for state in analyses]
        if traces[0] is not traces[1]:
            self.hide()
