"""Asking what a film shows: which time, how long it lasts, its size."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from topoview.ui.film import GIF_RATE
from topoview.ui.fonts import font
from topoview.ui.formats import duration_text, grouped, window_text

if TYPE_CHECKING:
    from topoview.session import State
    from topoview.ui.settings import Settings

KINDS = {".mp4": "MP4, a film", ".gif": "GIF, an animated picture"}

SIZES = {
    "1280 by 720": (1280, 720),
    "1920 by 1080": (1920, 1080),
    "640 by 360": (640, 360),
}

LEAST, MOST = 0.5, 3600.0
"""Seconds that a film may last."""

RATE = 25.0
"""Frames a second; a GIF has fewer (`GIF_RATE`)."""

_KEY = "film"
_HEIGHT = 28


@dataclass(frozen=True, slots=True)
class FilmChoice:
    """How a film is to be saved; remembered from one to the next.

    Attributes
    ----------
    suffix
        Key of `KINDS`.
    size
        Name in `SIZES`.
    seconds
        That it lasts.
    footer, key
        What is below the scene.
    """

    suffix: str = ".mp4"
    size: str = "1280 by 720"
    seconds: float = 10.0
    footer: bool = True
    key: bool = True


def remembered_film(settings: Settings) -> FilmChoice:
    """Return the last choice that was made."""
    try:
        told: dict[str, Any] = json.loads(str(settings.text(_KEY)))
        choice = FilmChoice(**told)
        sound = choice.suffix in KINDS and choice.size in SIZES
        return choice if sound and LEAST <= choice.seconds <= MOST else FilmChoice()
    except (ValueError, TypeError):
        return FilmChoice()


def stretches(state: State) -> dict[str, tuple[int, int]]:
    """List the times that can be filmed, the one that is meant most likely first."""
    if state.analysis is None:
        return {}
    found = {
        "the selected time": state.selection.window,
        "what is played": state.bounds,
        "what the timeline shows": state.window,
        "the whole run": (0, max(state.analysis.trace.clock.length, 1)),
    }
    return {name: times for name, times in found.items() if times is not None}


class FilmDialog(QDialog):
    """Asks what is filmed, and how.

    Signals
    -------
    chosen
        Begin and end in ticks, and the `FilmChoice`.
    """

    chosen = Signal(object, object)

    def __init__(
        self, state: State, settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        assert state.analysis is not None
        self._settings, self._clock = settings, state.analysis.trace.clock
        self._times = list(stretches(state).values())
        last = remembered_film(settings)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("topoview")
        self.setMinimumWidth(420)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(10)
        title = QLabel("Save film of the scene", self)
        title.setFont(font(16, 600))
        column.addWidget(title)
        names = [
            f"{name}: {window_text(times, self._clock).partition(' of ')[0]}"
            if name != "the whole run"
            else name
            for name, times in stretches(state).items()
        ]
        self.stretch = self._box(names, 0)
        self.kind = self._box(list(KINDS.values()), list(KINDS).index(last.suffix))
        self.size_box = self._box(list(SIZES), list(SIZES).index(last.size))
        self.seconds = QDoubleSpinBox(self)
        self.seconds.setRange(LEAST, MOST)
        self.seconds.setDecimals(1)
        self.seconds.setSuffix(" s")
        self.seconds.setValue(last.seconds)
        self.seconds.setMinimumHeight(_HEIGHT)
        self.footer = QCheckBox("Line below with trace, topology and time", self)
        self.key = QCheckBox("Key of colours and lines", self)
        self.footer.setChecked(last.footer)
        self.key.setChecked(last.key)
        self._lay_out(column)
        for box in (self.stretch, self.kind):
            box.currentIndexChanged.connect(self._tell)
        self.seconds.valueChanged.connect(self._tell)
        self._tell()

    def _lay_out(self, column: QVBoxLayout) -> None:
        form = QFormLayout()
        form.addRow("Time", self.stretch)
        form.addRow("Lasts", self.seconds)
        form.addRow("Kind", self.kind)
        form.addRow("Size in pixels", self.size_box)
        for box in (self.footer, self.key):
            form.addRow("", box)
        column.addLayout(form)
        self.note = QLabel(self)
        self.note.setWordWrap(True)
        column.addWidget(self.note)
        roles = QDialogButtonBox.ButtonRole
        self.buttons = QDialogButtonBox(self)
        self.save = self.buttons.addButton("Save…", roles.AcceptRole)
        self.buttons.addButton("Cancel", roles.RejectRole)
        self.save.setDefault(True)
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.buttons)

    def choice(self) -> FilmChoice:
        """Return what is entered."""
        return FilmChoice(
            list(KINDS)[self.kind.currentIndex()],
            self.size_box.currentText(),
            self.seconds.value(),
            self.footer.isChecked(),
            self.key.isChecked(),
        )

    def _take(self) -> None:
        choice, times = self.choice(), self._times[self.stretch.currentIndex()]
        self._settings.keep_text(_KEY, json.dumps(asdict(choice)))
        self.accept()
        self.chosen.emit(times, choice)

    def _tell(self) -> None:
        """Tell how fast that is, and how many frames are to be drawn."""
        choice = self.choice()
        begin, end = self._times[self.stretch.currentIndex()]
        pace = self._clock.seconds(end - begin) / choice.seconds
        rate = GIF_RATE if choice.suffix == ".gif" else RATE
        frames = max(2, round(choice.seconds * rate))
        self.note.setText(
            f"A second shows {duration_text(pace)} of the run; "
            f"{grouped(frames)} frames are drawn, beside the window."
        )

    def _box(self, names: list[str], index: int) -> QComboBox:
        box = QComboBox(self)
        box.addItems(names)
        box.setCurrentIndex(index)
        box.setMinimumHeight(_HEIGHT)
        return box
