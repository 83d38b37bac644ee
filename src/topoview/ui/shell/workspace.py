"""The scene in the middle and the dock panels around it, with their title bars.

This module imports everything heavy (VTK, compiled kernels). The window is shown
before, and a thread imports it meanwhile.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDockWidget,
    QMainWindow,
    QTabBar,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from topoview.live.timeline.rows import possible_row_orders, row_order
from topoview.model import Identification, LogicalTrace
from topoview.scene.camera import Pose
from topoview.session import Session, State
from topoview.ui.actions.general import PANEL_TITLES
from topoview.ui.actions.layout import LAYOUT_TEXTS, all_layouts
from topoview.ui.panels.events import EventsBar, EventsPanel
from topoview.ui.panels.logical.panel import LogicalPanel
from topoview.ui.panels.matrix.panel import MatrixBar, MatrixPanel
from topoview.ui.panels.profile import ProfileBar, ProfilePanel
from topoview.ui.panels.scene.shape_card import ShapeCard
from topoview.ui.panels.scene.view import SceneView, SecondScene
from topoview.ui.panels.scene.view_slots import SECOND_VIEW, default_second_layout
from topoview.ui.panels.timeline.view import TimelineView
from topoview.ui.panels.topology import TopologyPanel
from topoview.ui.widgets.controls import DockBar, IconButton, Segmented
from topoview.ui.widgets.formats import duration_text, name_text, percent_text, plural


class TopologyBar(DockBar):
    """Tells how long the identification took; offers the matches or the reasons."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._pages = Segmented(self)
        self._pages.chosen.connect(lambda name: session.view(why=name == "why"))
        self.add_control(self._pages)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        found = new.analysis.identification if new.analysis else None
        page = "why" if new.view.why else "matches"
        self._pages.offer([("matches", "Matches"), ("why", "Why")], page)
        self._pages.setVisible(found is not None)
        self.tell(f"found in {_short_text(found)}" if found else "")


class LogicalBar(DockBar):
    """Tells what the logical trace leaves out."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        found = new.analysis.logical if new.analysis else None
        if found is None:
            self.tell("")
        else:
            self.tell(_excluded_text(found), "\n".join(found.notes))


class TimelineBar(DockBar):
    """Tells and chooses the order of the rows."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._shown: object = None
        self._orders = Segmented(self)
        self._orders.chosen.connect(lambda name: session.view(order=name))
        self.add_control(self._orders)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        known = new.analysis
        wanted = (
            known.trace if known else None,
            known.identification if known else None,
            new.view.match,
            new.view.order,
            new.selection.ranks if new.view.order == "distance" else (),
        )
        if known is None or wanted == self._shown:
            return
        self._shown = wanted
        names = possible_row_orders(new)
        chosen = new.view.order if new.view.order in names else "rank"
        self._orders.offer([(name, name.capitalize()) for name in names], chosen)
        self._orders.setVisible(len(names) > 1)
        self.tell(name_text(row_order(new).words))


class SecondBar(DockBar):
    """Chooses the layout of the second view of the ranks, and offers its shape.

    Signals
    -------
    shape_asked
        The card about its shape is to be opened or closed.
    """

    shape_asked = Signal()

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._names: list[str] = []
        self.layouts = QComboBox(self)
        self.layouts.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.layouts.setAccessibleName("Layout of the second view")
        self.layouts.activated.connect(
            lambda index: SECOND_VIEW.choose(session, self.layouts.itemData(index))
        )
        self.add_control(self.layouts)
        shape = IconButton("shape", "Shape of the second view: slices, layers, spacing")
        shape.clicked.connect(self.shape_asked)
        self.add_control(shape)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        names = list(all_layouts(new))
        if names != self._names:
            self._names = names
            self.layouts.clear()
            for name in names:
                self.layouts.addItem(LAYOUT_TEXTS[name], name)
        shown = new.view.second or default_second_layout(new)
        self.layouts.setCurrentIndex(max(self.layouts.findData(shown), 0))


def _excluded_text(logical: LogicalTrace) -> str:
    if not logical.statements:
        return ""
    if not logical.calls_excluded and not logical.bytes_excluded:
        return f"{plural(logical.statements, 'statement')}, nothing left out"
    return (
        f"without {percent_text(logical.calls_excluded)} of calls, "
        f"{percent_text(logical.bytes_excluded)} of bytes"
    )


def _short_text(found: Identification) -> str:
    milliseconds = found.seconds * 1e3
    if 1 <= milliseconds < 100:
        return f"{milliseconds:.0f} ms"
    return duration_text(found.seconds)


DIRECT_CHILDREN = Qt.FindChildOption.FindDirectChildrenOnly
MIN_TABS = 2
RIGHT_AREA = Qt.DockWidgetArea.RightDockWidgetArea
SIZE_TOLERANCE = 3
PANEL_SIZES = {1600: (520, 284, 330), 1100: (388, 220, 262), 0: (340, 200, 222)}
"""Width of the workspace from which the panels have certain sizes."""

LEFT_AREA = Qt.DockWidgetArea.LeftDockWidgetArea
BOTTOM_AREA = Qt.DockWidgetArea.BottomDockWidgetArea


@dataclass(frozen=True, slots=True)
class PanelRow:
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
    "topology": PanelRow(TopologyPanel, TopologyBar, RIGHT_AREA),
    "logical": PanelRow(LogicalPanel, LogicalBar, RIGHT_AREA),
    "matrix": PanelRow(MatrixPanel, MatrixBar, RIGHT_AREA, behind="logical"),
    "profile": PanelRow(ProfilePanel, ProfileBar, RIGHT_AREA, behind="logical"),
    "events": PanelRow(EventsPanel, EventsBar, RIGHT_AREA, behind="logical"),
    "timeline": PanelRow(TimelineView, TimelineBar, BOTTOM_AREA),
    "second": PanelRow(SecondScene, SecondBar, LEFT_AREA, first=False),
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
        self.setTabPosition(RIGHT_AREA, QTabWidget.TabPosition.North)
        self.setCorner(Qt.Corner.BottomRightCorner, RIGHT_AREA)
        self.setCorner(Qt.Corner.TopRightCorner, RIGHT_AREA)
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
        bar.float_asked.connect(lambda: _tear_off(dock))
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
        for bar in self.findChildren(QTabBar, options=DIRECT_CHILDREN):
            if bar.count() < MIN_TABS:  # Qt leaves those of before behind
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
            abs(docks["topology"].width() - right) <= SIZE_TOLERANCE
            and abs(docks["timeline"].height() - lower) <= SIZE_TOLERANCE
        )
        super().resizeEvent(event)
        if untouched and self._wanted() != self._asked:
            self._size_docks()

    def _wanted(self) -> tuple[int, int, int]:
        """Width of the right column, height of its upper panel, of the timeline."""
        return next(
            wanted for least, wanted in PANEL_SIZES.items() if self.width() >= least
        )

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


def _tear_off(dock: QDockWidget) -> None:
    """Tear a panel off, or put it back before the others that it is a tab beside."""
    dock.setFloating(not dock.isFloating())
    if not dock.isFloating():
        dock.raise_()
