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
    group: str
    """Its group in the rail: a key of `GROUPS`."""
    half: bool = False
    """Whether it shares the scene's width when it is opened."""
    events: bool = False
    """Whether its numbers need all events, which a digest does not hold."""

    def make(self, session: Session, parent: QWidget) -> Panel:
        """Create the panel."""
        module, name = self.made_by.rsplit(".", 1)
        panel: type[Panel] = getattr(
            import_module(f"topoview.ui.panels.{module}"), name
        )
        return panel(session, parent)


GROUPS = {
    "what": (tr("What"), tr("the program is")),
    "where": (tr("Where"), tr("the time goes")),
    "which": (tr("Which"), tr("rank, which call")),
    "views": (tr("Views"), tr("keys 1 2 3")),
}
"""Groups of the rail: the word that is read first, and how it goes on."""

PANELS = {
    "topology": PanelRow(tr("Topology"), "topology.panel.TopologyPanel", RIGHT, "what"),
    "logical": PanelRow(
        tr("Logical trace"), "logical.panel.LogicalPanel", RIGHT, "what"
    ),
    "phases": PanelRow(
        tr("Phases"), "lists.phases.PhasesPanel", RIGHT, "what", events=True
    ),
    "matrix": PanelRow(tr("Matrix"), "matrix.panel.MatrixPanel", RIGHT, "what"),
    "communicators": PanelRow(
        tr("Communicators"),
        "lists.communicators.CommunicatorsPanel",
        RIGHT,
        "what",
        events=True,
    ),
    "network": PanelRow(
        tr("Network"), "network.panel.NetworkPanel", LEFT, "what", half=True
    ),
    "hung": PanelRow(tr("Hung"), "lists.hung.HungPanel", RIGHT, "where"),
    "delays": PanelRow(tr("Delays"), "lists.delays.DelaysPanel", RIGHT, "where"),
    "iterations": PanelRow(
        tr("Iterations"), "iterations.panel.IterationsPanel", RIGHT, "where"
    ),
    "profile": PanelRow(tr("Profile"), "profile.panel.ProfilePanel", RIGHT, "where"),
    "statistics": PanelRow(
        tr("Statistics"),
        "profile.statistics.StatisticsPanel",
        RIGHT,
        "where",
        events=True,
    ),
    "picked": PanelRow(tr("Selection"), "picked.panel.PickedPanel", RIGHT, "which"),
    "find": PanelRow(tr("Find"), "lists.find.FindPanel", RIGHT, "which", events=True),
    "messages": PanelRow(
        tr("Messages"), "lists.messages.MessagesPanel", RIGHT, "which", events=True
    ),
    "events": PanelRow(tr("Events"), "lists.events.EventsPanel", RIGHT, "which"),
    "bookmarks": PanelRow(
        tr("Bookmarks"), "lists.bookmarks.BookmarksPanel", RIGHT, "which"
    ),
    "timeline": PanelRow(tr("Timeline"), "timeline.view.TimelineView", BOTTOM, "views"),
    "second": PanelRow(
        tr("Second view"), "scene.view.SecondScene", LEFT, "views", half=True
    ),
}

COLUMN = ("topology", "logical")
"""What stands in the column on the right at first; the last one where one fits."""

WINDOW_WIDTHS = (1600, 1100, 0)
"""Width of the workspace from which the column has its first, second, third width."""

RIGHT_WIDTHS = (512, 384, 270)
"""Widths of the column on the right."""

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
