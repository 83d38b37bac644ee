"""The table of panels. To add one is to write its file and a line here."""

from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from topoview.base.text import tr
from topoview.session import Session
from topoview.ui.widgets.panel import Panel

RIGHT, BOTTOM, LEFT = (
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
    Qt.DockWidgetArea.LeftDockWidgetArea,
)


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
    "hung": PanelRow(tr("Hung"), "lists.hung.HungPanel", RIGHT, first=False),
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
