"""Asking what a film shows: which time, how fast, its size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from topoview.analysis.pace import Pace
from topoview.ui import asking
from topoview.ui.film import GIF_RATE
from topoview.ui.formats import duration_text, grouped, window_text
from topoview.ui.playback import leader

if TYPE_CHECKING:
    from topoview.session import State
    from topoview.ui.settings import Settings

KINDS = {".mp4": "MP4, a film", ".gif": "GIF, an animated picture"}

SIZES = {
    "1280 by 720": (1280, 720),
    "1920 by 1080": (1920, 1080),
    "640 by 360": (640, 360),
}

EVEN, CALLS = "even", "calls"

PACES = {
    EVEN: "even, so many seconds in all",
    CALLS: "by MPI calls, so many a second",
}
"""What the number beside says."""

LEAST, MOST = 0.5, 3600.0
"""Seconds that a film may last."""

MOST_CALLS = 10_000.0

RATE = 25.0
"""Frames a second; a GIF has fewer (`GIF_RATE`)."""

_KEY = "film"


@dataclass(frozen=True, slots=True)
class FilmChoice:
    """How a film is to be saved; remembered from one to the next.

    Attributes
    ----------
    suffix
        Key of `KINDS`.
    size
        Name in `SIZES`.
    pace
        Key of `PACES`.
    seconds
        That it lasts, at an even pace.
    calls
        MPI calls that it shows in a second, at the other.
    skip
        Whether times in which nothing happens are left out, at an even pace.
    footer, key
        What is below the scene.
    """

    suffix: str = ".mp4"
    size: str = "1280 by 720"
    pace: str = EVEN
    seconds: float = 10.0
    calls: float = 10.0
    skip: bool = False
    footer: bool = True
    key: bool = True

    @property
    def sound(self) -> bool:
        """Whether it can be chosen."""
        named = self.suffix in KINDS and self.size in SIZES and self.pace in PACES
        lasts = LEAST <= self.seconds <= MOST
        return named and lasts and 0 < self.calls <= MOST_CALLS

    def through(self, rank: int) -> Pace:
        """Give the pace; `rank` is the one whose calls count."""
        if self.pace == CALLS:
            return Pace(self.seconds, self.calls, rank)
        return Pace(self.seconds, skip=self.skip)


def remembered_film(settings: Settings) -> FilmChoice:
    """Return the last choice that was made."""
    return asking.remembered(settings, _KEY, FilmChoice())


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


class FilmDialog(asking.Asking):
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
        super().__init__("Save film of the scene", parent)
        assert state.analysis is not None
        self._settings, self._trace = settings, state.analysis.trace
        self._rank = leader(state)
        self._times = list(stretches(state).values())
        last = remembered_film(settings)
        clock = self._trace.clock
        names = [
            f"{name}: {window_text(times, clock).partition(' of ')[0]}"
            if name != "the whole run"
            else name
            for name, times in stretches(state).items()
        ]
        self.stretch = self.box("Time", names)
        paces = dict(PACES)
        if not len(self._trace.calls):
            del paces[CALLS]
        self.pace = self.choose("Pace", paces, last.pace)
        self.seconds = self._amount(LEAST, MOST, last.seconds, " s")
        self.calls = self._amount(0.1, MOST_CALLS, last.calls, " calls/s")
        self.skip = self.tick("Leave out what nothing happens in", on=last.skip)
        self.kind = self.choose("Kind", KINDS, last.suffix)
        at = list(SIZES).index(last.size)
        self.size_box = self.box("Size in pixels", list(SIZES), at)
        self.footer = self.tick(asking.FOOTER, on=last.footer)
        self.key = self.tick(asking.KEY, on=last.key)
        self.on_save(self._take)
        for box in (self.stretch, self.kind, self.pace):
            box.currentIndexChanged.connect(self._tell)
        for field in (self.seconds, self.calls):
            field.valueChanged.connect(self._tell)
        self.skip.toggled.connect(self._tell)
        self._tell()

    def _amount(
        self, least: float, most: float, value: float, unit: str
    ) -> QDoubleSpinBox:
        field = QDoubleSpinBox(self)
        field.setRange(least, most)
        field.setDecimals(1)
        field.setSuffix(unit)
        field.setValue(value)
        field.setMinimumHeight(asking.HEIGHT)
        self.form.addRow("", field)
        return field

    def choice(self) -> FilmChoice:
        """Return what is entered."""
        return FilmChoice(
            list(KINDS)[self.kind.currentIndex()],
            self.size_box.currentText(),
            list(PACES)[self.pace.currentIndex()],
            self.seconds.value(),
            self.calls.value(),
            self.skip.isChecked(),
            self.footer.isChecked(),
            self.key.isChecked(),
        )

    def _take(self) -> None:
        choice, times = self.choice(), self._times[self.stretch.currentIndex()]
        asking.remember(self._settings, _KEY, choice)
        self.accept()
        self.chosen.emit(times, choice)

    def _tell(self) -> None:
        """Tell how fast that is, and how many frames are to be drawn."""
        from topoview.analysis.film_times import kept, lasts

        choice, trace = self.choice(), self._trace
        counted = choice.pace == CALLS
        self.form.setRowVisible(self.seconds, not counted)
        self.form.setRowVisible(self.calls, counted)
        self.form.setRowVisible(self.skip, not counted)
        span = self._times[self.stretch.currentIndex()]
        long = lasts(trace, span, choice.through(self._rank))
        rate = GIF_RATE if choice.suffix == ".gif" else RATE
        frames = grouped(max(2, round(long * rate)))
        self.save.setEnabled(long <= MOST)
        if long > MOST:
            most = duration_text(MOST)
            self.note.setText(f"That lasts longer than {most}: take a shorter time.")
            return
        if counted:
            self.note.setText(
                f"It lasts {duration_text(max(long, 2 / rate))}, by the calls of rank "
                f"{self._rank}; {frames} frames are drawn, beside the window."
            )
            return
        ticks, left = float(span[1] - span[0]), ""
        if choice.skip:
            shown = kept(trace, span, choice.seconds)
            ticks = float((shown[:, 1] - shown[:, 0]).sum())
            lost = trace.clock.seconds(round(span[1] - span[0] - ticks))
            left = f"{duration_text(lost)} of rest is left out; "
            if len(shown) < 2:
                left = "there is no rest to leave out; "
        second = duration_text(ticks / trace.clock.resolution / choice.seconds)
        self.note.setText(
            f"A second shows {second} of the run; {left}{frames} frames are drawn, "
            "beside the window."
        )
