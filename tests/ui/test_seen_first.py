"""Panels are made when they are seen first, and show what those do that were there."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel
from pytestqt.qtbot import QtBot

from topoview.ui.panels.table import FIRST, PANELS
from topoview.ui.shell.window import MainWindow
from topoview.ui.shell.workspace import EmptyPlace, Workspace
from topoview.ui.widgets.panel import Panel

PATIENCE = 60_000

AT_FIRST = {"timeline", "logical"}
"""In a window of 1280x800."""


@pytest.fixture
def loaded(loaded_anew: MainWindow) -> MainWindow:
    """Open a window for each test: panels are made when they are seen."""
    return loaded_anew


def made(workspace: Workspace) -> set[str]:
    return {
        name
        for name, dock in workspace._docks.items()
        if not isinstance(dock.widget(), EmptyPlace)
    }


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until what is seen stays."""
    workspace = window.workspace
    assert workspace is not None
    qtbot.waitUntil(lambda: workspace.settled, timeout=PATIENCE)


def said(panel: Panel) -> tuple[object, ...]:
    """Give what a panel lists, and its words."""
    listing = panel.listing()
    views = panel.findChildren(QAbstractItemView)
    cells = [
        view.model().index(row, column).data()
        for view in views
        for row in range(view.model().rowCount())
        for column in range(view.model().columnCount())
    ]
    words = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    return listing and (listing.names, *listing.rows()), cells, words


def test_a_panel_is_made_when_its_name_is_clicked(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    workspace = loaded.workspace
    assert workspace is not None
    settle(loaded, qtbot)
    assert made(workspace) == AT_FIRST
    for name in ("delays", "matrix", "events"):
        qtbot.mouseClick(workspace.rail.rows[name], Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda name=name: name in made(workspace), timeout=PATIENCE)
        settle(loaded, qtbot)
        assert workspace.panel(name).visibleRegion().contains(QPoint(5, 5))
    assert made(workspace) == {*AT_FIRST, "delays", "matrix", "events"}


def test_all_is_imported_once_nothing_is_left_to_do(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    workspace = loaded.workspace
    assert workspace is not None
    qtbot.waitUntil(lambda: workspace._loaded >= set(PANELS), timeout=PATIENCE)
    assert made(workspace) == AT_FIRST


def test_a_panel_made_late_shows_what_one_does_that_was_there(
    loaded: MainWindow, qtbot: QtBot
) -> None:
    workspace, session = loaded.workspace, loaded.session
    assert workspace is not None
    late = [name for name in PANELS if name not in (*FIRST, "second")]
    there = {name: workspace.panel(name) for name in late}
    length = session.state.window[1]
    session.update(window=(length // 4, length // 2), time=length // 3)
    session.select(ranks=(2, 5))
    for name, panel in there.items():
        workspace.open_panel(name, shown=True)
        settle(loaded, qtbot)
        QApplication.processEvents()  # widgets that a layout took are shown by an event
        before = said(panel)
        dock = workspace._docks[name]
        dock.setWidget(EmptyPlace(name, dock))
        panel.setParent(None)
        panel.deleteLater()
        del workspace._panels[name]
        fresh = workspace.panel(name)

        def is_same(
            name: str = name, before: object = before, fresh: Panel = fresh
        ) -> None:
            assert said(fresh) == before, name

        qtbot.waitUntil(is_same, timeout=PATIENCE)


def test_a_panel_that_cannot_be_imported_says_so_in_its_place(
    loaded: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = loaded.workspace
    assert workspace is not None
    monkeypatch.setitem(sys.modules, "topoview.ui.panels.matrix.panel", None)
    workspace.open_panel("matrix", shown=True)
    qtbot.waitUntil(lambda: "matrix" in made(workspace), timeout=PATIENCE)
    told = [label.text() for label in workspace.panel("matrix").findChildren(QLabel)]
    assert told[0] == "Matrix cannot be shown"
    assert told[1].endswith(": install topoview again.")
    workspace.open_panel("profile", shown=True)
    qtbot.waitUntil(lambda: "profile" in made(workspace), timeout=PATIENCE)
    settle(loaded, qtbot)


BEFOREHAND = """
import sys
from topoview.base.lazy import import_below
from topoview.ui.panels.table import PARTS, module_of
from topoview.ui.shell.window import WITH_CLASSES_OF_QT, WORKSPACE_MODULE
before = set(sys.modules)
for module in (WORKSPACE_MODULE, *map(module_of, PARTS)):
    import_below(module, WITH_CLASSES_OF_QT)
for name in set(sys.modules) - before:
    has_classes = not hasattr(sys.modules[name], "__path__")
    if has_classes and name.startswith(WITH_CLASSES_OF_QT):
        print(name)
assert {"vtkmodules.vtkRenderingOpenGL2", "scipy.sparse"} <= set(sys.modules)
"""


def test_no_class_of_qt_is_made_beside_the_window() -> None:
    """In a thread PySide would change a table that events read without a lock."""
    said = subprocess.run(
        [sys.executable, "-c", BEFOREHAND], capture_output=True, text=True, check=True
    )
    assert not said.stdout
