"""The dialog for saving a film, and the process that draws it beside the window.

VTK draws on the window's thread only, and a film takes minutes: the window would
stand still. The process gets a `RenderSpec` of how the scene is seen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from topoview.base.text import duration_text, grouped, mark, tr
from topoview.live.picking.navigation import Pace
from topoview.ui.export.film import MAX_GIF_RATE
from topoview.ui.export.job import ExportJob
from topoview.ui.export.picture_choice import FILM_FORMATS
from topoview.ui.export.render_spec import METADATA_KEY, render_spec_of
from topoview.ui.playback import counted_rank
from topoview.ui.widgets import dialogs
from topoview.ui.widgets import save_dialog as asking
from topoview.ui.widgets.formats import window_text

if TYPE_CHECKING:
    from topoview.session import State
    from topoview.ui.actions.action import Context
    from topoview.ui.settings import Settings

FILM_SIZES = {
    mark("1280 by 720"): (1280, 720),
    mark("1920 by 1080"): (1920, 1080),
    mark("640 by 360"): (640, 360),
}

EVEN_RATE, CALL_RATE = "even", "calls"

RATE_MODES = {
    EVEN_RATE: tr("constant speed, total length"),
    CALL_RATE: tr("MPI calls a second"),
}
"""What the number beside says."""

MIN_FILM_SECONDS, MAX_FILM_SECONDS = 0.5, 3600.0
"""Seconds that a film may last."""

MAX_CALLS_PER_SECOND = 10_000.0

FRAME_RATE = 25.0
"""Frames a second; a GIF has fewer (`MAX_GIF_RATE`)."""

_SETTINGS_KEY = "film"


@dataclass(frozen=True, slots=True)
class FilmChoice:
    """How a film is to be saved; remembered from one to the next."""

    suffix: str = ".mp4"
    """Key of `FILM_FORMATS`."""
    size: str = "1280 by 720"
    """Name in `FILM_SIZES`."""
    pace: str = EVEN_RATE
    """Key of `RATE_MODES`."""
    seconds: float = 10.0
    """That it lasts, at an even pace."""
    calls: float = 10.0
    """MPI calls that it shows in a second, at the other."""
    skip: bool = False
    """Whether times in which nothing happens are left out, at an even pace."""
    footer: bool = True
    key: bool = True
    """`footer` and `key`: what is below the scene."""

    @property
    def sound(self) -> bool:
        """Whether it can be chosen."""
        named = (
            self.suffix in FILM_FORMATS
            and self.size in FILM_SIZES
            and self.pace in RATE_MODES
        )
        lasts = MIN_FILM_SECONDS <= self.seconds <= MAX_FILM_SECONDS
        return named and lasts and 0 < self.calls <= MAX_CALLS_PER_SECOND

    def through(self, rank: int) -> Pace:
        """Return the pace; the calls of `rank` count."""
        if self.pace == CALL_RATE:
            return Pace(self.seconds, self.calls, rank)
        return Pace(self.seconds, skip=self.skip)


def last_film_choice(settings: Settings) -> FilmChoice:
    """Return the last choice that was made."""
    return asking.last_choice(settings, _SETTINGS_KEY, FilmChoice())


def filmable_intervals(state: State) -> dict[str, tuple[int, int]]:
    """List the times that can be filmed, the one that is meant most likely first."""
    if state.analysis is None:
        return {}
    intervals = {
        tr("the selected time"): state.selection.window,
        tr("what is played"): state.bounds,
        tr("what the timeline shows"): state.window,
        tr("the whole run"): state.analysis.trace.clock.whole,
    }
    return {name: times for name, times in intervals.items() if times is not None}


class FilmDialog(asking.SaveDialog):
    """Asks what is filmed, and how."""

    chosen = Signal(object, object)
    """Begin and end in ticks, and the `FilmChoice`."""

    def __init__(
        self, state: State, settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(tr("Export animation"), parent)
        assert state.analysis is not None
        self._settings, self._trace = settings, state.analysis.trace
        self._rank = counted_rank(state)
        self._times = list(filmable_intervals(state).values())
        last = last_film_choice(settings)
        clock = self._trace.clock
        names = [
            f"{name}: {window_text(times, clock).partition(tr(' of '))[0]}"
            if name != tr("the whole run")
            else name
            for name, times in filmable_intervals(state).items()
        ]
        self.stretch = self.box(tr("Time"), names)
        paces = dict(RATE_MODES)
        if not len(self._trace.calls):
            del paces[CALL_RATE]
        self.pace = self.choose(tr("Pace"), paces, last.pace)
        lasts = MIN_FILM_SECONDS, MAX_FILM_SECONDS
        self.seconds = self.decimal(lasts, last.seconds, " s")
        self.calls = self.decimal((0.1, MAX_CALLS_PER_SECOND), last.calls, " calls/s")
        for field in (self.seconds, self.calls):
            field.setSingleStep(1.0)
            self.form.addRow("", field)
        self.skip = self.tick(tr("Skip idle periods"), on=last.skip)
        self.kind = self.choose(tr("Format"), FILM_FORMATS, last.suffix)
        at = list(FILM_SIZES).index(last.size)
        self.size_box = self.box(tr("Size in pixels"), list(map(tr, FILM_SIZES)), at)
        self.footer = self.tick(asking.CAPTION_TEXT, on=last.footer)
        self.key = self.tick(asking.LEGEND_TEXT, on=last.key)
        self.on_save(self._take)
        for box in (self.stretch, self.kind, self.pace):
            box.currentIndexChanged.connect(self._tell)
        for field in (self.seconds, self.calls):
            field.valueChanged.connect(self._tell)
        self.skip.toggled.connect(self._tell)
        self._tell()

    def choice(self) -> FilmChoice:
        """Return what is entered."""
        return FilmChoice(
            suffix=list(FILM_FORMATS)[self.kind.currentIndex()],
            size=list(FILM_SIZES)[self.size_box.currentIndex()],
            pace=list(RATE_MODES)[self.pace.currentIndex()],
            seconds=self.seconds.value(),
            calls=self.calls.value(),
            skip=self.skip.isChecked(),
            footer=self.footer.isChecked(),
            key=self.key.isChecked(),
        )

    def _take(self) -> None:
        choice, times = self.choice(), self._times[self.stretch.currentIndex()]
        asking.keep_choice(self._settings, _SETTINGS_KEY, choice)
        self.accept()
        self.chosen.emit(times, choice)

    def _tell(self) -> None:
        """Show how fast that is, and how many frames are to be drawn."""
        from topoview.live.moments.film_times import film_seconds, without_idle_periods

        choice, trace = self.choice(), self._trace
        counted = choice.pace == CALL_RATE
        self.form.setRowVisible(self.seconds, not counted)
        self.form.setRowVisible(self.calls, counted)
        self.form.setRowVisible(self.skip, not counted)
        span = self._times[self.stretch.currentIndex()]
        long = film_seconds(trace, span, choice.through(self._rank))
        rate = MAX_GIF_RATE if choice.suffix == ".gif" else FRAME_RATE
        frames = grouped(max(2, round(long * rate)))
        self.save.setEnabled(long <= MAX_FILM_SECONDS)
        if long > MAX_FILM_SECONDS:
            most = duration_text(MAX_FILM_SECONDS)
            self.note.setText(
                tr("That lasts longer than {most}: take a shorter time.", most=most)
            )
            return
        if counted:
            self.note.setText(
                tr(
                    "It lasts {long}, by the calls of rank "
                    "{rank}; {frames} frames, rendered in the background.",
                    long=duration_text(max(long, 2 / rate)),
                    rank=self._rank,
                    frames=frames,
                )
            )
            return
        ticks, left = float(span[1] - span[0]), ""
        if choice.skip:
            shown = without_idle_periods(trace, span, choice.seconds)
            ticks = float((shown[:, 1] - shown[:, 0]).sum())
            lost = trace.clock.seconds(round(span[1] - span[0] - ticks))
            left = f"{duration_text(lost)} of idle time is skipped; "
            if len(shown) < 2:
                left = "there is no idle time to skip; "
        second = duration_text(ticks / trace.clock.resolution / choice.seconds)
        self.note.setText(
            tr(
                "A second shows {second} of the run; {left}{frames} frames, "
                "rendered in the background.",
                second=second,
                left=left,
                frames=frames,
            )
        )


PROGRESS_PATTERN = re.compile(rb"(\d+)\s*%")


def ask_for_film(c: Context) -> None:
    """Ask what is to be filmed, and where to, and do it."""
    if c.state.analysis is None:
        return
    dialog = FilmDialog(c.state, c.settings, c.window)
    dialog.chosen.connect(partial(_ask_where, c))
    dialog.open()


def _ask_where(c: Context, times: tuple[int, int], choice: FilmChoice) -> None:
    analysis = c.state.analysis
    if analysis is None:
        return
    folder = Path(c.settings.folder or Path.home())
    suggestion = folder / f"{analysis.trace.name}{choice.suffix}"
    chosen = dialogs.ask_where(
        c.window, tr("Export animation"), suggestion, FILM_FORMATS
    )
    if chosen:
        FilmJob(c, Path(chosen), times, choice).start()


class FilmJob(ExportJob):
    """Draws a film of the window's scene.

    Parameters
    ----------
    times
        Begin and end in ticks.
    choice
        How long it lasts, its size, and what is below the scene.
    """

    def __init__(
        self,
        context: Context,
        path: Path,
        times: tuple[int, int],
        choice: FilmChoice,
    ) -> None:
        super().__init__(
            context,
            path,
            tr("Film"),
            tr("Drawing {name}", name=path.name),
            tr("Export animation"),
        )
        self._times, self._choice = times, choice

    def _command(self, folder: Path) -> list[str]:
        state, scene = self._context.state, self._context.scene
        assert state.analysis is not None
        assert scene is not None
        trace = state.analysis.trace
        begin, end = self._times
        choice = self._choice
        card = QImage(1, 1, QImage.Format.Format_RGB32)
        render_spec = render_spec_of(
            scene.state, FILM_SIZES[choice.size], scene.scene.pose, footer=True
        )
        render_spec = replace(
            render_spec, footer=choice.footer, key=choice.key, path=state.film_path
        )
        card.setText(METADATA_KEY, render_spec.text)
        spec = folder / "specification.png"
        card.save(str(spec))
        return [
            "movie",
            trace.path,
            "--like",
            str(spec),
            "-o",
            str(self._path),
            "--begin",
            repr(trace.clock.seconds(begin)),
            "--end",
            repr(trace.clock.seconds(end)),
            *self._pace(),
        ]

    def _pace(self) -> list[str]:
        """Describe how fast it goes."""
        choice = self._choice
        if choice.pace == CALL_RATE:
            rank = str(counted_rank(self._context.state))
            return ["--calls", repr(choice.calls), "--calls-of", rank]
        arguments = ["--seconds", repr(choice.seconds)]
        return [*arguments, "--skip"] if choice.skip else arguments

    def _show(self, said: bytes) -> None:
        matches = PROGRESS_PATTERN.findall(said)
        if matches and b"film" in said:
            done = int(matches[-1])
            self.dialog.setValue(done)
            self.dialog.setLabelText(
                tr("Drawing {name}: {done} %", name=self._path.name, done=done)
            )

    def _clear(self) -> None:
        part = self._path.with_name(f".{self._path.stem}.part{self._path.suffix}")
        part.unlink(missing_ok=True)
