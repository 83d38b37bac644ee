"""Parts of a run in the panel, in the scene and in time; and the reasons."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import traces
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from topoview.live.timeline.orders import row_order
from topoview.model import Analysis, DeclaredTopology, IdentifiedPart, Trace
from topoview.session import Session, choices
from topoview.topology import lattice
from topoview.topology.identification.traffic import match_topology, pair_traffic
from topoview.ui.actions.appearance import choose_theme
from topoview.ui.panels.lists.phases import PhasesPanel
from topoview.ui.panels.options import TopologyOptions
from topoview.ui.panels.timeline.content import front_lines
from topoview.ui.panels.topology.panel import TopologyPanel
from topoview.ui.panels.topology.rows import MatchRow, match_rows
from topoview.ui.shell.reason_bar import show_delay
from topoview.ui.shell.window import MainWindow
from topoview.ui.widgets.formats import exact_time_text

PATIENCE = 60_000


def with_parts(known: Analysis) -> Analysis:
    """Add two phases and a communicator of four ranks, and what was declared."""
    assert known.identification is not None
    assert known.matrix is not None
    ranks = known.trace.ranks
    everyone = np.arange(ranks, dtype=np.int32)
    traffic = pair_traffic(known.matrix)
    vertex = np.full(ranks, -1, np.int32)
    vertex[:4] = np.arange(4)
    seen = np.ones(len(traffic.pairs), bool)
    ring = match_topology(lattice((4,), (True,)), vertex, traffic, 0, seen)
    best = known.identification.best
    found = replace(
        known.identification,
        parts=(
            IdentifiedPart("phase", "1", 100, 900, everyone, (best,), "halo"),
            IdentifiedPart("phase", "2", 1000, 2000, everyone, (best,), "halo"),
            IdentifiedPart(
                "communicator", "row", 50, 60, everyone[:4], (ring,), "by Alltoall"
            ),
            IdentifiedPart(
                "communicator", "large", 50, 60, everyone, (), "by Alltoall"
            ),
        ),
        declared=(
            DeclaredTopology("cart", "ring 12", "torus", (12,), "different", 12, 8, 3),
        ),
    )
    return replace(known, identification=found)


@pytest.fixture
def divided(torus: Analysis) -> Analysis:
    return with_parts(torus)


def row_of(panel: TopologyPanel, text: str) -> MatchRow:
    rows = (row for row in panel.rows if not row.section)
    return next(row for row in rows if text in row.remark)


def choose(panel: TopologyPanel, row: MatchRow) -> None:
    panel.choose(panel.rows.index(row))


def test_rows_are_in_sections(divided: Analysis) -> None:
    rows = match_rows(divided)
    assert [row.section for row in rows if row.section] == [
        "Declared",
        "Phases",
        "Communicators",
        "Other topologies",
    ]
    found = divided.identification
    assert found is not None
    offered = choices(found)
    for row in rows:
        if row.match >= 0:
            shown = offered[row.match]
            assert shown.part is row.part
            assert row.name.startswith(
                shown.match.topology.name.replace("x", "\u00d7").split(",")[0]
            )
    heading = next(row for row in rows if row.section == "Phases")
    assert heading.remark == "2D torus 4\u00d73 in phases 1, 2 (halo)"
    declared = next(row for row in rows if row.remark.startswith("different"))
    assert declared.match == -1
    assert "8 of 12 edges are used" in declared.tip


def test_sections_fold(divided: Analysis) -> None:
    before = len(match_rows(divided))
    assert len(match_rows(divided, frozenset({"Phases"}))) == before - 2


def mixed(trace: Trace, ticks: int) -> float:
    """Compute the entropy of the ranks' states at a time."""
    state = trace.timeline.state[trace.timeline.at(ticks, slice(trace.ranks))]
    share = np.unique(state, return_counts=True)[1] / trace.ranks
    return -float((share * np.log(share)).sum())


def test_a_phase_is_shown_with_its_time(divided: Analysis, qtbot: QtBot) -> None:
    session = Session()
    panel = TopologyPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    session.update(analysis=divided, window=(0, 5000), time=4000)
    choose(panel, row_of(panel, "phase 2"))
    assert session.state.window == (1000, 2000)
    time = session.state.time
    assert 1000 <= time <= 2000
    assert mixed(divided.trace, time) == max(
        mixed(divided.trace, t) for t in range(1000, 2001)
    )
    assert session.state.selection.ranks == ()
    shown = session.state.derived.choice
    assert shown is not None
    assert shown.part is not None
    assert shown.part.name == "2"


def test_a_click_on_a_phase_shows_when_most_goes_on_in_it(
    divided: Analysis, qtbot: QtBot
) -> None:
    """The hand on the panel *Phases*: not the middle, where all may do the same."""
    session = Session()
    panel = PhasesPanel(session)
    qtbot.addWidget(panel)
    panel.resize(420, 300)
    panel.show()
    session.update(analysis=divided, window=(0, 5000), time=4000)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    begin = exact_time_text(1000, divided.trace.clock, session.state)
    assert panel.model.text(1, "begin") == begin, "as in the time box"
    row = panel.view.visualRect(panel.model.index(1, 0)).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=row)
    assert session.state.window == (1000, 2000)
    assert mixed(divided.trace, session.state.time) == max(
        mixed(divided.trace, t) for t in range(1000, 2001)
    )


def test_a_communicator_is_shown_with_its_ranks(
    divided: Analysis, qtbot: QtBot
) -> None:
    session = Session()
    panel = TopologyPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    session.update(analysis=divided, window=(0, 5000))
    choose(panel, row_of(panel, "communicator row"))
    assert session.state.selection.ranks == (0, 1, 2, 3)
    match = session.state.derived.match
    assert match is not None
    assert match.topology.name == "ring 4"
    before = session.state
    choose(panel, row_of(panel, "communicator large"))
    assert session.state is before


def test_the_reasons_are_worked_out_when_they_are_asked_for(
    torus: Analysis, qtbot: QtBot
) -> None:
    session = Session()
    panel = TopologyPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    session.update(analysis=torus)
    assert panel.settled
    assert panel.result is None
    session.change(TopologyOptions, page="why")
    qtbot.waitUntil(lambda: bool(panel.result), timeout=PATIENCE)
    text = panel.page.toPlainText()
    assert "12 ranks, 24 pairs" in text
    assert "2D torus 4\u00d73" in text


def test_the_reasons_are_copied(loaded: MainWindow, qtbot: QtBot) -> None:
    loaded.actions_shown.qt["copy-why"].trigger()
    assert loaded.session.state.of(TopologyOptions).page == "why"
    qtbot.waitUntil(
        lambda: "2D torus 4x3" in QGuiApplication.clipboard().text(), timeout=PATIENCE
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_whole_window_follows_a_part(
    load: Callable[[Path], MainWindow], qtbot: QtBot, theme: str
) -> None:
    window = load(traces.real_path("sp-twophase-6x6-user-metrics"))
    choose_theme(theme, window.context)
    assert window.workspace is not None
    window.workspace.open_panel("topology", shown=True)
    panel, scene = window.workspace.panel("topology"), window.workspace.scene
    row = row_of(panel, "phase 2")
    at = panel.model.index(panel.rows.index(row), 0)
    panel.view.scrollTo(at)
    place = panel.view.visualRect(at).center()
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(
        lambda: scene.content is not None and scene.content.shows(window.session.state),
        timeout=PATIENCE,
    )
    assert scene.content is not None
    assert scene.content.match.topology.name == "transpose 6x6"
    assert window.session.state.window == (row.part.begin, row.part.end)
    # by hop distance ranks that no way of this topology leads to have no front
    show_delay(window.session, 0)
    state = window.session.state
    assert state.timeline.order == "distance"
    order = row_order(state)
    assert order.labels[-1] == "not connected"
    lines = front_lines(state, order)
    assert lines is None or len(order.labels) - 1 not in lines.group
