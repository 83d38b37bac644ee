"""The panel Iterations: heat map, histogram, slowest first, wait by direction."""

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QBoxLayout, QHBoxLayout, QWidget

from topoview.base.text import duration_text, grouped, plural, tr
from topoview.live.tables import iteration_grid
from topoview.live.timeline.orders import row_order
from topoview.model import Column, Schema, Table, TimeState, words
from topoview.scene.palette import Theme
from topoview.session import Session, State
from topoview.ui.panels.empty import why_no_logical
from topoview.ui.panels.iterations import content
from topoview.ui.panels.iterations.heat_map import HeatMap, go_to_cell
from topoview.ui.panels.options import RUN_OR_WINDOW, IterationOptions
from topoview.ui.widgets.charts.chart import Chart
from topoview.ui.widgets.charts.histogram import HistogramData, HistogramView
from topoview.ui.widgets.controls import ChoiceBox, Segmented
from topoview.ui.widgets.latest_only import LastMade
from topoview.ui.widgets.layouts import bare_column, filled
from topoview.ui.widgets.panel import TablePanel
from topoview.ui.widgets.table import NO_TABLE
from topoview.ui.widgets.theme import LEFT, RIGHT, font, letter

RULE = tr(
    "above {outlier_ratio:g} times the median of the rank's own iterations",
    outlier_ratio=iteration_grid.OUTLIER_RATIO,
)


def slowest_table(picture: content.GridPicture) -> Table:
    """Return iterations, that with the greatest sum first."""
    schema = Schema(
        Column("iteration", "#", tr("iteration"), tr("Iteration of the loop, from 1")),
        Column("rank", "#", tr("rank"), tr("Rank with the greatest number")),
        Column("most", picture.unit, tr("most"), tr("Its number")),
        Column("sum", picture.unit, tr("sum"), tr("Sum over all ranks")),
        Column(
            "outliers",
            "",
            tr("outliers"),
            tr("Ranks {rule}", rule=RULE),
            codes={0: ""},
        ),
    )
    grid, columns = picture.grid, picture.slowest
    marked = np.where(picture.marked, grid.values, -np.inf)[:, columns]
    rank = marked.argmax(axis=0)
    return Table(
        schema,
        {
            "iteration": np.asarray(grid.iteration)[columns],
            "rank": rank,
            "most": grid.values[rank, columns],
            "sum": np.nansum(grid.values[:, columns], axis=0),
            "outliers": grid.outliers[:, columns].sum(axis=0),
        },
    )


def outlier_table(picture: content.GridPicture) -> Table:
    """Return outliers by their cause."""
    schema = Schema(
        Column(
            "cause",
            "",
            tr("caused by"),
            tr(
                "Delay that these iterations were late by or waited for; else their "
                "rank"
            ),
        ),
        Column(
            "iterations",
            "",
            tr("iterations"),
            tr("From which to which iteration"),
            ordered=True,
        ),
        Column(
            "cells",
            "",
            tr("cells"),
            tr("Iterations of a rank that are {rule}", rule=RULE),
        ),
        Column("most", picture.unit, tr("most"), tr("The greatest number")),
        Column("sum", picture.unit, tr("sum"), tr("Sum of the outliers")),
    )
    grid, groups = picture.grid, picture.outliers
    return Table(
        schema,
        {
            "cause": words([group_text(picture, group) for group in groups]),
            "iterations": words(
                [iterations_text(grid.iteration[g.columns].tolist()) for g in groups]
            ),
            "cells": np.array([len(group.ranks) for group in groups], np.int64),
            "most": np.array([grid.values[g.ranks[0], g.columns[0]] for g in groups]),
            "sum": np.array([group.total for group in groups]),
        },
    )


LISTS = {"iterations": slowest_table, "outliers": outlier_table}
LIST_TEXTS = {"iterations": tr("Slowest"), "outliers": tr("Outliers")}
WIDE = 760
"""Pixels from which the list stands beside the heat map."""

NO_LOOP = (
    tr("No loop"),
    tr("The logical trace has no loop whose iterations could be compared."),
)


NOT_KEPT = (
    tr("Not in the digest"),
    tr(
        "A digest holds the iterations of the main loop only, and none of very many. "
        "Fetch a window of its trace to see others (File > Fetch this window)."
    ),
)


def group_text(picture: content.GridPicture, group: iteration_grid.OutlierGroup) -> str:
    """Name outliers by the delay that caused them, else by their rank."""
    delays = picture.request.analysis.delays
    if group.delay < 0 or delays is None:
        return tr("Rank {rank}", rank=group.ranks[0])
    return tr("Delay of rank {rank}", rank=delays.rank[group.delay])


def iterations_text(numbers: list[int]) -> str:
    """Write from which to which iteration: ``9``, ``9\u201314``."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}\u2013{high}"


class DirectionBars(Chart):
    """Wait of the selected calls by the direction whose message came last."""

    ROW, TOP = 18, 24

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(session, parent, tr("Wait by direction"))
        self.waits: iteration_grid.DirectionWaits | None = None
        """What is shown."""
        self.hide()

    def show_waits(self, waits: iteration_grid.DirectionWaits | None) -> None:
        """Show other waits; hide without any."""
        self.waits = waits
        count = len(waits.labels) if waits is not None else 0
        self.setVisible(bool(count))
        self.setFixedHeight(self.TOP + min(count, 8) * self.ROW + 6)
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw the bars."""
        waits = self.waits
        painter.fillRect(0, 0, self.width(), 1, QColor(theme.rule))
        if waits is None or not len(waits.labels):
            return
        letter(painter, font(12, 600), theme.text)
        title = tr("Wait of the selection by what came last")
        painter.drawText(QRectF(12, 4, self.width() - 24, 18), LEFT, title)
        painter.setFont(font(12))
        most = float(waits.seconds.max()) or 1.0
        track = max(self.width() - 12 - 92 - 150, 20)
        for row, label in enumerate(waits.labels[:8]):
            y = self.TOP + row * self.ROW
            painter.setPen(QColor(theme.text))
            painter.drawText(QRectF(12, y, 88, self.ROW), LEFT, label)
            bar = QRectF(104, y + 6, track, 6)
            painter.fillRect(bar, QColor(theme.hairline))
            bar.setWidth(max(track * float(waits.seconds[row]) / most, 1.0))
            painter.fillRect(bar, QColor(theme.state_colour(TimeState.WAIT)))
            words = duration_text(float(waits.seconds[row]))
            words += f", {plural(int(waits.calls[row]), 'call')}"
            painter.setPen(QColor(theme.text2))
            box = QRectF(self.width() - 154, y, 142, self.ROW)
            painter.drawText(box, RIGHT, words)


class IterationsPanel(TablePanel[content.GridRequest, content.GridPicture | None]):
    """A loop's iterations on all ranks: where they are slow, and who."""

    PARTS = (
        "analysis",
        "opening",
        "window",
        "selection",
        "match",
        "timeline",
        "theme",
        IterationOptions,
    )
    NAME = tr("Slowest iterations")
    SCROLLS = True
    HEIGHT = 460

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, content.GridMaker().picture)
        self._keep = LastMade()
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setMinimumHeight(72)
        take = session.setter(IterationOptions, "amount", brush=None)
        name = tr("What is shown of iterations")
        self.amounts = ChoiceBox(name, take, self.content)
        self.amounts.setFont(font(12))
        take = session.setter(IterationOptions, "scope")
        self.scopes = Segmented(self.content, take)
        take = session.setter(IterationOptions, "merge")
        self.merges = Segmented(self.content, take)
        self.merges.setToolTip(tr("What a pixel of several cells shows"))
        take = session.setter(IterationOptions, "listed")
        self.lists = Segmented(self.content, take, tr("What is listed"))
        self.map = HeatMap(session, self.content)
        self.map.resized.connect(self.ask)
        self.bars = HistogramView(session, self.content)
        self.bars.brushed.connect(session.setter(IterationOptions, "brush"))
        self.directions = DirectionBars(session, self.content)
        self._lay_out()

    def _lay_out(self) -> None:
        lists = filled(QHBoxLayout(), self.lists, 1, margins=(10, 4, 10, 2))
        beside = QWidget(self.content)
        bare_column(beside, self.bars, lists, (self.view, 1), self.directions)
        self.bars.setFixedHeight(88)
        self._both = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._both.setSpacing(0)
        self._both.addWidget(self.map, 5)
        self._both.addWidget(beside, 4)
        self.add_controls(self.amounts, self.scopes, self.merges)
        self.column.addLayout(self._both, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the list beside the map where there is room."""
        super().resizeEvent(event)
        way = QBoxLayout.Direction
        wide = self.width() >= WIDE
        self._both.setDirection(way.LeftToRight if wide else way.TopToBottom)
        self._both.setStretch(0, 2 if wide else 5)
        self._both.setStretch(1, 1 if wide else 4)

    def request(self, state: State) -> content.GridRequest | None:
        """Ask for the grid, with as many cells as there are pixels."""
        if state.analysis is None:
            return None
        trace, chosen = state.analysis.trace, state.timeline
        key = trace, state.derived.match, chosen.order, chosen.origin
        order = self._keep("order", key, lambda: row_order(state))
        return content.grid_request(state, order, self.map.pixels)

    def show_result(self, result: content.GridPicture | None) -> None:
        """Show another grid; None: there is none."""
        self.map.show_picture(result)
        self.directions.show_waits(None if result is None else result.directions)
        if result is None:
            self.bars.show_bins(None)
            return
        self.merges.setVisible(not result.exact)
        brush = result.request.brush
        self.bars.show_bins(HistogramData(result.bins, "cell", result.unit, brush))

    def clear(self) -> None:
        """Show no grid."""
        super().clear()
        self.show_result(None)

    def show_state(self, state: State) -> None:
        """Show what the options say, and list what they name."""
        options, picture = state.of(IterationOptions), self.result
        if state.analysis is not None:
            self.amounts.offer(content.amount_texts(state.analysis), options.amount)
        self.scopes.offer(RUN_OR_WINDOW, options.scope)
        self.lists.offer(LIST_TEXTS, options.listed)
        self.merges.offer(content.MERGES, options.merge)
        make = LISTS[options.listed]
        self.show_table(
            self._keep(
                "list",
                (picture, options.listed),
                lambda: NO_TABLE if picture is None else make(picture),
            )
        )
        for drawn in (self.map, self.bars, self.directions):
            drawn.update()

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there are no iterations."""
        reason = why_no_logical(state.analysis, going_on=state.opening is not None)
        if reason[0] or self.answered is None or self.result is not None:
            return reason
        return NO_LOOP if self.answered.analysis.trace.digest is None else NOT_KEPT

    def choose(self, place: int) -> None:
        """Go to the cell that a row is of."""
        picture, row = self.result, self.model.row(place)
        if picture is None:
            return
        if self.session.state.of(IterationOptions).listed == "outliers":
            group = picture.outliers[row]
            cell = int(group.ranks[0]), int(group.columns[0])
        else:
            cell = int(self.model.table["rank"][row]), int(picture.slowest[row])
        go_to_cell(self.session, picture, *cell)

    def listing(self) -> Table | None:
        """Return a row for each iteration and rank."""
        picture = self.result
        if picture is None:
            return None
        rank, column = np.nonzero(picture.marked)
        schema = Schema(
            Column("rank", "#", tr("rank")),
            Column("iteration", "#", tr("iteration")),
            Column(picture.request.amount, picture.unit, picture.title),
        )
        return Table(
            schema,
            {
                "rank": rank,
                "iteration": np.asarray(picture.grid.iteration)[column],
                picture.request.amount: picture.grid.values[rank, column],
            },
        )

    def remark(self) -> tuple[str, str]:
        """Return how many iterations there are, and how many are outliers."""
        if self.result is None:
            return "", ""
        grid = self.result.grid
        count, outliers = len(grid.iteration), int(grid.outliers.sum())
        text = tr(
            "{iterations} × {ranks}",
            iterations=plural(count, "iteration"),
            ranks=plural(len(grid.values), "rank"),
        )
        if not outliers:
            return text, ""
        text += tr(
            ", {outliers} above {outlier_ratio:g} × median",
            outliers=grouped(outliers),
            outlier_ratio=iteration_grid.OUTLIER_RATIO,
        )
        return text, tr("Outliers are {rule}", rule=RULE)
