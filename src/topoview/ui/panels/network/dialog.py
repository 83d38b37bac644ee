"""The dialog that asks for the machine, and tells what was understood of it."""

import math
import re
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QPushButton, QWidget

from topoview.base.text import plural, tr
from topoview.errors import TopoviewError
from topoview.live.network import near_cube, understood
from topoview.model import MachineChoice, Trace
from topoview.model.network import ASSUMED_NETWORKS
from topoview.ui.widgets.save_dialog import FIELD_HEIGHT, SaveDialog
from topoview.ui.widgets.theme import font

TOLD = tr("from the trace or the file")

MOST_NODES_A_RANK = 4
"""Nodes for each rank beyond which an assumed network is asked about."""


class MachineDialog(SaveDialog):
    """Asks for a file, a network that is assumed, ranks on a node, names."""

    chosen = Signal(object)
    """The `MachineChoice`."""

    def __init__(
        self, trace: Trace, now: MachineChoice, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Machine"), parent)
        self._trace = trace
        about = QLabel(tr("Where ranks ran, and how nodes are connected."), self)
        self.form.addRow(about)
        choose = QPushButton(tr("Choose…"), self)
        choose.clicked.connect(self._choose)
        example = tr("GraphML, Slurm, hwloc, rank files, a table, ...")
        self.file = self.line(tr("File"), now.file, example, choose)
        self.kind = QComboBox(self)
        self.kind.addItem(TOLD, "")
        for kind in ASSUMED_NETWORKS:
            self.kind.addItem(tr("{kind}, assumed", kind=tr(kind)), kind)
        self.kind.setCurrentIndex(max(self.kind.findData(now.kind), 0))
        self.kind.setMinimumHeight(FIELD_HEIGHT)
        self.form.addRow(tr("Network"), self.kind)
        self.dims = self.line(tr("Extents"), now.dims, "")
        self.per_node = self.number(0, 1_000_000, now.per_node)
        self.per_node.setSpecialValueText(TOLD)
        self.form.addRow(tr("Ranks on a node"), self.per_node)
        pattern = r"r(?P<x>\d+)-m(?P<y>\d+)"
        self.names = self.line(tr("Coordinates in names"), now.names, pattern)
        example = tr("those of nodes, by their names")
        self.counters = self.line(tr("Counters of traffic"), now.counters, example)
        for label in (about, self.note):
            label.setFont(font(12))
            label.setWordWrap(True)
            label.setProperty("dim", True)
        self.note.setMinimumHeight(110)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.note.setAccessibleName(tr("What was understood"))
        self.save.setText(tr("Show"))
        self.on_save(self._take)
        self.kind.currentIndexChanged.connect(self._suggest)
        self.dims.installEventFilter(self)
        for line in (self.file, self.dims, self.names, self.counters):
            line.textChanged.connect(self._check)
        self.per_node.valueChanged.connect(self._check)
        self._suggest()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Select the suggested extents: what is typed takes their place."""
        if watched is self.dims and event.type() == QEvent.Type.FocusIn:
            QTimer.singleShot(0, self.dims.selectAll)  # a click would undo it
        return super().eventFilter(watched, event)

    def choice(self) -> MachineChoice:
        """Return what is entered."""
        kind = str(self.kind.currentData())
        return MachineChoice(
            file=self.file.text().strip(),
            kind=kind,
            dims=self.dims.text().strip() if kind else "",
            per_node=self.per_node.value(),
            names=self.names.text(),
            counters=self.counters.text(),
        )

    def _choose(self) -> None:
        before = str(Path(self.file.text()).parent) if self.file.text() else ""
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Description of the machine"), before
        )
        if name:
            self.file.setText(name)

    def _suggest(self) -> None:
        """Offer a network of the nodes of all ranks where none is written."""
        kind = str(self.kind.currentData())
        self.dims.setEnabled(bool(kind))
        self.dims.setPlaceholderText(ASSUMED_NETWORKS.get(kind, ""))
        if kind in ("torus", "mesh") and not self.dims.text():
            nodes = -(-self._trace.ranks // max(self.per_node.value(), 1))
            hosts = len({one.node for one in self._trace.locations} - {""})
            if hosts > 1 and not self.per_node.value():
                nodes = hosts
            self.dims.setText(near_cube(nodes))
        self._check()

    def _check(self) -> None:
        try:
            name, placement = understood(self._trace, self.choice())
        except TopoviewError as error:
            self.note.setText(f"{error}.")
            self.save.setEnabled(False)
            return
        many = self._too_many(name)
        lines = [name, *many, *(f"• {word}" for word in placement.sources)]
        if placement.missing:
            lines += [tr("Not known:"), *(f"• {word}" for word in placement.missing)]
        self.note.setText("\n".join(lines))
        self.save.setEnabled(True)

    def _too_many(self, name: str) -> list[str]:
        """Warn of a network of far more nodes than ranks."""
        numbers = [int(number) for number in re.findall(r"\d+", self.dims.text())]
        nodes, ranks = math.prod(numbers or [0]), self._trace.ranks
        block = bool(name) and self.choice().kind in ("torus", "mesh")
        if not block or nodes <= MOST_NODES_A_RANK * ranks:
            return []
        return [
            tr(
                "{nodes} for {ranks}: is that meant?",
                nodes=plural(nodes, "node"),
                ranks=plural(ranks, "rank"),
            )
        ]

    def _take(self) -> None:
        self.chosen.emit(self.choice())
        self.accept()
