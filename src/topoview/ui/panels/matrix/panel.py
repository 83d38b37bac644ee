"""The panel of the communication matrix: the picture, and what it counts."""

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QWidget

from topoview.base.text import in_sentence, plural, plural_noun, size_text, tr, write
from topoview.live.tables.parts.parts import communicator_names, phases_of
from topoview.model import Analysis, Table
from topoview.report.formats.matrix import level_words, matrix_table
from topoview.scene.flat.matrix_pixels import possible_matrix_orders
from topoview.session import Session, State
from topoview.ui.panels.empty import why_no_topology
from topoview.ui.panels.matrix import content
from topoview.ui.panels.matrix.view import MatrixView
from topoview.ui.panels.options import MatrixOptions, MatrixPart
from topoview.ui.widgets.controls import ChoiceBox, ScopeBar
from topoview.ui.widgets.latest_only import LastMade
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.panel import AskingPanel, PointedThing
from topoview.ui.widgets.theme import font

ORDER_TEXTS = {"rank": tr("Rank"), "place": tr("Topology"), "node": tr("Host")}


class MatrixPanel(AskingPanel[content.MatrixRequest, content.MatrixPicture]):
    """Shows who sends how much to whom."""

    PARTS = (
        "analysis",
        "opening",
        "window",
        "selection",
        "theme",
        "match",
        "scope",
        MatrixOptions,
        MatrixPart,
    )

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, content.MatrixMaker().picture)
        self._keep = LastMade()
        self.scopes = ScopeBar(session, self.content)
        self.order_box = ChoiceBox(
            tr("Order of the ranks"),
            session.setter(MatrixOptions, "order"),
            tip=tr("Order of the ranks along both sides"),
        )
        self.order_box.setMinimumContentsLength(6)
        self.dock_bar.add_control(self.order_box)
        self.parts = PartBar(session, self.content)
        self.view = MatrixView(session, self.content)
        self.view.menu_asked.connect(
            lambda title, at: self.menu_asked.emit(PointedThing(title), at)
        )
        self.view.looked.connect(self.ask)
        for widget in (self.scopes, self.parts):
            self.column.addWidget(widget)
        self.column.addWidget(self.view, 1)
        tip, take = tr("What the colours show"), session.setter(MatrixOptions, "amount")
        self.amounts = ChoiceBox(tip, take, tip=tip)
        self.dock_bar.add_control(self.amounts)

    def request(self, state: State) -> content.MatrixRequest | None:
        """Ask for what is seen of the matrix."""
        if state.analysis is None or state.analysis.matrix is None:
            return None
        return self.view.request(state)

    def show_result(self, result: content.MatrixPicture) -> None:
        """Show another picture."""
        self.view.show_picture(result)

    def clear(self) -> None:
        """Show no picture."""
        self.view.show_picture(None)

    def show_state(self, state: State) -> None:
        """Show the choices, and which are chosen."""
        analysis = state.analysis
        matrix = None if analysis is None else analysis.matrix
        self.amounts.setVisible(matrix is not None)
        self.view.update()
        if analysis is None or matrix is None:
            return
        trace, match = analysis.trace, state.derived.match
        names = self._keep(
            "orders", (trace, match), lambda: possible_matrix_orders(trace, match)
        )
        order = state.of(MatrixOptions).order
        order = order if order in names else "rank"
        texts = {
            name: tr("By {order}", order=in_sentence(ORDER_TEXTS[name]))
            for name in names
        }
        self.order_box.offer(texts, order)
        amounts = offered_amounts(analysis)
        self.amounts.offer(amounts, shown_amount(state, amounts))
        self.parts.show_state(state)

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there is no matrix."""
        return why_no_topology(state.analysis, going_on=state.opening is not None)

    def remark(self) -> tuple[str, str]:
        """Return how much there is of what is shown."""
        state = self.session.state
        analysis, scope = state.analysis, content.effective_scope(state)
        options = state.of(MatrixOptions), state.of(MatrixPart)
        key = analysis, state.scope, scope, *options
        return self._keep("words", key, lambda: counted_words(state))

    def listing(self) -> Table | None:
        """Return the pairs that communicate, of what is counted."""
        return None if self.result is None else matrix_table(self.result.matrix)

    def paint_at(self, painter: QPainter, size: QSize) -> None:
        """Paint the matrix alone."""
        self.view.paint_at(painter, size)


MAX_COMMUNICATORS_OFFERED = 500
"""Communicators of several ranks in the box, the first ones."""


class PartBar(QWidget):
    """Chooses communicator, phase, collective operations, and a binary matrix."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = session
        self.setFixedHeight(34)
        row = filled(QHBoxLayout(self), margins=(10, 2, 8, 2))
        self.communicators = self._box(
            "communicator", tr("Messages on this communicator")
        )
        self.phases = self._box("phase", tr("Messages sent in this phase"))
        self.levels = self._box(
            "level",
            tr(
                "Full: numbers. Binary: which pairs exchange at least so much, both "
                "ways together"
            ),
        )
        self.collectives = QCheckBox(tr("Collectives"), self)
        self.collectives.setToolTip(
            tr(
                "Count collective operations, too, each as the messages of one "
                "algorithm: Bcast and Reduce as a binomial tree, Allreduce and "
                "Allgather by recursive doubling with little data, as a ring with more"
            )
        )
        self.collectives.clicked.connect(session.setter(MatrixPart, "collectives"))
        row.setSpacing(BOX_GAP)
        self.boxes = self.communicators, self.phases, self.levels
        for box in self.boxes:
            box.setFont(font(12))
            row.addWidget(box, box is self.communicators)
        row.addWidget(self.collectives)
        self._offered: object = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show what boxes say at first where there is room."""
        super().resizeEvent(event)
        beside = self.collectives.sizeHint().width()
        there = sum(BOX_WIDTHS) + beside + 6 * BOX_GAP <= self.width()
        for box, wide in zip(self.boxes, BOX_WIDTHS, strict=True):
            box.setMinimumWidth(wide * there)

    def _box(self, field: str, tip: str) -> ChoiceBox:
        box = ChoiceBox(tip, self.session.setter(MatrixPart, field), self, tip)
        box.setMinimumContentsLength(3)
        box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        return box

    def show_state(self, state: State) -> None:
        """Show what is chosen."""
        analysis = state.analysis
        assert analysis is not None
        assert analysis.matrix is not None
        if self._offered != analysis:
            self._offered = analysis
            self._offer(analysis)
        part = state.of(MatrixPart)
        for box, value in (
            (self.communicators, part.communicator),
            (self.phases, part.phase),
            (self.levels, part.level),
        ):
            box.choose(value)
        self.collectives.setChecked(part.collectives)
        apart = (
            analysis.matrix.one_sided
            or state.of(MatrixOptions).amount == content.ONE_SIDED
        )
        apart |= analysis.trace.digest is not None  # its matrix is of the whole run
        self.collectives.setVisible(bool(len(analysis.trace.collectives)) and not apart)
        self.communicators.setVisible(self.communicators.count() > 2 and not apart)
        self.phases.setVisible(
            self.phases.count() > 1 and analysis.trace.digest is None
        )

    def _offer(self, analysis: Analysis) -> None:
        """List the choices."""
        assert analysis.matrix is not None
        for box, first in (
            (self.communicators, tr("Communicator")),
            (self.phases, tr("Phase")),
            (self.levels, tr("Full")),
        ):
            box.clear()
            box.addItem(first, None)
        several = np.flatnonzero(analysis.trace.communicator_sizes > 1)
        several = several[:MAX_COMMUNICATORS_OFFERED]
        names = communicator_names(analysis, several)
        for name, number in zip(names, several.tolist(), strict=True):
            self.communicators.addItem(name, number)
        for number, phase in enumerate(phases_of(analysis)):
            self.phases.addItem(tr("Phase {name}", name=phase.name), number)
        for number, words in enumerate(level_words(analysis.matrix)):
            self.levels.addItem(tr("Binary: {words}", words=words), number)
        for box in (self.communicators, self.phases, self.levels):
            width = box.view().sizeHintForColumn(0) + 24
            box.view().setMinimumWidth(min(width, MAX_LIST_WIDTH))


BOX_GAP = 4
BOX_WIDTHS = (126, 78, 54)
"""Pixels of the boxes that show all of what they say at first."""

MAX_LIST_WIDTH = 360
"""Pixels of an open list."""


def offered_amounts(analysis: Analysis) -> dict[str, str]:
    """Return the amounts that there are, by name."""
    assert analysis.matrix is not None
    texts = dict(
        content.TRANSFER_TEXTS if analysis.matrix.one_sided else content.AMOUNT_TEXTS
    )
    if analysis.one_sided is None:
        texts.pop(content.ONE_SIDED, None)
    if analysis.waits is None or analysis.trace.digest is not None:
        texts.pop("wait", None)
    return texts


def shown_amount(state: State, offered: Mapping[str, str]) -> str:
    """Return the amount that is shown: the chosen one if there is one of that name."""
    amount = state.of(MatrixOptions).amount
    return amount if amount in offered else "bytes"


def counted_words(state: State) -> tuple[str, str]:
    """Describe how much there is of the amount that is shown, and more of it."""
    analysis = state.analysis
    if analysis is None or analysis.matrix is None:
        return "", ""
    if why := content.scope_remark(state):
        return why, ""
    amount, matrix = shown_amount(state, offered_amounts(analysis)), analysis.matrix
    if amount == content.ONE_SIDED and analysis.one_sided is not None:
        matrix = analysis.one_sided
    calls, volume = int(matrix.counts.sum()), int(matrix.sizes.sum())
    size, count = size_text(volume), plural(calls, matrix.noun)
    length = analysis.trace.clock.seconds(analysis.trace.clock.ticks_read)
    part = state.scope not in content.WHOLE or state.of(MatrixPart) != MatrixPart()
    counted = tr("part of {amount}") if part else tr("{amount} in all")
    over = tr("{amount} over the run")
    if amount == content.ONE_SIDED:
        return (
            tr("{size} of one-sided transfers", size=size),
            tr("{count}, counted apart from messages", count=count),
        )
    if amount == "calls/s":
        noun = plural_noun(matrix.noun)
        count = tr("{rate} {calls}/s", rate=write(calls / length), calls=noun)
    return {
        "bytes": counted.format(amount=size),
        "calls": counted.format(amount=count),
        "mean": content.each_text(size_text(round(volume / max(calls, 1))), matrix),
        "calls/s": over.format(amount=count),
        "bytes/s": over.format(amount=f"{size_text(volume / length)}/s"),
        "wait": tr("column waited for row"),
    }[amount], ""
