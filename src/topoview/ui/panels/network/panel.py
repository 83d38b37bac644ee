"""The panel of the machine's network: the picture, and a list of what loads links."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import tr
from topoview.errors import TopoviewError, save_text
from topoview.live.tables.parts.parts import phases_of
from topoview.model import MachineChoice, Table
from topoview.model.topology import AXES
from topoview.report.network import MAPPING_FILES
from topoview.session import Session, State
from topoview.ui.panels.network.colours import COLOURS, OF_COUNTERS
from topoview.ui.panels.network.content import (
    LISTING_TEXTS,
    NetworkAsked,
    NetworkMaker,
    NetworkPicture,
    network_asked,
)
from topoview.ui.panels.network.dialog import MachineDialog
from topoview.ui.panels.network.extents import ExtentPlot
from topoview.ui.panels.network.view import NetworkView
from topoview.ui.panels.options import NetworkOptions
from topoview.ui.widgets.controls import ChoiceBox, ElidedLabel, ScopeBar, Segmented
from topoview.ui.widgets.dialogs import show_fault
from topoview.ui.widgets.formats import tip_text
from topoview.ui.widgets.layouts import filled
from topoview.ui.widgets.panel import TablePanel
from topoview.ui.widgets.theme import font

FORMS = tuple(MAPPING_FILES.values())

SHARES = {
    0.0: tr("All links"),
    0.25: tr("From 25 %"),
    0.5: tr("From 50 %"),
    0.9: tr("From 90 %"),
}
"""Shares of the hottest link from which on cables are tubes."""


class NetworkPanel(TablePanel[NetworkAsked, NetworkPicture]):
    """Shows what goes over the machine's links, and who sends it."""

    PARTS = (
        "analysis",
        "opening",
        "selection",
        "window",
        "scope",
        "theme",
        NetworkOptions,
    )
    NAME = tr("What loads links")

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent, NetworkMaker().picture)
        self.network = NetworkView(session, self.content)
        self.network.picked.connect(self.pick_link)
        halves = QSplitter(Qt.Orientation.Vertical, self.content)
        halves.addWidget(self._upper())
        halves.addWidget(self._list())
        halves.setStretchFactor(0, 1)
        halves.setSizes([600, 118])
        halves.setChildrenCollapsible(False)
        for widget in (self._scopes(), self._looks()):
            self.column.addWidget(widget)
        self.column.addWidget(halves, 1)
        self.ask_button = QPushButton(tr("Machine…"), self.empty)
        self.ask_button.clicked.connect(self.ask_for_machine)
        self.empty.add_button(self.ask_button)
        machine = QToolButton()
        machine.setText(tr("Machine…"))
        machine.setFont(font(12))
        machine.setAutoRaise(True)
        machine.setToolTip(tr("What is known of the machine; assume a network"))
        machine.clicked.connect(self.ask_for_machine)
        self.dock_bar.add_control(machine)

    # Its parts.

    def _scopes(self) -> QWidget:
        setter, scopes = self.session.setter, ScopeBar(self.session, self.content)
        tip = tr("Messages of this phase alone count; mappings are for it, too")
        self.phases = self._box(tr("Phase"), tip, setter(NetworkOptions, "phase"))
        scopes.row.addWidget(self.phases)
        return scopes

    def _looks(self) -> QWidget:
        setter, looks = self.session.setter, QWidget(self.content)
        tip = tr("What cables and nodes are coloured by")
        self.colours = self._box(tr("Colour"), tip, setter(NetworkOptions, "colour"))
        tip = tr("Links with less of the hottest one's load are hairs")
        self.shares = self._box(
            tr("Threshold of tubes"), tip, setter(NetworkOptions, "share")
        )
        for share, text in SHARES.items():
            self.shares.addItem(text, share)
        tip = tr("Show a slice of the network")
        self.slices = self._box(tr("Slice"), tip, self._slice)
        self.collectives = QCheckBox(tr("Collectives"), looks)
        self.collectives.clicked.connect(setter(NetworkOptions, "collectives"))
        boxes = self.colours, self.shares, self.slices, self.collectives
        filled(QHBoxLayout(looks), *boxes, 1, margins=(10, 2, 8, 2), spacing=8)
        return looks

    def _box(self, name: str, tip: str, take: Callable[[Any], object]) -> ChoiceBox:
        box = ChoiceBox(name, take, self.content, tip)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        return box

    def _upper(self) -> QWidget:
        above = QWidget(self.content)
        self.plot = ExtentPlot(self.session, above)
        self.plot.picked.connect(lambda row: self.choose(self.model.place(row)))
        self.plot.hide()
        row = QHBoxLayout(above)
        filled(row, (self.network, 3), (self.plot, 2), margins=(0, 0, 0, 0), spacing=0)
        return above

    def _list(self) -> QWidget:
        below = QWidget(self.content)
        self.listings = Segmented(below, self.session.setter(NetworkOptions, "listing"))
        self.note = ElidedLabel(below)
        self.note.setFont(font(12))
        self.note.setProperty("dim", True)
        self.view.setMinimumHeight(80)  # a title and two rows
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        row = filled(QHBoxLayout(), self.listings, (self.note, 1))
        parts = row, self._saving(), (self.view, 1)
        filled(QVBoxLayout(below), *parts, margins=(10, 6, 8, 0), spacing=4)
        return below

    def _saving(self) -> QWidget:
        """Create the row below that says what a mapping is worth, and saves it."""
        self.saving = QWidget(self.content)
        self.verdict = ElidedLabel(self.saving)
        self.verdict.setFont(font(12))
        save = QPushButton(tr("Save mapping…"), self.saving)
        save.setToolTip(tr("Write the chosen mapping, else the best, for a launcher"))
        save.clicked.connect(self.save_mapping)
        filled(QHBoxLayout(self.saving), (self.verdict, 1), save, margins=(0, 0, 0, 0))
        self.saving.hide()
        return self.saving

    # What is asked, and what comes.

    def request(self, state: State) -> NetworkAsked | None:
        """Return what is to be seen of the network."""
        return network_asked(state)

    def show_state(self, state: State) -> None:
        """Draw the network in its theme, turned as the options say."""
        self.ask_button.setVisible(state.analysis is not None)
        self.network.update()

    def why_empty(self, state: State) -> tuple[str, str]:
        """Return why there is no network."""
        if state.analysis is None:
            return (
                tr("No trace"),
                tr("Open one to see its traffic on the machine."),
            )
        if state.analysis.matrix is None:
            return (
                tr("Counting messages…"),
                tr("They are put on the links after that."),
            )
        if self.result is not None and self.result.traffic is None:
            return tr("The network is not known"), f"{self.result.fault}."
        return "", ""

    def remark(self) -> tuple[str, str]:
        """Return how loads come about."""
        if self.result is None or self.result.traffic is None:
            return "", ""
        return tr("static model, no congestion"), ""

    def show_result(self, result: NetworkPicture) -> None:
        """Show a picture, and offer its choices."""
        picture = result
        if picture.traffic is None:
            return
        options = self.session.state.of(NetworkOptions)
        self.listings.offer(LISTING_TEXTS, options.listing)
        self.shares.choose(options.share)
        self._offer_slices(picture, options)
        self._offer_colours(picture, options)
        trace = picture.request.analysis.trace
        self.collectives.setVisible(bool(len(trace.collectives)) and not trace.digest)
        self.collectives.setChecked(options.collectives)
        tip = tr(
            "Count collective operations, too, each as the messages of one algorithm"
        )
        self.collectives.setToolTip("\n".join([tip, *picture.traffic.matrix.modelled]))
        maps = picture.request.listing == "mappings"
        self.saving.setVisible(maps)
        shown, other = (self.verdict, self.note)[:: 1 if maps else -1]
        for label, text in ((shown, picture.listed.remark), (other, "")):
            label.setText(text)
            label.setToolTip(tip_text(text))
        self.show_table(picture.listed.table)
        self._mark_row(picture)
        self.network.show_picture(picture)
        self._plot(picture)

    def _mark_row(self, picture: NetworkPicture) -> None:
        edge = picture.request.edge
        for number, row in enumerate(picture.listed.targets):
            own = row.pair is not None and edge is not None
            same = own and sorted(row.pair or ()) == sorted(edge or ())
            same = same or bool(row.mapping and row.mapping == picture.request.mapping)
            if same or (row.link >= 0 and row.link == picture.link):
                self.view.point_at(number)
                return
        self.view.point_at(-1)

    def _plot(self, picture: NetworkPicture) -> None:
        ranks = self.session.state.selection.ranks
        rows = enumerate(picture.listed.targets if picture.extents is not None else ())
        chosen = {k for k, row in rows if row.ranks and row.ranks == ranks}
        self.plot.show_picture(picture, chosen)

    def _offer_colours(self, picture: NetworkPicture, options: NetworkOptions) -> None:
        assert picture.traffic is not None
        counted = picture.traffic.loads.measured is not None
        wanted = {
            name: text
            for name, (text, _) in COLOURS.items()
            if counted or name not in OF_COUNTERS
        }
        self.colours.offer(wanted, options.colour)
        phases = {one.name: one.name for one in phases_of(picture.request.analysis)}
        self.phases.offer({"": tr("All phases"), **phases}, options.phase)
        self.phases.setVisible(bool(phases))

    def _offer_slices(self, picture: NetworkPicture, options: NetworkOptions) -> None:
        assert picture.traffic is not None
        network = picture.traffic.loads.network
        dims = network.dims if network.is_grid else ()
        wanted = {(-1, 0): tr("All of it")} | {
            (axis, place): f"{AXES[axis]} = {place}"
            for axis, extent in enumerate(dims)
            for place in range(extent if len(dims) > 1 else 0)
        }
        self.slices.offer(wanted, (options.axis, options.place))
        self.slices.setVisible(len(wanted) > 1)

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

    def choose(self, place: int) -> None:
        """Select what a row is of."""
        if self.result is None:
            return
        number = self.model.row(place)
        row = self.result.listed.targets[number]
        if row.link >= 0:
            self.session.change(NetworkOptions, link=row.link)
        elif row.pair is not None and row.pair[0] != row.pair[1]:
            self.session.select(edge=(min(row.pair), max(row.pair)))
        elif row.ranks:
            self.session.select(ranks=row.ranks)
        elif row.mapping:
            mapping = row.mapping if number else ""  # the first is that of the run
            self.session.change(NetworkOptions, mapping=mapping)
        elif row.statement >= 0:
            self.session.choose(statement=row.statement)

    def save_mapping(self) -> None:
        """Write the mapping that is shown, else the best one, as one of the forms."""
        picture = self.result
        if picture is None or picture.mapping is None:
            return
        kinds = {f"{what[:1].upper()}{what[1:]} (*)": text for what, text in FORMS}
        path, kind = QFileDialog.getSaveFileName(
            self,
            tr("Save mapping: {method}", method=picture.mapping.method),
            "ranks",
            ";;".join(kinds),
        )
        if not path:
            return
        try:
            save_text(path, kinds[kind](picture.mapping))
        except TopoviewError as error:
            show_fault(self.window(), tr("The mapping was not saved"), str(error))

    def _slice(self, chosen: tuple[int, int]) -> None:
        axis, place = chosen
        self.session.change(NetworkOptions, axis=axis, place=place)

    def ask_for_machine(self) -> MachineDialog | None:
        """Ask what the machine is."""
        analysis = self.session.state.analysis
        if analysis is None:
            return None
        now = MachineChoice.of(self.session.state.of(NetworkOptions))
        dialog = MachineDialog(analysis.trace, now, self.window())
        dialog.chosen.connect(self.take_machine)
        dialog.open()
        return dialog

    def take_machine(self, choice: MachineChoice) -> None:
        """Show the network of another machine."""
        self.session.change(NetworkOptions, **asdict(NetworkOptions(**asdict(choice))))

    def listing(self) -> Table | None:
        """Return the bytes of each link."""
        picture = self.result
        if picture is None or picture.traffic is None:
            return None
        return picture.traffic.loads.table()
