"""The panel of the communication matrix: the picture, and what it counts."""

from collections.abc import Iterator

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from topoview.model import CommunicationMatrix
from topoview.scene.matrix_pixels import possible_matrix_orders
from topoview.session import Session, State, shown_match
from topoview.text import size_text
from topoview.ui.panels.empty import EmptyView, stacked, why_no_topology
from topoview.ui.panels.lists.table import Listing, Panel, PointedThing
from topoview.ui.panels.matrix.content import ONE_SIDED, effective_scope
from topoview.ui.panels.matrix.view import MatrixView
from topoview.ui.panels.options import MatrixOptions
from topoview.ui.widgets.controls import DockBar, ScopeBar, Segmented
from topoview.ui.widgets.formats import plural

AMOUNT_TEXTS = {"calls": "Messages", "bytes": "Bytes", ONE_SIDED: "One-sided"}
TRANSFER_TEXTS = {"calls": "Transfers", "bytes": "Bytes"}
"""Where there are no messages."""
ORDER_TEXTS = {"rank": "Rank", "place": "Topology", "node": "Host"}


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
            offering.setToolTip("Order of the ranks along both sides")
            offering.setAccessibleName("Order of the ranks")
            self.scopes.row.addWidget(offering)
        self.view = MatrixView(session, self.content)
        self.view.menu_asked.connect(
            lambda title, at: self.menu_asked.emit(PointedThing(title), at)
        )
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.scopes)
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
        known = new.analysis
        text = why_no_topology(known, going_on=new.opening is not None)
        if text != self._text:
            self._text = text
            self.empty.tell(*text)
            self._stack.setCurrentWidget(self.empty if text[0] else self.content)
        match = shown_match(new)
        offered = (known.trace if known else None, match, new.of(MatrixOptions).order)
        if known is None or offered == self._offered:
            return
        self._offered = offered
        names = possible_matrix_orders(known.trace, match)
        chosen = (
            new.of(MatrixOptions).order
            if new.of(MatrixOptions).order in names
            else "rank"
        )
        self.orders.offer([(name, ORDER_TEXTS[name]) for name in names], chosen)
        self.order_box.clear()
        for name in names:
            self.order_box.addItem(f"By {ORDER_TEXTS[name].lower()}", name)
        self.order_box.setCurrentIndex(names.index(chosen))
        # a row of three would leave no room for what is counted
        self.orders.setVisible(len(names) == 2)
        self.order_box.setVisible(len(names) > 2)

    def listing(self) -> Listing | None:
        """Give the pairs that communicate, of what is counted."""
        picture = self.view.picture
        if picture is None:
            return None
        titles = ("sender", "receiver", f"{picture.matrix.noun}s", "bytes [B]")
        return Listing(titles, _pairs(picture.matrix))

    def paint_at(self, painter: QPainter, size: QSize) -> None:
        """Paint the matrix alone."""
        self.view.paint_at(painter, size)

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return MatrixBar(self.session, title)


def _pairs(matrix: CommunicationMatrix) -> Iterator[tuple[object, ...]]:
    calls, volume = matrix.calls, matrix.volume  # one structure
    for sender in range(matrix.ranks):
        some = slice(*calls.indptr[sender : sender + 2].tolist())
        for receiver, number, size in zip(
            calls.indices[some].tolist(),
            calls.data[some].tolist(),
            volume.data[some].tolist(),
            strict=True,
        ):
            yield sender, receiver, number, size


class MatrixBar(DockBar):
    """Tells how much there is, and chooses messages or bytes."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._amounts = Segmented(self)
        self._amounts.chosen.connect(
            lambda name: session.change(MatrixOptions, amount=name)
        )
        self.add_control(self._amounts)
        session.subscribe(
            self._show,
            to=("analysis", "selection", "window", "scope", MatrixOptions),
        )
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        known = new.analysis
        matrix = known.matrix if known else None
        moved = known.one_sided if known else None
        amounts, amount = dict(AMOUNT_TEXTS), new.of(MatrixOptions).amount
        if moved is None or (matrix is not None and matrix.one_sided):
            amounts = TRANSFER_TEXTS if moved is not None else amounts
            amounts = {name: amounts[name] for name in ("calls", "bytes")}
        amount = amount if amount in amounts else "bytes"
        self._amounts.offer(list(amounts.items()), amount)
        self._amounts.setVisible(matrix is not None)
        if amount == ONE_SIDED:
            matrix = moved
        if matrix is None:
            self.tell("")
            return
        size = size_text(int(matrix.volume.sum()))
        count = plural(int(matrix.calls.sum()), matrix.noun)
        if effective_scope(new) != new.scope:
            self.tell("nothing is selected: the whole run")
        elif amount == ONE_SIDED:
            self.tell(
                f"{size} of one-sided transfers",
                f"{count}, counted apart from messages",
            )
        elif amount == "bytes":
            self.tell(f"{size} in all")
        else:
            self.tell(f"{count} in all")
