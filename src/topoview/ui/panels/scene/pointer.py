"""The pointer over the scene: hovering, clicks, and ranks in a box or a lasso."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from topoview.base.text import tr
from topoview.model import Bools, Floats
from topoview.scene.palette import THEMES
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Session
from topoview.ui.panels.scene.overlay.annotations import Hover
from topoview.ui.widgets.theme import translucent

TIP_DELAY_MILLISECONDS = 300
"""Milliseconds until a tip is shown."""


class ScenePointer(QObject):
    """Follows the pointer.

    Parameters
    ----------
    session
        Takes what is selected.
    scene
        What it is over.
    key
        Does what a click on the key means; tells whether the click was there.
    changed
        Called when something else is under the pointer.
    """

    def __init__(
        self,
        session: Session,
        scene: TopologyScene,
        key: Callable[[QPointF, Session], bool],
        changed: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._key = key
        self._session, self._scene, self._changed = session, scene, changed
        self.hover: Hover | None = None
        self._tip = QTimer(self, singleShot=True, interval=TIP_DELAY_MILLISECONDS)
        self._tip.timeout.connect(self._tell)

    def leave(self) -> None:
        """Forget what was under it."""
        self._set(None)

    def click(self, at: QPointF, adds: bool) -> None:
        """Select the rank, messages or edge there, or do what the key says."""
        if self._key(at, self._session):
            return
        under = self._under(at)
        rank = under.rank
        if rank is None:
            self._session.select(edge=under.edge, flow=under.flow)
            return
        chosen = self._session.state.selection.ranks if adds else ()
        other = set(chosen) ^ {rank}
        self._session.select(ranks=tuple(sorted(other)))

    def choose(self, at: QPointF) -> str:
        """Select the rank or edge there, unless it is selected; names it."""
        chosen = self._session.state.selection
        rank = self._scene.pick(at.x(), at.y())
        if rank is not None:
            if rank not in chosen.ranks:
                self._session.select(ranks=(rank,))
            return tr("rank {rank}", rank=rank)
        edge = self._scene.pick_edge(at.x(), at.y())
        if edge is None:
            return ""
        if edge != chosen.edge:
            self._session.select(edge=edge)
        return tr("edge {first}–{second}", first=edge[0], second=edge[1])

    def move(self, at: QPointF) -> None:
        """Find what is there."""
        under = self._under(at)
        self._set(None if under.thing is None else under)

    def _under(self, at: QPointF) -> Hover:
        """Find what is seen there: a rank, messages on their edge, or an edge."""
        x, y = at.x(), at.y()
        rank = self._scene.pick(x, y)
        flow = self._scene.pick_messages(x, y) if rank is None else None
        bare = rank is None and flow is None
        return Hover(x, y, rank, self._scene.pick_edge(x, y) if bare else None, flow)

    def _set(self, hover: Hover | None) -> None:
        old = self.hover
        same = hover is not None and old is not None and hover.thing == old.thing
        if same and old is not None and old.tip:
            return
        if old is None and hover is None:
            return
        self.hover = hover
        self._tip.stop()
        if hover is not None:
            self._tip.start()
        self._changed()

    def _tell(self) -> None:
        if self.hover is not None:
            self.hover = replace(self.hover, tip=True)
            self._changed()


BOX, LASSO = "box", "lasso"


class SceneLasso(QObject):
    """Follows a drag that selects, and selects the ranks in it."""

    changed = Signal()
    """The outline has another shape, or is gone."""

    def __init__(self, session: Session, scene: TopologyScene, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._scene = scene
        self._points: list[QPointF] = []
        self._how = BOX

    @property
    def outline(self) -> QPolygonF:
        """What is being drawn, empty if nothing is."""
        if len(self._points) < 2:
            return QPolygonF()
        if self._how == BOX:
            frame = QRectF(self._points[0], self._points[-1]).normalized()
            return QPolygonF(frame)
        return QPolygonF(self._points)

    def follow(self, how: str, at: QPointF) -> None:
        """Add a point to a drag: ``box`` or ``lasso``."""
        self._how = how
        self._points.append(at)
        self.changed.emit()

    def finish(self) -> None:
        """Select what is inside, with what was selected before."""
        outline = self.outline
        self._points = []
        if not outline.isEmpty() and self._scene.ranks:
            places = self._scene.project(np.arange(self._scene.ranks, dtype=np.int32))
            corners = np.array([[p.x(), p.y()] for p in outline.toList()])
            inside = np.flatnonzero(
                points_inside(places, corners) & self._scene.visible
            )
            chosen = set(self._session.state.selection.ranks) | set(inside.tolist())
            self._session.select(ranks=tuple(sorted(chosen)))
        self.changed.emit()

    def paint(self, painter: QPainter) -> None:
        """Paint the outline."""
        outline = self.outline
        if outline.isEmpty():
            return
        theme = THEMES[self._session.state.theme]
        fill = translucent(theme.accent, 28 / 255)
        painter.setBrush(fill)
        painter.setPen(QPen(QColor(theme.accent), 1.2, Qt.PenStyle.DashLine))
        painter.drawPolygon(outline)


def points_inside(points: Floats, corners: Floats) -> Bools:
    """Return which points lie in a polygon: rays to the right cross it oddly often.

    Parameters
    ----------
    points : float64, shape (n, 2)
    corners : float64, shape (k, 2)
        In order around it; it may cross itself.

    Returns
    -------
    bool, shape (n,)
    """
    result = np.zeros(len(points), bool)
    x, y = points[:, 0], points[:, 1]
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if ay == by:
            continue
        spans = (ay > y) != (by > y)
        result ^= spans & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return result
