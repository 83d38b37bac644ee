"""Paints what is written over planes beside each other, and the block beside them."""

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QImage,
    QPainter,
    QPen,
    QPolygonF,
    QTransform,
)

from topoview.model import Bytes, Floats, MPIState, Shorts
from topoview.scene.axes.plane_sheet import CutBlock, CutFace, PlaneSheet, SheetMoment
from topoview.scene.palette import STATE_COLOURS, Theme, rgb
from topoview.ui.widgets.theme import font, text_width

NAME_HEIGHT = 4.0
"""Pixels from a plane up to the base line of its name."""

BAR_WIDTH, LEAST_BAR, BAR_HEIGHT = 44.0, 10.0, 4.0
"""Pixels of the bar that tells which share of a plane waits, and where it is none."""

LEAST_TICK = 10.0
"""Pixels of the marks at a place in other planes, at least."""

WIDE_CELL, MAX_WIDE_LINES = 4.0, 1500
"""Pixels of a rank from which on lines between ranks are wide, unless they are many."""

ARROW = 34.0
"""Pixels of an axis beside the first plane."""


def paint_sheet(painter: QPainter, theme: Theme, sheet: PlaneSheet) -> None:
    """Paint names and frames of planes, and the column of a selected rank."""
    _paint_planes(painter, theme, sheet)
    _paint_axes(painter, theme, sheet)
    _paint_columns(painter, theme, sheet)


def paint_sheet_moment(
    painter: QPainter, theme: Theme, sheet: PlaneSheet, moment: SheetMoment
) -> None:
    """Paint the front, what waits in each plane, and the block."""
    # All but the block's edges is upright or flat, on whole pixels.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    wait = QColor(STATE_COLOURS[MPIState.WAIT])
    if (bar := _bar_of(sheet)) is not None:
        for plane, share in zip(sheet.planes, moment.waiting.tolist(), strict=True):
            at = bar.translated(*plane.corners[1].tolist())
            at.setWidth(bar.width() * share)
            painter.fillRect(at, wait)
    few = len(moment.front) + len(moment.end) <= MAX_WIDE_LINES
    wide = few and sheet.cell >= WIDE_CELL
    _paint_edges(painter, theme, moment.end, wide=wide, dashed=True)
    _paint_edges(painter, theme, moment.front, wide=wide, dashed=False)
    if sheet.block is not None:
        table = np.array([rgb(colour) for colour in moment.colours], np.uint8)
        _paint_block(painter, theme, sheet.block, moment.codes, table)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def _bar_of(sheet: PlaneSheet) -> QRectF | None:
    """Return the bar of a plane, from its top right corner; None without room."""
    widest = max(text_width(plane.name, 11, 600) for plane in sheet.planes)
    across = float(np.ptp(sheet.planes[0].corners[:, 0]))
    long = min(across - widest - 6, BAR_WIDTH)
    if long < LEAST_BAR:
        return None
    return QRectF(-long, -NAME_HEIGHT - 4 - BAR_HEIGHT, long, BAR_HEIGHT)


def _paint_planes(painter: QPainter, theme: Theme, sheet: PlaneSheet) -> None:
    last = (-np.inf, -np.inf)
    bar = _bar_of(sheet)
    for plane in sheet.planes:
        (x, y), corner, *_ = plane.corners.tolist()
        wide = text_width(plane.name, 11, 600)
        if plane.chosen:
            pen = QPen(QColor(theme.ink), 1.4)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            middle = plane.corners.mean(axis=0)
            grown = plane.corners + np.sign(plane.corners - middle) * 3
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in grown]))
        if abs(y - last[1]) < 1 and x < last[0]:
            continue  # the name of the plane before reaches to here
        last = (x + wide + 6, y)
        painter.setFont(font(11, 600 if plane.chosen else 400))
        painter.setPen(QColor(theme.text if plane.chosen else theme.text2))
        base = y - NAME_HEIGHT - 2 * plane.chosen
        painter.drawText(QPointF(x, base), plane.name)
        if bar is not None:
            painter.fillRect(bar.translated(*corner), QColor(theme.hairline))


def _paint_axes(painter: QPainter, theme: Theme, sheet: PlaneSheet) -> None:
    """Paint the names of x and y once, at the first plane."""
    (x, y), *_ = sheet.planes[0].corners.tolist()
    painter.setPen(QPen(QColor(theme.text2), 1))
    painter.setFont(font(11, 600))
    for name, turned in zip(sheet.axes, (False, True), strict=True):
        painter.save()
        painter.translate(x, y - 22 if not turned else y)
        if turned:
            painter.translate(-12, 0)
            painter.rotate(90)
        painter.setPen(QPen(QColor(theme.text2), 1))
        painter.drawLine(QPointF(0, 0), QPointF(ARROW, 0))
        for side in (-3, 3):
            painter.drawLine(QPointF(ARROW, 0), QPointF(ARROW - 5, side))
        painter.setPen(QColor(theme.text))
        painter.drawText(QPointF(ARROW + 6, 4), name)
        painter.restore()


def _paint_edges(
    painter: QPainter, theme: Theme, edges: Floats, *, wide: bool, dashed: bool
) -> None:
    """Paint lines over wider ones in the colour of the ground; few of small ranks."""
    if not len(edges):
        return
    lines = [QLineF(*edge) for edge in edges.reshape(-1, 4).tolist()]
    pens = [QPen(QColor(theme.ink), 0)]  # quickly: a pixel
    if wide:
        pens = [QPen(QColor(theme.panel), 4.0), QPen(QColor(theme.ink), 2.0)]
    for pen in pens:
        pen.setCapStyle(Qt.PenCapStyle.SquareCap)
        if dashed and pen is pens[-1]:
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern([2, 2])
        painter.setPen(pen)
        painter.drawLines(lines)


def _paint_columns(painter: QPainter, theme: Theme, sheet: PlaneSheet) -> None:
    """Paint corners around the ranks that are where a selected one is, elsewhere."""
    lines = []
    for corners in sheet.places:
        middle = corners.mean(axis=0)
        half = np.abs(corners - middle).max(axis=0)
        grown = corners + np.sign(corners - middle) * np.maximum(
            1.0, LEAST_TICK / 2 - half
        )
        for corner, way in zip(grown, (middle - grown) * 0.55, strict=True):
            x, y = corner.tolist()
            lines.append(QLineF(x, y, x + float(way[0]), y))
            lines.append(QLineF(x, y, x, y + float(way[1])))
    for colour, wide in ((theme.panel, 2.6), (theme.ink, 1.2)):
        painter.setPen(QPen(QColor(colour), wide))
        painter.drawLines(lines)


def _paint_block(
    painter: QPainter, theme: Theme, block: CutBlock, codes: Shorts, table: Bytes
) -> None:
    for edges, strength in ((block.behind, 0.45), (block.before, 0.8)):
        if edges is block.before:
            for face in block.faces:
                _paint_face(painter, theme, face, codes, table)
        edge = QColor(theme.edge)
        edge.setAlphaF(strength)
        painter.setPen(QPen(edge, 1.1))
        lines = [QLineF(*piece) for piece in edges.reshape(-1, 4).tolist()]
        painter.drawLines(lines)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    at = QPointF(*block.at)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, wide in ((theme.panel, 5.0), (theme.ink, 2.0)):
        painter.setPen(QPen(QColor(colour), wide))
        painter.drawEllipse(at, 4.5, 4.5)
    painter.setFont(font(11))
    painter.setPen(QColor(theme.text2))
    for place, name in block.names:
        wide = text_width(name, 11)
        middle = place - block.before.reshape(-1, 2).mean(axis=0)
        x = place[0] + (6 if middle[0] > 0 else -6 - wide)
        painter.drawText(QPointF(x, place[1] + (12 if middle[1] > 0 else -4)), name)


def _paint_face(
    painter: QPainter, theme: Theme, face: CutFace, codes: Shorts, table: Bytes
) -> None:
    """Paint the ranks of a piece of a plane, each a cell of an image."""
    rows, columns = face.ranks.shape
    pixels = np.zeros((rows, columns, 4), np.uint8)
    there = face.ranks >= 0
    pixels[there, :3] = table[codes[face.ranks[there]]] * face.shade
    pixels[there, 3] = 255
    form = QImage.Format.Format_RGBA8888
    image = QImage(pixels.data, columns, rows, 4 * columns, form)
    painter.save()
    painter.setTransform(
        QTransform(*face.across, *face.down, *face.corner), combine=True
    )
    painter.drawImage(QPointF(0, 0), image)
    pen = QPen(QColor(theme.ink), 0.8)
    pen.setCosmetic(True)
    edge = QColor(theme.ink)
    edge.setAlphaF(0.35)
    pen.setColor(edge)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(0, 0, columns, rows))
    painter.restore()
