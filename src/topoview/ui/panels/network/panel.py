"""The panel of the machine's network: the picture, and a list of what loads links."""

from dataclasses import asdict

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from topoview.model import MachineChoice
from topoview.model.layout import AXES
from topoview.scene.network_shape import FIRST_SIDES, USUAL
from topoview.session import Session, State
from topoview.ui.panels.empty import EmptyView, stacked
from topoview.ui.panels.lists.table import Listing, Panel
from topoview.ui.panels.network.content import (
    LISTING_TEXTS,
    NetworkAsked,
    NetworkMaker,
    NetworkPicture,
    NetworkRow,
    machine_choice,
    network_asked,
)
from topoview.ui.panels.network.dialog import MachineDialog
from topoview.ui.panels.network.view import NetworkView
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.widgets.controls import (
    DockBar,
    ElidedLabel,
    ScopeBar,
    Segmented,
    column_header,
)
from topoview.ui.widgets.latest_only import LatestOnly
from topoview.ui.widgets.theme import font

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

SHARES = {0.0: "All links", 0.25: "From 25 %", 0.5: "From 50 %", 0.9: "From 90 %"}
"""Shares of the hottest link from which on cables are tubes."""


class RowsModel(QAbstractTableModel):
    """Rows of links, pairs, statements, communicators or mappings."""

    def __init__(self) -> None:
        super().__init__()
        self._titles: tuple[str, ...] = ()
        self.rows: tuple[NetworkRow, ...] = ()

    def show(self, titles: tuple[str, ...], rows: tuple[NetworkRow, ...]) -> None:
        """List other rows."""
        self.beginResetModel()
        self._titles, self.rows = titles, rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:  # noqa: N802 - Qt's name
        """Count the rows."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:  # noqa: N802
        """Count the columns."""
        return 0 if parent is not None and parent.isValid() else len(self._titles)

    def headerData(  # noqa: N802 - Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> object:
        """Give a column's title."""
        if role == Role.FontRole:
            return font(11)
        return column_header(self._titles, section, orientation, role)

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        """Give what a cell says, and how."""
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return self.rows[index.row()].cells[index.column()]
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight
            side = side if index.column() else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class NetworkPanel(Panel):
    """Shows what goes over the machine's links, and who sends it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.picture: NetworkPicture | None = None
        self._asked: NetworkAsked | None = None
        self._maker = NetworkMaker()
        self._work = LatestOnly(self._maker.picture, self._answer)
        self.destroyed.connect(self._work.stop)
        self.content = QWidget(self)
        self.content.setObjectName("page")
        self.view = NetworkView(session, self.content)
        self.view.picked.connect(self.pick_link)
        self.model = RowsModel()
        column = QVBoxLayout(self.content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._controls())
        halves = QSplitter(Qt.Orientation.Vertical, self.content)
        halves.addWidget(self.view)
        halves.addWidget(self._list())
        halves.setStretchFactor(0, 1)
        halves.setSizes([600, 118])
        halves.setChildrenCollapsible(False)
        column.addWidget(halves, 1)
        self._stack = stacked(self, self.content, self._without())
        session.subscribe(
            self._follow,
            to=(
                *("analysis", "opening", "selection", "window", "scope", "theme"),
                NetworkOptions,
            ),
        )
        self._follow(State(), session.state)

    # Its parts.

    def _controls(self) -> QWidget:
        scopes = ScopeBar(self.session, self.content)
        self.shares, self.slices = QComboBox(scopes), QComboBox(scopes)
        for share, text in SHARES.items():
            self.shares.addItem(text, share)
        self.shares.setToolTip("Links with less of the hottest one's load are hairs")
        self.shares.setAccessibleName("Threshold of tubes")
        self.shares.activated.connect(
            lambda row: self.session.change(
                NetworkOptions, share=self.shares.itemData(row)
            )
        )
        self.slices.setToolTip("Show a slice of the network")
        self.slices.setAccessibleName("Slice")
        self.slices.activated.connect(self._slice)
        for box in (self.shares, self.slices):
            scopes.row.addWidget(box)
        return scopes

    def _list(self) -> QWidget:
        below = QWidget(self.content)
        self.listings = Segmented(below)
        self.listings.chosen.connect(
            lambda name: self.session.change(NetworkOptions, listing=name)
        )
        self.remark = ElidedLabel(below)
        self.remark.setFont(font(12))
        self.remark.setProperty("dim", True)
        self.table = QTableView(below)
        self.table.setModel(self.model)
        self.table.setAccessibleName("What loads links")
        self.table.setShowGrid(False)
        self.table.setFont(font(12))
        self.table.setWordWrap(False)
        behaviour = QAbstractItemView.SelectionBehavior.SelectRows
        self.table.setSelectionBehavior(behaviour)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(22)
        heads = self.table.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.clicked.connect(self._go)
        self.table.activated.connect(self._go)
        column = QVBoxLayout(below)
        column.setContentsMargins(10, 6, 8, 0)
        column.setSpacing(4)
        row = QHBoxLayout()
        row.addWidget(self.listings)
        row.addWidget(self.remark, 1)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        return below

    def _without(self) -> QWidget:
        """Make what is shown while nothing is known of the network."""
        page = QWidget(self)
        page.setObjectName("page")
        self.empty = EmptyView(page)
        self.ask = QPushButton("Machine…", page)
        self.ask.clicked.connect(self.ask_for_machine)
        column = QVBoxLayout(page)
        column.addWidget(self.empty, 3)
        column.addWidget(self.ask, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        return page

    def bar(self, title: str) -> DockBar:
        """Make its title bar."""
        return NetworkBar(self, title)

    # What is asked, and what comes.

    def showEvent(self, event: object) -> None:  # noqa: N802 - Qt's name
        """Ask for what was not asked for while nobody looked."""
        super().showEvent(event)  # type: ignore[arg-type]
        self._ask(self.session.state)

    def _follow(self, old: State, new: State) -> None:
        del old
        if new.analysis is None:
            self._tell("No trace", "Open one to see its traffic on the machine.")
        elif new.analysis.matrix is None:
            self._tell("Counting messages…", "They are put on the links after that.")
        self._ask(new)
        self.view.update()

    def _ask(self, state: State) -> None:
        asked = network_asked(state)
        if asked is not None and asked != self._asked and self.isVisible():
            self._asked = asked
            self._work.ask(asked)

    def _answer(self, asked: NetworkAsked, picture: NetworkPicture) -> None:
        if asked != self._asked:
            return
        self.picture = picture
        if picture.traffic is None:
            self._tell("The network is not known", f"{picture.fault}.")
            return
        options = self.session.state.of(NetworkOptions)
        self.listings.offer(list(LISTING_TEXTS.items()), options.listing)
        self.shares.setCurrentIndex(max(self.shares.findData(options.share), 0))
        self._offer_slices(picture, options)
        self.remark.setText(picture.remark)
        self.remark.setToolTip(picture.remark)
        self.model.show(picture.titles, picture.rows)
        heads = self.table.horizontalHeader()
        heads.setStretchLastSection(False)
        if picture.titles:
            heads.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            if heads.length() <= self.table.viewport().width():
                heads.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._mark_row(picture)
        self.view.show_picture(picture)
        self._stack.setCurrentWidget(self.content)
        self.filled.emit()

    def _mark_row(self, picture: NetworkPicture) -> None:
        edge = picture.asked.edge
        for number, row in enumerate(picture.rows):
            own = row.pair is not None and edge is not None
            same = own and sorted(row.pair or ()) == sorted(edge or ())
            if same or (row.link >= 0 and row.link == picture.link):
                self.table.selectRow(number)
                return
        self.table.clearSelection()

    def _tell(self, title: str, text: str) -> None:
        self.empty.tell(title, text)
        self.ask.setVisible(self.session.state.analysis is not None)
        self._stack.setCurrentIndex(1)

    def _offer_slices(self, picture: NetworkPicture, options: NetworkOptions) -> None:
        assert picture.traffic is not None
        network = picture.traffic.loads.network
        dims = network.dims if network.is_grid else ()
        wanted = [("All of it", (-1, 0))]
        wanted += [
            (f"{AXES[axis]} = {place}", (axis, place))
            for axis, extent in enumerate(dims)
            for place in range(extent if len(dims) > 1 else 0)
        ]
        if [self.slices.itemText(k) for k in range(self.slices.count())] != [
            text for text, _ in wanted
        ]:
            self.slices.clear()
            for text, slice_ in wanted:
                self.slices.addItem(text, slice_)
        here = [slice_ for _, slice_ in wanted]
        now = (options.axis, options.place)
        self.slices.setCurrentIndex(here.index(now) if now in here else 0)
        self.slices.setVisible(len(wanted) > 1)

    @property
    def settled(self) -> bool:
        """Whether what is seen is what the state asks for."""
        if not self.isVisible():
            return True
        shown = self.picture is not None and self.picture.asked == self._asked
        return not self._work.busy and (shown or self._asked is None)

    # What the user does.

    def pick_link(self, link: int) -> None:
        """Select a link, and list the pairs that load it; -1 selects none."""
        options = self.session.state.of(NetworkOptions)
        listing = options.listing
        if link >= 0 and listing in ("links", "mappings"):
            listing = "pairs"
        elif link < 0:
            listing = "links" if listing != "mappings" else listing
        self.session.change(NetworkOptions, link=link, listing=listing)

    def _go(self, index: QModelIndex) -> None:
        row = self.model.rows[index.row()]
        if row.link >= 0:
            self.session.change(NetworkOptions, link=row.link)
        elif row.pair is not None and row.pair[0] != row.pair[1]:
            self.session.select(edge=(min(row.pair), max(row.pair)))
        elif row.ranks:
            self.session.select(ranks=row.ranks)
        elif row.statement >= 0:
            self.session.choose(statement=row.statement)

    def _slice(self, row: int) -> None:
        axis, place = self.slices.itemData(row)
        self.session.change(NetworkOptions, axis=axis, place=place)

    def ask_for_machine(self) -> MachineDialog | None:
        """Ask what the machine is."""
        known = self.session.state.analysis
        if known is None:
            return None
        now = machine_choice(self.session.state.of(NetworkOptions))
        dialog = MachineDialog(known.trace, now, self.window())
        dialog.chosen.connect(self.take_machine)
        dialog.open()
        return dialog

    def take_machine(self, choice: MachineChoice) -> None:
        """Show the network of another machine."""
        azimuth, elevation = FIRST_SIDES.get(choice.kind, USUAL)
        fresh = NetworkOptions(**asdict(choice), azimuth=azimuth, elevation=elevation)
        self.session.change(NetworkOptions, **asdict(fresh))

    def listing(self) -> Listing | None:
        """Give the bytes of each link."""
        picture = self.picture
        if picture is None or picture.traffic is None:
            return None
        loads = picture.traffic.loads
        rows = zip(loads.network.links.tolist(), loads.bytes.tolist(), strict=True)
        titles = ("from", "to", "bytes [B]")
        return Listing(titles, ((a, b, size) for (a, b), size in rows))


class NetworkBar(DockBar):
    """Tells that it is modelled, and asks for the machine."""

    def __init__(self, panel: NetworkPanel, title: str) -> None:
        super().__init__(title)
        self.machine = QToolButton(self)
        self.machine.setText("Machine…")
        self.machine.setFont(font(12))
        self.machine.setAutoRaise(True)
        self.machine.setToolTip("What is known of the machine; assume a network")
        self.machine.clicked.connect(panel.ask_for_machine)
        self.add_control(self.machine)
        self.tell("modelled without congestion")
