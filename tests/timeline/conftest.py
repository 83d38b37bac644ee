"""A session with a small trace, built by hand."""

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot
from timelines import Row, grid_match, trace_of

from topoview.model import Analysis, Identification, TimeState
from topoview.session import Session
from topoview.ui.panels.timeline.view import TimelineView


@pytest.fixture
def steps() -> Callable[[int, int], list[Row]]:
    """Rows that compute for 80 ticks and wait for 20, each a little later."""

    def make(count: int, rounds: int) -> list[Row]:
        waits, computes = int(TimeState.WAIT), int(TimeState.COMPUTE)
        rows = []
        for row in range(count):
            inner = [
                pair
                for k in range(rounds)
                for pair in (
                    (100 * k + row + 1, computes),
                    (100 * k + 80 + row + 1, waits),
                )
            ]
            end = (100 * rounds + row + 1, int(TimeState.OUTSIDE))
            rows.append([(0, int(TimeState.SETUP)), *inner, end])
        return rows

    return make


@pytest.fixture
def session(steps: Callable[[int, int], list[Row]]) -> Session:
    """Open a grid of 4x3 ranks, with the whole run in the window."""
    trace = trace_of(steps(12, 20), 2020)
    session = Session()
    found = Identification(12, (grid_match(4, 3, seed=3),))
    session.update(
        analysis=Analysis(trace, identification=found), window=(0, 2020), time=500
    )
    return session


@pytest.fixture
def view(qtbot: QtBot, session: Session) -> TimelineView:
    """Show the session's timeline and wait for its pixels."""
    view = TimelineView(session)
    qtbot.addWidget(view)
    view.resize(890, 262)
    view.show()
    qtbot.waitExposed(view)
    qtbot.waitUntil(lambda: view.settled, timeout=20_000)
    return view
