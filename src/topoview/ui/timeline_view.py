"""The timeline panel: its bar, and the canvas below."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from topoview.scene.timeline_rows import possible_orders
from topoview.session import Session, State
from topoview.ui.formats import name_text, plural
from topoview.ui.timeline_canvas import TimelineCanvas
from topoview.ui.widgets import DockBar, Segmented

_ORDERS = {"rank": "Rank", "place": "Place", "distance": "Distance"}


class TimelineView(QWidget):
    """Timeline of all ranks, with a choice of their order.

    Attributes
    ----------
    bar
        Title, description and orders; a dock may take it as its title bar.
    canvas
        The timeline itself.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.bar = DockBar("Timeline", self)
        self._orders = Segmented(self.bar)
        self._orders.chosen.connect(lambda order: session.view(order=order))
        self.bar.add_control(self._orders)
        self.canvas = TimelineCanvas(session, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(self.canvas, 1)
        session.subscribe(self._follow)
        self._describe(session.state)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return self.canvas.settled

    def _follow(self, old: State, new: State) -> None:
        told = ("analysis", "view", "selection")
        if any(getattr(old, name) is not getattr(new, name) for name in told):
            self._describe(new)

    def _describe(self, state: State) -> None:
        self._orders.setVisible(state.analysis is not None)
        if state.analysis is None:
            self.bar.remark.setText("")
            return
        possible = possible_orders(state)
        shown = [(key, _ORDERS[key]) for key in possible]
        current = state.view.order if state.view.order in possible else "rank"
        self._orders.offer(shown, current)
        order = self.canvas.content.order(state)
        words = f"{plural(state.analysis.trace.ranks, 'rank')}, {order.words}"
        hidden = self.canvas.bands.hidden
        if hidden:
            words += f"; no room for {plural(hidden, 'further location')}"
        self.bar.remark.setText(name_text(words))
