"""The scene in the middle and the dock panels around it.

Its frame is light; what is in it imports everything heavy (VTK, SciPy). So
a part is made when it is seen first, once a thread has imported what it needs: those of
`FIRST` in their order, then whatever the user brings to the front.
"""

from __future__ import annotations

import json
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from topoview.base.text import json_text, tr
from topoview.errors import TopoviewError
from topoview.model import Table
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.panels.empty import EventsCover
from topoview.ui.panels.table import (
    DRAWN,
    FIRST,
    PANELS,
    RIGHT,
    RIGHT_WIDTHS,
    SCENE,
    WINDOW_WIDTHS,
    module_of,
)
from topoview.ui.shell.reason_bar import ReasonBar
from topoview.ui.shell.tab_titles import DIRECT_CHILDREN, title_tabs
from topoview.ui.widgets.controls import DockBar, follow
from topoview.ui.widgets.panel import EmptyView, Panel, stacked

if TYPE_CHECKING:
    from topoview.ui.panels.scene.view import SceneView, SecondScene

QUEUED = Qt.ConnectionType.QueuedConnection
MIN_TABS = 2
MAX_RIGHT_SHARE, MAX_HEIGHT_SHARE = 0.34, 0.35
"""Of the window: what the right side and the timeline leave to the scene."""

Shares = dict[str, tuple[float, float]]
"""Width and height of panels as shares of the workspace, by their names."""


class EmptyPlace(QWidget):
    """What is seen in the place of a part until it is there.

    Signals
    -------
    seen
        It is: the part's name.
    """

    seen = Signal(str)

    def __init__(self, part: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._part = part
        self.setObjectName("plain")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumSize(120, 80)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Say that it is seen."""
        super().paintEvent(event)
        self.seen.emit(self._part)


class BrokenPanel(Panel):
    """Says in the place of a panel that what it needs does not work."""

    def __init__(
        self, session: Session, parent: QWidget, title: str, error: Exception
    ) -> None:
        super().__init__(session, parent)
        notice = EmptyView(self)
        notice.tell(
            tr("{panel} cannot be shown", panel=title),
            str(error)
            if isinstance(error, TopoviewError)
            else tr("{error}: install topoview again.", error=error),
        )
        stacked(self, notice)


class Workspace(QMainWindow):
    """Scene and panels of an open trace.

    Attributes
    ----------
    used
        Name of the panel that was used last, or ``scene``.

    Signals
    -------
    panels_changed
        A panel was opened, closed or torn off.
    told
        What a panel wants the user to know.
    placement_asked
        The user wants to choose a placement file.
    fetch_asked
        The user wants the events of what the timeline shows of a digest.
    menu_asked
        The user wants a panel's context menu: its name, of which `PointedThing`, and
        where on the screen.
    missing
        A part is seen whose module has not been imported: its name.
    """

    missing = Signal(str)
    panels_changed = Signal()
    told = Signal(str)
    placement_asked = Signal()
    fetch_asked = Signal()
    menu_asked = Signal(str, object, QPoint)

    def __init__(
        self, session: Session, parent: QWidget, *, draws: bool = True
    ) -> None:
        super().__init__(parent)
        self._loaded: set[str] = set()
        self._due = set(FIRST)
        """Parts that are seen, but not made."""
        self._draws = draws
        self._session = session
        self.setWindowFlags(Qt.WindowType.Widget)  # its constructor adds Window
        self.setObjectName("workspace")
        self.setDocumentMode(True)
        self.setTabPosition(RIGHT, QTabWidget.TabPosition.North)
        self.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        self.setCorner(Qt.Corner.TopRightCorner, RIGHT)
        self.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.AnimatedDocks
        )
        self.scene: SceneView | None = None
        self.reason = ReasonBar(session, self)
        self.reason.list_asked.connect(lambda: self.open_panel("delays", shown=True))
        centre = QWidget(self)
        self._middle = QVBoxLayout(centre)
        self._middle.setContentsMargins(0, 0, 0, 0)
        self._middle.setSpacing(0)
        self._middle.addWidget(self.reason)
        self._empty = EmptyPlace(SCENE, self)
        self._middle.addWidget(self._empty, 1)
        self.setCentralWidget(centre)
        self.used = SCENE
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._notice)
        self._given = 1
        self._shares: Shares = {}
        self._before: Shares = {}
        self._retitle = QTimer(self, singleShot=True, interval=0)
        self._retitle.timeout.connect(self._title_all)
        self._panels: dict[str, Panel] = {}
        self._docks: dict[str, QDockWidget] = {}
        self._arranging = True  # until `restore`, and while panels follow the state
        for name in PANELS:
            self._docks[name] = self._dock(name)
        self._front = PANELS["picked"].behind
        """The tab that was brought to the front; if another one is, the user did it."""
        follow(self, session, self._show_picked, to=("picked",))
        follow(self, session, self._follow_panels, to=("open_panels",))
        follow(self, session, lambda *_: self._retitle.start(), to=("theme",))

    def _dock(self, name: str) -> QDockWidget:
        row = PANELS[name]
        dock = QDockWidget(row.title, self)
        dock.setObjectName(name)
        place = EmptyPlace(name, dock)
        place.seen.connect(self._see, QUEUED)  # not while it is painted
        dock.setWidget(place)
        dock.setTitleBarWidget(QWidget(dock))
        self._place(name, dock)
        dock.setVisible(row.first)
        dock.visibilityChanged.connect(lambda _: self._changed(dock))
        # Qt knows only then which of them are tabs, which have the title already
        for moved in (dock.visibilityChanged, dock.topLevelChanged):
            moved.connect(lambda _: self._title(dock))
            moved.connect(lambda _: self._retitle.start())
        return dock

    def fill(self, part: str) -> None:
        """Take note that a part's module has been imported; make it if it is seen."""
        self._loaded.add(part)
        if part in self._due:
            self._make(part)

    def _see(self, part: str) -> None:
        """Make a part that is seen first, or ask for what it needs."""
        if not isinstance(self._docks[part].widget(), EmptyPlace):
            return
        if part in self._loaded:
            self._make(part)
        elif part not in self._due:
            self._due.add(part)
            self.missing.emit(part)

    def _make(self, part: str) -> None:
        """Make a part, and show it in its place."""
        self._due.discard(part)
        if part == SCENE:
            self._make_scene()
            return
        dock, row = self._docks[part], PANELS[part]
        empty, bare = dock.widget(), dock.titleBarWidget()
        if part in DRAWN and not self._draws:
            dock.setWidget(_undrawn(dock))
            bar = DockBar(row.title)
        else:
            try:
                if part in DRAWN:
                    _require_opengl()
                panel = row.make(self._session, dock)
            except (ImportError, TopoviewError) as error:
                panel = BrokenPanel(self._session, dock, row.title, error)
            self._panels[part] = panel
            panel.setMinimumSize(120, 80)
            if row.events:
                EventsCover(panel, self._session).fetch_asked.connect(self.fetch_asked)
            panel.told.connect(self.told)
            panel.menu_asked.connect(partial(self._ask_menu, part))
            bar = panel.bar(row.title)
            dock.setWidget(panel)
        bar.float_asked.connect(lambda: _tear_off(dock))
        bar.close_asked.connect(lambda: self.open_panel(part, shown=False))
        dock.setTitleBarWidget(bar)
        for old in (empty, bare):
            old.deleteLater()
        self._title(dock)

    def _make_scene(self) -> None:
        instead: QWidget
        if not self._draws:
            instead = _undrawn(self)
        else:
            try:
                _require_opengl()
                scene = import_module(module_of(SCENE)).SceneView(self._session, self)
            except (ImportError, TopoviewError) as error:
                instead = BrokenPanel(self._session, self, tr("Scene"), error)
            else:
                scene.setMinimumSize(240, 160)
                scene.placement_asked.connect(self.placement_asked)
                scene.menu_asked.connect(partial(self._ask_menu, SCENE))
                self.scene = instead = scene
        self._middle.replaceWidget(self._empty, instead)
        self._empty.deleteLater()

    @property
    def first(self) -> str:
        """The part that comes first."""
        return FIRST[0]

    @property
    def complete(self) -> bool:
        """Whether all parts that are seen at first are there."""
        return self._due.isdisjoint(FIRST)

    def _changed(self, dock: QDockWidget) -> None:
        if dock.isHidden() and dock.widget() is self._panels.get("second"):
            self._session.update(second_active=False)
        self.panels_changed.emit()
        if not self._arranging:
            self._session.update(open_panels=self._open_panels())

    def _open_panels(self) -> frozenset[str]:
        return frozenset(n for n, dock in self._docks.items() if not dock.isHidden())

    def _follow_panels(self, _: State, new: State) -> None:
        """Open and close panels as undo asks."""
        if self._arranging:
            return
        self._arranging = True
        try:
            for name in sorted(new.open_panels ^ self._open_panels()):
                self.open_panel(name, shown=name in new.open_panels)
        finally:
            self._arranging = False

    def _title(self, dock: QDockWidget) -> None:
        """Leave the title out where a tab shows it."""
        tabbed = not dock.isFloating() and bool(self.tabifiedDockWidgets(dock))
        bar = dock.titleBarWidget()
        if isinstance(bar, DockBar):
            bar.title.setVisible(not tabbed or not dock.windowTitle())

    def _title_all(self) -> None:
        titles = {name: row.title for name, row in PANELS.items()}
        title_tabs(self, self._docks, titles, THEMES[self._session.state.theme])
        for dock in self._docks.values():
            self._title(dock)
        for bar in self.findChildren(QTabBar, options=DIRECT_CHILDREN):
            bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Title the tabs anew where their room changes."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QTabBar):
            self._retitle.start()
        return super().eventFilter(watched, event)

    def _place(self, name: str, dock: QDockWidget) -> None:
        """Put a panel where it is at first."""
        self.addDockWidget(PANELS[name].area, dock)
        if PANELS[name].behind:
            self.tabifyDockWidget(self._docks[PANELS[name].behind], dock)

    def arrange(self) -> None:
        """Put all panels where they are at first, in sizes that fit the window."""
        self._shares = {}
        for dock in self._docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        for name, dock in self._docks.items():
            self._place(name, dock)
            dock.setVisible(PANELS[name].first)
        for bar in self.findChildren(QTabBar, options=DIRECT_CHILDREN):
            if bar.count() < MIN_TABS:  # Qt leaves those of before behind
                bar.hide()
        self._begin()
        self._retitle.start()

    def restore(self, saved: QByteArray, sizes: str = "") -> None:
        """Put the panels where they were, or leave them where they are at first.

        Parameters
        ----------
        saved
            Which panels are open and where, as Qt has written it.
        sizes
            What `kept_sizes` said: the user's own sizes, in shares of the window.
        """
        self._given = self._wanted()
        if saved.isEmpty() or not self.restoreState(saved):
            self._begin()
        else:
            self._shares = _read_shares(sizes)
            self._size_docks()
            self._retitle.start()
        self._session.adjust(open_panels=self._open_panels())
        self._arranging = False

    def kept_sizes(self) -> str:
        """Write the sizes that the user gave panels as shares; empty for none."""
        return json_text(self._shares) if self._shares else ""

    def _measured(self) -> Shares:
        """Measure open panels: widths of the sides, heights within the window."""
        wide, high = max(self.width(), 1), max(self.height(), 1)
        return {
            name: (dock.width() / wide, dock.height() / high)
            for name, dock in self._docks.items()
            if not dock.isFloating() and not dock.visibleRegion().isEmpty()
        }

    def _show_picked(self, old: State, new: State) -> None:
        """Bring the tab about what was clicked forward, unless the user is elsewhere.

        She is where another tab of its side was chosen, or has the keyboard.
        """
        dock, front = self._docks["picked"], self._docks[self._front]
        at_first = old.analysis is not new.analysis  # nothing was clicked
        if at_first or not new.picked or dock.isHidden():
            return
        if front not in self._tabs_beside(dock):
            return
        focus = QApplication.focusWidget()
        in_front = not front.visibleRegion().isEmpty()
        if in_front and (focus is None or not front.isAncestorOf(focus)):
            dock.raise_()
            self._front = "picked"

    def _tabs_beside(self, dock: QDockWidget) -> list[QDockWidget]:
        return [dock, *self.tabifiedDockWidgets(dock)]

    def _begin(self) -> None:
        """Bring the first of the tabs to the front, and size the panels."""
        for name in {row.behind for row in PANELS.values() if row.behind}:
            self._docks[name].raise_()
        self._front = PANELS["picked"].behind
        self._size_docks()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the panels' shares of the window; at first what suits its size."""
        super().resizeEvent(event)
        if len(self._docks) == len(PANELS):
            self._size_docks()
            self._retitle.start()

    def event(self, event: QEvent) -> bool:
        """Take note of sizes that the user gives: only separators are its own."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self._before = self._measured()
        done = super().event(event)
        if event.type() == QEvent.Type.MouseButtonRelease:
            now = self._measured()
            self._shares = now if now != self._before else self._shares
            self._retitle.start()
        return done

    def _wanted(self) -> int:
        """Which of their sizes the panels should have."""
        return next(
            number
            for number, least in enumerate(WINDOW_WIDTHS)
            if self.width() >= least
        )

    def _heights(self) -> dict[str, int]:
        """Heights that suit panels; in a low window they give way to the scene."""
        most = round(MAX_HEIGHT_SHARE * self.height())
        return {
            name: min(row.heights[self._given], most)
            for name, row in PANELS.items()
            if row.heights[self._given]
        }

    def _column(self) -> list[str]:
        """Panels below each other on the right."""
        return [n for n, row in PANELS.items() if row.area == RIGHT and not row.behind]

    def _size_docks(self) -> None:
        """Size the panels: as the user has, else as suits the window."""
        if self._shares:
            sized = {n: d for n, d in self._docks.items() if n in self._shares}
            for side, (whole, way) in enumerate(
                (
                    (self.width(), Qt.Orientation.Horizontal),
                    (self.height(), Qt.Orientation.Vertical),
                )
            ):
                sizes = [round(self._shares[name][side] * whole) for name in sized]
                self.resizeDocks(list(sized.values()), sizes, way)
            return
        self._given = self._wanted()
        heights, column = self._heights(), self._column()
        docks = [self._docks[name] for name in column]
        right = min(RIGHT_WIDTHS[self._given], round(MAX_RIGHT_SHARE * self.width()))
        widths = [right] * len(docks)
        self.resizeDocks(docks, widths, Qt.Orientation.Horizontal)
        free = [name for name in column if name not in heights]
        taken = sum(heights.get(name, 0) for name in column)
        rest = max(100, (self.height() - taken) // max(len(free), 1))
        down = [heights.get(name, rest) for name in column]
        self.resizeDocks(docks, down, Qt.Orientation.Vertical)
        others = [name for name in heights if name not in column]
        self.resizeDocks(
            [self._docks[name] for name in others],
            [heights[name] for name in others],
            Qt.Orientation.Vertical,
        )

    @property
    def second(self) -> SecondScene | None:
        """The panel of the second view of the ranks; None without a 3D scene."""
        panel = self._panels.get("second")
        return (
            None
            if isinstance(panel, BrokenPanel)
            else cast("SecondScene | None", panel)
        )

    @property
    def active(self) -> SceneView | None:
        """The view of the ranks that was used last; None without a 3D scene."""
        second = None if self.second is None else self.second.view
        return second if self._session.state.second_active and second else self.scene

    def _notice(self, _: QWidget | None, focus: QWidget | None) -> None:
        """Take note of which of the two views has had the keyboard last."""
        if focus is None or not isValid(self) or not self.complete:
            return
        in_scene = self.scene is not None and self.scene.isAncestorOf(focus)
        in_second = self.second is not None and self.second.isAncestorOf(focus)
        if in_scene:
            self.used = SCENE
        for name, panel in self._panels.items():
            if panel is focus or panel.isAncestorOf(focus):
                self.used = name
        if in_second or in_scene:
            self._session.update(second_active=in_second)

    def _ask_menu(self, name: str, thing: object, at: QPoint) -> None:
        self.used = name
        self.menu_asked.emit(name, thing, at)

    def panel(self, name: str) -> Panel:
        """Return the widget of a panel; one that was never seen is made."""
        if name not in self._panels:
            self._make(name)
        return self._panels[name]

    def listing(self) -> Table | None:
        """Return the table of the panel that was used last; None if it has none."""
        panel = self._panels.get(self.used)
        return None if panel is None else panel.listing()

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        seen = [panel for panel in self._panels.values() if panel.isVisible()]
        busy = self.scene is not None and self.scene.busy
        return not self._due and not busy and all(panel.settled for panel in seen)

    def is_open(self, name: str) -> bool:
        """Tell whether a panel is open (it may be behind another tab)."""
        return not self._docks[name].isHidden()

    def focus(self, name: str) -> None:
        """Give a panel the keyboard."""
        self.panel(name).take_keyboard()

    def open_panel(self, name: str, *, shown: bool) -> None:
        """Open or close a panel."""
        dock, focus = self._docks[name], QApplication.focusWidget()
        if shown:
            self._see(name)
        elif focus is not None and dock.isAncestorOf(focus):
            self.setFocus()  # else keys would go to the first box to type in
        dock.setVisible(shown)
        if shown:
            dock.raise_()
        if shown and PANELS[name].half and not dock.isFloating():
            half = (self._middle.geometry().width() + dock.width()) // 2
            self.resizeDocks([dock], [half], Qt.Orientation.Horizontal)
        self.panels_changed.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Close the views of the ranks, which end threads and VTK's windows."""
        for view in (self.scene, self.second):
            if view is not None:
                view.close()
        super().closeEvent(event)


def _require_opengl() -> None:
    """Refuse a scene before it is half made, where it could not be drawn."""
    from topoview.ui.panels.scene.plotter import require_opengl

    require_opengl()


def _undrawn(parent: QWidget) -> EmptyView:
    """Say in the place of a scene that there is none, and why."""
    result = EmptyView(parent)
    result.tell(tr("No 3D scene"), tr("topoview was started with --no-3d."))
    return result


def _tear_off(dock: QDockWidget) -> None:
    """Tear a panel off, or put it back before the others that it is a tab beside."""
    dock.setFloating(not dock.isFloating())
    if not dock.isFloating():
        dock.raise_()


def _read_shares(text: str) -> Shares:
    """Read what `Workspace.kept_sizes` wrote; nothing if it is something else."""
    try:
        payload = json.loads(text or "{}")
        return {
            str(name): (float(wide), float(high))
            for name, (wide, high) in payload.items()
            if name in PANELS and 0 < float(wide) <= 1 and 0 < float(high) <= 1
        }
    except (ValueError, TypeError, AttributeError):
        return {}
