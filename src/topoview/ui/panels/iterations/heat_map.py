"""The heat map: a cell an iteration and rank, sums at its edges."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from topoview.base.text import grouped, tr, write
from topoview.live.tables.iteration_grid import bounds_of
from topoview.model import Bytes, TimeState
from topoview.scene.palette import Theme, map_colours, rgb
from topoview.session import Picked, Selection, Session
from topoview.ui.panels.iterations.content import MERGES, GridPicture
from topoview.ui.widgets.charts.chart import CellChart
from topoview.ui.widgets.controls import dragged_box, paint_rubber
from topoview.ui.widgets.theme import LEFT, RIGHT, font, letter, set_shape

LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN = 58, 20, 52, 66
SUM_SIZE, SUM_GAP = 36, 6
"""Pixels of the longest bar of a sum, and between bars and cells."""

CLICK_TOLERANCE = 4
MIN_CELL_WITH_FRAME = 3.0
"""Pixels of a cell from which outliers have a frame."""

MIN_ROW_WITH_GAP = 4.0
MIN_LABEL_HEIGHT = 12
MAX_FRAMES = 4000
"""Frames of outliers that are drawn; they are counted below, all of them."""

PAPER = {"light": "#f7f4e4", "dark": "#1f2632"}
"""Lowest colour on each ground."""

STEPS = 256


def heat_colours(theme: Theme, steps: int = STEPS) -> Bytes:
    """Return the colours of a scale whose high end contrasts with the ground.

    Returns
    -------
    uint8, shape (steps, 3)
        From paper to navy on a light ground, from blue to yellow on a dark one.
    """
    anchors = map_colours("cividis", theme, 5)  # paper takes a fifth of the scale
    anchors = PAPER[theme.name], *anchors
    stops = np.array([rgb(colour) for colour in anchors], np.float64)
    at = np.linspace(0, len(anchors) - 1, steps)
    parts = [np.interp(at, np.arange(len(anchors)), part) for part in stops.T]
    return np.stack(parts, axis=1).round().astype(np.uint8)


class HeatMap(CellChart):
    """Draws a picture; a click goes to a cell, a drag shows its iterations' time."""

    SIZE, MARGINS = (388, 260), (LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN)
    resized = Signal()
    """There is another number of pixels for cells."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session, parent, tr("Iterations by rank"))
        self.picture: GridPicture | None = None
        """What is shown."""
        self._image: tuple[object, QImage] | None = None
        self._pressed: QPointF | None = None
        self._at: QPointF | None = None
        self.setMinimumHeight(150)

    def show_picture(self, picture: GridPicture | None) -> None:
        """Show another picture."""
        self.picture, self._image = picture, None
        self.update()

    # Places

    @property
    def pixels(self) -> tuple[int, int]:
        """Device pixels across and down that there are for cells."""
        scale = self.devicePixelRatioF()
        return round(self.area.width() * scale), round(self.area.height() * scale)

    @property
    def cells(self) -> tuple[int, int]:
        """How many ranks, in order, and iterations there are."""
        assert self.picture is not None
        ranks, columns = self.picture.grid.values.shape
        return ranks, columns

    def cell_at(self, at: QPointF) -> tuple[int, int] | None:
        """Rank and column at a point: of several the one with the greatest number."""
        picture, shares = self.picture, self.shares(at)
        if picture is None or shares is None:
            return None
        places = []
        sizes = picture.cells.shape, picture.grid.values.shape
        for share, merged, whole in zip(shares, *sizes, strict=True):
            bounds = bounds_of(whole, merged)
            part = min(int(share * merged), merged - 1)
            places.append((int(bounds[part]), int(bounds[part + 1])))
        (top, bottom), (left, right) = places
        ranks = picture.request.order.ranks[top:bottom]
        block = picture.grid.values[ranks, left:right]
        if np.isnan(block).all():
            return None
        row, column = np.unravel_index(int(np.nanargmax(block)), block.shape)
        return int(ranks[row]), left + int(column)

    # Painting

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw all."""
        picture = self.picture
        if picture is None:
            return
        painter.drawImage(self.area, self._cells_image(theme, picture))
        self._paint_groups(painter, theme, picture)
        self._paint_outliers(painter, theme, picture)
        self._paint_iterations(painter, theme, picture)
        self._paint_sums(painter, theme, picture)
        self._paint_key(painter, theme, picture)
        if self._pressed is not None and self._at is not None:
            area = self.area
            band = dragged_box(self._pressed, self._at, area)
            paint_rubber(
                painter,
                QRectF(band.left(), area.top(), band.width(), area.height()),
                theme,
            )

    def _cells_image(self, theme: Theme, picture: GridPicture) -> QImage:
        key = picture, theme.name
        if self._image is None or self._image[0] != key:
            self._image = key, cells_image(picture, theme)
        return self._image[1]

    def _paint_groups(
        self, painter: QPainter, theme: Theme, picture: GridPicture
    ) -> None:
        """Part the groups of rows, and name them; mark the selected ranks."""
        order, area = picture.request.order, self.area
        count = len(order.ranks)
        high = area.height() / count
        chosen = set(self._session.state.selection.ranks)
        painter.setFont(font(11))
        after = -1e9
        starts = order.groups.tolist() if len(order.labels) else [0]
        labels = order.labels or ("",)
        for group, start in enumerate(starts):
            y = area.top() + start * high
            if start and high >= MIN_ROW_WITH_GAP / 2:
                painter.fillRect(
                    QRectF(area.left(), y - 1, area.width(), 2), QColor(theme.panel)
                )
            end = starts[group + 1] if group + 1 < len(starts) else count
            words = labels[group]
            if not words or end - start == 1:
                words = tr("rank {rank}", rank=order.ranks[start])
            middle = y + (end - start) * high / 2 if labels[group] else y + high / 2
            if middle - after >= MIN_LABEL_HEIGHT:
                painter.setPen(QColor(theme.text2))
                line = QRectF(0, middle - 7, LEFT_MARGIN - 6, 14)
                if painter.fontMetrics().horizontalAdvance(words) > line.width():
                    words = str(order.ranks[start])
                painter.drawText(line, RIGHT, words)
                after = middle
        for row, rank in enumerate(order.ranks.tolist()):
            if rank in chosen and len(chosen) < count:
                box = QRectF(area.left() - 4, area.top() + row * high, 3, max(high, 1))
                painter.fillRect(box, QColor(theme.ink))

    def _paint_outliers(
        self, painter: QPainter, theme: Theme, picture: GridPicture
    ) -> None:
        if not picture.exact:
            return
        area, order = self.area, picture.request.order
        rows, columns = picture.grid.values.shape
        if min(area.width() / columns, area.height() / rows) < MIN_CELL_WITH_FRAME:
            return
        painter.setPen(QPen(QColor(theme.ink), 1))
        cells = np.argwhere(picture.grid.outliers[order.ranks])[:MAX_FRAMES]
        for row, column in cells.tolist():
            painter.drawRect(self.box(row, column).adjusted(0.5, 0.5, -0.5, -0.5))
        if picture.outliers:
            self._name_outlier(painter, theme, picture)

    def _name_outlier(
        self, painter: QPainter, theme: Theme, picture: GridPicture
    ) -> None:
        """Write what the greatest outlier is beside it."""
        group = picture.outliers[0]
        rank, column = int(group.ranks[0]), int(group.columns[0])
        row = int(np.flatnonzero(picture.request.order.ranks == rank)[0])
        value = write(float(picture.grid.values[rank, column]), picture.unit)
        words = tr(
            "rank {rank}, {name}: {value}",
            rank=rank,
            name=picture.grid.name(column),
            value=value,
        )
        painter.setFont(font(11))
        wide = painter.fontMetrics().horizontalAdvance(words) + 12
        cell, area = self.box(row, column), self.area
        right = cell.right() + 12
        left = right if right + wide <= area.right() else cell.left() - 12 - wide
        if left < area.left():
            return
        top = min(max(cell.center().y() - 9, area.top()), area.bottom() - 18)
        box = QRectF(left, top, wide, 18)
        after = left == right
        begin = cell.right() if after else cell.left()
        end = box.left() if after else box.right()
        painter.drawLine(
            QPointF(begin, cell.center().y()), QPointF(end, box.center().y())
        )
        set_shape(painter, fill=theme.panel, edge=theme.rule)
        painter.drawRoundedRect(box, 3, 3)
        set_shape(painter, edge=theme.text)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_iterations(
        self, painter: QPainter, theme: Theme, picture: GridPicture
    ) -> None:
        """Write the numbers of iterations above."""
        area, grid = self.area, picture.grid
        count = len(grid.iteration)
        letter(painter, font(11), theme.text2)
        painter.drawText(QRectF(0, 2, LEFT_MARGIN - 6, 14), RIGHT, tr("iteration"))
        widest = painter.fontMetrics().horizontalAdvance(str(grid.iteration.max()))
        most = max(int(area.width() / (widest + 24)), 1)
        step = next(
            s * 10**k for k in range(9) for s in (1, 2, 5) if count <= most * s * 10**k
        )
        for column in range(0, count, step):
            x = area.left() + (column + 0.5) * area.width() / count
            box = QRectF(x - 40, 2, 80, 14)
            words = grouped(int(grid.iteration[column]))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_sums(
        self, painter: QPainter, theme: Theme, picture: GridPicture
    ) -> None:
        """Draw sums of ranks at the right, of iterations below, and the window."""
        area, grid = self.area, picture.grid
        colour = QColor(theme.edge)
        amount = picture.request.amount
        if amount in ("wait", "mpi"):
            colour = QColor(theme.state_colour(TimeState.WAIT))
        right = area.right() + SUM_GAP
        sums = grid.of_rank[picture.request.order.ranks]
        for at, value in _bars(sums, self.pixels[1]):
            y, tall = area.top() + at[0] * area.height(), at[1] * area.height()
            gap = 1.0 if tall >= MIN_ROW_WITH_GAP else 0.0
            painter.fillRect(QRectF(right, y, SUM_SIZE * value, tall - gap), colour)
        foot = area.bottom() + SUM_GAP + SUM_SIZE * 0.7
        for at, value in _bars(grid.of_iteration, self.pixels[0]):
            x, wide = area.left() + at[0] * area.width(), at[1] * area.width()
            gap = 1.0 if wide >= MIN_ROW_WITH_GAP else 0.0
            tall = SUM_SIZE * 0.7 * value
            painter.fillRect(QRectF(x, foot - tall, wide - gap, tall), colour)
        letter(painter, font(11), theme.text2)
        painter.drawText(QRectF(0, foot - 14, LEFT_MARGIN - 6, 14), RIGHT, tr("sum"))
        painter.drawText(QRectF(right, 2, 40, 14), LEFT, tr("sum"))
        columns = shown_columns(picture, self._session.state.window)
        if columns is not None:
            left = self.box(0, columns[0]).left()
            end = self.box(0, columns[1]).right()
            painter.setPen(QPen(QColor(theme.ink), 1.5))
            painter.drawPolyline(
                [
                    QPointF(left, foot + 2),
                    QPointF(left, foot + 5),
                    QPointF(end, foot + 5),
                    QPointF(end, foot + 2),
                ]
            )

    def _paint_key(self, painter: QPainter, theme: Theme, picture: GridPicture) -> None:
        y = self.height() - 18
        painter.setFont(font(11))
        low, high = (write(v, picture.unit) for v in (picture.low, picture.high))
        if picture.log and picture.low > np.nanmin(picture.cells):
            low = f"\u2264 {low}"
        painter.setPen(QColor(theme.text2))
        x = float(LEFT_MARGIN)
        painter.drawText(QPointF(x, y + 10), low)
        x += painter.fontMetrics().horizontalAdvance(low) + 6
        band = QRectF(x, y + 2, 72, 8)
        gradient = QLinearGradient(band.topLeft(), band.topRight())
        colours = heat_colours(theme, 16).tolist()
        for k, colour in enumerate(colours):
            gradient.setColorAt(k / (len(colours) - 1), QColor(*colour))
        painter.fillRect(band, gradient)
        words = f"{high}{', log' if picture.log else ''}"
        if not picture.exact:
            rows, columns = picture.grid.values.shape
            each = -(-rows // picture.cells.shape[0]) * -(
                -columns // picture.cells.shape[1]
            )
            words += tr(
                "; {merge} of {each} cells a pixel",
                merge=MERGES[picture.request.merge].lower(),
                each=grouped(each),
            )
        painter.drawText(QPointF(band.right() + 6, y + 10), words)

    # The mouse

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture that fits."""
        super().resizeEvent(event)
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag."""
        if event.button() == Qt.MouseButton.LeftButton and self.picture is not None:
            self._pressed, self._at = event.position(), None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag further, or tell what is there."""
        at = event.position()
        if self._pressed is not None:
            moved = at - self._pressed
            if self._at is not None or abs(moved.x()) > CLICK_TOLERANCE:
                self._at = at
                self.update()
            return
        cell = self.cell_at(at)
        if cell is None or self.picture is None:
            self.tell(event, "")
            return
        words = cell_text(self.picture, *cell)
        self.tell(event, words)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the cell that was clicked, or show the time that was dragged over."""
        pressed, at = self._pressed, self._at
        self._pressed = self._at = None
        self.update()
        if pressed is None or self.picture is None:
            return
        if at is None:
            cell = self.cell_at(event.position())
            if cell is not None:
                go_to_cell(self._session, self.picture, *cell)
            return
        area, count = self.area, len(self.picture.grid.iteration)
        ends = sorted(
            min(max(int((x - area.left()) / area.width() * count), 0), count - 1)
            for x in (pressed.x(), at.x())
        )
        span = self.picture.grid.span(*ends)
        if span is not None:
            self._session.update(window=span)


def cells_image(picture: GridPicture, theme: Theme) -> QImage:
    """Colour the cells; those outside of the brush are pale."""
    shares = picture.shares()
    valid = ~np.isnan(shares)
    steps = np.where(valid, np.nan_to_num(shares) * (STEPS - 1), 0)
    colours = heat_colours(theme)[steps.round().astype(np.int64)]
    ground = np.array(rgb(theme.panel), np.float64)
    brush = picture.request.brush
    if brush is not None:
        inside = (picture.cells >= brush[0]) & (picture.cells < brush[1])
        pale = (0.25 * colours + 0.75 * ground).round().astype(np.uint8)
        colours = np.where(inside[:, :, None], colours, pale)
    colours = np.where(valid[:, :, None], colours, np.array(rgb(theme.window)))
    rows, columns = shares.shape
    pixels = np.full((rows, columns, 4), 255, np.uint8)
    pixels[:, :, :3] = colours[:, :, ::-1]
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
    return image.copy()  # its own memory


def _bars(values: "np.ndarray", most: int) -> list[tuple[tuple[float, float], float]]:
    """Return place, width and length of bars as shares; of several the greatest."""
    count = len(values)
    bounds = bounds_of(count, most)
    tops = np.fmax.reduceat(values, bounds[:-1]) if count else values
    high = float(np.nanmax(tops, initial=0.0)) or 1.0
    starts, widths = bounds[:-1] / count, np.diff(bounds) / count
    spans = zip(starts.tolist(), widths.tolist(), strict=True)
    return list(zip(spans, (np.maximum(tops, 0) / high).tolist(), strict=True))


def shown_columns(
    picture: GridPicture, window: tuple[int, int]
) -> tuple[int, int] | None:
    """First and last column that has an iteration in a time window."""
    grid = picture.grid
    visible = np.flatnonzero((grid.begin < window[1]) & (grid.end > window[0]))
    if not len(visible) or len(visible) == len(grid.begin):
        return None
    return int(visible[0]), int(visible[-1])


def cell_text(picture: GridPicture, rank: int, column: int) -> str:
    """Describe a cell: rank, iteration, number, and whether it stands out."""
    grid, unit = picture.grid, picture.unit
    value = float(grid.values[rank, column])
    words = tr(
        "rank {rank}, {name}: {value}",
        rank=rank,
        name=grid.name(column),
        value=write(value, unit),
    )
    if grid.outliers[rank, column]:
        own = grid.values[rank]
        usual = float(np.median(own[own > 0]))
        words += tr("\n{value:.3g} times the median of its rank", value=value / usual)
    whole = write(float(grid.of_iteration[column]), unit)
    words += tr("\nall ranks in this iteration: {whole}", whole=whole)
    return words


def go_to_cell(session: Session, picture: GridPicture, rank: int, column: int) -> None:
    """Show an iteration's time, and select the rank at its begin."""
    own = picture.grid.span(column, column, rank)
    every = picture.grid.span(column, column)
    if own is None or every is None:
        return
    chosen = replace(session.state.selection, ranks=(rank,), edge=None, flow=None)
    chosen = replace(chosen, call=None) if chosen.call is not None else chosen
    kept = chosen if chosen.statement is not None or chosen.lines else None
    session.update(
        window=every,
        time=own[0],
        selection=kept or Selection(ranks=(rank,)),
        picked=Picked("rank", rank),
        playing=False,
    )
