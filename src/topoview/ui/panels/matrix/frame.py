"""Geometry of the matrix: where its parts are, and which pair of ranks is where."""

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from topoview.scene.flat.matrix_pixels import MatrixExtract

LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN = 46, 26, 14, 44
MIN_RANKS_SHOWN = 4
"""Ranks that the nearest zoom shows along a side."""


@dataclass(frozen=True, slots=True)
class MatrixZoom:
    """What of the matrix is seen: first column and row, and ranks along a side."""

    left: float
    top: float
    count: float

    def clamped(self, ranks: int) -> "MatrixZoom":
        """Move it into the matrix."""
        count = min(max(self.count, min(MIN_RANKS_SHOWN, ranks)), ranks)
        most = ranks - count
        return MatrixZoom(
            min(max(self.left, 0.0), most), min(max(self.top, 0.0), most), count
        )

    def magnified(self, factor: float, x: float, y: float, ranks: int) -> "MatrixZoom":
        """Magnify around a place, which keeps where it is."""
        count = min(max(self.count / factor, min(MIN_RANKS_SHOWN, ranks)), ranks)
        share = count / self.count
        left = x - (x - self.left) * share
        top = y - (y - self.top) * share
        return MatrixZoom(left, top, count).clamped(ranks)

    @property
    def extract(self) -> MatrixExtract:
        """Whole ranks of it."""
        left, top = math.floor(self.left + 1e-9), math.floor(self.top + 1e-9)
        ends = self.left + self.count, self.top + self.count
        right, bottom = (math.ceil(end - 1e-9) for end in ends)
        return MatrixExtract(left, top, max(right - left, bottom - top, 1))


@dataclass(frozen=True, slots=True)
class MatrixFrame:
    """Geometry of a matrix in a widget of a given size; logical pixels."""

    width: int
    height: int
    """`width` and `height`: size of the whole."""
    zoom: MatrixZoom
    """What is seen."""

    @property
    def side(self) -> int:
        """Width and height of the matrix."""
        room = min(
            self.width - LEFT_MARGIN - RIGHT_MARGIN,
            self.height - TOP_MARGIN - BOTTOM_MARGIN,
        )
        return max(room, 16)

    @property
    def area(self) -> QRectF:
        """Where the matrix is: in the middle of what is there."""
        spare = max(self.width - LEFT_MARGIN - RIGHT_MARGIN - self.side, 0)
        return QRectF(LEFT_MARGIN + spare // 2, TOP_MARGIN, self.side, self.side)

    @property
    def cell(self) -> float:
        """Pixels of a rank."""
        return self.side / self.zoom.count

    def x(self, place: float) -> float:
        """Where a column begins."""
        return self.area.left() + (place - self.zoom.left) * self.cell

    def y(self, place: float) -> float:
        """Where a row begins."""
        return self.area.top() + (place - self.zoom.top) * self.cell

    def box(self, left: float, top: float, right: float, bottom: float) -> QRectF:
        """Where some columns and rows are; the last ones excluded."""
        at = QPointF(self.x(left), self.y(top))
        return QRectF(at, QPointF(self.x(right), self.y(bottom)))

    def place(self, at: QPointF) -> tuple[float, float]:
        """Column and row at a point, fractions of them told."""
        x = self.zoom.left + (at.x() - self.area.left()) / self.cell
        y = self.zoom.top + (at.y() - self.area.top()) / self.cell
        return x, y
