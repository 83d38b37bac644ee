"""The panel Selection: all about what was clicked, with links to what it touches."""

from dataclasses import dataclass
from time import perf_counter

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from topoview.base.text import tr
from topoview.live.picking.picked import changes_to_pick, changes_to_step
from topoview.model import Analysis
from topoview.report.blocks import Page
from topoview.report.write import page_html, page_text
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.panels.picked.words import page_of
from topoview.ui.panels.selected_calls import step_occurrence
from topoview.ui.widgets.controls import ElidedLabel, IconButton, follow
from topoview.ui.widgets.panel import AskingPanel, GoOn
from topoview.ui.widgets.theme import font

NOTHING_CLICKED = (
    tr("Nothing selected"),
    tr("Click a call in the timeline, a rank or an edge in the scene, or a statement."),
)

FOLLOW_MILLISECONDS, MAX_FOLLOW_MILLISECONDS = 80, 2000
"""Milliseconds between two looks at a cursor that runs, at least and at most."""

FOLLOW_SHARE = 0.1
"""Share of the time that these looks may take while time runs: to find who waits for a
rank all others are looked at."""

TIMED_KINDS = ("rank", "pair", "statement")
"""What is told of these depends on the time cursor."""


@dataclass(frozen=True, slots=True, eq=False)
class PageRequest:
    """A state, of which what was clicked is told."""

    state: State

    @property
    def analysis(self) -> Analysis:
        """Return what is known of the trace."""
        assert self.state.analysis is not None
        return self.state.analysis


class PickedPanel(AskingPanel[PageRequest, Page | None]):
    """Shows all about what was clicked last."""

    PARTS = (
        *("analysis", "picked", "selection", "match", "theme"),
        *("time_zero", "unit", "window"),
    )
    HEIGHT = 400

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, self._make)
        self._html = ""
        self._pause = FOLLOW_MILLISECONDS
        self.text = QTextBrowser(self.content)
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(font(12))
        self.text.setAccessibleName(tr("Selection"))
        self.text.document().setDocumentMargin(12)
        never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.text.setHorizontalScrollBarPolicy(never)
        self.text.anchorClicked.connect(self._follow_link)
        self.column.addWidget(self.text)
        self._add_copy()
        self._add_buttons()
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self.ask)
        follow(self, session, self._follow_time, to=("time", "playing"))

    def _add_buttons(self) -> None:
        self.heading = ElidedLabel(padding=0)
        self.heading.setFont(font(13, 600))
        self.dock_bar.add_heading(self.heading)
        self.buttons = (
            IconButton("previous", tr("Previous occurrence (Shift+I)")),
            IconButton("next", tr("Next occurrence (I)")),
        )
        for button, by in zip(self.buttons, (-1, 1), strict=True):
            button.clicked.connect(lambda _=False, by=by: self.step(by))
            self.dock_bar.add_control(button)
        copy = IconButton("copy", tr("Copy as text"))
        copy.clicked.connect(self.copy)
        self.dock_bar.add_control(copy)

    def _add_copy(self) -> None:
        """Let the keys that copy take the page where no part of it is marked."""
        action = QAction(tr("Copy as text"), self)
        action.setShortcut(QKeySequence.StandardKey.Copy)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(self.copy)
        self.addAction(action)

    def request(self, state: State) -> PageRequest | None:
        """Ask anew at each change."""
        return None if state.analysis is None else PageRequest(state)

    def is_quick(self, _: PageRequest) -> bool:
        """Answer at once: cards and links are about the same state."""
        return True

    def _make(self, request: PageRequest, _: GoOn) -> Page | None:
        begin = perf_counter()
        page = page_of(request.state)
        rest = round(1e3 * (perf_counter() - begin) / FOLLOW_SHARE)
        self._pause = min(max(FOLLOW_MILLISECONDS, rest), MAX_FOLLOW_MILLISECONDS)
        return page

    def show_result(self, result: Page | None) -> None:
        """Show another page; of the same one stays what is marked and scrolled to."""
        if result is None:
            self._html = ""
            return
        theme = THEMES[self.session.state.theme]
        html = page_html(result, theme.text2, theme.accent, theme.hairline)
        if html != self._html:
            self._html = html
            self.text.setHtml(html)

    def show_state(self, _: State) -> None:
        """Name what was clicked."""
        title = self.result.title if self.result is not None else ""
        self.heading.setText(title)
        self.heading.setToolTip(title)
        for button in self.buttons:
            button.setEnabled(self.result is not None and self.result.steps)

    def why_empty(self, _: State) -> tuple[str, str]:
        """Return what can be clicked."""
        return NOTHING_CLICKED if self.result is None else ("", "")

    def remark(self) -> tuple[str, str]:
        """Return which one of how many it is."""
        return self.result.subtitle if self.result is not None else "", ""

    def _follow_time(self, _: State, new: State) -> None:
        if new.picked.kind not in TIMED_KINDS:
            return
        pause = self._pause if new.playing else FOLLOW_MILLISECONDS
        if not self._later.isActive() or self._later.remainingTime() > pause:
            self._later.start(pause)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._later.isActive()

    def _follow_link(self, url: QUrl) -> None:
        if self.result is not None:
            link = self.result.links[int(url.toString())]
            changes = changes_to_pick(self.session.state, link.to, link.ticks)
            self.session.update(**changes)

    def step(self, by: int) -> None:
        """Go to the next (`by` above 0) or previous occurrence."""
        said = step_picked(self.session, by)
        if said:
            self.message.emit(said)

    def copy(self) -> None:
        """Copy what is marked, else all of it, as text."""
        marked = self.text.textCursor().selection().toPlainText()
        if self.result is not None:
            QGuiApplication.clipboard().setText(marked or page_text(self.result))
            self.message.emit(tr("The selection is on the clipboard"))


def step_picked(session: Session, by: int) -> str:
    """Go to the next (`by` above 0) or previous occurrence of what was clicked.

    Returns
    -------
    str
        What to tell the user.
    """
    state = session.state
    chosen = state.selection
    named = chosen.operation or chosen.query
    if chosen.statement is not None or chosen.lines is not None or named:
        return step_occurrence(session, by)
    changes = changes_to_step(state, by)
    if not changes:
        return (
            tr("There is no next occurrence")
            if by > 0
            else tr("There is no previous occurrence")
        )
    session.update(**changes)
    page = page_of(session.state)
    return f"{page.title}: {page.subtitle}" if page and page.subtitle else ""
