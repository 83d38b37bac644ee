"""The critical path in the timeline: a line of ink along the rows that it is on."""

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from topoview.live.timeline.rows import RowBands
from topoview.live.waits.critical_path import PathWithin, path_within
from topoview.scene.palette import Theme
from topoview.session import State
from topoview.ui.panels.timeline.frame import TimelineFrame

PATH_WIDTH, HALO_WIDTH = 2.0, 4.0
"""Pixels of the line, and of the background around it."""

STEPS_PER_PIXEL = 2
"""Jumps that are drawn within a pixel at most: more are not told apart."""


def shown_path(state: State, frame: TimelineFrame) -> PathWithin | None:
    """Find the critical path that a timeline shows; None if it is not asked for."""
    analysis = state.analysis
    if analysis is None or analysis.critical_path is None or not state.scene.path:
        return None
    begin, end = frame.window
    least = (end - begin) / max(frame.columns * STEPS_PER_PIXEL, 1)
    return path_within(analysis.critical_path, frame.window).thinned(least)


def paint_path(
    painter: QPainter,
    frame: TimelineFrame,
    theme: Theme,
    bands: RowBands,
    path: PathWithin | None,
) -> None:
    """Paint it over the rows, with a jump wherever it goes on with another rank."""
    if path is None or not len(path.rank):
        return
    main = np.flatnonzero(bands.rows == bands.rank)
    middle = np.full(int(max(bands.rank.max(), path.rank.max())) + 1, np.nan)
    middle[bands.rank[main]] = (bands.top[main] + bands.bottom[main]) / 2
    line = QPolygonF()
    columns = path.rank.tolist(), path.begin.tolist(), path.end.tolist()
    for rank, begin, end in zip(*columns, strict=True):
        if not np.isnan(middle[rank]):
            y = frame.y(float(middle[rank]))
            line.append(QPointF(frame.x(begin), y))
            line.append(QPointF(frame.x(end), y))
    painter.save()
    painter.setClipRect(frame.rows)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for colour, width in ((theme.panel, HALO_WIDTH), (theme.ink, PATH_WIDTH)):
        pen = QPen(QColor(colour), width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(line)
    painter.restore()
