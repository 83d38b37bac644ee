"""Selecting ranks in the scene with a box or a lasso."""

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from topoview.model import Bools, Floats
from topoview.scene.palette import THEMES
from topoview.scene.topology_scene import TopologyScene
from topoview.session import Session

BOX, LASSO = "box", "lasso"


class SceneLasso(QObject):
    """Follows a drag that selects, and selects the ranks in it.

    Signals
    -------
    changed
        The outline has another shape, or is gone.
    """

    changed = Signal()

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
        """Take another point of a drag: ``box`` or ``lasso``."""
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
            found = np.flatnonzero(points_inside(places, corners) & self._scene.visible)
            chosen = set(self._session.state.selection.ranks) | set(found.tolist())
            self._session.select(ranks=tuple(sorted(chosen)))
        self.changed.emit()

    def paint(self, painter: QPainter) -> None:
        """Paint the outline."""
        outline = self.outline
        if outline.isEmpty():
            return
        theme = THEMES[self._session.state.theme]
        fill = QColor(theme.accent)
        fill.setAlpha(28)
        painter.setBrush(fill)
        painter.setPen(QPen(QColor(theme.accent), 1.2, Qt.PenStyle.DashLine))
        painter.drawPolygon(outline)


def points_inside(points: Floats, corners: Floats) -> Bools:
    """Tell which points lie in a polygon: rays to the right cross it oddly often.

    Parameters
    ----------
    points : float64, shape (n, 2)
    corners : float64, shape (k, 2)
        In order around it; it may cross itself.

    Returns
    -------
    bool, shape (n,)
    """
    found = np.zeros(len(points), bool)
    x, y = points[:, 0], points[:, 1]
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if ay == by:
            continue
        spans = (ay > y) != (by > y)
        found ^= spans & (x < ax + (y - ay) * (bx - ax) / (by - ay))
    return found
