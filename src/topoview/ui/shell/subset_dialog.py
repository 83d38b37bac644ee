"""The dialog that asks which ranks and which time interval of a trace to read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from topoview.base.text import size_text, tr
from topoview.model import Subset, TraceExtent
from topoview.ui.shell.opening import time_left_text
from topoview.ui.widgets.save_dialog import pad_number, titled_column

if TYPE_CHECKING:
    from topoview.ui.actions.action import Context

_MAX_SECONDS = 1e9


_SKIPPED_TIME_COST = 0.25
"""What the time before the subset costs, as a share of reading it."""


@dataclass(frozen=True, slots=True)
class SubsetSource:
    """What a subset is chosen from; `extent` tells more of what is not read yet."""

    name: str
    ranks: int
    length: float
    extent: TraceExtent | None = None


class SubsetDialog(QDialog):
    """Asks for ranks and a stretch of time.

    Signals
    -------
    chosen
        The `Subset` to be read.
    """

    chosen = Signal(object)

    def __init__(self, whole: SubsetSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = whole
        column = titled_column(
            self, tr("A long trace") if whole.extent else tr("Open subset")
        )
        self.told = self._label(column)
        self.told.setText(_source_text(whole))
        self.ranks = QLineEdit(self)
        self.ranks.setPlaceholderText(tr("all: 0-{ranks}", ranks=whole.ranks - 1))
        self.begin, self.end = self._time(0.0), self._time(whole.length)
        form = QFormLayout()
        form.addRow(tr("Ranks"), self.ranks)
        form.addRow(tr("From"), self.begin)
        form.addRow(tr("To"), self.end)
        column.addLayout(form)
        self.estimate = self._label(column)
        self.buttons = QDialogButtonBox(self)
        self.read_subset = self._button(tr("Read this subset"), self._take_subset)
        if whole.extent:
            self.all = self._button(tr("Read all"), partial(self._take, Subset()))
            self.all.setDefault(True)
        self._button(tr("Cancel"), self.reject)
        column.addWidget(self.buttons)
        self.ranks.textChanged.connect(self._check)
        self.begin.valueChanged.connect(self._check)
        self.end.valueChanged.connect(self._check)
        self._check()

    def subset(self) -> Subset:
        """Return what is entered.

        Raises
        ------
        ValueError
            If it makes no sense, with what is wrong.
        """
        end = self.end.value()
        is_end = end >= round(self._whole.length, self.end.decimals())
        wanted = Subset.parse(
            self.begin.value(), None if is_end else end, self.ranks.text()
        )
        last = max((last for _, last in wanted.ranks), default=0)
        if last >= self._whole.ranks:
            raise ValueError(tr("ranks are 0 to {ranks}", ranks=self._whole.ranks - 1))
        if not is_end and end <= self.begin.value():
            raise ValueError(tr("it ends before it begins"))
        return wanted

    def _check(self) -> None:
        try:
            wanted = self.subset()
        except ValueError as error:
            self.estimate.setText(str(error)[:1].upper() + str(error)[1:] + ".")
            self.read_subset.setEnabled(False)
            return
        self.read_subset.setEnabled(not wanted.is_all)
        self.estimate.setText(_estimate_text(self._whole, wanted))

    def _take_subset(self) -> None:
        self._take(self.subset())

    def _take(self, wanted: Subset) -> None:
        self.chosen.emit(wanted)
        self.accept()

    def _label(self, column: QVBoxLayout) -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        column.addWidget(label)
        return label

    def _time(self, value: float) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setDecimals(3)
        pad_number(box)
        box.setRange(0.0, self._whole.length or _MAX_SECONDS)
        box.setSingleStep(max(self._whole.length / 20, 0.001))
        box.setSuffix(" s")
        box.setValue(value or (0.0 if value == 0.0 else _MAX_SECONDS))
        return box

    def _button(self, text: str, act: object) -> QPushButton:
        button = self.buttons.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)
        button.clicked.connect(lambda: act())  # type: ignore[operator]
        return button


def _source_text(whole: SubsetSource) -> str:
    extent = whole.extent
    if extent is None:
        return tr(
            "{name}: {ranks} ranks, {length:.4g} s.",
            name=whole.name,
            ranks=whole.ranks,
            length=whole.length,
        )
    lasts = tr(", about {length:.4g} s", length=extent.length) if extent.length else ""
    return tr(
        "{name} holds {events} events of "
        "{ranks} ranks"
        "{lasts}: {size} of files. The cache takes about "
        "{room} for it, and opens it at once the next time.",
        name=whole.name,
        events=rounded_count_text(extent.events),
        ranks=whole.ranks,
        lasts=lasts,
        size=size_text(extent.size),
        room=size_text(extent.room),
    )


def _estimate_text(whole: SubsetSource, wanted: Subset) -> str:
    extent = whole.extent
    words = tr("Missing data is reported: messages to other ranks, for instance.")
    if extent is None:
        return words
    ranks = sum(last - first + 1 for first, last in wanted.ranks) or whole.ranks
    seconds = extent.seconds * ranks / max(whole.ranks, 1)
    if whole.length:
        begin = wanted.begin or 0.0
        end = whole.length if wanted.end is None else min(wanted.end, whole.length)
        seconds *= min((end - begin + _SKIPPED_TIME_COST * begin) / whole.length, 1.0)
    text = tr("Reading takes about {seconds}.", seconds=time_left_text(seconds))
    return text if wanted.is_all else f"{text} {words}"


def rounded_count_text(count: int) -> str:
    """Write a large number to two digits, such as ``310 million``."""
    for scale, word in ((1e9, tr(" billion")), (1e6, tr(" million"))):
        if count >= scale:
            return (
                f"{count / scale:.2g}{word}"
                if count < 100 * scale
                else (f"{count / scale:.0f}{word}")
            )
    return str(count)


def ask_for_subset(c: Context, extent: TraceExtent) -> None:
    """Ask what is to be read of a long trace that is being opened."""
    whole = SubsetSource(extent.name, extent.ranks, extent.length, extent)
    dialog = SubsetDialog(whole, c.window)
    dialog.chosen.connect(c.opener.answer)
    dialog.rejected.connect(c.opener.cancel)
    dialog.open()


def open_subset(c: Context) -> None:
    """Ask for a subset of what is shown, or of its digest's trace, and open it."""
    from topoview.ui.export.cluster import fetch

    analysis = c.state.analysis
    if analysis is None:
        return
    trace, path = analysis.trace, analysis.trace.path
    length = trace.clock.seconds(trace.clock.length)
    dialog = SubsetDialog(SubsetSource(trace.name, trace.ranks, length), c.window)
    digest = trace.digest is not None
    dialog.chosen.connect(
        lambda part: fetch(c, part) if digest else c.opener.open(path, subset=part)
    )
    dialog.open()
