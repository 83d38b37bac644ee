"""Clicks and keys in any order, faster than anything is drawn: nothing may fail."""

import random
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget
from pytestqt.qtbot import QtBot
from traces import slow_tests_run

from topoview.base.resources import DEMOS
from topoview.ui.actions.table import ACTIONS
from topoview.ui.panels.table import PANELS
from topoview.ui.shell.window import MainWindow

pytestmark = pytest.mark.usefixtures("with_smoothing")

STEPS = 300 if slow_tests_run() else 100

SEEN = 0.3
"""Share of the steps after which something is drawn before the next one."""

AWAY = {"quit", "close", "open", "open-folder", "fullscreen", "film", "log"}
AWAY |= {f"demo-{name}" for name in DEMOS}
"""Actions that leave the trace, start other programs, or write films for long."""


@pytest.fixture
def nobody_answers(loaded_anew: MainWindow) -> Iterator[None]:
    """Close every dialog and menu that an action opens."""

    def refuse() -> None:
        for found in (
            QApplication.activeModalWidget(),
            QApplication.activePopupWidget(),
        ):
            if found is not None:
                found.close()

    timer = QTimer(loaded_anew)
    timer.setInterval(20)
    timer.timeout.connect(refuse)
    timer.start()
    yield
    timer.stop()


def click(chance: random.Random, target: QWidget) -> None:
    """Click somewhere in a widget."""
    at = QPoint(
        chance.randrange(max(target.width(), 1)),
        chance.randrange(max(target.height(), 1)),
    )
    held = chance.choice(
        (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier)
    )
    QTest.mouseClick(target, Qt.MouseButton.LeftButton, held, at)


def clickable(window: MainWindow, name: str) -> list[QWidget]:
    """List what of a panel takes clicks, and is seen."""
    assert window.workspace is not None
    panel: QWidget = window.workspace.panel(name)
    if window.workspace.is_open(name):
        window.workspace.open_panel(name, shown=True)  # its tab was clicked
    areas = [area.viewport() for area in panel.findChildren(QAbstractScrollArea)]
    return [found for found in areas or [panel] if found.isVisible()]


@pytest.mark.usefixtures("nobody_answers")
def test_nothing_fails_whatever_is_clicked(
    loaded_anew: MainWindow, qtbot: QtBot
) -> None:
    chance, loaded = random.Random(11), loaded_anew
    shown = loaded.actions_shown.qt
    names = [action.name for action in ACTIONS if action.name not in AWAY]
    assert loaded.workspace is not None
    loaded.resize(900, 600)
    for _ in range(STEPS):
        kind = chance.random()
        enabled = [name for name in names if shown[name].isEnabled()]
        if kind < 0.7:
            shown[chance.choice(enabled)].trigger()
        elif kind < 0.82:
            click(chance, loaded.workspace.scene.canvas)
        else:
            targets = clickable(loaded, chance.choice(tuple(PANELS)))
            if targets:
                click(chance, chance.choice(targets))
        if chance.random() < SEEN:
            qtbot.wait(chance.choice((0, 10)))
    loaded.session.update(playing=False)
    scene = loaded.workspace.scene
    qtbot.waitUntil(lambda: not scene.busy, timeout=60_000)
    assert loaded.session.state.analysis is not None
    assert not loaded.session.state.failure
