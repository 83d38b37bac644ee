"""The main window: puts menus, tool bar, pages, workspace and status bar together.

It is shown at once; what the workspace needs (VTK, SciPy) is imported in a thread
behind it.
"""

import importlib
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QMainWindow,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from topoview.base.lazy import import_below
from topoview.base.text import tr
from topoview.scene.palette import COLOUR_MAPS
from topoview.session import Session, State, trace_notes
from topoview.ui.actions import general
from topoview.ui.actions.action import Context
from topoview.ui.actions.command_palette import CommandPalette
from topoview.ui.actions.key_help import KeyHelp
from topoview.ui.actions.layout import ask_for_placement
from topoview.ui.actions.menus import ActionSet
from topoview.ui.actions.timeline import MOUSE_TEXTS
from topoview.ui.panels.table import DRAWN, FIRST, PANELS, module_of
from topoview.ui.playback import Playback
from topoview.ui.settings import Settings
from topoview.ui.shell.cards import HealthCard, NotesCard
from topoview.ui.shell.history import History
from topoview.ui.shell.opening import Opener
from topoview.ui.shell.pages import FailurePage, ProgressPage, WelcomePage, trace_name
from topoview.ui.shell.sessions import SessionKeeper
from topoview.ui.shell.status_bar import StatusBar
from topoview.ui.shell.subset_dialog import ask_for_subset
from topoview.ui.shell.tool_bar import ToolBar
from topoview.ui.widgets import dialogs
from topoview.ui.widgets.focus_ring import FocusRing
from topoview.ui.widgets.formats import UNITS
from topoview.ui.widgets.layouts import new_label
from topoview.ui.widgets.panel import PointedThing
from topoview.ui.widgets.theme import apply_theme, font, wanted_theme

if TYPE_CHECKING:
    from topoview.ui.shell.workspace import Workspace

WORKSPACE_MODULE = "topoview.ui.shell.workspace"
OPENING_MODULE = "topoview.worker.results"
WITH_CLASSES_OF_QT = ("topoview.ui", "PySide6", "shiboken6")


class WorkspaceLoader(QObject):
    """Imports in a thread what the workspace's modules are made of, but none of these.

    PySide keeps its classes in a table that events look things up in without Python's
    lock: to make one in another thread ends the program now and then.
    """

    framed = Signal()
    """The workspace can be made in the GUI thread."""
    loaded = Signal(str)
    """A part of it can be made."""
    finished = Signal()
    """There is nothing left to import that a trace waits for."""
    _failed = Signal(object)
    _MAX_SECONDS_HELD = 3.0

    def __init__(self, parent: QObject, *, draws: bool) -> None:
        super().__init__(parent)
        self._draws, self._ended = draws, False
        self._thread = threading.Thread(target=self._load, name="loading", daemon=True)
        self._failed.connect(self._raise)
        self._free = threading.Event()
        self._asked: SimpleQueue[str] = SimpleQueue()

    def go_on(self) -> None:
        """Import what comes after the first part.

        Until then the first part has Python's lock for itself.
        """
        self._free.set()

    def load(self, *parts: str) -> None:
        """Import what parts need, after what is needed first."""
        for part in parts:
            self._asked.put(part)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self) -> None:
        """Wait until no import runs any more."""
        self.go_on()
        self._ended = True
        self.load("")
        if self._thread.is_alive():
            self._thread.join()

    def _load(self) -> None:
        try:
            import_below(WORKSPACE_MODULE, WITH_CLASSES_OF_QT)
            self.framed.emit()
            for part in FIRST:
                self._import(part)
                self._free.wait(self._MAX_SECONDS_HELD)
                self._free.set()
            # What the first trace would wait for, before anybody has chosen one.
            from topoview.live.layouts import load_layouts

            importlib.import_module(OPENING_MODULE)
            load_layouts()
            self.finished.emit()
            while (part := self._asked.get()) and not self._ended:
                self._import(part)
        except Exception as error:  # noqa: BLE001 - raised again in the GUI thread
            self._failed.emit(error)

    def _import(self, part: str) -> None:
        if self._draws or part not in DRAWN:
            with suppress(ImportError):  # said in the part's place, when it is made
                import_below(module_of(part), WITH_CLASSES_OF_QT)
        self.loaded.emit(part)

    def _raise(self, error: Exception) -> None:
        raise error


WINDOW_TITLE = "topoview"
DEFAULT_SIZE = (1280, 800)
MIN_SIZE = (900, 600)
CASCADE = 32
"""Pixels between windows that are opened together."""
MAX_NAME_WIDTH = 340
"""Pixels of the name of a trace beside the menus."""


IDLE_MILLISECONDS = 100
"""Milliseconds between two looks whether all is shown."""

STARTING = "starting"
"""Stage of an opening in which what is kept is looked for."""

FOLLOWED_PARTS = ("analysis", "opening", "failure", "selection")
"""Parts of the state that pages, title and messages depend on."""


class MainWindow(QMainWindow):
    """The window of a session.

    It is shown at once, with the welcome page or the progress of an opening.
    The workspace (scene and panels) comes as soon as its modules have been
    imported in a thread.
    """

    loaded = Signal()
    """All that is needed first has been imported."""

    def __init__(self, settings: Settings | None = None, *, draws: bool = True) -> None:
        super().__init__()
        self._draws = draws
        self.session = Session()
        """The state, and what changes it."""
        self.settings = settings or Settings()
        self.workspace: Workspace | None = None
        """Scene and panels, None until all of them are there; they are seen before."""
        self._frame: Workspace | None = None
        self.opener = Opener(self.session, self)
        self.parts: dict[str, Callable[[], None]] = {}
        """What actions can show, by its name."""
        self.context = Context(
            session=self.session,
            settings=self.settings,
            opener=self.opener,
            playback=Playback(self.session, self),
            history=History(self.session, self),
            say=self.say,
            show=lambda part: self.parts[part](),
            panels=lambda: self.workspace,
            window=self,
        )
        """What actions get."""
        self._prefer()
        self._follow_system()
        apply_theme(self.session.state.theme)
        self.setWindowTitle(WINDOW_TITLE)
        self.setMinimumSize(*MIN_SIZE)
        self.setAcceptDrops(True)
        self.session.subscribe(
            lambda _, new: apply_theme(new.theme),
            to=("theme",),
        )
        self.actions_shown = ActionSet(self.context)
        self.menus = self.actions_shown.fill(self.menuBar())
        """`actions_shown` and `menus`: the actions as Qt has them."""
        self.trace_name = new_label(
            self, look=font(12, plain=True), dim=True, plain=True
        )
        """The name of the trace, at the end of the menu bar."""
        self.trace_name.setContentsMargins(0, 0, 14, 0)
        self.trace_name.setMinimumHeight(self.menuBar().sizeHint().height())
        self.menuBar().setCornerWidget(self.trace_name)
        self.context.history.turned.connect(self.actions_shown.refresh_at_hand)
        self.menus[tr("Open recent")].aboutToShow.connect(self._fill_recent)
        self.tool_bar = ToolBar(
            self.context, self.actions_shown, self.menus[tr("Speed")]
        )
        self.addToolBar(self.tool_bar)
        self._status = StatusBar(self.session, self)
        self.setStatusBar(self._status)
        self._make_pages()
        self.command_palette = CommandPalette(
            self.session, self.actions_shown, self.tool_bar.search, self
        )
        self.key_help = KeyHelp(self.session, self)
        """`tool_bar`, `command_palette` and `key_help`: ways to them."""
        self._notes = NotesCard(self)
        self.health = HealthCard(self, self.session, self._status)
        self.focus_ring = FocusRing(self)
        self._name_parts()
        self._connect()
        self.session.subscribe(self._follow, to=FOLLOWED_PARTS)
        self._follow(State(), self.session.state)
        self.sessions = None
        if self.settings.lasting:
            self.sessions = SessionKeeper(self.session, self.say, self)
        self.welcome.show_recent(self.settings.recent)
        self._restore()
        self._loader = WorkspaceLoader(self, draws=draws)
        self._loader.framed.connect(self._make_workspace)
        self._loader.loaded.connect(self._fill_workspace)
        self._loader.finished.connect(self.loaded)
        self._unseen = QTimer(self, interval=IDLE_MILLISECONDS)
        self._unseen.timeout.connect(self._load_unseen)
        self.session.subscribe(self._free_loader, to=("opening", "failure"))

    def _prefer(self) -> None:
        """Begin with what the user prefers."""
        preset, unit = self.settings.text("mouse"), self.settings.text("unit")
        if preset in MOUSE_TEXTS:
            self.session.update(mouse=preset)
        if unit in UNITS:
            self.session.update(unit=unit)
        if (colours := self.settings.text("colour map")) in COLOUR_MAPS:
            self.session.change("scene", colour_map=colours)

    def _name_parts(self) -> None:
        self.parts.update(
            {
                "palette": self.command_palette.open,
                "menus": self._open_menu_bar,
                "rail": self._go_to_rail,
                "keys": self.key_help.toggle,
                "notes": self.show_notes,
                "health": self.health.toggle_health,
                "time": self.tool_bar.edit_time,
                "speed": self.tool_bar.speed_box.edit,
            }
        )

    def _open_context_menu(self, name: str, thing: PointedThing, at: QPoint) -> None:
        from topoview.ui.actions.context_menus import open_context_menu

        open_context_menu(name, thing, at, self.actions_shown, self)

    def _go_to_rail(self) -> None:
        if self._frame is not None:
            self._frame.rail.take_keyboard()

    def _open_menu_bar(self) -> None:
        bar = self.menuBar()
        bar.setFocus(Qt.FocusReason.MenuBarFocusReason)
        bar.setActiveAction(bar.actions()[0])

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's
        """Show where Tab leads to."""
        moved, passed = super().focusNextPrevChild(next), set[QWidget]()
        while (
            moved
            and (focus := self.focusWidget()) not in passed
            and not _come_into_view(focus)
        ):
            passed.add(focus)
            moved = super().focusNextPrevChild(next)
        self.focus_ring.follow(self.focusWidget() if moved else None)
        return moved

    def start(self) -> None:
        """Load the workspace behind the window, which is shown by now."""
        self._free_loader(self.session.state, self.session.state)
        self._loader.start()

    def _free_loader(self, _: State, new: State) -> None:
        """Let all be loaded while a worker is at work, or nothing is being opened.

        What is kept of a trace is there at once, and its timeline is to be painted
        before anything else is loaded.
        """
        looks = new.opening is not None and new.opening.stage == STARTING
        if new.analysis is None and not looks:
            self._loader.go_on()
        if new.opening is None:
            self._unseen.start()

    def _load_unseen(self) -> None:
        """Import what panels need that were never seen, once nothing is left to do."""
        if self._frame is not None and self._frame.settled:
            self._unseen.stop()
            self._loader.load(*(name for name in PANELS if name not in FIRST))

    def open(self, path: str) -> None:
        """Open a trace."""
        general.open_trace(path, self.context)

    def save_picture(self, path: str) -> None:
        """Save the scene as it is seen, in the kind that the name tells."""
        from topoview.ui.export import picture_dialog

        suffix = Path(path).suffix or ".png"
        last = picture_dialog.last_picture_choice(self.settings)
        choice = replace(last, suffix=suffix)
        picture_dialog.save_picture(self.context, Path(path), choice)

    def say(self, text: str) -> None:
        """Show a short message in the status bar, for a while."""
        self._status.showMessage(text, 8000)

    def show_notes(self) -> None:
        """List what should be known about the trace, or hide the list."""
        notes = trace_notes(self.session.state)
        self._notes.toggle(notes, self._status.geometry().top())

    def _make_pages(self) -> None:
        self.pages = QStackedWidget(self)
        self.welcome = WelcomePage(self)
        self.progress = ProgressPage(self)
        self.failure = FailurePage(self)
        for page in (self.welcome, self.progress, self.failure):
            self.pages.addWidget(page)
        self.setCentralWidget(self.pages)

    def _connect(self) -> None:
        for page in (self.welcome, self.failure):
            page.open_asked.connect(
                lambda: general.ask_for_trace(self.context, folder=False)
            )
        self.welcome.demo_asked.connect(lambda: general.open_demo("wave", self.context))
        self.welcome.recent_asked.connect(self.open)
        self.progress.cancel_asked.connect(self.opener.cancel)
        self.failure.back_asked.connect(lambda: self.session.update(failure=""))
        self._status.cancel_asked.connect(self.opener.cancel)
        self._status.notes_asked.connect(self.show_notes)
        self.opener.read.connect(lambda path: self.settings.remember(Path(path)))
        self.opener.requested.connect(partial(ask_for_subset, self.context))
        self.opener.learned.connect(self.context.history.correct_first)
        self.opener.complained.connect(self._tell_fault)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow_system)

    @Slot()
    def _follow_system(self) -> None:
        self.session.update(theme=wanted_theme(self.settings.theme))

    def _follow(self, old: State, new: State) -> None:
        if new.opening:
            self.progress.tell(new.opening)
        if new.failure and old.failure != new.failure:
            self.failure.tell(new.failure, self.opener.details)
        if old.trace is not new.trace:
            self._notes.hide()
        self._say_name(new)
        self._choose_page(new)
        if new.selection != old.selection:
            self._status.clearMessage()  # it was about what was selected before

    def _say_name(self, state: State) -> None:
        """Name the trace that is shown: none while a page stands before it."""
        trace = None if state.derived.is_page_shown else state.trace
        name = str(getattr(trace, "name", ""))
        if name == self.trace_name.toolTip():
            return
        self.setWindowTitle(f"{name} \u2013 {WINDOW_TITLE}" if name else WINDOW_TITLE)
        middle, metrics = Qt.TextElideMode.ElideMiddle, self.trace_name.fontMetrics()
        self.trace_name.setText(metrics.elidedText(name, middle, MAX_NAME_WIDTH))
        self.trace_name.setToolTip(name)
        self.menuBar().setCornerWidget(self.trace_name)  # lays it out anew

    def _choose_page(self, state: State) -> None:
        page: QWidget = self.pages.currentWidget() or self.welcome
        if state.failure:
            page = self.failure
        elif state.opening and not state.opening.read:
            page = self.progress
        elif state.analysis is None:
            page = self.welcome
        elif self._frame is not None:
            page = self._frame
        if page is not self.pages.currentWidget() or page is self.welcome:
            if page is self.welcome and page is not self.pages.currentWidget():
                self.welcome.show_recent(self.settings.recent)
            self.pages.setCurrentWidget(page)
            page.setFocus()  # else keys would go to the first box to type in

    def _make_workspace(self) -> None:
        from topoview.ui.shell.workspace import Workspace

        self._frame = workspace = Workspace(self.session, self.pages, draws=self._draws)
        workspace.missing.connect(self._loader.load)
        workspace.panels_changed.connect(self.actions_shown.refresh_soon)
        workspace.message.connect(self.say)
        workspace.menu_asked.connect(self._open_context_menu)
        workspace.placement_asked.connect(lambda: ask_for_placement(self.context))
        workspace.fetch_asked.connect(self.actions_shown.qt["fetch"].trigger)
        self.pages.addWidget(workspace)
        workspace.resize(self.pages.size())
        workspace.restore(
            self.settings.arrangement("panels"), self.settings.text("panel sizes")
        )
        self._choose_page(self.session.state)

    def _fill_workspace(self, part: str) -> None:
        workspace = self._frame
        if workspace is None:  # the window has been closed meanwhile
            return
        workspace.fill(part)
        if part == workspace.first:
            workspace.panel(part).filled.connect(self._loader.go_on)
        if workspace.complete and self.workspace is None:
            if workspace.scene is not None:
                workspace.scene.filled.connect(self.actions_shown.refresh_soon)
            self.workspace = workspace
            self.actions_shown.refresh()

    def _fill_recent(self) -> None:
        menu = self.menus[tr("Open recent")]
        menu.clear()
        for path in self.settings.recent:
            entry = menu.addAction(trace_name(path))
            entry.setToolTip(str(path))
            entry.triggered.connect(lambda _=False, path=path: self.open(str(path)))
        menu.setToolTipsVisible(True)
        if menu.isEmpty():
            menu.addAction(tr("None yet")).setEnabled(False)

    def _tell_fault(self, line: str) -> None:
        dialogs.show_fault(
            self, tr("The analysis could not go on"), line, self.opener.details
        )

    def _restore(self) -> None:
        saved = self.settings.arrangement("geometry")
        if saved.isEmpty() or not self.restoreGeometry(saved):
            screen = QGuiApplication.primaryScreen().availableGeometry()
            self.resize(QSize(*DEFAULT_SIZE).boundedTo(screen.size()))
        if step := CASCADE * int(os.environ.get(general.WINDOW_NUMBER) or 0):
            self.move(self.x() + step, self.y() + step)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Close what floats over the window at a fixed place."""
        self._notes.hide()
        self.command_palette.hide()
        super().resizeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.say(tr("Drop to open; other files open in windows of their own"))

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the first of the files here, others in windows of their own."""
        paths = [u.toLocalFile() for u in event.mimeData().urls() if u.isLocalFile()]
        if paths:
            event.accept()
            self.open(paths[0])
            general.open_windows(paths[1:])

    def event(self, event: QEvent) -> bool:
        """Check the actions before a key finds them, as the state says."""
        if event.type() == QEvent.Type.ShortcutOverride:
            self.actions_shown.catch_up()
            if isinstance(event, QKeyEvent) and _pages(event):
                event.accept()  # a list's own
                return True
        return super().event(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the arrangement, and end what runs."""
        self.settings.arrange("geometry", self.saveGeometry())
        self.session.update(playing=False)
        if self.sessions is not None:
            self.sessions.keep()
        self.opener.leave()
        self._unseen.stop()
        self._loader.wait()
        if self.workspace is not None:
            self.settings.arrange("panels", self.workspace.kept_arrangement())
            self.settings.keep_text("panel sizes", self.workspace.kept_sizes())
        if self._frame is not None:
            self._frame.panels_changed.disconnect()
            self._frame.close()
            self._frame = None
        super().closeEvent(event)


def _pages(event: QKeyEvent) -> bool:
    """Return whether a key turns the pages of a list or a text."""
    keys, focus = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown), QApplication.focusWidget()
    return event.key() in keys and isinstance(focus, QAbstractScrollArea)


def _come_into_view(widget: QWidget) -> bool:
    """Scroll to a widget; tell whether it is seen then."""
    around = widget.parentWidget()
    while around is not None and not isinstance(around, QScrollArea):
        around = around.parentWidget()
    if isinstance(around, QScrollArea) and not around.visibleRegion().isEmpty():
        around.ensureWidgetVisible(widget)
    return not widget.visibleRegion().isEmpty()
