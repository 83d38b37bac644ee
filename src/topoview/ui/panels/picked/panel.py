"""The panel Selection: all about what was clicked, with links to what it touches."""

from functools import partial
from time import perf_counter

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from topoview.base.text import tr
from topoview.live.picking.picked import changes_to_pick, changes_to_step
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.panels.picked.page import Page, html_of, links_of, text_of
from topoview.ui.panels.picked.words import page_of
from topoview.ui.panels.selected_calls import step_occurrence
from topoview.ui.widgets.controls import DockBar, ElidedLabel, IconButton
from topoview.ui.widgets.panel import EmptyView, Panel, stacked
from topoview.ui.widgets.theme import font

NOTHING_CLICKED = (
    tr("Nothing selected"),
    tr("Click a call in the timeline, a rank or an edge in the scene, or a statement."),
)

SHOWN_PARTS = ("analysis", "picked", "selection", "match", "theme", "time_zero", "unit")
"""Parts of the state that all pages depend on."""

FOLLOW_MILLISECONDS, MAX_FOLLOW_MILLISECONDS = 80, 2000
"""Milliseconds between two looks at a cursor that runs, at least and at most."""

FOLLOW_SHARE = 0.1
"""Share of the time that these looks may take while time runs: to find who waits for a
rank all others are looked at."""

TIMED_KINDS = ("rank", "pair", "statement")
"""What is told of these depends on the time cursor."""


class PickedPanel(Panel):
    """Shows all about what was clicked last.

    Signals
    -------
    page_changed
        There is something else to read.
    """

    page_changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._page: Page | None = None
        self._html = ""
        self._pause = FOLLOW_MILLISECONDS
        self.text = QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setFont(font(12))
        self.text.setAccessibleName(tr("Selection"))
        self.text.document().setDocumentMargin(12)
        never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.text.setHorizontalScrollBarPolicy(never)
        self.text.anchorClicked.connect(self._follow_link)
        self._add_copy()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._show_if_seen)
        self._empty = EmptyView(self)
        self._empty.tell(*NOTHING_CLICKED)
        self._stack = stacked(self, self._empty, self.text)
        ends = (
            session.subscribe(self._follow, to=SHOWN_PARTS),
            session.subscribe(self._follow_time, to=("time", "playing")),
        )
        for end in ends:
            self.destroyed.connect(end)
        self._show()

    def _add_copy(self) -> None:
        """Let the keys that copy take the page where no part of it is marked."""
        action = QAction(tr("Copy as text"), self)
        action.setShortcut(QKeySequence.StandardKey.Copy)
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(self.copy)
        self.addAction(action)

    @property
    def page(self) -> Page | None:
        """What is shown, None if nothing was clicked."""
        return self._page

    def sizeHint(self) -> QSize:
        """Return the size in a window of 1280x800."""
        return QSize(388, 400)

    def _follow(self, _: State, __: State) -> None:
        self._show_if_seen()

    def _follow_time(self, _: State, new: State) -> None:
        if new.picked.kind not in TIMED_KINDS:
            return
        pause = self._pause if new.playing else FOLLOW_MILLISECONDS
        if not self._later.isActive() or self._later.remainingTime() > pause:
            self._later.start(pause)

    def _show_if_seen(self) -> None:
        if self.isVisible():
            self._show()

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._later.isActive()

    def showEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's name
        """Show what was clicked while nobody looked."""
        self._show()

    def _show(self) -> None:
        state, begin = self.session.state, perf_counter()
        self._page = page = page_of(state)
        self._stack.setCurrentWidget(self.text if page else self._empty)
        self.page_changed.emit()
        if page is None:
            self._html = ""
            return
        theme = THEMES[state.theme]
        html = html_of(page, theme.text2, theme.accent, theme.hairline)
        if html != self._html:  # else what is marked and scrolled to stays
            self._html = html
            self.text.setHtml(html)
        rest = round(1e3 * (perf_counter() - begin) / FOLLOW_SHARE)
        self._pause = min(max(FOLLOW_MILLISECONDS, rest), MAX_FOLLOW_MILLISECONDS)

    def _follow_link(self, url: QUrl) -> None:
        if self._page is not None:
            link = links_of(self._page)[int(url.toString())]
            changes = changes_to_pick(self.session.state, link.to, link.ticks)
            self.session.update(**changes)

    def step(self, by: int) -> None:
        """Go to the next (`by` above 0) or previous occurrence."""
        said = step_picked(self.session, by)
        if said:
            self.told.emit(said)

    def copy(self) -> None:
        """Copy what is marked, else all of it, as text."""
        marked = self.text.textCursor().selection().toPlainText()
        if self._page is not None:
            QGuiApplication.clipboard().setText(marked or text_of(self._page))
            self.told.emit(tr("The selection is on the clipboard"))

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return PickedBar(self, title)


class PickedBar(DockBar):
    """Names what was clicked, and steps through its occurrences."""

    def __init__(self, panel: PickedPanel, title: str) -> None:
        super().__init__(title)
        self._panel = panel
        self.heading = ElidedLabel(self, 0)
        self.heading.setFont(font(13, 600))
        self.row.insertWidget(1, self.heading)
        self._controls += 1
        self.buttons = (
            IconButton("previous", tr("Previous occurrence (Shift+I)")),
            IconButton("next", tr("Next occurrence (I)")),
        )
        copy = IconButton("copy", tr("Copy as text"))
        for button, by in zip(self.buttons, (-1, 1), strict=True):
            button.clicked.connect(partial(self._step, by))
            self.add_control(button)
        copy.clicked.connect(panel.copy)
        self.add_control(copy)
        panel.page_changed.connect(self._show)
        self._show()

    def _step(self, by: int, checked: bool = False) -> None:
        del checked
        self._panel.step(by)

    def _show(self) -> None:
        page = self._panel.page
        self.heading.setText(page.title if page else "")
        self.heading.setToolTip(page.title if page else "")
        self.tell(page.subtitle if page else "")
        for button in self.buttons:
            button.setEnabled(page is not None and page.steps)


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
