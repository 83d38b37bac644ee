"""The panel Iterations: heat map, histogram, slowest first, wait by direction."""

from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, tr
from topoview.live.tables.iteration_grid import (
    OUTLIER_RATIO,
    DirectionWaits,
    OutlierGroup,
)
from topoview.live.timeline.orders import RowOrder, row_order
from topoview.model import Column, MPIState, Schema, Table, words
from topoview.scene.palette import THEMES
from topoview.session import Session, State
from topoview.ui.panels.empty import why_no_logical
from topoview.ui.panels.iterations.content import (
    GridMaker,
    GridPicture,
    GridRequest,
    amount_texts,
    grid_request,
)
from topoview.ui.panels.iterations.heat_map import HeatMap, go_to_cell
from topoview.ui.panels.options import IterationOptions
from topoview.ui.widgets.controls import (
    DockBar,
    Segmented,
    offer_items,
)
from topoview.ui.widgets.histogram import HistogramData, HistogramView
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.panel import EmptyView, Panel, scrolled, stacked
from topoview.ui.widgets.table import NO_TABLE, TableModel, TableView
from topoview.ui.widgets.theme import font

RULE = tr(
    "above {outlier_ratio:g} times the median of the rank's own iterations",
    outlier_ratio=OUTLIER_RATIO,
)


def slowest_table(picture: GridPicture) -> Table:
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


def outlier_table(picture: GridPicture) -> Table:
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


def group_text(picture: GridPicture, group: OutlierGroup) -> str:
    """Name outliers by the delay that caused them, else by their rank."""
    delays = picture.request.analysis.delays
    if group.delay < 0 or delays is None:
        return tr("Rank {rank}", rank=group.ranks[0])
    return tr("Delay of rank {rank}", rank=delays.rank[group.delay])


def iterations_text(numbers: list[int]) -> str:
    """Write from which to which iteration: ``9``, ``9\u201314``."""
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low}\u2013{high}"


class DirectionBars(QWidget):
    """Wait of the selected calls by the direction whose message came last."""

    ROW, TOP = 18, 24

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._waits: DirectionWaits | None = None
        self.setAccessibleName(tr("Wait by direction"))
        self.hide()

    def show_waits(self, waits: DirectionWaits | None) -> None:
        """Show other waits; hide without any."""
        self._waits = waits
        count = len(waits.labels) if waits is not None else 0
        self.setVisible(bool(count))
        self.setFixedHeight(self.TOP + min(count, 8) * self.ROW + 6)
        self.update()

    @property
    def waits(self) -> DirectionWaits | None:
        """What is shown."""
        return self._waits

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the bars."""
        theme, waits = THEMES[self._session.state.theme], self._waits
        with QPainter(self) as painter:  # one that is left open crashes Qt
            painter.fillRect(event.rect(), QColor(theme.panel))
            painter.fillRect(0, 0, self.width(), 1, QColor(theme.rule))
            if waits is None or not len(waits.labels):
                return
            painter.setFont(font(12, 600))
            painter.setPen(QColor(theme.text))
            left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(
                QRectF(12, 4, self.width() - 24, 18),
                left,
                tr("Wait of the selection by what came last"),
            )
            painter.setFont(font(12))
            most = float(waits.seconds.max()) or 1.0
            track = max(self.width() - 12 - 92 - 150, 20)
            for row, label in enumerate(waits.labels[:8]):
                y = self.TOP + row * self.ROW
                painter.setPen(QColor(theme.text))
                painter.drawText(QRectF(12, y, 88, self.ROW), left, label)
                bar = QRectF(104, y + 6, track, 6)
                painter.fillRect(bar, QColor(theme.hairline))
                bar.setWidth(max(track * float(waits.seconds[row]) / most, 1.0))
                painter.fillRect(bar, QColor(theme.state_colour(MPIState.WAIT)))
                words = duration_text(float(waits.seconds[row]))
                words += f", {plural(int(waits.calls[row]), 'call')}"
                painter.setPen(QColor(theme.text2))
                box = QRectF(self.width() - 154, y, 142, self.ROW)
                painter.drawText(box, right, words)


class IterationsPanel(Panel):
    """A loop's iterations on all ranks: where they are slow, and who."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.model = TableModel(session)
        self.picture: GridPicture | None = None
        self._listed: tuple[GridPicture | None, str] = (None, "")
        self._request: GridRequest | None = None
        self._ordered: tuple[object, RowOrder] | None = None
        self._worker = LatestOnly[GridRequest, GridPicture | None](
            GridMaker().picture, self._take
        )
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.amounts = QComboBox(self.content)
        self.amounts.setFont(font(12))
        self.amounts.setAccessibleName(tr("What is shown of iterations"))
        self.amounts.activated.connect(
            lambda row: session.change(
                IterationOptions, amount=self.amounts.itemData(row), brush=None
            )
        )
        self.scopes, self.merges = Segmented(self.content), Segmented(self.content)
        self.scopes.chosen.connect(
            lambda name: session.change(IterationOptions, scope=name)
        )
        self.merges.chosen.connect(
            lambda name: session.change(IterationOptions, merge=name)
        )
        self.lists = Segmented(self.content)
        self.lists.setAccessibleName(tr("What is listed"))
        self.lists.chosen.connect(
            lambda name: session.change(IterationOptions, listed=name)
        )
        self.merges.setToolTip(tr("What a pixel of several cells shows"))
        self.map = HeatMap(session, self.content)
        self.map.resized.connect(lambda: self._follow(session.state, session.state))
        self.bars = HistogramView(session, self.content)
        self.bars.brushed.connect(
            lambda brush: session.change(IterationOptions, brush=brush)
        )
        self.view = self._make_table()
        self.directions = DirectionBars(session, self.content)
        self._empty = EmptyView(self)
        self._lay_out()
        self._message: tuple[str, str] | None = None
        self._bar: DockBar | None = None
        parts = (
            "analysis",
            "opening",
            "window",
            "selection",
            "match",
            "timeline",
            "theme",
            IterationOptions,
        )
        ended = session.subscribe(self._follow, to=parts)
        for end in (self._worker.stop, ended):
            self.destroyed.connect(end)
        self._follow(State(), session.state)

    def _make_table(self) -> TableView:
        view = TableView(self.model, tr("Slowest iterations"), self.content)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.chosen.connect(self._go)
        view.setMinimumHeight(72)
        self.offer_menu(view)
        return view

    def _lay_out(self) -> None:
        chips = QHBoxLayout()
        chips.setContentsMargins(10, 6, 10, 2)
        for widget in (self.amounts, self.scopes, self.merges):
            chips.addWidget(widget)
        chips.addStretch(1)
        lists = QHBoxLayout()
        lists.setContentsMargins(10, 4, 10, 2)
        lists.addWidget(self.lists)
        lists.addStretch(1)
        self._side = QWidget(self.content)
        side = QVBoxLayout(self._side)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(0)
        side.addWidget(self.bars)
        side.addLayout(lists)
        side.addWidget(self.view, 1)
        side.addWidget(self.directions)
        self.bars.setFixedHeight(88)
        self._both = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._both.setSpacing(0)
        self._both.addWidget(self.map, 5)
        self._both.addWidget(self._side, 4)
        rows = QVBoxLayout(self.content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(chips)
        rows.addLayout(self._both, 1)
        self._page = scrolled(self.content)
        self._stack = stacked(self, self._empty, self._page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the list beside the map where there is room."""
        super().resizeEvent(event)
        way = QBoxLayout.Direction
        wide = self.width() >= WIDE
        self._both.setDirection(way.LeftToRight if wide else way.TopToBottom)
        self._both.setStretch(0, 2 if wide else 5)
        self._both.setStretch(1, 1 if wide else 4)

    def sizeHint(self) -> QSize:
        """Return the size in a window of 1280x800."""
        return QSize(388, 460)

    def _follow(self, old: State, new: State) -> None:
        options, analysis = new.of(IterationOptions), new.analysis
        reason = why_no_logical(analysis, going_on=new.opening is not None)
        if reason[0]:
            self._tell(reason)
        if analysis is not None:
            offer_items(self.amounts, amount_texts(analysis), options.amount)
        scopes = [("run", tr("Run")), ("window", tr("Window"))]
        self.scopes.offer(scopes, options.scope)
        self.lists.offer(list(LIST_TEXTS.items()), options.listed)
        self._list()
        self.merges.offer([("maximum", tr("Max")), ("mean", tr("Mean"))], options.merge)
        if old.theme != new.theme or old.window != new.window:
            self.map.update()
            self.bars.update()
            self.directions.update()
        if not self.isVisible():
            return  # asked when it is seen
        request = None
        if analysis is not None:
            request = grid_request(new, self._order(new), self.map.pixels)
        if request is None:
            self._request = None
            self._show(None)
        elif request != self._request:
            self._request = request
            self._worker.ask(request)
        else:
            self.map.update()

    def _order(self, state: State) -> RowOrder:
        """Order of the rows, the same one as long as nothing of it changes."""
        analysis, chosen = state.analysis, state.timeline
        trace = analysis.trace if analysis else None
        key = trace, state.derived.match, chosen.order, chosen.origin
        if self._ordered is None or self._ordered[0] != key:
            self._ordered = key, row_order(state)
        return self._ordered[1]

    def showEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's name
        """Show what changed while nobody looked."""
        self._follow(self.session.state, self.session.state)

    def _take(self, request: GridRequest, picture: GridPicture | None) -> None:
        if request == self._request:
            self._show(picture)

    def _show(self, picture: GridPicture | None) -> None:
        self.picture = picture
        self._list()
        self.map.show_picture(picture)
        if picture is None:
            self.bars.show_bins(None)
            self.directions.show_waits(None)
            if self._request is not None:
                digest = self._request.analysis.trace.digest is not None
                self._tell(NOT_KEPT if digest else NO_LOOP)
        else:
            self._stack.setCurrentWidget(self._page)
            self._message = None
            self.merges.setVisible(not picture.exact)
            request = picture.request
            self.bars.show_bins(
                HistogramData(picture.bins, "cell", picture.unit, request.brush)
            )
            self.directions.show_waits(picture.directions)
        if self._bar is not None:
            self._tell_bar(self._bar)

    def _tell(self, message: tuple[str, str]) -> None:
        if message != self._message:
            self._message = message
            self._empty.tell(*message)
        self._stack.setCurrentWidget(self._empty)

    def _list(self) -> None:
        """List what the options say of the picture."""
        listed = self.session.state.of(IterationOptions).listed
        if (self.picture, listed) == self._listed:
            return
        self._listed = self.picture, listed
        self.model.show(LISTS[listed](self.picture) if self.picture else NO_TABLE)

    def _go(self, place: int) -> None:
        picture, listed = self._listed
        if picture is None:
            return
        row = self.model.row(place)
        if listed == "outliers":
            group = picture.outliers[row]
            cell = int(group.ranks[0]), int(group.columns[0])
        else:
            cell = int(self.model.table["rank"][row]), int(picture.slowest[row])
        go_to_cell(self.session, picture, *cell)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    def listing(self) -> Table | None:
        """Return a row for each iteration and rank."""
        picture = self.picture
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

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        self._bar = DockBar(title)
        self._bar.destroyed.connect(partial(setattr, self, "_bar", None))
        self._tell_bar(self._bar)
        return self._bar

    def _tell_bar(self, bar: DockBar) -> None:
        picture = self.picture
        if picture is None:
            bar.tell("")
            return
        grid = picture.grid
        count, outliers = len(grid.iteration), int(grid.outliers.sum())
        words = tr(
            "{iterations} × {ranks}",
            iterations=plural(count, "iteration"),
            ranks=plural(len(grid.values), "rank"),
        )
        if outliers:
            words += tr(
                ", {outliers} above {outlier_ratio:g} × median",
                outliers=grouped(outliers),
                outlier_ratio=OUTLIER_RATIO,
            )
        bar.tell(words, tr("Outliers are {rule}", rule=RULE) if outliers else "")
