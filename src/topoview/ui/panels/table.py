"""The table of panels. To add one is to write its file and a line here."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from topoview.base.text import tr
from topoview.model import Table
from topoview.session import Picked, Session
from topoview.ui.widgets.controls import DockBar
from topoview.ui.widgets.table import TableView

RIGHT, BOTTOM, LEFT = (
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
    Qt.DockWidgetArea.LeftDockWidgetArea,
)


@dataclass(frozen=True, slots=True)
class PointedThing:
    """What a context menu is about."""

    title: str = ""
    """What it is called; empty: nothing that has a name."""
    own: tuple[tuple[str, Callable[[], object]], ...] = ()
    """Texts of entries that only this place has, and what they do; an empty text is a
    separator."""


class Panel(QWidget):
    """What a dock holds.

    Signals
    -------
    told
        What the user should know.
    menu_asked
        The user wants the context menu: of which `PointedThing`, where on the screen.
    filled
        There is something to see now.
    """

    told = Signal(str)
    menu_asked = Signal(object, QPoint)
    filled = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return DockBar(title)

    def take_keyboard(self) -> None:
        """Take the keyboard, in the field where one types if there is one.

        Not by a focus proxy: Tab that comes to the panel would go back to the field.
        """
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def listing(self) -> Table | None:
        """Return the table that it shows; None if it shows none, or nothing yet."""
        return None

    def offer_menu(
        self, view: TableView, *entries: tuple[str, Callable[[], object]]
    ) -> None:
        """Let a right click on a table ask for the context menu of its row."""

        def ask(at: QPoint) -> None:
            index = view.indexAt(at)
            place, more = index.row(), list(entries)
            if index.isValid():
                more += self._select_entry(view.link(index))
                more.append((tr("Copy lines"), lambda: view.copy([place])))
            title = view.title(place) if index.isValid() else ""
            thing = PointedThing(title, tuple(more))
            self.menu_asked.emit(thing, view.viewport().mapToGlobal(at))

        view.customContextMenuRequested.connect(ask)

    def _select_entry(self, picked: Picked) -> list[tuple[str, Callable[[], object]]]:
        """Return the menu's entry that goes to what a cell names."""
        from topoview.live.picking.picked import changes_to_pick  # loads SciPy

        if not picked:
            return []
        session = self.session
        name, number = tr(picked.kind), picked.number
        return [
            (
                tr("Select {thing} {number}", thing=name, number=number),
                lambda: session.update(**changes_to_pick(session.state, picked)),
            )
        ]

    def paint_at(self, painter: QPainter, size: QSize) -> None:
        """Paint it in another size, for a picture: it is laid out for that size."""
        before = self.size()
        self.resize(size)
        for widget in (self, *self.findChildren(QWidget)):
            layout = widget.layout()
            if layout is not None:
                layout.activate()
        self.render(painter, QPoint())
        self.resize(before)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return True


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A panel: what it is called, what makes it, and where it is at first."""

    title: str
    """What it is called."""
    made_by: str
    """Module in `ui.panels` and class, a `Panel`: imported when it is needed, since the
    window is shown before."""
    area: Qt.DockWidgetArea
    """Side of the scene."""
    heights: tuple[int, int, int] = (0, 0, 0)
    """Pixels in a wide, a usual and a narrow window (`WINDOW_WIDTHS`); 0: the rest of
    its side."""
    behind: str = ""
    """Name of the panel that it is a tab beside, and at first behind; empty: none."""
    first: bool = True
    """Whether it is open at first."""
    half: bool = False
    """Whether it shares the scene's width when it is opened."""
    events: bool = False
    """Whether its numbers need all events, which a digest does not hold."""

    def make(self, session: Session, parent: QWidget) -> Panel:
        """Make the panel."""
        module, name = self.made_by.rsplit(".", 1)
        panel: type[Panel] = getattr(
            import_module(f"topoview.ui.panels.{module}"), name
        )
        return panel(session, parent)


PANELS = {
    "topology": PanelRow(
        tr("Topology"), "topology.TopologyPanel", RIGHT, (284, 220, 200)
    ),
    "logical": PanelRow(tr("Logical trace"), "logical.panel.LogicalPanel", RIGHT),
    "delays": PanelRow(
        tr("Delays"), "lists.delays.DelaysPanel", RIGHT, behind="logical"
    ),
    "picked": PanelRow(
        tr("Selection"), "picked.panel.PickedPanel", RIGHT, behind="logical"
    ),
    "matrix": PanelRow(
        tr("Matrix"), "matrix.panel.MatrixPanel", RIGHT, behind="logical"
    ),
    "profile": PanelRow(
        tr("Profile"), "profile.panel.ProfilePanel", RIGHT, behind="logical"
    ),
    "events": PanelRow(
        tr("Events"), "lists.events.EventsPanel", RIGHT, behind="logical"
    ),
    "find": PanelRow(
        tr("Find"),
        "lists.find.FindPanel",
        RIGHT,
        behind="logical",
        first=False,
        events=True,
    ),
    "iterations": PanelRow(
        tr("Iterations"),
        "iterations.panel.IterationsPanel",
        RIGHT,
        behind="logical",
        first=False,
    ),
    "phases": PanelRow(
        tr("Phases"),
        "lists.phases.PhasesPanel",
        RIGHT,
        behind="logical",
        first=False,
        events=True,
    ),
    "statistics": PanelRow(
        tr("Statistics"),
        "profile.statistics.StatisticsPanel",
        RIGHT,
        behind="logical",
        first=False,
        events=True,
    ),
    "communicators": PanelRow(
        tr("Communicators"),
        "lists.communicators.CommunicatorsPanel",
        RIGHT,
        behind="logical",
        first=False,
        events=True,
    ),
    "bookmarks": PanelRow(
        tr("Bookmarks"),
        "lists.bookmarks.BookmarksPanel",
        RIGHT,
        behind="logical",
        first=False,
    ),
    "timeline": PanelRow(
        tr("Timeline"), "timeline.view.TimelineView", BOTTOM, (330, 262, 222)
    ),
    "network": PanelRow(
        tr("Network"), "network.panel.NetworkPanel", LEFT, first=False, half=True
    ),
    "second": PanelRow(
        tr("Second view"), "scene.view.SecondScene", LEFT, first=False, half=True
    ),
}

WINDOW_WIDTHS = (1600, 1100, 0)
"""Width of the workspace from which panels have their first, second, third size."""

RIGHT_WIDTHS = (520, 388, 340)
"""Widths of the right side."""

SCENE = "scene"
"""The part in the middle, beside the names of panels."""

PARTS = (SCENE, *PANELS)

DRAWN = (SCENE, "second")
"""Parts that OpenGL draws."""

FIRST = ("timeline", SCENE, "topology", "logical")
"""What is seen at first, in the order in which it comes."""


def module_of(part: str) -> str:
    """Name the module that makes a part."""
    made_by = PANELS[part].made_by if part != SCENE else "scene.view.SceneView"
    return f"topoview.ui.panels.{made_by.rpartition('.')[0]}"
