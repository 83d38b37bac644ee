"""The panels Iterations and Communicators by hand."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from topoview.model import Trace
from topoview.pipeline import first_look
from topoview.scene.palette import THEMES
from topoview.session import Session
from topoview.ui.panels.iterations.heat_map import cells_image, heat_colours
from topoview.ui.panels.iterations.panel import IterationsPanel
from topoview.ui.panels.lists.communicators import CommunicatorsPanel
from topoview.ui.panels.options import CommunicatorOptions, IterationOptions

PATIENCE = 20_000
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(session: Session, qtbot: QtBot) -> IterationsPanel:
    made = IterationsPanel(session)
    qtbot.addWidget(made)
    made.resize(420, 560)
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: made.settled and made.result is not None, timeout=PATIENCE)
    return made


def test_a_click_goes_to_an_iteration(panel: IterationsPanel, session: Session) -> None:
    picture = panel.result
    assert picture is not None
    assert picture.exact
    assert picture.bins.total == picture.grid.values.size
    row, column = 3, 1
    rank = int(picture.request.order.ranks[row])
    at = panel.map.box(row, column).center().toPoint()
    assert panel.map.cell_at(panel.map.box(row, column).center()) == (rank, column)
    QTest.mouseClick(panel.map, LEFT, pos=at)
    state = session.state
    assert state.selection.ranks == (rank,)
    assert (state.picked.kind, state.picked.number) == ("rank", rank)
    assert state.window == picture.grid.span(column, column)
    own = picture.grid.span(column, column, rank)
    assert own is not None
    assert state.time == own[0]


def test_a_drag_shows_its_iterations(panel: IterationsPanel, session: Session) -> None:
    picture = panel.result
    assert picture is not None
    begin, end = (panel.map.box(2, c).center().toPoint() for c in (0, 1))
    QTest.mousePress(panel.map, LEFT, pos=begin)
    QTest.mouseMove(panel.map, begin + QPoint(9, 0))
    QTest.mouseMove(panel.map, end)
    QTest.mouseRelease(panel.map, LEFT, pos=end)
    assert session.state.window == picture.grid.span(0, 1)


def test_the_list_tells_the_slowest(
    panel: IterationsPanel, session: Session, qtbot: QtBot
) -> None:
    picture = panel.result
    assert picture is not None
    sums = np.nansum(picture.grid.values, axis=0)
    assert picture.slowest[0] == sums.argmax()
    assert len(picture.slowest) == len(sums)
    point = panel.view.visualRect(panel.model.index(0, 0)).center()
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=point)
    rank = int(picture.grid.values[:, picture.slowest[0]].argmax())
    assert session.state.selection.ranks == (rank,)
    low = float(np.sort(picture.grid.values.ravel())[-3])
    session.change(IterationOptions, brush=(low, 1e9))
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.result is not None
            and panel.result.request.brush is not None
        ),
        timeout=PATIENCE,
    )
    brushed = panel.result
    assert brushed is not None
    assert brushed.marked.sum() == 3
    listing = panel.listing()
    assert listing is not None
    assert len(listing) == 3
    for theme in ("light", "dark"):
        image = cells_image(brushed, THEMES[theme])
        assert (image.width(), image.height()) == brushed.cells.shape[::-1]


@pytest.mark.parametrize("amount", ["wait", "mpi", "bytes"])
def test_amounts(
    panel: IterationsPanel, session: Session, qtbot: QtBot, amount: str
) -> None:
    session.change(IterationOptions, amount=amount)
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.result is not None
            and panel.result.request.amount == amount
        ),
        timeout=PATIENCE,
    )
    panel.grab()
    picture = panel.result
    assert picture is not None
    assert 0 <= np.nanmin(picture.shares()) <= np.nanmax(picture.shares()) == 1


def test_a_selected_statement_is_divided_by_directions(
    panel: IterationsPanel, session: Session, qtbot: QtBot
) -> None:
    session.select(operation="Waitall")
    qtbot.waitUntil(
        lambda: (
            panel.settled
            and panel.result is not None
            and panel.result.request.wanted.operation == "Waitall"
        ),
        timeout=PATIENCE,
    )
    waits = panel.directions.waits
    assert waits is not None
    assert {"EAST", "WEST", "NORTH", "SOUTH"} >= set("/".join(waits.labels).split("/"))
    assert panel.directions.isVisible()


def test_dark_ends_contrast_with_the_ground() -> None:
    """High numbers are dark on light ground, and bright on dark ground."""
    light, dark = (heat_colours(THEMES[name]).sum(axis=1) for name in ("light", "dark"))
    assert light[0] > light[-1]
    assert dark[0] < dark[-1]


def test_a_communicator_selects_its_members(
    real_trace: Callable[[str], Trace], qtbot: QtBot
) -> None:
    session, known = Session(), first_look(real_trace("sp-rowcol-6x4"))
    session.update(analysis=known, window=(0, known.trace.clock.length))
    panel = CommunicatorsPanel(session)
    qtbot.addWidget(panel)
    panel.resize(400, 400)
    with qtbot.waitExposed(panel):
        panel.show()
    qtbot.waitUntil(lambda: panel.settled and len(panel.model.table) > 0)
    table = panel.model.table
    row = next(
        r for r, each in enumerate(table) if each["ranks"] == 4 and each["depth"]
    )
    index = panel.model.index(panel.model.place(row), 1)
    panel.view.scrollTo(index)
    point = panel.view.visualRect(index).center()
    QTest.mouseClick(panel.view.viewport(), LEFT, pos=point)
    number = session.state.picked.number
    assert session.state.picked.kind == "communicator"
    members = sorted(known.trace.communicators[number].ranks.tolist())
    assert session.state.selection.ranks == tuple(members)
    QTest.mouseClick(panel.colour, LEFT)
    assert session.state.scene.colouring == "communicator"
    assert panel.colour.text() == "Colour by state"
    QTest.mouseClick(panel.colour, LEFT)
    assert session.state.scene.colouring == "state"
    listing = panel.listing()
    assert listing is not None
    assert len(listing) == len(table)
    session.update(window=(0, 1))
    session.change(CommunicatorOptions, scope="window")
    qtbot.waitUntil(
        lambda: panel.settled and not panel.model.table["operations"][1:].any(),
        timeout=PATIENCE,
    )
