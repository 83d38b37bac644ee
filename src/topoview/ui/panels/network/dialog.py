"""The dialog that asks for the machine, and tells what was understood of it."""

import math
import re
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from topoview.base.text import plural, tr
from topoview.errors import TopoviewError
from topoview.live.network import near_cube, understood
from topoview.model import MachineChoice, Trace
from topoview.ui.panels.network.content import NETWORK_KINDS
from topoview.ui.widgets.save_dialog import FIELD_HEIGHT, pad_number, titled_column
from topoview.ui.widgets.theme import font

TOLD = tr("from the trace or the file")

EXAMPLES = {
    "": "",
    "torus": "4x4x4",
    "mesh": "4x4x4",
    "fat tree": "16x8x4, 16x8/1x4",
    "dragonfly": "4x8x33",
}
"""How the extents of each network are written."""


MOST_NODES_A_RANK = 4
"""Nodes for each rank beyond which an assumed network is asked about."""


class MachineDialog(QDialog):
    """Asks for a file, a network that is assumed, ranks on a node, names.

    Signals
    -------
    chosen
        The `MachineChoice`.
    """

    chosen = Signal(object)

    def __init__(
        self, trace: Trace, now: MachineChoice, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._trace = trace
        column = titled_column(self, tr("Machine"))
        column.addWidget(
            self._label(tr("Where ranks ran, and how nodes are connected."))
        )
        form = QFormLayout()
        self.file = QLineEdit(now.file, self)
        self.file.setPlaceholderText(
            tr("GraphML, Slurm, hwloc, rank files, a table, ...")
        )
        choose = QPushButton(tr("Choose…"), self)
        choose.clicked.connect(self._choose)
        row = QHBoxLayout()
        row.addWidget(self.file, 1)
        row.addWidget(choose)
        form.addRow(tr("File"), row)
        self.kind = QComboBox(self)
        self.kind.addItem(TOLD, "")
        for kind in NETWORK_KINDS:
            self.kind.addItem(tr("assume a {kind}", kind=tr(kind)), kind)
        self.kind.setCurrentIndex(max(self.kind.findData(now.kind), 0))
        form.addRow(tr("Network"), self.kind)
        self.dims = QLineEdit(now.dims, self)
        form.addRow(tr("Extents"), self.dims)
        self.per_node = QSpinBox(self)
        self.per_node.setRange(0, 1_000_000)
        self.per_node.setSpecialValueText(TOLD)
        self.per_node.setValue(now.per_node)
        form.addRow(tr("Ranks on a node"), self.per_node)
        self.names = QLineEdit(now.names, self)
        self.names.setPlaceholderText(r"r(?P<x>\d+)-m(?P<y>\d+)")
        form.addRow(tr("Coordinates in names"), self.names)
        self.counters = QLineEdit(now.counters, self)
        self.counters.setPlaceholderText(tr("those of nodes, by their names"))
        form.addRow(tr("Counters of traffic"), self.counters)
        pad_number(self.per_node)
        fields = (self.file, self.kind, self.dims, self.names, self.counters)
        for field in fields:
            field.setMinimumHeight(FIELD_HEIGHT)
            field.setFont(font(13, plain=True))
        column.addLayout(form)
        self.told = self._label("")
        self.told.setMinimumHeight(110)
        self.told.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.told.setAccessibleName(tr("What was understood"))
        column.addWidget(self.told)
        buttons = QDialogButtonBox(self)
        self.take = buttons.addButton(
            tr("Show"), QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.take.setDefault(True)
        self.take.clicked.connect(self._take)
        cancel = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        cancel.clicked.connect(self.reject)
        column.addWidget(buttons)
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
        """Give what is entered."""
        kind = str(self.kind.currentData())
        return MachineChoice(
            file=self.file.text().strip(),
            kind=kind,
            dims=self.dims.text().strip() if kind else "",
            per_node=self.per_node.value(),
            names=self.names.text(),
            counters=self.counters.text(),
        )

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setFont(font(12))
        label.setWordWrap(True)
        label.setProperty("dim", True)
        return label

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
        self.dims.setPlaceholderText(EXAMPLES[kind])
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
            self.told.setText(f"{error}.")
            self.take.setEnabled(False)
            return
        many = self._too_many(name)
        lines = [name, *many, *(f"• {word}" for word in placement.found)]
        if placement.missing:
            lines += [tr("Not known:"), *(f"• {word}" for word in placement.missing)]
        self.told.setText("\n".join(lines))
        self.take.setEnabled(True)

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
