"""Nothing is drawn, rendered or painted while nothing changes."""

from time import perf_counter

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from topoview.ui.shell.window import MainWindow

PATIENCE = 30_000


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


def test_nothing_is_drawn_at_rest(loaded: MainWindow, qtbot: QtBot) -> None:
    """Over two seconds with the cursor and the pointer still, in the whole window."""
    assert loaded.workspace is not None
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: scene.scene.ranks == 12 and not scene.busy)
    known = loaded.session.state.analysis
    assert known is not None
    loaded.session.update(time=known.trace.clock.length // 3)
    qtbot.waitUntil(lambda: not scene.busy, timeout=PATIENCE)
    qtbot.wait(300)  # cards fade, tips close
    renders: list[float] = []
    scene.canvas.rendered.connect(renders.append)
    painted, paints = scene.written.painted, Paints()
    application = QApplication.instance()
    assert application is not None
    application.installEventFilter(paints)
    end = perf_counter() + 2.0
    while perf_counter() < end:
        qtbot.wait(20)
    application.removeEventFilter(paints)
    assert renders == []
    assert scene.written.painted == painted
    assert paints.seen == []
    loaded.session.update(time=known.trace.clock.length // 2)
    qtbot.waitUntil(lambda: bool(renders), timeout=PATIENCE)
    scene.canvas.rendered.disconnect(renders.append)
