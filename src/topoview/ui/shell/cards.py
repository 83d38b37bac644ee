"""Cards in the window's corner: warnings on a trace, how completely it was read."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from topoview.base.text import group_digits_in, tr
from topoview.report.blocks import Page, TableBlock
from topoview.report.write import page_html
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.shell.status_bar import StatusBar
from topoview.ui.widgets.controls import Card, follow
from topoview.ui.widgets.layouts import new_label
from topoview.ui.widgets.theme import font


class NotesCard(Card):
    """Lists what should be known about a trace, above the status bar."""

    def __init__(self, window: QWidget, title: str = tr("Warnings")) -> None:
        self.title = QLabel(title)
        super().__init__(window, self.title)
        self._window = window
        self.text = new_label(self, look=font(12), wraps=True, plain=True)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.column.setContentsMargins(12, 8, 12, 12)
        self.column.setSpacing(8)
        self.column.addWidget(self.text)

    def toggle(self, notes: tuple[str, ...], bottom: int) -> None:
        """Show the notes with the card's lower edge at `bottom`, or hide them."""
        if self.isVisible() or not notes:
            self.hide()
            return
        self.text.setText(group_digits_in("\n\n".join(notes)))
        self.place(bottom)

    def place(self, bottom: int) -> None:
        """Show the card alone, as high as what is in it."""
        for other in self._window.findChildren(NotesCard):
            if other is not self:
                other.hide()
        width = min(480, self._window.width() - 32)
        self.setFixedWidth(width)
        height = self.column.totalHeightForWidth(width)
        self.setGeometry(16, bottom - height - 12, width, height)
        self.show()
        self.raise_()
        self.setFocus()


class HealthCard(NotesCard):
    """Lists what was found about files, events, messages and clocks."""

    def __init__(self, window: QWidget, session: Session, status: StatusBar) -> None:
        super().__init__(window, tr("Trace quality"))
        self._session, self._status = session, status
        self.page = Page()
        self.text.setTextFormat(Qt.TextFormat.RichText)
        status.health_asked.connect(self.toggle_health)
        follow(self, session, self._follow, to=("analysis",))

    def toggle_health(self) -> None:
        """Show what was found above the status bar, or hide it."""
        state = self._session.state
        health = None if state.trace is None else state.trace.health
        if self.isVisible() or health is None:
            self.hide()
            return
        self.title.setText(tr("Trace quality: {verdict}", verdict=tr(health.verdict)))
        rows = tuple(
            (
                tr(finding.subject.capitalize()),
                tr(finding.verdict),
                group_digits_in(finding.text),
            )
            for finding in health.findings
        )
        self.page = Page(blocks=(TableBlock("", "", ("", " ", " "), rows),))
        theme = THEMES[state.theme]
        colours = theme.text2, theme.accent, theme.hairline
        self.text.setText(page_html(self.page, *colours))
        self.place(self._status.geometry().top())

    def _follow(self, old: State, new: State) -> None:
        if old.trace is not new.trace:
            self.hide()
