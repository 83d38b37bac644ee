"""Pictures of a trace and of the window without a user: for ``topoview demo``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEventLoop, QTimer

from topoview.base.progress import Report, silent
from topoview.desktop import has_display
from topoview.errors import ExportError, TopoviewError
from topoview.live.waits.delays import first_view
from topoview.model import Analysis
from topoview.report.identification.answer import identification_record
from topoview.report.logical.lines import logical_text
from topoview.ui.export.picture import render, save_image
from topoview.ui.export.render_spec import RenderSpec
from topoview.worker import analyse_in_process

if TYPE_CHECKING:
    from topoview.ui.shell.window import MainWindow

MAX_WAIT_SECONDS = 600.0
"""Seconds that the window may take to show a trace."""

DRAWN_SHARES = (0.2, 0.4, 0.6, 0.8)
"""Where in what is shown first the scene is drawn."""


@dataclass(frozen=True, slots=True)
class DrawnPictures:
    """What was drawn, and what was found: JSON-able, and in lines for a reader."""

    record: dict[str, Any]
    text: str


def draw_pictures(anchor: Path, folder: Path, report: Report = silent) -> DrawnPictures:
    """Draw a trace at what is shown of it first: the scene, the window if it can be.

    Parameters
    ----------
    anchor
        The trace.
    folder
        Where the pictures go; made if need be.

    Raises
    ------
    ExportError
        The pictures cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(
            f"{folder} cannot be made: {error.strerror}; name another folder"
        ) from error
    *_, analysis = analyse_in_process(anchor, report)
    first = first_view(analysis)
    begin, end = first.window
    times = [begin + round((end - begin) * share) for share in DRAWN_SHARES]
    files = []
    if has_display():
        files.append(folder / "window.png")
        draw_window(anchor, first.time, files[-1])
    for number, time in enumerate(times):
        report("drawing", number / len(times))
        files.append(folder / f"scene-{number}.png")
        window = (0, analysis.trace.clock.length)
        save_image(render(analysis, RenderSpec(time, window)), files[-1])
    report("drawing", 1.0)
    return _summary(analysis, anchor, files)


def draw_window(anchor: Path, time: int, path: Path) -> None:
    """Save how the window looks at a time (ticks) of a trace."""
    with complete_window(anchor) as shown:
        shown.session.update(time=time)
        settle(shown)
        save_image(shown.grab().toImage(), path)


@contextmanager
def complete_window(
    anchor: Path, size: tuple[int, int] = (1280, 800), theme: str = "system"
) -> Iterator["MainWindow"]:
    """Show the window on a trace of which all is known; leaves settings alone.

    Parameters
    ----------
    anchor
        The trace.
    size
        Of the window in pixels.
    theme
        ``light``, ``dark``, or ``system``.

    Raises
    ------
    TopoviewError
        The trace cannot be read or analysed.
    """
    from topoview.ui.actions.appearance import choose_theme
    from topoview.ui.settings import MemoryStore, Settings
    from topoview.ui.shell.app import application
    from topoview.ui.shell.window import MainWindow

    application()
    shown = MainWindow(Settings(MemoryStore()))
    try:
        choose_theme(theme, shown.context)
        shown.resize(*size)
        shown.show()
        shown.start()
        shown.open(str(anchor))
        session = shown.session
        _wait_until(
            lambda: session.state.opening is None and shown.workspace is not None
        )
        analysis = session.state.analysis
        if analysis is None or analysis.logical is None:
            raise TopoviewError(
                session.state.failure
                or f"{anchor.name} could not be analysed: open it in the window"
            )
        yield shown
    finally:
        shown.close()


def settle(window: "MainWindow") -> None:
    """Wait until all that was changed in the window is painted."""
    _pause(0.5)  # the panels have noticed
    _wait_until(lambda: _is_drawn(window))
    _pause(0.5)  # and all is painted


def _is_drawn(window: "MainWindow") -> bool:
    """Return whether scene and timeline have caught up."""
    return window.workspace is not None and window.workspace.settled


def _wait_until(ready: Callable[[], bool]) -> None:
    deadline = monotonic() + MAX_WAIT_SECONDS
    while not ready():
        if monotonic() > deadline:
            raise ExportError(
                f"the window shows nothing after {MAX_WAIT_SECONDS:.0f} s"
            )
        _pause(0.05)


def _pause(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def _summary(analysis: Analysis, anchor: Path, files: list[Path]) -> DrawnPictures:
    assert analysis.identification is not None
    assert analysis.logical is not None
    best, logical = analysis.identification.best, analysis.logical
    record = {
        "trace": str(anchor),
        "pictures": [str(path) for path in files],
        "identification": identification_record(analysis.identification)["matches"][0],
        "statements": logical.listed,
        "ranks_verified": logical.ranks_verified,
    }
    lines = [
        f"trace     {anchor}",
        f"topology  {best.topology.name}, {analysis.trace.ranks} ranks",
        f"          carries {best.calls_covered:.1%} of the messages, "
        f"{best.bytes_covered:.1%} of the bytes",
        f"logical trace, exact for {logical.ranks_verified} of {logical.ranks} ranks:",
        *("    " + line for line in logical_text(logical).splitlines()),
        "pictures",
        *(f"    {path}" for path in files),
    ]
    return DrawnPictures(record, "\n".join(lines))
