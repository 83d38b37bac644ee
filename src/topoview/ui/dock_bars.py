"""Title bars of the panels: what they tell and offer beside their names."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox

from topoview.model import Identification, LogicalTrace
from topoview.scene.timeline.rows import possible_orders, row_order
from topoview.session import Session, State
from topoview.ui.formats import duration_text, name_text, percent_text, plural
from topoview.ui.scene.lens import SECOND, natural_second
from topoview.ui.shape.commands import LAYOUT_TEXTS, all_layouts
from topoview.ui.widgets import DockBar, IconButton, Segmented


class TopologyBar(DockBar):
    """Tells how long the identification took; offers the matches or the reasons."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._pages = Segmented(self)
        self._pages.chosen.connect(lambda name: session.view(why=name == "why"))
        self.add_control(self._pages)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        found = new.analysis.identification if new.analysis else None
        page = "why" if new.view.why else "matches"
        self._pages.offer([("matches", "Matches"), ("why", "Why")], page)
        self._pages.setVisible(found is not None)
        self.tell(f"found in {_brief(found)}" if found else "")


class LogicalBar(DockBar):
    """Tells what the logical trace leaves out."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        found = new.analysis.logical if new.analysis else None
        if found is None:
            self.tell("")
        else:
            self.tell(_left_out(found), "\n".join(found.notes))


class TimelineBar(DockBar):
    """Tells and chooses the order of the rows."""

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._shown: object = None
        self._orders = Segmented(self)
        self._orders.chosen.connect(lambda name: session.view(order=name))
        self.add_control(self._orders)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        known = new.analysis
        wanted = (
            known.trace if known else None,
            known.identification if known else None,
            new.view.match,
            new.view.order,
            new.selection.ranks if new.view.order == "distance" else (),
        )
        if known is None or wanted == self._shown:
            return
        self._shown = wanted
        names = possible_orders(new)
        chosen = new.view.order if new.view.order in names else "rank"
        self._orders.offer([(name, name.capitalize()) for name in names], chosen)
        self._orders.setVisible(len(names) > 1)
        self.tell(name_text(row_order(new).words))


class SecondBar(DockBar):
    """Chooses the layout of the second view of the ranks, and offers its shape.

    Signals
    -------
    shape_asked
        The card about its shape is to be opened or closed.
    """

    shape_asked = Signal()

    def __init__(self, session: Session, title: str) -> None:
        super().__init__(title)
        self._names: list[str] = []
        self.layouts = QComboBox(self)
        self.layouts.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.layouts.setAccessibleName("Layout of the second view")
        self.layouts.activated.connect(
            lambda index: SECOND.choose(session, self.layouts.itemData(index))
        )
        self.add_control(self.layouts)
        shape = IconButton("shape", "Shape of the second view: slices, layers, spacing")
        shape.clicked.connect(self.shape_asked)
        self.add_control(shape)
        session.subscribe(self._show)
        self._show(session.state, session.state)

    def _show(self, _: State, new: State) -> None:
        names = list(all_layouts(new))
        if names != self._names:
            self._names = names
            self.layouts.clear()
            for name in names:
                self.layouts.addItem(LAYOUT_TEXTS[name], name)
        shown = new.view.second or natural_second(new)
        self.layouts.setCurrentIndex(max(self.layouts.findData(shown), 0))


def _left_out(logical: LogicalTrace) -> str:
    if not logical.statements:
        return ""
    if not logical.calls_excluded and not logical.bytes_excluded:
        return f"{plural(logical.statements, 'statement')}, nothing left out"
    return (
        f"without {percent_text(logical.calls_excluded)} of calls, "
        f"{percent_text(logical.bytes_excluded)} of bytes"
    )


def _brief(found: Identification) -> str:
    milliseconds = found.seconds * 1e3
    if 1 <= milliseconds < 100:
        return f"{milliseconds:.0f} ms"
    return duration_text(found.seconds)
