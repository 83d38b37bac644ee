"""A flat map of a torus, beside it in a figure: which rank is where, and the front."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from topoview.base.text import tr
from topoview.live.waits.delays import shown_front
from topoview.model import Bools, Ints
from topoview.scene.annotations import LegendLine
from topoview.scene.axes.flat_map import ranks_of_map
from topoview.scene.axes.plane_faces import PlaneFace, borders
from topoview.scene.palette import THEMES, Theme
from topoview.session import State
from topoview.ui.panels.scene.content import SceneContent
from topoview.ui.panels.scene.moment import SceneMoment
from topoview.ui.widgets.theme import font, letter, set_shape, text_width

MAP_SHARE = 0.45
"""Share of a figure's width that the map takes."""

NAMES_ROOM = 18.0
"""Pixels above and beside the cells for the names of axes."""

LEAST_CELL, NUMBER_PIXELS = 8.0, 8
"""Pixels of a rank, at least, and of the numbers in cells."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatMap:
    """Cells of a torus of two dimensions, the longer one across."""

    ranks: Ints
    """int64, shape (rows, columns): -1 for none."""
    names: tuple[str, str]
    """What runs across and down."""

    def height(self, width: float) -> float:
        """Pixels that it takes with its names in a width."""
        rows: int = self.ranks.shape[0]
        return NAMES_ROOM + rows * self.cell(width)

    def cell(self, width: float) -> float:
        """Pixels of a rank in a width: whole ones."""
        return float((width - NAMES_ROOM) // self.ranks.shape[1])


def flat_map(content: SceneContent, width: float, middle: int) -> FlatMap | None:
    """Find the map of what is bent to a torus or tube; None of other layouts.

    Parameters
    ----------
    width
        Pixels that it may take.
    middle
        The rank that is in its middle along axes that wrap; below 0 for none.
    """
    mapped = ranks_of_map(content.match, content.layout, middle)
    if mapped is None:
        return None
    (ranks, turned), topology = mapped, content.match.topology
    ways = (*content.layout.directions, "", "")[:2]
    words = [
        " ".join(filter(None, (axis, way if way != axis else "")))
        + f", {extent}"
        + (tr(", periodic") if wraps else "")
        for axis, way, extent, wraps in zip(
            topology.axes, ways, topology.dims, topology.periodic, strict=True
        )
    ]
    result = FlatMap(ranks, (words[0], words[1]) if turned else (words[1], words[0]))
    return result if result.cell(width) >= LEAST_CELL else None


def map_legends(
    state: State, legends: tuple[LegendLine, ...]
) -> tuple[LegendLine, ...]:
    """Explain the lines on a map beside those in the scene."""
    if shown_front(state) is None:
        return legends
    front = LegendLine("extra", tr("front of the delay"), 2.0)
    others = (line for line in legends if not line.text.startswith(front.text))
    return (*others, front, LegendLine("end", tr("end of the wait"), 2.0))


def paint_flat_map(
    painter: QPainter,
    state: State,
    shown: SceneMoment,
    which: FlatMap,
    width: float,
) -> None:
    """Paint a map into a width, from the painter's origin on."""
    theme, cell = THEMES[state.theme], which.cell(width)
    rows, columns = which.ranks.shape
    face = PlaneFace(
        axis=0,
        corner=np.array([NAMES_ROOM, NAMES_ROOM]),
        across=np.array([cell, 0.0]),
        down=np.array([0.0, cell]),
        ranks=which.ranks,
    )
    _paint_names(painter, theme, which, cell)
    shading, numbers = shown.shading, font(NUMBER_PIXELS)
    longest = text_width(str(which.ranks.max()), NUMBER_PIXELS)
    for row, column in np.ndindex(rows, columns):
        rank = int(which.ranks[row, column])
        if rank < 0:
            continue
        x, y = face.pixels(np.array([column, row], np.float64)).tolist()
        box = QRectF(x, y, cell - 1, cell - 1)
        painter.fillRect(box, QColor(shading.palette.colours[shading.codes[rank]]))
        if longest + 2 <= cell:
            letter(painter, numbers, theme.ink)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(rank))
    _paint_fronts(painter, state, face, shown.now.ticks)
    set_shape(painter, edge=theme.ink, width=2.0)
    for rank in state.selection.ranks:
        for corners in (face.cell_of(rank),) if rank in which.ranks else ():
            left, top = corners[0].tolist()
            painter.drawRect(QRectF(left - 0.5, top - 0.5, cell, cell))


def _paint_names(painter: QPainter, theme: Theme, which: FlatMap, cell: float) -> None:
    rows, columns = which.ranks.shape
    letter(painter, font(11), theme.text2)
    across, down = which.names
    x = NAMES_ROOM + (columns * cell - text_width(across, 11)) / 2
    painter.drawText(QPointF(max(x, 0.0), NAMES_ROOM - 6), across)
    if text_width(down, 11) > rows * cell:  # the extent is seen
        down = down.split(",")[0]
    painter.save()
    painter.translate(NAMES_ROOM - 6, NAMES_ROOM + rows * cell / 2)
    painter.rotate(-90)
    painter.drawText(QPointF(-text_width(down, 11) / 2, 0), down)
    painter.restore()


def _paint_fronts(painter: QPainter, state: State, face: PlaneFace, ticks: int) -> None:
    """Paint the front of a delay, and the end of its wait, between ranks."""
    front, theme = shown_front(state), THEMES[state.theme]
    if front is None:
        return
    reached = np.zeros(len(front.arrival), np.bool_)
    reached[front.reached(ticks)] = True
    left: Bools = (front.end >= 0) & (front.end <= ticks)
    left[front.rank] = left.any()
    here = face.ranks[None]
    for inside, dashed in ((left, True), (reached, False)):
        edges = borders(inside[here], here >= 0).pixels((face,))
        lines = [QLineF(*edge) for edge in (edges - 0.5).reshape(-1, 4).tolist()]
        for colour, wide in ((theme.panel, 3.0), (theme.ink, 1.6)):
            pen = QPen(QColor(colour), wide)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            if dashed and wide < 2:
                pen.setDashPattern([2, 2])
            painter.setPen(pen)
            painter.drawLines(lines)
