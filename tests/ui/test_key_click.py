"""A click on the key below the scene: states are brought out, categories selected."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from topoview.model import Trace
from topoview.topology import communication_matrix
from topoview.topology.identification.structure import symmetry_classes
from topoview.ui.panels.scene.moment import MomentFinder
from topoview.ui.panels.scene.overlay.below import OVERLAY_MARGIN, place_below
from topoview.ui.panels.scene.overlay.legend import colour_scales, legend_entries
from topoview.ui.panels.scene.view import SceneView


@pytest.fixture
def view(
    simulated: Callable[..., Trace], show_scene: Callable[..., SceneView]
) -> SceneView:
    """Show a grid of 5x4 ranks."""
    trace = simulated("grid", (5, 4))
    symmetry = symmetry_classes(communication_matrix(trace))
    return show_scene(trace, (900, 480), symmetry=symmetry)


def click(qtbot: QtBot, view: SceneView, name: str) -> int:
    """Click on an entry of the key; returns its number."""
    qtbot.waitUntil(lambda: not view.busy, timeout=20_000)
    QApplication.processEvents()
    state, content = view.session.state, view.content
    assert content is not None
    shown = MomentFinder().at(state, content)
    key = legend_entries(state, content, shown)
    rows = place_below(colour_scales(state, shown), key, (), float(view.width()))
    x, up, entry = next(row for row in rows.key if row[2].name == name)
    place = QPoint(round(x) + 20, round(view.height() - OVERLAY_MARGIN - up) - 4)
    QTest.mouseClick(
        view.canvas,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
        place,
    )
    return entry.of


def test_a_click_on_a_state_brings_its_ranks_out(qtbot: QtBot, view: SceneView) -> None:
    state = click(qtbot, view, "late sender")
    assert view.session.state.focus == {state}
    assert not view.session.state.selection.ranks
    click(qtbot, view, "late sender")
    assert not view.session.state.focus


def test_a_click_on_a_category_selects_its_ranks(qtbot: QtBot, view: SceneView) -> None:
    view.session.change("scene", colouring="symmetry")
    number = click(qtbot, view, "class 2")
    assert view.values is not None
    chosen = np.flatnonzero(view.values.values == number).tolist()
    assert list(view.session.state.selection.ranks) == chosen
    assert 0 < len(chosen) < 20
    click(qtbot, view, "class 2")
    assert not view.session.state.selection.ranks
