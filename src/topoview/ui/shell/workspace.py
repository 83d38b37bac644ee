"""The scene in the middle and the dock panels around it.

Making it imports everything heavy (VTK, compiled kernels). The window is shown
before, and a thread imports it meanwhile.
"""

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from topoview.session import Session, State
from topoview.ui.panels.scene.view import SceneView, SecondScene
from topoview.ui.panels.table import (
    PANELS,
    RIGHT,
    RIGHT_WIDTHS,
    WINDOW_WIDTHS,
    Panel,
)
from topoview.ui.widgets.controls import DockBar

DIRECT_CHILDREN = Qt.FindChildOption.FindDirectChildrenOnly
MIN_TABS = 2
SIZE_TOLERANCE = 3
"""Pixels by which a panel may differ from the size that it was given."""


class Workspace(QMainWindow):
    """Scene and panels of an open trace.

    Signals
    -------
    panels_changed
        A panel was opened, closed or torn off.
    told
        What a panel wants the user to know.
    placement_asked
        The user wants to choose a placement file.
    """

    panels_changed = Signal()
    told = Signal(str)
    placement_asked = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
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
        self.scene = SceneView(session, self)
        self.scene.setMinimumSize(240, 160)
        self.setCentralWidget(self.scene)
        self.scene.placement_asked.connect(self.placement_asked)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._notice)
        self._given = 1
        self._panels: dict[str, Panel] = {}
        self._docks: dict[str, QDockWidget] = {}
        for name in PANELS:
            self._docks[name] = self._dock(name)
        self._front = PANELS["picked"].behind
        """The tab that was brought to the front; if another one is, the user did it."""
        session.subscribe(self._show_picked, to=("picked",))

    def _dock(self, name: str) -> QDockWidget:
        row = PANELS[name]
        dock = QDockWidget(row.title, self)
        dock.setObjectName(name)
        self._panels[name] = panel = row.make(self._session, dock)
        panel.setMinimumSize(120, 80)
        panel.told.connect(self.told)
        dock.setWidget(panel)
        bar = panel.bar(row.title)
        bar.float_asked.connect(lambda: _tear_off(dock))
        bar.close_asked.connect(lambda: self.open_panel(name, shown=False))
        dock.setTitleBarWidget(bar)
        self._place(name, dock)
        dock.setVisible(row.first)
        dock.visibilityChanged.connect(lambda _: self._changed(dock))
        # a tab has the title already
        for moved in (dock.visibilityChanged, dock.topLevelChanged):
            moved.connect(lambda _: self._title(dock, bar))
        return dock

    def _changed(self, dock: QDockWidget) -> None:
        if dock.isHidden() and dock.widget() is self.second:
            self._session.update(second_active=False)
        self.panels_changed.emit()

    def _title(self, dock: QDockWidget, bar: DockBar) -> None:
        """Leave the title out where a tab shows it."""
        tabbed = not dock.isFloating() and bool(self.tabifiedDockWidgets(dock))
        bar.title.setVisible(not tabbed)

    def _place(self, name: str, dock: QDockWidget) -> None:
        """Put a panel where it is at first."""
        self.addDockWidget(PANELS[name].area, dock)
        if PANELS[name].behind:
            self.tabifyDockWidget(self._docks[PANELS[name].behind], dock)

    def arrange(self) -> None:
        """Put all panels where they are at first, in sizes that fit the window."""
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

    def restore(self, saved: QByteArray) -> None:
        """Put the panels where they were, or leave them where they are at first."""
        self._given = self._wanted()
        if saved.isEmpty() or not self.restoreState(saved):
            self._begin()

    def _show_picked(self, _: State, new: State) -> None:
        """Bring the tab about what was clicked forward, unless the user is elsewhere.

        She is where another tab of its side was chosen, or has the keyboard.
        """
        dock, front = self._docks["picked"], self._docks[self._front]
        if not new.picked or dock.isHidden() or front not in self._tabs_beside(dock):
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

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Give panels that the user has not resized what suits the new size."""
        untouched = len(self._docks) == len(PANELS) and self._has_given_sizes()
        super().resizeEvent(event)
        if untouched and self._wanted() != self._given:
            self._size_docks()

    def _wanted(self) -> int:
        """Which of their sizes the panels should have."""
        return next(
            number
            for number, least in enumerate(WINDOW_WIDTHS)
            if self.width() >= least
        )

    def _heights(self) -> dict[str, int]:
        """Heights that panels were given."""
        return {
            name: row.heights[self._given]
            for name, row in PANELS.items()
            if row.heights[self._given]
        }

    def _column(self) -> list[str]:
        """Panels below each other on the right."""
        return [n for n, row in PANELS.items() if row.area == RIGHT and not row.behind]

    def _has_given_sizes(self) -> bool:
        """Tell whether the user has left the panels as they were."""
        docks, right = self._docks, RIGHT_WIDTHS[self._given]
        column = self._column()
        sizes = [(docks[name].width(), right) for name in column[:1]]
        sizes += [
            (docks[name].height(), height)
            for name, height in self._heights().items()
            if name not in column
        ]
        return all(abs(now - given) <= SIZE_TOLERANCE for now, given in sizes)

    def _size_docks(self) -> None:
        self._given = self._wanted()
        heights, column = self._heights(), self._column()
        docks = [self._docks[name] for name in column]
        widths = [RIGHT_WIDTHS[self._given]] * len(docks)
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
    def second(self) -> SecondScene:
        """The panel of the second view of the ranks."""
        return next(p for p in self._panels.values() if isinstance(p, SecondScene))

    @property
    def active(self) -> SceneView:
        """The view of the ranks that was used last."""
        second = self.second.view
        return second if self._session.state.second_active and second else self.scene

    def _notice(self, _: QWidget | None, focus: QWidget | None) -> None:
        """Take note of which of the two views has had the keyboard last."""
        if focus is None or not isValid(self):
            return
        in_second = self.second.isAncestorOf(focus)
        if in_second or self.scene.isAncestorOf(focus):
            self._session.update(second_active=in_second)

    def panel(self, name: str) -> Panel:
        """Return the widget of a panel."""
        return self._panels[name]

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        seen = [panel for panel in self._panels.values() if panel.isVisible()]
        return not self.scene.busy and all(panel.settled for panel in seen)

    def is_open(self, name: str) -> bool:
        """Tell whether a panel is open (it may be behind another tab)."""
        return not self._docks[name].isHidden()

    def focus(self, name: str) -> None:
        """Give a panel the keyboard."""
        self._panels[name].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_panel(self, name: str, *, shown: bool) -> None:
        """Open or close a panel."""
        dock, focus = self._docks[name], QApplication.focusWidget()
        if not shown and focus is not None and dock.isAncestorOf(focus):
            self.setFocus()  # else keys would go to the first box to type in
        dock.setVisible(shown)
        if shown:
            dock.raise_()
        if shown and PANELS[name].half and not dock.isFloating():
            half = (self.scene.width() + dock.width()) // 2
            self.resizeDocks([dock], [half], Qt.Orientation.Horizontal)
        self.panels_changed.emit()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802 - Qt's name
        """Close the views of the ranks, which end threads and VTK's windows."""
        self.scene.close()
        self.second.close()
        super().closeEvent(event)


def _tear_off(dock: QDockWidget) -> None:
    """Tear a panel off, or put it back before the others that it is a tab beside."""
    dock.setFloating(not dock.isFloating())
    if not dock.isFloating():
        dock.raise_()
