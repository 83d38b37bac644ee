"""The scene in the middle, the panels around it, and the rail that names them all.

Its frame is light; what is in it imports everything heavy (VTK, SciPy). So
a part is made when it is seen first, once a thread has imported what it needs: those of
`FIRST` in their order, then whatever the user brings to the front.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QByteArray, QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QSizePolicy,
    QToolBar,
    QWidget,
)
from shiboken6 import isValid

from topoview.base.text import json_text, tr
from topoview.errors import TopoviewError
from topoview.model import Table
from topoview.session import Session, State
from topoview.ui.panels import table
from topoview.ui.panels.empty import EventsCover
from topoview.ui.shell.rail import Rail
from topoview.ui.shell.reason_bar import ReasonBar
from topoview.ui.widgets.controls import DockBar, follow
from topoview.ui.widgets.layouts import bare_column, stacked, styled
from topoview.ui.widgets.panel import EmptyView, Panel

if TYPE_CHECKING:
    from topoview.ui.panels.scene.view import SceneView, SecondScene

QUEUED = Qt.ConnectionType.QueuedConnection
MAX_SCENE_SHARE = 0.75
"""Share of the height that the scene has at most unasked, for small ranks of planes."""

MAX_RIGHT_SHARE = 0.34
"""Of the window: what the column on the right leaves to scene and timeline."""

TWO_PANELS_HEIGHT = 780
"""Height of the workspace from which the column holds two panels at first."""

UPPER_HEIGHT = 252
"""Pixels of the upper of two panels at first, where it is that of the topology."""

MAX_COLUMN = 2
"""Panels below each other on the right."""

ARRANGEMENT = 2
"""Version of what Qt writes of the arrangement: others are not taken up."""

SCENE_ONLY, BOTH, TIMELINE_ONLY = "scene", "both", "timeline"

Shares = dict[str, float]
"""Sizes as shares of the workspace: widths of the `right` and the `left` side, heights
of the `timeline` and of the `upper` of two panels."""


class EmptyPlace(QWidget):
    """What is seen in the place of a part until it is there."""

    seen = Signal(str)
    """It is: the part's name."""

    def __init__(self, part: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._part = part
        styled(self, "plain")
        self.setMinimumSize(120, 80)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Signal that it is seen."""
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
    """Scene and panels of an open trace."""

    missing = Signal(str)
    """A part is seen whose module has not been imported: its name."""
    panels_changed = Signal()
    """A panel was opened, closed or torn off."""
    message = Signal(str)
    """What a panel wants the user to know."""
    placement_asked = Signal()
    """The user wants to choose a placement file."""
    fetch_asked = Signal()
    """The user wants the events of what the timeline shows of a digest."""
    menu_asked = Signal(str, object, QPoint)
    """The user wants a panel's context menu: its name, of which `PointedThing`, and
    where on the screen."""

    def __init__(
        self, session: Session, parent: QWidget, *, draws: bool = True
    ) -> None:
        super().__init__(parent)
        self._loaded: set[str] = set()
        self._due = set(table.FIRST)
        """Parts that are seen, but not made."""
        self._draws = draws
        self._session = session
        self.setWindowFlags(Qt.WindowType.Widget)  # its constructor adds Window
        self.setObjectName("workspace")
        self.setCorner(Qt.Corner.BottomRightCorner, table.RIGHT)
        self.setCorner(Qt.Corner.TopRightCorner, table.RIGHT)
        self.setDockOptions(QMainWindow.DockOption.AllowNestedDocks)
        self.scene: SceneView | None = None
        self.reason = ReasonBar(session, self)
        self.reason.list_asked.connect(lambda panel: self.open_panel(panel, shown=True))
        self._centre = QWidget(self)
        self._middle = bare_column(self._centre, self.reason)
        self._empty: QWidget = EmptyPlace(table.SCENE, self)
        self._middle.addWidget(self._empty, 1)
        self.setCentralWidget(self._centre)
        self._scene_shown = True
        self.rail = Rail(session, self)
        """All panels and views by name."""
        self.rail.chosen.connect(self._turn)
        bar = QToolBar(tr("Panels"), self)
        bar.setObjectName("rail")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.addWidget(self.rail)
        if (layout := bar.layout()) is not None:
            layout.setContentsMargins(0, 0, 0, 0)
        self.addToolBar(Qt.ToolBarArea.RightToolBarArea, bar)
        self.used = table.SCENE
        """Name of the panel that was used last, or ``scene``."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._notice)
        self._given = 1
        self._shares: Shares = {}
        self._before: Shares = {}
        self._panels: dict[str, Panel] = {}
        self._docks: dict[str, QDockWidget] = {}
        self._arranging = True  # until `restore`, and while panels follow the state
        self._column: list[str] = []
        """Panels on the right, from top to bottom."""
        self._last = table.COLUMN[-1]
        """The one of them that another one takes the place of."""
        self._unasked = table.COLUMN[-1]
        """What was put there without being asked for; what else is, the user did."""
        for name in table.PANELS:
            self._docks[name] = self._dock(name)
        follow(self, session, self._show_picked, to=("picked",))
        follow(self, session, self._follow_panels, to=("open_panels",))

    def _dock(self, name: str) -> QDockWidget:
        row = table.PANELS[name]
        dock = QDockWidget(row.title, self)
        dock.setObjectName(name)
        place = EmptyPlace(name, dock)
        place.seen.connect(self._see, QUEUED)  # not while it is painted
        dock.setWidget(place)
        dock.setTitleBarWidget(QWidget(dock))
        self.addDockWidget(row.area, dock)
        dock.setVisible(False)
        dock.visibilityChanged.connect(lambda _: self._changed(dock))
        dock.topLevelChanged.connect(lambda _: self._take_place(name))
        dock.dockLocationChanged.connect(lambda _: self._take_place(name))
        return dock

    def fill(self, part: str) -> None:
        """Note that a part's module has been imported; create it if it is seen."""
        self._loaded.add(part)
        if part in self._due:
            self._make(part)

    def _see(self, part: str) -> None:
        """Create a part that is seen first, or ask for what it needs."""
        if not isinstance(self._docks[part].widget(), EmptyPlace):
            return
        if part in self._loaded:
            self._make(part)
        elif part not in self._due:
            self._due.add(part)
            self.missing.emit(part)

    def _make(self, part: str) -> None:
        """Create a part, and show it in its place."""
        self._due.discard(part)
        if part == table.SCENE:
            self._make_scene()
            return
        dock, row = self._docks[part], table.PANELS[part]
        empty, bare = dock.widget(), dock.titleBarWidget()
        if part in table.DRAWN and not self._draws:
            dock.setWidget(_undrawn(dock))
            bar = DockBar(row.title)
        else:
            try:
                if part in table.DRAWN:
                    _require_opengl()
                panel = row.make(self._session, dock)
            except (ImportError, TopoviewError) as error:
                panel = BrokenPanel(self._session, dock, row.title, error)
            self._panels[part] = panel
            panel.setMinimumSize(120, 80)
            if row.events:
                EventsCover(panel, self._session).fetch_asked.connect(self.fetch_asked)
            panel.message.connect(self.message)
            panel.menu_asked.connect(partial(self._ask_menu, part))
            bar = panel.bar(row.title)
            dock.setWidget(panel)
        bar.float_asked.connect(lambda: _tear_off(dock))
        bar.close_asked.connect(lambda: self.open_panel(part, shown=False))
        if part == "timeline":
            bar.takes_double_clicks = True
            bar.doubled.connect(self._turn_timeline)
        dock.setTitleBarWidget(bar)
        for old in (empty, bare):
            old.deleteLater()

    def _make_scene(self) -> None:
        instead: QWidget
        if not self._draws:
            instead = _undrawn(self)
        else:
            try:
                _require_opengl()
                scene = import_module(table.module_of(table.SCENE)).SceneView(
                    self._session, self
                )
            except (ImportError, TopoviewError) as error:
                instead = BrokenPanel(self._session, self, tr("Scene"), error)
            else:
                scene.setMinimumSize(240, 160)
                scene.placement_asked.connect(self.placement_asked)
                scene.menu_asked.connect(partial(self._ask_menu, table.SCENE))

                scene.filled.connect(self._size_docks, QUEUED)
                self.scene = instead = scene
        self._middle.replaceWidget(self._empty, instead)
        instead.setVisible(self._scene_shown)
        self._empty.deleteLater()
        self._empty = instead

    @property
    def first(self) -> str:
        """The part that comes first."""
        return table.FIRST[0]

    @property
    def complete(self) -> bool:
        """Whether all parts that are seen at first are there."""
        return self._due.isdisjoint(table.FIRST)

    def _changed(self, dock: QDockWidget) -> None:
        if dock.isHidden() and dock.widget() is self._panels.get("second"):
            self._session.update(second_active=False)
        self._tell_open()

    def _tell_open(self) -> None:
        """Signal what is open, once what belongs together was opened and closed."""
        if self._arranging:
            return
        self.rail.show_open(self._open_panels())
        self.panels_changed.emit()
        self._session.update(open_panels=self._open_panels())

    def _open_panels(self) -> frozenset[str]:
        there = {name for name, dock in self._docks.items() if not dock.isHidden()}
        return frozenset(there | ({table.SCENE} if self._scene_shown else set()))

    def _follow_panels(self, *_: State) -> None:
        """Open and close panels as undo asks: first close, so that there is room.

        The last of several changes counts: each that is followed is one more.
        """
        there, wanted = self._open_panels(), self._session.state.open_panels
        if self._arranging or there == wanted:
            return
        with self._together():
            for name in sorted(there - wanted):
                self._close(name)
            for name in sorted(wanted - there):
                self._open(name, beside=len(self._column) == 1)

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Signal once what is open after several were opened and closed."""
        if self._arranging:
            yield
            return
        self._arranging = True
        try:
            yield
        finally:
            self._arranging = False
            self._size_docks()
            self._tell_open()

    def arrange(self) -> None:
        """Put all panels where they are at first, in sizes that fit the window."""
        self._shares = {}
        with self._together():
            for name, dock in self._docks.items():
                dock.setFloating(False)
                dock.hide()
                self.addDockWidget(table.PANELS[name].area, dock)
            self._begin()

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
        if saved.isEmpty() or not self.restoreState(saved, ARRANGEMENT):
            self._begin()
        else:
            self._shares = _read_shares(sizes)
            right = [n for n, dock in self._docks.items() if self._is_in_column(dock)]
            self._column = sorted(right, key=lambda name: self._docks[name].y())
        self._due &= self._open_panels()
        self._arranging = False
        self._size_docks()
        self.rail.show_open(self._open_panels())
        self._session.adjust(open_panels=self._open_panels())

    def kept_arrangement(self) -> QByteArray:
        """Write which panels are open and where, for `restore`."""
        return self.saveState(ARRANGEMENT)

    def kept_sizes(self) -> str:
        """Write the sizes that the user gave panels as shares; empty for none."""
        return json_text(self._shares) if self._shares else ""

    def _measured(self) -> Shares:
        """Measure the sides that are there."""
        wide, high = max(self.width(), 1), max(self.height(), 1)
        result = {}
        timeline = self._docks["timeline"]
        if self._scene_shown and not (timeline.isFloating() or timeline.isHidden()):
            result["timeline"] = timeline.height() / high
        if self._column:
            upper = self._docks[self._column[0]]
            result["right"] = upper.width() / wide
            if len(self._column) > 1:
                result["upper"] = upper.height() / high
        if left := self._on_the_left():
            result["left"] = left[0].width() / wide
        return result

    def _on_the_left(self) -> list[QDockWidget]:
        """List the panels that stand left of the scene."""
        return [
            dock
            for name, dock in self._docks.items()
            if table.PANELS[name].half and not (dock.isHidden() or dock.isFloating())
        ]

    def _show_picked(self, old: State, new: State) -> None:
        """Show what was clicked in place of what nobody asked for.

        Not where the user has chosen a panel herself, or has the keyboard.
        """
        at_first = old.analysis is not new.analysis  # nothing was clicked
        if at_first or not new.picked or self.is_open("picked"):
            return
        if self._unasked not in self._column:
            return
        focus = QApplication.focusWidget()
        if focus is None or not self._docks[self._unasked].isAncestorOf(focus):
            self._last = self._unasked
            self._unasked = "picked"
            self.open_panel("picked", shown=True)

    def _begin(self) -> None:
        """Open what is open at first."""
        self._column, self._unasked = [], table.COLUMN[-1]
        two = self.height() >= TWO_PANELS_HEIGHT
        for name in table.COLUMN if two else table.COLUMN[-1:]:
            self._open(name, beside=True)
        self._open("timeline")
        self._open(table.SCENE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the panels' shares of the window; at first what suits its size."""
        super().resizeEvent(event)
        if len(self._docks) == len(table.PANELS):
            self._size_docks()

    def event(self, event: QEvent) -> bool:
        """Note sizes that the user sets: only separators are its own."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self._before = self._measured()
        done = super().event(event)
        if event.type() == QEvent.Type.MouseButtonRelease:
            now = self._measured()
            moved = {
                side: now[side] for side in now if now[side] != self._before.get(side)
            }
            self._shares = {**self._shares, **moved}
        return done

    def _wanted(self) -> int:
        """Which of their sizes the panels should have."""
        return next(
            number
            for number, least in enumerate(table.WINDOW_WIDTHS)
            if self.width() >= least
        )

    def _size_docks(self) -> None:
        """Size the sides: as the user has, else as suits the window."""
        if self._arranging:
            return
        self._given = self._wanted()
        wide, high = self.width(), self.height()
        right = min(table.RIGHT_WIDTHS[self._given], round(MAX_RIGHT_SHARE * wide))
        right = round(self._shares.get("right", right / max(wide, 1)) * wide)
        column = [self._docks[name] for name in self._column]
        self._resize(column, [right] * len(column), Qt.Orientation.Horizontal)
        if len(column) == MAX_COLUMN:
            upper = UPPER_HEIGHT if self._column[0] == table.COLUMN[0] else high // 2
            if "upper" in self._shares:
                upper = round(self._shares["upper"] * high)
            self._resize(column, [upper, high - upper], Qt.Orientation.Vertical)
        timeline = self._docks["timeline"]
        if self._scene_shown and not (timeline.isHidden() or timeline.isFloating()):
            room = high - self.reason.height()
            half = room // 2
            if self.scene is not None:
                most = round(MAX_SCENE_SHARE * room)
                half = room - self.scene.height_for_planes(room - half, most)
            if "timeline" in self._shares:
                half = round(self._shares["timeline"] * high)
            self._resize([timeline], [half], Qt.Orientation.Vertical)
        if "left" in self._shares and (left := self._on_the_left()):
            width = round(self._shares["left"] * wide)
            self._resize(left, [width] * len(left), Qt.Orientation.Horizontal)

    def _resize(
        self, docks: list[QDockWidget], sizes: list[int], way: Qt.Orientation
    ) -> None:
        if docks:
            self.resizeDocks(docks, [max(size, 1) for size in sizes], way)

    @property
    def views(self) -> str:
        """Which of scene and timeline are shown: `SCENE_ONLY`, `BOTH`, ..."""
        if not self.is_open("timeline"):
            return SCENE_ONLY
        return BOTH if self._scene_shown else TIMELINE_ONLY

    def show_views(self, views: str) -> None:
        """Show the scene only, both, or the timeline only."""
        self._docks["timeline"].setFloating(False)
        with self._together():
            if views == TIMELINE_ONLY:
                self._close(table.SCENE)
            else:
                self._open(table.SCENE)
            if views == SCENE_ONLY:
                self._close("timeline")
            else:
                self._open("timeline")

    def _turn_timeline(self) -> None:
        self.show_views(TIMELINE_ONLY if self.views == BOTH else BOTH)

    def _turn(self, name: str, beside: bool) -> None:
        """Open what is named in the rail, or close it."""
        if name in (table.SCENE, "timeline") and self.is_open(name):
            self.show_views(TIMELINE_ONLY if name == table.SCENE else SCENE_ONLY)
            return
        with self._together():
            if self.is_open(name):
                self._close(name)
            else:
                self._open(name, beside=beside)
        self.rail.show_open(self._open_panels())  # also where nothing has changed

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
        """Note which of the two views has had the keyboard last."""
        if focus is None or not isValid(self) or not self.complete:
            return
        in_scene = self.scene is not None and self.scene.isAncestorOf(focus)
        in_second = self.second is not None and self.second.isAncestorOf(focus)
        if in_scene:
            self.used = table.SCENE
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
        """Return whether a panel, or the scene, is open."""
        if name == table.SCENE:
            return self._scene_shown
        return not self._docks[name].isHidden()

    def focus(self, name: str) -> None:
        """Move the keyboard to a panel."""
        self.panel(name).take_keyboard()

    def open_panel(self, name: str, *, shown: bool) -> None:
        """Open or close a panel."""
        with self._together():
            if shown:
                self._open(name)
            else:
                self._close(name)

    def _close(self, name: str) -> None:
        if name == table.SCENE:
            self._show_scene(shown=False)
            if not self.is_open("timeline"):
                self._open("timeline")
            return
        dock, focus = self._docks[name], QApplication.focusWidget()
        if focus is not None and dock.isAncestorOf(focus):
            self.setFocus()  # else keys would go to the first box to type in
        if name in self._column:
            self._column.remove(name)
        if name == "timeline":
            self._show_scene(shown=True)
        dock.hide()

    def _open(self, name: str, *, beside: bool = False) -> None:
        """Open a panel; on the right in the place used last, or `beside` it."""
        if name == table.SCENE:
            self._show_scene(shown=True)
            return
        dock = self._docks[name]
        was_hidden = dock.isHidden()
        docked = table.PANELS[name].area == table.RIGHT and not dock.isFloating()
        if docked and was_hidden:
            self._put_into_column(name, beside=beside)
        self._see(name)
        dock.show()
        dock.raise_()
        if was_hidden and table.PANELS[name].half and not dock.isFloating():
            half = (self._middle.geometry().width() + dock.width()) // 2
            self.resizeDocks([dock], [half], Qt.Orientation.Horizontal)

    def _put_into_column(self, name: str, *, beside: bool) -> None:
        """Put a panel on the right: into the place used last, or the other one."""
        dock, column = self._docks[name], self._column
        if name in column:
            column.remove(name)
        place = column.index(self._last) if self._last in column else len(column) - 1
        if beside and column:
            place = 1 - place
        if not column:
            self.addDockWidget(table.RIGHT, dock)
            column.append(name)
        elif beside and len(column) < MAX_COLUMN:
            self.splitDockWidget(self._docks[column[0]], dock, Qt.Orientation.Vertical)
            column.append(name)
        else:
            before = self._docks[column[place]]
            self.splitDockWidget(before, dock, Qt.Orientation.Vertical)
            column[place] = name
            before.hide()
        self._last = name

    def _is_in_column(self, dock: QDockWidget) -> bool:
        docked = not (dock.isHidden() or dock.isFloating())
        return docked and self.dockWidgetArea(dock) == table.RIGHT

    def _take_place(self, name: str) -> None:
        """Note that the user has torn a panel off, put it back or moved it."""
        dock = self._docks.get(name)
        if dock is None or self._arranging:
            return
        there = self._is_in_column(dock)
        if not there and name in self._column:
            self._column.remove(name)
        elif there and name not in self._column:
            self._column.append(name)
            if len(self._column) > MAX_COLUMN:
                with self._together():
                    self._close(self._column[-2])
            self._last = name
        self._tell_open()

    def _show_scene(self, *, shown: bool) -> None:
        """Show or hide the scene; the line that says why it is shown stays."""
        if shown == self._scene_shown:
            return
        self._scene_shown = shown
        self._empty.setVisible(shown)
        policy = QSizePolicy.Policy
        height = policy.Preferred if shown else policy.Maximum
        self._centre.setSizePolicy(policy.Preferred, height)

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
    """Create what stands in the place of a scene, and says why there is none."""
    result = EmptyView(parent)
    result.tell(tr("No 3D scene"), tr("topoview was started with --no-3d."))
    return result


def _tear_off(dock: QDockWidget) -> None:
    """Tear a panel off, or put it back."""
    dock.setFloating(not dock.isFloating())


def _read_shares(text: str) -> Shares:
    """Read what `Workspace.kept_sizes` wrote; nothing if it is something else."""
    try:
        payload = json.loads(text or "{}")
        return {
            side: float(payload[side])
            for side in ("right", "left", "timeline", "upper")
            if 0 < float(payload.get(side, 0)) <= 1
        }
    except (ValueError, TypeError, AttributeError):
        return {}
