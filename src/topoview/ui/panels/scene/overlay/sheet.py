"""Paints what is written over planes beside each other, and the block beside them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF, QTransform

from topoview.base.text import tr
from topoview.model import Floats, TimeState
from topoview.scene.axes.plane_faces import BlockAxis, CutBlock, PlaneFace
from topoview.scene.axes.plane_sheet import (
    CutFlat,
    PlaneSheet,
    SheetMoment,
    shared_colours,
    shared_side,
)
from topoview.scene.palette import STATE_COLOURS, Theme, rgb
from topoview.ui.widgets.theme import font, letter, set_shape, text_width, translucent

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

NUMBERED_CELLS = ((26.0, 11), (18.0, 10), (16.0, 9))
"""Pixels of cells from which on they have numbers, and of these."""

MAP_CAPTION = 240.0
"""Pixels that the words above a map may take."""

OPAQUE = np.uint32(0xFF000000)

STANDING_BACK = 0.75
"""Share of the ground in the colour of ranks that stand back behind others."""

NUMBER_STEPS, NUMBER_GAP = tuple(f * 10**k for k in range(9) for f in (1, 2, 5)), 26.0
"""Steps between numbers along an axis of the block, and pixels between them."""

NAME_AWAY, ASIDE = 38.0, 0.5
"""Pixels from an axis to its name, and from which part of that it begins there."""

FLAG, FLAG_AWAY = (30.0, 18.0), 16.0
"""Width and height of a cut's flag, and how far it is from its axis: pixels."""


def paint_sheet(painter: QPainter, theme: Theme, sheet: PlaneSheet) -> None:
    """Paint names and frames of planes, and the column of a selected rank."""
    if sheet.planes:
        _paint_planes(painter, theme, sheet)
        _paint_axes(painter, theme, sheet)
        widest = int(sheet.cells.max())
        for plane in sheet.planes:
            _paint_numbers(painter, theme, plane.face, widest)
        paint_corners(painter, theme, sheet.places)
    for flat in sheet.flats:
        _paint_flat_names(painter, theme, flat)


def _bar_of(sheet: PlaneSheet) -> QRectF | None:
    """Return the bar of a plane, from its top right corner.

    None without room, and for an only plane, of which the key tells how many wait.
    """
    widest = max(text_width(plane.name, 11, 600) for plane in sheet.planes)
    across = float(np.ptp(sheet.planes[0].face.outline[:, 0]))
    long = min(across - widest - 6, BAR_WIDTH)
    if long < LEAST_BAR or not widest:
        return None
    return QRectF(-long, -NAME_HEIGHT - 4 - BAR_HEIGHT, long, BAR_HEIGHT)


def _paint_planes(painter: QPainter, theme: Theme, sheet: PlaneSheet) -> None:
    last = (-np.inf, -np.inf)
    bar = _bar_of(sheet)
    rows = sorted(sheet.planes, key=lambda plane: tuple(plane.face.corner[::-1]))
    for plane in rows:
        corners = plane.face.outline
        (x, y), corner, *_ = corners.tolist()
        wide = text_width(plane.name, 11, 600)
        if plane.chosen:
            pen = QPen(QColor(theme.ink), 1.4)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            grown = corners + np.sign(corners - corners.mean(axis=0)) * 3
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in grown]))
        if abs(y - last[1]) < 1 and x < last[0]:
            continue  # the name of the plane before reaches to here
        last = (x + wide + 6, y)
        letter(
            painter,
            font(11, 600 if plane.chosen else 400),
            theme.text if plane.chosen else theme.text2,
        )
        base = y - NAME_HEIGHT - 2 * plane.chosen
        painter.drawText(QPointF(x, base), plane.name)
        if bar is not None:
            painter.fillRect(bar.translated(*corner), QColor(theme.hairline))


def _paint_axes(painter: QPainter, theme: Theme, sheet: PlaneSheet) -> None:
    """Paint the names of x and y once, at the first plane."""
    (x, y), *_ = sheet.planes[0].face.outline.tolist()
    painter.setFont(font(11, 600))
    for name, turned in zip(sheet.axes[:2], (False, True), strict=True):
        painter.save()
        above = 22 if sheet.planes[0].name else 9
        painter.translate(x, y - above if not turned else y)
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


def _paint_numbers(
    painter: QPainter, theme: Theme, face: PlaneFace, widest: int
) -> None:
    """Paint numbers of ranks into cells seen from above if the `widest` has room."""
    cell = float(face.across[0])
    small = next((pixels for least, pixels in NUMBERED_CELLS if cell >= least), 0)
    if not small or text_width(str(widest), small) + 2 > cell:
        return
    letter(painter, font(small), theme.ink)
    for row, column in np.argwhere(face.ranks >= 0).tolist():
        x, y = face.pixels(np.array([column, row], np.float64)).tolist()
        box = QRectF(x, y, cell, cell)
        number = str(face.ranks[row, column])
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, number)


def paint_corners(painter: QPainter, theme: Theme, places: Floats) -> None:
    """Paint corners around places: float64, shape (n, 4, 2), the corners of each."""
    lines = []
    for corners in places:
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


class MomentPainter:
    """Paints what changes with time: waits and fronts on planes, the cut block."""

    def __init__(
        self, painter: QPainter, theme: Theme, sheet: PlaneSheet, moment: SheetMoment
    ) -> None:
        self._painter, self._theme = painter, theme
        self._sheet, self._moment = sheet, moment
        # Colours of ranks that stand back, then of others, by the light on a face.
        colours = np.array([rgb(colour) for colour in moment.colours], np.float64)
        ground, self._codes = np.array(rgb(theme.panel), np.float64), moment.codes
        if moment.stands_out is not None:
            self._codes = moment.codes + np.uint16(len(colours)) * moment.stands_out
            back = colours + (ground - colours) * STANDING_BACK
            colours = np.concatenate([back, colours])
        self._colours = colours
        self._tables: dict[float, NDArray[np.uint32]] = {}

    def paint_planes(self) -> None:
        """Paint the front over planes, and what waits in each."""
        painter, sheet = self._painter, self._sheet
        if not sheet.planes:
            return
        side = shared_side(sheet.cell, painter.device().devicePixelRatioF())
        if side > 1:
            self._paint_shared(side)
        # All of it is upright or flat, on whole pixels.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if (bar := _bar_of(sheet)) is not None:
            set_shape(painter, fill=STATE_COLOURS[TimeState.WAIT])
            wide = (bar.width() * self._moment.waiting).tolist()
            ends = zip(sheet.corners.tolist(), wide, strict=True)
            x, y, high = bar.left(), bar.top(), bar.height()
            painter.drawRects([QRectF(x + a, y + b, w, high) for (a, b), w in ends])
        self._paint_borders(tuple(plane.face for plane in sheet.planes), 0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _paint_shared(self, side: int) -> None:
        """Paint planes whose ranks share pixels, in the colour that most of them have.

        The renderer draws none of them: it would show one of those of a pixel.
        """
        painter = self._painter
        ratio = painter.device().devicePixelRatioF()
        faces = [plane.face for plane in self._sheet.planes]
        table = self._table(faces[0].shade)
        merged = shared_colours(self._sheet.cells, self._codes, side, table)
        _, rows, columns = merged.shape
        form = QImage.Format.Format_ARGB32_Premultiplied
        corners = np.round(np.array([face.corner for face in faces]) * ratio) / ratio
        sides = np.array([(face.across[0], face.down[1]) for face in faces])
        sides *= np.array([columns, rows]) * side
        places = np.concatenate([corners, sides], axis=1).tolist()
        for place, pixels in zip(places, merged, strict=True):
            image = QImage(pixels.view(np.uint8).data, columns, rows, 4 * columns, form)
            painter.drawImage(QRectF(*place), image)

    def paint_cut(self) -> None:
        """Paint the block with its planes, wherever the camera is."""
        block, number = self._sheet.block, len(self._sheet.planes)
        if block is None:
            return
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_block(block, number)
        for place, flat in enumerate(self._sheet.flats, number + len(block.faces)):
            self._paint_flat(flat, place)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def paint_map(self) -> None:
        """Paint the map beside a torus: a cell a rank with its number, and fronts."""
        painter, theme, face = self._painter, self._theme, self._sheet.flat_map
        if face is None:
            return
        rows, columns = face.ranks.shape
        cell, (left, top) = float(face.across[0]), face.corner.tolist()
        right, bottom = left + columns * cell, top + rows * cell
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_face(face)
        painter.setPen(QPen(QColor(theme.panel), 1))
        for column in range(columns + 1):
            painter.drawLine(
                QLineF(left + column * cell, top, left + column * cell, bottom)
            )
        for row in range(rows + 1):
            painter.drawLine(QLineF(left, top + row * cell, right, top + row * cell))
        self._paint_borders((face,), 0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_numbers(painter, theme, face, int(face.ranks.max()))
        where = self._sheet.through
        caption = (
            tr("Flat, centred on rank {rank}", rank=where[0]) if where else tr("Flat")
        )
        letter(painter, font(11), theme.text2)
        room = QRectF(right - MAP_CAPTION, top - 22, MAP_CAPTION, 16)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight, caption)

    def _paint_borders(
        self, faces: tuple[PlaneFace, ...], first: int, *, thin: bool = False
    ) -> None:
        """Paint the front and the end of the wait on faces, from number `first` on.

        Over wider lines in the colour of the ground, unless there are many, of small
        ranks.
        """
        painter, theme = self._painter, self._theme
        front = self._moment.front.pixels(faces, first)
        end = self._moment.end.pixels(faces, first)
        few = len(front) + len(end) <= MAX_WIDE_LINES
        cell = min(np.hypot(*faces[0].across), np.hypot(*faces[0].down))
        for edges, dashed in ((end, True), (front, False)):
            if not len(edges):
                continue
            lines = [QLineF(*edge) for edge in edges.reshape(-1, 4).tolist()]
            pens = [QPen(QColor(theme.ink), 0)]  # quickly: a pixel
            if few and cell >= WIDE_CELL and not thin:
                pens = [QPen(QColor(theme.panel), 4.0), QPen(QColor(theme.ink), 2.0)]
            for pen in pens:
                pen.setCapStyle(Qt.PenCapStyle.SquareCap)
                if dashed and pen is pens[-1]:
                    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
                    pen.setDashPattern([2, 2])
                painter.setPen(pen)
                painter.drawLines(lines)

    def _paint_block(self, block: CutBlock, first: int) -> None:
        """Paint edges behind, faces from the back to the front, and edges before."""
        painter, theme = self._painter, self._theme
        _paint_edges(painter, theme, block.behind, 0.45)
        for number, face in enumerate(block.faces, first):
            self._paint_face(face)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, block.alone)
            self._paint_borders((face,), number, thin=not block.alone)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        _paint_edges(painter, theme, block.before, 0.8)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_circle(painter, theme, block.at)
        for axis in block.axes:
            (_paint_axis if block.alone else _paint_axis_name)(painter, theme, axis)

    def _paint_flat(self, flat: CutFlat, number: int) -> None:
        """Paint a plane of the large block, and where the other two cut it."""
        painter, theme = self._painter, self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._paint_face(flat.face)
        self._paint_borders((flat.face,), number)
        pen = QPen(QColor(theme.ink), 1)
        pen.setDashPattern([2, 2])
        painter.setPen(pen)
        left, top = flat.face.outline.min(axis=0).tolist()
        right, bottom = flat.face.outline.max(axis=0).tolist()
        x, y = flat.at.tolist()
        painter.drawLine(QLineF(x, top - 5, x, bottom + 5))
        painter.drawLine(QLineF(left - 5, y, right + 5, y))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_circle(painter, theme, flat.at)

    def _paint_face(self, face: PlaneFace) -> None:
        """Paint the ranks of a piece of a plane, each a cell of an image."""
        painter, pixels = self._painter, self._pixels(face)
        rows, columns = face.ranks.shape
        form = QImage.Format.Format_ARGB32_Premultiplied
        image = QImage(pixels.view(np.uint8).data, columns, rows, 4 * columns, form)
        numbers = np.concatenate([face.across, face.down, face.corner])
        before = painter.transform()
        painter.setTransform(QTransform(*numbers.tolist()) * before)
        painter.drawImage(QPointF(0, 0), image)
        edge = translucent(self._theme.ink, 0.35)
        pen = QPen(edge, 0.8)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(0, 0, columns, rows))
        painter.setTransform(before)

    def _pixels(self, face: PlaneFace) -> NDArray[np.uint32]:
        """Return a face's colours: uint32, shape (rows, columns): ARGB; 0: no rank."""
        codes = self._codes[face.ranks].astype(np.int64)
        codes[face.ranks < 0] = -1
        return self._table(face.shade)[codes]

    def _table(self, shade: float) -> NDArray[np.uint32]:
        """Return packed colours of codes in a light; the last is that of no rank."""
        if shade not in self._tables:
            red, green, blue = (self._colours * shade).astype(np.uint32).T
            packed = OPAQUE | red << 16 | green << 8 | blue
            self._tables[shade] = np.append(packed, 0).astype(np.uint32)
        return self._tables[shade]


def _paint_edges(
    painter: QPainter, theme: Theme, edges: Floats, strength: float
) -> None:
    colour = translucent(theme.edge, strength)
    painter.setPen(QPen(colour, 1))  # which takes a twentieth of the time of 1.1
    painter.drawLines([QLineF(*piece) for piece in edges.reshape(-1, 4).tolist()])


def _paint_axis_name(painter: QPainter, theme: Theme, axis: BlockAxis) -> None:
    """Paint which place of an axis the small block is cut at."""
    name = f"{axis.name[:1]} {axis.chosen}"
    letter(painter, font(11), theme.text2)
    x, y = axis.at(axis.extent / 2).tolist()
    right, down = (axis.away > 0).tolist()
    x += 6 if right else -6 - text_width(name, 11)
    painter.drawText(QPointF(x, y + (12 if down else -4)), name)


class AxisWord(NamedTuple):
    """A number along an axis of the large block, or the axis's name."""

    text: str
    left: float
    base: float
    """`left` and `base`: pixels of where its base line begins."""
    strong: bool = False


def axis_words(axis: BlockAxis) -> list[AxisWord]:
    """Return what is written along an axis of the large block, its name if it fits."""
    long, words = float(np.hypot(*(axis.end - axis.begin))), []
    step = next(s for s in NUMBER_STEPS if s * long / axis.extent >= NUMBER_GAP)
    for number in range(0, axis.extent, step):
        away = abs(number - axis.chosen) * long / axis.extent
        if away >= NUMBER_GAP:  # the flag is there
            x, y = (axis.at(number + 0.5) + axis.away * 12).tolist()
            text = str(number)
            words.append(AxisWord(text, x - text_width(text, 11) / 2, y + 4))
    name = f"{axis.name}, {axis.extent}"
    x, y = (axis.at(axis.extent / 2) + axis.away * NAME_AWAY).tolist()
    wide, aside = text_width(name, 12, 600), float(axis.away[0])
    x -= 0.0 if aside > ASIDE else wide if aside < -ASIDE else wide / 2
    return words + [AxisWord(name, x, y + 4, strong=True)] * (x >= 0)


def _paint_axis(painter: QPainter, theme: Theme, axis: BlockAxis) -> None:
    """Paint numbers along an axis of the large block, its name, and the cut's flag."""
    for word in axis_words(axis):
        letter(
            painter,
            font(12, 600) if word.strong else font(11),
            theme.text if word.strong else theme.text2,
        )
        painter.drawText(QPointF(word.left, word.base), word.text)
    flag = flag_of(axis)
    set_shape(painter, fill=theme.ink)
    painter.drawRoundedRect(flag, 3, 3)
    letter(painter, font(11, 600), theme.panel)
    painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, str(axis.chosen))


def flag_of(axis: BlockAxis) -> QRectF:
    """Return where the flag of a cut is: it can be dragged along its axis."""
    x, y = (axis.at(axis.chosen + 0.5) + axis.away * FLAG_AWAY).tolist()
    wide, high = FLAG
    return QRectF(x - wide / 2, y - high / 2, wide, high)


def _paint_flat_names(painter: QPainter, theme: Theme, flat: CutFlat) -> None:
    """Paint the names of the axes above and beside a plane of the large block."""
    low, high = flat.face.outline.min(axis=0), flat.face.outline.max(axis=0)
    letter(painter, font(11), theme.text2)
    across, along = flat.axes
    x = float(low[0] + high[0] - text_width(across, 11)) / 2
    painter.drawText(QPointF(x, float(low[1]) - 10), across)
    painter.save()
    painter.translate(float(low[0]) - 8, float(low[1] + high[1]) / 2)
    painter.rotate(-90)
    painter.drawText(QPointF(-text_width(along, 11) / 2, 0), along)
    painter.restore()


def _paint_circle(painter: QPainter, theme: Theme, at: Floats) -> None:
    """Paint the sign of the place that a block is cut through."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, wide in ((theme.panel, 5.0), (theme.ink, 2.0)):
        painter.setPen(QPen(QColor(colour), wide))
        painter.drawEllipse(QPointF(*at.tolist()), 4.5, 4.5)
