"""The scene in the middle and the panels around it, which can be torn off.

This module imports everything heavy (VTK, compiled kernels). The window is
shown before, and a thread imports it meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from topoview.scene.camera import Pose
from topoview.session import Session
from topoview.ui.commands import PANEL_TITLES
from topoview.ui.dock_bars import LogicalBar, SecondBar, TimelineBar, TopologyBar
from topoview.ui.events_panel import EventsBar, EventsPanel
from topoview.ui.logical.panel import LogicalPanel
from topoview.ui.matrix.panel import MatrixBar, MatrixPanel
from topoview.ui.profile.panel import ProfileBar, ProfilePanel
from topoview.ui.scene.second import SecondScene
from topoview.ui.scene.view import SceneView
from topoview.ui.shape.card import ShapeCard
from topoview.ui.timeline.view import TimelineView
from topoview.ui.topology_panel import TopologyPanel
from topoview.ui.widgets import DockBar

DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
FEWEST_TABS = 2
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
SLACK = 3
SIZES = {1600: (520, 284, 330), 1100: (388, 220, 262), 0: (340, 200, 222)}
"""Width of the workspace from which the panels have certain sizes."""

LEFT = Qt.DockWidgetArea.LeftDockWidgetArea
BELOW = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: its widget, its title bar, where it is, and if it is so at first.

    Attributes
    ----------
    behind
        Name of the panel that it is a tab beside, and at first behind; empty: none.
    first
        Whether it is open at first.
    """

    make: Callable[[Session, QWidget], QWidget]
    bar: Callable[[Session, str], DockBar]
    area: Qt.DockWidgetArea
    behind: str = ""
    first: bool = True


PANELS = {
    "topology": Panel(TopologyPanel, TopologyBar, RIGHT),
    "logical": Panel(LogicalPanel, LogicalBar, RIGHT),
    "matrix": Panel(MatrixPanel, MatrixBar, RIGHT, behind="logical"),
    "profile": Panel(ProfilePanel, ProfileBar, RIGHT, behind="logical"),
    "events": Panel(EventsPanel, EventsBar, RIGHT, behind="logical"),
    "timeline": Panel(TimelineView, TimelineBar, BELOW),
    "second": Panel(SecondScene, SecondBar, LEFT, first=False),
}


class Workspace(QMainWindow):
    """Scene and panels of an open trace.

    Attributes
    ----------
    camera_path
        Poses at times (ticks) that films of this trace follow.

    Signals
    -------
    panels_changed
        A panel was opened, closed or torn off.
    """

    panels_changed = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
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
        self.shape = ShapeCard(session, self.scene)
        self._second_used = False
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._notice)
        self.camera_path: tuple[tuple[int, Pose], ...] = ()
        self._asked = (0, 0, 0)
        self._docks: dict[str, QDockWidget] = {}
        for name in PANELS:
            self._docks[name] = self._dock(name, session)

    def _dock(self, name: str, session: Session) -> QDockWidget:
        panel = PANELS[name]
        dock = QDockWidget(PANEL_TITLES[name], self)
        dock.setObjectName(name)
        widget = panel.make(session, dock)
        widget.setMinimumSize(120, 80)
        dock.setWidget(widget)
        bar = panel.bar(session, PANEL_TITLES[name])
        bar.float_asked.connect(lambda: _tear(dock))
        bar.close_asked.connect(lambda: self.open_panel(name, shown=False))
        if isinstance(bar, SecondBar) and isinstance(widget, SecondScene):
            bar.shape_asked.connect(widget.toggle_shape)
        dock.setTitleBarWidget(bar)
        self._place(name, dock)
        dock.setVisible(panel.first)
        dock.visibilityChanged.connect(lambda _: self.panels_changed.emit())
        # a tab has the title already
        for moved in (dock.visibilityChanged, dock.topLevelChanged):
            moved.connect(lambda _: self._title(dock, bar))
        return dock

    def _title(self, dock: QDockWidget, bar: DockBar) -> None:
        """Leave the title out where a tab tells it."""
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
        for bar in self.findChildren(QTabBar, options=DIRECT):
            if bar.count() < FEWEST_TABS:  # Qt leaves those of before behind
                bar.hide()
        self._begin()

    def restore(self, saved: QByteArray) -> None:
        """Put the panels where they were, or leave them where they are at first."""
        self._asked = self._wanted()
        if saved.isEmpty() or not self.restoreState(saved):
            self._begin()

    def _begin(self) -> None:
        """Bring the first of the tabs to the front, and size the panels."""
        for name in {panel.behind for panel in PANELS.values() if panel.behind}:
            self._docks[name].raise_()
        self._size_docks()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Give panels that the user has not resized what suits the new size."""
        if len(self._docks) < len(PANELS):
            super().resizeEvent(event)
            return
        docks, (right, _, lower) = self._docks, self._asked
        untouched = (
            abs(docks["topology"].width() - right) <= SLACK
            and abs(docks["timeline"].height() - lower) <= SLACK
        )
        super().resizeEvent(event)
        if untouched and self._wanted() != self._asked:
            self._size_docks()

    def _wanted(self) -> tuple[int, int, int]:
        """Width of the right column, height of its upper panel, of the timeline."""
        return next(wanted for least, wanted in SIZES.items() if self.width() >= least)

    def _size_docks(self) -> None:
        self._asked = right, upper, lower = self._wanted()
        docks = self._docks
        beside = [docks["topology"], docks["logical"]]
        self.resizeDocks(beside, [right, right], Qt.Orientation.Horizontal)
        rest = max(100, self.height() - upper)
        self.resizeDocks(beside, [upper, rest], Qt.Orientation.Vertical)
        self.resizeDocks([docks["timeline"]], [lower], Qt.Orientation.Vertical)

    @property
    def active(self) -> SceneView:
        """The view of the ranks that was used last: the first unless the second."""
        second: SceneView | None = self.panel("second").view
        if self._second_used and second is not None and self.is_open("second"):
            return second
        return self.scene

    @property
    def active_shape(self) -> ShapeCard:
        """The card about its shape."""
        first = self.active is self.scene
        card: ShapeCard = self.shape if first else self.panel("second").shape
        return card

    def _notice(self, _: QWidget | None, focus: QWidget | None) -> None:
        """Remember which of the two views has had the keyboard last."""
        if focus is None or not isValid(self):
            return
        in_second = self.panel("second").isAncestorOf(focus)
        if in_second or self.scene.isAncestorOf(focus):
            changed = in_second != self._second_used
            self._second_used = in_second
            if changed:
                self.panels_changed.emit()  # menus tell what it shows

    def panel(self, name: str) -> Any:  # noqa: ANN401 - each has its own class
        """Return the widget of a panel."""
        return self._docks[name].widget()

    def is_open(self, name: str) -> bool:
        """Tell whether a panel is open (it may be behind another tab)."""
        return not self._docks[name].isHidden()

    def open_panel(self, name: str, *, shown: bool) -> None:
        """Open or close a panel."""
        focus = QApplication.focusWidget()
        if not shown and focus is not None and self._docks[name].isAncestorOf(focus):
            self.setFocus()  # else keys would go to the first box to type in
        self._docks[name].setVisible(shown)
        if shown:
            self._docks[name].raise_()
        if shown and name == "second" and not self._docks[name].isFloating():
            half = (self.scene.width() + self._docks[name].width()) // 2
            self.resizeDocks([self._docks[name]], [half], Qt.Orientation.Horizontal)
        self.panels_changed.emit()


def _tear(dock: QDockWidget) -> None:
    """Tear a panel off, or put it back before the others that it is a tab beside."""
    dock.setFloating(not dock.isFloating())
    if not dock.isFloating():
        dock.raise_()
