"""Nothing is drawn, rendered or painted while nothing changes."""

from time import perf_counter

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from topoview.ui.shell.window import MainWindow

pytestmark = pytest.mark.usefixtures("with_smoothing")

PATIENCE = 30_000

TRIES = 20
"""Stretches of two seconds; the first one is enough on an idle machine."""


class Paints(QObject):
    """Notes the widgets that are painted."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Note a paint."""
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.seen.append(type(watched).__name__)
        return False


def test_nothing_is_drawn_at_rest(loaded_anew: MainWindow, qtbot: QtBot) -> None:
    """Over two seconds with the cursor and the pointer still, in the whole window."""
    loaded = loaded_anew
    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: scene.scene.ranks == 12 and not scene.busy)
    known = loaded.session.state.analysis
    assert known is not None
    loaded.session.update(time=known.trace.clock.length // 3)
    qtbot.waitUntil(lambda: not scene.busy, timeout=PATIENCE)
    renders: list[float] = []
    scene.canvas.rendered.connect(renders.append)
    paints = Paints()
    application = QApplication.instance()
    assert application is not None
    application.installEventFilter(paints)

    def rests() -> bool:
        """Tell whether nothing is drawn for two seconds."""
        renders.clear()
        paints.seen.clear()
        painted, end = scene.written.painted, perf_counter() + 2.0
        while perf_counter() < end:
            qtbot.wait(20)
        return not renders and not paints.seen and scene.written.painted == painted

    # cards fade, tips close, and a loaded machine is late: a timer never stops
    assert any(rests() for _ in range(TRIES)), (renders, paints.seen)
    application.removeEventFilter(paints)
    loaded.session.update(time=known.trace.clock.length // 2)
    qtbot.waitUntil(lambda: bool(renders), timeout=PATIENCE)
    scene.canvas.rendered.disconnect(renders.append)
