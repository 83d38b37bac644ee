"""The panel of the communication matrix: the picture, and what it counts."""

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from topoview.base.text import (
    in_sentence,
    plural,
    plural_noun,
    size_text,
    tr,
    write,
)
from topoview.live.tables.parts import communicator_names, phases_of
from topoview.model import Analysis, Table
from topoview.report.formats.matrix import level_words, matrix_table
from topoview.scene.matrix_pixels import possible_matrix_orders
from topoview.session import Session, State
from topoview.ui.panels.empty import why_no_topology
from topoview.ui.panels.matrix.content import (
    AMOUNT_TEXTS,
    ONE_SIDED,
    TRANSFER_TEXTS,
    each_text,
    effective_scope,
)
from topoview.ui.panels.matrix.view import MatrixView
from topoview.ui.panels.options import MatrixOptions, MatrixPart
from topoview.ui.widgets.controls import DockBar, ElidedBox, ScopeBar, Segmented
from topoview.ui.widgets.panel import EmptyView, Panel, PointedThing, stacked

ORDER_TEXTS = {"rank": tr("Rank"), "place": tr("Topology"), "node": tr("Host")}


class MatrixPanel(Panel):
    """Shows who sends how much to whom."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.empty = EmptyView(self)
        self.scopes = ScopeBar(session, self.content)
        self.orders, self.order_box = Segmented(self.scopes), QComboBox(self.scopes)
        self.orders.chosen.connect(
            lambda name: session.change(MatrixOptions, order=name)
        )
        self.order_box.activated.connect(
            lambda index: session.change(
                MatrixOptions, order=self.order_box.itemData(index)
            )
        )
        for offering in (self.orders, self.order_box):
            offering.setToolTip(tr("Order of the ranks along both sides"))
            offering.setAccessibleName(tr("Order of the ranks"))
            self.scopes.row.addWidget(offering)
        self.view = MatrixView(session, self.content)
        self.view.menu_asked.connect(
            lambda title, at: self.menu_asked.emit(PointedThing(title), at)
        )
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.scopes)
        column.addWidget(PartBar(session, self.content))
        column.addWidget(self.view, 1)
        self._stack = stacked(self, self.content, self.empty)
        self._text: tuple[str, str] | None = None
        self._offered: object = None
        session.subscribe(
            self._show, to=("analysis", "opening", "match", MatrixOptions)
        )
        self._show(State(), session.state)

    def _show(self, old: State, new: State) -> None:
        del old
        analysis = new.analysis
        text = why_no_topology(analysis, going_on=new.opening is not None)
        if text != self._text:
            self._text = text
            self.empty.tell(*text)
            self._stack.setCurrentWidget(self.empty if text[0] else self.content)
        match = new.derived.match
        offered = (
            analysis.trace if analysis else None,
            match,
            new.of(MatrixOptions).order,
        )
        if analysis is None or offered == self._offered:
            return
        self._offered = offered
        names = possible_matrix_orders(analysis.trace, match)
        chosen = (
            new.of(MatrixOptions).order
            if new.of(MatrixOptions).order in names
            else "rank"
        )
        self.orders.offer([(name, ORDER_TEXTS[name]) for name in names], chosen)
        self.order_box.clear()
        for name in names:
            self.order_box.addItem(
                tr("By {order}", order=in_sentence(ORDER_TEXTS[name])), name
            )
        self.order_box.setCurrentIndex(names.index(chosen))
        # a row of three would leave no room for what is counted
        self.orders.setVisible(len(names) == 2)
        self.order_box.setVisible(len(names) > 2)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return self.view.settled

    def listing(self) -> Table | None:
        """Return the pairs that communicate, of what is counted."""
        picture = self.view.picture
        return None if picture is None else matrix_table(picture.matrix)

    def paint_at(self, painter: QPainter, size: QSize) -> None:
        """Paint the matrix alone."""
        self.view.paint_at(painter, size)

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return MatrixBar(self.session, title)


MAX_COMMUNICATORS_OFFERED = 500
"""Communicators of several ranks in the box, the first ones."""


class PartBar(QWidget):
    """Chooses communicator, phase, collective operations, and a binary matrix."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = session
        self.setFixedHeight(34)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 8, 2)
        row.setSpacing(6)
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
        self.collectives.clicked.connect(
            lambda on: session.change(MatrixPart, collectives=on)
        )
        for box in (self.communicators, self.phases, self.levels):
            row.addWidget(box, 2 if box is self.communicators else 1)
        row.addWidget(self.collectives)
        self._offered: object = None
        session.subscribe(self._show, to=("analysis", MatrixPart, MatrixOptions))
        self._show(State(), session.state)

    def _box(self, field: str, tip: str) -> QComboBox:
        box = ElidedBox(self)
        box.setToolTip(tip)
        box.setAccessibleName(tip)
        box.setMinimumContentsLength(6)
        box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        box.activated.connect(
            lambda index: self.session.change(
                MatrixPart, **{field: box.itemData(index)}
            )
        )
        return box

    def _show(self, _: State, new: State) -> None:
        analysis = new.analysis
        if analysis is None or analysis.matrix is None:
            return
        if self._offered != analysis:
            self._offered = analysis
            self._offer(analysis)
        part = new.of(MatrixPart)
        for box, value in (
            (self.communicators, part.communicator),
            (self.phases, part.phase),
            (self.levels, part.level),
        ):
            box.setCurrentIndex(max(box.findData(value), 0))
        self.collectives.setChecked(part.collectives)
        apart = analysis.matrix.one_sided or new.of(MatrixOptions).amount == ONE_SIDED
        apart |= analysis.trace.digest is not None  # its matrix is of the whole run
        self.collectives.setVisible(bool(len(analysis.trace.collectives)) and not apart)
        self.communicators.setVisible(self.communicators.count() > 2 and not apart)
        self.phases.setVisible(
            self.phases.count() > 1 and analysis.trace.digest is None
        )

    def _offer(self, analysis: Analysis) -> None:
        """List what there is to choose."""
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


MAX_LIST_WIDTH = 360
"""Pixels of an open list."""


class MatrixBar(DockBar):
    """Tells how much there is, and chooses messages or bytes."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._amounts = QComboBox(self)
        self._amounts.setToolTip(tr("What the colours show"))
        self._amounts.setAccessibleName(tr("What the colours show"))
        self._amounts.activated.connect(
            lambda index: session.change(
                MatrixOptions, amount=self._amounts.itemData(index)
            )
        )
        self._texts: dict[str, str] = {}
        self.add_control(self._amounts)
        session.subscribe(
            self._show,
            to=("analysis", "selection", "scope", MatrixOptions, MatrixPart),
        )
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        analysis = new.analysis
        matrix = analysis.matrix if analysis else None
        self._amounts.setVisible(matrix is not None)
        if analysis is None or matrix is None:
            self.tell("")
            return
        amount = self._offer(analysis, new.of(MatrixOptions).amount)
        if amount == ONE_SIDED and analysis.one_sided is not None:
            matrix = analysis.one_sided
        calls, volume = int(matrix.calls.sum()), int(matrix.volume.sum())
        size, count = size_text(volume), plural(calls, matrix.noun)
        mean, clock = volume / max(calls, 1), analysis.trace.clock
        length = clock.seconds(clock.ticks_read)
        part = new.scope != "run" or new.of(MatrixPart) != MatrixPart()
        counted = tr("part of {amount}") if part else tr("{amount} in all")
        over = tr("{amount} over the run")
        texts = {
            "bytes": (counted.format(amount=size), ""),
            "calls": (counted.format(amount=count), ""),
            "mean": (each_text(size_text(round(mean)), matrix), ""),
            "calls/s": (
                over.format(
                    amount=tr(
                        "{rate} {calls}/s",
                        rate=write(calls / length),
                        calls=plural_noun(matrix.noun),
                    )
                ),
                "",
            ),
            "bytes/s": (over.format(amount=f"{size_text(volume / length)}/s"), ""),
            "wait": (tr("column waited for row"), ""),
            ONE_SIDED: (
                tr("{size} of one-sided transfers", size=size),
                tr("{count}, counted apart from messages", count=count),
            ),
        }
        if effective_scope(new) != new.scope:
            digest = analysis.trace.digest is not None
            why = tr("a digest") if digest else tr("nothing is selected")
            self.tell(tr("{why}: the whole run", why=why))
        else:
            self.tell(*texts[amount])

    def _offer(self, analysis: Analysis, amount: str) -> str:
        """List the amounts that there are; gives the one that is shown."""
        assert analysis.matrix is not None
        moved, texts = analysis.one_sided, dict(AMOUNT_TEXTS)
        if analysis.matrix.one_sided:
            texts = dict(TRANSFER_TEXTS)
        elif moved is None:
            texts.pop(ONE_SIDED)
        if analysis.waits is None or analysis.trace.digest is not None:
            texts.pop("wait", None)
        amount = amount if amount in texts else "bytes"
        if texts != self._texts:
            self._texts = texts
            self._amounts.clear()
            for name, text in texts.items():
                self._amounts.addItem(text, name)
        self._amounts.setCurrentIndex(self._amounts.findData(amount))
        return amount
