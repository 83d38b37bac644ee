"""Saving a film from the window: a process of its own draws it.

VTK draws on the window's thread only, and a film takes minutes: the window would
stand still. The process is told by a recipe how the scene is seen.
"""

import re
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QProgressDialog

from topoview.ui import dialogs
from topoview.ui.film_dialog import CALLS, SIZES, FilmChoice, FilmDialog
from topoview.ui.playback import leader
from topoview.ui.recipe import KEY, recipe_of
from topoview.ui.saving import filmed

if TYPE_CHECKING:
    from topoview.ui.window import MainWindow

PROGRESS = re.compile(rb"(\d+)\s*%")


def ask_for_film(window: "MainWindow") -> None:
    """Ask what is to be filmed, and where to, and do it."""
    if window.session.state.analysis is None:
        return
    dialog = FilmDialog(window.session.state, window.settings, window)
    dialog.chosen.connect(partial(_ask_where, window))
    dialog.open()


def _ask_where(
    window: "MainWindow", times: tuple[int, int], choice: FilmChoice
) -> None:
    known = window.session.state.analysis
    if known is None:
        return
    folder = Path(window.settings.folder or Path.home())
    suggestion = folder / f"{known.trace.name}{choice.suffix}"
    chosen = dialogs.ask_for_film(window, suggestion)
    if chosen:
        FilmJob(window, Path(chosen), times, choice).start()


class FilmJob(QObject):
    """Draws a film while the window goes on, with a dialog that can cancel it.

    Parameters
    ----------
    window
        Its scene is filmed.
    path
        Of the film; its suffix chooses the kind.
    times
        Begin and end in ticks.
    choice
        How long it lasts, its size, and what is below the scene.

    Signals
    -------
    finished
        Whether there is a film.
    """

    finished = Signal(bool)

    def __init__(
        self,
        window: "MainWindow",
        path: Path,
        times: tuple[int, int],
        choice: FilmChoice,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._path, self._times, self._choice = path, times, choice
        self._said = b""
        self._ended = False
        self._folder = tempfile.TemporaryDirectory(prefix="topoview-film-")
        self.process = QProcess(self)
        self.process.readyReadStandardError.connect(self._read)
        self.process.finished.connect(self._end)
        self.process.errorOccurred.connect(self._end)
        self.dialog = QProgressDialog(f"Drawing {path.name}", "Cancel", 0, 100, window)
        self.dialog.setWindowTitle("topoview")
        self.dialog.setMinimumWidth(320)
        self.dialog.setWindowModality(Qt.WindowModality.NonModal)
        self.dialog.setMinimumDuration(0)
        self.dialog.setAutoReset(False)
        self.dialog.canceled.connect(self.process.kill)

    def start(self) -> None:
        """Begin."""
        state, workspace = self._window.session.state, self._window.workspace
        assert state.analysis is not None
        assert workspace is not None
        trace = state.analysis.trace
        begin, end = self._times
        choice = self._choice
        scene = workspace.active
        card = QImage(1, 1, QImage.Format.Format_RGB32)
        told = recipe_of(scene.state, SIZES[choice.size], scene.scene.pose, footer=True)
        told = replace(told, footer=choice.footer, key=choice.key)
        card.setText(KEY, filmed(self._window, told).text)
        recipe = Path(self._folder.name) / "recipe.png"
        card.save(str(recipe))
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("TOPOVIEW_PROGRESS", "lines")
        self.process.setProcessEnvironment(environment)
        self.process.start(
            sys.executable,
            [
                *("-P", "-m", "topoview", "movie", trace.path),
                *("--like", str(recipe), "-o", str(self._path)),
                *("--begin", repr(trace.clock.seconds(begin))),
                *("--end", repr(trace.clock.seconds(end))),
                *self._pace(),
            ],
        )
        self.dialog.setValue(0)

    def _pace(self) -> list[str]:
        """Say how fast it goes."""
        choice = self._choice
        if choice.pace == CALLS:
            rank = str(leader(self._window.session.state))
            return ["--calls", repr(choice.calls), "--calls-of", rank]
        told = ["--seconds", repr(choice.seconds)]
        return [*told, "--skip"] if choice.skip else told

    def _read(self) -> None:
        said = self.process.readAllStandardError().data()
        self._said = (self._said + said)[-4000:]
        found = PROGRESS.findall(said)
        if found and b"film" in said:
            done = int(found[-1])
            self.dialog.setValue(done)
            self.dialog.setLabelText(f"Drawing {self._path.name}: {done} %")

    def _end(self) -> None:
        if self._ended:
            return
        self._ended = True
        cancelled = self.dialog.wasCanceled()
        self.dialog.canceled.disconnect()
        self.dialog.close()
        self._folder.cleanup()
        good = (
            not cancelled
            and self.process.exitStatus() == QProcess.ExitStatus.NormalExit
            and self.process.exitCode() == 0
            and self.process.error() == QProcess.ProcessError.UnknownError
        )
        if good:
            self._window.say(f"Film saved: {self._path}")
        elif not cancelled:
            lines = self._said.decode(errors="replace").strip().splitlines()
            why = lines[-1] if lines else "the process that draws it ended early"
            dialogs.complain(self._window, "The film could not be saved", why)
        part = self._path.with_name(f".{self._path.stem}.part{self._path.suffix}")
        part.unlink(missing_ok=True)
        self.finished.emit(good)
        self.deleteLater()
