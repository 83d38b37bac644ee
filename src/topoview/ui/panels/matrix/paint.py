"""Paints the matrix: cells, groups of ranks, what is selected, and the legend below."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPen, QPolygonF

from topoview.base.text import (
    duration_text,
    grouped,
    plural,
    plural_noun,
    size_text,
    tr,
    write,
)
from topoview.model import Ints
from topoview.scene.flat.matrix_pixels import ABSENT, MatrixExtract
from topoview.scene.palette import THEMES, Theme, map_colours
from topoview.ui.panels.matrix.content import MatrixPicture, each_text
from topoview.ui.panels.matrix.frame import (
    BOTTOM_MARGIN,
    LEFT_MARGIN,
    TOP_MARGIN,
    MatrixFrame,
)
from topoview.ui.widgets.controls import paint_rubber
from topoview.ui.widgets.theme import CENTRE, LEFT, RIGHT, font, set_shape

SCALE_WIDTH = 84
"""Pixels of the key's colours."""


LEGEND_TEXTS: dict[str, Callable[[float], str]] = {
    "calls": lambda number: grouped(round(number)),
    "bytes": size_text,
    "calls/s": lambda number: write(number, "/s"),
    "bytes/s": lambda number: f"{size_text(number)}/s",
    "mean": lambda number: size_text(round(number)),
    "wait": duration_text,
}
"""How the numbers of each unit are written."""


def paint_legend(
    painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme
) -> None:
    """Paint what the colours are, and how many pairs the topology does not have."""
    unit, text = picture.request.unit, LEGEND_TEXTS[picture.request.unit]
    shown, y = picture.cells, frame.area.bottom() + BOTTOM_MARGIN / 2 - 9
    x = frame.area.left()
    painter.setFont(font(12))
    metrics = painter.fontMetrics()
    if not (shown.values != ABSENT).any():
        painter.setPen(QColor(theme.text2))
        painter.drawText(QRectF(x, y, 300, 20), LEFT, tr("nothing is sent here"))
        return
    low, high = text(shown.low), text(shown.high)
    painter.setPen(QColor(theme.text))
    if picture.cut:
        colour = map_colours("cividis", theme, 2)[1]
        painter.fillRect(QRectF(x, y + 4, 11, 11), QColor(colour))
        painter.drawText(QPointF(x + 17, y + 14), picture.cut)
        return
    if not shown.alike:
        painter.drawText(QPointF(x, y + 14), low)
        x += metrics.horizontalAdvance(low) + 6
        band = QRectF(x, y + 5, SCALE_WIDTH, 9)
        gradient = QLinearGradient(band.topLeft(), band.topRight())
        colours = map_colours("cividis", theme, 16)
        for k, colour in enumerate(colours):
            gradient.setColorAt(k / (len(colours) - 1), QColor(colour))
        painter.fillRect(band, gradient)
        x += SCALE_WIDTH + 6
    else:
        colour = map_colours("cividis", theme, 2)[1]
        painter.fillRect(QRectF(x, y + 4, 11, 11), QColor(colour))
        x += 17
    if shown.alike and low != high:
        high = tr("{low} to {high}", low=low, high=high)
    matrix = picture.matrix
    words = {
        "calls": f"{high} {plural_noun(matrix.noun)}",
        "mean": each_text(high, matrix),
        "wait": tr("{wait} for the row’s rank", wait=high),
    }.get(unit, high)
    if unit != "mean" and not picture.cells.exact:
        words += tr(" a pixel")
    painter.setPen(QColor(theme.text))
    painter.drawText(QPointF(x, y + 14), words)
    x += metrics.horizontalAdvance(words) + 16
    _paint_remark(painter, frame, picture, theme, QPointF(x, y))


def _paint_remark(
    painter: QPainter,
    frame: MatrixFrame,
    picture: MatrixPicture,
    theme: Theme,
    at: QPointF,
) -> None:
    match = picture.request.match
    if match is None or not match.extra:
        return
    x, y = at.x(), at.y()
    words = tr("{edges} not in the topology", edges=plural(match.extra, "edge"))
    if x + painter.fontMetrics().horizontalAdvance(words) + 16 > frame.width:
        words = tr("{extra} not in it", extra=grouped(match.extra))
    if x + painter.fontMetrics().horizontalAdvance(words) + 16 > frame.width:
        return
    set_shape(painter, fill=theme.ink)
    painter.drawPolygon(
        QPolygonF([QPointF(x, y + 4), QPointF(x + 9, y + 4), QPointF(x + 9, y + 13)])
    )
    set_shape(painter, edge=theme.text2)
    painter.drawText(QPointF(x + 14, y + 14), words)


UNCLIPPED = Qt.TextFlag.TextDontClip
"""A number of six digits is wider than the usual margin."""

MIN_CELL_FOR_GRID, MIN_CELL_FOR_CORNERS = 7.0, 5.0
"""Pixels of a cell from which there are lines between cells, and corners in them."""

MIN_GROUP_DISTANCE = 5.0
"""Least distance in pixels of the lines between groups."""

MAX_CORNERS = 6000
MAX_FRAMES = 200
LABEL_STRIDES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True, slots=True)
class MatrixMarks:
    """What is selected: ranks, a pair, and what a drag would select."""

    ranks: tuple[int, ...] = ()
    edge: tuple[int, int] | None = None
    rubber: QRectF | None = None
    hovered: tuple[int, int] | None = None


def paint_matrix(
    painter: QPainter,
    frame: MatrixFrame,
    picture: MatrixPicture,
    image: QImage,
    marked: MatrixMarks,
) -> None:
    """Paint everything; `image` has the colours of `picture`."""
    theme = THEMES[picture.request.theme]
    painter.fillRect(0, 0, frame.width, frame.height, QColor(theme.panel))
    painter.save()
    painter.setClipRect(frame.area)
    painter.drawImage(_target(frame, picture.request.extract), image)
    _paint_lines(painter, frame, picture, theme)
    if picture.cells.exact and frame.cell >= MIN_CELL_FOR_CORNERS:
        _paint_corners(painter, frame, picture, theme)
        _paint_missing(painter, frame, picture, theme)
    painter.restore()
    set_shape(painter, edge=theme.rule)
    painter.drawRect(frame.area.adjusted(-0.5, -0.5, 0.5, 0.5))
    _paint_labels(painter, frame, picture, marked, theme)
    _paint_selected(painter, frame, picture, marked, theme)
    paint_legend(painter, frame, picture, theme)


def _target(frame: MatrixFrame, extract: MatrixExtract) -> QRectF:
    right, bottom = extract.left + extract.count, extract.top + extract.count
    return frame.box(extract.left, extract.top, right, bottom)


def _paint_lines(
    painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme
) -> None:
    """Rule the cells where there is room, and the groups of ranks."""
    zoom = frame.zoom
    if frame.cell >= MIN_CELL_FOR_GRID:
        painter.setPen(QPen(QColor(theme.panel), 1))
        for place in range(math.floor(zoom.left), math.ceil(zoom.left + zoom.count)):
            x = frame.x(place)
            painter.drawLine(QLineF(x, frame.area.top(), x, frame.area.bottom()))
        for place in range(math.floor(zoom.top), math.ceil(zoom.top + zoom.count)):
            y = frame.y(place)
            painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y))
    groups = picture.arrangement.groups[1:]
    if (
        not len(groups)
        or float(np.diff(picture.arrangement.groups).min()) * (frame.cell)
        < MIN_GROUP_DISTANCE
    ):
        return
    painter.setPen(QPen(QColor(theme.rule), 1))
    for place in groups.tolist():
        x, y = frame.x(place), frame.y(place)
        painter.drawLine(QLineF(x, frame.area.top(), x, frame.area.bottom()))
        painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y))


def _paint_corners(
    painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme
) -> None:
    """Put a corner in ink on pairs that are not in the topology."""
    extract = picture.request.extract
    rows, columns = np.nonzero(picture.cells.marked)
    if len(rows) > MAX_CORNERS:
        return
    reach = min(max(frame.cell * 0.38, 3.0), 9.0)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    set_shape(painter, fill=theme.ink)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        x = frame.x(extract.left + column + 1) - 1
        y = frame.y(extract.top + row) + 1
        painter.drawPolygon(
            QPolygonF([QPointF(x - reach, y), QPointF(x, y), QPointF(x, y + reach)])
        )
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _paint_missing(
    painter: QPainter, frame: MatrixFrame, picture: MatrixPicture, theme: Theme
) -> None:
    """Outline the topology's edges over which nothing was sent."""
    match = picture.request.match
    if match is None or not 0 < len(match.missing_edges) <= MAX_CORNERS:
        return
    place = picture.arrangement.place
    edges = match.missing_edges[(match.missing_edges >= 0).all(axis=1)]
    painter.setPen(QPen(QColor(theme.text3), 1, Qt.PenStyle.DotLine))
    for a, b in place[edges].tolist():
        for row, column in ((a, b), (b, a)):
            box = frame.box(column, row, column + 1, row + 1)
            painter.drawRect(box.adjusted(1.5, 1.5, -1.5, -1.5))


def _paint_labels(
    painter: QPainter,
    frame: MatrixFrame,
    picture: MatrixPicture,
    marked: MatrixMarks,
    theme: Theme,
) -> None:
    """Write numbers of ranks at the sides, as far as there is room."""
    ranks, area = picture.arrangement.ranks, frame.area
    painter.setFont(font(11))
    wide = painter.fontMetrics().horizontalAdvance(str(len(ranks) - 1)) + 8
    _paint_bars(painter, frame, picture, marked, theme)
    painter.setPen(QColor(theme.text2))
    apart = 13.0 if frame.cell >= 13 else 26.0
    for place in _ticks(frame.zoom.top, frame, len(ranks), apart):
        y = frame.y(place + 0.5)
        box = QRectF(area.left() - LEFT_MARGIN, y - 8, LEFT_MARGIN - 7, 16)
        painter.drawText(box, RIGHT | UNCLIPPED, str(ranks[place]))
    corner = painter.fontMetrics().horizontalAdvance(tr("receiver →")) + 10
    for place in _ticks(frame.zoom.left, frame, len(ranks), float(wide)):
        x = frame.x(place + 0.5)
        if x - wide / 2 > area.left() - LEFT_MARGIN + corner or corner < LEFT_MARGIN:
            box = QRectF(x - 30, area.top() - 19, 60, 14)
            painter.drawText(box, CENTRE, str(ranks[place]))
    painter.setPen(QColor(theme.text3))
    at = QRectF(area.left() - LEFT_MARGIN + 4, area.top() - TOP_MARGIN + 2, 200, 12)
    painter.drawText(at, LEFT, tr("to →"))


def _ticks(first: float, frame: MatrixFrame, ranks: int, apart: float) -> range:
    """Places that have a label: round numbers, so many pixels apart."""
    step = next(
        (s for s in LABEL_STRIDES if s * frame.cell >= apart), LABEL_STRIDES[-1]
    )
    while step * frame.cell < apart:
        step *= 2
    begin = math.ceil(max(first, 0) / step - 0.25) * step
    end = min(math.floor(first + frame.zoom.count - 0.25), ranks - 1)
    return range(begin, end + 1, step)


def _paint_bars(
    painter: QPainter,
    frame: MatrixFrame,
    picture: MatrixPicture,
    marked: MatrixMarks,
    theme: Theme,
) -> None:
    """Mark the selected ranks at both sides."""
    chosen = [r for r in marked.ranks if r < len(picture.arrangement.place)]
    area = frame.area
    places: Ints = picture.arrangement.place[chosen].astype(np.int64)
    ink = QColor(theme.ink)
    inside = area.adjusted(-5, -5, 0, 0)
    for first, last in _pixel_runs(places, frame.zoom.top, frame):
        top, bottom = frame.y(first), max(frame.y(last), frame.y(first) + 1.5)
        painter.fillRect(QRectF(area.left() - 4, top, 2.5, bottom - top) & inside, ink)
    for first, last in _pixel_runs(places, frame.zoom.left, frame):
        left, right = frame.x(first), max(frame.x(last), frame.x(first) + 1.5)
        painter.fillRect(QRectF(left, area.top() - 4, right - left, 2.5) & inside, ink)


def _pixel_runs(
    places: Ints, begin: float, frame: MatrixFrame
) -> list[tuple[float, float]]:
    """Join the places that are seen to runs; no more of them than pixels."""
    end = begin + frame.zoom.count
    seen = places[(places + 1 > begin) & (places < end)]
    step = max(1.0, 1 / frame.cell)  # ranks that a pixel has
    bins = np.unique((seen / step).astype(np.int64))
    if not len(bins):
        return []
    breaks = np.flatnonzero(np.diff(bins) > 1)
    firsts = bins[np.append(0, breaks + 1)] * step
    lasts = (bins[np.append(breaks, len(bins) - 1)] + 1) * step
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def _paint_selected(
    painter: QPainter,
    frame: MatrixFrame,
    picture: MatrixPicture,
    marked: MatrixMarks,
    theme: Theme,
) -> None:
    """Frame the selected pair, the hovered cell, and what a drag would select."""
    painter.save()
    painter.setClipRect(frame.area.adjusted(-3, -3, 3, 3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for column, row in _framed_cells(picture, marked):
        box = frame.box(column, row, column + 1, row + 1)
        spare = max(0.0, (7 - frame.cell) / 2)  # a dot would not be seen
        box = box.adjusted(-spare, -spare, spare, spare)
        for colour, width in ((theme.panel, 5.0), (theme.ink, 2.0)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRect(box)
    if marked.hovered is not None and frame.cell >= MIN_CELL_FOR_CORNERS:
        column, row = marked.hovered
        painter.setPen(QPen(QColor(theme.ink), 1))
        painter.drawRect(frame.box(column, row, column + 1, row + 1))
    if marked.rubber is not None:
        paint_rubber(painter, marked.rubber, theme)
    painter.restore()


def _framed_cells(picture: MatrixPicture, marked: MatrixMarks) -> list[tuple[int, int]]:
    """Columns and rows of the selected pair, or of the selected call's pairs."""
    place = picture.arrangement.place
    if marked.edge is not None:
        pairs = [marked.edge, marked.edge[::-1]]
    else:
        pairs = [(int(a), int(b)) for a, b in picture.framed[:MAX_FRAMES]]
    inside = (pair for pair in pairs if max(pair) < len(place))
    return [(int(place[b]), int(place[a])) for a, b in inside]
