"""The panel Communicators: which there are, in which others, and what they cost."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import duration_text, grouped, plural, size_text, tr
from topoview.live.picking.picked import changes_to_pick
from topoview.live.tables.communicator_tree import CommunicatorNode, communicator_tree
from topoview.model import Analysis, Match
from topoview.scene.palette import THEMES, category_colours
from topoview.session import Picked, Session, State
from topoview.ui.panels.empty import EmptyView, stacked
from topoview.ui.panels.options import CommunicatorOptions
from topoview.ui.panels.table import Listing, Panel, PointedThing
from topoview.ui.widgets.controls import DockBar, Segmented
from topoview.ui.widgets.formats import name_text, tip_text
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.theme import font

COLUMNS: Final = {
    "communicator": (
        176,
        tr("Its name, below the smallest one with all of its members"),
    ),
    "ranks": (46, tr("Members")),
    "shape": (86, tr("Its members in the words of the topology")),
    "time": (60, tr("Time of all members in its collective operations")),
    "spread": (60, tr("From the first arrival to the last: mean over operations")),
    "most": (60, tr("From the first arrival to the last: most")),
    "operations": (76, tr("Collective operations")),
    "messages": (66, tr("Messages sent point-to-point")),
    "bytes": (66, tr("Bytes sent point-to-point")),
}
LEFT: Final = ("communicator", "shape")
NODE_ROLE = Qt.ItemDataRole.UserRole
SWATCH = 9
MAX_UNFOLDED = 40
"""Rows up to which all of the tree is unfolded at first."""

CSV_TITLES: Final = (
    *("depth", "communicator", "ranks", "shape", "operations", "messages"),
    *("bytes [B]", "time [s]", "spread [s]", "most spread [s]"),
)


@dataclass(frozen=True, slots=True)
class CommunicatorsRequest:
    """What a tree is made from."""

    known: Analysis
    match: Match | None
    window: tuple[int, int] | None

    def tree(self, go_on: Callable[[], bool]) -> tuple[CommunicatorNode, ...]:
        """Make it."""
        del go_on
        return communicator_tree(self.known, self.match, self.window)


class CommunicatorsPanel(Panel):
    """A tree of communicators; a click selects the members everywhere."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.nodes: tuple[CommunicatorNode, ...] = ()
        self._asked: CommunicatorsRequest | None = None
        self._worker = LatestOnly[CommunicatorsRequest, tuple[CommunicatorNode, ...]](
            CommunicatorsRequest.tree, self._take
        )
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.scopes = Segmented(self.content)
        self.scopes.chosen.connect(
            lambda name: session.change(CommunicatorOptions, scope=name)
        )
        self.colour = QPushButton(tr("Colour ranks"), self.content)
        self.colour.setFont(font(12))
        self.colour.setToolTip(
            tr("Colour ranks by the smallest communicator that they share")
        )
        self.colour.clicked.connect(
            lambda: session.change(
                "scene", colouring="state" if self._coloured else "communicator"
            )
        )
        self.view = self._make_tree()
        chips = QHBoxLayout()
        chips.setContentsMargins(10, 6, 10, 4)
        chips.addWidget(self.scopes)
        chips.addStretch(1)
        chips.addWidget(self.colour)
        self.content.setProperty("compact", True)
        rows = QVBoxLayout(self.content)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(chips)
        rows.addWidget(self.view, 1)
        self._empty = EmptyView(self)
        self._empty.tell(
            tr("No communicators"), tr("The trace names none that has members.")
        )
        self._stack = stacked(self, self._empty, self.content)
        self._bar: DockBar | None = None
        parts = ("analysis", "match", "window", "theme", "scene", "picked")
        ended = session.subscribe(self._follow, to=(*parts, CommunicatorOptions))
        for end in (self._worker.stop, ended):
            self.destroyed.connect(end)
        self._follow(State(), session.state)

    def _make_tree(self) -> QTreeWidget:
        view = QTreeWidget(self.content)
        view.setAccessibleName(tr("Communicators"))
        view.setFont(font(12))
        view.setUniformRowHeights(True)
        view.setIndentation(14)
        view.setIconSize(QSize(SWATCH, SWATCH))
        view.setHeaderLabels(list(map(tr, COLUMNS)))
        heads = view.header()
        heads.setFont(font(12))
        heads.setMinimumSectionSize(30)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, (name, (width, tip)) in enumerate(COLUMNS.items()):
            view.setColumnWidth(column, width)
            view.headerItem().setToolTip(column, tip)
            if name not in LEFT:
                view.headerItem().setTextAlignment(
                    column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                )
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(
            lambda at: self.menu_asked.emit(
                PointedThing(), view.viewport().mapToGlobal(at)
            )
        )
        view.itemClicked.connect(lambda item, _: self._go(item))
        view.itemActivated.connect(lambda item, _: self._go(item))
        return view

    def _follow(self, old: State, new: State) -> None:
        options, known = new.of(CommunicatorOptions), new.analysis
        self.scopes.offer([("run", tr("Run")), ("window", tr("Window"))], options.scope)
        words = tr("Colour by state") if self._coloured else tr("Colour ranks")
        self.colour.setText(words)
        self.colour.setEnabled(known is not None and known.trace.has_parts)
        if not self.isVisible():
            return  # asked when it is seen
        if known is None:
            self._asked = None
            self._take(None, ())
            return
        window = new.window if options.scope == "window" else None
        asked = CommunicatorsRequest(known, new.derived.match, window)
        if asked != self._asked:
            self._asked = asked
            self._worker.ask(asked)
        elif old.theme != new.theme:
            self._fill()

    @property
    def _coloured(self) -> bool:
        return self.session.state.scene.colouring == "communicator"

    def showEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's name
        """Show what changed while nobody looked."""
        self._follow(self.session.state, self.session.state)

    def _take(
        self,
        asked: CommunicatorsRequest | None,
        nodes: tuple[CommunicatorNode, ...],
    ) -> None:
        if asked == self._asked:
            self.nodes = nodes
            self._fill()

    def _fill(self) -> None:
        """Fill the tree; what was unfolded stays so."""
        unfolded = {item.text(0) for item in _items(self.view) if item.isExpanded()}
        first = not self.view.topLevelItemCount()
        self.view.clear()
        colours = category_colours(
            1 + max((n.colour for _, n in walk(self.nodes)), default=0),
            THEMES[self.session.state.theme],
        )
        for node in self.nodes:
            self.view.addTopLevelItem(_item(node, colours))
        many = sum(1 for _ in walk(self.nodes)) > MAX_UNFOLDED
        for item in _items(self.view):
            at_first = not many or item.parent() is None
            item.setExpanded(at_first if first else item.text(0) in unfolded)
        self._stack.setCurrentWidget(self.content if self.nodes else self._empty)
        if self._bar is not None:
            self._tell(self._bar)

    def _go(self, item: QTreeWidgetItem) -> None:
        node: CommunicatorNode = item.data(0, NODE_ROLE)
        if node.number >= 0:
            picked = Picked("communicator", node.number)
            self.session.update(**changes_to_pick(self.session.state, picked))

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        return not self._worker.busy

    def listing(self) -> Listing | None:
        """Give a row for each node of the tree, with how deep it is."""
        if not self.nodes:
            return None
        rows = (
            (
                *(depth, n.name, n.members, n.shape, n.operations, n.messages),
                *(n.bytes, n.seconds, _known(n.spread), _known(n.spread_most)),
            )
            for depth, n in walk(self.nodes)
        )
        return Listing(CSV_TITLES, rows)

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        self._bar = DockBar(title)
        self._tell(self._bar)
        return self._bar

    def _tell(self, bar: DockBar) -> None:
        single = [node for _, node in walk(self.nodes) if node.number >= 0]
        used = sum(bool(n.operations or n.messages) for n in single)
        words = tr(
            "{communicators}, {used} used",
            communicators=plural(len(single), "communicator"),
            used=grouped(used),
        )
        bar.tell(words if single else "")


def _known(value: float) -> float | str:
    return "" if math.isnan(value) else value


def walk(
    nodes: tuple[CommunicatorNode, ...], depth: int = 0
) -> Iterator[tuple[int, CommunicatorNode]]:
    """Go through a tree, with how deep each node is."""
    for node in nodes:
        yield depth, node
        yield from walk(node.nodes, depth + 1)


def node_texts(node: CommunicatorNode) -> tuple[str, ...]:
    """Write the cells of a node, as `COLUMNS` says."""
    spreads = (
        "" if math.isnan(value) else duration_text(value)
        for value in (node.spread, node.spread_most)
    )
    mean, most = spreads
    return (
        node.name,
        grouped(node.members),
        name_text(tr(node.shape)),
        duration_text(node.seconds) if node.operations else "",
        mean,
        most,
        grouped(node.operations) if node.operations else "",
        grouped(node.messages) if node.messages else "",
        size_text(node.bytes) if node.messages else "",
    )


def _item(node: CommunicatorNode, colours: tuple[str, ...]) -> QTreeWidgetItem:
    item = QTreeWidgetItem(list(node_texts(node)))
    item.setData(0, NODE_ROLE, node)
    item.setToolTip(0, tip_text(node.name))
    item.setSizeHint(0, QSize(0, 22))
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for column, name in enumerate(COLUMNS):
        if name not in LEFT:
            item.setTextAlignment(column, right)
    if node.colour >= 0:
        item.setIcon(0, _swatch(colours[node.colour]))
    for each in node.nodes:
        item.addChild(_item(each, colours))
    return item


def _swatch(colour: str) -> QIcon:
    pixels = QPixmap(SWATCH, SWATCH)
    pixels.fill(Qt.GlobalColor.transparent)
    with QPainter(pixels) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(colour))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(0, 0, SWATCH, SWATCH, 2, 2)
    return QIcon(pixels)


def _items(view: QTreeWidget) -> Iterator[QTreeWidgetItem]:
    found = QTreeWidgetItemIterator(view)
    while (item := found.value()) is not None:
        yield item
        found += 1
