"""How long calls take on each rank: a heat map of ranks by durations, to click."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from topoview.base.text import plural, tr, write
from topoview.live.picking.details.calls import rank_of_call
from topoview.live.tables.search.find import brushed_text
from topoview.live.tables.search.query import QueryError, parse_query
from topoview.live.tables.statistics.by_group import Statistics
from topoview.live.tables.statistics.histogram import RankHistogram, rank_histogram
from topoview.model import Analysis
from topoview.scene.palette import Theme, rgb
from topoview.session import Selection, Session
from topoview.ui.panels.iterations.heat_map import heat_colours
from topoview.ui.widgets.charts.chart import CellChart
from topoview.ui.widgets.charts.histogram import paint_marks, round_pace
from topoview.ui.widgets.theme import RIGHT, font, letter

MIN_LABEL_HEIGHT = 14


@dataclass(frozen=True, slots=True, eq=False)
class DurationMap:
    """Durations of calls by rank."""

    analysis: Analysis
    function: str
    """MPI function that they are calls of; empty: any."""
    counted: RankHistogram

    def query(self, row: int, column: int) -> str:
        """Write the query that finds the calls of a cell."""
        first = self.counted.first
        low, high = int(first[row]), int(first[row + 1]) - 1
        ranks = f"rank {low}" if low == high else f"rank {low}-{high}"
        span = self.counted.bins.span(column, column)
        return brushed_text(f"{self.function} {ranks}".strip(), "duration", span)

    def cell_of(self, call: int) -> tuple[int, int] | None:
        """Return row and column of a call; None if it is not counted."""
        trace = self.analysis.trace
        operation = trace.regions.operation[trace.calls.region[call]]
        name = trace.regions.operations[operation] if operation >= 0 else ""
        if self.function and name != self.function:
            return None
        took = trace.calls.leave[call] - trace.calls.enter[call]
        edges = self.counted.bins.edges
        column = np.searchsorted(edges, took / trace.clock.resolution, "right") - 1
        rank = rank_of_call(trace, call)
        row = np.searchsorted(self.counted.first, rank, side="right") - 1
        inside = 0 <= column < len(edges) - 1
        return (int(row), int(column)) if inside else None


def function_of(selection: Selection, operations: tuple[str, ...]) -> str:
    """Return the MPI function that a selection is about; empty for none, or several."""
    if selection.operation or not selection.query:
        return selection.operation
    with suppress(QueryError):
        names = parse_query(selection.query).functions
        own = [name for name in operations if name.lower() in names]
        return own[0] if len(own) == len(names) == 1 else ""
    return ""


def duration_map(analysis: Analysis, counted: Statistics, function: str) -> DurationMap:
    """Count the calls of a function, of any if it is empty, by rank and duration."""
    trace, calls = analysis.trace, counted.calls
    if function:
        wanted = np.array([name == function for name in trace.regions.operations])
        operation = trace.regions.operation[trace.calls.region[calls]]
        calls = calls[np.append(wanted, False)[operation]]
    rank = counted.search.rank_of(calls).astype(np.int64)
    values = counted.search.numbers("duration", calls)
    return DurationMap(analysis, function, rank_histogram(values, rank, trace.ranks))


class DurationsView(CellChart):
    """Draws the map; a click on a cell selects its calls, another one lets them go."""

    MARGINS = (44, 6, 12, 20)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session, parent, tr("Durations by rank"))
        self.shown: DurationMap | None = None
        self._queried: tuple[DurationMap | None, str, list[tuple[int, int]]]
        self._queried = None, "", []

    def show_map(self, shown: DurationMap | None) -> None:
        """Show another map; None: none."""
        self.shown = shown
        self.update()

    @property
    def cells(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        assert self.shown is not None
        rows, columns = self.shown.counted.counts.shape
        return rows, columns

    def cell_at(self, at: QPointF) -> tuple[int, int] | None:
        """Return row and column of the cell at a point; None where no call is."""
        if self.shown is None or (shares := self.shares(at)) is None:
            return None
        counts, (rows, columns) = self.shown.counted.counts, self.cells
        row = min(int(shares[0] * rows), rows - 1)
        column = min(int(shares[1] * columns), columns - 1)
        return (row, column) if counts[row, column] else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw cells, axes, and where the selected call is."""
        if self.shown is not None and self.shown.counted.counts.any():
            painter.drawImage(self.area, _image(self.shown.counted, theme))
            self._paint_axes(painter, theme, self.shown)
            self._paint_selected(painter, theme, self.shown)

    def _paint_axes(self, painter: QPainter, theme: Theme, shown: DurationMap) -> None:
        area, first = self.area, shown.counted.first
        painter.setPen(QColor(theme.rule))
        painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))
        letter(painter, font(11), theme.text2)
        ranks = int(first[-1])
        pace = round_pace(max(ranks * MIN_LABEL_HEIGHT / area.height(), 1.0))
        for rank in range(0, ranks, int(pace)):
            row = int(np.searchsorted(first, rank, side="right")) - 1
            middle = self.box(row, 0).center().y()
            line = QRectF(0, middle - 7, area.left() - 6, 14)
            painter.drawText(line, RIGHT, str(rank))
        paint_marks(painter, shown.counted.bins, "s", area, 0.0)

    def _paint_selected(
        self, painter: QPainter, theme: Theme, shown: DurationMap
    ) -> None:
        """Frame the cells of the selected call and of the selected query."""
        chosen, cells = self._session.state.selection, []
        if chosen.call is not None and chosen.call < len(shown.analysis.trace.calls):
            cells.append(shown.cell_of(chosen.call))
        if chosen.query:
            cells += self._cells_of(shown, chosen.query)
        for cell in filter(None, cells):
            box = self.box(*cell).adjusted(-1.5, -1.5, 1.5, 1.5)
            painter.setPen(QPen(QColor(theme.panel), 4))
            painter.drawRect(box)
            painter.setPen(QPen(QColor(theme.ink), 2))
            painter.drawRect(box)

    def _cells_of(self, shown: DurationMap, query: str) -> list[tuple[int, int]]:
        """Find the cells of a query, among thousands: anew only if one of both is."""
        if self._queried[:2] != (shown, query):
            every = np.argwhere(shown.counted.counts).tolist()
            cells = [(r, c) for r, c in every if shown.query(r, c) == query]
            self._queried = shown, query, cells
        return self._queried[2]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what a cell counts."""
        cell = self.cell_at(event.position())
        if cell is None or self.shown is None:
            self.tell(event, "")
            return
        counted = self.shown.counted
        low, high = counted.bins.span(cell[1], cell[1])
        first, last = (int(counted.first[cell[0] + k]) - k for k in (0, 1))
        text = tr(
            "{calls} of {low} to {high} on {ranks}",
            calls=plural(int(counted.counts[cell]), "call"),
            low=write(low, "s"),
            high=write(high, "s"),
            ranks=tr("rank {rank}", rank=first)
            if first == last
            else tr("ranks {first} to {last}", first=first, last=last),
        )
        self.tell(event, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select the calls of a cell; of the same one again: nothing."""
        cell = self.cell_at(event.position())
        if cell is None or self.shown is None:
            return
        query = self.shown.query(*cell)
        same = self._session.state.selection.query == query
        self._session.choose(query="" if same else query)


def _image(counted: RankHistogram, theme: Theme) -> QImage:
    """Colour the cells by the logarithm of their counts; none has the ground's."""
    counts = counted.counts
    colours = heat_colours(theme)
    shares = np.log1p(counts) / np.log1p(counts.max())
    step = (0.12 + 0.88 * shares) * (len(colours) - 1)  # one call is seen, too
    pixels = np.full((*counts.shape, 4), 255, np.uint8)
    ground = np.array(rgb(theme.panel), np.uint8)
    shades = colours[step.astype(np.int64)]
    pixels[:, :, :3] = np.where(counts[:, :, None] > 0, shades, ground)[:, :, ::-1]
    rows, columns = counts.shape
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
    return image.copy()  # its own memory
