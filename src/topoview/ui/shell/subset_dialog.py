"""The dialog that asks which ranks and which time interval of a trace to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QWidget

from topoview.base.text import size_text, tr
from topoview.model import Subset, TraceExtent
from topoview.ui.shell.opening import time_left_text
from topoview.ui.widgets.save_dialog import SaveDialog

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


class SubsetDialog(SaveDialog):
    """Asks for ranks and a stretch of time."""

    chosen = Signal(object)
    """The `Subset` to be read."""

    def __init__(self, whole: SubsetSource, parent: QWidget | None = None) -> None:
        title = tr("A long trace") if whole.extent else tr("Open subset")
        super().__init__(title, parent)
        self._whole = whole
        self.summary = QLabel(_source_text(whole), self)
        self.form.addRow(self.summary)
        for label in (self.summary, self.note):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        every = tr("all: 0-{ranks}", ranks=whole.ranks - 1)
        self.ranks = self.line(tr("Ranks"), "", every)
        self.begin = self._time(tr("From"), 0.0)
        self.end = self._time(tr("To"), whole.length or _MAX_SECONDS)
        self.save.setText(tr("Read this subset"))
        self.on_save(lambda: self._take(self.subset()))
        if whole.extent:
            self.all = self.button(tr("Read all"))
            self.all.clicked.connect(lambda: self._take(Subset()))
            self.all.setDefault(True)
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
            self.note.setText(str(error)[:1].upper() + str(error)[1:] + ".")
            self.save.setEnabled(False)
            return
        self.save.setEnabled(not wanted.is_all)
        self.note.setText(_estimate_text(self._whole, wanted))

    def _take(self, wanted: Subset) -> None:
        self.chosen.emit(wanted)
        self.accept()

    def _time(self, label: str, value: float) -> QDoubleSpinBox:
        length = self._whole.length
        box = self.decimal((0.0, length or _MAX_SECONDS), value, " s", decimals=3)
        box.setSingleStep(max(length / 20, 0.001))
        self.form.addRow(label, box)
        return box


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
